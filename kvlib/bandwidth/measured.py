"""Measured hand-offs: published sizes and times, on which the book's fits stand.

`MOONCAKE_VLLM`: Qwen3-8B under vLLM 0.11.2.dev358, from one node of eight RoCE ports of 200 Gb/s
to another, one request at a time; each time is the mean that the page prints. The page prints
MiB and GiB as "MB" and "GB". Its sizes are those of N + 16 tokens, one page more than the prompt,
at 147,456 bytes a token; here they are exact.
Source: kvcache-ai/Mooncake, docs/source/performance/vllm/vllm-v1-pd-performance.md at 1b6bbb0.
"""

from dataclasses import dataclass

from kvlib.units import ms

__all__ = ["MOONCAKE_VLLM", "Handoff"]

_TOKEN = 2 * 36 * 8 * 128 * 2  # bytes a token of Qwen3-8B: K and V, layers, KV heads, dim, bf16
_PAGE = 16  # tokens


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """One measured hand-off: the prompt's tokens, the bytes that moved, the seconds they took."""

    tokens: int
    n_bytes: int
    seconds: float


MOONCAKE_VLLM = tuple(
    Handoff(tokens=tokens, n_bytes=(tokens + _PAGE) * _TOKEN, seconds=time * ms)
    for tokens, time in (
        (128, 0.54),
        (256, 0.61),
        (512, 0.92),
        (1_024, 1.50),
        (2_048, 2.51),
        (4_096, 4.75),
        (8_192, 8.84),
        (16_384, 16.43),
        (32_768, 31.65),
    )
)
