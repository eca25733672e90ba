"""Reports: everything that the formulas say of one set-up, in one record.

    bound       = wire / (B · share)                   no transfer is faster
    attainable  = k · o + wire / (B · share · η)       alone on the link, nothing hidden
    exposed     = ready - prefill                      what decode still waits for (chapter 6)
    first token ≥ prefill + exposed                    nothing waits for anything

A capacity is a bound too: what a stage cannot exceed. Where `efficiency` is below 1 the network's
is what transfers reach, as stated. The hold of decode memory lasts from a request's first piece
to its last token: batch · output / r_D of it is decode, when `batch` requests share a worker.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from kvlib import _check
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import (
    Capacity,
    Growth,
    Service,
    Split,
    Stages,
    backlog_growth,
    capacity,
    splits,
    utilisation,
)
from kvlib.budget.bounds import TIE
from kvlib.overlap import even_ready_seconds
from kvlib.workbench.sentences import printed_rates
from kvlib.workbench.setup import MOST_SECONDS, Setup
from kvlib.workbench.sizes import Sizes, sizes
from kvlib.workbench.text import as_text

__all__ = ["SECONDS", "Report", "report", "service_of"]

SECONDS = 600  # how long an overload lasts in `backlog_requests`


@dataclass(frozen=True, kw_only=True)
class Report:
    """Bytes, times, capacities and load of one set-up. Printed, it is `as_text`."""

    setup: Setup
    sizes: Sizes
    service: Service  # the set-up as `budget` sees it: bytes, hits and hold are in it
    computed_tokens: int
    prefill_seconds: float  # of one request, alone on its worker
    bound_seconds: float
    attainable_seconds: float
    exposed_seconds: float
    hold_seconds: float | None  # how long a request holds decode memory; None without one
    capacity: Capacity  # requests/s
    alone: tuple[tuple[str, Capacity], ...]  # after one stage, named, is doubled
    together: Capacity  # after all stages that give way first are doubled
    splits: tuple[Split, ...]
    best_splits: tuple[Split, ...]  # all with the largest limit, fewest prefill workers first
    utilisation: Stages  # load offered to each stage, as a fraction of its bound
    growth: Growth  # of the queue before each stage, requests/s

    @cached_property
    def printed(self) -> Mapping[float, str]:
        """Each of its rates as text, unequal ones with digits enough to differ."""
        return printed_rates(self)

    @property
    def first(self) -> tuple[str, ...]:
        """The stages that give way first: mostly one."""
        return self.capacity.tied

    @property
    def no_help(self) -> tuple[str, ...]:
        """The stages of which doubling one alone does not raise the limit, in order."""
        enough = self.capacity.limit * (1 + TIE)
        return tuple(name for name, doubled in self.alone if doubled.limit <= enough)

    @property
    def first_token_seconds(self) -> float:
        """The least time to the first token, if nothing waits: prefill and what is exposed."""
        return self.prefill_seconds + self.exposed_seconds

    @property
    def spare_seconds(self) -> float | None:
        """What the target leaves for waiting; negative if no load meets it, None without one."""
        target = self.setup.target_seconds
        return None if target is None else target - self.first_token_seconds

    @property
    def backlog_requests(self) -> float:
        """The requests that wait ten minutes after an empty service met the arrivals."""
        return self.growth.total * SECONDS

    def __str__(self) -> str:
        return as_text(self)


def report(setup: Setup) -> Report:
    """Return everything that the formulas say of `setup`.

    Raises TypeError for anything else than a Setup, ValueError where a number has no meaning: a
    hand-off that moves nothing, a time beyond counting, a memory that holds no request.

    >>> found = report(Setup())
    >>> found.first, round(found.capacity.limit, 2), round(found.bound_seconds * 1000, 2)
    (('prefill',), 2.93, 42.95)
    """
    s = _check.kind("report", "setup", setup, Setup, "a Setup, as Setup()")
    found = sizes(s)
    bound = transfer_seconds(found.wire_bytes, s.link_rate * s.share)
    attainable = _attainable(s, found, s.network_rate)
    if attainable > MOST_SECONDS / 2:
        rule = "so large that a hand-off takes less than 160 years"
        raise ValueError(_check.wrong("Setup", "link_rate", rule, s.link_rate))
    hold = hold_seconds(s, found, s.network_rate)
    if hold is not None and hold > MOST_SECONDS:
        rule = "so large that decode memory is held for less than 300 years"
        raise ValueError(_check.wrong("Setup", "decode_rate", rule, s.decode_rate))
    service = service_of(s, found, hold)
    bounds = capacity(service)
    every = tuple(splits(service))
    most = max(split.capacity.limit for split in every) * (1 - TIE)
    alone = tuple((name, doubled(s, found, bounds, (name,))) for name, _ in bounds.given())
    return Report(
        setup=s,
        sizes=found,
        service=service,
        computed_tokens=s.computed_tokens,
        prefill_seconds=s.computed_tokens / s.prefill_rate,
        bound_seconds=bound,
        attainable_seconds=attainable,
        exposed_seconds=_exposed(s, found, s.network_rate),
        hold_seconds=hold,
        capacity=bounds,
        alone=alone,
        together=doubled(s, found, bounds, bounds.tied),
        splits=every,
        best_splits=tuple(split for split in every if split.capacity.limit >= most),
        utilisation=utilisation(service, s.arrival_rate),
        growth=backlog_growth(service, s.arrival_rate),
    )


def doubled(s: Setup, found: Sizes, bounds: Capacity, stages: tuple[str, ...]) -> Capacity:
    """Return the bounds with twice the workers of a pool, the link, or each worker's memory.

    A decode worker brings memory with it, and a faster link shortens the time for which memory is
    held: both move the bound of memory, too.
    """
    more = {name: 2 * getattr(bounds, name) for name in stages if name != "memory"}
    if bounds.memory is not None:
        memory = s.decode_memory * (2 if "memory" in stages else 1)
        rate = s.network_rate * (2 if "network" in stages else 1)
        workers = s.decode_workers * (2 if "decode" in stages else 1)
        slots = memory // found.slot_bytes
        more["memory"] = workers * (slots / hold_seconds(s, found, rate))
    return replace(bounds, **more)


def hold_seconds(s: Setup, found: Sizes, network_rate: float) -> float | None:
    """Return how long a request holds decode memory, None where none is considered."""
    if s.batch is None:
        return None
    prefill = s.computed_tokens / s.prefill_rate
    early = prefill * (1 - 1 / s.pieces) if s.overlap else 0.0
    return early + _exposed(s, found, network_rate) + s.batch * s.output_tokens / s.decode_rate


def _attainable(s: Setup, found: Sizes, network_rate: float) -> float:
    return s.pieces * s.piece_seconds + transfer_seconds(found.wire_bytes, network_rate)


def _exposed(s: Setup, found: Sizes, network_rate: float) -> float:
    """Return the seconds from the end of prefill to the last byte's arrival."""
    if s.pieces == 1 or not s.overlap:
        return _attainable(s, found, network_rate)
    prefill = s.computed_tokens / s.prefill_rate
    even = transfer_seconds(found.wire_bytes - found.late_bytes, network_rate)
    late = transfer_seconds(found.late_bytes, network_rate)
    ready = even_ready_seconds(s.pieces, prefill, even, s.piece_seconds) + late
    return max(ready - prefill, s.piece_seconds + even / s.pieces + late)  # against rounding


def service_of(setup: Setup, found: Sizes, hold_seconds: float | None = None) -> Service:
    """Return the set-up as `budget` sees it, with the bytes and the hold that were found."""
    s = setup
    try:
        return Service(
            workers=s.workers,
            prefill_workers=s.prefill_workers,
            prompt_tokens=s.prompt_tokens,
            output_tokens=s.output_tokens,
            prefill_rate=s.prefill_rate,
            decode_rate=s.decode_rate,
            network_rate=s.network_rate,
            model=s.model,
            decode_memory=s.decode_memory,
            decode_seconds=hold_seconds,
            computed_tokens=s.computed_tokens,
            wire_bytes=found.wire_bytes,
            slot_bytes=found.slot_bytes if s.decode_memory is not None else None,
        )
    except ValueError as error:  # its names are ours, too
        raise ValueError("Setup: " + str(error).partition(": ")[2]) from None
