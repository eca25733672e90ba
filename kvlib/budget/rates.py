"""Rates: how far below its bound a latency target keeps a service.

The bound is where queues begin to grow without end; long before that a request waits. The highest
rate is sought over runs that differ in their arrival rate alone: same lengths, same gaps but
stretched. In one FIFO stage shorter gaps make every wait longer or leave it, so there is one such
rate. Behind several workers, and on a shared link, requests may change places: there the rate
found is one at which the target is just met.

It is sought up to 95 % of the bound, and what is found there means: about that much, or more. At
the bound itself the queue of a long run grows without end, however lenient the target; a run as
short as these ends before it has grown, and would say that nothing is in the way.

Counted: what `serve` counts. Not counted: chance, and what a longer run would show. A run has 1,280
requests at most, since a page waits for it. Its answer has a standard deviation of 4 to 9 per cent
by the seed; its mean is up to 6 per cent above that of runs of 100,000, most of it at loads above
0.8, where few long queues decide. With 512 requests these are 5 to 10 and up to 9. Arrivals not
stretched to their rate, and lengths drawn one by one, add to the first and leave the second.
"""

from dataclasses import replace
from math import fsum, sqrt
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
from kvlib.queueing import Requests, Stations, mean
from kvlib.queueing.run import rank
from kvlib.queueing.simulate import first_tokens

__all__ = ["NEAREST", "highest_rate", "rate_and_bound"]

NEAREST = 0.95  # of the bound: nearer to it a run this short cannot tell
MOST_REQUESTS = 1_280  # of one run: what a page can wait for
HALVINGS, STEPS = 10, 5  # to a thousandth of the bound; then to 2 % of the answer
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

    95 % of the bound at most, which then says: about that or more, as a run this short cannot
    tell. 0 if an empty service is too slow already, if a full batch takes more than `per_token`
    seconds a token, or if only less than a thousandth of the bound would do. The rate of `traffic`
    plays no part. Raises TypeError or ValueError for what is no service, traffic, time or fraction.

    >>> traffic = Traffic(arrival_rate=1.0)
    >>> [round(highest_rate(Service(), traffic, ttft=t, seed=1), 1) for t in (1.0, 2.0, 4.0)]
    [0.0, 1.8, 2.6]
    """
    checked("highest_rate", service, traffic)
    ttft = _check.one_number("highest_rate", "ttft", ttft, 0, MOST_SECONDS)
    quantile = _check.one_number("highest_rate", "quantile", quantile, 0, 1)
    if per_token is not None:
        per_token = _check.one_number("highest_rate", "per_token", per_token, 0, MOST_SECONDS)
        if traffic.batch / service.decode_rate > per_token:
            return 0.0
    return rate_and_bound(service, traffic, ttft=ttft, quantile=quantile, seed=seed)[0]


def rate_and_bound(
    service: Service, traffic: Traffic, *, ttft: float, quantile: float, seed: int
) -> tuple[float, float]:
    """Return the highest rate, and the bound of the lengths that the run drew, in requests/s.

    Only what `highest_rate` has checked is given here.
    """
    count = min(traffic.requests, MOST_REQUESTS)
    once = replace(traffic, arrival_rate=1.0, requests=count)
    requests = requests_of("highest_rate", service, once, seed)
    stations = stations_of(service, once)
    work = requests.prefill, requests.transfer, requests.decode
    late = requests.early, requests.delay
    place = rank(count - count // FILLING, quantile)
    if sorted(_alone(requests)[count // FILLING :])[place] > ttft:
        return 0.0, _bound(service, traffic, requests, stations)

    def meets(rate: float) -> bool:
        arrivals = [time / rate for time in requests.arrivals]
        moments = first_tokens(arrivals, *work, requests.held, stations, *late)
        times = list(map(sub, moments, arrivals))
        return sorted(times[count // FILLING :])[place] <= ttft

    bound = _bound(service, traffic, requests, stations)
    high = NEAREST * bound
    if meets(high):
        return high, bound
    low = high / 2
    for _ in range(HALVINGS):
        if meets(low):
            break
        low, high = low / 2, low
    else:
        return 0.0, bound
    for _ in range(STEPS):
        middle = sqrt(low * high)
        low, high = (middle, high) if meets(middle) else (low, middle)
    return low, bound


def _alone(requests: Requests) -> list[float]:
    """Return the time to first token of each request in an empty service."""
    count = len(requests.arrivals)
    early, delay = requests.early or [0.0] * count, requests.delay or [0.0] * count
    rows = zip(requests.prefill, early, requests.transfer, delay, strict=True)
    return [a - b + c + d for a, b, c, d in rows]


def _bound(service: Service, traffic: Traffic, requests: Requests, stations: Stations) -> float:
    """Return the rate in requests/s at which the first stage works all the time.

    Memory is held at least while a request moves, is delivered and decodes.
    """
    prompts = whole_lengths(service.prompt_tokens, traffic.prompt_spread)
    outputs = whole_lengths(service.output_tokens, traffic.output_spread)
    seconds = [
        mean([prefill_seconds(service, n) for n in prompts]) / stations.prefill_servers,
        mean([transfer_seconds(service, n) for n in prompts]),
        mean([decode_seconds(service, traffic, n) for n in outputs]) / stations.decode_servers,
    ]
    if stations.memory is not None:
        later = requests.delay or [0.0] * len(requests.held)
        rows = zip(requests.held, requests.transfer, later, requests.decode, strict=True)
        held = fsum(m / stations.memory * (a + b + c) for m, a, b, c in rows)
        seconds.append(held / len(requests.held))
    return 1 / max(seconds)
