"""The questions of chapter 4: tensor-parallel layout."""

import re

from kvlib.exercises.question import Choice, Question, Slip, Verdict, unwrapped
from kvlib.layout import attention_tp, handoff
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import MB, both, us

__all__ = ["QUESTIONS"]

TOKENS = 8_192
TEXT, QWEN, MLA = load("llama-3.1-8b"), load("qwen3-235b-a22b"), load("deepseek-v3")
LARGE = load("llama-3.1-70b")
WHOLE, LATENT = payload_bytes(QWEN, TOKENS), payload_bytes(MLA, TOKENS)
GROUP = handoff(MLA, TOKENS, 8, attention_tp(16, dp=8))
SLICED, POST = handoff(LARGE, TOKENS, 2, 8), 1 * us
MOST = 800 * MB  # of question 4.6: what a rank may send or receive
LARGEST_TP = 64
EIGHT_K = "That takes 8,000 for 8,192 on the way, or 1,000 for 1,024."

PREDICT = Question(
    key="4.predict",
    prompt="The 1 GiB of a prompt goes to a decode worker of 16 ranks. How much does each get?",
    answer="head",
    choices=(
        Choice(
            key="sixteenth",
            text="64 MiB: a sixteenth each",
            reason="Ranks share out whole heads, and there are eight. Sixteen ranks cannot each "
            "have one to themselves, so neighbours hold the same head.",
        ),
        Choice(
            key="head",
            text="128 MiB: one of eight KV heads each, and every head twice",
            reason="A rank holds at least one head, and one of eight is an eighth of the bytes. "
            "Together the ranks hold 2 GiB, and all of it crosses the wire.",
        ),
        Choice(
            key="all",
            text="1 GiB: everything",
            reason="So it would be under multi-head latent attention, which has no heads to share "
            "out. This model caches K and V of eight heads.",
        ),
        Choice(
            key="batch",
            text="it depends on how many requests run at once",
            reason="One request's cache is cut by heads, whatever runs beside it. Other requests "
            "bring caches of their own.",
        ),
    ),
)


def _pair(text: str) -> Verdict:
    """Judge question 4.6: any pair of sizes that sends no copy and loads no rank too much."""
    typed = re.fullmatch(r"(\d{1,4})\s*(?:[:/–—-]|to|and|->|→)\s*(\d{1,4})", unwrapped(text), re.A)
    if typed is None:
        hint = "Type two whole numbers with a colon between them, prefill first, as in 8:16."
        return Verdict(state="unreadable", message=hint)
    prefill, decode = int(typed[1]), int(typed[2])
    if not (1 <= prefill <= LARGEST_TP and 1 <= decode <= LARGEST_TP):
        return Verdict(state="slip", message=f"Not yet. Try sizes from 1 to {LARGEST_TP}.")
    try:
        plan = handoff(QWEN, TOKENS, prefill, decode)
    except ValueError:
        why = "Both must fit four heads, and one must divide the other"
        return Verdict(state="slip", message=f"Not yet. That pair cannot hand off. {why}.")
    said = f"{plan.copies:g}× the payload crosses, {both(plan.busiest_bytes)} at the busiest rank"
    if plan.copies > 1:
        return Verdict(state="slip", message=f"Not yet. Copies are sent: {said}.")
    if plan.busiest_bytes > MOST:
        return Verdict(state="slip", message=f"Not yet. One rank has too much to move: {said}.")
    return Verdict(state="right", message=f"Correct: {said}.")


