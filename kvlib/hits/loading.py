"""Loading: whether it is quicker to load a cached prefix than to compute it again.

    B / G > 2 · d · s / (gqa · (a · p · d + b · d²))

d is the model's width, s the bytes of an element, gqa the query heads that share a KV head, p the
tokens of the prefix; a and b count the work of attention and of the matrices. Bytes and work both
grow with the layers, so their number cancels. The longer the prefix, the more a byte saves.

Counted: one load at a steady rate, against work at a steady rate. Not counted: start-up, queues,
other users of either, work on the rest of the prompt that could hide the load.
Source: Qin et al., Mooncake, FAST '25, equation 2, with a = 4 and b = 22 for Llama-3-70B.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib._check import one_whole as count
from kvlib.bandwidth.checks import link_rate_of, rate_of
from kvlib.hits.checks import real, store

__all__ = ["Work", "break_even_rate", "load_seconds", "recompute_seconds"]

MOST_WIDTH, MOST_TOKENS = 1_000_000, 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Work:
    """A dense model as equation 2 sees it; the defaults are Llama-3-70B.

    Raises TypeError or ValueError for what is no count or no number above 0.
    """

    layers: int = 80
    width: int = 8_192  # d
    queries_per_kv_head: int = 8  # gqa
    element_bytes: int = 2  # s
    attention: float = 4.0  # a: operations per layer, token, earlier token and unit of width
    matrices: float = 22.0  # b: operations per layer, token and unit of width squared

    def __post_init__(self) -> None:
        for name in ("layers", "width", "queries_per_kv_head", "element_bytes"):
            store(self, **{name: count("Work", name, getattr(self, name), 1, MOST_WIDTH)})
        for name in ("attention", "matrices"):
            found = real("Work", name, getattr(self, name), above=0, maximum=MOST_WIDTH)
            store(self, **{name: float(found)})

    def cache_bytes(self, tokens: int) -> float:
        """Return the bytes of K and V of `tokens`: 2 · l · p · d · s / gqa."""
        per_layer = 2 * self.width * self.element_bytes / self.queries_per_kv_head
        return self.layers * tokens * per_layer

    def operations(self, tokens: int) -> float:
        """Return the operations to compute `tokens`: l · (a · p² · d + b · p · d²)."""
        per_token = self.attention * tokens * self.width + self.matrices * self.width**2
        return self.layers * tokens * per_token


def load_seconds(work: Work, prefix_tokens: int, rate: float) -> float:
    """Return the seconds that the K and V of a prefix take at `rate` B/s.

    Arrays broadcast. Raises TypeError or ValueError for what is no count or no rate.
    """
    tokens = _tokens("load_seconds", work, prefix_tokens)
    rate = link_rate_of("load_seconds", "rate", rate)
    _check.together("load_seconds", {"prefix_tokens": tokens, "rate": rate})
    return work.cache_bytes(tokens) / rate


def recompute_seconds(work: Work, prefix_tokens: int, operation_rate: float) -> float:
    """Return the seconds that a prefix takes to compute at `operation_rate` operations/s.

    Arrays broadcast. Raises TypeError or ValueError for what is no count or no rate.
    """
    tokens, per_second = _computing("recompute_seconds", work, prefix_tokens, operation_rate)
    return work.operations(tokens) / per_second


def break_even_rate(work: Work, prefix_tokens: int, operation_rate: float) -> float:
    """Return the rate in B/s at which loading a prefix takes as long as computing it.

    Arrays broadcast. Raises TypeError or ValueError for what is no count or no rate.

    >>> from kvlib.units import TFLOPS, GB_s
    >>> [round(break_even_rate(Work(), 8_192, 8 * n * TFLOPS) / GB_s, 2) for n in (312, 989)]
    [5.86, 18.57]
    """
    tokens, per_second = _computing("break_even_rate", work, prefix_tokens, operation_rate)
    return work.cache_bytes(tokens) / (work.operations(tokens) / per_second)


def _computing(call: str, work: Work, tokens: int, rate: float) -> tuple[int, float]:
    tokens = _tokens(call, work, tokens)
    rate = rate_of(call, "operation_rate", rate, "operations/s")
    _check.together(call, {"prefix_tokens": tokens, "operation_rate": rate})
    return tokens, rate


def _tokens(call: str, work: Work, tokens: int) -> int:
    _check.kind(call, "work", work, Work, "a Work, as Work()")
    return _check.whole(call, "prefix_tokens", tokens, minimum=1, maximum=MOST_TOKENS)
