"""Best: how many even pieces are ready first, and from how many on cutting does harm.

k even pieces of a prefill of T_p seconds and a transfer of S/B seconds, o of overhead a piece:

    ready(k) = max(T_p + o + S/(k B),  T_p/k + k o + S/B)

The first is compute-bound: all compute, then the last piece. It falls with k. The second is
transfer-bound: the first piece, then the link without a pause. It falls until k = sqrt(T_p/o).
They cross where a piece's transfer takes as long as its compute, at k = (T_p - S/B)/o. Both are
convex, so the greater of them is, and its least value lies at

    k* = max((T_p - S/B)/o,  sqrt(T_p/o))      clipped to what can be cut

That holds for real k, even pieces, one overhead for each of them and no contention; state in the
last piece delays every k alike. The best whole number is one of k*'s two neighbours, not always
the nearer one. With `growth`, later chunks take longer: the first piece is shorter, the greater
of the two bounds is still exact (compute is convex in the position), k* no longer is.
"""

from typing import Any

from kvlib import _check
from kvlib.bandwidth.checks import seconds_of
from kvlib.overlap.checks import factor_of, one_count, one_factor, one_time
from kvlib.overlap.timeline import MOST_PIECES

__all__ = ["best_pieces", "break_even_pieces", "even_ready_seconds", "ideal_pieces"]


def even_ready_seconds(
    pieces: float,
    prefill_seconds: float,
    transfer_seconds: float,
    overhead: float,
    growth: float = 0.0,
) -> float:
    """Return when k even pieces are ready: the greater of the two bounds, in closed form.

    `pieces` may be a fraction, as long as it is at least 1. Arrays broadcast. Raises TypeError
    or ValueError for what is no number of pieces, time or share.

    >>> [round(even_ready_seconds(k, 1.024, 2**30 / 25e9, 0.0005), 5) for k in (1, 32)]
    [1.06745, 1.02584]
    """
    call = "even_ready_seconds"
    k = factor_of(call, "pieces", pieces, 1, MOST_PIECES)
    growth = factor_of(call, "growth", growth, 0, 1)
    prefill, transfer, overhead = _times(call, prefill_seconds, transfer_seconds, overhead)
    named = {"pieces": k, "prefill_seconds": prefill, "transfer_seconds": transfer}
    _check.together(call, named | {"overhead": overhead, "growth": growth})
    first = prefill / k * (1 - growth * (1 - 1 / k))
    compute_bound = prefill + overhead + transfer / k
    transfer_bound = first + k * overhead + transfer
    return _greater(compute_bound, transfer_bound)


def ideal_pieces(prefill_seconds: float, transfer_seconds: float, overhead: float) -> float:
    """Return k*, the number of even pieces that is ready first: a fraction, not yet clipped.

    Below 1 means that no cut pays. Arrays broadcast. Raises TypeError or ValueError for no time,
    and for an overhead of 0, with which more pieces are always better.

    >>> round(ideal_pieces(1.024, 2**30 / 25e9, 0.0005), 1)
    1962.1
    >>> round(ideal_pieces(0.064, 0.08, 0.0005), 1)  # transfer-bound: sqrt(128)
    11.3
    """
    call = "ideal_pieces"
    prefill, transfer, overhead = _times(call, prefill_seconds, transfer_seconds, overhead)
    overhead = seconds_of(call, "overhead", overhead)
    named = {"prefill_seconds": prefill, "transfer_seconds": transfer, "overhead": overhead}
    _check.together(call, named)
    return _greater((prefill - transfer) / overhead, (prefill / overhead) ** 0.5)


def best_pieces(
    prefill_seconds: float,
    transfer_seconds: float,
    overhead: float,
    most: int,
    growth: float = 0.0,
) -> int:
    """Return the whole number of even pieces, from 1 to `most`, that is ready first.

    Of equals the fewest. A convex function has turned where its next value is no less, so
    halving the range finds the place. Raises TypeError or ValueError.

    >>> best_pieces(1.024, 2**30 / 25e9, 0.0005, most=32)
    32
    >>> best_pieces(0.064, 0.0536870912, 0.0005, most=80)  # k* = 20.6, and yet
    20
    """
    call = "best_pieces"
    most = one_count(call, "most", most, minimum=1, maximum=MOST_PIECES)
    named = {"prefill_seconds": prefill_seconds, "transfer_seconds": transfer_seconds}
    named["overhead"] = overhead
    times = [one_time(call, name, value) for name, value in named.items()]
    growth = one_factor(call, "growth", growth, 0, 1)
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        here, next_one = (even_ready_seconds(k, *times, growth) for k in (middle, middle + 1))
        low, high = (low, middle) if here <= next_one else (middle + 1, high)
    return low


def break_even_pieces(prefill_seconds: float, overhead: float) -> float:
    """Return the number of even pieces above which cutting is worse than not cutting: T_p / o.

    From there on a piece computes for less than its overhead. Bytes and rate do not enter.
    Arrays broadcast. Raises TypeError or ValueError for no time, and for an overhead of 0.

    >>> break_even_pieces(0.016, 0.0005)  # 128 tokens at 8,000 tokens/s
    32.0
    """
    call = "break_even_pieces"
    prefill = seconds_of(call, "prefill_seconds", prefill_seconds, least=0)
    overhead = seconds_of(call, "overhead", overhead)
    _check.together(call, {"prefill_seconds": prefill, "overhead": overhead})
    return prefill / overhead


def _times(call: str, prefill: Any, transfer: Any, overhead: Any) -> tuple[Any, Any, Any]:
    return (
        seconds_of(call, "prefill_seconds", prefill, least=0),
        seconds_of(call, "transfer_seconds", transfer, least=0),
        seconds_of(call, "overhead", overhead, least=0),
    )


def _greater(a: Any, b: Any) -> Any:
    """Return the greater of two numbers or arrays, exactly and elementwise."""
    return a * (a >= b) + b * (b > a)
