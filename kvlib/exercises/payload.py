"""The questions of chapter 1: bytes."""

from kvlib.exercises.question import Choice, Question, Slip, Verdict, unwrapped
from kvlib.models import load, names
from kvlib.payload import Geometry, Latent, payload_bytes
from kvlib.units import both

__all__ = ["QUESTIONS", "TEXT"]

TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)  # the source text's geometry
SMALL = load("llama-3.2-1b")
LATENT = Latent(layers=61, latent_dim=512, rope_dim=64)
EXPANDED = Geometry(layers=61, kv_heads=128, head_dim=128 + 64, value_dim=128)
WINDOWED = load("gpt-oss-20b")
NEVER_SLIDES = Geometry(layers=24, kv_heads=8, head_dim=64)

PREDICT = Question(
    key="1.predict",
    prompt="An 8,192-token handbook is prefilled, then a question of a dozen words. What moves?",
    answer="all",
    choices=(
        Choice(
            key="question",
            text="a few kilobytes: the question is short",
            reason="The next token attends to the handbook too. A fresh decode worker lacks all "
            "of it, not only the part that you typed last.",
        ),
        Choice(
            key="text",
            text="about 32 KB: the text of the prompt",
            reason="Text could be sent, but then the decode worker would have to compute the "
            "prefill again. What saves that work is keys and values, and they are far larger.",
        ),
        Choice(
            key="all",
            text="about 1 GiB: keys and values of every token",
            reason="Every layer keeps a key and a value for every position, and the decode worker "
            "needs each of them. This chapter derives the number.",
        ),
        Choice(
            key="weights",
            text="about 16 GB: it goes with the model's weights",
            reason="The decode worker has the weights already. What a request adds depends on "
            "layers, KV heads and tokens, not on the number of parameters.",
        ),
    ),
)


def _quarter(text: str) -> Verdict:
    """Judge question 1.5: any catalogue model at or under a quarter of the reference."""
    limit = payload_bytes(load("llama-3.1-8b"), 32_768) // 4
    name = unwrapped(text).rpartition("/")[2].lower()
    name = name.removesuffix("-instruct").removesuffix("-it")
    if name not in names():
        hint = "Type a name from the catalogue, as it is listed above."
        return Verdict(state="unreadable", message=hint)
    size = payload_bytes(load(name), 32_768)
    if size <= limit:
        return Verdict(state="right", message=f"Correct: it holds {both(size)}.")
    message = f"Not yet. That model holds {both(size)}, more than {both(limit)}."
    return Verdict(state="slip", message=message)


