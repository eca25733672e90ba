"""An app: labelled controls, and one pure function from their values to a result.

The same app is shown as Jupyter widgets and as an HTML form (`kvlib.show`). `run` takes what was
typed or chosen, as text, and gives back data: a result, or what is wrong beside which control.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kvlib import _check
from kvlib.apps.controls import Control

__all__ = ["App", "Group", "Outcome", "Part", "Refused", "Result", "defaults", "run"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A section of a long result."""

    title: str
    sentences: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()  # (label, value as printed)
    items: tuple[str, ...] = ()  # of a list
    table: tuple[tuple[str, ...], ...] = ()  # rows; the first has the heads of the columns
    picture: str = ""  # an SVG element
    folded: bool = False


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an app answers: one sentence first, then more, numbers with labels, a picture."""

    headline: str
    sentences: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()  # (label, value as printed)
    picture: str = ""  # an SVG element
    parts: tuple[Part, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()  # (name of the format, text to take away)
    state: str = "info"  # or what a check says: right, slip, wrong, unreadable


@dataclass(frozen=True, kw_only=True)
class Group:
    """Neighbouring controls under one title, from the one with the key `first` on."""

    title: str
    first: str
    folded: bool = False


@dataclass(frozen=True, kw_only=True)
class App:
    """Controls and the function of their values; `answer` takes them by key.

    Where `answer` finds that values which can be read do not go together, it raises Refused.
    """

    key: str
    title: str
    controls: tuple[Control, ...]
    answer: Callable[[Mapping[str, Any]], Result]
    groups: tuple[Group, ...] = ()

    def grouped(self) -> list[tuple[Group | None, list[Control]]]:
        """Return the controls in order, with the group that they stand in."""
        begins = {group.first: group for group in self.groups}
        found: list[tuple[Group | None, list[Control]]] = []
        for control in self.controls:
            if control.key in begins or not found:
                found.append((begins.get(control.key), []))
            found[-1][1].append(control)
        return found


class Refused(Exception):
    """What an app cannot answer: for each control at fault one sentence, without its full stop."""

    def __init__(self, **errors: str) -> None:
        super().__init__(errors)
        self.errors = errors


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
    labels = {control.key: control.label for control in app.controls}
    for control in app.controls:
        if control.key not in typed:
            raise ValueError(f"run: typed must hold {control.key!r}, got {_check.shown([*typed])}")
        text = _check.kind("run", control.key, typed[control.key], str, "text")
        try:
            values[control.key] = control.read(text)
        except ValueError as error:
            errors[control.key] = str(error)
    try:
        if not errors:
            return Outcome(result=app.answer(values))
    except Refused as refused:
        errors = refused.errors
    return Outcome(errors={key: _sentence(labels[key], why) for key, why in errors.items()})


def _sentence(label: str, why: str) -> str:
    return f"{label}: {why}" + ("" if why.endswith("?") else ".")
