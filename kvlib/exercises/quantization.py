"""The questions of chapter 5: quantization."""

from kvlib.bandwidth import transfer_seconds
from kvlib.exercises.question import Choice, Question, Slip, Verdict, unwrapped
from kvlib.models import load
from kvlib.quantization import FORMATS, break_even_rate, one_engine, stored_bytes
from kvlib.units import GB_s, Gbit_s, format_as, ms

__all__ = ["QUESTIONS"]

LLAMA, DEEPSEEK = load("llama-3.1-8b"), load("deepseek-v3")
LONG, PROMPT = 32_768, 8_192  # tokens
LINK, SLOW = 200 * Gbit_s, 100 * Gbit_s
HOST = 100 * GB_s  # memory of a host, in the exercise
SOON = 20 * ms


def held(key: str, value: str = "", tokens: int = LONG) -> int:
    """Return the bytes of Llama-3.1-8B in two formats by name; V as K if left out."""
    return stored_bytes(LLAMA, tokens, FORMATS[key], FORMATS[value or key])


def latent(key: str, value: str) -> int:
    """Return the bytes of DeepSeek-V3 with latent and rotary key in two formats by name."""
    return stored_bytes(DEEPSEEK, PROMPT, FORMATS[key], FORMATS[value])


def on_the_link(n_bytes: float) -> float:
    """Return the seconds of a number of bytes on the slower link."""
    return transfer_seconds(round(n_bytes), SLOW)


PLAIN = held("bf16")
MIXED = held("q8_0", "q4_0")
EDGE = break_even_rate(PLAIN, held("q8_0"), (HOST, HOST))

PREDICT = Question(
    key="5.predict",
    prompt="Both workers store q8_0: 8-bit codes, a 16-bit scale for 32 of them. What moves?",
    answer="scales",
    choices=(
        Choice(
            key="half",
            text="512 MiB: half the bits, half the bytes",
            reason="Those are the codes. Each block of 32 also carries its scale, and without the "
            "scales nobody can read the codes.",
        ),
        Choice(
            key="scales",
            text="544 MiB: the codes and their scales",
            reason="A block is 32 bytes of codes and 2 bytes of scale: 34 bytes in place of 64. "
            "That is 8.5 bits an element.",
        ),
        Choice(
            key="plain",
            text="1 GiB: values are unpacked before they leave",
            reason="An engine sends what lies in its memory. Both ends hold q8_0 here, so q8_0 "
            "crosses the link.",
        ),
        Choice(
            key="quarter",
            text="256 MiB: K and V halve, each of them",
            reason="Half of K and half of V together are half of both, not a quarter.",
        ),
    ),
)


def _pair(text: str) -> Verdict:
    """Judge question 5.6: formats of K and V that one engine mixes, small enough, K of 8 bits."""
    names = [unwrapped(part).lower() for part in text.split("/")]
    if len(names) != 2 or not set(names) <= set(FORMATS):
        hint = "Type two names from FORMATS with a slash between them, K first, as in q8_0/q8_0."
        return Verdict(state="unreadable", message=hint)
    key, value = (FORMATS[name] for name in names)
    seconds = transfer_seconds(stored_bytes(LLAMA, PROMPT, key, value), LINK)
    says = f"the bound is {format_as(seconds, 'ms')}"
    if key.element_bits < 8:
        message = f"Not yet. K has codes of {key.element_bits} bits, and 8 were asked for."
    elif seconds >= SOON:
        message = f"Not yet. That is too slow: {says}."
    elif not one_engine(key, value):
        message = f"Not yet. It would do, {says}, but no engine here gives K and V these two."
    else:
        return Verdict(state="right", message=f"Correct: {says}.")
    return Verdict(state="slip", message=message)


