"""The questions of chapter 7: the service budget."""

import re
from dataclasses import replace

from kvlib.budget import Service, backlog, capacity
from kvlib.exercises.question import Choice, Question, Slip, Verdict, unwrapped
from kvlib.models import load
from kvlib.units import GB, Gbit_s, format_as

__all__ = ["LARGER", "LEASE", "OVER", "POOL", "QUESTIONS", "SIXTEEN", "TARGET", "TEXT", "TWO"]

TEXT = Service()  # the source text's service
TWO = Service(prefill_workers=2, prefill_rate=9_000, prompt_tokens=5_000, output_tokens=300)
LARGER = replace(TEXT, model=load("llama-3.1-70b"), network_rate=100 * Gbit_s)
SIXTEEN = replace(TEXT, workers=16, prefill_workers=6)
TARGET = 7.5  # requests/s that question 7.6 asks sixteen workers for
POOL, LEASE, ALLOWED = 344_253, 6_127, 64  # tokens, tokens, hand-offs: sglang-omni 1718
OVER, MINUTES = 3.5, 15  # arrivals in requests/s and how long they last, question 7.3
PREFILL, WAITING = capacity(TEXT).prefill, backlog(TEXT, OVER, MINUTES * 60)
PAIR, LINK = capacity(TWO).prefill, capacity(LARGER).network  # requests/s, questions 7.1 and 7.2

PREDICT = Question(
    key="7.predict",
    prompt="One change is allowed. Which raises what the whole service sustains?",
    answer="worker",
    choices=(
        Choice(
            key="network",
            text="a link of 400 Gb/s in place of 200 Gb/s",
            reason="The old link already carries 23.28 requests/s and prefill stops at "
            "2.93 requests/s. Twice a bound that is not the smallest changes nothing.",
        ),
        Choice(
            key="worker",
            text="one decode worker becomes a prefill worker",
            reason="Prefill rises from 2.93 requests/s to 3.91 requests/s. Decode falls to "
            "6.25 requests/s and is still not first, so the service gains a third.",
        ),
        Choice(
            key="decode",
            text="faster decode workers: 1,000 tokens/s in place of 800 tokens/s",
            reason="Decode already sustains 7.81 requests/s. It waits for prefill, and it would "
            "wait longer.",
        ),
        Choice(
            key="format",
            text="an 8-bit cache, which halves every hand-off",
            reason="That is the faster link again: the network bound doubles and prefill stays "
            "where it is. It may be worth it for memory, which comes later in this chapter.",
        ),
    ),
)

_SPLIT = re.compile(r"([0-9]{1,4})\s*(?:[:/,–—-]|to|and)\s*([0-9]{1,4})")


def _sixteen(text: str) -> Verdict:
    """Judge question 7.6: any split of sixteen workers that sustains the target."""
    typed = _SPLIT.fullmatch(unwrapped(text))
    if typed is None:
        hint = "Type two whole numbers with a colon between them, prefill first, as in 6:10."
        return Verdict(state="unreadable", message=hint)
    prefill, decode = int(typed[1]), int(typed[2])
    if prefill + decode != SIXTEEN.workers:
        rule = f"{prefill} + {decode} is {prefill + decode}, not {SIXTEEN.workers}"
        return Verdict(state="slip", message=f"Not yet. {rule}.")
    if 0 in (prefill, decode):
        return Verdict(state="slip", message="Not yet. Both sides need a worker.")
    found = capacity(replace(SIXTEEN, prefill_workers=prefill))
    limit = format_as(found.limit, "requests/s")
    said = f"{found.first.capitalize()} gives way first, at {limit}"
    if found.limit >= TARGET:
        return Verdict(state="right", message=f"Correct. {said}.")
    return Verdict(state="slip", message=f"Not yet. {said}, which is too little.")


