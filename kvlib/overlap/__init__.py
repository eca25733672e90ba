"""Overlap: what of a hand-off hides behind prefill, and what does not. Chapter 6.

    F_i = max(C_i, F_{i-1}) + o + s_i / B      a piece leaves when computed and the link is free
    exposed = F_k - T_p                        what decode waits for beyond prefill itself

| file         | what it answers                                                   |
|--------------|-------------------------------------------------------------------|
| `timeline`   | when each piece is computed and sent; the two bounds of "ready"   |
| `pieces`     | serial, layerwise, chunkwise: three ways to cut a request         |
| `best`       | how many pieces are ready first; from where on cutting does harm  |
| `contention` | the same timeline where compute and transfer slow each other down |
| `rules`      | how engines cut, as data                                          |
| `requests`   | many requests behind one link                                     |

Counted: compute, bytes, one overhead a piece. Not counted: registration, agreement before the
first piece, completion after the last, the first decode step.
"""

from kvlib.overlap.best import (
    best_pieces,
    break_even_pieces,
    even_ready_seconds,
    ideal_pieces,
)
from kvlib.overlap.contention import contended, overlap_gain
from kvlib.overlap.pieces import chunkwise, layerwise, serial
from kvlib.overlap.requests import Request, shared_link
from kvlib.overlap.rules import SGLANG, SPLITWISE, VLLM_NIXL, Rule, pieces_under
from kvlib.overlap.timeline import Piece, Step, Timeline, ready_bounds, timeline

__all__ = [
    "SGLANG",
    "SPLITWISE",
    "VLLM_NIXL",
    "Piece",
    "Request",
    "Rule",
    "Step",
    "Timeline",
    "best_pieces",
    "break_even_pieces",
    "chunkwise",
    "contended",
    "even_ready_seconds",
    "ideal_pieces",
    "layerwise",
    "overlap_gain",
    "pieces_under",
    "ready_bounds",
    "serial",
    "shared_link",
    "timeline",
]