QUESTIONS = (
    PREDICT,
    Question(
        key="5.1",
        prompt="A cache of 4 GiB in bf16, stored as 4-bit codes in groups of 32.",
        answer=held("int4_g32"),
        unit="GiB",
        slips=(
            Slip(
                value=PLAIN * 4 // 16,
                hint="Those are the codes alone. Every group of 32 has a scale and a zero point.",
            ),
            Slip(
                value=PLAIN * 9 // 32,
                hint="That counts the scale and forgets the zero point, which is as wide.",
            ),
            Slip(
                value=PLAIN * 8 // 16,
                hint="That gives each code a byte. Two codes of 4 bits share one.",
            ),
        ),
        hints=(
            "Count the bits of one group: its codes, its scale, its zero point. Divide by 32.",
            "A group is 32 × 4 + 16 + 16 bits. In bf16 the same elements take 32 × 16.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="5.2",
        prompt="Bytes of 8,192 tokens of DeepSeek-V3 in the fp8 row with scales.",
        answer=latent("fp8_e4m3_g128", "bf16"),
        unit="MiB",
        digits=1,
        slips=(
            Slip(
                value=latent("fp8_e4m3", "fp8_e4m3"),
                hint="That halves all 576 elements. The rotary key stays in bf16, and the latent "
                "has four scales.",
            ),
            Slip(
                value=latent("fp8_e4m3", "bf16"),
                hint="That leaves the scales out: four of 4 bytes in each row.",
            ),
            Slip(value=latent("bf16", "bf16"), hint="That is bf16. The latent is in fp8 here."),
            Slip(
                value=2 * latent("fp8_e4m3_g128", "bf16"),
                hint="That counts K and V. Both are made from one row, so nothing is doubled.",
            ),
        ),
        hints=(
            "Add up one row: the latent in bytes, its scales, the rotary key in two bytes each.",
            "A row is 512 + 4 × 4 + 64 × 2 bytes. There are 61 layers and 8,192 tokens.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="5.3",
        prompt="The least time at 100 Gb/s for K in q8_0 and V in q4_0.",
        answer=on_the_link(MIXED),
        unit="ms",
        slips=(
            Slip(
                value=on_the_link(held("q8_0")),
                hint="That stores V in q8_0 as well. Its codes have 4 bits.",
            ),
            Slip(
                value=on_the_link(held("q4_0")),
                hint="That stores K in q4_0 as well. Its codes have 8 bits.",
            ),
            Slip(
                value=on_the_link(PLAIN * 6 / 16),
                hint="Those are the codes alone. Each block of 32 has a scale of 2 bytes.",
            ),
            Slip(
                value=on_the_link(2 * MIXED),
                hint="That adds the bits of K and V. K is half of the elements and V the other "
                "half: take the mean.",
            ),
            Slip(value=on_the_link(PLAIN), hint="That is bf16. The question stores fewer bits."),
            Slip(
                value=on_the_link(MIXED) / 8,
                hint="That reads the label as bytes. Gb/s counts bits: divide by eight first.",
            ),
        ),
        hints=(
            "Find the bits an element of K and of V, with their scales, and take the mean.",
            "Blocks are 34 and 18 bytes in place of 64. The link carries 12.5 GB/s.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="5.4",
        prompt="The link rate below which packing bf16 into q8_0 for the link alone pays.",
        answer=EDGE,
        unit="Gb/s",
        digits=1,
        slips=(
            Slip(
                value=2 * EDGE,
                hint="That converts at one end. The receiver has to unpack, too.",
            ),
            Slip(
                value=break_even_rate(PLAIN, PLAIN // 2, (HOST, HOST)),
                hint="That takes half for the packed size. q8_0 is 34 bytes for 64.",
            ),
            Slip(
                value=HOST / 2 * 30 / 64,
                hint="That forgets that the packed bytes are written and read, too.",
            ),
            Slip(value=HOST, hint="That is the memory. A conversion moves more than it saves."),
        ),
        hints=(
            "Set the time saved on the link equal to the time spent at both ends.",
            "For every 64 bytes the link is spared 30, and each end reads or writes 64 + 34.",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="5.5",
        prompt="Where does an fp8 cache raise the requests per second that a service sustains?",
        answer="network",
        choices=(
            Choice(
                key="prefill",
                text="in the book's service: 200 Gb/s, three of eight workers prefill",
                reason="Prefill gives way first there, at 2.93 requests/s. The link could carry "
                "23.28 requests/s already.",
            ),
            Choice(
                key="network",
                text="in the same service on a link of 10 Gb/s",
                reason="There the link is the limit, at 1.16 requests/s. Half the bytes make it "
                "2.33 requests/s, still below prefill.",
            ),
            Choice(
                key="one-end",
                text="on 10 Gb/s, with fp8 at the decode workers and bf16 at the prefill workers",
                reason="Engines send what lies in memory and refuse a peer of another dtype. "
                "Nothing is saved until both ends change.",
            ),
            Choice(
                key="long-answers",
                text="in the same service with 200 Gb/s and answers of 2,048 tokens",
                reason="Decode gives way first there, at 1.95 requests/s. A lighter hand-off "
                "does not touch that stage.",
            ),
        ),
        hints=(
            "Find the first bottleneck of each. Fewer bytes help one stage only.",
            "The link must be the limit, and both ends must hold the same format.",
        ),
        level="decide",
        minutes=3,
    ),
    Question(
        key="5.6",
        prompt="Formats for K and V, as K/V, that move 8,192 tokens in less than 20 ms.",
        answer="q8_0/q5_1",
        judge=_pair,
        wrong_examples=("q8_0/q8_0", "q4_0/q8_0", "fp8_e4m3/nvfp4", "bf16/bf16"),
        hints=(
            "20 ms at 25 GB/s are 500 MB. How many bits may K and V have together, on average?",
            "K in q8_0 takes 8.5 bits. V may then take 6.4, in a format of the same engine.",
        ),
        level="open",
        minutes=5,
    ),
)
