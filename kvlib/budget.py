"""Budget: how many requests per second each stage of a service can sustain. Chapter 7.

    prefill = n_P · r_P / N_in      decode = n_D · r_D / N_out      network = B / payload(N_in)
    memory  = n_D · slots / T       slots: whole requests at full length in one decode worker

The smallest bound names the first stage to give way. r_P and r_D are token rates of one worker, all
its requests together, and B is shared by all hand-offs. Memory is Little's law and counts only if
it is given: a request holds its memory for T seconds, from the reservation before its hand-off
to its last token, and reserves prompt and output from the start, as engines admit it. Where
memory grows with the output, prompt + output / 2 is nearer to the mean and the bound is higher.

Counted: fixed lengths, steady rates, the logical payload once per request. Not counted: bursts,
batching, variable service times, replicas on the wire, cache hits, weights. A bound rules out;
it promises no latency.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from kvlib import _check
from kvlib.payload import Geometry, Model, groups_of, payload_bytes
from kvlib.units import GB_s

__all__ = ["STAGES", "Capacity", "Growth", "Service", "Split", "Stages", "backlog"]
__all__ += ["backlog_growth", "best_split", "capacity", "ideal_ratio", "splits", "utilisation"]

STAGES = ("prefill", "network", "decode", "memory")  # in the order of a request's way
MOST_WORKERS, MOST_TOKENS = 10_000, 1_000_000_000
LEAST_RATE, MOST_RATE = 1e-6, 1e18
TIE = 1e-12  # relative: bounds this close are equal, their difference is rounding


@dataclass(frozen=True, kw_only=True)
class Service:
    """Workers, rates and lengths; the defaults are the running example of the book.

    Numbers may be arrays that broadcast, for a sweep in one call. Raises TypeError or ValueError
    for a count that is not whole, a rate that is not positive and finite, and a split that leaves
    no worker on a side.
    """

    workers: int = 8
    prefill_workers: int = 3  # the others decode
    prompt_tokens: int = 8_192
    output_tokens: int = 512
    prefill_rate: float = 8_000.0  # tokens/s of one prefill worker
    decode_rate: float = 800.0  # tokens/s of one decode worker, all its requests together
    network_rate: float = 25.0 * GB_s  # B/s, shared by all hand-offs
    model: Model | Geometry = Geometry(layers=32, kv_heads=8, head_dim=128)
    element_bytes: int = 2
    decode_memory: int | None = None  # bytes for caches on one decode worker
    decode_seconds: float | None = None  # how long a request holds its memory

    def __post_init__(self) -> None:
        groups_of(self.model, "Service")
        self._count("workers", 2, MOST_WORKERS)
        self._count("prefill_workers", 1, MOST_WORKERS)
        self._count("prompt_tokens", 1, MOST_TOKENS)
        self._count("output_tokens", 1, MOST_TOKENS)
        self._count("element_bytes", 1, 16)
        self._rate("prefill_rate", "tokens/s")
        self._rate("decode_rate", "tokens/s")
        self._rate("network_rate", "B/s", "for a 200 Gb/s link write 200 * Gbit_s")
        if self.decode_memory is not None or self.decode_seconds is not None:
            for name in ("decode_memory", "decode_seconds"):
                if getattr(self, name) is None:
                    rule = "given, as both bound the requests held"
                    raise ValueError(_check.wrong("Service", name, rule, None))
            self._count("decode_memory", 1, _check.LARGEST, "in bytes, as in 60 * GB")
            self._rate("decode_seconds", "seconds")
        names = [name for name in self.__dataclass_fields__ if name != "model"]
        _check.together("Service", {name: getattr(self, name) for name in names})
        self._leaves_decode_workers()
        if self.decode_memory is not None:
            self._holds_a_request()

    def _count(self, name: str, least: int, most: int, hint: str = "") -> None:
        hint = hint if isinstance(getattr(self, name), str | float) else ""
        value = _check.whole("Service", name, getattr(self, name), least, most, hint)
        object.__setattr__(self, name, value)

    def _rate(self, name: str, unit: str, hint: str = "") -> None:
        hint = hint if isinstance(getattr(self, name), str) else ""
        value = _positive("Service", name, getattr(self, name), unit, hint)
        object.__setattr__(self, name, value)

    def _leaves_decode_workers(self) -> None:
        left = self.decode_workers
        if _lowest(left) >= 1:
            return
        if _check.is_array(left):
            rule = "leave at least one worker for decode everywhere"
            raise ValueError(f"Service: prefill_workers must {rule}, got {left.min()} left")
        rule = f"leave at least one of workers={self.workers} for decode"
        message = f"Service: prefill_workers must {rule}, got {self.prefill_workers}"
        raise ValueError(f"{message}; give {self.workers - 1} or fewer")

    def _holds_a_request(self) -> None:
        if _lowest(self.slots) >= 1:
            return
        memory, least = _lowest(self.decode_memory), _highest(self.request_bytes)
        rule = f"at least one request's prompt and output, {least:,} B"
        raise ValueError(_check.wrong("Service", "decode_memory", rule, memory))

    @property
    def decode_workers(self) -> int:
        """The workers that do not prefill."""
        return self.workers - self.prefill_workers

    @property
    def payload_bytes(self) -> int:
        """The bytes that one hand-off moves: the cache of the prompt, once."""
        return payload_bytes(self.model, self.prompt_tokens, self.element_bytes)

    @property
    def request_bytes(self) -> int:
        """The bytes that a request has cached at its last token: prompt and output."""
        tokens = self.prompt_tokens + self.output_tokens
        return payload_bytes(self.model, tokens, self.element_bytes)

    @property
    def slots(self) -> int | None:
        """How many requests one decode worker holds at full length; None without a memory."""
        return None if self.decode_memory is None else self.decode_memory // self.request_bytes


@dataclass(frozen=True, kw_only=True)
class Stages:
    """One number (or array) a stage; `memory` is None where it is not considered."""

    prefill: float
    network: float
    decode: float
    memory: float | None = None

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
        return reduce(_least, [value for _, value in self.given()])

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of all stages at the limit, in order: mostly one."""
        if _check.is_array(self.limit):
            raise TypeError("Capacity: tied must be asked of one service, got arrays")
        return tuple(name for name, value in self.given() if value <= self.limit * (1 + TIE))

    @property
    def first(self) -> str:
        """The name of the stage that gives way first; of equal ones the first in order."""
        if _check.is_array(self.limit):
            hint = "first_index is an array into STAGES"
            raise TypeError(f"Capacity: first must be asked of one service, got arrays; {hint}")
        return self.tied[0]

    @property
    def first_index(self) -> int:
        """The place in STAGES of the stage that gives way first, elementwise for arrays."""
        given, near = self.given(), self.limit * (1 + TIE)
        index = len(given) - 1
        for i in reversed(range(len(given))):
            index = index + (given[i][1] <= near) * (i - index)
        return index


