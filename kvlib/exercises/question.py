"""A question as data, and the check of a typed answer.

A question is answered with a quantity, by choosing, or openly (any answer that a judge accepts).
The check knows the usual slips: a wrong answer that equals one gets that slip's hint, a number
that is right in another unit is told which unit was probably meant, one that mixed 1,000 and 1,024
is told so, one that is nearly right is asked for more digits, any other wrong answer gets the
first general hint. The right number is right when rounded, too, if two digits are left and nothing
else rounds to them. A comma or a point that may group thousands is read in the writer's favour.
The check never evaluates what was typed and never repeats it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from kvlib import _check, units

__all__ = ["Choice", "Question", "Slip", "Verdict", "check", "rehearsal"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the check says: a state and one or two sentences in plain text."""

    state: str  # "right", "slip", "wrong" or "unreadable"
    message: str


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A known mistake: the value it gives, in base units, and the hint that answers it."""

    value: float
    hint: str


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One answer to choose, and why it is right or wrong."""

    key: str
    text: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """One exercise or prediction. Exactly one of `unit`, `choices` and `judge` is given."""

    key: str  # "1.2": chapter and number; "1.predict" for a prediction
    prompt: str
    answer: float | str  # in base units; the key of a choice; an example for an open question
    unit: str = ""  # the unit asked for, as units.UNITS spells it
    digits: int = 2  # decimals of the printed answer
    tolerance: float = 0.005  # relative
    choices: tuple[Choice, ...] = ()
    judge: Callable[[str], Verdict] | None = None
    slips: tuple[Slip, ...] = ()
    wrong_examples: tuple[str, ...] = ()  # of an open question: answers its judge recognises
    hints: tuple[str, str] = ("", "")
    level: str = ""  # "recall", "transfer", "decide" or "open"
    minutes: int = 1

    def __post_init__(self) -> None:
        given = [bool(self.unit), bool(self.choices), self.judge is not None]
        if sum(given) != 1:
            raise ValueError(f"Question {self.key}: give exactly one of unit, choices and judge")


NEAR = 0.01  # relative: as close as early rounding brings one
KIBI = Fraction(1_024, 1_000)
MIXED = "a prefix of ten (kB, MB, GB) met one of two (KiB, MiB, GiB) on the way"


def check(question: Question, answer_text: str) -> Verdict:
    """Return the verdict on an answer as typed (a choice's key for a question with choices).

    Raises TypeError if `answer_text` is not text; anything else that is typed gets a verdict.
    """
    _check.kind("check", "answer_text", answer_text, str, "text")
    if question.choices:
        return _chosen(question, answer_text)
    if not answer_text.strip():
        return Verdict(state="unreadable", message="Type an answer first.")
    if question.judge is not None:
        return question.judge(answer_text)
    return _quantity(question, answer_text)


def _chosen(question: Question, key: str) -> Verdict:
    for choice in question.choices:
        if choice.key == key:
            right = key == question.answer
            word = "Correct" if right else "Not quite"
            return Verdict(state="right" if right else "slip", message=f"{word}. {choice.reason}")
    return Verdict(state="unreadable", message="Choose one of the answers first.")


def _quantity(question: Question, text: str) -> Verdict:
    asked = units.UNITS[question.unit]
    try:
        typed = units.read(text, asked.kind)
    except units.Unreadable as error:
        example = f"Type one number, written out, and its unit, as in 3.5 {question.unit}."
        unknown = f"That unit is not known here. Answer in {question.unit}."
        other = unknown if error.about == "unit" else example
        return Verdict(state="unreadable", message=misread(error, other))
    unit = typed.unit or asked
    if unit.kind != asked.kind:
        rule = f"Answer in {question.unit}: {unit.name} measures something else."
        return Verdict(state="unreadable", message=rule)
    numbers = [n for n in (typed.number, typed.ambiguous) if n is not None]

    def exact(target: float, size: Fraction) -> bool:
        return any(close(n * size, target, question.tolerance) for n in numbers)

    def rounded(target: float, size: Fraction) -> bool:
        enough = abs(typed.number) >= 10 * typed.place
        return enough and 2 * abs(typed.number * size - Fraction(target)) <= typed.place * size

    for fits in (exact, rounded):
        right = fits(question.answer, unit.size)
        slips = [slip for slip in question.slips if fits(slip.value, unit.size)]
        meant = [pair for pair in confusable(unit) if fits(question.answer, pair[0].size)]
        if right and (fits is exact or not meant):
            return Verdict(state="right", message=f"Correct: {printed(question)}.")
        if right or len(slips) > 1:  # two digits that fit more than one thing tell nothing
            continue
        if slips:
            return Verdict(state="slip", message=f"Not yet. {slips[0].hint}")
        if meant:
            other, why = meant[0]
            said = "You typed" if typed.unit else "The question asks for"
            message = f"Not yet: the number fits {other.name}. {said} {unit.name}{why}."
            return Verdict(state="slip", message=message)
    off = typed.number * unit.size / Fraction(question.answer)
    mixed = [n for n in (1, 2, 3) if any(close(off, KIBI**p, 0.0012) for p in (n, -n))]
    if mixed and abs(typed.number) >= 100 * typed.place:  # three digits, or it may be chance
        times = "" if mixed == [1] else ", more than once"
        return Verdict(state="slip", message=f"Not yet: off by 1,024 for 1,000{times}; {MIXED}.")
    gap = abs(typed.number * unit.size - Fraction(question.answer))
    coarse = 2 * gap <= typed.place * unit.size
    if coarse or any(close(n * unit.size, question.answer, NEAR) for n in numbers):
        return Verdict(state="wrong", message="Close, but not it. Keep more digits on the way.")
    return Verdict(state="wrong", message=f"Not yet. {question.hints[0]}")


