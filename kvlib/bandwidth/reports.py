"""Reports: what a reported transfer implies, and whether a path allows it.

No payload moves faster than the smallest label on its path. A report above it has its time, its
bytes, a unit or the number of links wrong: a clock that stopped when the transfer was posted, GiB
read as GB, bits read as bytes, eight ports counted as one. A report below it may still be wrong.
"""

from dataclasses import dataclass
from fractions import Fraction

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES, seconds_of
from kvlib.bandwidth.paths import Link, Path
from kvlib.units import UNITS, format_as

__all__ = ["Report", "plausible"]

SAME = Fraction(1, 10**9)  # relative: a time as short as the bound's, but for rounding


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a reported transfer implies: a rate in B/s, and whether a path allows it."""

    rate: float
    fraction: float  # of the nominal rate
    impossible: bool  # faster than the nominal rate
    sentence: str


def plausible(n_bytes: int, seconds: float, path: Path | Link) -> Report:
    """Return whether `n_bytes` can have crossed `path` in `seconds`: no rate beats its label.

    A time equal to the bound is possible. Raises TypeError or ValueError if an argument is no
    size, time or path.

    >>> from kvlib.bandwidth import LINKS
    >>> report = plausible(655_360_000, 3.08e-3, LINKS["400 Gb/s Ethernet"])
    >>> report.sentence
    'Impossible: 212.78 GB/s is 4.26× the label of 400 Gb/s Ethernet.'
    >>> report.impossible, round(report.fraction, 2)
    (True, 4.26)
    """
    _check.kind("plausible", "path", path, Path | Link, "a Path or a Link")
    for name, value in (("n_bytes", n_bytes), ("seconds", seconds)):
        if _check.is_array(value):
            raise TypeError(_check.wrong_type("plausible", name, "one number", value))
    n_bytes = _check.whole("plausible", "n_bytes", n_bytes, maximum=MOST_BYTES)
    rate = Fraction(n_bytes) / Fraction(seconds_of("plausible", "seconds", seconds))
    hop = path if isinstance(path, Link) else min(path.hops, key=lambda hop: hop.rate)
    fraction = rate / Fraction(hop.rate)
    impossible = fraction > 1 + SAME
    said = "Impossible" if impossible else "Possible"
    sentence = f"{said}: {_rate(rate)} is {_part(fraction, impossible)} the label of {hop.name}."
    return Report(
        rate=float(rate), fraction=float(fraction), impossible=impossible, sentence=sentence
    )


def _rate(rate: Fraction) -> str:
    """Return a rate in GB/s, or in another unit where it would be too long or too short."""
    if rate >= 1000 * UNITS["GB/s"].size:
        return format_as(float(rate), "TB/s")
    units = [unit for unit in ("GB/s", "MB/s", "KB/s") if 10 * rate >= UNITS[unit].size]
    return format_as(float(rate), [*units, "B/s"][0])


def _part(fraction: Fraction, impossible: bool) -> str:
    """Return a fraction of a label: 4.26×, or 0.7 % of; with digits enough to differ from 1."""
    if impossible:
        digits = next(n for n in range(2, 12) if round(fraction, n) > 1)
        return format_as(float(fraction), "×", digits if fraction < 1000 else 0)
    percent = 100 * fraction
    if fraction >= 1 - SAME:
        return "100 % of"
    if 0 < round(percent, 1) < 100:
        return format_as(float(fraction), "%", 1) + " of"
    if percent < 1:
        return "less than 0.1 % of"
    digits = next((n for n in range(2, 9) if round(percent, n) < 100), 9)
    return format_as(float(fraction), "%", digits) + " of"
