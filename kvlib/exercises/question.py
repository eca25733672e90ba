"""A question as data, and the check of a typed answer.

A question is answered with a quantity, by choosing, or openly (any answer that a judge accepts).
The check knows the usual slips: a wrong answer that equals one gets that slip's hint, a number
that is right in another unit is told which unit was probably meant, any other wrong answer gets
the first general hint. It never evaluates what was typed and never repeats it.
"""

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


CONFUSED = [  # (typed, meant, why)
    ("iB", "B", "{0} is a power of two and {1} a power of ten"),
    ("B", "iB", "{0} is a power of ten and {1} a power of two"),
    ("b", "B", "{0} counts bits and {1} counts bytes: eight bits are one byte"),
    ("B", "b", "{0} counts bytes and {1} counts bits: eight bits are one byte"),
]


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
        typed = units.read(text)
    except ValueError as error:
        return Verdict(state="unreadable", message=_without_echo(error, question))
    unit = typed.unit or asked
    if unit.kind != asked.kind:
        rule = f"Answer in {question.unit}: {unit.name} measures something else."
        return Verdict(state="unreadable", message=rule)
    value = typed.number * unit.size
    if close(value, question.answer, question.tolerance):
        return Verdict(state="right", message=f"Correct: {printed(question)}.")
    for slip in question.slips:
        if close(value, slip.value, question.tolerance):
            return Verdict(state="slip", message=f"Not yet. {slip.hint}")
    for meant, why in confusable(unit):
        if close(typed.number * meant.size, question.answer, question.tolerance):
            said = "You typed" if typed.unit else "The question asks for"
            reason = why.format(unit.name, meant.name)
            message = f"Not yet: the number fits {meant.name}. {said} {unit.name}; {reason}."
            return Verdict(state="slip", message=message)
    return Verdict(state="wrong", message=f"Not yet. {question.hints[0]}")


def _without_echo(error: ValueError, question: Question) -> str:
    """Return what is wrong with unreadable text without repeating the text."""
    hint = str(error).rpartition("; ")[2]
    if hint.startswith("write "):
        return f"The unit is ambiguous: {hint}."
    return f"Type one number and its unit, as in 3.5 {question.unit}."


def close(value: float, target: float, tolerance: float) -> bool:
    """Return whether two values agree within a relative tolerance."""
    return abs(Fraction(value) - Fraction(target)) <= Fraction(tolerance) * abs(Fraction(target))


def confusable(unit: units.Unit) -> list[tuple[units.Unit, str]]:
    """Return the units that `unit` is often taken for, each with the difference in words."""
    stem, per, second = unit.name.partition("/")
    found = []
    for typed, meant, why in CONFUSED:
        if stem.endswith(typed):
            other = stem.removesuffix(typed).removesuffix("i") + meant + per + second
            other = other.replace("kB", "KB").replace("Kb", "kb")
            if other in units.UNITS and other != unit.name:
                found.append((units.UNITS[other], why))
    return found


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
    rows = [("nonsense", "unreadable", "Type one number")]
    rows.append(
        (f"{float(Fraction(question.answer) / size) * 3.33:.9g}", "wrong", question.hints[0])
    )
    rows += [(f"{float(Fraction(s.value) / size):.9g}", "slip", s.hint) for s in question.slips]
    return [*rows, (printed(question), "right", "Correct")]