def misread(error: units.Unreadable, otherwise: str) -> str:
    """Return what is wrong with unreadable text, without the text: its unit, or `otherwise`."""
    if error.hint.startswith("write "):
        return f"The unit could be misread: {error.hint}."
    return otherwise


def unwrapped(text: str) -> str:
    """Return `text` without the spaces, quotes and full stop around it."""
    return text.strip(" \t\r\n\"'`“”‘’«».,;!\u00a0\u200b\ufeff")


def close(value: float, target: float, tolerance: float) -> bool:
    """Return whether two values agree within a relative tolerance."""
    return abs(Fraction(value) - Fraction(target)) <= Fraction(tolerance) * abs(Fraction(target))


def confusable(unit: units.Unit) -> list[tuple[units.Unit, str]]:
    """Return the units that `unit` may be taken for, the likeliest first, and the difference."""
    same = [u for u in units.UNITS.values() if u.kind == unit.kind and u.name != unit.name]
    pairs = [(other, *_difference(unit.name, other.name)) for other in same]
    pairs.sort(key=lambda pair: pair[2])
    return [(other, f"; {why}" if why else "") for other, why, _ in pairs]


def _difference(typed: str, meant: str) -> tuple[str, int]:
    """Return in what two sizes of one prefix letter differ, and in how many things (9: many)."""
    parts = [re.fullmatch(r"([kKMGTP]?)(i?)(B|b|bit)(?:/s)?", name) for name in (typed, meant)]
    if None in parts or parts[0][1].upper() != parts[1][1].upper():
        return "", 9
    counts = ["bytes" if part[3] == "B" else "bits" for part in parts]
    powers = ["two" if part[2] else "ten" for part in parts]
    if counts[0] == counts[1]:
        return f"{typed} is a power of {powers[0]} and {meant} a power of {powers[1]}", 1
    if powers[0] == powers[1]:
        why = f"{typed} counts {counts[0]} and {meant} counts {counts[1]}"
        return f"{why}: eight bits are one byte", 1
    why = f"{typed} counts {counts[0]} in powers of {powers[0]}"
    return f"{why} and {meant} counts {counts[1]} in powers of {powers[1]}", 2


def printed(question: Question) -> str:
    """Return the answer as the book prints it."""
    if question.unit:
        return units.format_as(question.answer, question.unit, question.digits)
    return str(question.answer)


def rehearsal(question: Question) -> list[tuple[str, str, str]]:
    """Return (typed text, expected state, expected words) for every answer the question knows.

    Tests and the notebooks' hidden checks type these as a reader would.
    """
    if question.choices:
        right = str(question.answer)
        return [(c.key, "right" if c.key == right else "slip", c.reason) for c in question.choices]
    if question.judge is not None:
        known = [(text, "slip", "") for text in question.wrong_examples]
        return [*known, ("no such thing at all", "unreadable", ""), (question.answer, "right", "")]
    size = units.UNITS[question.unit].size
    rows = [("nonsense", "unreadable", "Type one number, written out")]
    rows.append(
        (f"{float(Fraction(question.answer) / size) * 3.33:.9g}", "wrong", question.hints[0])
    )
    rows += [(f"{float(Fraction(s.value) / size):.9g}", "slip", s.hint) for s in question.slips]
    return [*rows, (printed(question), "right", "Correct")]
