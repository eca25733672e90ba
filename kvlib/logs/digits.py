"""Digits: numbers of a log as text, with digits enough that nothing prints as 0 that is not."""

import math

from kvlib.units import UNITS, format_as

__all__ = ["shown", "times"]

MOST = 30  # decimals that are ever printed
SIGNIFICANT = 3  # digits of a number that would print as 0


def shown(value: float, unit: str, digits: int = 2) -> str:
    """Return `value`, in base units, in `unit`: with `digits` decimals, more where they hide it.

    >>> shown(2**30 // 250, "GB"), shown(2**32, "GB"), shown(0, "GB")
    ('0.00429 GB', '4.29 GB', '0.00 GB')
    """
    size = float(value / UNITS[unit].size)
    if 0 < size < 10**-digits:
        digits = min(MOST, SIGNIFICANT - 1 - math.floor(math.log10(size)))
    return format_as(value, unit, digits)


def times(ratio: float) -> str:
    """Return a ratio with three digits, in words.

    >>> times(1.3621), times(2e6), times(0.00001234)
    ('1.36 times', '2,000,000 times', '0.0000123 times')
    """
    if ratio >= 1_000:
        return f"{ratio:,.0f} times"
    if 0 < ratio < 1:
        digits = min(MOST, SIGNIFICANT - 1 - math.floor(math.log10(ratio)))
        return f"{ratio:.{digits}f}".rstrip("0").rstrip(".") + " times"
    return f"{ratio:.3g} times"
