"""Typed: what a reader types after an option, into numbers in base units.

A quantity is typed with its unit. One whose unit no one mistakes may stand without: tokens,
requests/s, a fraction. A size, a time and a link's rate may not. Nothing is evaluated.
"""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kvlib import _check, units
from kvlib.bandwidth import LINKS
from kvlib.payload import Geometry

__all__ = [
    "amount",
    "fraction",
    "geometry",
    "link_rate",
    "one_of",
    "pair",
    "split",
    "tokens",
    "whole",
]


def _refused(hint: str) -> ArgumentTypeError:
    return ArgumentTypeError(hint)


def whole(text: str, kind: str = "") -> int:
    """Return a whole number as typed; 10.000 is ten to some and ten thousand to others."""
    try:
        found = units.read(text)
    except ValueError:
        raise _refused(f"type a whole number, got {_check.shown(text)}") from None
    other = found.ambiguous
    if other is not None and other > found.number:
        raise _refused(f"write {int(other):,} or {int(other)}, got {_check.shown(text)}")
    if found.number.denominator != 1 or found.unit not in (None, units.UNITS.get(kind)):
        raise _refused(f"type a whole number, got {_check.shown(text)}")
    return int(found.number)


def tokens(text: str) -> int:
    """Return a number of tokens, with or without the word."""
    return whole(text, "tokens")


def pair(text: str) -> tuple[int, int]:
    """Return two whole numbers as in 3:5; one number stands for both sides."""
    parts = text.split(":")
    if len(parts) > 2:
        raise _refused(f"type two numbers, as in 3:5, got {_check.shown(text)}")
    first, last = whole(parts[0]), whole(parts[-1])
    return first, last


def split(text: str) -> tuple[int, int]:
    """Return the workers of prefill and of decode, as in 3:5."""
    if text.count(":") != 1:
        raise _refused(f"type prefill:decode, as in 3:5, got {_check.shown(text)}")
    return pair(text)


def amount(kind: str, example: str, bare: str = "") -> Callable[[str], float]:
    """Return the reader of a quantity; without a unit it takes `bare`, or is refused."""

    def read(text: str) -> float:
        try:
            found = units.read(text, kind)
        except units.Unreadable as error:
            clear = error.about == "unit" and error.hint.startswith("write ")
            hint = error.hint if clear else f"type a number and its unit, as in {example}"
            raise _refused(f"{hint}, got {_check.shown(text)}") from None
        unit = found.unit
        if unit is None and (bare or found.number == 0):
            unit = units.UNITS[bare] if bare else units.read(example).unit
        if unit is None or unit.kind != kind:
            raise _refused(f"type a number and its unit, as in {example}, got {_check.shown(text)}")
        value = found.number * unit.size
        return int(value) if value.denominator == 1 else float(value)

    return read


def link_rate(text: str) -> float:
    """Return the rate of a named link, or a rate as typed."""
    named = {name.lower(): link for name, link in LINKS.items()}
    if text.strip().lower() in named:
        return named[text.strip().lower()].payload_rate
    return amount("rate", "200 Gb/s")(text)


def fraction(text: str) -> float:
    """Return a fraction: 0.8 and 80 % are one."""
    return amount("ratio", "80 %", bare="×")(text)


def geometry(text: str) -> Geometry:
    """Return the geometry in three numbers."""
    parts = text.split(":")
    if len(parts) != 3:
        raise _refused(f"type layers:kv_heads:head_dim, as in 32:8:128, got {_check.shown(text)}")
    layers, heads, width = map(whole, parts)
    try:
        return Geometry(layers=layers, kv_heads=heads, head_dim=width)
    except ValueError as problem:
        raise _refused(str(problem).removeprefix("Geometry: ")) from None


def one_of(
    options: Iterable[str], make: Callable[[str], Any], short: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Return the reader of a known name; an unknown one is answered with the closest.

    `short` has names that stand for others.
    """

    def read(text: str) -> Any:
        name = text.strip().lower()
        try:
            return make(_check.one_of("", "name", (short or {}).get(name, name), options))
        except ValueError as problem:
            raise _refused(str(problem).removeprefix(": ")) from None

    return read
