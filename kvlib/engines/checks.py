"""Checks: one whole number, where an array of them has no meaning."""

from typing import Any

from kvlib import _check

__all__ = ["one_whole"]


def one_whole(
    call: str, name: str, value: Any, minimum: int = 0, maximum: int | None = None
) -> int:
    """Return `value` as an exact int. Raises TypeError for an array, else as `_check.whole` does.

    >>> one_whole("Engine", "page", 64, minimum=1)
    64
    """
    if _check.is_array(value):
        raise TypeError(_check.wrong(call, name, "one whole number", value))
    return _check.whole(call, name, value, minimum=minimum, maximum=maximum)
