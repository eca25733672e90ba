"""An app: labelled controls, and one pure function from their values to a result.

The same app is shown as Jupyter widgets and as an HTML form (`kvlib.show`). `run` takes what was
typed or chosen, as text, and gives back data: a result, or what is wrong beside which control.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kvlib import _check, units

__all__ = ["Amount", "App", "Outcome", "Result", "Select", "Slider", "Whole", "defaults", "run"]


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
    rates, where a bit or another prefix could be meant, only a bare 0 does.
    """

    key: str
    label: str
    default: str
    kind: str  # of units.UNITS
    minimum: str
    maximum: str

    def read(self, typed: str) -> float:
        """Return the quantity in base units. Raises ValueError if unreadable or out of bounds."""
        try:
            quantity = units.read(typed, self.kind)
        except units.Unreadable as error:
            misread = error.about == "unit" and error.hint.startswith("write ")
            if misread and self.kind in ("bytes", "rate"):
                raise ValueError(f"the unit could be misread, {error.hint}") from None
            raise ValueError(f"type a number and its unit, as in {self.default}") from None
        if self.kind in COUNTS:
            _refuse_thousandths(quantity)
        unit = quantity.unit
        if unit is None and (self.kind in BARE or quantity.number == 0):
            unit = units.read(self.default).unit
        if unit is None or unit.kind != self.kind:
            raise ValueError(f"type a number and its unit, as in {self.default}")
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


Control = Select | Whole | Slider | Amount


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an app answers: one sentence first, then more, numbers with labels, a picture."""

    headline: str
    sentences: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()  # (label, value as printed)
    picture: str = ""  # an SVG element
    state: str = "info"  # or what a check says: right, slip, wrong, unreadable


@dataclass(frozen=True, kw_only=True)
class App:
    """Controls and the function of their values; `answer` takes them by key."""

    key: str
    title: str
    controls: tuple[Control, ...]
    answer: Callable[[Mapping[str, Any]], Result]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Either a result, or for each control that cannot be read one sentence."""

    result: Result | None = None
    errors: dict[str, str] = field(default_factory=dict)


def defaults(app: App) -> dict[str, str]:
    """Return the text of every control before anyone touches it."""
    return {c.key: str(c.default) for c in app.controls}


def run(app: App, typed: Mapping[str, str]) -> Outcome:
    """Return what the app answers to `typed`: control key to text.

    Never raises for what a reader may type. Raises TypeError if `typed` is no mapping of text and
    ValueError if it lacks a control.
    """
    _check.kind("run", "typed", typed, Mapping, "a mapping of control keys to text")
    values, errors = {}, {}
    for control in app.controls:
        if control.key not in typed:
            raise ValueError(f"run: typed must hold {control.key!r}, got {_check.shown([*typed])}")
        text = _check.kind("run", control.key, typed[control.key], str, "text")
        try:
            values[control.key] = control.read(text)
        except ValueError as error:
            errors[control.key] = f"{control.label}: {error}."
    return Outcome(errors=errors) if errors else Outcome(result=app.answer(values))
