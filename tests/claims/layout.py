"""Chapter 4: what its prose and its questions state."""

from claims.chapter import practice, slip
from kvlib.bandwidth import MOONCAKE_SGLANG, transfer_seconds
from kvlib.engines import VLLM
from kvlib.exercises import find
from kvlib.exercises.layout import GROUP, LATENT, MOST, POST, SLICED, WHOLE
from kvlib.layout import attention_tp, handoff
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import GB_s, Gbit_s, us

TEXT, QWEN, MLA = (load(name) for name in ("llama-3.1-8b", "qwen3-235b-a22b", "deepseek-v3"))
ONE, TWO = handoff(TEXT, 8_192, 1, 2), handoff(TEXT, 8_192, 1, 2, VLLM)
LAST = MOONCAKE_SGLANG[-1]
LINE = 4 * 400 * Gbit_s
MOONCAKE = "kvcache-ai/Mooncake, sglang-benchmark-results-v1.md at 59a7623, last row"
NIXL_176 = "nixl issue 176: its first post"
SGLANG_30997 = "sglang pull request 30997: gsm8k of its first post"
ASSUMED = "given: an assumed time to post a descriptor"


def rank(model, tp):
    """Return the bytes of 8,192 tokens that one rank of `tp` holds."""
    return handoff(model, 8_192, tp, tp).receives[0]


def row(prefill, decode, model=TEXT, **more):
    """Return the expressions of a row of the explorer's table: wire, busiest rank, descriptors."""
    plan = handoff(model, 8_192, prefill, decode, **more)
    return [lambda: plan.wire_bytes, lambda: plan.busiest_bytes, lambda: plan.descriptors]


