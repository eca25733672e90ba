"""Wording: numbers as a reader wants them, in the easiest unit and with digits that mean something.

Nothing prints as 0 that is not, nothing as 100 % that is less, and no number is a wall of digits.
"""

import math
from collections.abc import Sequence

from kvlib.units import UNITS, format_as, ms, us

__all__ = [
    "SAME",
    "apart",
    "joined",
    "rate",
    "requests",
    "sentence",
    "share",
    "time",
    "token_rate",
    "tokens",
]

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds
SAME = 1e-12  # relative: two numbers this close are one, their difference is rounding


def time(seconds: float) -> str:
    """Return a time in the unit in which it is easiest to read, from ns to days.

    >>> time(2**30 / 25e9), time(3 * HOUR), time(0)
    ('42.95 ms', '3.00 h', '0.00 ms')
    """
    for name, size, least in (("days", DAY, 2 * DAY), ("h", HOUR, 2 * HOUR)):
        if seconds >= least:
            return f"{_digits(seconds / size)} {name}"
    steps = (("min", 2 * MINUTE), ("s", 1), ("ms", 0.1 * ms), ("µs", 0.1 * us))
    name = next((name for name, least in steps if seconds >= least), "ns" if seconds else "ms")
    return f"{_digits(seconds / float(UNITS[name].size))} {name}"


def rate(per_second: float, base: str) -> str:
    """Return a rate in B/s with the prefix in which it is easiest to read.

    >>> rate(25e9, "B/s"), rate(25e9, "b/s")
    ('25.00 GB/s', '200.00 Gb/s')
    """
    names = [prefix + base for prefix in "TGMKk" if prefix + base in UNITS]
    fits = [name for name in names if per_second >= UNITS[name].size]
    name = fits[0] if fits else base
    return f"{_digits(per_second / float(UNITS[name].size))} {name}"


def requests(per_second: float, more: int = 0) -> str:
    """Return requests/s with at least two decimals, `more` if asked; large ones in words.

    >>> requests(2.9296875), requests(2.9296875, 2), requests(0.0001234), requests(70_000_000)
    ('2.93 requests/s', '2.9297 requests/s', '0.000123 requests/s', '70.00 million requests/s')
    """
    for name, size in (("billion", 10**9), ("million", 10**6)):
        if per_second >= size:
            return f"{_digits(per_second / size, more)} {name} requests/s"
    return f"{_digits(per_second, more)} requests/s"


def apart(values: Sequence[float]) -> dict[float, str]:
    """Return each requests/s as text, with more digits where two unequal ones would look equal.

    >>> list(apart([2.9301, 2.9296875, 7.8125]).values())
    ['2.9301 requests/s', '2.9297 requests/s', '7.81 requests/s']
    """
    texts = {}
    for value in values:
        others = [other for other in values if abs(other - value) > SAME * value]
        more = next(
            n for n in range(16) if requests(value, n) not in {requests(o, n) for o in others}
        )
        texts[value] = requests(value, more)
    return texts


def share(fraction: float) -> str:
    """Return a fraction in percent, in words where digits would mislead.

    >>> share(0.683), share(0.99999), share(1), share(42), share(0.0001)
    ('68.3 %', 'just under 100 %', '100 %', 'more than 1,000 %', 'less than 0.1 %')
    """
    text = format_as(fraction, "%", 1)
    if abs(fraction - 1) <= SAME:
        return "100 %"
    if text == "100.0 %":
        return "just under 100 %" if fraction < 1 else "just over 100 %"
    if 0 < fraction < UNITS["%"].size / 10:
        return "less than 0.1 %"
    return "more than 1,000 %" if fraction > 10 else text


def tokens(count: int) -> str:
    """Return a count of tokens: 1 token, 8,192 tokens."""
    return f"{count:,} token" + ("s" if count != 1 else "")


def token_rate(per_second: float) -> str:
    """Return a rate of tokens, with decimals only where they mean something.

    >>> token_rate(8_000.0), token_rate(10**7), token_rate(12.5), token_rate(1e-6)
    ('8,000 tokens/s', '10,000,000 tokens/s', '12.5 tokens/s', '0.000001 tokens/s')
    """
    return (
        f"{round(per_second, 6 if per_second < 1 else 1):,f}".rstrip("0").rstrip(".") + " tokens/s"
    )


def joined(names: Sequence[str], word: str = "and") -> str:
    """Return names as a list in prose: a, b and c."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def sentence(text: str) -> str:
    """Return `text` with a capital at its start."""
    return text[0].upper() + text[1:]


def _digits(value: float, more: int = 0) -> str:
    """Return a number with two decimals, or with three digits where those would hide it."""
    small = 2 - math.floor(math.log10(value)) if 0 < value < 0.0995 else 2
    return f"{value:,.{(small if value < 10_000 else 0) + more}f}"
