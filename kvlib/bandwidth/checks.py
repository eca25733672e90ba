"""Checks: what counts as a rate and as a time; outside the bounds a number is a mistake.

Scalars become floats and arrays become float64 arrays of their own: narrow types (float16,
int8) would lose digits or overflow, and a caller may change an array later.
"""

import math
from typing import Any

from kvlib import _check

__all__ = ["MOST_BYTES", "link_rate_of", "rate_of", "seconds_of"]

MOST_BYTES = _check.LARGEST
LEAST_RATE, MOST_RATE = 1e-6, 1e18  # B/s, tokens/s or requests/s
LEAST_LINK_RATE = 1_000  # B/s: what is slower was probably typed without its unit
LEAST_SECONDS, MOST_SECONDS = 1e-18, 1e10  # one byte at the highest rate; three centuries
HINT = "for a 200 Gb/s link write 200 * Gbit_s"


def rate_of(call: str, name: str, value: Any, unit: str = "B/s", least: float = LEAST_RATE) -> Any:
    """Return `value` as a rate of `unit`; `least` may be 0. Raises TypeError or ValueError."""
    return _real(call, name, value, unit, least, MOST_RATE, HINT if unit == "B/s" else "")


def link_rate_of(call: str, name: str, value: Any) -> Any:
    """Return `value` as the rate of a link in B/s. Raises TypeError or ValueError."""
    rate = rate_of(call, name, value, least=math.ulp(0.0))
    low = value
    if _check.is_array(rate):
        low = rate.min() if rate.size else LEAST_LINK_RATE
    if low < LEAST_LINK_RATE:
        rule = f"at least {LEAST_LINK_RATE:,} B/s"
        raise ValueError(_check.wrong(call, name, rule, low, HINT))
    return rate


def seconds_of(call: str, name: str, value: Any, least: float = LEAST_SECONDS) -> Any:
    """Return `value` as a time in seconds; `least` may be 0. Raises TypeError or ValueError."""
    return _real(call, name, value, "seconds", least, MOST_SECONDS, "")


def _real(call: str, name: str, value: Any, unit: str, least: float, most: float, hint: str) -> Any:
    value = _check.wide(value)
    hint = hint if isinstance(value, str) else ""
    above = 0 if least > 0 else None
    _check.number(call, name, value, unit=unit, above=above, minimum=least, maximum=most, hint=hint)
    return value if _check.is_array(value) else float(value)