CLAIMS = [
    (
        "13 minutes to read, {26} to practise.",
        lambda: practice("4"),
    ),
    # One of sixteen
    (
        "Llama-3.1-8B caches K and V of {8} heads, and a prompt of {8,192} tokens leaves {1 GiB}. "
        "Sixteen",
        lambda: TEXT.groups[0].kv_heads,
        "given: the running example",
        lambda: payload_bytes(TEXT, 8_192),
    ),
    # Whole heads
    (
        "One head of the example weighs {1 GiB} / {8}, that is {128 MiB}. At TP 2 a rank holds "
        "four heads: {512 MiB}. At TP 8 it holds one: {128 MiB}. At TP 16 it still holds one, and "
        "all ranks together hold {2 GiB}.",
        lambda: payload_bytes(TEXT, 8_192),
        lambda: TEXT.groups[0].kv_heads,
        lambda: payload_bytes(TEXT, 8_192) / 8,
        lambda: rank(TEXT, 2),
        lambda: rank(TEXT, 8),
        lambda: handoff(TEXT, 8_192, 16, 16).held_bytes,
    ),
    (
        "The same prompt weighs {549 MiB} in DeepSeek-V3, and on {16} ranks {8.58 GiB}.",
        lambda: payload_bytes(MLA, 8_192),
        "given: a number of ranks",
        lambda: handoff(MLA, 8_192, 1, 16).held_bytes,
    ),
    # On the wire
    (
        "Eight prefill ranks hold four heads, so SGLang sends {3.15 GB} where the payload is "
        "{1.58 GB}.",
        lambda: handoff(QWEN, 8_192, 8, 4).wire_bytes,
        lambda: payload_bytes(QWEN, 8_192),
    ),
    # The explorer
    ("| nothing | {1.00 GiB} | {1.00 GiB} | {1,048,576} |", *row(1, 2)),
    ("| prefill TP 2 | {1.00 GiB} | {512 MiB} | {128} |", *row(2, 2)),
    ("| prefill TP 4 | {1.00 GiB} | {512 MiB} | {2,097,152} |", *row(4, 2)),
    ("| decode TP 16 | {2.00 GiB} | {2.00 GiB} | {8,388,608} |", *row(1, 16)),
    ("| prefill and decode TP 16 | {2.00 GiB} | {128 MiB} | {1,024} |", *row(16, 16)),
    ("| staging buffer | {1.00 GiB} | {1.00 GiB} | {2} |", *row(1, 2, staged_tokens=8_192)),
    ("| deepseek-v3, decode TP 4 | {2.14 GiB} | {2.14 GiB} | {244} |", *row(1, 4, MLA)),
    # The busiest rank
    (
        "Give each card {25 GB/s}. From one rank to two, the sender moves all of {1 GiB}: "
        "{42.95 ms}, although",
        "given: the text's link",
        lambda: ONE.sends[0],
        lambda: transfer_seconds(ONE.busiest_bytes, 25 * GB_s),
    ),
    (
        "From four ranks to two, each receiver takes {512 MiB}: {21.47 ms}. Dividing by all four "
        "senders' cards would promise {10.74 ms}.",
        lambda: handoff(TEXT, 8_192, 4, 2).receives[0],
        lambda: transfer_seconds(handoff(TEXT, 8_192, 4, 2).busiest_bytes, 25 * GB_s),
        lambda: transfer_seconds(handoff(TEXT, 8_192, 4, 2).wire_bytes, 4 * 25 * GB_s),
    ),
    # Pieces
    (
        "{8,192} tokens, {32} layers, K and V make {524,288} descriptors of {1 KiB} for each",
        "given: the running example",
        lambda: TEXT.groups[0].layers,
        lambda: ONE.received_descriptors[0],
        lambda: ONE.receives[0] / ONE.received_descriptors[0],
    ),
    (
        "Suppose that a post takes {1 µs}, an assumption: that is {1.05 s}, {24} times what",
        ASSUMED,
        lambda: ONE.sent_descriptors[0] * us,
        lambda: ONE.sent_descriptors[0] * us / transfer_seconds(ONE.busiest_bytes, 25 * GB_s),
    ),
    (
        "so a slice in it is contiguous: {32,768} descriptors of {16 KiB} for each decode rank.",
        lambda: TWO.received_descriptors[0],
        lambda: TWO.receives[0] / TWO.received_descriptors[0],
    ),
    (
        "One report posted {1 GB} in about {15,000} pieces, in {0.6 s}: {40 µs} each (",
        NIXL_176,
        NIXL_176,
        NIXL_176,
        lambda: 0.6 / 15_000,
    ),
    (
        "a test of arithmetic fell from {0.99} to about {0.44} (",
        SGLANG_30997,
        SGLANG_30997,
    ),
    # A common mistake
    (
        "For Qwen3-235B, {8,192} tokens, that gives {98.6 MB} a rank. It holds four heads, so a "
        "rank receives {394.3 MB}, {4×} as much.",
        "given: the running example",
        lambda: payload_bytes(QWEN, 8_192) / 16,
        lambda: rank(QWEN, 16),
        lambda: 16 * rank(QWEN, 16) / payload_bytes(QWEN, 8_192),
    ),
    (
        "For DeepSeek-V3 it gives {36.0 MB} against {575.7 MB}, {16×} as much.",
        lambda: payload_bytes(MLA, 8_192) / 16,
        lambda: rank(MLA, 16),
        lambda: 16 * rank(MLA, 16) / payload_bytes(MLA, 8_192),
    ),
    # Seen in the wild
    (
        "## Seen in the wild: {82 %} of the line rate, or {41 %}?",
        lambda: LAST.n_bytes / LAST.seconds / LINE,
        lambda: payload_bytes(QWEN, LAST.tokens) / LAST.seconds / LINE,
    ),
    (
        "over four ports of {400 Gb/s}, {200 GB/s} together (",
        "kvcache-ai/Mooncake, sglang-benchmark-results-v1.md at 59a7623, hardware",
        lambda: LINE,
    ),
    (
        "For {32,768} tokens it prints {12.62 GB} in {76.78 ms}. Chapter 1 gives {6.31 GB} for",
        lambda: LAST.tokens,
        lambda: LAST.n_bytes,
        MOONCAKE,
        lambda: payload_bytes(QWEN, LAST.tokens),
    ),
    (
        "divides the payload by the time finds {82.2 GB/s}, {41.1 %} of the line rate.",
        lambda: payload_bytes(QWEN, LAST.tokens) / LAST.seconds,
        lambda: payload_bytes(QWEN, LAST.tokens) / LAST.seconds / LINE,
    ),
    (
        "Copies counted, it is {164.3 GB/s} and {82.2 %}.",
        lambda: handoff(QWEN, LAST.tokens, 8, 8).wire_bytes / LAST.seconds,
        lambda: handoff(QWEN, LAST.tokens, 8, 8).wire_bytes / LAST.seconds / LINE,
    ),
    # Exercises
    (
        "4.1** *Recall, {3} minutes.* Qwen3-235B has {94} layers, {4} KV heads and head dimension "
        "{128}. Decode",
        lambda: find("4.1").minutes,
        lambda: QWEN.groups[0].layers,
        lambda: QWEN.groups[0].kv_heads,
        lambda: QWEN.groups[0].head_dim,
    ),
    (
        "A token weighs {192,512 bytes}, the prompt {1.58 GB}, one head of four {394.3 MB}.",
        lambda: payload_bytes(QWEN, 1),
        lambda: WHOLE,
        lambda: find("4.1").answer,
    ),
    (
        "A token weighs {70,272 bytes}. How many",
        lambda: payload_bytes(MLA, 1),
    ),
    (
        "lives on {16} / {8} = {2} ranks, and each takes the whole latent of {575.67 MB}: "
        "{1.15 GB}. Without data-parallel attention it would be {9.21 GB}.",
        "given: the decode worker's ranks",
        "given: its data-parallel size",
        lambda: attention_tp(16, dp=8),
        lambda: LATENT,
        lambda: GROUP.wire_bytes,
        lambda: slip("4.2", "all sixteen ranks"),
    ),
    (
        "Posting a descriptor takes {1 µs}. For how many",
        lambda: POST,
    ),
    (
        "8,192 × 80 × 2 is {1,310,720} for each decode rank. A prefill rank writes to four of "
        "them: {5.24 s}. Its bytes, {1.25 GiB}, need {53.69 ms} at {25 GB/s}.",
        lambda: SLICED.received_descriptors[0],
        lambda: find("4.3").answer,
        lambda: SLICED.sends[0],
        lambda: transfer_seconds(SLICED.sends[0], 25 * GB_s),
        "given: the text's link",
    ),
    (
        "no rank sends or receives more than {800 MB}. Several",
        lambda: MOST,
    ),
    (
        "{4}:{4} moves {394.3 MB} at the busiest rank. 2:2, 2:4 and 4:2 move {788.5 MB}.",
        "given: an answer",
        "given: an answer",
        lambda: handoff(QWEN, 8_192, 4, 4).busiest_bytes,
        lambda: handoff(QWEN, 8_192, 4, 2).busiest_bytes,
    ),
    # Key points
    (
        "Unequal sizes cost descriptors: here {524,288} a decode rank in SGLang,",
        lambda: ONE.received_descriptors[0],
    ),
    (
        "**If you remember one number:** {128 MiB}, one head of eight of {1 GiB}. No",
        lambda: rank(TEXT, 16),
        lambda: payload_bytes(TEXT, 8_192),
    ),
    # The questions
    (
        "The {1 GiB} of a prompt goes to a decode worker of {16} ranks.",
        lambda: payload_bytes(TEXT, 8_192),
        "given: a number of ranks",
    ),
    (
        "{64 MiB}: a sixteenth each",
        lambda: payload_bytes(TEXT, 8_192) / 16,
    ),
    (
        "{128 MiB}: one of eight KV heads each, and every head twice",
        lambda: rank(TEXT, 16),
    ),
    (
        "Together the ranks hold {2 GiB}, and all of it crosses",
        lambda: handoff(TEXT, 8_192, 16, 16).wire_bytes,
    ),
    (
        "{1 GiB}: everything",
        lambda: payload_bytes(TEXT, 8_192),
    ),
    (
        "take a quarter of 94 × 2 × 4 × 128 × {2 bytes} a token.",
        lambda: QWEN.element_bytes,
    ),
    (
        "posts, at {1 µs} a descriptor, for Llama",
        lambda: POST,
    ),
    (
        "Two of the four heads are {788.5 MB}.",
        lambda: WHOLE / 2,
    ),
]
