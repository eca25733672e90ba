"""The questions of chapter 8: the workbench."""

from dataclasses import replace

from kvlib.exercises.purchase import GIVEN, TARGET, bought
from kvlib.exercises.question import Choice, Question, Slip
from kvlib.models import load
from kvlib.units import GB, GB_s, Gbit_s, GiB
from kvlib.workbench import Setup, report

__all__ = ["COPIED", "GAUGE", "GIVEN", "HELD", "LABEL", "LONGER", "QUESTIONS", "TARGET", "WIDE"]

TEXT = Setup()
LONGER = Setup(prompt_tokens=32_768, source_hit=30_000)  # 8.predict
COPIED = {"payload": 1.25 * GB, "copies": 2, "link": 100 * Gbit_s, "efficiency": 0.8}  # 8.1
CARRIED = COPIED["link"] * COPIED["efficiency"] / (COPIED["copies"] * COPIED["payload"])
HELD = Setup(  # 8.2
    model=load("llama-3.1-70b"), prompt_tokens=16_384, source_hit=12_288, efficiency=0.8
)
BOUNDS = report(HELD).capacity
GAUGE, LABEL = 18.6, 200 * Gbit_s  # what a counter shows, and the link, 8.3
WIDE = Setup(link_rate=25 * Gbit_s)  # 8.4

PREDICT = Question(
    key="8.predict",
    prompt="Prompts of 32,768 tokens, of which prefill holds 30,000. Which stage gives way first?",
    answer="network",
    choices=(
        Choice(
            key="prefill",
            text="prefill: prompts are four times as long",
            reason="Longer, but held. Only 2,768 tokens are left to compute, a third of what a "
            "prompt took before, so prefill rises to 8.67 requests/s.",
        ),
        Choice(
            key="network",
            text="the network: four times the bytes",
            reason="A hit at the source spares compute and no bytes. Each hand-off moves 4 GiB, "
            "so the link carries 5.82 requests/s, less than either pool.",
        ),
        Choice(
            key="decode",
            text="decode: nothing relieves it",
            reason="Nothing burdens it either: it still sustains 7.81 requests/s. It would be "
            "first if the link were 34 % faster.",
        ),
        Choice(
            key="same",
            text="prefill as before: the two changes cancel",
            reason="They meet in prefill alone, and there the hit outweighs the length. On the "
            "link only the length counts.",
        ),
    ),
)
QUESTIONS = (
    PREDICT,
    Question(
        key="8.1",
        prompt="Hand-offs per second: 1.25 GB, two copies of each head, 100 Gb/s at 80 %.",
        answer=CARRIED,
        unit="requests/s",
        slips=(
            Slip(
                value=COPIED["copies"] * CARRIED,
                hint="That sends each head once. Every rank that holds a copy receives one.",
            ),
            Slip(
                value=COPIED["copies"] ** 2 * CARRIED,
                hint="That halves the payload. Two copies are twice the bytes.",
            ),
            Slip(
                value=COPIED["link"] / COPIED["payload"],
                hint="That is the payload at the label's rate. Both copies cross, and transfers "
                "reach 80 % of the label.",
            ),
            Slip(
                value=CARRIED / COPIED["efficiency"],
                hint="That is the label's rate. Transfers reach 80 % of it.",
            ),
            Slip(value=8 * CARRIED, hint="That reads the label in bytes. It counts bits."),
            Slip(value=1 / CARRIED, hint="That is seconds per hand-off. Turn the fraction over."),
        ),
        hints=(
            "Follow the chain: payload, wire bytes, the rate that is reached, their quotient.",
            "2.5 GB cross for each request, and the link moves 10 GB/s of them.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="8.2",
        prompt="What the service sustains: Llama-3.1-70B, 12,288 of 16,384 tokens held by prefill.",
        answer=BOUNDS.limit,
        unit="requests/s",
        slips=(
            Slip(
                value=BOUNDS.prefill,
                hint="That is prefill's bound. The link is below it: a hit at the source spares "
                "no bytes, and labels count bits.",
            ),
            Slip(
                value=report(replace(HELD, source_hit=0)).capacity.prefill,
                hint="That computes the whole prompt. Prefill holds three quarters of it.",
            ),
            Slip(
                value=BOUNDS.network / HELD.efficiency,
                hint="That takes the label of the link. Transfers reach 80 % of it.",
            ),
            Slip(
                value=HELD.network_rate / (5 * GB),
                hint="That takes 5 GB for 5 GiB. Model shapes give powers of two.",
            ),
            Slip(value=BOUNDS.decode, hint="That is decode's bound. Is it the smallest?"),
        ),
        tolerance=0.004,
        hints=(
            "Three bounds. Which of them does the hit enter, and which the efficiency?",
            "Prefill computes 4,096 tokens. The link moves 20 GB/s, and 5 GiB for each request.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="8.3",
        prompt="The share of a link of 200 Gb/s, if kv_transfer_speed_gb_s shows 18.6.",
        answer=GAUGE * GiB / LABEL,
        unit="%",
        digits=1,
        slips=(
            Slip(
                value=GAUGE * GB_s / LABEL,
                hint="That believes the name. The code divides by a power of two.",
            ),
            Slip(
                value=GAUGE * GB_s / LABEL * GB / GiB,
                hint="That converts the wrong way. A GiB is more than a GB.",
            ),
            Slip(
                value=GAUGE * GiB / LABEL / 8,
                hint="That divides bytes by bits. The link moves 25 GB/s.",
            ),
            Slip(
                value=GAUGE * GB_s / LABEL / 8,
                hint="That divides bytes by bits, and it believes the name.",
            ),
        ),
        hints=(
            "First write the counter's number and the link's in one unit.",
            "18.6 GiB/s are 19.97 GB/s, and 200 Gb/s are 25 GB/s.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="8.4",
        prompt="On 25 Gb/s the network is first and prefill close. What do you measure next?",
        answer="link",
        choices=(
            Choice(
                key="prefill",
                text="tokens per second of one prefill worker, its queue filled",
                reason="That comes second. Prefill lies 0.7 % above the network. Transfers fall "
                "short of the line rate, though: the network's bound sinks, and the gap grows.",
            ),
            Choice(
                key="link",
                text="the rate that one hand-off reaches on an idle link",
                reason="The limit rests on it, and it is assumed: nobody reaches the line rate. "
                "At 80 % of it the bound is 2.33 requests/s and prefill is far.",
            ),
            Choice(
                key="decode",
                text="tokens per second of one decode worker, and its batch",
                reason="Decode sustains 7.81 requests/s. Even at half of that it is not first.",
            ),
            Choice(
                key="ttft",
                text="the 95th percentile of the time to first token under load",
                reason="That says whether users wait and not what they wait for. Every stage "
                "before the first token is in it.",
            ),
        ),
        hints=(
            "Which bound is the smallest, and which number in it did nobody measure?",
            "Ask for each answer: if it came out lower, would the sentence at the top change?",
        ),
        level="decide",
        minutes=4,
    ),
    Question(
        key="8.5",
        prompt="Split, link and format of the cache that sustain the target.",
        answer="4:4, 400 Gb/s, fp8",
        judge=bought,
        wrong_examples=(
            "4:4, 400 Gb/s, bf16",
            "4:4, 400 GB/s, bf16",
            "3:5, 800 Gb/s, fp8",
            "8:0, 400 Gb/s, fp8",
        ),
        hints=(
            "Two stages are close together, so one change alone moves the limit a little.",
            "A prefill worker computes 8,192 tokens a request. How many workers make the target?",
        ),
        level="open",
        minutes=6,
    ),
)
