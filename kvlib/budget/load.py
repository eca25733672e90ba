"""Load: what an arrival rate does to the stages.

Above the limit a queue grows for as long as the rate lasts, if nothing is rejected. Below it
nothing grows in the mean, and a burst can still make a request wait.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.checks import rate_of, seconds_of
from kvlib.budget.bounds import Capacity, Stages, capacity, least
from kvlib.budget.service import Service

__all__ = ["Growth", "backlog", "backlog_growth", "utilisation"]


@dataclass(frozen=True, kw_only=True)
class Growth(Stages):
    """How fast a queue grows before each stage, in requests/s.

    The queue before memory holds requests that are prefilled and not handed off yet.
    """

    @property
    def total(self) -> float:
        """The growth of all queues together, in requests/s."""
        return sum(value for _, value in self.given())


def utilisation(service: Service, arrival_rate: float) -> Stages:
    """Return the load offered to each stage as a fraction of its bound: above 1 it cannot hold.

    Offered is what arrives at the service; a stage behind an overloaded one sees less. Raises
    TypeError or ValueError for a rate that is negative or not finite.

    >>> round(utilisation(Service(), 2.0).prefill, 3)
    0.683
    """
    bounds, rate = _under_load("utilisation", service, arrival_rate)
    return Stages(**{name: rate / bound for name, bound in bounds.given()})


def backlog_growth(service: Service, arrival_rate: float) -> Growth:
    """Return how fast a queue grows before each stage in requests/s, 0 where the stage holds.

    Stages stand in series, so each is offered what the ones before it let through. In total
    max(0, arrival rate - limit). Raises TypeError or ValueError for a negative rate.

    >>> growth = backlog_growth(Service(), 4.0)
    >>> growth.prefill, growth.decode, growth.total
    (1.0703125, 0.0, 1.0703125)
    """
    return _growth(*_under_load("backlog_growth", service, arrival_rate))


def backlog(service: Service, arrival_rate: float, seconds: float) -> float:
    """Return the requests that wait `seconds` after an empty service met `arrival_rate`.

    Raises TypeError or ValueError for a rate or a time that is negative or not finite.

    >>> backlog(Service(), 4.0, 60.0)
    64.21875
    """
    seconds = seconds_of("backlog", "seconds", seconds, least=0)
    bounds, rate = _under_load("backlog", service, arrival_rate)
    total = _growth(bounds, rate).total
    _check.together("backlog", {"service and arrival_rate": total, "seconds": seconds})
    return total * seconds


def _growth(bounds: Capacity, rate: float) -> Growth:
    """Return how fast each queue grows when `rate` meets stages in series."""
    found = {}
    for name, bound in bounds.given():
        through = least(rate, bound)
        found[name] = rate - through
        rate = through
    return Growth(**found)


def _under_load(call: str, service: Service, arrival_rate: float) -> tuple[Capacity, float]:
    """Return the bounds of a service and the arrival rate, checked."""
    _check.kind(call, "service", service, Service, "a Service")
    rate = rate_of(call, "arrival_rate", arrival_rate, "requests/s", least=0)
    bounds = capacity(service)
    _check.together(call, {"service": bounds.limit, "arrival_rate": rate})
    return bounds, rate
