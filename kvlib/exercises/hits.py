"""The questions of chapter 3: cache hits."""

from dataclasses import replace

from kvlib import units
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.exercises.payload import TEXT
from kvlib.exercises.question import Choice, Question, Slip, Verdict, misread
from kvlib.hits import MOVES_SUFFIX, Work, break_even_rate, hand_off, source_hit
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import TFLOPS, Gbit_s, format_as

__all__ = ["QUESTIONS"]

SERVICE = Service()

PREDICT = Question(
    key="3.predict",
    prompt="8,000 of 8,192 tokens are cached at the source, none at the destination. What moves?",
    answer="all",
    choices=(
        Choice(
            key="missing",
            text="24 MiB: the 192 tokens that were missing",
            reason="That is what the source still computes. The destination has never met this "
            "prompt, so it also lacks the 8,000 tokens that the source did not have to compute.",
        ),
        Choice(
            key="cached",
            text="1,000 MiB: the 8,000 tokens that are cached",
            reason="The last 192 tokens have keys and values too, fresh from the computation. The "
            "destination needs them as much as the others.",
        ),
        Choice(
            key="all",
            text="1 GiB: keys and values of all 8,192 tokens",
            reason="The cache at the source spares work at the source. What moves depends on what "
            "the destination holds, and it holds nothing.",
        ),
        Choice(
            key="nothing",
            text="nothing: a cached prompt need not be handed off",
            reason="The cache lies in the source's memory. A decode worker attends to its own.",
        ),
    ),
)

SHORT = hand_off(TEXT, 6_144, source=5_500)
LLAMA_70B = load("llama-3.1-70b")
PAGED = hand_off(LLAMA_70B, 32_768, destination=30_000, convention=replace(MOVES_SUFFIX, page=64))
HUNDRED = 100 * Gbit_s
NODE = 8 * 989 * TFLOPS
BREAK_EVEN = break_even_rate(Work(), 32_768, NODE)


def _cached(text: str) -> Verdict:
    """Judge question 3.6: a source hit that puts prefill between decode and the link."""
    wanted = "Type a whole number of tokens, as in 4,096."
    try:
        typed = units.read(text, "tokens")
    except units.Unreadable as error:
        return Verdict(state="unreadable", message=misread(error, wanted))
    count = typed.number
    if (typed.unit and typed.unit.kind != "tokens") or count.denominator != 1:
        return Verdict(state="unreadable", message=wanted)
    if not 0 <= count <= SERVICE.prompt_tokens:
        return Verdict(state="unreadable", message="Type a number of tokens from 0 to 8,192.")
    computed = SERVICE.prompt_tokens - source_hit(int(count), SERVICE.prompt_tokens)
    bounds = capacity(SERVICE)
    prefill = capacity(replace(SERVICE, prompt_tokens=computed)).prefill
    rate = format_as(prefill, "requests/s")
    if bounds.decode < prefill < bounds.network:
        return Verdict(state="right", message=f"Correct: prefill sustains {rate}.")
    why = "decode no less" if prefill <= bounds.decode else "the link no more"
    return Verdict(state="slip", message=f"Not yet. Prefill sustains {rate}, and {why}.")


