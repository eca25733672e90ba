"""Splits: how many of the workers should prefill, and how many decode."""

from dataclasses import dataclass

from kvlib import _check
from kvlib.budget.bounds import TIE, Capacity, capacity_of
from kvlib.budget.service import Service

__all__ = ["Split", "best_split", "ideal_ratio", "splits"]


@dataclass(frozen=True, kw_only=True)
class Split:
    """One way to divide the workers, and what it can sustain."""

    prefill_workers: int
    decode_workers: int
    capacity: Capacity


def splits(service: Service) -> list[Split]:
    """Return every division of the workers, from one prefill worker to all but one.

    Raises TypeError if the service holds an array: a split is sought for one service.

    >>> [s.capacity.first for s in splits(Service())]
    ['prefill', 'prefill', 'prefill', 'prefill', 'decode', 'decode', 'decode']
    """
    _check.kind("splits", "service", service, Service, "a Service")
    for name in service.__dataclass_fields__:
        value = getattr(service, name)
        if _check.is_array(value):
            hint = "ask for each point by itself"
            raise TypeError(_check.wrong_type("splits", name, "one number", value, hint))
    found = []
    for n in range(1, service.workers):
        rest = service.workers - n
        bounds = capacity_of(service, n, rest)
        found.append(Split(prefill_workers=n, decode_workers=rest, capacity=bounds))
    return found


def best_split(service: Service) -> Split:
    """Return the division of the workers with the largest limit.

    Of equal ones the one with the fewest prefill workers, which leaves most memory for decode.
    Raises TypeError if the service holds an array.

    >>> best = best_split(Service())
    >>> best.prefill_workers, best.decode_workers, round(best.capacity.limit, 2)
    (5, 3, 4.69)
    """
    found = splits(service)
    enough = max(split.capacity.limit for split in found) * (1 - TIE)
    return next(split for split in found if split.capacity.limit >= enough)


def ideal_ratio(service: Service) -> float:
    """Return prefill workers per decode worker at which both pools give way together.

    It is the ratio of the worker-seconds that one request needs of each. Arrays broadcast.
    Raises TypeError for anything else than a Service.

    >>> ideal_ratio(Service())  # 1.024 s of prefill against 0.64 s of decode
    1.6
    """
    s = _check.kind("ideal_ratio", "service", service, Service, "a Service")
    return (s.prefill_tokens / s.prefill_rate) / (s.output_tokens / s.decode_rate)