@dataclass(frozen=True, kw_only=True)
class Growth(Stages):
    """How fast a queue grows before each stage, in requests/s."""

    @property
    def total(self) -> float:
        """The growth of all queues together, in requests/s."""
        return sum(value for _, value in self.given())


@dataclass(frozen=True, kw_only=True)
class Split:
    """One way to divide the workers, and what it can sustain."""

    prefill_workers: int
    decode_workers: int
    capacity: Capacity


def capacity(service: Service) -> Capacity:
    """Return the bound of each stage in requests/s, and with it the first to give way.

    Raises TypeError for anything else than a Service.

    >>> found = capacity(Service())
    >>> [round(x, 2) for x in (found.prefill, found.decode, found.network)], found.first
    ([2.93, 7.81, 23.28], 'prefill')
    """
    s = _check.kind("capacity", "service", service, Service, "a Service")
    memory = None if s.slots is None else s.decode_workers * s.slots / s.decode_seconds
    return Capacity(
        prefill=s.prefill_workers * s.prefill_rate / s.prompt_tokens,
        network=s.network_rate / s.payload_bytes,
        decode=s.decode_workers * s.decode_rate / s.output_tokens,
        memory=memory,
    )


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
    bounds, rate = _under_load("backlog_growth", service, arrival_rate)
    found = {}
    for name, bound in bounds.given():
        found[name] = (rate > bound) * (rate - bound)
        rate = _least(rate, bound)
    return Growth(**found)


def backlog(service: Service, arrival_rate: float, seconds: float) -> float:
    """Return the requests that wait `seconds` after an empty service met `arrival_rate`.

    Raises TypeError or ValueError for a rate or a time that is negative or not finite.

    >>> backlog(Service(), 4.0, 60.0)
    64.21875
    """
    _check.number("backlog", "seconds", seconds, unit="seconds", minimum=0, maximum=MOST_RATE)
    total = backlog_growth(service, arrival_rate).total
    _check.together("backlog", {"arrival_rate": total, "seconds": seconds})
    return total * seconds


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
            raise TypeError(_check.wrong("splits", name, "one number", value, hint))
    found = []
    for n in range(1, service.workers):
        bounds = capacity(replace(service, prefill_workers=n))
        rest = service.workers - n
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
    return (s.prompt_tokens / s.prefill_rate) / (s.output_tokens / s.decode_rate)


def _under_load(call: str, service: Service, arrival_rate: float) -> tuple[Capacity, float]:
    """Return the bounds of a service and the arrival rate, checked."""
    _check.kind(call, "service", service, Service, "a Service")
    unit = "requests/s"
    _check.number(call, "arrival_rate", arrival_rate, unit=unit, minimum=0, maximum=MOST_RATE)
    bounds = capacity(service)
    _check.together(call, {"service": bounds.limit, "arrival_rate": arrival_rate})
    return bounds, arrival_rate


def _positive(call: str, name: str, value: Any, unit: str, hint: str) -> Any:
    """Return `value` as a positive float, or as the array that it is."""
    _check.number(call, name, value, unit=unit, above=0, hint=hint)
    _check.number(call, name, value, minimum=LEAST_RATE, maximum=MOST_RATE)
    return value if _check.is_array(value) else float(value)


def _least(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers or arrays, exactly and elementwise."""
    return a * (a <= b) + b * (b < a)


def _lowest(value: Any) -> Any:
    return value.min() if _check.is_array(value) else value


def _highest(value: Any) -> Any:
    return value.max() if _check.is_array(value) else value
