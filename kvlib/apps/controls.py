"""Controls: what a reader sets in an app, and how what was typed is read.

Each `read` takes the text of one control and returns its value in base units, or raises
ValueError with the words that stand beside the control.
"""

import json
import re
from dataclasses import dataclass

from kvlib import units

__all__ = ["Amount", "Control", "Kept", "Select", "Slider", "Text", "Whole"]

LONGEST = 300_000  # characters of a kept set-up
BARE = ("requests", "tokens", "token rate", "seconds", "ratio")  # the unit may be left out
COUNTS = ("tokens", "token rate")  # kinds in which nobody types thousandths


@dataclass(frozen=True, kw_only=True)
class Select:
    """One of a few named options; its value is the option's key."""

    key: str
    label: str
    options: tuple[tuple[str, str], ...]  # (key, text)
    default: str

    def read(self, typed: str) -> str:
        """Return the chosen key. Raises ValueError for an unknown one."""
        if typed not in dict(self.options):
            raise ValueError("choose one of the options")
        return typed


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A whole number within bounds."""

    key: str
    label: str
    default: int
    minimum: int
    maximum: int
    unit: str = ""

    def read(self, typed: str) -> int:
        """Return the number as an int. Raises ValueError if it is not whole or out of bounds."""
        try:
            quantity = units.read(typed)
        except ValueError:
            raise ValueError(f"type a whole number{_thousands(typed)}") from None
        if quantity.unit == units.UNITS["%"] and self.unit:
            raise ValueError(f"type {self.unit}, not a share of them")
        _refuse_thousandths(quantity)
        wanted = units.UNITS.get(self.unit)
        if quantity.number.denominator != 1 or quantity.unit not in (None, wanted):
            raise ValueError("type a whole number")
        if not self.minimum <= quantity.number <= self.maximum:
            raise ValueError(f"type a number from {self.minimum:,} to {self.maximum:,}")
        return int(quantity.number)


@dataclass(frozen=True, kw_only=True)
class Slider(Whole):
    """A whole number on a short scale, chosen by moving along it."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A quantity typed with its unit, such as 25 GB/s; its value is in base units.

    A bare number takes the unit of the default (3 for 3 requests/s, 98 for 98 %); for bytes and
    rates, where a bit or another prefix could be meant, only a bare 0 does. One whose default is
    empty may be left so; its value is then None.
    """

    key: str
    label: str
    default: str
    kind: str  # of units.UNITS
    minimum: str
    maximum: str
    example: str = ""  # where the default is empty

    def read(self, typed: str) -> float | None:
        """Return the quantity in base units. Raises ValueError if unreadable or out of bounds."""
        if not self.default and not typed.strip():
            return None
        example = self.default or self.example
        try:
            quantity = units.read(typed, self.kind)
        except units.Unreadable as error:
            misread = error.about == "unit" and error.hint.startswith("write ")
            if misread and self.kind in ("bytes", "rate"):
                raise ValueError(f"the unit could be misread, {error.hint}") from None
            raise ValueError(f"type a number and its unit, as in {example}") from None
        if self.kind in COUNTS:
            _refuse_thousandths(quantity)
        unit = quantity.unit
        if unit is None and self.kind == "ratio" and 0 < quantity.number <= 1:
            number = float(quantity.number)
            raise ValueError(f"write {number:g} % or {100 * number:g} %")
        if unit is None and (self.kind in BARE or quantity.number == 0):
            unit = units.read(example).unit
        if unit is None or unit.kind != self.kind:
            raise ValueError(f"type a number and its unit, as in {example}")
        exact = quantity.number * unit.size
        value = int(exact) if exact.denominator == 1 else float(exact)
        if not units.parse(self.minimum) <= value <= units.parse(self.maximum):
            raise ValueError(f"type something from {self.minimum} to {self.maximum}")
        return value


def _refuse_thousandths(quantity: units.Quantity) -> None:
    """Raise ValueError for 10.000, which is ten to some readers and ten thousand to others."""
    other = quantity.ambiguous
    if other is not None and other > quantity.number:
        raise ValueError(f"write {int(other):,} or {int(other)}")


def _thousands(typed: str) -> str:
    """Return what 8k may mean, for who typed that: 8,000 to some and 8,192 to others."""
    short = re.fullmatch(r"\s*(\d{1,6})\s*[kK]\s*", typed)
    return f", {int(short[1]) * 1_000:,} or {int(short[1]) * 1_024:,}" if short else ""


@dataclass(frozen=True, kw_only=True)
class Text:
    """Lines of text that are pasted rather than typed; empty unless somebody did."""

    key: str
    label: str
    limit: int  # characters
    default: str = ""

    def read(self, typed: str) -> str:
        """Return the text. Raises ValueError for one that is too long."""
        if len(typed) > self.limit:
            raise ValueError(f"paste at most {self.limit:,} characters, this is {len(typed):,}")
        return typed


@dataclass(frozen=True, kw_only=True)
class Kept:
    """The texts of another set-up, which a reader keeps to compare; none unless one is kept."""

    key: str
    label: str
    default: str = ""

    def read(self, typed: str) -> dict[str, str] | None:
        """Return control key to text, or None. Raises ValueError for what is no set-up."""
        if not typed:
            return None
        try:
            found = json.loads(typed) if len(typed) <= LONGEST else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            raise ValueError("this is no set-up, forget it and keep another")
        return found


Control = Select | Whole | Slider | Amount | Text | Kept
