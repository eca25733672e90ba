"""Rates: how far below its bound a latency target keeps a service.

The bound is where queues begin to grow without end; long before that a request waits. The highest
rate is sought by bisection over runs that differ in their arrival rate alone: same lengths, same
gaps but stretched. In one FIFO stage shorter gaps make every wait longer or leave it, so there is
one such rate. Behind several workers, and on a shared link, requests may change places: there the
rate found is one at which the target is just met.

Counted: what `serve` counts. Not counted: chance. A run is 1,280 requests long, since a page waits
for it; another seed finds another rate, with a standard deviation of 5 to 10 per cent.
"""

from dataclasses import replace
from math import fsum
from operator import sub

from kvlib import _check
from kvlib.budget.service import Service
from kvlib.budget.traffic import (
    Traffic,
    checked,
    decode_seconds,
    prefill_seconds,
    requests_of,
    stations_of,
    transfer_seconds,
    whole_lengths,
)
from kvlib.queueing import Requests, Stations, mean, percentile
from kvlib.queueing.simulate import flow

__all__ = ["highest_rate"]

MOST_REQUESTS, STEPS = 1_280, 8  # of one run, and runs: what a page can wait for
FILLING = 4  # the first of so many parts of a run fills the queues and does not count
MOST_SECONDS = 10**11


def highest_rate(
    service: Service,
    traffic: Traffic,
    *,
    ttft: float,
    quantile: float = 0.95,
    seed: int,
    per_token: float | None = None,
) -> float:
    """Return the arrival rate in requests/s up to which a quantile of TTFT is at most `ttft`.

    At most the bound; 0 if an empty service is too slow already, or if a full batch takes more
    than `per_token` seconds a token. The rate of `traffic` plays no part. Raises TypeError or
    ValueError for what is no service, traffic, time or fraction.

    >>> traffic = Traffic(arrival_rate=1.0)
    >>> [round(highest_rate(Service(), traffic, ttft=t, seed=1), 1) for t in (1.0, 2.0, 4.0)]
    [0.0, 1.9, 2.6]
    """
    checked("highest_rate", service, traffic)
    ttft = _check.one_number("highest_rate", "ttft", ttft, 0, MOST_SECONDS)
    quantile = _check.one_number("highest_rate", "quantile", quantile, 0, 1)
    if per_token is not None:
        per_token = _check.one_number("highest_rate", "per_token", per_token, 0, MOST_SECONDS)
        if traffic.batch / service.decode_rate > per_token:
            return 0.0
    count = min(traffic.requests, MOST_REQUESTS)
    once = replace(traffic, arrival_rate=1.0, requests=count)
    requests, stations = (
        requests_of("highest_rate", service, once, seed),
        stations_of(service, once),
    )
    work = requests.prefill, requests.transfer, requests.decode
    alone = [a + b for a, b in zip(requests.prefill, requests.transfer, strict=True)]
    if percentile(alone[count // FILLING :], quantile) > ttft:
        return 0.0

    def meets(rate: float) -> bool:
        arrivals = [time / rate for time in requests.arrivals]
        first_tokens = flow(arrivals, *work, requests.held, stations)[-1]
        times = list(map(sub, first_tokens, arrivals))
        return percentile(times[count // FILLING :], quantile) <= ttft

    low, high = 0.0, _bound(service, traffic, requests, stations)
    if meets(high):
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return low


def _bound(service: Service, traffic: Traffic, requests: Requests, stations: Stations) -> float:
    """Return the rate in requests/s at which the first stage works all the time.

    Memory is held at least while a request moves and decodes.
    """
    prompts = whole_lengths(service.prompt_tokens, traffic.prompt_spread)
    outputs = whole_lengths(service.output_tokens, traffic.output_spread)
    seconds = [
        mean([prefill_seconds(service, n) for n in prompts]) / stations.prefill_servers,
        mean([transfer_seconds(service, n) for n in prompts]),
        mean([decode_seconds(service, traffic, n) for n in outputs]) / stations.decode_servers,
    ]
    if stations.memory is not None:
        rows = zip(requests.held, requests.transfer, requests.decode, strict=True)
        held = fsum(m / stations.memory * (t + d) for m, t, d in rows)
        seconds.append(held / len(requests.held))
    return 1 / max(seconds)
