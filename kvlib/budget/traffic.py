"""Traffic: how requests come and how they differ, and what a service makes of a run of them.

A decode worker runs `batch` requests at once, each at 1/batch of its token rate; so the pool is
workers · batch slots and can sustain what the budget says. Lengths are 64 different ones, each as
often as any other and in random order; their mean is the service's, in whole tokens, and their
spread E[N²] / E[N]² is as asked, as near as whole tokens allow. The payload of each is exact; the
part of a prompt that is computed, and the bytes on the link and in memory for each logical one, are
those that the service states for its own lengths. The times of a run are stretched until its rate
is the one that was asked, so that chance decides when requests come and not how many.

Memory is one for the whole decode pool: workers · slots requests of mean length. How long a request
holds it is found here and not given: transfer, waiting and decoding. `decode_seconds` of the
service is what the budget assumes for it; the two agree at batch = decode_seconds · decode_rate /
output_tokens, but for the waiting.

A hand-off in pieces begins while prefill computes, or costs time off the link. `exposed_seconds`
says what is left of one of mean length after prefill, alone. The link works for as long as before:
what is hidden of it begins before prefill ends, and what exceeds it delays decode alone. Both go
with the length as the transfer does, and no hand-off begins before its prefill.

Counted: queues. Not counted: a batch that decodes faster while it is not full, memory that is
handed out as the output grows or is bound to one worker, and what the budget does not count.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor
from operator import add

from kvlib import _check
from kvlib.budget.service import Service
from kvlib.payload import group_bytes, groups_of, payload_bytes
from kvlib.queueing import (
    LINKS,
    Requests,
    Run,
    Stations,
    bursty,
    poisson,
    simulate,
    steady,
    strata,
)

__all__ = ["ARRIVALS", "Traffic", "serve"]

BURST = 4  # c² of bursty gaps: their standard deviation is twice their mean
ARRIVALS: dict[str, Callable[[int, float, int], list[float]]] = {  # requests, rate, seed
    "poisson": lambda requests, rate, seed: poisson(requests, rate, seed=seed),
    "steady": lambda requests, rate, seed: steady(requests, rate),
    "bursty": lambda requests, rate, seed: bursty(requests, rate, variation=BURST, seed=seed),
}
LENGTHS = 64  # different ones
MOST_REQUESTS, MOST_BATCH, MOST_SPREAD, MOST_RATE = 1_000_000, 100_000, 8, 10**9
MOST_SECONDS, ROUNDING = 10**11, 1e-12


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """How requests come and how they differ, and what decides how they share a service.

    Raises TypeError or ValueError for what is no rate, count, spread from 1 to 8, known name or
    time.
    """

    arrival_rate: float  # requests/s
    requests: int = 2_000  # of one run
    arrivals: str = "poisson"  # or "steady", "bursty": c² of the gaps is 1, 0, 4
    prompt_spread: float = 1.0  # E[N²] / E[N]²; 1.9 to 2.7 in public traces
    output_spread: float = 1.0
    link: str = "one at a time"  # or "shared"
    batch: int = 32  # requests that one decode worker runs at once
    exposed_seconds: float | None = None  # of a mean hand-off alone; None: its time on the link

    def __post_init__(self) -> None:
        rate = _check.one_number("Traffic", "arrival_rate", self.arrival_rate, 1e-6, MOST_RATE)
        object.__setattr__(self, "arrival_rate", rate)
        for name, most in (("requests", MOST_REQUESTS), ("batch", MOST_BATCH)):
            count = _check.one_whole("Traffic", name, getattr(self, name), 1, most)
            object.__setattr__(self, name, count)
        for name in ("prompt_spread", "output_spread"):
            spread = _check.one_number("Traffic", name, getattr(self, name), 1, MOST_SPREAD)
            object.__setattr__(self, name, spread)
        _check.one_of("Traffic", "arrivals", self.arrivals, ARRIVALS)
        _check.one_of("Traffic", "link", self.link, LINKS)
        if self.exposed_seconds is not None:
            given = self.exposed_seconds
            exposed = _check.one_number("Traffic", "exposed_seconds", given, 0, MOST_SECONDS)
            object.__setattr__(self, "exposed_seconds", exposed)


def serve(service: Service, traffic: Traffic, *, seed: int) -> Run:
    """Return what becomes of each request of one run, from an empty service on.

    Raises TypeError for other kinds and for a service that holds arrays, ValueError for a seed
    below 0.

    >>> run = serve(Service(), Traffic(arrival_rate=2.0, arrivals="steady"), seed=1)
    >>> round(max(run.ttft), 5)  # 8,192 tokens at 8,000 a second, and 1 GiB at 25 GB/s
    1.06695
    """
    checked("serve", service, traffic)
    return simulate(requests_of("serve", service, traffic, seed), stations_of(service, traffic))


def checked(call: str, service: Service, traffic: Traffic) -> None:
    """Return nothing if a run can be made of these. Raises TypeError."""
    _check.kind(call, "service", service, Service, "a Service")
    _check.kind(call, "traffic", traffic, Traffic, "Traffic")
    for name in service.__dataclass_fields__:
        value = getattr(service, name)
        if _check.is_array(value):
            hint = "ask for each point by itself"
            raise TypeError(_check.wrong_type(call, name, "one number", value, hint))


def stations_of(service: Service, traffic: Traffic) -> Stations:
    """Return the pools, the link and the memory of a service."""
    return Stations(
        prefill_servers=service.prefill_workers,
        decode_servers=service.decode_workers * traffic.batch,
        link=traffic.link,
        memory=None if service.slots is None else memory_bytes(service),
    )


def requests_of(call: str, service: Service, traffic: Traffic, seed: int) -> Requests:
    """Return the columns of one run: arrivals, and the work of each request in each stage."""
    seed, count = _check.one_whole(call, "seed", seed), traffic.requests
    times = ARRIVALS[traffic.arrivals](count, 1, 2 * seed)
    stretch = count / (times[-1] or 1) / traffic.arrival_rate
    exposed = traffic.exposed_seconds
    draw = random.Random(2 * seed + 1).random
    prompts = _drawn(whole_lengths(service.prompt_tokens, traffic.prompt_spread), count, draw)
    outputs = _drawn(whole_lengths(service.output_tokens, traffic.output_spread), count, draw)
    held = None
    if service.slots is not None:
        held = held_bytes(service, list(map(add, prompts, outputs)))
    prefill = _each(prompts, lambda tokens: prefill_seconds(service, tokens))
    transfer = _each(prompts, lambda tokens: transfer_seconds(service, tokens))
    early = delay = None
    if exposed is not None:  # as a share of what the link takes
        part = exposed / transfer_seconds(service, service.prompt_tokens)
        if part < 1 - ROUNDING:
            early = [min(a, (1 - part) * b) for a, b in zip(prefill, transfer, strict=True)]
        elif part > 1 + ROUNDING:
            delay = [(part - 1) * seconds for seconds in transfer]
    return Requests(
        arrivals=[time * stretch for time in times],
        prefill=prefill,
        transfer=transfer,
        early=early,
        delay=delay,
        decode=_each(outputs, lambda tokens: decode_seconds(service, traffic, tokens)),
        held=held,
        outputs=outputs,
    )


def prefill_seconds(service: Service, prompt_tokens: int) -> float:
    """Return how long one prefill worker computes a prompt."""
    return prompt_tokens * service.prefill_tokens / service.prompt_tokens / service.prefill_rate


def transfer_seconds(service: Service, prompt_tokens: int) -> float:
    """Return how long a hand-off takes that has the link for itself."""
    logical = payload_bytes(service.model, prompt_tokens, service.element_bytes)
    return logical * service.link_bytes / service.payload_bytes / service.network_rate


def decode_seconds(service: Service, traffic: Traffic, output_tokens: int) -> float:
    """Return how long one slot of a full batch decodes."""
    return output_tokens * traffic.batch / service.decode_rate


def memory_bytes(service: Service) -> int:
    """Return the memory of the decode pool: whole requests of mean length."""
    return service.decode_workers * service.slots * service.reserved_bytes


def held_bytes(service: Service, tokens: Sequence[int]) -> list[int]:
    """Return the memory that each request holds for its prompt and output, at most all there is."""
    groups, most = groups_of(service.model, "Service"), memory_bytes(service)
    width, whole, logical = service.element_bytes, service.reserved_bytes, service.request_bytes

    def held(n: int) -> int:
        return min(most, sum([group_bytes(g, n, width) for g in groups]) * whole // logical)

    return _each(tokens, held)


@lru_cache(maxsize=32)
def whole_lengths(mean: int, spread: float) -> tuple[int, ...]:
    """Return equally likely counts of tokens, 1 or more, with exactly this mean.

    >>> found = whole_lengths(8_192, 2.72)
    >>> sum(found) / 64, round(sum(n * n for n in found) / 64 / 8_192**2, 4)
    (8192.0, 2.72)
    """
    if spread == 1 or mean == 1:
        return (mean,)
    above = mean - 1  # a first token, and a law for the others that makes the spread up
    others = min(1 + (spread - 1) * (mean / above) ** 2, 2 * MOST_SPREAD)
    lengths, exact, taken = [], 0.0, 0
    for value in strata(LENGTHS, above, others):
        exact += value
        lengths.append(1 + floor(exact + 0.5) - taken)  # what is rounded off is not lost
        taken = floor(exact + 0.5)
    return tuple(lengths)


def _drawn(lengths: tuple[int, ...], count: int, draw: Callable[[], float]) -> list[int]:
    """Return `count` of the lengths in random order, each as often as any other if that goes."""
    if len(lengths) == 1:
        return [lengths[0]] * count
    found = [*lengths] * (count // len(lengths))
    found += [lengths[int(draw() * len(lengths))] for _ in range(count - len(found))]
    places = [draw() for _ in found]
    return [found[i] for i in sorted(range(count), key=places.__getitem__)]


def _each(tokens: Sequence[int], work: Callable[[int], float]) -> list:
    """Return `work` of each, computed once for each different length."""
    found = {n: work(n) for n in set(tokens)}
    return [found[n] for n in tokens]
