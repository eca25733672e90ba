"""Lengths: how much work requests bring, as a column of one number a request.

The spread of a law is E[N²] / E[N]²: 1 if all are equal, 2 for the exponential law, 1.9 to 2.7
for the prompts of public traces. The mean wait for one server is proportional to it.

| function      | law                                                      | spread        |
|---------------|----------------------------------------------------------|---------------|
| `equal`       | all the same                                             | 1             |
| `exponential` | memoryless                                               | 2             |
| `lognormal`   | many short and few long ones                             | as asked      |
| `resampled`   | measured values, drawn again with replacement            | theirs        |
| `strata`      | not drawn: equally likely values with that mean, spread  | as asked      |

Draws are whole billionths of the mean, so that one seed gives the same column on every machine.
"""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp, fsum, log, sqrt
from statistics import NormalDist

from kvlib import _check
from kvlib.queueing.checks import column, count_of, positive

__all__ = ["equal", "exponential", "lognormal", "resampled", "strata"]

GRAINS = 10**9  # of the mean
MOST_SPREAD, MOST_STRATA = 16, 1_024
NORMAL = NormalDist()


def equal(requests: int, mean: float) -> list[float]:
    """Return `mean` for every request. Raises TypeError or ValueError.

    >>> equal(3, mean=1.024)
    [1.024, 1.024, 1.024]
    """
    return [positive("equal", "mean", mean)] * count_of("equal", requests)


def exponential(requests: int, mean: float, *, seed: int) -> list[float]:
    """Return draws of the exponential law: spread 2. Raises TypeError or ValueError."""
    requests, mean = count_of("exponential", requests), positive("exponential", "mean", mean)
    draw, grain = _draw("exponential", seed), mean / GRAINS
    return [round(-GRAINS * log(1 - draw())) * grain for _ in range(requests)]


def lognormal(requests: int, mean: float, *, spread: float, seed: int) -> list[float]:
    """Return draws of the log-normal law with this mean and spread.

    Raises TypeError or ValueError for a spread outside 1 to 16, too.
    """
    requests, mean = count_of("lognormal", requests), positive("lognormal", "mean", mean)
    variance = log(_spread("lognormal", spread))
    draw, grain, width = _draw("lognormal", seed), mean / GRAINS, sqrt(variance)
    normal, least = NORMAL.inv_cdf, 1 / 2**54  # random() may be 0, where there is no quantile
    points = (normal(draw() or least) for _ in range(requests))
    return [round(GRAINS * exp(width * z - variance / 2)) * grain for z in points]


def resampled(requests: int, values: Sequence[float], *, seed: int) -> list[float]:
    """Return draws from measured `values`, each equally likely. Raises TypeError or ValueError.

    >>> resampled(4, [1, 2, 8], seed=1)
    [1.0, 8.0, 8.0, 1.0]
    """
    requests, values = count_of("resampled", requests), column("resampled", "values", values)
    draw, count = _draw("resampled", seed), len(values)
    return [values[int(draw() * count)] for _ in range(requests)]


def strata(count: int, mean: float, spread: float) -> tuple[float, ...]:
    """Return `count` equally likely values with this mean and spread, in order.

    They lie as the quantiles of a log-normal law do. Raises TypeError or ValueError, also for a
    spread that so few values cannot have.

    >>> found = strata(4, mean=100.0, spread=1.5)
    >>> [round(x, 1) for x in found], round(sum(x * x for x in found) / 4 / 100**2, 9)
    ([27.3, 57.5, 101.6, 213.6], 1.5)
    """
    count = _check.one_whole("strata", "count", count, 1, MOST_STRATA)
    mean, spread = positive("strata", "mean", mean), _spread("strata", spread)
    return tuple(mean * value for value in _shape(count, spread))


@lru_cache(maxsize=32)
def _shape(count: int, spread: float) -> tuple[float, ...]:
    """Return equally likely values with mean 1; the width of their law is found by bisection."""
    if spread == 1:
        return (1.0,) * count
    points = [NORMAL.inv_cdf((i + 0.5) / count) for i in range(count)]

    def shape(width: float) -> list[float]:
        found = [exp(width * (z - points[-1])) for z in points]
        total = fsum(found)
        return [count * value / total for value in found]

    def spread_of(values: list[float]) -> float:
        return fsum(value * value for value in values) / count

    low, high = 0.0, 8.0
    most = spread_of(shape(high))
    if spread > most:
        raise ValueError(_check.wrong("strata", "spread", f"at most {most:.4g} here", spread))
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if spread_of(shape(middle)) < spread else (low, middle)
    return tuple(shape(high))


def _draw(call: str, seed: int) -> Callable[[], float]:
    return random.Random(_check.one_whole(call, "seed", seed)).random


def _spread(call: str, spread: float) -> float:
    return _check.one_number(call, "spread", spread, 1, MOST_SPREAD)
