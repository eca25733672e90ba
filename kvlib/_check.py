"""Argument checks that answer in one sentence.

Every message has the form `call: argument must be RULE, got VALUE (type); what to write
instead`. A wrong kind raises TypeError, a wrong value ValueError. `bool` is no count, `nan`
and `inf` are no rates. NumPy integers, floats and arrays pass without importing NumPy.
"""

import difflib
import itertools
import math
import numbers
import operator
import reprlib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "kind",
    "number",
    "one_number",
    "one_of",
    "one_whole",
    "shown",
    "together",
    "whole",
    "wide",
]

LARGEST = 2**63 - 1  # what an int64 array can hold
SHORT = reprlib.Repr()  # never builds more text than it shows
SHORT.maxstring = SHORT.maxother = 60
SHORT.maxlevel = 2


def shown(value: Any) -> str:
    """Return `value` as a message prints it: never longer than 60 characters."""
    if is_array(value):
        return f"an array of {value.dtype}"
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()  # a NumPy scalar prints as the number that it is
    if isinstance(value, int) and abs(value) >= 10**30:
        digits = int(value.bit_length() * math.log10(2)) + 1
        return f"a whole number of about {digits} digits"
    if isinstance(value, dict | list | tuple | set) and len(value) > 4:
        return f"{len(value)} entries"
    try:
        text = SHORT.repr(value)
    except Exception:  # an int of more than 4,300 digits inside, or a repr that fails
        return f"a {type(value).__name__}"
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= 60 else text[:57] + "..."


def wrong(call: str, name: str, rule: str, value: Any, hint: str = "") -> str:
    """Return the message for `value`; its type is added where the kind is what is wrong."""
    return f"{call}: {name} must be {rule}, got {shown(value)}" + (f"; {hint}" if hint else "")


def wrong_type(call: str, name: str, rule: str, value: Any, hint: str = "") -> str:
    """Return the message for a `value` of the wrong kind, with its type."""
    named = f"{wrong(call, name, rule, value)} ({type(value).__name__})"
    return f"{named}; {hint}" if hint else named


def is_array(value: Any) -> bool:
    """Return whether `value` is a NumPy array with axes (a NumPy scalar has none)."""
    return getattr(value, "ndim", 0) > 0 and hasattr(getattr(value, "dtype", None), "kind")


def whole(
    call: str,
    name: str,
    value: Any,
    minimum: int = 0,
    maximum: int | None = None,
    hint: str = "",
) -> Any:
    """Return `value` as an exact int, or as an int64 array if it is an integer array.

    Raises TypeError if it is not whole, ValueError if it lies outside its bounds.
    """
    rule = "a whole number"
    if is_array(value):
        if value.dtype.kind not in "iu":
            raise TypeError(wrong(call, name, f"{rule} or an integer array", value))
        most = LARGEST if maximum is None else maximum
        if value.size and (value.min() < minimum or value.max() > most):
            worst = value.min() if value.min() < minimum else value.max()
            bound = _bounds(minimum, most)
            raise ValueError(wrong(call, name, f"{bound} everywhere", worst))
        return value.astype("int64")
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        raise TypeError(wrong_type(call, name, rule, value, hint)) from None
    if count < minimum or (maximum is not None and count > maximum):
        raise ValueError(wrong(call, name, _bounds(minimum, maximum), count, hint))
    return count


def one_whole(
    call: str,
    name: str,
    value: Any,
    minimum: int = 0,
    maximum: int | None = None,
    hint: str = "",
) -> int:
    """Return `value` as an exact int, where an array of them has no meaning.

    Raises TypeError for an array, else as `whole` does.
    """
    if is_array(value):
        raise TypeError(wrong(call, name, "one whole number", value))
    return whole(call, name, value, minimum=minimum, maximum=maximum, hint=hint)


def _bounds(minimum: int, maximum: int | None) -> str:
    if maximum is None:
        return f"at least {minimum:,}"
    return f"from {minimum:,} to {maximum:,}"


def number(
    call: str,
    name: str,
    value: Any,
    *,
    unit: str = "",
    above: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    hint: str = "",
) -> Any:
    """Return `value` as a finite number (int, float or array), within its bounds.

    Raises TypeError if it is no number, ValueError if it is not finite or out of bounds.
    """
    rule = "a number" + (f" of {unit}" if unit else "")
    if is_array(value):
        if value.dtype.kind not in "iuf":
            raise TypeError(wrong(call, name, f"{rule} or an array of them", value))
        if value.size == 0:
            return value
        low, high = value.min(), value.max()
    else:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(wrong_type(call, name, rule, value, hint))
        low = high = value
    if not (-math.inf < low and high < math.inf):  # false for nan as well
        worst = high if -math.inf < low else low
        raise ValueError(wrong(call, name, "finite", worst, hint))
    if above is not None and not low > above:
        raise ValueError(wrong(call, name, f"more than {above:g}", low, hint))
    if minimum is not None and not low >= minimum:
        raise ValueError(wrong(call, name, f"at least {minimum:g}", low, hint))
    if maximum is not None and not high <= maximum:
        raise ValueError(wrong(call, name, f"at most {maximum:g}", high, hint))
    return value


def wide(value: Any) -> Any:
    """Return a NumPy number or array as float64, a copy; anything else as it is.

    Narrow types (float16, int8) lose digits or overflow where they are compared or multiplied.
    """
    numeric = getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u", "f")
    return value.astype(float) if numeric else value


def one_number(
    call: str, name: str, value: Any, minimum: float, maximum: float, hint: str = ""
) -> float:
    """Return `value` as a float within its bounds, where an array has no meaning.

    Raises TypeError for an array, else as `number` does.
    """
    if is_array(value):
        raise TypeError(wrong_type(call, name, "one number", value, hint))
    return float(number(call, name, wide(value), minimum=minimum, maximum=maximum))


def together(call: str, named: dict[str, Any]) -> None:
    """Return nothing if all arrays in `named` broadcast to one shape.

    Raises ValueError naming the first that does not.
    """
    seen: tuple[int, ...] = ()
    for name, value in named.items():
        shape = getattr(value, "shape", ())
        pairs = list(itertools.zip_longest(seen[::-1], shape[::-1], fillvalue=1))
        if any(a != b and 1 not in (a, b) for a, b in pairs):
            rule = f"of a shape that broadcasts with {seen}"
            raise ValueError(f"{call}: {name} must be {rule}, got shape {shape}")
        seen = tuple(b if a == 1 else a for a, b in pairs)[::-1]


def kind(call: str, name: str, value: Any, wanted: type | tuple[type, ...], rule: str) -> Any:
    """Return `value` if it is of a `wanted` type; `rule` says what that is in words.

    Raises TypeError otherwise.
    """
    if not isinstance(value, wanted):
        raise TypeError(wrong_type(call, name, rule, value))
    return value


def one_of(call: str, name: str, value: Any, options: Iterable[str]) -> str:
    """Return `value` if it is one of `options`; the message names the closest otherwise.

    Raises TypeError if it is no text, ValueError if it is not among `options`.
    """
    options = list(options)
    kind(call, name, value, str, "text")
    if value in options:
        return value
    near = difflib.get_close_matches(value[:80], options, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(options[:8])}"
    if not near and len(options) > 8:
        hint += f" and {len(options) - 8} more"
    raise ValueError(wrong(call, name, "a known name", value, hint))
