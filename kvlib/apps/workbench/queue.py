"""The queue at this rate: one seeded run of the set-up, and the rate that meets its target."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kvlib.apps.app import Part
from kvlib.apps.queueing import QUANTILE, SEED, mean_waits, queue_before, simulated, times
from kvlib.apps.workbench.setup import traffic_of
from kvlib.budget import Traffic, highest_rate, serve
from kvlib.queueing import Run, attainment, goodput, mean
from kvlib.wording import requests, share, time
from kvlib.workbench import Report

__all__ = ["queue"]

SOUGHT = 600  # requests of each run in which the highest rate is sought
LEFT_OUT = (
    "In the run a hand-off begins when prefill ends and has no cost beside its bytes; a decode "
    "worker is as fast as stated at a full batch, and no faster with less."
)


def queue(report: Report, values: Mapping[str, Any]) -> Part:
    """Return what becomes of a run of requests, and which rate would meet the target."""
    traffic = traffic_of(values)
    run = serve(report.service, traffic, seed=SEED)
    waits = mean_waits(run, [stage for stage, _ in report.capacity.given()])
    numbers = [
        *times(run, waits),
        ("time per output token", time(mean(run.per_token))),
        ("completed", f"{requests(run.throughput)}, until the last one is done"),
    ]
    return Part(
        title=f"The queue at {requests(traffic.arrival_rate)}",
        sentences=(
            simulated(run, values["arrivals"]),
            *_met(run, report.setup.target_seconds),
            _rate(report, traffic),
            LEFT_OUT,
        ),
        numbers=tuple(numbers),
        picture=queue_before(run, waits),
    )


def _met(run: Run, target: float) -> tuple[str, ...]:
    """Say how many of the requests meet the target."""
    met = attainment(run, ttft=target)
    good = goodput(run, ttft=target)
    return (
        f"{share(met) if met else 'None'} of them {'have' if met else 'has'} the first token "
        f"within {time(target)}" + (f": a goodput of {requests(good)}." if good else "."),
    )


def _rate(report: Report, traffic: Traffic) -> str:
    """Say up to which rate the target is met, and how far below the bound that is."""
    target, limit = report.setup.target_seconds, report.capacity.limit
    few = replace(traffic, requests=SOUGHT)
    rate = highest_rate(report.service, few, ttft=target, quantile=QUANTILE, seed=SEED)
    if rate == 0:
        return f"No rate, however low, gives 95 % of them the first token within {time(target)}."
    rate = min(rate, limit)
    return (
        f"Up to {requests(rate)} 95 % have it within {time(target)}: "
        f"{share(rate / limit)} of the bound."
    )
