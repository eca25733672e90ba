"""Admission: memory is reserved before the hand-off and given back at completion.

A request that finds no room waits before the link, in FIFO order: a small one does not overtake a
large one. Reserved memory is held while the hand-off waits, moves, is delivered, waits for decode
and decodes. That is why this stage cannot be computed before the next: how long memory is held
depends on them. A request that is sent later may be delivered earlier, so deliveries and
completions are taken as they happen, when memory is short.
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
    delay: Sequence[float],
    memory: int,
    servers: int,
) -> tuple[Times, Times, Times, Times]:
    """Return when each request has its memory, starts and ends its transfer, starts to decode.

    The link serves one transfer at a time. Requests are in the order in which they are ready; each
    holds `held` of `memory`, none more than all of it, and reaches decode `delay` after the link.
    Nothing is checked.

    >>> admit([0, 1], [1, 1], [5, 5], [1, 1], [0, 0], memory=1, servers=2)
    ([0, 6], [0, 6], [1, 7], [1, 7])
    """
    reserved, starts, ends = [], [], []
    decoding = [0.0] * len(ready)
    slots: Times = []  # when each decode server is free; those never used are not in it
    coming: list[tuple[float, int]] = []  # delivery, request
    holding: list[tuple[float, int]] = []  # completion, memory
    free, now, link_free = memory, ready[0], ready[0]

    def deliver() -> None:
        end, who = heappop(coming)
        decoding[who] = first = take(slots, servers, end, decode[who])
        heappush(holding, (first + decode[who], held[who]))

    for who, (time, seconds, need, later) in enumerate(
        zip(ready, transfer, held, delay, strict=True)
    ):
        if time > now:
            now = time
        while free < need:
            if coming and not (holding and holding[0][0] < coming[0][0]):
                deliver()
                continue
            done, given = heappop(holding)
            free += given
            if done > now:
                now = done
        free -= need
        start = now if now > link_free else link_free
        end = link_free = start + seconds
        if later or coming:
            heappush(coming, (end + later, who))
        else:  # nobody can come before it any more
            decoding[who] = first = take(slots, servers, end, decode[who])
            heappush(holding, (first + decode[who], need))
        reserved.append(now)
        starts.append(start)
        ends.append(end)
    while coming:
        deliver()
    return reserved, starts, ends, decoding
