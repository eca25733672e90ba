"""Reports: what a reported transfer implies, and whether a path allows it.

No payload moves faster than the smallest label on its path. A report above it timed something
else (the posting of a transfer, say) or moved fewer bytes than it claims. A report below it may
still be wrong.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.paths import Link, Path, transfer_rate
from kvlib.units import format_as, ms

__all__ = ["Verdict", "plausible"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a reported transfer implies: a rate in B/s, and whether a path allows it."""

    rate: float
    fraction: float  # of the nominal rate
    impossible: bool  # faster than the nominal rate
    sentence: str


def plausible(n_bytes: int, seconds: float, path: Path | Link) -> Verdict:
    """Return whether `n_bytes` can have crossed `path` in `seconds`: no rate beats its label.

    A report above the label timed something else, a posting for example, or fewer bytes. Raises
    TypeError or ValueError if an argument is no size, time or path.

    >>> from kvlib.bandwidth import LINKS
    >>> verdict = plausible(655_360_000, 3.08e-3, LINKS["400 Gb/s Ethernet"])
    >>> verdict.impossible, round(verdict.fraction, 2)
    (True, 4.26)
    """
    _check.kind("plausible", "path", path, Path | Link, "a Path or a Link")
    n_bytes = _check.whole("plausible", "n_bytes", n_bytes, maximum=_check.LARGEST)
    for name, value in (("n_bytes", n_bytes), ("seconds", seconds)):
        if _check.is_array(value):
            raise TypeError(_check.wrong("plausible", name, "one number", value))
    rate = float(transfer_rate(n_bytes, seconds))
    hop = path if isinstance(path, Link) else min(path.hops, key=lambda hop: hop.rate)
    fraction = rate / float(hop.rate)
    impossible = fraction > 1
    time = format_as(seconds, "ms" if seconds >= ms else "µs")
    part = format_as(fraction, "×") if impossible else format_as(fraction, "%", 1) + " of"
    sentence = f"{n_bytes:,} B in {time} is {format_as(rate, 'GB/s')}, {part} the "
    sentence += f"{format_as(hop.rate, 'GB/s')} of {hop.name}: "
    sentence += "impossible." if impossible else "possible."
    return Verdict(rate=rate, fraction=fraction, impossible=impossible, sentence=sentence)
