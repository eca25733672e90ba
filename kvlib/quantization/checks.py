"""Checks: one number, of Python's own width, where a format has room for one."""

from typing import Any

from kvlib import _check

__all__ = ["one_number"]


def one_number(call: str, name: str, value: Any, minimum: float, maximum: float) -> float:
    """Return `value` as a float within its bounds. Raises TypeError or ValueError."""
    if _check.is_array(value):
        raise TypeError(_check.wrong_type(call, name, "one number", value))
    if getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u", "f"):
        value = value.astype(float)  # wide enough to be compared
    return float(_check.number(call, name, value, minimum=minimum, maximum=maximum))
