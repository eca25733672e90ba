"""Run: what became of each request, in columns of seconds since the start.

The first token is computed by prefill. A client sees it later: when the hand-off is done and a slot
of the decode batch takes the request. That is `ttft`, as with SGLang's disaggregation, whose decode
worker streams the token that it received as soon as the request is in its batch. vLLM's decode
worker computes that token again, so its client sees it one step of decode later. `prefill_ttft` is
when prefill has it: what an engine could show that streams from there.
Source: SGLang, process_batch_result_prebuilt; vLLM, v1/core/sched/scheduler.py, where a prompt that
has arrived whole counts as computed but for its last token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, fsum, inf
from operator import sub

from kvlib import _check
from kvlib.queueing.checks import MOST_SECONDS, column

__all__ = ["STAGES", "Run", "attainment", "goodput", "mean", "percentile", "rank"]

STAGES = ("prefill", "memory", "network", "decode")  # in the order of a request's way
Column = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Run:
    """Columns, one entry a request in the order of arrival: seconds since an empty start."""

    arrivals: Column
    prefill_starts: Column
    prefill_ends: Column
    ready: Column  # when its hand-off may begin: at the end of prefill, or earlier in pieces
    reserved: Column  # when it has its memory; ready if that has no limit
    network_starts: Column
    network_ends: Column
    delivered: Column  # when decode has all of it: network_ends, or later by the cost of pieces
    decode_starts: Column
    completions: Column
    outputs: tuple[int, ...] | None = None  # tokens that decode makes

    @cached_property
    def prefill_waits(self) -> Column:
        """Seconds from arrival to a prefill server."""
        return tuple(map(sub, self.prefill_starts, self.arrivals))

    @cached_property
    def memory_waits(self) -> Column:
        """Seconds from when a hand-off may begin until memory is reserved."""
        return tuple(map(sub, self.reserved, self.ready))

    @cached_property
    def network_waits(self) -> Column:
        """Seconds from the reservation to the start of the transfer; 0 on a shared link."""
        return tuple(map(sub, self.network_starts, self.reserved))

    @cached_property
    def transfers(self) -> Column:
        """Seconds in the link, from start to end: longer than alone where it is shared."""
        return tuple(map(sub, self.network_ends, self.network_starts))

    @cached_property
    def decode_waits(self) -> Column:
        """Seconds from the delivery of a hand-off to a slot of the decode pool."""
        return tuple(map(sub, self.decode_starts, self.delivered))

    @cached_property
    def ttft(self) -> Column:
        """Time to first token: seconds from arrival until decode takes the request."""
        return tuple(map(sub, self.decode_starts, self.arrivals))

    @cached_property
    def prefill_ttft(self) -> Column:
        """Seconds from arrival until prefill has computed the first token."""
        return tuple(map(sub, self.prefill_ends, self.arrivals))

    @cached_property
    def latencies(self) -> Column:
        """Seconds from arrival to completion."""
        return tuple(map(sub, self.completions, self.arrivals))

    @cached_property
    def per_token(self) -> Column:
        """Time per output token: seconds from the first token to the last, by tokens decoded.

        Raises ValueError if the run was not told how many there are.
        """
        if self.outputs is None:
            raise ValueError("Run: outputs must be given for a time per token, got None")
        spans = map(sub, self.completions, self.decode_starts)
        return tuple(span / count for span, count in zip(spans, self.outputs, strict=True))

    @cached_property
    def seconds(self) -> float:
        """Seconds from the empty start to the last completion."""
        return max(self.completions)

    @property
    def throughput(self) -> float:
        """Requests completed per second, the time to empty included."""
        return len(self.arrivals) / self.seconds if self.seconds else 0.0

    def waits(self, stage: str) -> Column:
        """Return the seconds that each request waits before a stage. Raises ValueError."""
        return getattr(self, _check.one_of("waits", "stage", stage, STAGES) + "_waits")


def percentile(values: Sequence[float], fraction: float) -> float:
    """Return the smallest of `values` that at least `fraction` of them do not exceed.

    Raises TypeError or ValueError for what is no column or no fraction from 0 to 1.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    values = sorted(column("percentile", "values", values, least=-MOST_SECONDS))
    fraction = _check.one_number("percentile", "fraction", fraction, 0, 1)
    return values[rank(len(values), fraction)]


def rank(count: int, fraction: float) -> int:
    """Return the place of a percentile among `count` values in order."""
    return max(0, ceil(fraction * count * (1 - 2**-50)) - 1)  # 0.07 · 100 is 7, and a rounding


def mean(values: Sequence[float]) -> float:
    """Return the mean of `values`. Raises TypeError or ValueError for what is no column.

    >>> mean([1.0, 2.0, 6.0])
    3.0
    """
    return fsum(column("mean", "values", values, least=-MOST_SECONDS)) / len(values)


def attainment(run: Run, *, ttft: float, per_token: float | None = None) -> float:
    """Return the share of requests whose times are within the targets, in seconds.

    Raises TypeError or ValueError for what is no run or no time.
    """
    good = _within("attainment", run, ttft, per_token)
    return good / len(run.arrivals)


def goodput(
    run: Run, *, ttft: float, per_token: float | None = None, until: float | None = None
) -> float:
    """Return the requests per second that meet the targets: those of the run, by its seconds.

    With `until`, only those whose first token comes by then, by these seconds: while requests
    still come, the run's slow end left out. Raises TypeError or ValueError for what is no run or
    no time.
    """
    if until is None:
        good = _within("goodput", run, ttft, per_token)
        return good / run.seconds if run.seconds else 0.0
    until = _check.one_number("goodput", "until", until, 0, MOST_SECONDS)
    good = _within("goodput", run, ttft, per_token, until)
    return good / until if until else 0.0


def _within(call: str, run: Run, ttft: float, per_token: float | None, until: float = inf) -> int:
    _check.kind(call, "run", run, Run, "a Run")
    ttft = _check.one_number(call, "ttft", ttft, 0, MOST_SECONDS)
    if per_token is None:
        pairs = zip(run.ttft, run.decode_starts, strict=True)
        return sum(first <= ttft and token <= until for first, token in pairs)
    per_token = _check.one_number(call, "per_token", per_token, 0, MOST_SECONDS)
    rows = zip(run.ttft, run.per_token, run.decode_starts, strict=True)
    return sum(
        first <= ttft and each <= per_token and token <= until for first, each, token in rows
    )
