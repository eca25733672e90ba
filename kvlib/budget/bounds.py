"""Bounds: what each stage can sustain, and which is the first to give way.

Memory is Little's law: requests held = arrival rate · seconds each is held, and no more than
`slots` fit into one decode worker. It is reserved before the hand-off, so a request that finds
none waits between prefill and the network.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

from kvlib import _check
from kvlib.budget.service import Service

__all__ = ["STAGES", "Capacity", "Stages", "capacity"]

STAGES = ("prefill", "memory", "network", "decode")  # in the order of a request's way
TIE = 1e-12  # relative: bounds this close are equal, their difference is rounding


@dataclass(frozen=True, kw_only=True)
class Stages:
    """One number (or array) a stage; `memory` is None where it is not considered.

    Records of numbers can be compared and hashed, records that hold arrays cannot.
    """

    prefill: float
    memory: float | None = None
    network: float
    decode: float

    def given(self) -> list[tuple[str, Any]]:
        """Return the name and number of each stage that is considered, in order."""
        pairs = [(name, getattr(self, name)) for name in STAGES]
        return [(name, value) for name, value in pairs if value is not None]


@dataclass(frozen=True, kw_only=True)
class Capacity(Stages):
    """What each stage can sustain, in requests/s."""

    @property
    def limit(self) -> float:
        """The smallest of the bounds, in requests/s: above it a queue grows without end."""
        return reduce(least, [value for _, value in self.given()])

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of all stages at the limit, in order: mostly one."""
        limit = self.limit
        if _check.is_array(limit):
            hint = "first_index is an array into STAGES"
            raise TypeError(f"Capacity: bounds must be numbers to name one, got arrays; {hint}")
        return tuple(name for name, value in self.given() if value <= limit * (1 + TIE))

    @property
    def first(self) -> str:
        """The name of the stage that gives way first; of equal ones the first in order."""
        return self.tied[0]

    @property
    def first_index(self) -> int:
        """The place in STAGES of the stage that gives way first, elementwise for arrays."""
        near = self.limit * (1 + TIE)
        index = 0
        for name, value in reversed(self.given()):
            index = index + (value <= near) * (STAGES.index(name) - index)
        return index


def capacity(service: Service) -> Capacity:
    """Return the bound of each stage in requests/s, and with it the first to give way.

    Raises TypeError for anything else than a Service.

    >>> found = capacity(Service())
    >>> [round(x, 2) for x in (found.prefill, found.decode, found.network)], found.first
    ([2.93, 7.81, 23.28], 'prefill')
    """
    s = _check.kind("capacity", "service", service, Service, "a Service")
    return capacity_of(s, s.prefill_workers, s.decode_workers)


def capacity_of(s: Service, prefill_workers: int, decode_workers: int) -> Capacity:
    """Return the bounds of a service with its workers divided so; nothing is checked."""
    memory = None
    if s.slots is not None:
        memory = decode_workers * (s.slots / s.decode_seconds)
    return Capacity(
        prefill=prefill_workers * s.prefill_rate / s.prefill_tokens,
        network=s.network_rate / s.link_bytes,
        decode=decode_workers * s.decode_rate / s.output_tokens,
        memory=memory,
    )


def least(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers or arrays, exactly and elementwise."""
    return a * (a <= b) + b * (b < a)
