"""The queue at this rate: one seeded run of the set-up, and the rate that meets its target."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kvlib.apps.app import Part
from kvlib.apps.queueing import QUANTILE, SEED, mean_waits, queue_before, simulated, times
from kvlib.apps.workbench.setup import traffic_of
from kvlib.budget import Service, Traffic, highest_rate, serve
from kvlib.queueing import Run, attainment, mean
from kvlib.wording import requests, share, time
from kvlib.workbench import Report

__all__ = ["queue"]

LEFT_OUT = (
    "In the run a hand-off begins when prefill ends, so nothing of it is hidden; a decode worker "
    "is as fast as stated at a full batch, and no faster with less."
)


def queue(report: Report, values: Mapping[str, Any]) -> Part:
    """Return what becomes of a run of requests, and which rate would meet the target."""
    traffic, sizes = traffic_of(values), report.sizes
    alone = replace(report.service, network_rate=sizes.wire_bytes / report.attainable_seconds)
    run = serve(alone, traffic, seed=SEED)
    waits = mean_waits(run, [stage for stage, _ in report.capacity.given()])
    numbers = [
        *times(run, waits),
        ("time per output token", time(mean(run.per_token))),
        ("done when the last one comes", f"{_done(run):,} of {len(run.arrivals):,}"),
    ]
    return Part(
        title=f"The queue at {requests(traffic.arrival_rate)}",
        sentences=(
            simulated(run, values["arrivals"]),
            _met(run, report.setup.target_seconds),
            _rate(report, alone, traffic),
            LEFT_OUT,
        ),
        numbers=tuple(numbers),
        picture=queue_before(run, waits),
    )


def _met(run: Run, target: float) -> str:
    """Say how many of the requests meet the target."""
    met = attainment(run, ttft=target)
    if not met:
        return f"None of them has the first token within {time(target)}."
    good = met * len(run.arrivals) / run.arrivals[-1]
    return (
        f"{share(met)} of them have the first token within {time(target)}: a goodput of "
        f"{requests(good)} while they come."
    )


def _done(run: Run) -> int:
    """Return how many are complete when the last one arrives."""
    return sum(moment <= run.arrivals[-1] for moment in run.completions)


def _rate(report: Report, service: Service, traffic: Traffic) -> str:
    """Say up to which rate the target is met, and how far below the bound that is."""
    target, limit = report.setup.target_seconds, report.capacity.limit
    rate = _sought(service, replace(traffic, arrival_rate=1.0), target)
    if rate == 0:
        return f"No rate, however low, gives 95 % of them the first token within {time(target)}."
    rate = min(rate, limit)
    return (
        f"Up to about {_about(rate)} requests/s 95 % have it within {time(target)}: "
        f"{100 * rate / limit:.0f} % of the bound. Another run may say a tenth more or less."
    )


@lru_cache(maxsize=8)
def _sought(service: Service, traffic: Traffic, target: float) -> float:
    """Return the highest rate that meets the target: the same, whatever the arrivals are."""
    return highest_rate(service, traffic, ttft=target, quantile=QUANTILE, seed=SEED)


def _about(rate: float) -> str:
    """Return a rate with the two digits that a run of this length can tell."""
    size = 10 ** (math.floor(math.log10(rate)) - 1)
    rounded = round(rate / size) * size
    return f"{rounded:,.0f}" if size >= 1 else f"{rounded:,.{max(0, -round(math.log10(size)))}f}"
