"""Fits: the start-up time and the rate behind a table of measured sizes and times.

    T(S) = α + S / B        α ≥ 0, B > 0, least Σ (T(S) / measured - 1)²

Errors count relative to the measured time: a fit in absolute seconds lets the largest transfers
decide and misses the small ones. The half size α · B is the size at which half of the rate is
reached; below it start-up costs more than bytes do.

Not modelled: a cost per descriptor, several rates along one curve, the spread of repeats.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from fractions import Fraction

from kvlib import _check
from kvlib.bandwidth.checks import LEAST_RATE, MOST_BYTES, MOST_RATE, rate_of, seconds_of

__all__ = ["Fit", "fit", "seconds_with_startup"]


def seconds_with_startup(n_bytes: int, startup: float, rate: float) -> float:
    """Return the seconds that `n_bytes` take at `rate` B/s after `startup` seconds.

    Arrays broadcast. Raises TypeError or ValueError if one is no size, time or rate.

    >>> from kvlib.units import GB_s, GiB, ms
    >>> round(seconds_with_startup(1 * GiB, 0.5 * ms, 25 * GB_s) / ms, 2)
    43.45
    """
    call = "seconds_with_startup"
    n_bytes = _check.whole(call, "n_bytes", n_bytes, maximum=MOST_BYTES)
    startup = seconds_of(call, "startup", startup, least=0)
    rate = rate_of(call, "rate", rate)
    _check.together(call, {"n_bytes": n_bytes, "startup": startup, "rate": rate})
    return startup + n_bytes / rate


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A start-up time in seconds and a rate in B/s; the worst error is relative to a time."""

    startup: float
    rate: float
    worst_error: float

    @property
    def half_size(self) -> int:
        """The bytes at which start-up takes as long as the bytes themselves do."""
        return round(self.startup * self.rate)

    def seconds(self, n_bytes: int) -> float:
        """Return the seconds that the fit predicts for `n_bytes`; arrays broadcast."""
        return seconds_with_startup(n_bytes, self.startup, self.rate)


def fit(sizes: Iterable[int], seconds: Iterable[float]) -> Fit:
    """Return the start-up and rate with the least squared relative error, start-up at least 0.

    The normal equations are solved in exact fractions, so that nothing cancels. Raises
    TypeError or ValueError for fewer than two distinct sizes, sizes and times that are not
    equally many or not finite, times that do not grow with size, and a rate that is none.

    >>> from kvlib.units import GB_s, MB, ms
    >>> found = fit([25 * MB, 50 * MB, 100 * MB], [2 * ms, 3 * ms, 5 * ms])
    >>> round(found.startup / ms, 6), round(found.rate / GB_s, 6), found.half_size
    (1.0, 25.0, 25000000)
    """
    exact = [_size(i, n) for i, n in _each("sizes", sizes)]
    times = [_time(i, t) for i, t in _each("seconds", seconds)]
    if len(exact) != len(times):
        counts = f"{len(exact)} and {len(times)}"
        raise ValueError(f"fit: sizes and seconds must be equally many, got {counts}")
    if len(set(exact)) < 2:
        count = len(set(exact))
        raise ValueError(f"fit: sizes must hold at least two distinct sizes, got {count}")
    startup, per_byte = _least_squares(exact, times)
    hint = "measure sizes further apart or more repeats"
    if per_byte <= 0:
        raise ValueError(f"fit: seconds must grow with sizes, got times that do not; {hint}")
    rate = float(1 / per_byte)
    _check.number("fit", "the rate", rate, minimum=LEAST_RATE, maximum=MOST_RATE, hint=hint)
    found = [startup + per_byte * n for n in exact]
    worst = max(abs(f / Fraction(t) - 1) for f, t in zip(found, times, strict=True))
    return Fit(startup=float(startup), rate=rate, worst_error=float(worst))


def _least_squares(sizes: list[int], times: list[float]) -> tuple[Fraction, Fraction]:
    """Return the start-up and the seconds per byte that minimise the squared relative error."""
    weights = [Fraction(1 / t**2) for t in times]
    rows = [(w, s, Fraction(t)) for w, s, t in zip(weights, sizes, times, strict=True)]
    w_, ws, wt = sum(weights), sum(w * s for w, s, _ in rows), sum(w * t for w, _, t in rows)
    wss, wst = sum(w * s * s for w, s, _ in rows), sum(w * s * t for w, s, t in rows)
    per_byte = (w_ * wst - ws * wt) / (w_ * wss - ws * ws)
    startup = (wt - per_byte * ws) / w_
    if startup < 0:  # the best fit with a start-up of 0
        return Fraction(0), wst / wss
    return startup, per_byte


def _each(name: str, values: Iterable) -> list[tuple[int, float]]:
    unordered = isinstance(values, Mapping | Set)
    if isinstance(values, str | bytes) or unordered or not isinstance(values, Iterable):
        raise TypeError(_check.wrong_type("fit", name, "a sequence of numbers", values))
    entries = list(values)
    for i, entry in enumerate(entries):
        if _check.is_array(entry):
            raise TypeError(_check.wrong_type("fit", f"{name}[{i}]", "one number", entry))
    return list(enumerate(entries))


def _size(i: int, value: int) -> int:
    return _check.whole("fit", f"sizes[{i}]", value, maximum=MOST_BYTES)


def _time(i: int, value: float) -> float:
    return seconds_of("fit", f"seconds[{i}]", value)
