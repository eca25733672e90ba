"""A question as an app: what was typed or chosen goes in, the verdict comes out."""

from collections.abc import Mapping
from dataclasses import dataclass

from kvlib.apps.app import App, Result
from kvlib.exercises.question import Question, check

__all__ = ["Answer", "as_app"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The control of a question: free text, or one of its choices. The check reads it."""

    key: str
    label: str
    question: Question
    default: str = ""

    def read(self, typed: str) -> str:
        """Return what was typed."""
        return typed


def as_app(question: Question) -> App:
    """Return the app of one question."""

    def answer(values: Mapping[str, str]) -> Result:
        verdict = check(question, values["answer"])
        return Result(headline=verdict.message, state=verdict.state)

    unit = f" [{question.unit}]" if question.unit else ""
    name = "Your prediction" if question.key.endswith("predict") else f"Exercise {question.key}"
    label = "Your answer" if question.choices else f"Your answer{unit}"
    control = Answer(key="answer", label=label, question=question)
    return App(key=question.key, title=name, controls=(control,), answer=answer)
