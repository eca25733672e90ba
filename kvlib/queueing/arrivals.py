"""Arrivals: when requests come, as a column of seconds from an empty system at 0.

| function   | gaps between arrivals                                        | their c² |
|------------|--------------------------------------------------------------|----------|
| `steady`   | all equal                                                    | 0        |
| `poisson`  | exponential, independent of each other                       | 1        |
| `bursty`   | many short and few long ones: two exponential laws, mixed    | as asked |
| `replayed` | as recorded, at their own rate or at another                 | theirs   |

c² is the squared coefficient of variation, variance / mean². Two exponential laws with balanced
means have any c² of 1 or more. Drawn gaps are whole billionths of the mean gap and add up as whole
numbers, so that one seed gives the same times on every machine and in every Python.

Not counted: rates that change by the hour, requests that wait for an answer before the next.
Source of the mixture: Tijms, A First Course in Stochastic Models, appendix B (balanced means).
"""

import random
from collections.abc import Sequence
from itertools import accumulate
from math import log, sqrt

from kvlib import _check
from kvlib.queueing.checks import column, count_of, positive

__all__ = ["bursty", "poisson", "replayed", "steady"]

GRAINS = 10**9  # of the mean gap
MOST_VARIATION = 1_000


def steady(requests: int, rate: float) -> list[float]:
    """Return arrivals in seconds at `rate` a second, each one gap after the one before.

    Raises TypeError or ValueError for what is no count or no rate.

    >>> steady(3, rate=2.0)
    [0.5, 1.0, 1.5]
    """
    requests, rate = count_of("steady", requests), positive("steady", "rate", rate)
    return [i / rate for i in range(1, requests + 1)]


def poisson(requests: int, rate: float, *, seed: int) -> list[float]:
    """Return arrivals in seconds whose gaps are exponential with mean 1 / rate.

    Raises TypeError or ValueError for what is no count, rate or seed.

    >>> [round(t, 3) for t in poisson(3, rate=2.0, seed=1)]
    [0.072, 1.012, 1.734]
    """
    return _renewal("poisson", requests, rate, 1, seed)


def bursty(requests: int, rate: float, *, variation: float, seed: int) -> list[float]:
    """Return arrivals in seconds whose gaps have mean 1 / rate and c² `variation`, 1 or more.

    Raises TypeError or ValueError for what is no count, rate, seed or variation.
    """
    variation = _check.one_number("bursty", "variation", variation, 1, MOST_VARIATION)
    return _renewal("bursty", requests, rate, variation, seed)


def replayed(times: Sequence[float], rate: float | None = None) -> list[float]:
    """Return recorded times in seconds, the first at 0; stretched to `rate` a second if given.

    Raises TypeError or ValueError for what are no times in order, or times that are all equal.

    >>> replayed([10.0, 10.5, 12.0], rate=3.0)
    [0.0, 0.25, 1.0]
    """
    times = column("replayed", "times", times)
    if times != sorted(times):
        raise ValueError(
            "replayed: times must be in order, got one before its neighbour; sort them"
        )
    start, span = times[0], times[-1] - times[0]
    if rate is None:
        return [time - start for time in times]
    rate = positive("replayed", "rate", rate)
    if not span:
        raise ValueError(f"replayed: times must last some time, got {span}; leave rate out")
    return [(time - start) * (len(times) / (rate * span)) for time in times]


def _renewal(call: str, requests: int, rate: float, variation: float, seed: int) -> list[float]:
    """Return arrivals with independent gaps of one law, exponential or two such mixed."""
    requests, rate = count_of(call, requests), positive(call, "rate", rate)
    draw = random.Random(_check.one_whole(call, "seed", seed)).random
    if variation == 1:
        gaps = [round(-GRAINS * log(1 - draw())) for _ in range(requests)]
    else:
        often = (1 + sqrt((variation - 1) / (variation + 1))) / 2  # the share of short gaps
        short, long = -GRAINS / (2 * often), -GRAINS / (2 * (1 - often))
        means = (short if draw() < often else long for _ in range(requests))
        gaps = [round(mean * log(1 - draw())) for mean in means]
    per_second = GRAINS * rate
    return [grains / per_second for grains in accumulate(gaps)]
