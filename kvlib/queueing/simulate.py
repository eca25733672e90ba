"""Simulate: arrival, prefill pool, memory, one shared link, decode pool.

Each stage takes requests in the order in which they reach it. Nothing is drawn here: the columns
of `Requests` say when each arrives and how long it works in each stage alone, so a run follows
from them, and equal columns give equal runs. A hand-off in pieces may begin `early`, before its
prefill ends, and may end with a `delay` that does not use the link.

Counted: waiting for a server, for memory, for the link; sharing of the link. Not counted: batches
that slow each other down, prefill in chunks, pieces that wait for each other on the link, requests
that are dropped, tried again or taken out of turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from operator import add, le, sub

from kvlib import _check
from kvlib.queueing.admission import admit
from kvlib.queueing.checks import column, whole_column
from kvlib.queueing.run import Run
from kvlib.queueing.sharing import share
from kvlib.queueing.stages import pool

__all__ = ["LINKS", "Requests", "Stations", "first_tokens", "flow", "simulate"]

LINKS = ("one at a time", "shared")
Column = Sequence[float]
MOST_SERVERS, MOST_MEMORY, MOST_OUTPUT = 10**11, 2**80, 10**11


@dataclass(frozen=True, kw_only=True)
class Stations:
    """The servers of both pools, how the link serves, and the memory before it, None for no end.

    A server of the decode pool is one slot of a running batch: it decodes one request. Raises
    TypeError or ValueError for what is no count or no way of serving.
    """

    prefill_servers: int = 1
    decode_servers: int = 1
    link: str = "one at a time"  # or "shared"
    memory: int | None = None  # in the unit in which requests hold it

    def __post_init__(self) -> None:
        for name in ("prefill_servers", "decode_servers"):
            count = _check.one_whole("Stations", name, getattr(self, name), 1, MOST_SERVERS)
            object.__setattr__(self, name, count)
        _check.one_of("Stations", "link", self.link, LINKS)
        if self.memory is not None:
            memory = _check.one_whole("Stations", "memory", self.memory, 1, MOST_MEMORY)
            object.__setattr__(self, "memory", memory)


@dataclass(frozen=True, kw_only=True)
class Requests:
    """Columns, one entry a request in the order of arrival: seconds, each alone in its stage.

    Raises TypeError or ValueError for columns that differ in length, arrivals out of order, and
    entries that are no time or no count, and hand-offs that begin before their prefill or could
    end before it does.
    """

    arrivals: Column
    prefill: Column
    transfer: Column
    decode: Column
    held: Sequence[int] | None = None  # memory of each; None: one each
    outputs: Sequence[int] | None = None  # tokens that decode makes of each
    early: Column | None = None  # before the end of prefill the hand-off may begin; None: 0
    delay: Column | None = None  # after its work on the link, until decode has it; None: 0

    def __post_init__(self) -> None:
        for name in ("arrivals", "prefill", "transfer", "decode"):
            self._store(name, column("Requests", name, getattr(self, name)))
        if self.held is not None:
            self._store("held", whole_column("Requests", "held", self.held, 0, MOST_MEMORY))
        if self.outputs is not None:
            found = whole_column("Requests", "outputs", self.outputs, 1, MOST_OUTPUT)
            self._store("outputs", found)
        for name in ("early", "delay"):
            if getattr(self, name) is not None:
                self._store(name, column("Requests", name, getattr(self, name)))
        for name in ("prefill", "transfer") if self.early is not None else ():
            most = getattr(self, name)
            if not all(map(le, self.early, most)):
                i = list(map(le, self.early, most)).index(False)
                rule = f"at most {name}[{i}], {most[i]:g}"
                raise ValueError(_check.wrong("Requests", f"early[{i}]", rule, self.early[i]))
        if list(self.arrivals) != sorted(self.arrivals):
            rule = "be in order, got one before its neighbour; sort the requests"
            raise ValueError(f"Requests: arrivals must {rule}")

    def _store(self, name: str, values: list) -> None:
        if name != "arrivals" and len(values) != len(self.arrivals):
            rule = f"as long as arrivals, {len(self.arrivals):,}"
            raise ValueError(_check.wrong("Requests", f"number of {name}", rule, len(values)))
        object.__setattr__(self, name, tuple(values))


def simulate(requests: Requests, stations: Stations) -> Run:
    """Return what becomes of each request.

    Raises TypeError for other kinds, ValueError for a request that holds more than all memory.

    >>> two = Requests(arrivals=[0, 0], prefill=[1, 1], transfer=[2, 2], decode=[5, 5])
    >>> for link in LINKS:
    ...     run = simulate(two, Stations(prefill_servers=2, decode_servers=2, link=link))
    ...     print(link, run.network_ends, run.ttft)
    one at a time (3.0, 5.0) (3.0, 5.0)
    shared (5.0, 5.0) (5.0, 5.0)
    """
    _check.kind("simulate", "requests", requests, Requests, "Requests")
    _check.kind("simulate", "stations", stations, Stations, "Stations")
    held = requests.held
    if stations.memory is not None and held is not None and max(held) > stations.memory:
        rule = f"at most the memory of {stations.memory:,}"
        raise ValueError(_check.wrong("simulate", "held", rule, max(held)))
    work = requests.prefill, requests.transfer, requests.decode
    late = requests.early, requests.delay
    columns = flow(requests.arrivals, *work, held, stations, *late)
    ends, sent = tuple(columns[1]), tuple(columns[4])
    return Run(
        arrivals=requests.arrivals,
        prefill_starts=tuple(columns[0]),
        prefill_ends=ends,
        ready=ends if late[0] is None else tuple(map(sub, ends, late[0])),
        reserved=tuple(columns[2]),
        network_starts=tuple(columns[3]),
        network_ends=sent,
        delivered=sent if late[1] is None else tuple(map(add, sent, late[1])),
        decode_starts=tuple(columns[5]),
        completions=tuple(map(add, columns[5], requests.decode)),
        outputs=requests.outputs,
    )


def flow(
    arrivals: Column,
    prefill: Column,
    transfer: Column,
    decode: Column,
    held: Sequence[int] | None,
    stations: Stations,
    early: Column | None = None,
    delay: Column | None = None,
) -> tuple[Column, ...]:
    """Return start and end of prefill, reservation, start and end of transfer, start of decode.

    Nothing is checked. Fractions stay exact.
    """
    work = prefill, transfer, decode
    starts, ends, order, *after = _through(arrivals, *work, held, stations, early, delay)
    return starts, ends, *(back(values, order) for values in after)


def first_tokens(
    arrivals: Column,
    prefill: Column,
    transfer: Column,
    decode: Column,
    held: Sequence[int] | None,
    stations: Stations,
    early: Column | None = None,
    delay: Column | None = None,
) -> Column:
    """Return when decode takes each request: the last column of `flow`, sooner."""
    work = prefill, transfer, decode
    _, _, order, *after = _through(arrivals, *work, held, stations, early, delay)
    return back(after[-1], order)


def _through(
    arrivals: Column,
    prefill: Column,
    transfer: Column,
    decode: Column,
    held: Sequence[int] | None,
    stations: Stations,
    early: Column | None,
    delay: Column | None,
) -> tuple[Column, ...]:
    """Return both columns of prefill, the order of requests behind it, and the others in that."""
    starts = pool(arrivals, prefill, stations.prefill_servers)
    ends = list(map(add, starts, prefill))
    reached = ends if early is None else list(map(sub, ends, early))
    order, servers = by_time(reached), stations.decode_servers
    ready = [reached[i] for i in order]
    transfer = [transfer[i] for i in order]
    decode = [decode[i] for i in order]
    later = [0] * len(order) if delay is None else [delay[i] for i in order]
    memory, needs = inf, [0] * len(order)
    if stations.memory is not None:
        memory, needs = stations.memory, [1 if held is None else held[i] for i in order]
    if stations.link == "shared":
        after = share(ready, transfer, decode, needs, later, memory, servers)
    elif memory < inf:
        after = admit(ready, transfer, decode, needs, later, memory, servers)
    else:
        sending = pool(ready, transfer, 1)
        sent = list(map(add, sending, transfer))
        if delay is None:
            decoding = pool(sent, decode, servers)
        else:  # who is sent later may be delivered earlier
            delivered = list(map(add, sent, later))
            turn = by_time(delivered)
            works = [decode[i] for i in turn]
            decoding = back(pool([delivered[i] for i in turn], works, servers), turn)
        after = ready, sending, sent, decoding
    return starts, ends, order, *after


def by_time(times: Column) -> list[int]:
    """Return the places of `times` from the earliest on; of equal ones the first first."""
    return sorted(range(len(times)), key=times.__getitem__)


def back(values: Column, order: list[int]) -> Column:
    """Return values that stand in `order` in the order of the requests."""
    found = [0] * len(values)
    for value, i in zip(values, order, strict=True):
        found[i] = value
    return found
