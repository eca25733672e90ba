"""Questions as data, one module per chapter, and the check of an answer."""

from kvlib import _check
from kvlib.exercises import (
    bandwidth,
    budget,
    hits,
    layout,
    overlap,
    payload,
    quantization,
    queueing,
    workbench,
)
from kvlib.exercises.question import Choice, Question, Slip, Verdict, check, rehearsal

__all__ = ["QUESTIONS", "Choice", "Question", "Slip", "Verdict", "check", "find", "rehearsal"]

QUESTIONS: dict[str, Question] = {
    q.key: q
    for chapter in (
        payload,
        bandwidth,
        hits,
        layout,
        quantization,
        overlap,
        budget,
        queueing,
        workbench,
    )
    for q in chapter.QUESTIONS
}


def find(key: str) -> Question:
    """Return the question called `key`, such as "1.2". Raises ValueError for an unknown one."""
    return QUESTIONS[_check.one_of("find", "key", key, QUESTIONS)]
