"""Timeline: when each piece of a request's cache is computed, sent and received.

    C_i = C_{i-1} + c_i                        compute, one piece after the other
    F_i = max(C_i, F_{i-1}) + o + s_i / B      sent once computed and once the link is free

The request is ready when its last piece has arrived: decode needs all of them. Whatever the
pieces, that moment lies between the two of `ready_bounds`.

Counted: compute, bytes, and one overhead a piece, which occupies the link; a piece without bytes
pays it too. Not counted: a compute that stops to send, queues behind other requests (`requests`)
and what compute and transfer take from each other (`contention`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES, link_rate_of
from kvlib.overlap.checks import one_count, one_time, single

__all__ = ["MOST_PIECES", "Piece", "Step", "Timeline", "checked", "ready_bounds", "timeline"]

MOST_PIECES = 100_000


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One part of a request: the seconds that compute it, and the bytes that it then sends.

    Raises TypeError or ValueError if either is no time or no count.
    """

    compute_seconds: float
    n_bytes: int

    def __post_init__(self) -> None:
        seconds = one_time("Piece", "compute_seconds", self.compute_seconds)
        n_bytes = one_count("Piece", "n_bytes", self.n_bytes, maximum=MOST_BYTES)
        object.__setattr__(self, "compute_seconds", seconds)
        object.__setattr__(self, "n_bytes", n_bytes)


@dataclass(frozen=True, kw_only=True)
class Step:
    """What happened to one piece, in seconds from the start of the clock."""

    compute_start: float
    computed: float
    send_start: float
    sent: float


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The steps of all pieces, in order; `alone_seconds` is what their compute takes undisturbed.

    `start_seconds` is when the request's prefill begins.
    """

    steps: tuple[Step, ...]
    alone_seconds: float
    start_seconds: float = 0.0

    @property
    def prefill_end_seconds(self) -> float:
        """When the last piece is computed."""
        return self.steps[-1].computed

    @property
    def ready_seconds(self) -> float:
        """When the last piece has arrived, and decode may start."""
        return self.steps[-1].sent

    @property
    def exposed_seconds(self) -> float:
        """What the hand-off adds to a prefill that runs alone: transfer that nothing hides."""
        return self.ready_seconds - self.start_seconds - self.alone_seconds

    @property
    def overlap_seconds(self) -> float:
        """How long compute and transfer of this request run at the same time."""
        end = self.prefill_end_seconds
        return sum(min(s.sent, end) - min(s.send_start, end) for s in self.steps)


def timeline(
    pieces: Sequence[Piece],
    rate: float,
    overhead: float = 0.0,
) -> Timeline:
    """Return when each piece is computed and sent over a link of `rate` B/s.

    `overhead` is in seconds a piece. Raises TypeError or ValueError for anything else than
    pieces, a rate and a time.

    >>> whole = [Piece(compute_seconds=1.024, n_bytes=2**30)]
    >>> halves = [Piece(compute_seconds=0.512, n_bytes=2**29)] * 2
    >>> [round(timeline(p, 25e9).ready_seconds, 5) for p in (whole, halves)]
    [1.06695, 1.04547]
    """
    pieces, rate, overhead = checked("timeline", pieces, rate, overhead)
    steps, computed, sent = [], 0.0, 0.0
    for piece in pieces:
        begun, computed = computed, computed + piece.compute_seconds
        start = max(computed, sent)
        sent = start + (overhead + piece.n_bytes / rate)
        step = Step(
            compute_start=begun,
            computed=computed,
            send_start=start,
            sent=sent,
        )
        steps.append(step)
    return Timeline(steps=tuple(steps), alone_seconds=computed)


def ready_bounds(
    pieces: Sequence[Piece], rate: float, overhead: float = 0.0
) -> tuple[float, float]:
    """Return the soonest and the latest second at which any schedule of these pieces is ready.

    Soonest: the last piece leaves after all compute, and no piece leaves before the first is
    computed. Latest: compute, then all transfers. Evenly cut pieces are ready at the soonest.
    Raises TypeError or ValueError as `timeline` does.

    >>> halves = [Piece(compute_seconds=0.512, n_bytes=2**29)] * 2
    >>> [round(t, 5) for t in ready_bounds(halves, 25e9)]
    [1.04547, 1.06695]
    """
    pieces, rate, overhead = checked("ready_bounds", pieces, rate, overhead)
    computed = sum(piece.compute_seconds for piece in pieces)
    transfers = [overhead + piece.n_bytes / rate for piece in pieces]
    link = sum(transfers)
    soonest = max(computed + transfers[-1], pieces[0].compute_seconds + link)
    return soonest, computed + link


def checked(
    call: str, pieces: Sequence[Piece], rate: float, overhead: float
) -> tuple[tuple[Piece, ...], float, float]:
    """Return pieces as a tuple, the rate and the overhead. Raises TypeError or ValueError."""
    _check.kind(call, "pieces", pieces, tuple | list, "a list of Pieces")
    if not 1 <= len(pieces) <= MOST_PIECES:
        rule = f"from 1 to {MOST_PIECES:,}"
        raise ValueError(_check.wrong(call, "number of pieces", rule, len(pieces)))
    for piece in pieces:
        _check.kind(call, "pieces", piece, Piece, "a list of Pieces")
    rate = link_rate_of(call, "rate", single(call, "rate", rate))
    return tuple(pieces), rate, one_time(call, "overhead", overhead)
