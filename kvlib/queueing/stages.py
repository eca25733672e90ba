"""Stages: one pool of FIFO servers. A link that serves one transfer at a time is a pool of one.

Requests are in the order in which they reach the stage, and times never go back. Each gets, in that
order, the server that is free first. Nothing is checked here; fractions stay exact.
"""

from collections.abc import Sequence
from heapq import heapify, heappush, heapreplace
from operator import ge

__all__ = ["pool", "take"]


def pool(arrivals: Sequence[float], seconds: Sequence[float], servers: int) -> list[float]:
    """Return when each request starts in a pool of FIFO servers.

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
    longest = max(seconds)
    if all(map(ge, arrivals[servers:], [arrival + longest for arrival in arrivals])):
        return list(arrivals)  # whoever came `servers` places earlier has gone: nobody waits
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


def take(ends: list[float], servers: int, arrival: float, seconds: float) -> float:
    """Return when a pool takes the next request, and note in the heap `ends` that it is busy.

    The same as `pool`, where requests are known one by one.
    """
    if len(ends) < servers:
        heappush(ends, arrival + seconds)
        return arrival
    start = ends[0]
    if arrival > start:
        start = arrival
    heapreplace(ends, start + seconds)
    return start