QUESTIONS = (
    PREDICT,
    Question(
        key="7.1",
        prompt="Capacity of two prefill workers at 9,000 tokens/s, prompts of 5,000 tokens.",
        answer=PAIR,
        unit="requests/s",
        slips=(
            Slip(value=PAIR / 2, hint="That is one worker. The pool has two."),
            Slip(
                value=2 * TWO.prefill_rate / (TWO.prompt_tokens + TWO.output_tokens),
                hint="That charges the answer to prefill. Decode writes those 300 tokens.",
            ),
            Slip(
                value=2 * TWO.prefill_rate / TWO.output_tokens,
                hint="That divides by the answer. Prefill reads the prompt.",
            ),
            Slip(value=1 / PAIR, hint="That is seconds per request. Turn the fraction over."),
        ),
        hints=(
            "Tokens per second of the pool, over tokens per request.",
            "The pool reads 18,000 tokens/s. One request asks it for 5,000 tokens.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="7.2",
        prompt="Network capacity: Llama-3.1-70B, 8,192 tokens, one link of 100 Gb/s.",
        answer=LINK,
        unit="requests/s",
        slips=(
            Slip(
                value=8 * LINK,
                hint="That reads the link in bytes. Its label counts bits: divide by eight.",
            ),
            Slip(
                value=LARGER.network_rate / (2.5 * GB),
                hint="That takes 2.5 GB for 2.5 GiB. Links count in powers of ten, payloads fall "
                "on powers of two.",
            ),
            Slip(
                value=2 * LINK,
                hint="That is half the payload. A token leaves a key and a value.",
            ),
            Slip(
                value=LARGER.network_rate / TEXT.payload_bytes,
                hint="That is the payload of 32 layers. This model has 80.",
            ),
            Slip(
                value=LINK / 8,
                hint="That is an eighth. Bits become bytes only once, and the cache keeps the 8 "
                "KV heads, not all 64 heads.",
            ),
            Slip(value=1 / LINK, hint="That is seconds per hand-off. Turn the fraction over."),
        ),
        hints=(
            "First the payload of one request in bytes, then the link in bytes per second.",
            "2 × 80 × 8 × 128 × 8,192 elements of two bytes, over a link that moves 12.5 GB/s.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="7.3",
        prompt="The wait for prefill of a request in fifteen minutes, if nothing waits now.",
        answer=WAITING / PREFILL,
        unit="s",
        digits=0,
        slips=(
            Slip(
                value=WAITING,
                hint="That is how many requests wait. Prefill works through them at its own rate.",
            ),
            Slip(
                value=WAITING / OVER,
                hint="That divides by arrivals. A queue empties at the rate of the stage it "
                "waits for.",
            ),
            Slip(
                value=WAITING / capacity(TEXT).decode,
                hint="That lets decode empty the queue. The queue stands before prefill.",
            ),
            Slip(
                value=OVER * MINUTES * 60 / PREFILL,
                hint="That counts every arrival. Prefill has taken most of them by then.",
            ),
            *(
                Slip(
                    value=(OVER - round(PREFILL, 1)) * MINUTES * 60 / rate,
                    hint="That rounds the rate of prefill early. A small difference of two rates "
                    "needs their digits.",
                )
                for rate in (PREFILL, round(PREFILL, 1))
            ),
        ),
        hints=(
            "First how fast the backlog grows, then how many wait, then how long they take.",
            "It grows by 0.57 requests/s for 900 s, and prefill takes 2.93 requests/s from it.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="7.4",
        prompt="Answers of 2,048 tokens. Which change raises what the service sustains?",
        answer="faster",
        choices=(
            Choice(
                key="link",
                text="a link of 400 Gb/s",
                reason="The hand-off carries the prompt's cache, which has not changed. The link "
                "sustains 23.28 requests/s; decode now stops at 1.95 requests/s.",
            ),
            Choice(
                key="move",
                text="one prefill worker becomes a decode worker",
                reason="Decode rises to 2.34 requests/s, and prefill with two workers falls to "
                "1.95 requests/s. The bound has moved to another stage and is as low as before.",
            ),
            Choice(
                key="back",
                text="one decode worker becomes a prefill worker",
                reason="That helped before the answers grew. Now decode is first, and with four "
                "workers it falls to 1.56 requests/s.",
            ),
            Choice(
                key="faster",
                text="decode workers of 1,000 tokens/s",
                reason="Decode rises to 2.44 requests/s. It is still first, below the "
                "2.93 requests/s of prefill, so the service gains all of it.",
            ),
        ),
        hints=(
            "Work out all three bounds again. Which is the smallest now?",
            "For each change look at the smallest bound after it, not at the one that it raises.",
        ),
        level="decide",
        minutes=4,
    ),
    Question(
        key="7.5",
        prompt="How long may a hand-off hold its prompt, at 5 requests/s?",
        answer=(POOL // LEASE) / 5,
        unit="s",
        digits=1,
        tolerance=0.0015,
        slips=(
            Slip(
                value=POOL / LEASE / 5,
                hint="That lets in a part of a prompt. Count whole prompts, then divide.",
            ),
            Slip(
                value=ALLOWED / 5,
                hint="That is the setting. The pool is smaller: 64 prompts are 392,128 tokens.",
            ),
            Slip(value=POOL // LEASE, hint="That is how many fit. Divide them by the rate."),
            Slip(
                value=(POOL // LEASE) * 5,
                hint="That multiplies. Requests held are rate times time, so time is a quotient.",
            ),
        ),
        hints=(
            "Little's law: requests held are arrival rate times the seconds that each is held.",
            "The pool holds 344,253 tokens over 6,127, rounded down to whole prompts.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="7.6",
        prompt="A split of sixteen workers, prefill:decode, that sustains the target.",
        answer="10:6",
        judge=_sixteen,
        wrong_examples=("6:10", "12:4", "8:7"),
        hints=(
            "Prefill and decode should give way together, or nearly so.",
            "A request needs 1.024 s of a prefill worker and 0.64 s of a decode worker.",
        ),
        level="open",
        minutes=5,
    ),
)
