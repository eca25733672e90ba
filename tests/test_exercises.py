"""Every question answers as it should: right, each slip with its own hint, nonsense refused."""

import itertools

import pytest

from kvlib.exercises import QUESTIONS, Question, Slip, check, find, rehearsal
from kvlib.exercises.question import close, printed
from kvlib.units import UNITS

TYPED = [q for q in QUESTIONS.values() if q.unit]
CHOSEN = [q for q in QUESTIONS.values() if q.choices]
BYTES = Question(
    key="0.1",
    prompt="",
    answer=2**30,
    unit="GiB",
    slips=(Slip(value=2**29, hint="Count V too."),),
    hints=("First hint.", "Second hint."),
)
TIME = Question(key="0.2", prompt="", answer=0.0429497, unit="ms", hints=("Divide.", "Again."))
RATE = Question(key="0.3", prompt="", answer=25e9, unit="GB/s", hints=("Divide.", "By eight."))


@pytest.mark.parametrize("key", QUESTIONS)
def test_every_known_answer_gets_its_own_verdict(key):
    for text, state, words in rehearsal(find(key)):
        verdict = check(find(key), text)
        assert verdict.state == state, (text, verdict)
        assert words in verdict.message


@pytest.mark.parametrize("question", TYPED, ids=lambda q: q.key)
def test_no_slip_lies_within_tolerance_of_the_answer_or_of_another_slip(question):
    values = [question.answer, *(s.value for s in question.slips)]
    for a, b in itertools.combinations(values, 2):
        assert not close(a, b, 2 * question.tolerance)


@pytest.mark.parametrize("question", TYPED, ids=lambda q: q.key)
def test_the_tolerance_has_an_edge(question):
    size = UNITS[question.unit].size
    exact = float(question.answer / size)
    assert check(question, f"{exact * (1 + 0.9 * question.tolerance):.9g}").state == "right"
    assert check(question, f"{exact * (1 + 1.2 * question.tolerance):.9g}").state != "right"


@pytest.mark.parametrize("question", CHOSEN, ids=lambda q: q.key)
def test_exactly_one_choice_is_right_and_each_has_a_reason(question):
    states = [check(question, c.key).state for c in question.choices]
    assert states.count("right") == 1 and len(states) >= 3
    assert all(len(c.reason) > 40 for c in question.choices)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=lambda q: q.key)
def test_a_hint_never_tells_the_printed_answer(question):
    if question.unit:
        assert not any(printed(question) in hint for hint in question.hints)
    if not question.key.endswith("predict"):
        assert all(question.hints) and question.level and question.minutes
        assert len(question.slips) + len(question.choices) + len(question.wrong_examples) >= 2


@pytest.mark.parametrize(
    ("question", "text", "state", "message"),
    [
        (TIME, "42.95 ms", "right", "Correct: 42.95 ms."),
        (TIME, "0.04295 s", "right", "Correct: 42.95 ms."),
        (TIME, "42,95 ms", "right", "Correct: 42.95 ms."),
        (TIME, "42.95", "right", "Correct: 42.95 ms."),
        (TIME, "4.295e-2 s", "right", "Correct: 42.95 ms."),
        (BYTES, "1 GiB", "right", "Correct: 1.00 GiB."),
        (BYTES, "1,073,741,824 B", "right", "Correct: 1.00 GiB."),
        (BYTES, "1.07 GB", "right", "Correct: 1.00 GiB."),
        (
            BYTES,
            "1 GB",
            "slip",
            "Not yet: the number fits GiB. You typed GB; GB is a power of ten and GiB a power of "
            "two.",
        ),
        (
            BYTES,
            "1.0737",
            "slip",
            "Not yet: the number fits GB. The question asks for GiB; GiB is a power of two and GB "
            "a power of ten.",
        ),
        (
            RATE,
            "25 Gb/s",
            "slip",
            "Not yet: the number fits GB/s. You typed Gb/s; Gb/s counts bits and GB/s counts "
            "bytes: eight bits are one byte.",
        ),
        (RATE, "200 Gbit/s", "right", "Correct: 25.00 GB/s."),
        (RATE, "200 Gbps", "right", "Correct: 25.00 GB/s."),
        (BYTES, "0.5 GiB", "slip", "Not yet. Count V too."),
        (BYTES, "77 GiB", "wrong", "Not yet. First hint."),
        (BYTES, "1 ms", "unreadable", "Answer in GiB: ms measures something else."),
        (BYTES, "1 gb", "unreadable", "The unit is ambiguous: write GB or Gb."),
        (BYTES, "  ", "unreadable", "Type an answer first."),
        (BYTES, "2**30", "unreadable", "Type one number and its unit, as in 3.5 GiB."),
        (BYTES, "nan", "unreadable", "Type one number and its unit, as in 3.5 GiB."),
        (BYTES, "1e400", "unreadable", "Type one number and its unit, as in 3.5 GiB."),
        (BYTES, "-1 GiB", "wrong", "Not yet. First hint."),
        (BYTES, "9" * 10_000, "unreadable", "Type one number and its unit, as in 3.5 GiB."),
        (
            BYTES,
            "<img src=x onerror=alert(1)>",
            "unreadable",
            "Type one number and its unit, as in 3.5 GiB.",
        ),
    ],
)
def test_the_check_reads_what_people_type(question, text, state, message):
    verdict = check(question, text)
    assert (verdict.state, verdict.message) == (state, message)


def test_bad_calls_are_refused():
    with pytest.raises(TypeError, match=r"^check: answer_text must be text, got 1 \(int\)$"):
        check(BYTES, 1)
    hint = r"^find: key must be a known name, got '1\.11'; did you mean '1\.1'\?$"
    with pytest.raises(ValueError, match=hint):
        find("1.11")
    rule = r"^Question 0\.4: give exactly one of unit, choices and judge$"
    with pytest.raises(ValueError, match=rule):
        Question(key="0.4", prompt="", answer=1)
