"""Moments: a trace in a few numbers, and those of four public ones.

`input_spread` is E[N²] / E[N]²: 1 if all prompts are equally long, 2 for an exponential law. Bytes
and mean loads need the mean alone; queues feel the spread.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.hits.cache import PrefixCache
from kvlib.hits.checks import real, store
from kvlib.hits.requests import Trace

__all__ = ["PUBLISHED", "Moments", "ideal_hit", "moments"]


@dataclass(frozen=True, kw_only=True)
class Moments:
    """How fast requests arrive and how long they are.

    Raises TypeError or ValueError for what is no number in its bounds, as a spread below 1.
    """

    rate: float  # requests/s
    input_mean: float  # tokens
    input_spread: float  # E[N²] / E[N]²
    output_mean: float  # tokens
    source: str = ""

    def __post_init__(self) -> None:
        bounds = {
            "rate": {"above": 0, "maximum": 10**9},
            "input_mean": {"minimum": 1, "maximum": 10**7},
            "output_mean": {"minimum": 0, "maximum": 10**7},
            "input_spread": {"minimum": 1, "maximum": 100},
        }
        for name, bound in bounds.items():
            store(self, **{name: real("Moments", name, getattr(self, name), **bound)})
        _check.kind("Moments", "source", self.source, str, "text")


PUBLISHED = {
    "mooncake conversation": Moments(
        rate=3.40,
        input_mean=12_035,
        input_spread=2.72,
        output_mean=343,
        source="kvcache-ai/Mooncake, FAST25-release/traces: 12,031 requests",
    ),
    "mooncake synthetic": Moments(
        rate=3.91,
        input_mean=15_325,
        input_spread=2.44,
        output_mean=149,
        source="kvcache-ai/Mooncake, FAST25-release/traces: 3,993 requests",
    ),
    "azure conversation": Moments(
        rate=5.53,
        input_mean=1_155,
        input_spread=1.92,
        output_mean=211,
        source="Azure/AzurePublicDataset, LLM inference trace 2023, conv: 19,366 requests",
    ),
    "azure code": Moments(
        rate=2.57,
        input_mean=2_048,
        input_spread=1.93,
        output_mean=27.9,
        source="Azure/AzurePublicDataset, LLM inference trace 2023, code: 8,819 requests",
    ),
}


def moments(trace: Trace) -> Moments:
    """Return the moments of a trace.

    Raises TypeError for anything else, ValueError for a trace in which no time passes.
    """
    _check.kind("moments", "trace", trace, Trace, "a Trace")
    if not trace.seconds:
        raise ValueError("moments: trace must last some time, got one arrival time")
    count, mean = len(trace.requests), trace.input_tokens / len(trace.requests)
    square = sum(request.input_tokens**2 for request in trace.requests) / count
    return Moments(
        rate=count / trace.seconds,
        input_mean=mean,
        input_spread=square / mean**2,
        output_mean=sum(request.output_tokens for request in trace.requests) / count,
    )


def ideal_hit(trace: Trace) -> float:
    """Return the share of all prompt tokens that one cache without limit would have held.

    A bound: no cache that sees the trace in this order holds more. Raises TypeError for anything
    else than a Trace.
    """
    _check.kind("ideal_hit", "trace", trace, Trace, "a Trace")
    cache = PrefixCache()
    found = (
        min(cache.use(request.blocks) * trace.block, request.input_tokens)
        for request in trace.requests
    )
    return sum(found) / trace.input_tokens
