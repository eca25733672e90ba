"""Sharing: what several flows get at once on links that they share, max-min fair.

All flows grow together until a link is full; the flows across it stop there and the others grow
on. In the end no flow can get more without a smaller or equal one getting less. Switches and
congestion control approach this split, they do not promise it.

Not counted: start-up, the time until rates settle, links with priorities or weights.
Source: Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kvlib import _check
from kvlib.bandwidth.checks import rate_of
from kvlib.bandwidth.paths import Link

__all__ = ["Flow", "fair_rates"]

MOST_FLOWS, MOST_HOPS = 2_000, 64  # what a laptop shares out within a second


@dataclass(frozen=True, kw_only=True)
class Flow:
    """One transfer: the names of the links it crosses, and the most it can use in B/s.

    Raises TypeError or ValueError for links that are no tuple of distinct names.
    """

    links: tuple[str, ...]
    demand: float | None = None  # no limit of its own

    def __post_init__(self) -> None:
        _check.kind("Flow", "links", self.links, tuple, "a tuple of link names")
        for name in self.links:
            _check.kind("Flow", "links", name, str, "a tuple of link names")
        if not self.links:
            raise ValueError("Flow: links must hold at least one link, got none")
        _check.whole("Flow", "number of links", len(self.links), maximum=MOST_HOPS)
        if len(set(self.links)) < len(self.links):
            hint = "the two directions of a link are two links"
            raise ValueError(_check.wrong("Flow", "links", "distinct", self.links, hint))
        if _check.is_array(self.demand):
            raise TypeError(_check.wrong_type("Flow", "demand", "one number of B/s", self.demand))
        if self.demand is not None:
            object.__setattr__(self, "demand", rate_of("Flow", "demand", self.demand))


def fair_rates(flows: Sequence[Flow], links: Iterable[Link]) -> tuple[float, ...]:
    """Return the max-min fair rate of each flow in B/s, in the order of `flows`.

    A link offers its payload rate. Its `users` must be 1, since every user is a flow here; a
    rate that others take is a flow with that demand. Rates are exact fractions until they are
    returned. Raises TypeError or ValueError for anything else than flows over known links.

    >>> from kvlib.units import GB_s
    >>> links = [Link(name="NIC", rate=25 * GB_s), Link(name="fabric", rate=40 * GB_s)]
    >>> flows = [Flow(links=("NIC", "fabric")), Flow(links=("NIC",)), Flow(links=("fabric",))]
    >>> [rate / GB_s for rate in fair_rates(flows, links)]
    [12.5, 12.5, 27.5]
    """
    free = _capacities(links)
    flows = _flows(flows, free)
    crossing: dict[str, set[int]] = {name: set() for name in free}
    for i, flow in enumerate(flows):
        for name in flow.links:
            crossing[name].add(i)
    limited = [(Fraction(f.demand), i) for i, f in enumerate(flows) if f.demand is not None]
    demands = sorted(limited, reverse=True)
    # A link's share only grows as flows stop, so an old share in the heap is never too high.
    shares = [(free[name] / len(who), name) for name, who in crossing.items() if who]
    heapq.heapify(shares)
    rates: dict[int, Fraction] = {}
    while len(rates) < len(flows):
        if demands and (not shares or demands[-1][0] <= shares[0][0]):
            level, i = demands.pop()
            stopping = [i] if i not in rates else []
        else:
            level, name = heapq.heappop(shares)
            who = crossing[name]
            if who and free[name] / len(who) > level:  # others stopped since
                heapq.heappush(shares, (free[name] / len(who), name))
                continue
            stopping = list(who)
        for i in stopping:
            rates[i] = level
            for name in flows[i].links:
                crossing[name].discard(i)
                free[name] -= level
    return tuple(float(rates[i]) for i in range(len(flows)))


def _capacities(links: Iterable[Link]) -> dict[str, Fraction]:
    """Return what each link offers, by name."""
    free: dict[str, Fraction] = {}
    if isinstance(links, Link) or not isinstance(links, Iterable):
        raise TypeError(_check.wrong_type("fair_rates", "links", "a list of Links", links))
    for link in links:
        _check.kind("fair_rates", "links", link, Link, "a list of Links")
        if link.name in free:
            raise ValueError(_check.wrong("fair_rates", "links", "distinct by name", link.name))
        if link.users != 1:
            name, hint = f"users of {link.name!r}", "every user is a flow here"
            raise ValueError(_check.wrong("fair_rates", name, "1", link.users, hint))
        free[link.name] = Fraction(link.payload_rate)
    return free


def _flows(flows: Sequence[Flow], known: Iterable[str]) -> list[Flow]:
    """Return the flows as a list, each over `known` links."""
    if isinstance(flows, Flow) or not isinstance(flows, Iterable):
        raise TypeError(_check.wrong_type("fair_rates", "flows", "a list of Flows", flows))
    flows = list(flows)
    _check.whole("fair_rates", "number of flows", len(flows), maximum=MOST_FLOWS)
    for flow in flows:
        _check.kind("fair_rates", "flows", flow, Flow, "a list of Flows")
        for name in flow.links:
            _check.one_of("fair_rates", "link", name, known)
    return flows
