"""Chapter 6: what its prose and its questions state."""

from claims.chapter import made, practice, slip
from kvlib.bandwidth import MOONCAKE_VLLM, fit, transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.exercises import find
from kvlib.exercises.overlap import (
    BUSY,
    CACHED,
    CHUNKED,
    CHUNKS,
    EXPOSED,
    HIT,
    LAYERED,
    LAYERS,
    LONG,
    LONG_RATE,
    NEW,
    OPEN,
    SLOW,
    SLOW_BEST,
    SUFFIX,
)
from kvlib.models import load
from kvlib.overlap import (
    SGLANG,
    SPLITWISE,
    Request,
    best_pieces,
    break_even_pieces,
    chunkwise,
    contended,
    even_ready_seconds,
    ideal_pieces,
    layerwise,
    overlap_gain,
    serial,
    shared_link,
    timeline,
)
from kvlib.payload import payload_bytes
from kvlib.units import GB_s, Gbit_s, GiB, ms

PAGE = "6_overlap"
TEXT = Service()
PREFILL, TRANSFER = TEXT.prompt_tokens / TEXT.prefill_rate, GiB / TEXT.network_rate
ONE, CUT = serial(PREFILL, GiB), layerwise(PREFILL, GiB, 32)
WHOLE, BY_LAYER = timeline(ONE, 25 * GB_s), timeline(CUT, 25 * GB_s)
SLOWER = timeline(chunkwise(PREFILL, GiB, 8_192, 2_048), 5 * GB_s)
EACH = 0.5 * ms
SLOWED = contended(CUT, 10 * Gbit_s, EACH, compute_slowdown=2, transfer_slowdown=2)
TEXT_RATE = "given: the rate of the text's service"


def even(pieces, tokens=8_192, rate=25 * GB_s, overhead=EACH):
    """Return when the example's prompt, or another, is ready in even pieces."""
    return even_ready_seconds(
        pieces, tokens / 8_000, payload_bytes(TEXT.model, tokens) / rate, overhead
    )


def row(pieces=32, tokens=8_192, rate=25 * GB_s, overhead=EACH):
    """Return the expressions of a row of the explorer's table."""
    return [
        lambda: even(pieces, tokens, rate, overhead) / ms,
        lambda: (even(pieces, tokens, rate, overhead) - tokens / 8_000) / ms,
        lambda: even(1, tokens, rate, overhead) / ms,
    ]


def exposed(cut, prompt):
    """Return the exposed time of a prompt in the chapter's figure of many."""
    prompts = [Request(start_seconds=j * 1.024 / 3, pieces=cut) for j in range(30)]
    return shared_link(prompts, 20 * Gbit_s)[prompt - 1].exposed_seconds


def choice(tokens_or_pieces):
    """Return when the 64 tokens of exercise 6.4 are ready."""
    return even(tokens_or_pieces, 64)


GIVEN_6_4 = "given: the prompt of exercise 6.4"
SGLANG_23515 = "sglang pull request 23515: table of TTFT over prompt length, C=32"
SGLANG_19931 = "sglang pull request 19931: comment of 10 April 2026, one request"
SGLANG_14782 = "sglang pull request 14782: table of replayed production traffic"
SPLIT = "Splitwise, arXiv 2311.18677, section 6.1"
TRY = "given: a value to try"
DEFAULT = "sglang server_args.py: chunked prefill size by memory of the card"