QUESTIONS = (
    PREDICT,
    Question(
        key="1.1",
        prompt="Bytes of 32,768 tokens in Llama-3.2-1B.",
        answer=payload_bytes(SMALL, 32_768),
        unit="GiB",
        slips=(
            Slip(
                value=payload_bytes(SMALL, 32_768) // 2,
                hint="That is half. Count a key and a value, and two bytes for each element.",
            ),
            Slip(
                value=payload_bytes(SMALL, 32_768) // 4,
                hint="That is a quarter. A key and a value make two, and so do the bytes of an "
                "element: both twos count.",
            ),
            Slip(
                value=payload_bytes(SMALL, 1),
                hint="That is one token. The prompt has 32,768 of them.",
            ),
            Slip(
                value=payload_bytes(Geometry(layers=16, kv_heads=32, head_dim=64), 32_768),
                hint="That counts 32 query heads. The cache keeps KV heads, and there are 8.",
            ),
            Slip(
                value=payload_bytes(SMALL, 32_768) // 16,
                hint="That is one layer. Each of the 16 layers keeps its own keys and values.",
            ),
        ),
        hints=(
            "Start with one token: two times layers times KV heads times head dimension elements.",
            "One token is 32,768 bytes, which is 2^15. Multiply by 32,768 tokens, also 2^15.",
        ),
        level="recall",
        minutes=3,
    ),
    Question(
        key="1.2",
        prompt="Bytes of 4,096 tokens in DeepSeek-V3.",
        answer=payload_bytes(LATENT, 4_096),
        unit="MiB",
        digits=1,
        slips=(
            Slip(
                value=2 * payload_bytes(LATENT, 4_096),
                hint="That counts the latent twice. K and V are both made from one latent, so the "
                "factor two of the dense formula is gone.",
            ),
            Slip(
                value=payload_bytes(LATENT, 4_096, 1),
                hint="That takes one byte for an element. The elements here have two.",
            ),
            Slip(
                value=payload_bytes(LATENT, 1),
                hint="That is one token. The question asks about 4,096 of them.",
            ),
            Slip(
                value=payload_bytes(EXPANDED, 4_096),
                hint="That stores K and V of all 128 heads. The cache holds the latent from which "
                "they are made again.",
            ),
            Slip(
                value=payload_bytes(Latent(layers=61, latent_dim=512), 4_096),
                hint="That leaves out the rotary key: 64 more elements in every layer.",
            ),
        ),
        hints=(
            "Each layer keeps 512 + 64 elements per token, whatever the number of heads.",
            "One token is 61 × 576 × 2 = 70,272 bytes. A MiB is 2^20 bytes.",
        ),
        level="transfer",
        minutes=4,
    ),
    Question(
        key="1.3",
        prompt="Bytes of 32 requests of 8,192 tokens in gpt-oss-20b.",
        answer=32 * payload_bytes(WINDOWED, 8_192),
        unit="GiB",
        slips=(
            Slip(
                value=32 * payload_bytes(NEVER_SLIDES, 8_192),
                hint="That bills all 24 layers for every token. Half of them keep the last 128.",
            ),
            Slip(
                value=payload_bytes(WINDOWED, 8_192),
                hint="That is one request. There are 32.",
            ),
            Slip(
                value=payload_bytes(NEVER_SLIDES, 8_192),
                hint="That is one request, with all 24 layers billed for every token. There are "
                "32, and half of the layers keep the last 128 tokens.",
            ),
            Slip(
                value=16 * payload_bytes(WINDOWED, 8_192),
                hint="That is half. A layer keeps a key and a value for each token that it holds.",
            ),
            Slip(
                value=32 * payload_bytes(Geometry(layers=12, kv_heads=8, head_dim=64), 8_192),
                hint="That leaves the window layers out. They hold 128 positions each.",
            ),
        ),
        tolerance=0.003,
        hints=(
            "Count two groups of 12 layers: one keeps every token, the other the last 128.",
            "A token costs each group 24,576 bytes. How many tokens does each group hold?",
        ),
        level="transfer",
        minutes=5,
    ),
    Question(
        key="1.4",
        prompt="Prompts of 32,768 tokens grow by 1,000. Whose hand-off grows most?",
        answer="llama",
        choices=(
            Choice(
                key="deepseek",
                text="DeepSeek-V3 (671 billion parameters)",
                reason="The most parameters, and only 70,272 bytes for each further token: one "
                "latent per layer.",
            ),
            Choice(
                key="gemma",
                text="Gemma-3-27B (52 of 62 layers slide)",
                reason="One token alone costs 507,904 bytes, the most of the four. Past the window "
                "of 1,024 only 10 layers still grow: 81,920 bytes a token.",
            ),
            Choice(
                key="llama",
                text="Llama-3.1-8B (8 billion parameters)",
                reason="All its layers keep every token: 131,072 bytes each. Growth depends on the "
                "layers that still grow, not on the model's size.",
            ),
            Choice(
                key="gpt-oss",
                text="gpt-oss-20b (12 of 24 layers slide)",
                reason="Past its window of 128 tokens only 12 layers grow: 24,576 bytes a token.",
            ),
        ),
        hints=(
            "Ask what one further token adds, not what all tokens cost so far.",
            "A layer behind a window stops growing once the window is full.",
        ),
        level="decide",
        minutes=3,
    ),
    Question(
        key="1.5",
        prompt="Name a model that holds at most a quarter of Llama-3.1-8B at 32,768 tokens.",
        answer="gpt-oss-20b",
        judge=_quarter,
        wrong_examples=("llama-3.1-70b", "deepseek-v3"),
        hints=(
            "Llama-3.1-8B holds 4 GiB there, so you look for 1 GiB or less.",
            "Models of mostly windows or recurrent layers are the likely ones: try the explorer.",
        ),
        level="open",
        minutes=6,
    ),
)
