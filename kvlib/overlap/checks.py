"""Checks: one number where a schedule takes one, and numbers as wide as Python's own.

A timeline has one time, one rate and one count in each place: an array is refused and named. A
NumPy scalar becomes a float or an int, since a narrow one (float16, int8) loses digits.
"""

from typing import Any

from kvlib import _check
from kvlib.bandwidth.checks import seconds_of

__all__ = ["factor_of", "one_count", "one_factor", "one_time", "single"]

HINT = "ask for each point by itself"


def single(call: str, name: str, value: Any, rule: str = "one number") -> Any:
    """Return `value` as it is. Raises TypeError if it is an array."""
    if _check.is_array(value):
        raise TypeError(_check.wrong_type(call, name, rule, value, HINT))
    return value


def one_count(
    call: str, name: str, value: Any, minimum: int = 0, maximum: int | None = None
) -> int:
    """Return `value` as an int within its bounds. Raises TypeError or ValueError."""
    single(call, name, value, "one whole number")
    return _check.whole(call, name, value, minimum=minimum, maximum=maximum)


def one_time(call: str, name: str, value: Any) -> float:
    """Return `value` as seconds, 0 or more. Raises TypeError or ValueError."""
    return seconds_of(call, name, single(call, name, value), least=0)


def one_factor(call: str, name: str, value: Any, minimum: float, maximum: float) -> float:
    """Return `value` as a float within its bounds. Raises TypeError or ValueError."""
    return _check.one_number(call, name, value, minimum, maximum, HINT)


def factor_of(call: str, name: str, value: Any, minimum: float, maximum: float) -> Any:
    """Return `value` as a float, or as a float64 array. Raises TypeError or ValueError."""
    value = _check.wide(value)
    _check.number(call, name, value, minimum=minimum, maximum=maximum)
    return value if _check.is_array(value) else float(value)