CLAIMS = [
    ("14 minutes to read, {26} to practise.", lambda: practice("6")),
    # Predict
    (
        "A prompt of {8,192} tokens computes for {1,024 ms}, at the {8,000 tokens/s} of one",
        lambda: TEXT.prompt_tokens,
        lambda: PREFILL,
        lambda: TEXT.prefill_rate,
    ),
    (
        "Its {1 GiB} needs {42.95 ms} at {25 GB/s}. The model has {32} layers.",
        lambda: TEXT.payload_bytes,
        lambda: transfer_seconds(GiB, TEXT.network_rate),
        lambda: TEXT.network_rate,
        lambda: TEXT.model.layers,
    ),
    # A piece leaves
    (
        "In one piece: {1,024 ms} and {42.95 ms}, together {1,066.95 ms}.",
        lambda: PREFILL,
        lambda: TRANSFER,
        lambda: WHOLE.ready_seconds,
    ),
    (
        "By layer a piece has {33.55 MB} and takes {1.34 ms} on the link, while the next layer "
        "computes for {32 ms}.",
        lambda: GiB / 32,
        lambda: TRANSFER / 32,
        lambda: PREFILL / 32,
    ),
    (
        "and decode may start after {1,025.34 ms}. **Meaning.** {41.61 ms} are hidden and "
        "{1.34 ms} exposed.",
        lambda: BY_LAYER.ready_seconds,
        lambda: BY_LAYER.overlap_seconds,
        lambda: BY_LAYER.exposed_seconds,
    ),
    # The last piece
    ("Take the slower path of chapter 2, {5 GB/s}, and cut", "given: the slower rate of the text"),
    (
        "only when prefill ends, so its {53.69 ms} stay exposed.",
        lambda: SLOWER.exposed_seconds,
    ),
    # Price
    (
        "Assume {0.5 ms}, near the start-up of {0.38 ms} that chapter 2 fits.",
        lambda: EACH,
        lambda: fit([m.n_bytes for m in MOONCAKE_VLLM], [m.seconds for m in MOONCAKE_VLLM]).startup,
    ),
    (
        "Try {512} tokens, {64 ms} of prefill, on a link of {10 Gb/s}.",
        lambda: made(PAGE)["times"][0] * 8_000,
        lambda: made(PAGE)["times"][0],
        lambda: 512 * 131_072 / made(PAGE)["times"][1],
    ),
    (
        "not always the nearer: here {20} beats {21}.",
        lambda: best_pieces(*made(PAGE)["times"], 256),
        lambda: round(ideal_pieces(*made(PAGE)["times"])),
    ),
    (
        "Finer than $T_p/o$, {128} pieces here, a cut is worse",
        lambda: break_even_pieces(made(PAGE)["times"][0], EACH),
    ),
    (
        "A prompt of {64} tokens shows it: in one piece it is ready after {8.84 ms}, in {32} "
        "layers after {16.59 ms}.",
        TRY,
        lambda: even(1, 64),
        lambda: TEXT.model.layers,
        lambda: even(32, 64),
    ),
    # Explore
    ("1. At a prompt of {64} tokens, which", TRY),
    ("2. Take a link of {10 Gb/s} and a transfer slowed {2×}.", TRY, TRY),
    ("| nothing | {1,025.84} | {1.84} | {1,067.45} |", *row()),
    ("| no overhead | {1,025.34} | {1.34} | {1,066.95} |", *row(overhead=0)),
    ("| 64 tokens | {16.59} | {8.59} | {8.84} |", *row(tokens=64)),
    ("| link of {10 Gb/s} | {1,051.34} | {27.34} | {1,883.49} |", TRY, *row(rate=10 * Gbit_s)),
    (
        "| the same, both slowed {2×} | {1,898.99} | {874.99} | {1,883.49} |",
        TRY,
        lambda: SLOWED.ready_seconds / ms,
        lambda: SLOWED.exposed_seconds / ms,
        row(rate=10 * Gbit_s)[-1],
    ),
    (
        "{16} pieces: {8 ms} over {0.5 ms}. A little less than twice as slow: at {2×} a second of "
        "overlap does half of each and saves nothing, and {15.50 ms} of further overheads",
        lambda: break_even_pieces(64 / 8_000, EACH),
        lambda: 64 / 8_000,
        lambda: EACH,
        lambda: 2 + overlap_gain(2, 2),
        lambda: SLOWED.ready_seconds - even(1, rate=10 * Gbit_s),
    ),
    # Contention
    (
        "brought first tokens {9.67 %} sooner and made later ones {9.20 %} slower",
        lambda: 1 - 5.51 / 6.10,
        lambda: 20.66 / 18.92 - 1,
    ),
    (
        "At {2} and {2}, or at {1.5} and {3}, you have gained nothing",
        lambda: 2 + overlap_gain(2, 2),
        lambda: 2 + overlap_gain(2, 2),
        lambda: 1.5 + overlap_gain(1.5, 3),
        lambda: 3 + overlap_gain(1.5, 3),
    ),
    # Many
    (
        "prompt after prompt, {2.93 requests/s}, through one link of {20 Gb/s}. It carries "
        "{2.33 requests/s}.",
        lambda: capacity(TEXT).prefill,
        "given: a link slower than the prompts that arrive",
        lambda: 20 * Gbit_s / GiB,
    ),
    (
        "each request is {331 ms} ahead of the uncut one, and both lines climb by {88 ms} a "
        "prompt.",
        lambda: exposed(ONE, 24) - exposed(CUT, 24),
        lambda: exposed(CUT, 24) - exposed(CUT, 23),
    ),
    (
        "at {25 GB/s} and {0.5 ms} a piece, 32 pieces leave {16.96 requests/s} of "
        "{23.02 requests/s}.",
        TEXT_RATE,
        lambda: EACH,
        lambda: 1 / (TRANSFER + 32 * EACH),
        lambda: 1 / (TRANSFER + EACH),
    ),
    # Rules
    (
        "A chunk has {8,192} tokens by default on cards of {60} to {160 GiB}, in the version read.",
        lambda: SGLANG.chunk_tokens,
        DEFAULT,
        DEFAULT,
    ),
    # Mistake
    ("{32×} too little", lambda: WHOLE.exposed_seconds / BY_LAYER.exposed_seconds),
    ("so only {1.34 ms} are exposed.", lambda: BY_LAYER.exposed_seconds),
    (
        "and all {42.95 ms} are exposed. Had it cut by layer, the link would still have moved "
        "{1 GiB}.",
        lambda: WHOLE.exposed_seconds,
        lambda: TEXT.payload_bytes,
    ),
    # In the wild
    ("to the first token with {32} requests in flight", SGLANG_23515),
    ("| {256} | {229} | {269} | +{18 %} |", *[SGLANG_23515] * 4),  # rounded up there: 17.5 %
    (
        "| {1,024} | {696} | {274} | −{61 %} |",
        *[SGLANG_23515] * 3,
        lambda: 1 - 274 / 696,
    ),
    (
        "| {4,096} | {1,192} | {378} | −{68 %} |",
        *[SGLANG_23515] * 3,
        lambda: 1 - 378 / 1_192,
    ),
    (
        "| {8,192} | {1,234} | {637} | −{48 %} |",
        *[SGLANG_23515] * 3,
        lambda: 1 - 637 / 1_234,
    ),
    (
        "off one request, and −{61 %} and −{68 %} are more. Something else shrank with it; with "
        "{32} in flight",
        lambda: 1 - 274 / 696,
        lambda: 1 - 378 / 1_192,
        SGLANG_23515,
    ),
    ("The +{18 %} looks like the price of cutting.", SGLANG_23515),
    ("one request of {16,000} tokens over TCP", SGLANG_19931),
    (
        "Compute takes about {838 ms} and the transfer after it about {167 ms}.",
        SGLANG_19931,
        SGLANG_19931,
    ),
    (
        "the first token comes {161.46 ms} sooner: some {97 %} is hidden.",
        lambda: (1_074.93 - 913.47) * ms,
        lambda: (1_074.93 - 913.47) / 167,
    ),
    (
        "by-layer sending leaves: {8 ms} at {200 Gb/s} and {5 ms} at {400 Gb/s}, whatever",
        SPLIT,
        SPLIT,
        SPLIT,
        SPLIT,
    ),
    (
        "for Llama-3.1-70B and {2,048} tokens they take {0.34 ms} at {200 Gb/s}.",
        TRY,
        lambda: payload_bytes(load("llama-3.1-70b"), 2_048) / 80 / (200 * Gbit_s),
        SPLIT,
    ),
    (
        "the hand-off cost {0.8 %} by layer and up to {3 %} at once; the second token came "
        "{16.5 %} and {64 %} later.",
        SPLIT,
        SPLIT,
        SPLIT,
        SPLIT,
    ),
    ("Below {512} tokens Splitwise does not cut.", lambda: SPLITWISE.least_tokens),
    # Exercises
    (
        "A prompt computes for {600 ms} and leaves {3 GB}. The link moves {10 GB/s}. {24} equal",
        lambda: LAYERS["prefill"],
        lambda: LAYERS["n_bytes"],
        lambda: LAYERS["rate"],
        lambda: LAYERS["layers"],
    ),
    (
        "A layer computes for {25 ms} and takes {12.5 ms} on the link. The last one leaves at "
        "{600 ms}: {612.5 ms}.",
        lambda: LAYERED[0].compute_seconds,
        lambda: LAYERED[0].n_bytes / LAYERS["rate"],
        lambda: LAYERS["prefill"],
        lambda: find("6.1").answer,
    ),
    (
        "SGLang prefills {20,000} tokens in chunks of {8,192} at {8,000 tokens/s}. A token leaves "
        "{131,072 bytes}, the link moves {5 GB/s}.",
        lambda: LONG,
        lambda: SGLANG.chunk_tokens,
        lambda: TEXT.prefill_rate,
        lambda: payload_bytes(TEXT.model, 1),
        lambda: LONG_RATE,
    ),
    (
        "The chunks have {8,192}, {8,192} and {3,616} tokens.",
        *(lambda i=i: CHUNKS[i].n_bytes / 131_072 for i in range(3)),
    ),
    (
        "arrive before prefill ends after {2,500 ms}. The last takes {94.79 ms}.",
        lambda: CHUNKED.prefill_end_seconds,
        lambda: find("6.2").answer,
    ),
    (
        "The prefill worker holds {8,000} of {8,192} tokens already and sends them at once, as "
        "SGLang does by default. The other {192} compute for {24 ms}. The link moves {25 GB/s}.",
        lambda: CACHED,
        lambda: CACHED + NEW,
        lambda: NEW,
        lambda: SUFFIX.compute_seconds,
        TEXT_RATE,
    ),
    (
        "The cached part is on the link until {41.94 ms}, longer than the {24 ms} of prefill. The "
        "last {192} tokens follow and take {1.01 ms}: {42.95 ms}.",
        lambda: HIT.n_bytes / TEXT.network_rate,
        lambda: SUFFIX.compute_seconds,
        lambda: NEW,
        lambda: SUFFIX.n_bytes / TEXT.network_rate,
        lambda: find("6.3").answer,
    ),
    (
        "{64} tokens compute for {8 ms}, evenly over {32} layers. Their {8 MiB} cross at "
        "{25 GB/s}, and each piece costs {0.5 ms}.",
        GIVEN_6_4,
        lambda: 64 / TEXT.prefill_rate,
        lambda: TEXT.model.layers,
        lambda: payload_bytes(TEXT.model, 64),
        TEXT_RATE,
        lambda: EACH,
    ),
    (
        "Four pieces: {8.58 ms} against {8.84 ms} for one. Sixteen",
        lambda: choice(4),
        lambda: choice(1),
    ),
    (
        "The best even cut of {32} layers is not in the list: eight pieces, at {8.54 ms}.",
        lambda: TEXT.model.layers,
        lambda: min(choice(k) for k in range(1, 33) if 32 % k == 0),
    ),
    ("A gain of {2.8 %} may not be worth the code.", lambda: 1 - choice(4) / choice(1)),
    (
        "Prefill takes {100 ms}, the transfer {400 ms}, a piece costs {1 ms}. Cut",
        lambda: SLOW["prefill_seconds"],
        lambda: SLOW["transfer_seconds"],
        lambda: SLOW["overhead"],
    ),
    (
        "The first piece computes for {10 ms}, then the link works for {410 ms}: {420 ms} in place "
        "of {501 ms}.",
        lambda: SLOW["prefill_seconds"] / SLOW_BEST,
        lambda: SLOW["transfer_seconds"] + SLOW_BEST * SLOW["overhead"],
        lambda: find("6.5").answer,
        lambda: even_ready_seconds(1, **SLOW),
    ),
    (
        "{4,096} tokens compute for {512 ms}, their {512 MiB} cross at {25 Gb/s}, and a piece "
        "costs {2 ms}. Less than {12 ms} should stay exposed, and the link should work less than "
        "{250 ms} for it.",
        lambda: OPEN["prefill_seconds"] * TEXT.prefill_rate,
        lambda: OPEN["prefill_seconds"],
        lambda: payload_bytes(TEXT.model, 4_096),
        lambda: payload_bytes(TEXT.model, 4_096) / OPEN["transfer_seconds"],
        lambda: OPEN["overhead"],
        lambda: EXPOSED,
        lambda: BUSY,
    ),
    (
        "The bytes take {171.80 ms}. Exposed is {2 ms} and a $k$-th of that: less than {12 ms} "
        "from {18} pieces on.",
        lambda: OPEN["transfer_seconds"],
        lambda: OPEN["overhead"],
        lambda: EXPOSED,
        lambda: next(
            k
            for k in range(1, 99)
            if even_ready_seconds(k, **OPEN) - OPEN["prefill_seconds"] < EXPOSED
        ),
    ),
    (
        "The link works {171.80 ms} and {2 ms} a piece: less than {250 ms} up to {39} pieces.",
        lambda: OPEN["transfer_seconds"],
        lambda: OPEN["overhead"],
        lambda: BUSY,
        lambda: (BUSY - OPEN["transfer_seconds"]) // OPEN["overhead"],
    ),
    # Key points
    (
        "when the link is free: {1,025.34 ms} by layer, {1,066.95 ms} in one piece.",
        lambda: BY_LAYER.ready_seconds,
        lambda: WHOLE.ready_seconds,
    ),
    (
        "stays exposed; here {1.34 ms} of {42.95 ms}.",
        lambda: BY_LAYER.exposed_seconds,
        lambda: TRANSFER,
    ),
    # Questions
    ("Each of {32} pieces leaves as soon as it is computed.", lambda: TEXT.model.layers),
    (
        "after {33.34 ms}, when the first piece has arrived The first piece is one layer. The "
        "first new token passes through all {32} of them",
        lambda: BY_LAYER.steps[0].sent,
        lambda: TEXT.model.layers,
    ),
    ("after {1,024.00 ms}, with the end of prefill", lambda: BY_LAYER.prefill_end_seconds),
    (
        "after {1,025.34 ms}, one piece after the end of prefill",
        lambda: BY_LAYER.ready_seconds,
    ),
    (
        "after {1,066.95 ms}: prefill and transfer add up",
        lambda: WHOLE.ready_seconds,
    ),
    (
        "When decode may start: {600 ms} of prefill, {3 GB}, {10 GB/s}, {24} layers.",
        lambda: LAYERS["prefill"],
        lambda: LAYERS["n_bytes"],
        lambda: LAYERS["rate"],
        lambda: LAYERS["layers"],
    ),
    ("Each layer holds {125 MB}.", lambda: LAYERED[0].n_bytes),
    (
        "The exposed part of the hand-off of {20,000} tokens, in chunks of {8,192}.",
        lambda: LONG,
        lambda: SGLANG.chunk_tokens,
    ),
    (
        "{3,616} tokens of {131,072 bytes} leave when prefill has ended.",
        lambda: CHUNKS[-1].n_bytes / 131_072,
        lambda: payload_bytes(TEXT.model, 1),
    ),
    (
        "if the cached {8,000} of {8,192} tokens leave at once.",
        lambda: CACHED,
        lambda: CACHED + NEW,
    ),
    (
        "Prefill takes {24 ms}, the cached part {41.94 ms} on the link.",
        lambda: SUFFIX.compute_seconds,
        lambda: HIT.n_bytes / TEXT.network_rate,
    ),
    ("alone. The last {192} tokens still follow on the link.", lambda: NEW),
    (
        "{64} tokens, {32} layers, {0.5 ms} a piece. Which cut",
        GIVEN_6_4,
        lambda: TEXT.model.layers,
        lambda: EACH,
    ),
    ("one piece It is ready after {8.84 ms}.", lambda: choice(1)),
    (
        "four pieces of eight layers It is ready after {8.58 ms}. A piece computes for {2 ms} and "
        "pays {0.5 ms}, and only",
        lambda: choice(4),
        lambda: 0.008 / 4,
        lambda: EACH,
    ),
    (
        "sixteen pieces of two layers It is ready after {8.84 ms}, as late as one piece. A piece "
        "computes for {0.5 ms}",
        lambda: choice(16),
        lambda: 0.008 / 16,
    ),
    (
        "It is ready after {16.59 ms}. A layer computes for {0.25 ms} and pays {0.5 ms}, so",
        lambda: choice(32),
        lambda: 0.008 / 32,
        lambda: EACH,
    ),
    (
        "Prefill takes {8 ms}. Above {16} pieces",
        lambda: 64 / TEXT.prefill_rate,
        lambda: break_even_pieces(0.008, EACH),
    ),
    (
        "k* is the square root of {100}.",
        lambda: SLOW["prefill_seconds"] / SLOW["overhead"],
    ),
    ("Each piece adds {2 ms} to the link's work.", lambda: OPEN["overhead"]),
    (
        "That makes three equal pieces. A chunk has {8,192} tokens",
        lambda: slip("6.2", "three equal") * 0 + SGLANG.chunk_tokens,
    ),
]
