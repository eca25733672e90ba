"""Admission: memory is reserved before the hand-off and given back at completion.

A request that finds no room waits before the link, in FIFO order: a small one does not overtake a
large one. Reserved memory is held while the hand-off waits, moves, waits for decode and decodes.
That is why this stage cannot be computed before the next: how long memory is held depends on them.
"""

from collections.abc import Sequence
from heapq import heappop, heappush, heapreplace
from math import inf

from kvlib.queueing.stages import OneAtATime, Shared

__all__ = ["admit"]

Times = list[float]


def admit(
    ready: Sequence[float],
    transfer: Sequence[float],
    decode: Sequence[float],
    held: Sequence[int],
    memory: int,
    servers: int,
    link: OneAtATime | Shared,
) -> tuple[Times, Times, Times, Times]:
    """Return when each request has its memory, starts and ends its transfer, starts to decode.

    Requests are in the order in which they are ready; each holds `held` of `memory`, none more
    than all of it. Nothing is checked.

    >>> admit([0, 1], [1, 1], [5, 5], [1, 1], 1, 2, OneAtATime())
    ([0.0, 6.0], [0.0, 6.0], [1.0, 7.0], [1.0, 7.0])
    """
    reserved, starts, ends, decoding = ([0.0] * len(ready) for _ in range(4))
    slots: list[float] = []  # when each decode server is free; those never used are not in it
    holding: list[tuple[float, int]] = []  # completion, memory
    free, now = memory, 0.0

    def arrive() -> None:
        end, who = link.leave()
        if len(slots) < servers:
            start, done = end, end + decode[who]
            heappush(slots, done)
        else:
            start = max(end, slots[0])
            done = start + decode[who]
            heapreplace(slots, done)
        ends[who], decoding[who] = end, start
        heappush(holding, (done, held[who]))

    for i, time in enumerate(ready):
        now = max(now, time)
        need = held[i]
        while True:
            gone, done = link.next_end(), holding[0][0] if holding else inf
            event = min(gone, done)
            if event > now:
                if free >= need:
                    break
                now = event
            if gone <= done:
                arrive()
            else:
                free += heappop(holding)[1]
        reserved[i] = now
        free -= need
        starts[i] = link.enter(i, now, transfer[i])
    while link.flying:
        arrive()
    return reserved, starts, ends, decoding