QUESTIONS = (
    PREDICT,
    Question(
        key="4.1",
        prompt="MB of 8,192 tokens of Qwen3-235B on one decode rank of TP 16.",
        answer=WHOLE // 4,
        unit="MB",
        digits=1,
        slips=(
            Slip(
                value=WHOLE // 16,
                hint="That divides by the number of GPUs. There are four heads, and no rank holds "
                "less than one.",
            ),
            Slip(value=WHOLE, hint="That is all four heads. One rank holds one of them."),
            Slip(
                value=WHOLE // 8,
                hint="That is half of a head. Its keys and its values are both on the rank.",
            ),
            Slip(
                value=4 * WHOLE,
                hint="That is what all sixteen ranks hold together. The question asks for one.",
            ),
            Slip(value=WHOLE // 4 * 8_000 / TOKENS, hint=EIGHT_K),
        ),
        hints=(
            "With more ranks than heads, each rank still holds a whole one.",
            "One head of four: take a quarter of 94 × 2 × 4 × 128 × 2 bytes a token.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="4.2",
        prompt="GB on the wire for 8,192 tokens of DeepSeek-V3, TP 8 to TP 16 with DP 8.",
        answer=GROUP.wire_bytes,
        unit="GB",
        slips=(
            Slip(
                value=16 * LATENT,
                hint="That sends to all sixteen ranks. Under data-parallel attention a request "
                "lives on 16 / 8 of them.",
            ),
            Slip(
                value=LATENT,
                hint="That is one copy. Two ranks attend, and each holds the whole latent.",
            ),
            Slip(
                value=LATENT // 2,
                hint="That shares the latent out. It has no heads: every rank holds all of it.",
            ),
            Slip(
                value=8 * LATENT,
                hint="That is a copy from each prefill rank. They all hold the same: one sends.",
            ),
            Slip(value=GROUP.wire_bytes * 8_000 / TOKENS, hint=EIGHT_K),
        ),
        hints=(
            "Find the ranks that attend to this request, and what each of them holds.",
            "Data-parallel attention leaves 16 / 8 ranks for a request. Count one latent for each.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="4.3",
        prompt="Seconds that one prefill rank posts, at 1 µs a descriptor, for Llama-3.1-70B.",
        answer=SLICED.sent_descriptors[0] * POST,
        unit="s",
        slips=(
            Slip(
                value=SLICED.received_descriptors[0] * POST,
                hint="That is what goes to one decode rank. A prefill rank writes to four.",
            ),
            Slip(
                value=SLICED.sent_descriptors[0] // 2 * POST,
                hint="That is K alone. V lies in buffers of its own.",
            ),
            Slip(
                value=SLICED.descriptors * POST,
                hint="That is both prefill ranks one after the other. They post side by side.",
            ),
            Slip(
                value=SLICED.sent_descriptors[0] // 80 * POST,
                hint="That is one layer. Each of the 80 has buffers of its own.",
            ),
            Slip(value=SLICED.sent_descriptors[0] * POST * 8_000 / TOKENS, hint=EIGHT_K),
        ),
        hints=(
            "Without staging there is one descriptor per token, per layer, for K and for V.",
            "Count 8,192 × 80 × 2 for each decode rank. Then ask to how many ranks one writes.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="4.4",
        prompt="Four hand-offs in SGLang, prefill TP to decode TP. Which one is refused?",
        answer="window",
        choices=(
            Choice(
                key="copies",
                text="Llama-3.1-8B, 16 to 8",
                reason="It works: sixteen ranks hold each of the eight heads twice, and both send "
                "it. That wastes bytes and breaks nothing.",
            ),
            Choice(
                key="window",
                text="gpt-oss-20b, 1 to 4",
                reason="Half of its layers slide, and SGLang refuses to slice those between "
                "unequal sizes. A public guide shipped gpt-oss-120b this way and never passed.",
            ),
            Choice(
                key="latent",
                text="DeepSeek-V3, 8 to 2",
                reason="It works: every prefill rank holds the whole latent, so two of them send, "
                "one to each decode rank.",
            ),
            Choice(
                key="ten",
                text="Phi-4 with its 10 KV heads, 2 to 10",
                reason="It works: 2 and 10 divide ten heads, and 2 divides 10. With 4 in the place "
                "of 10 no engine could share the heads out.",
            ),
        ),
        hints=(
            "Check three things: heads over TP, one TP over the other, and the kinds of layers.",
            "All four pass the first two. One model has layers that keep a window only.",
        ),
        level="decide",
        minutes=4,
    ),
    Question(
        key="4.5",
        prompt="The wrong map 0, 1, 0, 1 from four prefill ranks to one. What is lost?",
        answer="first",
        choices=(
            Choice(
                key="none",
                text="nothing: both slots are written, twice each",
                reason="Both are written, but look at what is written last. Ranks 2 and 3 hold "
                "head 1, and between them they overwrite both slots.",
            ),
            Choice(
                key="first",
                text="head 0",
                reason="Ranks 0 and 1 write head 0 into both slots; then 2 and 3 write head 1 over "
                "it. Every byte arrives, the request is marked ready, and head 0 is gone.",
            ),
            Choice(
                key="second",
                text="head 1",
                reason="Head 1 would be lost if ranks 0 and 1 wrote last. They write first here, "
                "and what is written last stays.",
            ),
            Choice(
                key="both",
                text="both heads: each slot is half of one and half of the other",
                reason="Every write fills a whole slot with one whole head. The last one decides "
                "what a slot holds.",
            ),
        ),
        hints=(
            "Write down for each rank which head it holds and into which slot it writes.",
            "Ranks hold heads 0, 0, 1, 1. They write into slots 0, 1, 0, 1, in this order.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="4.6",
        prompt="A pair of sizes for Qwen3-235B that sends no copies and loads no rank too much.",
        answer="4:4",
        judge=_pair,
        wrong_examples=("8:8", "1:1", "1:4", "4:3", "4:16"),
        hints=(
            "Copies are sent as soon as one side has more ranks than the model has heads.",
            "The busiest rank moves the most heads. Two of the four heads are 788.5 MB.",
        ),
        level="open",
        minutes=5,
    ),
)
