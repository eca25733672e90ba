"""Every question answers as it should: right, each slip with its own hint, nonsense refused."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
WAIT = Question(
    key="0.4",
    prompt="",
    answer=11.2,
    unit="s",
    tolerance=0.001,
    slips=(Slip(value=12.84, hint="Round down."), Slip(value=12.76, hint="Round up.")),
    hints=("Divide.", "Again."),
)
TWICE = Question(key="0.5", prompt="", answer=1.05 * 2**30, unit="GiB", hints=("Count.", "Again."))
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
        (
            BYTES,
            "1 gb",
            "unreadable",
            "The unit could be misread: write GB for bytes or Gb for bits.",
        ),
        (TIME, "42.95 MS", "unreadable", "The unit could be misread: write ms."),
        (TIME, "42.95 moons", "unreadable", "That unit is not known here. Answer in ms."),
        (TIME, "43.3", "wrong", "Close, but not it. Keep more digits on the way."),
        (TIME, "43.7", "wrong", "Not yet. Divide."),
        (
            TIME,
            "43.98",
            "slip",
            "Not yet: off by 1,024 for 1,000; a prefix of ten (kB, MB, GB) met one of two (KiB, "
            "MiB, GiB) on the way.",
        ),
        (
            BYTES,
            "0.9537 GiB",
            "slip",
            "Not yet: off by 1,024 for 1,000, more than once; a prefix of ten (kB, MB, GB) met one "
            "of two (KiB, MiB, GiB) on the way.",
        ),
        (
            TIME,
            "0.04295",
            "slip",
            "Not yet: the number fits s. The question asks for ms.",
        ),
        (TIME, "42.95 s", "slip", "Not yet: the number fits ms. You typed s."),
        (BYTES, "1073741824", "slip", "Not yet: the number fits B. The question asks for GiB."),
        (
            BYTES,
            "1 Gb",
            "slip",
            "Not yet: the number fits GiB. You typed Gb; Gb counts bits in powers of ten and GiB "
            "counts bytes in powers of two.",
        ),
        (
            BYTES,
            "1 Gib",
            "slip",
            "Not yet: the number fits GiB. You typed Gib; Gib counts bits and GiB counts bytes: "
            "eight bits are one byte.",
        ),
        (
            BYTES,
            "8",
            "slip",
            "Not yet: the number fits Gib. The question asks for GiB; GiB counts bytes and Gib "
            "counts bits: eight bits are one byte.",
        ),
        (
            RATE,
            "25 GiB/s",
            "slip",
            "Not yet: the number fits GB/s. You typed GiB/s; GiB/s is a power of two and GB/s a "
            "power of ten.",
        ),
        # the right number with two digits left, if nothing else rounds to them
        (BYTES, "1.1 GB", "right", "Correct: 1.00 GiB."),
        (BYTES, "8.6 Gb", "right", "Correct: 1.00 GiB."),
        (TIME, "43", "right", "Correct: 42.95 ms."),
        (TIME, "0.043 s", "right", "Correct: 42.95 ms."),
        (TIME, "0.04 s", "wrong", "Close, but not it. Keep more digits on the way."),
        (TIME, "4.3e4 µs", "right", "Correct: 42.95 ms."),
        (TIME, "0.04 min", "wrong", "Not yet. Divide."),
        (WAIT, "11", "right", "Correct: 11.20 s."),
        (WAIT, "11.3", "wrong", "Close, but not it. Keep more digits on the way."),
        (WAIT, "12.8", "wrong", "Not yet. Divide."),  # two slips round to it
        (WAIT, "12.84", "slip", "Not yet. Round down."),
        (WAIT, "0.19 min", "right", "Correct: 11.20 s."),
        (WAIT, "0.19", "slip", "Not yet: the number fits min. The question asks for s."),
        (
            BYTES,
            "1.1",
            "slip",
            "Not yet: the number fits GB. The question asks for GiB; GiB is a power of two and GB "
            "a power of ten.",
        ),
        (TWICE, "1.05", "right", "Correct: 1.05 GiB."),
        (TWICE, "1.1", "wrong", "Close, but not it. Keep more digits on the way."),
        # a comma or a point that may group thousands
        (TIME, "42,950 ms", "right", "Correct: 42.95 ms."),
        (TIME, "42.950 µs", "right", "Correct: 42.95 ms."),
        (TIME, "42950 ms", "slip", "Not yet: the number fits µs. You typed ms."),
        (TIME, "42,950 s", "slip", "Not yet: the number fits ms. You typed s."),
        (BYTES, "1,024 MiB", "right", "Correct: 1.00 GiB."),
        (BYTES, "1.024 MiB", "right", "Correct: 1.00 GiB."),
        (BYTES, "0,500 GiB", "slip", "Not yet. Count V too."),
        (BYTES, "536.871 KB", "slip", "Not yet. Count V too."),
        # what is no answer
        (
            TIME,
            "42.95 m",
            "unreadable",
            "The unit could be misread: write min for minutes or ms for milliseconds.",
        ),
        (
            RATE,
            "200G",
            "unreadable",
            "The unit could be misread: write GB/s for bytes or Gb/s for bits.",
        ),
        (RATE, "25 GB", "unreadable", "Answer in GB/s: GB measures something else."),
        (BYTES, "5 °", "unreadable", "Type one number, written out, and its unit, as in 3.5 GiB."),
        (
            BYTES,
            "1e99 GiB",
            "unreadable",
            "Type one number, written out, and its unit, as in 3.5 GiB.",
        ),
        (BYTES, "1e-99 GiB", "wrong", "Not yet. First hint."),
        (BYTES, "0", "wrong", "Not yet. First hint."),
        (BYTES, "  ", "unreadable", "Type an answer first."),
        (
            BYTES,
            "2**30",
            "unreadable",
            "Type one number, written out, and its unit, as in 3.5 GiB.",
        ),
        (BYTES, "nan", "unreadable", "Type one number, written out, and its unit, as in 3.5 GiB."),
        (
            BYTES,
            "1e400",
            "unreadable",
            "Type one number, written out, and its unit, as in 3.5 GiB.",
        ),
        (BYTES, "-1 GiB", "wrong", "Not yet. First hint."),
        (
            BYTES,
            "9" * 10_000,
            "unreadable",
            "Type one number, written out, and its unit, as in 3.5 GiB.",
        ),
        (
            BYTES,
            "<img src=x onerror=alert(1)>",
            "unreadable",
            "Type one number, written out, and its unit, as in 3.5 GiB.",
        ),
    ],
)
def test_the_check_reads_what_people_type(question, text, state, message):
    verdict = check(question, text)
    assert (verdict.state, verdict.message) == (state, message)


FOUND = {  # question: what readers typed, and the verdict
    "1.1": {
        "32 KiB": "Not yet. That is one token. The prompt has 32,768 of them.",
        "0.25": "Not yet. That is a quarter. A key and a value make two, and so do the bytes of an "
        "element: both twos count.",
    },
    "1.2": {
        "0.27 GiB": "Correct: 274.5 MiB.",
        "288 MB": "Correct: 274.5 MiB.",
        "70,272 B": "Not yet. That is one token. The question asks about 4,096 of them.",
        "137.25": "Not yet. That takes one byte for an element. The elements here have two.",
    },
    "1.3": {
        "6.1": "Correct: 6.09 GiB.",
        "3.05": "Not yet. That is half. A layer keeps a key and a value for each token that it "
        "holds.",
        "384 MiB": "Not yet. That is one request, with all 24 layers billed for every token. There "
        "are 32, and half of the layers keep the last 128 tokens.",
    },
    "1.5": {
        "openai/gpt-oss-20b": "Correct: it holds 771.00 MiB (808.45 MB).",
        '"GPT-OSS-20B".': "Correct: it holds 771.00 MiB (808.45 MB).",
        "meta-llama/Llama-3.2-1B-Instruct": "Correct: it holds 1.00 GiB (1.07 GB).",
        "google/gemma-3-27b-it": "Not yet. That model holds 2.91 GiB (3.12 GB), more than "
        "1.00 GiB (1.07 GB).",
        "GPT-5": "Type a name from the catalogue, as it is listed above.",
    },
    "2.1": {
        "343.6 m": "The unit could be misread: write min for minutes or ms for milliseconds.",
        "320": "Not yet. That takes GB for GiB. A GiB is 2^30 bytes.",
    },
    "2.2": {
        "127": "Not yet. That takes GB for GiB. A GiB is 2^30 bytes.",
        "17.04": "Not yet. That reads the label as bytes. Gb/s counts bits: divide by eight first.",
        "1,090": "Not yet. That divides by eight twice. Bits become bytes once.",
    },
    "2.3": {
        "107,374 ms": "Correct: 107.37 ms.",
        "100 ms": "Not yet. That takes GB for GiB. A GiB is 2^30 bytes.",
        "13.4": "Not yet. That reads the label as bytes. Gb/s counts bits: divide by eight first.",
    },
    "2.6": {
        "800 gb/s": "The unit could be misread: write GB/s for bytes or Gb/s for bits.",
        "800G": "The unit could be misread: write GB/s for bytes or Gb/s for bits.",
        "800": "Type a rate with its unit, as in 100 Gb/s.",
        "800 Gb": "Type a rate with its unit, as in 100 Gb/s.",
        "1 b/s": "Type a rate from 1 Gb/s to 100 Tb/s.",
        "800 gigabits per second": "Correct: each hand-off needs at least 42.95 ms.",
        "200 Gb/s": "Not yet. One alone would be in time, but four share the link: each hand-off "
        "needs at least 171.80 ms.",
        "400 Gb/s": "Not yet. That is too slow: each hand-off needs at least 85.90 ms.",
        "1.6 Tb/s": "Not yet. That is more than you need: each hand-off needs at least 21.47 ms.",
    },
    "3.1": {
        "805.3 MB": "Correct: 768 MiB.",
        "0.75 GiB": "Correct: 768 MiB.",
        "84.4 MB": "Not yet. That subtracts the source hit. It spares work, and no byte: the "
        "destination lacks the cached tokens as well.",
        "805,306,368": "Not yet: the number fits B. The question asks for MiB.",
        "687.5": "Not yet. That moves what was cached and leaves out what was computed. The "
        "destination needs both.",
    },
    "3.2": {
        "1": "Not yet. That is right for pages of one token. Here the hit ends with a whole page.",
        "1984": "Not yet. That is the hit. The question asks for what is left to compute.",
        "39 ms": "Answer in tokens: ms measures something else.",
    },
    "3.3": {
        "0.0738 s": "Correct: 73.8 ms.",
        "859": "Not yet. That moves the whole prompt. Here the protocol leaves out what the "
        "destination holds.",
    },
    "3.5": {
        "102 Gb/s": "Correct: 12.71 GB/s.",
        "102": "Not yet. That is eight times too much. Eight query heads share a KV head; and the "
        "question asks for bytes, not bits.",
    },
    "3.6": {
        "6144 tokens": "Correct: prefill sustains 11.72 requests/s.",
        "5,120": "Not yet. Prefill sustains 7.81 requests/s, and decode no less.",
        "5,121": "Correct: prefill sustains 7.82 requests/s.",
        "7,161": "Correct: prefill sustains 23.28 requests/s.",
        "7,162": "Not yet. Prefill sustains 23.30 requests/s, and the link no more.",
        "9,000": "Type a number of tokens from 0 to 8,192.",
        "75 %": "Type a whole number of tokens, as in 4,096.",
        "0.5": "Type a whole number of tokens, as in 4,096.",
    },
    "4.1": {
        "376 MiB": "Correct: 394.3 MB.",
        "0.39 GB": "Correct: 394.3 MB.",
        "98.6": "Not yet. That divides by the number of GPUs. There are four heads, and no rank "
        "holds less than one.",
        "376": "Not yet: the number fits MiB. The question asks for MB; MB is a power of ten and "
        "MiB a power of two.",
        "394264576": "Not yet: the number fits B. The question asks for MB.",
        "385.0": "Not yet. That takes 8,000 for 8,192 on the way, or 1,000 for 1,024.",
    },
    "4.2": {
        "1.07 GiB": "Correct: 1.15 GB.",
        "1151336448": "Not yet: the number fits B. The question asks for GB.",
        "1151336448 B": "Correct: 1.15 GB.",
        "1.124": "Not yet. That takes 8,000 for 8,192 on the way, or 1,000 for 1,024.",
        "9.2": "Not yet. That sends to all sixteen ranks. Under data-parallel attention a request "
        "lives on 16 / 8 of them.",
    },
    "4.3": {
        "5,243 ms": "Correct: 5.24 s.",
        "1.31": "Not yet. That is what goes to one decode rank. A prefill rank writes to four.",
        "2.62 s": "Not yet. That is K alone. V lies in buffers of its own.",
        "5.12": "Not yet. That takes 8,000 for 8,192 on the way, or 1,000 for 1,024.",
    },
    "4.6": {
        **{
            text: "Correct: 1× the payload crosses, 376.00 MiB (394.26 MB) at the busiest rank."
            for text in ("4:4", "4 : 4", "4/4", "4 to 4", "4→4", "4->4", "“4:4”.")
        },
        "8:8": "Not yet. Copies are sent: 2× the payload crosses, 376.00 MiB (394.26 MB) at the "
        "busiest rank.",
        "1:4": "Not yet. One rank has too much to move: 1× the payload crosses, 1.47 GiB (1.58 GB) "
        "at the busiest rank.",
        "4:3": "Not yet. That pair cannot hand off. Both must fit four heads, and one must divide "
        "the other.",
        "0:4": "Not yet. Try sizes from 1 to 64.",
        "4": "Type two whole numbers with a colon between them, prefill first, as in 8:16.",
    },
    "5.1": {
        "1,280 MiB": "Correct: 1.25 GiB.",
        "1 GiB": "Not yet. Those are the codes alone. Every group of 32 has a scale and a zero "
        "point.",
        "1.25 GB": "Not yet: the number fits GiB. You typed GB; GB is a power of ten and GiB a "
        "power of two.",
    },
    "5.2": {
        "274.5 MiB": "Not yet. That halves all 576 elements. The rotary key stays in bf16, and "
        "the latent has four scales.",
        "327.8 MB": "Correct: 312.6 MiB.",
    },
    "5.4": {
        "15.3 GB/s": "Correct: 122.4 Gb/s.",
        "15.3": "Not yet: the number fits GB/s. The question asks for Gb/s; Gb/s counts bits and "
        "GB/s counts bytes: eight bits are one byte.",
    },
    "5.6": {
        "Q8_0 / Q4_0": "Correct: the bound is 17.45 ms.",
        "q8_0/q5_0": "Correct: the bound is 18.79 ms.",
        "q8_0": "Type two names from FORMATS with a slash between them, K first, as in q8_0/q8_0.",
        "q8_0/q8_0": "Not yet. That is too slow: the bound is 22.82 ms.",
        "q8_0/kivi4_value": "Not yet. It would do, the bound is 18.18 ms, but no engine here gives "
        "K and V these two.",
        "q4_0/q8_0": "Not yet. K has codes of 4 bits, and 8 were asked for.",
        "fp8_e4m3/nvfp4": "Not yet. It would do, the bound is 16.78 ms, but no engine here gives K "
        "and V these two.",
    },
    "6.3": {
        "41.94": "Not yet. That is the cached part alone. The last 192 tokens still follow on the "
        "link.",
        "42.95": "Correct: 42.95 ms.",
    },
    "6.6": {
        "24.0": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    },
    "7.2": {
        "4.7 hand-offs/s": "Correct: 4.66 requests/s.",
        "279 requests/min": "Correct: 4.66 requests/s.",
        "0.215": "Not yet. That is seconds per hand-off. Turn the fraction over.",
        "0.58": "Not yet. That is an eighth. Bits become bytes only once, and the cache keeps the "
        "8 KV heads, not all 64 heads.",
        "4.66 requests": "That unit is not known here. Answer in requests/s.",
    },
    "7.3": {
        "2.92 min": "Correct: 175 s.",
        "2.9 min": "Correct: 175 s.",
        "2.92": "Not yet: the number fits min. The question asks for s.",
        "186": "Not yet. That rounds the rate of prefill early. A small difference of two rates "
        "needs their digits.",
        "184 s": "Not yet. That rounds the rate of prefill early. A small difference of two rates "
        "needs their digits.",
        "1,075": "Not yet. That counts every arrival. Prefill has taken most of them by then.",
        "3 min": "Close, but not it. Keep more digits on the way.",
    },
    "7.5": {
        "11 s": "Correct: 11.2 s.",
        "11.237 s": "Not yet. That lets in a part of a prompt. Count whole prompts, then divide.",
        "56": "Not yet. That is how many fit. Divide them by the rate.",
    },
    "7.6": {
        **{
            text: "Correct. Decode gives way first, at 9.38 requests/s."
            for text in ("10:6", "10–6", "10—6", "10 : 6", "10:6.", "10/6", "10 and 6", " '10-6' ")
        },
        "4:3": "Not yet. 4 + 3 is 7, not 16.",
        "16:0": "Not yet. Both sides need a worker.",
        "6:10": "Not yet. Prefill gives way first, at 5.86 requests/s, which is too little.",
        "10": "Type two whole numbers with a colon between them, prefill first, as in 6:10.",
    },
    "7.7": {
        "5,570 ms": "Correct: 5.57 s.",
        "5.6": "Correct: 5.57 s.",
        "1.11": "Not yet. That multiplies by 80 % alone. Divide by the idle part, too: waits grow "
        "without end as it goes to nothing.",
        "1.39": "Not yet. That leaves out how full the worker is. Busy over idle is 1 at half "
        "load, and it grows from there.",
        "6.6 s": "Not yet. That adds the request's own prefill. Until then it has waited less.",
    },
    "7.8": {
        "322 %": "Correct: 3.22×.",
        "3": "Not yet. That counts 2.5 GiB as 2.5 GB. Links count in powers of ten, payloads fall "
        "on powers of two.",
        "2.22": "Not yet. That is what the link cannot carry. The question asks for all that was "
        "given away.",
        "0.31": "Not yet. That is the part of the demand that the link can carry. Turn it over.",
    },
    "8.1": {
        "240 requests/min": "Correct: 4.00 requests/s.",
        "10": "Not yet. That is the payload at the label's rate. Both copies cross, and transfers "
        "reach 80 % of the label.",
        "5": "Not yet. That is the label's rate. Transfers reach 80 % of it.",
        "0.25": "Not yet. That is seconds per hand-off. Turn the fraction over.",
    },
    "8.2": {
        "3.7": "Correct: 3.73 requests/s.",
        "1.46": "Not yet. That computes the whole prompt. Prefill holds three quarters of it.",
        "4": "Not yet. That takes 5 GB for 5 GiB. Model shapes give powers of two.",
    },
    "8.3": {
        "80 %": "Correct: 79.9 %.",
        "0.799 ×": "Correct: 79.9 %.",
        "74.4": "Not yet. That believes the name. The code divides by a power of two.",
    },
    "8.5": {
        **{
            text: "Correct. Prefill gives way first, at 3.91 requests/s."
            for text in ("4:4, 400 Gb/s, fp8", "4 : 4; 50 GB/s; FP8.", "4:4,400 Gbit/s,fp8")
        },
        "5:3, 800 Gb/s, bf16": "Correct. Decode gives way first, at 4.69 requests/s.",
        "4:4, 400 Gb/s, bf16": "Not yet. The network gives way first, at 3.17 requests/s, which is "
        "too little.",
        "4:4, 400 GB/s, bf16": "Not yet. 400 GB/s are 3,200 Gb/s, and 800 Gb/s is the most here: "
        "B counts bytes, b counts bits.",
        "4:4, 100 GB/s, bf16": "Correct. Prefill gives way first, at 3.91 requests/s.",
        "4:4, 1.6 Tb/s, bf16": "Not yet. That link has 1,600 Gb/s, and 800 Gb/s is the most here.",
        "3:5, 50 Tb/s, fp8": "Type split, link and format with commas between them, as in 3:5, "
        "400 Gb/s, bf16.",
        "4:4, 400, fp8": "Type split, link and format with commas between them, as in 3:5, "
        "400 Gb/s, bf16.",
        "4:5, 400 Gb/s, fp8": "Not yet. 4 + 5 is 9, not 8.",
        "8:0, 400 Gb/s, fp8": "Not yet. Both sides need a worker.",
    },
}


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [(key, text, message) for key, found in FOUND.items() for text, message in found.items()],
)
def test_what_readers_typed_gets_the_answer_that_helps(key, text, message):
    assert check(find(key), text).message == message


@pytest.mark.parametrize("question", TYPED, ids=lambda q: q.key)
def test_right_answers_and_slips_are_known_in_every_unit_of_their_kind(question):
    said = [(question.answer, "right", f"Correct: {printed(question)}.")]
    said += [(s.value, "slip", f"Not yet. {s.hint}") for s in question.slips]
    kind = UNITS[question.unit].kind
    for unit in (u for u in UNITS.values() if u.kind == kind):
        for value, state, message in said:
            verdict = check(question, f"{float(Fraction(value) / unit.size):.9g} {unit.name}")
            assert (verdict.state, verdict.message) == (state, message)


@pytest.mark.parametrize("question", TYPED, ids=lambda q: q.key)
def test_the_unit_is_named_where_the_number_is_right_in_another(question):
    asked = UNITS[question.unit]
    for meant in (u for u in UNITS.values() if u.kind == asked.kind and u is not asked):
        number = float(Fraction(question.answer) / meant.size)
        verdict = check(question, f"{number:.9g}")
        slips = {f"Not yet. {s.hint}" for s in question.slips}
        if verdict.message not in slips:
            start = f"Not yet: the number fits {meant.name}. The question asks for {asked.name}"
            assert verdict.state == "slip" and verdict.message.startswith(start)


@pytest.mark.parametrize("question", TYPED, ids=lambda q: q.key)
def test_each_slip_has_a_hint_of_its_own(question):
    hints = [s.hint for s in question.slips]
    assert len(hints) >= 3 and all(len(hint) > 25 for hint in hints)
    assert not set(hints) & set(question.hints)


MARK = "⟦typed⟧"


@given(st.sampled_from(sorted(QUESTIONS)), st.text(max_size=40), st.text(max_size=20))
def test_any_text_gets_a_verdict_that_never_repeats_it(key, before, after):
    verdict = check(find(key), before + MARK + after)
    assert verdict.state == "unreadable" and MARK not in verdict.message


@given(
    st.sampled_from([q.key for q in TYPED]),
    st.from_regex(r"[+-]?[0-9]{1,12}([.,][0-9]{0,12})?(e[+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["", *UNITS, "gb", "moons", "m"]),
)
def test_any_quantity_gets_a_verdict(key, number, unit):
    verdict = check(find(key), f"{number} {unit}")
    assert verdict.state in {"right", "slip", "wrong", "unreadable"}
    assert 10 < len(verdict.message) < 250 and verdict.message.endswith(".")


def test_bad_calls_are_refused():
    with pytest.raises(TypeError, match=r"^check: answer_text must be text, got 1 \(int\)$"):
        check(BYTES, 1)
    hint = r"^find: key must be a known name, got '1\.11'; did you mean '1\.1'\?$"
    with pytest.raises(ValueError, match=hint):
        find("1.11")
    rule = r"^Question 0\.4: give exactly one of unit, choices and judge$"
    with pytest.raises(ValueError, match=rule):
        Question(key="0.4", prompt="", answer=1)
