"""Engines: what an engine keeps and hands off, from the model and its own conventions. Chapter 4.

| file          | what it answers                                                  |
|---------------|------------------------------------------------------------------|
| `conventions` | what one version of an engine does, as data: SGLANG, VLLM, ...   |
| `held`        | the bytes that it then holds for a request                       |

A model says what must be held; an engine rounds, pads and widens. What it holds is therefore a
second number, `held_bytes`, next to `payload_bytes`. No engine has code of its own. Counted: one
request's cache tensors. Not counted: weights, allocator reserve, page tables, counters that a
layer keeps beside its tensors.
"""

from kvlib.engines.conventions import ENGINES, SGLANG, TRANSFORMERS, VLLM, Engine
from kvlib.engines.held import group_held_bytes, held_bytes, held_positions, paged

__all__ = [
    "ENGINES",
    "SGLANG",
    "TRANSFORMERS",
    "VLLM",
    "Engine",
    "group_held_bytes",
    "held_bytes",
    "held_positions",
    "paged",
]
