"""Contention: compute and transfer slow each other down while both run.

A transfer reads the memory that compute works in, and may take its cores or its PCIe lanes. While
both run, compute takes `compute_slowdown` times as long and transfer `transfer_slowdown` times;
alone each has its full speed. From one end of a piece to the next both speeds are constant, so
the timeline follows from event to event: it is exact, no step of time is chosen.

    ready = compute + transfers - overlap · (1/a + 1/b - 1)

a and b are the two slowdowns: in a second of overlap 1/a of compute and 1/b of transfer get done,
in place of one second of either. Overlap saves time only while 1/a + 1/b is more than 1.

Not counted: slowdowns that vary with the kernel, other requests on the same memory.
"""

from collections.abc import Sequence
from math import inf

from kvlib import _check
from kvlib.overlap.checks import factor_of, one_factor
from kvlib.overlap.timeline import Piece, Step, Timeline, checked

__all__ = ["contended", "overlap_gain"]

MOST_SLOWDOWN = 1_000_000


def contended(
    pieces: Sequence[Piece],
    rate: float,
    overhead: float = 0.0,
    *,
    compute_slowdown: float,
    transfer_slowdown: float,
) -> Timeline:
    """Return the timeline of pieces that slow each other down: by 1 not at all, by 2 twofold.

    Raises TypeError or ValueError as `timeline` does, and for a slowdown below 1.

    >>> from kvlib.overlap.pieces import layerwise
    >>> pieces = layerwise(1.024, 2**30, layers=32)
    >>> slowed = contended(pieces, 25e9, compute_slowdown=1.1, transfer_slowdown=1.5)
    >>> round(slowed.prefill_end_seconds, 5), round(slowed.exposed_seconds, 5)
    (1.02967, 0.00702)
    """
    pieces, rate, overhead = checked("contended", pieces, rate, overhead)
    named = {"compute_slowdown": compute_slowdown, "transfer_slowdown": transfer_slowdown}
    slow = [one_factor("contended", n, value, 1, MOST_SLOWDOWN) for n, value in named.items()]
    compute = [piece.compute_seconds for piece in pieces]  # seconds of work left, alone
    transfer = [overhead + piece.n_bytes / rate for piece in pieces]
    alone, now = sum(compute), 0.0
    computed: list[float] = []
    sent: list[float] = []
    while len(sent) < len(pieces):
        c, s = len(computed), len(sent)
        computing, sending = c < len(pieces), s < c
        slow_c, slow_t = slow if computing and sending else (1, 1)
        to_c = compute[c] * slow_c if computing else inf
        to_t = transfer[s] * slow_t if sending else inf
        step = min(to_c, to_t)
        now += step
        if to_c == step:
            computed.append(now)
        elif computing:
            compute[c] = max(0.0, compute[c] - step / slow_c)
        if to_t == step:
            sent.append(now)
        elif sending:
            transfer[s] = max(0.0, transfer[s] - step / slow_t)
    steps, before = [], (0.0, 0.0)
    for done, gone in zip(computed, sent, strict=True):
        start = max(done, before[1])
        steps.append(Step(compute_start=before[0], computed=done, send_start=start, sent=gone))
        before = done, gone
    return Timeline(steps=tuple(steps), alone_seconds=alone)


def overlap_gain(compute_slowdown: float, transfer_slowdown: float) -> float:
    """Return the seconds that each second of overlap saves: at most 1, below 0 a loss.

    Arrays broadcast. Raises TypeError or ValueError for a slowdown below 1.

    >>> overlap_gain(1, 1), overlap_gain(2, 2), round(overlap_gain(1.1, 1.5), 3)
    (1.0, 0.0, 0.576)
    """
    call = "overlap_gain"
    a = factor_of(call, "compute_slowdown", compute_slowdown, 1, MOST_SLOWDOWN)
    b = factor_of(call, "transfer_slowdown", transfer_slowdown, 1, MOST_SLOWDOWN)
    _check.together(call, {"compute_slowdown": a, "transfer_slowdown": b})
    return 1 / a + 1 / b - 1
