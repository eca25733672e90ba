"""The queue at this rate: one seeded run of the set-up, and the rates that meet its target.

The run and the report are of one service: alone, a request's first token comes when the report says
so, and the link carries what its bound says. Which rate meets the target is asked of three shorter
runs, since chance decides much of it; what they say is printed as a range.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor, log10
from typing import Any

from kvlib.apps.app import Part
from kvlib.apps.queueing import QUANTILE, SEED, mean_waits, queue_before, simulated, times
from kvlib.apps.workbench.setup import traffic_of
from kvlib.budget import Service, Traffic, serve
from kvlib.budget.rates import NEAREST, rate_and_bound
from kvlib.queueing import Run, attainment, goodput, mean, percentile
from kvlib.wording import requests, share, time
from kvlib.workbench import Report

__all__ = ["queue"]

SEEDS, SHORT = (1, 2, 3), 512  # of the runs that are asked for a rate, and their requests
CAPPED = 1 - 1e-9  # relative
LEFT_OUT = (
    "In the run a hand-off in pieces has memory and the link in one stretch, timed so that alone "
    "it ends as the report says; a decode worker is as fast as stated at a full batch, and no "
    "faster with less."
)
NEARER = "nearer to it a run this short cannot tell"
LONGER = "Longer runs would say up to a tenth less."
SHARE = f"{QUANTILE * 100:.0f} %"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """What the runs of a set-up found."""

    report: Report
    traffic: Traffic
    run: Run
    waits: dict[str, float]  # mean, before each stage
    rates: tuple[float, ...]  # up to which the target is met, a run each, from the lowest
    capped: bool  # whether one of them is as near to the bound as a run can tell


def waiting(report: Report, values: Mapping[str, Any]) -> Waiting:
    """Return what becomes of a run of requests, and which rates would meet the target."""
    traffic = replace(traffic_of(values), exposed_seconds=report.exposed_seconds)
    run, limit = serve(report.service, traffic, seed=SEED), report.capacity.limit
    short = replace(traffic, arrival_rate=1.0, requests=SHORT)
    found = _sought(report.service, short, report.setup.target_seconds)
    near = [rate >= CAPPED * NEAREST * min(limit, bound) for rate, bound in found]
    return Waiting(
        report=report,
        traffic=traffic,
        run=run,
        waits=mean_waits(run, [stage for stage, _ in report.capacity.given()]),
        rates=tuple(sorted(min(rate, NEAREST * limit) for rate, _ in found)),
        capped=any(near),
    )


def queue(found: Waiting) -> Part:
    """Return it in words and numbers, with a picture of the queue."""
    run = found.run
    numbers = [
        *times(run, found.waits),
        ("time per output token", time(mean(run.per_token))),
        ("done when the last one comes", f"{_done(run):,} of {len(run.arrivals):,}"),
    ]
    return Part(
        title=f"The queue at {requests(found.traffic.arrival_rate)}",
        sentences=(
            simulated(run, found.traffic.arrivals),
            _met(run, found.report.setup.target_seconds),
            _rate(found),
            LEFT_OUT,
        ),
        numbers=tuple(numbers),
        picture=queue_before(run, found.waits),
    )


def as_data(found: Waiting) -> dict[str, Any]:
    """Return it for JSON, units in the names."""
    run, traffic, target = found.run, found.traffic, found.report.setup.target_seconds
    return {
        "arrivals": traffic.arrivals,
        "requests": traffic.requests,
        "seed": SEED,
        "prompt_spread": traffic.prompt_spread,
        "output_spread": traffic.output_spread,
        "link": traffic.link,
        "batch_requests": traffic.batch,
        "mean_wait_seconds": found.waits,
        "first_token_median_seconds": percentile(run.ttft, 0.5),
        "first_token_95_percent_seconds": percentile(run.ttft, QUANTILE),
        "output_token_mean_seconds": mean(run.per_token),
        "within_target": attainment(run, ttft=target),
        "target_met_up_to_requests_per_second": list(found.rates),
    }


def _met(run: Run, target: float) -> str:
    """Say how many of the requests meet the target, and how many a second do while they come."""
    met = attainment(run, ttft=target)
    if not met:
        return f"None of them has the first token within {time(target)}."
    good = goodput(run, ttft=target, until=run.arrivals[-1])
    counted = f"a goodput of {requests(good)} while they come" if good else "after the last came"
    return f"{share(met)} of them have the first token within {time(target)}: {counted}."


def _done(run: Run) -> int:
    """Return how many are complete when the last one arrives."""
    return sum(moment <= run.arrivals[-1] for moment in run.completions)


def most(found: Waiting) -> str:
    """Return up to which rate the target is met, as a range."""
    low, high = found.rates[0], found.rates[-1]
    if not high:
        return "no rate"
    return f"{_span(low, high) if low else f'none or {_about(high)}'} requests/s"


def _rate(found: Waiting) -> str:
    """Say up to which rates the target is met, by the run, and how far below the bound that is."""
    target, limit = time(found.report.setup.target_seconds), found.report.capacity.limit
    low, high = found.rates[0], found.rates[-1]
    if not high:
        return (
            f"In {len(SEEDS)} runs of {SHORT} requests no rate, however low, gives "
            f"{SHARE} of them the first token within {target}."
        )
    tail = f"{f'; {NEARER}' if found.capped else ''}. {LONGER}"
    within = f"{SHARE} have it within {target}"
    if not low:
        most = f"at most {_about(100 * high / limit)} % of the bound{tail}"
        return f"By the run {within} at no rate, or up to {_about(high)} requests/s: {most}"
    part = f"{_span(100 * low / limit, 100 * high / limit)} % of the bound{tail}"
    if _about(low) == _about(high):
        return f"{within} up to {_about(low)} requests/s: {part}"
    return f"{within} up to {_about(low)} to {_about(high)} requests/s, by the run: {part}"


@lru_cache(maxsize=8)
def _sought(service: Service, traffic: Traffic, target: float) -> list[tuple[float, float]]:
    """Return the highest rate of each run and its bound: the same, whatever the arrivals are."""
    how = {"ttft": target, "quantile": QUANTILE}
    return [rate_and_bound(service, traffic, seed=seed, **how) for seed in SEEDS]


def _span(low: float, high: float) -> str:
    """Return two numbers as a range, or one if they print alike."""
    return _about(low) if _about(low) == _about(high) else f"{_about(low)} to {_about(high)}"


def _about(number: float) -> str:
    """Return a number with the two digits that runs of this length can tell."""
    rounded = float(f"{number:.1e}")
    digits = 1 - floor(log10(rounded))
    return f"{rounded:,.{max(0, digits)}f}"