QUESTIONS = (
    PREDICT,
    Question(
        key="3.1",
        prompt="MiB that move for 6,144 tokens, 5,500 of them cached at the source alone.",
        answer=SHORT.moved_bytes,
        unit="MiB",
        digits=0,
        slips=(
            Slip(
                value=payload_bytes(TEXT, 6_144 - 5_500),
                hint="That subtracts the source hit. It spares work, and no byte: the destination "
                "lacks the cached tokens as well.",
            ),
            Slip(
                value=payload_bytes(TEXT, 5_500),
                hint="That moves what was cached and leaves out what was computed. The "
                "destination needs both.",
            ),
            Slip(
                value=payload_bytes(TEXT, 6_144) // 2,
                hint="That is half. Count a key and a value, and two bytes for each element.",
            ),
        ),
        hints=(
            "Ask what the destination holds. What it lacks must move.",
            "It lacks all 6,144 tokens, at 131,072 B each.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="3.2",
        prompt="Tokens that the source computes of 2,023, all of them cached, with pages of 64.",
        answer=2_023 - source_hit(2_023, 2_023, 64),
        unit="tokens",
        digits=0,
        slips=(
            Slip(
                value=0,
                hint="The last token must be computed in any case: its output is the first token "
                "of the answer.",
            ),
            Slip(
                value=1,
                hint="That is right for pages of one token. Here the hit ends with a whole page.",
            ),
            Slip(
                value=source_hit(2_023, 2_023, 64),
                hint="That is the hit. The question asks for what is left to compute.",
            ),
            Slip(value=64, hint="That is a whole page. This prompt's last page is not full."),
        ),
        hints=(
            "Count the whole pages in front of the last token. The rest is computed.",
            "31 whole pages fit before token 2,023. How many tokens come after them?",
        ),
        level="transfer",
        minutes=3,
    ),
    Question(
        key="3.3",
        prompt="Least ms for what must move of 32,768 tokens, 30,000 of them at the destination.",
        answer=transfer_seconds(PAGED.moved_bytes, HUNDRED),
        unit="ms",
        digits=1,
        slips=(
            Slip(
                value=transfer_seconds(payload_bytes(LLAMA_70B, 32_768 - 30_000), HUNDRED),
                hint="That forgets the pages. A page that the destination holds in part moves "
                "whole.",
            ),
            Slip(
                value=transfer_seconds(PAGED.payload_bytes, HUNDRED),
                hint="That moves the whole prompt. Here the protocol leaves out what the "
                "destination holds.",
            ),
            Slip(
                value=transfer_seconds(PAGED.payload_bytes - PAGED.moved_bytes, HUNDRED),
                hint="That is the part that need not move. The question asks for the rest.",
            ),
            Slip(
                value=transfer_seconds(PAGED.moved_bytes, 8 * HUNDRED),
                hint="That reads the label as bytes. Gb/s counts bits: divide by eight first.",
            ),
        ),
        hints=(
            "Count the whole pages of 64 that the destination holds. All other tokens move.",
            "468 whole pages stay out. A token of this model is 327,680 B; the link has 12.5 GB/s.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="3.4",
        prompt="The link gives way first. Which change raises what the service sustains most?",
        answer="sticky",
        choices=(
            Choice(
                key="source",
                text="double the memory of the source's cache",
                reason="The source will hit more and compute less. Every byte still crosses the "
                "link, which was the first to give way.",
            ),
            Choice(
                key="random",
                text="switch destination hits on and spread requests at random over sixteen",
                reason="The protocol could leave bytes out now, but each destination has met a "
                "sixteenth of the turns. Few of them find their own conversation.",
            ),
            Choice(
                key="sticky",
                text="switch destination hits on and send a conversation to where it was",
                reason="Now the destination holds the earlier turns, and the protocol leaves them "
                "out. That takes bytes off the link.",
            ),
            Choice(
                key="alone",
                text="send a conversation to where it was, and change nothing else",
                reason="The right place, and no use of it: the protocol moves the whole prompt "
                "even to a destination that could have kept most of it.",
            ),
        ),
        hints=(
            "Only what takes bytes off the link helps. Go through the changes one by one.",
            "A destination hit needs state that lies there and a protocol that leaves it out.",
        ),
        level="decide",
        minutes=3,
    ),
    Question(
        key="3.5",
        prompt="Break-even rate in GB/s for 32,768 tokens of Llama-3-70B at 8 × 989 TFLOPS.",
        answer=BREAK_EVEN,
        unit="GB/s",
        slips=(
            Slip(
                value=break_even_rate(Work(), 8_192, NODE),
                hint="That is the rate for 8,192 tokens. A longer prefix is more work per byte.",
            ),
            Slip(
                value=break_even_rate(Work(queries_per_kv_head=1), 32_768, NODE),
                hint="That is eight times too much. Eight query heads share a KV head; and the "
                "question asks for bytes, not bits.",
            ),
            Slip(
                value=BREAK_EVEN / 8,
                hint="That is an eighth. All eight cards compute; and bytes are asked, not bits.",
            ),
            Slip(
                value=BREAK_EVEN / 2,
                hint="That is half. Count a key and a value, and two bytes for each element.",
            ),
            Slip(
                value=break_even_rate(Work(attention=1e-9), 32_768, NODE),
                hint="That leaves attention out, and over 32,768 tokens it is a large part.",
            ),
        ),
        hints=(
            "Put p = 32,768 into equation 2; all the rest stays as in the text.",
            "The bracket is 4 · p · d + 22 · d², with p four times d. So it is 38 · d².",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="3.6",
        prompt="Cached tokens of 8,192 that put prefill above decode and below the link.",
        answer="6,144",
        judge=_cached,
        wrong_examples=("4,096", "8,000", "0", "8,192"),
        hints=(
            "Three workers compute 24,000 tokens/s. Divide by the tokens that are not cached.",
            "Decode sustains 7.8125 requests/s, the link 23.28 requests/s. Find tokens for each.",
        ),
        level="open",
        minutes=5,
    ),
)
