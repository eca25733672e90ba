"""Measured hand-offs: published sizes and times, on which the book's fits stand.

`MOONCAKE_VLLM`: Qwen3-8B under vLLM 0.11.2.dev358, from one node of eight RoCE ports of 200 Gb/s
to another, one request at a time; each time is the mean that the page prints. The page prints
MiB and GiB as "MB" and "GB". Its sizes are those of N + 16 tokens, one page more than the prompt,
at 147,456 bytes a token; here they are exact.
Source: kvcache-ai/Mooncake, docs/source/performance/vllm/vllm-v1-pd-performance.md at 1b6bbb0.

`MOONCAKE_SGLANG`: Qwen3-235B-A22B under SGLang (43124cdd) at TP 8, one node of four RoCE ports of
400 Gb/s to another, one request at a time. Sizes are decimal, and twice the logical bytes: four KV
heads on eight ranks are held and sent in two copies (chapter 4).
Source: docs/source/performance/sglang/sglang-benchmark-results-v1.md at 59a7623.
"""

from dataclasses import dataclass

from kvlib.units import ms

__all__ = ["MOONCAKE_SGLANG", "MOONCAKE_VLLM", "Handoff"]

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

_LARGE = 2 * 94 * 4 * 128 * 2  # bytes a token of Qwen3-235B: K and V, layers, KV heads, dim, bf16
_COPIES = 2

MOONCAKE_SGLANG = tuple(
    Handoff(tokens=tokens, n_bytes=_COPIES * tokens * _LARGE, seconds=time * ms)
    for tokens, time in (
        (128, 2.07),
        (256, 2.58),
        (512, 2.98),
        (1_024, 3.96),
        (2_048, 6.43),
        (4_096, 10.95),
        (8_192, 20.31),
        (16_384, 39.14),
        (32_768, 76.78),
    )
)
