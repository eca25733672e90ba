"""The queue at this rate: one seeded run of the set-up, and the rate that meets its target."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kvlib.apps.app import Part
from kvlib.apps.picture import curve
from kvlib.apps.workbench.setup import REQUESTS, traffic_of
from kvlib.budget import Service, Traffic, highest_rate, serve
from kvlib.queueing import Run, attainment, mean, percentile, waiting_steps
from kvlib.wording import requests, share, time
from kvlib.workbench import Report

__all__ = ["queue"]

SEED, QUANTILE, POINTS = 1, 0.95, 120
SOUGHT = 1_000  # requests of each run in which the highest rate is sought
LEFT_OUT = (
    "In the run a hand-off begins when prefill ends, so nothing of it is hidden; a decode worker "
    "is as fast as stated at a full batch, and no faster with less."
)
STAGES = {"prefill": "prefill", "memory": "memory", "network": "the link", "decode": "decode"}


def queue(report: Report, values: Mapping[str, Any]) -> Part:
    """Return what becomes of a run of requests, and which rate would meet the target."""
    traffic, sizes = traffic_of(values), report.sizes
    alone = replace(report.service, network_rate=sizes.wire_bytes / report.attainable_seconds)
    run = serve(alone, traffic, seed=SEED)
    waits = {stage: mean(run.waits(stage)) for stage, _ in report.capacity.given()}
    numbers = [(f"mean wait before {STAGES[stage]}", time(wait)) for stage, wait in waits.items()]
    numbers += [
        ("first token, half of them within", time(percentile(run.ttft, 0.5))),
        ("first token, 95 % within", time(percentile(run.ttft, QUANTILE))),
        ("time per output token", time(mean(run.per_token))),
        ("done when the last one comes", f"{_done(run):,} of {REQUESTS:,}"),
    ]
    longest = max(waits, key=waits.__getitem__)
    return Part(
        title=f"The queue at {requests(traffic.arrival_rate)}",
        sentences=(
            _of(run, values["arrivals"]),
            *_met(run, report.setup.target_seconds),
            _rate(report, alone, traffic),
            LEFT_OUT,
        ),
        numbers=tuple(numbers),
        picture=_picture(run, longest if waits[longest] else "prefill"),
    )


def _of(run: Run, arrivals: str) -> str:
    """Say what is simulated."""
    how = {"poisson": "at random", "bursty": "in bursts", "steady": "evenly"}[arrivals]
    return (
        f"Simulated, not measured: {REQUESTS:,} requests that come {how}, from an empty service "
        f"on, over {time(run.arrivals[-1])}."
    )


def _met(run: Run, target: float) -> tuple[str, ...]:
    """Say how many of the requests meet the target."""
    met = attainment(run, ttft=target)
    if not met:
        return (f"None of them has the first token within {time(target)}.",)
    good = met * len(run.arrivals) / run.arrivals[-1]
    return (
        f"{share(met)} of them have the first token within {time(target)}: a goodput of "
        f"{requests(good)} while they come.",
    )


def _done(run: Run) -> int:
    """Return how many are complete when the last one arrives."""
    return sum(moment <= run.arrivals[-1] for moment in run.completions)


def _rate(report: Report, service: Service, traffic: Traffic) -> str:
    """Say up to which rate the target is met, and how far below the bound that is."""
    target, limit = report.setup.target_seconds, report.capacity.limit
    rate = _sought(service, replace(traffic, requests=SOUGHT, arrival_rate=1.0), target)
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


def _picture(run: Run, stage: str) -> str:
    """Return the number that waits before the stage where requests wait longest."""
    end = run.arrivals[-1]
    steps = [(0.0, 0), *(step for step in waiting_steps(run, stage, POINTS) if step[0] <= end)]
    most = max(steps, key=lambda step: step[1])
    points = steps[:1]
    for moment, count in steps[1:]:
        points += [(moment, points[-1][1]), (moment, count)]
    waiting = f"{most[1]:,} at most" if most[1] else "none waits"
    return curve(
        [*points, (end, points[-1][1])],
        most,
        f"Requests that wait before {STAGES[stage]} over {time(end)}: {waiting}",
        ("seconds since the start", f"requests before {STAGES[stage]}"),
        (f"{end:,.0f}", f"{most[1]:,}", waiting),
        stage="waiting",
    )
