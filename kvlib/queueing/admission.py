"""Admission: memory is reserved before the hand-off and given back at completion.

A request that finds no room waits before the link, in FIFO order: a small one does not overtake a
large one. Reserved memory is held while the hand-off waits, moves, waits for decode and decodes.
That is why this stage cannot be computed before the next: how long memory is held depends on them.
"""

from collections.abc import Sequence
from heapq import heappop, heappush, heapreplace
from math import inf

from kvlib.queueing.stages import Shared

__all__ = ["admit", "admit_shared"]

Times = list[float]


def admit(
    ready: Sequence[float],
    transfer: Sequence[float],
    decode: Sequence[float],
    held: Sequence[int],
    memory: int,
    servers: int,
) -> tuple[Times, Times, Times, Times]:
    """Return when each request has its memory, starts and ends its transfer, starts to decode.

    The link serves one transfer at a time. Requests are in the order in which they are ready; each
    holds `held` of `memory`, none more than all of it. Nothing is checked.

    >>> admit([0, 1], [1, 1], [5, 5], [1, 1], memory=1, servers=2)
    ([0, 6], [0, 6], [1, 7], [1, 7])
    """
    reserved, starts, ends, decoding = [], [], [], []
    slots: Times = []  # when each decode server is free; those never used are not in it
    holding: list[tuple[float, int]] = []  # completion, memory
    free, now, link_free = memory, ready[0], ready[0]
    for time, seconds, work, need in zip(ready, transfer, decode, held, strict=True):
        if time > now:
            now = time
        while free < need:
            done, given = heappop(holding)
            free += given
            if done > now:
                now = done
        free -= need
        start = now if now > link_free else link_free
        end = link_free = start + seconds
        first = _next(slots, servers, end, work)
        heappush(holding, (first + work, need))
        reserved.append(now)
        starts.append(start)
        ends.append(end)
        decoding.append(first)
    return reserved, starts, ends, decoding


def admit_shared(
    ready: Sequence[float],
    transfer: Sequence[float],
    decode: Sequence[float],
    held: Sequence[int],
    memory: int,
    servers: int,
) -> tuple[Times, Times, Times, Times]:
    """Return what `admit` does, with a link that all transfers in flight share.

    When one ends depends on those that join, so ends and completions are taken as they happen.

    >>> admit_shared([0, 0, 0], [2, 2, 2], [5, 5, 5], [1, 1, 1], memory=2, servers=9)
    ([0, 0, 9.0], [0, 0, 9.0], [4.0, 4.0, 11.0], [4.0, 4.0, 11.0])
    """
    reserved = []
    ends, decoding = [0] * len(ready), [0] * len(ready)
    slots: Times = []
    holding: list[tuple[float, int]] = []
    free, now, link = memory, ready[0], Shared()

    def arrive() -> float:
        end, who = link.leave()
        ends[who] = end
        decoding[who] = first = _next(slots, servers, end, decode[who])
        heappush(holding, (first + decode[who], held[who]))
        return link.next_end()

    for i, time in enumerate(ready):
        now, gone = max(now, time), link.next_end()
        while gone <= now:
            gone = arrive()
        while free < held[i]:
            done = holding[0][0] if holding else inf
            now = max(now, min(done, gone))
            if gone < done:
                gone = arrive()
            else:
                free += heappop(holding)[1]
        free -= held[i]
        reserved.append(now)
        link.enter(i, now, transfer[i])
    while link.flying:
        arrive()
    return reserved, reserved.copy(), ends, decoding


def _next(slots: Times, servers: int, arrival: float, seconds: float) -> float:
    """Return when a server of a pool takes the next request; then it is busy."""
    if len(slots) < servers:
        heappush(slots, arrival + seconds)
        return arrival
    start = max(arrival, slots[0])
    heapreplace(slots, start + seconds)
    return start
