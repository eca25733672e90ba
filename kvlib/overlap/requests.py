"""Requests: many of them behind one link, which sends their pieces in the order of computing.

Every request computes on a worker of its own; the link is one for all. Cutting lets bytes leave
sooner, and the link carries no more of them in a second than before: with more bytes than it can
carry, the wait grows as fast as it did, a head start away.

Counted: the link's queue, first come, first served. Not counted: a link that shares itself out
(`bandwidth.sharing`), a worker that stops while its bytes wait, memory that fills up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kvlib import _check
from kvlib.overlap.checks import one_time
from kvlib.overlap.timeline import MOST_PIECES, Piece, Step, Timeline, checked

__all__ = ["Request", "shared_link"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """When a request's prefill starts on its own worker, and its pieces.

    Raises TypeError or ValueError for what is no time or no pieces.
    """

    start_seconds: float
    pieces: tuple[Piece, ...]

    def __post_init__(self) -> None:
        start = one_time("Request", "start_seconds", self.start_seconds)
        pieces, _, _ = checked("Request", self.pieces, 1_000, 0)
        object.__setattr__(self, "start_seconds", start)
        object.__setattr__(self, "pieces", pieces)


def shared_link(
    requests: Sequence[Request], rate: float, overhead: float = 0.0
) -> tuple[Timeline, ...]:
    """Return the timeline of each request over one link of `rate` B/s, in the order given.

    Raises TypeError or ValueError for anything else than requests, a rate and a time.

    >>> whole = (Piece(compute_seconds=1.024, n_bytes=2**30),)
    >>> both = shared_link([Request(start_seconds=0.0, pieces=whole)] * 2, 25e9)
    >>> [round(t.exposed_seconds, 5) for t in both]
    [0.04295, 0.0859]
    """
    call = "shared_link"
    _check.kind(call, "requests", requests, tuple | list, "a list of Requests")
    for request in requests:
        _check.kind(call, "requests", request, Request, "a list of Requests")
    total = sum(len(request.pieces) for request in requests)
    _check.whole(call, "number of pieces", total, maximum=MOST_PIECES)
    _, rate, overhead = checked(call, [Piece(compute_seconds=0, n_bytes=0)], rate, overhead)
    waiting = []  # computed, request, when its compute began, piece
    for i, request in enumerate(requests):
        computed = request.start_seconds
        for piece in request.pieces:
            begun, computed = computed, computed + piece.compute_seconds
            waiting.append((computed, i, begun, piece))
    steps: list[list[Step]] = [[] for _ in requests]
    sent = 0.0
    for computed, i, begun, piece in sorted(waiting, key=lambda entry: entry[:2]):
        start = max(computed, sent)
        sent = start + (overhead + piece.n_bytes / rate)
        step = Step(compute_start=begun, computed=computed, send_start=start, sent=sent)
        steps[i].append(step)
    return tuple(
        Timeline(
            steps=tuple(found),
            alone_seconds=sum(piece.compute_seconds for piece in request.pieces),
            start_seconds=request.start_seconds,
        )
        for request, found in zip(requests, steps, strict=True)
    )
