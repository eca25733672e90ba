"""Admission: memory is reserved before the hand-off and given back at completion.

A request that finds no room waits before the link, in FIFO order: a small one does not overtake a
large one. Reserved memory is held while the hand-off waits, moves, waits for decode and decodes.
That is why this stage cannot be computed before the next: how long memory is held depends on them.
A link that serves one transfer at a time stands here; `sharing` has the other.
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from kvlib.queueing.stages import take

__all__ = ["admit"]

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
        first = take(slots, servers, end, work)
        heappush(holding, (first + work, need))
        reserved.append(now)
        starts.append(start)
        ends.append(end)
        decoding.append(first)
    return reserved, starts, ends, decoding
