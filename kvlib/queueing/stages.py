"""Stages: one pool of FIFO servers, and a link that serves one at a time or shares itself out.

Requests are in the order in which they reach the stage, and times never go back. A pool gives each
request, in that order, the server that is free first. A shared link (processor sharing) gives each
of the n transfers in flight 1/n of its rate.

The shared link counts work in a time of its own that runs 1/n as fast as the clock. In that time a
transfer ends as much later as it would take alone, whoever joins or leaves, so its end is known
when it starts and a heap keeps the order: log n a transfer, exact, without a step of time.
Source: Parekh and Gallager, IEEE/ACM Trans. Networking 1 (1993), virtual time, with equal weights.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace
from math import inf

__all__ = ["Shared", "pool", "shared"]


def pool(arrivals: Sequence[float], seconds: Sequence[float], servers: int) -> list[float]:
    """Return when each request starts in a pool of FIFO servers; nothing is checked.

    >>> pool([0, 1, 2], [10, 1, 1], servers=2)
    [0, 1, 2]
    """
    if servers == 1:
        starts, free = [], arrivals[0]
        for arrival, work in zip(arrivals, seconds, strict=True):
            if arrival > free:
                free = arrival
            starts.append(free)
            free += work
        return starts
    starts = list(arrivals[:servers])  # each has a server that nobody used yet
    ends = [start + work for start, work in zip(starts, seconds, strict=False)]
    heapify(ends)
    for arrival, work in zip(arrivals[servers:], seconds[servers:], strict=True):
        start = ends[0]
        if arrival > start:
            start = arrival
        starts.append(start)
        heapreplace(ends, start + work)
    return starts


def shared(arrivals: Sequence[float], seconds: Sequence[float]) -> list[float]:
    """Return when each transfer ends on a link that all in flight share; nothing is checked.

    `seconds` is what each would take alone.

    >>> shared([0, 1], [2, 2])
    [3.0, 4.0]
    """
    link, ends = Shared(), [0] * len(arrivals)
    for i, arrival in enumerate(arrivals):
        while link.next_end() <= arrival:
            end, who = link.leave()
            ends[who] = end
        link.enter(i, arrival, seconds[i])
    while link.flying:
        end, who = link.leave()
        ends[who] = end
    return ends


class Shared:
    """A link that gives each transfer in flight the same share of its rate."""

    def __init__(self) -> None:
        self.flying: list[tuple[float, int]] = []  # a heap of ends in the link's own time
        self._now = self._own = 0

    def enter(self, who: int, now: float, seconds: float) -> None:
        """Start a transfer now; all that end before must be gone already."""
        if self.flying:
            self._own += (now - self._now) / len(self.flying)
        else:
            self._own = 0  # small numbers keep their digits
        self._now = now
        heappush(self.flying, (self._own + seconds, who))

    def next_end(self) -> float:
        """Return when the next transfer ends if none joins; infinite if there is none."""
        if not self.flying:
            return inf
        left = self.flying[0][0] - self._own
        return self._now + left * len(self.flying) if left > 0 else self._now

    def leave(self) -> tuple[float, int]:
        """Return the end and the number of the next transfer, which then is gone."""
        self._now = self.next_end()
        self._own, who = heappop(self.flying)
        return self._now, who
