"""Checks: one number and no array, stored as Python has it, so that no narrow type overflows."""

import operator
from typing import Any

from kvlib import _check

__all__ = ["integer", "real", "store"]


def integer(call: str, name: str, value: Any) -> int:
    """Return `value` as an int of any size and sign. Raises TypeError."""
    if type(value) is int:
        return value
    try:
        whole = operator.index(value)
    except TypeError:
        whole = None
    if whole is None or isinstance(value, bool) or _check.is_array(value):
        raise TypeError(_check.wrong_type(call, name, "a whole number", value)) from None
    return whole


def real(call: str, name: str, value: Any, **bounds: Any) -> int | float:
    """Return `value` as an int or a float within its bounds. Raises TypeError or ValueError."""
    if _check.is_array(value):
        raise TypeError(_check.wrong(call, name, "one number", value))
    _check.number(call, name, value, **bounds)
    return value if type(value) in (int, float) else float(value)


def store(record: Any, **values: Any) -> None:
    """Put checked values into a frozen record, in place of what was given."""
    for name, value in values.items():
        object.__setattr__(record, name, value)
