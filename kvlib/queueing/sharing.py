"""Sharing: a link that gives each of the n transfers in flight 1/n of its rate.

The link counts work in a time of its own that runs 1/n as fast as the clock. In that time a
transfer ends as much later as it would take alone, whoever joins or leaves; so its end there is
known when it starts, and a heap keeps the order: log n a transfer, exact, without a step of time.
On the clock it is not known, so transfers, ends, deliveries and completions are taken as they
happen.
Source: Parekh and Gallager, IEEE/ACM Trans. Networking 1 (1993), virtual time, with equal weights.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf

from kvlib.queueing.stages import take

__all__ = ["share"]

Times = list[float]


def share(
    ready: Sequence[float],
    transfer: Sequence[float],
    decode: Sequence[float],
    held: Sequence[int],
    delay: Sequence[float],
    memory: float,
    servers: int,
) -> tuple[Times, Times, Times, Times]:
    """Return when each request has its memory, starts and ends its transfer, starts to decode.

    Memory may be infinite; else it is as in `admission`. `transfer` is what each would take alone,
    and `delay` passes after it, off the link, before it reaches decode.
    Requests are in the order in which they are ready. Nothing is checked; fractions stay exact.

    >>> share([0, 0, 0], [2, 2, 2], [5, 5, 5], [1, 1, 1], [0, 0, 0], memory=2, servers=9)
    ([0, 0, 9.0], [0, 0, 9.0], [4.0, 4.0, 11.0], [4.0, 4.0, 11.0])
    """
    count, at = len(ready), 0
    reserved: Times = []
    ends, decoding = [0.0] * count, [0.0] * count
    slots: Times = []  # when each decode server is free; those never used are not in it
    holding: list[tuple[float, int]] = []  # completion, memory
    flying: list[tuple[float, int]] = []  # end in the link's own time, request
    coming: list[tuple[float, int, int]] = []  # delivery, how many have ended before, request
    free, now, limited, ended = memory, ready[0], memory < inf, 0
    clock, own = now, 0  # when the link was last looked at, in both times
    while at < count or flying or coming:
        gone = come = inf
        if flying:
            left = flying[0][0] - own
            gone = clock + left * len(flying) if left > 0 else clock
        if at < count:
            short = free < held[at]
            if not short or holding:
                come = ready[at] if ready[at] > now else now
                if short and holding[0][0] > come:
                    come = holding[0][0]
        if coming and coming[0][0] <= gone and coming[0][0] <= come:  # one is delivered
            time, _, who = heappop(coming)
            decoding[who] = start = take(slots, servers, time, decode[who])
            if limited:
                heappush(holding, (start + decode[who], held[who]))
        elif gone <= come:  # a transfer ends
            own, who = heappop(flying)
            ends[who] = clock = gone
            if delay[who] or coming:
                heappush(coming, (gone + delay[who], ended, who))
                ended += 1
                continue
            decoding[who] = start = take(slots, servers, gone, decode[who])  # none comes before it
            if limited:
                heappush(holding, (start + decode[who], held[who]))
        elif short:  # a request completes, and its memory is free
            now = come
            free += heappop(holding)[1]
        else:  # a transfer starts
            own = own + (come - clock) / len(flying) if flying else 0  # few digits where it can
            now = clock = come
            free -= held[at]
            reserved.append(now)
            heappush(flying, (own + transfer[at], at))
            at += 1
    return reserved, reserved.copy(), ends, decoding
