"""Chapter 2: what its prose and its questions state."""

from claims.chapter import made, practice, slip
from kvlib.bandwidth import (
    LINKS,
    MOONCAKE_VLLM,
    ROCE_OVERHEAD,
    Flow,
    Link,
    fair_rates,
    fit,
    framing_efficiency,
    seconds_with_startup,
    transfer_rate,
    transfer_seconds,
)
from kvlib.exercises import bandwidth as asked
from kvlib.exercises import find
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import GB, MB, GB_s, Gbit_s, GiB, MiB, ms

PAGE = "2_bandwidth"
LLAMA = load("llama-3.1-8b")
HUNDRED = LINKS["100 Gb/s Ethernet"].rate
CARD = LINKS["200 Gb/s Ethernet"].rate
FAST = LINKS["400 Gb/s Ethernet"].rate
SLOT, OLD_SLOT = LINKS["PCIe Gen4 x16"], LINKS["PCIe Gen3 x16"]
FIFTH = Link(name="card", rate=CARD, users=5).effective_rate
QUARTER = fair_rates([Flow(links=("card",))] * 4, [Link(name="card", rate=CARD)])[0]
PORTS = 8 * CARD  # of each node that Mooncake measured
MEASURED = fit([h.n_bytes for h in MOONCAKE_VLLM], [h.seconds for h in MOONCAKE_VLLM])
DYNAMO = 5_000 * payload_bytes(LLAMA, 1)

OPENING = "given: the link of the book's example"
MOONCAKE_49 = "kvcache-ai/Mooncake issue 49, where it stands as 6.9Gb"
MOONCAKE_1459 = "kvcache-ai/Mooncake issue 1459"
MOONCAKE_PAGE = "Mooncake, vllm-v1-pd-performance.md: the two nodes"
LIBFABRIC = "ofiwg/libfabric issue 4738"
DYNAMO_1314 = "ai-dynamo/dynamo pull request 1314"


def times_bound(handoff):
    """Return how many times the bound of the ports a measured hand-off took."""
    return handoff.seconds / transfer_seconds(handoff.n_bytes, PORTS)


def best():
    """Return the rate of the largest measured hand-off."""
    return transfer_rate(MOONCAKE_VLLM[-1].n_bytes, MOONCAKE_VLLM[-1].seconds)


def as_printed():
    """Return that rate as its page prints it: a number of GiB/s called GB/s."""
    return best() / GiB * GB_s


def wanted(seconds):
    """Return the rate at which four hand-offs of 1 GiB are through in a time."""
    return transfer_rate(asked.SENDERS * GiB, seconds)


CLAIMS = [
    (
        "12 minutes to read, {26} to practise.",
        lambda: practice("2"),
    ),
    # What the label promises
    (
        "**How soon can a path deliver {1 GiB}, at the very best?**",
        lambda: payload_bytes(LLAMA, 8_192),
    ),
    (
        "where a prompt of {8,192} tokens leaves {1 GiB}. Symbols:",
        "given: the prompt of the book's example",
        lambda: payload_bytes(LLAMA, 8_192),
    ),
    (
        "A decode worker waits for the {1 GiB} of chapter 1. The network card on the way says "
        "{200 Gb/s}.",
        lambda: payload_bytes(LLAMA, 8_192),
        lambda: made(PAGE)["card"].rate,
    ),
    # Divide by eight
    (
        "So divide the label by eight first: {200 Gb/s} is {25 GB/s}. Then divide",
        OPENING,
        lambda: CARD,
    ),
    (
        "{1,073,741,824 B} at {25 GB/s} take at least {42.95 ms}.",
        lambda: payload_bytes(LLAMA, 8_192),
        lambda: CARD,
        lambda: transfer_seconds(payload_bytes(LLAMA, 8_192), CARD),
    ),
    (
        "If the path leaves you only {5 GB/s}, they take at least {214.75 ms}.",
        lambda: FIFTH,
        lambda: transfer_seconds(GiB, FIFTH),
    ),
    (
        "A tester read {6.9} from a benchmark, compared it with a card of {100 Gb/s} and asked",
        MOONCAKE_49,
        MOONCAKE_49,
    ),
    (
        "In bits that is {6.9 %} of the label.",
        lambda: 6.9 * Gbit_s / HUNDRED,
    ),
    (
        "if it did then, the answer is {6.9 GB/s} of {12.5 GB/s}, or {55.2 %}.",
        MOONCAKE_49,
        lambda: HUNDRED,
        lambda: 6.9 * GB_s / HUNDRED,
    ),
    (
        "There `Gbit_s` stands for {125,000,000 bytes} a second",
        lambda: Gbit_s,
    ),
    # The slowest hop, shared
    (
        "Put a card of {400 Gb/s} into a server of the generation before it.",
        lambda: made(PAGE)["path"].hops[1].rate,
    ),
    (
        "The slot moves {16} × {16 Gb/s} in each direction, and of every {130} bits {128} are",
        "PCI Express Base Specification: the lanes of an x16 slot",
        lambda: made(PAGE)["path"].hops[0].rate / 16,
        lambda: 128 / made(PAGE)["path"].hops[0].efficiency,
        "PCI Express Base Specification: 128b/130b encoding",
    ),
    (
        "128 are data. That is {31.5 GB/s}, before headers inside the slot take their part.",
        lambda: made(PAGE)["path"].effective_rate,
    ),
    (
        "The {50 GB/s} of the card never happen, nor do the {21.47 ms} that they promised.",
        lambda: FAST,
        lambda: transfer_seconds(GiB, FAST),
    ),
    (
        "RDMA over Ethernet spends {82 bytes} a packet on headers and gaps.",
        lambda: ROCE_OVERHEAD,
    ),
    (
        "Packets of 4,096 payload bytes keep {98.04 %} of the label, packets of 1,024 keep "
        "{92.59 %}.",
        lambda: framing_efficiency(4_096, ROCE_OVERHEAD),
        lambda: framing_efficiency(1_024, ROCE_OVERHEAD),
    ),
    (
        "One report has the same card of {400 Gb/s} move {47 GB/s} out of host memory and "
        "{15 GB/s} out of GPU memory: {94 %} and {30 %} of one label ([Mooncake issue 1459])",
        MOONCAKE_1459,
        MOONCAKE_1459,
        MOONCAKE_1459,
        lambda: 47 * GB_s / FAST,
        lambda: 15 * GB_s / FAST,
    ),
    (
        "Five on our card of {25 GB/s} get {5 GB/s} each: the {214.75 ms} above.",
        lambda: CARD,
        lambda: FIFTH,
        lambda: transfer_seconds(GiB, FIFTH),
    ),
    # The explorer
    (
        "1. With how many users does {42.95 ms} become {214.75 ms}?",
        lambda: transfer_seconds(GiB, CARD),
        lambda: transfer_seconds(GiB, CARD / 5),
    ),
    (
        "2. Set the label to {400 Gb/s} and the start-up to {2 ms}. At which payload",
        "given: a label to try in the explorer",
        "given: a start-up to try in the explorer",
    ),
    (
        "| {1 GiB} | {200} | 1 | {0} | {42.95} | {42.95} |",
        "given: the explorer's default",
        "given: the explorer's default",
        "given: the explorer's default",
        lambda: transfer_seconds(GiB, CARD) / ms,
        lambda: seconds_with_startup(GiB, 0, CARD) / ms,
    ),
    (
        "| {1 GiB} | {200} | {5} | {0} | {214.75} | {214.75} |",
        "given: the explorer's default",
        "given: the explorer's default",
        lambda: transfer_seconds(GiB, FIFTH) / transfer_seconds(GiB, CARD),
        "given: the explorer's default",
        lambda: transfer_seconds(GiB, FIFTH) / ms,
        lambda: seconds_with_startup(GiB, 0, FIFTH) / ms,
    ),
    (
        "| {1 GiB} | {400} | 1 | {2} | {21.47} | {23.47} |",
        "given: the explorer's default",
        "given: a label to try in the explorer",
        "given: a start-up to try in the explorer",
        lambda: transfer_seconds(GiB, FAST) / ms,
        lambda: seconds_with_startup(GiB, 2 * ms, FAST) / ms,
    ),
    (
        "| {8 MiB} | {400} | 1 | {2} | {0.17} | {2.17} |",
        "given: a payload to try in the explorer",
        "given: a label to try in the explorer",
        "given: a start-up to try in the explorer",
        lambda: transfer_seconds(8 * MiB, FAST) / ms,
        lambda: seconds_with_startup(8 * MiB, 2 * ms, FAST) / ms,
    ),
    (
        "At {50 GB/s} the bytes of {100 MB} take {2 ms}, as long as the start-up.",
        lambda: FAST,
        lambda: 2 * ms * FAST,
        "given: a start-up to try in the explorer",
    ),
    # Measured hand-offs
    (
        "each with eight ports of {200 Gb/s}: {200 GB/s} together.",
        MOONCAKE_PAGE,
        lambda: PORTS,
    ),
    (
        "The fit finds a start-up of {0.38 ms} and a rate of {146 GB/s}, {73 %} of the label.",
        lambda: MEASURED.startup,
        lambda: MEASURED.rate,
        lambda: MEASURED.rate / PORTS,
    ),
    (
        "At {55 MB}, the *half size*, start-up lasts as long",
        lambda: MEASURED.half_size,
    ),
    (
        "So the smallest hand-off takes {5.1×} its bound, the largest {1.3×}.",
        lambda: times_bound(MOONCAKE_VLLM[0]),
        lambda: times_bound(MOONCAKE_VLLM[-1]),
    ),
    (
        "the fit is off by up to {7 %}, so do not extrapolate",
        lambda: MEASURED.worst_error,
    ),
    (
        "That page calls its best rate {142.25 GB/s}, {71.1 %} of the label. Its units are binary.",
        as_printed,
        lambda: as_printed() / PORTS,
    ),
    (
        "In the units of the label the same transfer runs at {152.74 GB/s}, {76.4 %}.",
        best,
        lambda: best() / PORTS,
    ),
    # RDMA
    (
        "Registering {256 GB} once took over {20 s} ([libfabric issue 4738])",
        LIBFABRIC,
        LIBFABRIC,
    ),
    # A common mistake
    (
        '"One hand-off takes {42.95 ms}. Four prompts finish together, so all four have arrived '
        'after {42.95 ms}."',
        lambda: transfer_seconds(GiB, CARD),
        lambda: transfer_seconds(GiB, CARD),
    ),
    (
        "That needs {100 GB/s}, and the card has {25 GB/s}.",
        lambda: 4 * GiB / transfer_seconds(GiB, CARD),
        lambda: CARD,
    ),
    (
        "Shared evenly, each hand-off gets {6.25 GB/s} and takes {171.80 ms}.",
        lambda: QUARTER,
        lambda: transfer_seconds(GiB, QUARTER),
    ),
    (
        "One after the other, the first takes {42.95 ms} and the last is there after {171.80 ms} "
        "again.",
        lambda: transfer_seconds(GiB, CARD),
        lambda: 4 * transfer_seconds(GiB, CARD),
    ),
    (
        "No order beats that, because {4 GiB} must cross.",
        lambda: len(made(PAGE)["four"]) * GiB,
    ),
    # Seen in the wild
    (
        'The author shows the gain for an 8B Llama and {5,000} tokens. "Total time for write" '
        "falls from {1,803.43 ms} to {3.08 ms} ([Dynamo pull request 1314])",
        DYNAMO_1314,
        DYNAMO_1314,
        DYNAMO_1314,
    ),
    (
        "At {131,072 B} a token the payload is {655 MB}. Can both times be true?",
        lambda: payload_bytes(LLAMA, 1),
        lambda: DYNAMO,
    ),
    (
        "On that link the bytes need at least {13.11 ms}.",
        lambda: transfer_seconds(DYNAMO, made(PAGE)["link"].rate),
    ),
    (
        "So they did not arrive within {3.08 ms}, unless several cards",
        DYNAMO_1314,
    ),
    (
        'The slow time tells no more: {1,800.31 ms} of its {1,803.43 ms} are "time to init xfer".',
        DYNAMO_1314,
        DYNAMO_1314,
    ),
    # Exercises
    (
        "A prompt of {32,768} tokens has left {4 GiB}. How soon can a link of {100 Gb/s} deliver",
        "given: the prompt of exercise 2.1",
        lambda: payload_bytes(LLAMA, 32_768),
        lambda: 4 * GiB / find("2.1").answer,
    ),
    (
        "{100 Gb/s} is {12.5 GB/s}. 4 × {1,073,741,824 B} divided by it is {343.60 ms}.",
        "given: the link of exercise 2.1",
        lambda: HUNDRED,
        lambda: payload_bytes(LLAMA, 32_768) / 4,
        lambda: transfer_seconds(payload_bytes(LLAMA, 32_768), HUNDRED),
    ),
    (
        "A card of {200 Gb/s} sits in a PCIe Gen3 x16 slot: {16} lanes of {8 Gb/s}, and of every "
        "{130} bits 128 are data. What is the least time for {2 GiB} through slot and card?",
        lambda: asked.SLOT.hops[1].rate,
        "PCI Express Base Specification: the lanes of an x16 slot",
        lambda: asked.SLOT.hops[0].rate / 16,
        lambda: 128 / asked.SLOT.hops[0].efficiency,
        lambda: find("2.2").answer * asked.SLOT.effective_rate,
    ),
    (
        "The slot carries 16 × {8} × 128 / {130} = {126.03 Gb/s}, which is {15.75 GB/s}.",
        lambda: OLD_SLOT.rate / 16 / Gbit_s,
        lambda: 128 / OLD_SLOT.efficiency,
        lambda: OLD_SLOT.payload_rate,
        lambda: OLD_SLOT.payload_rate,
    ),
    (
        "The card could do {25 GB/s} and waits. {2 GiB} at {15.75 GB/s} are {136.3 ms};",
        lambda: CARD,
        "given: the size of exercise 2.2",
        lambda: OLD_SLOT.payload_rate,
        lambda: transfer_seconds(2 * GiB, OLD_SLOT.payload_rate),
    ),
    (
        "Three hand-offs of {1 GiB} start at once through a card of {200 Gb/s}, which shares "
        "fairly. Two go to cards as fast as itself, the third to one of {40 Gb/s}.",
        lambda: find("2.3").answer * asked.SHARES[0],
        lambda: asked.CARD.rate,
        lambda: asked.FAR.rate,
    ),
    (
        "An even third would be {8.33 GB/s}, and the third hand-off can use only {5 GB/s}.",
        lambda: CARD / 3,
        lambda: 40 * Gbit_s,
    ),
    (
        "The other two share what is left, {10 GB/s} each: {107.37 ms}.",
        lambda: (CARD - 40 * Gbit_s) / 2,
        lambda: transfer_seconds(GiB, (CARD - 40 * Gbit_s) / 2),
    ),
    (
        "each: 107.37 ms. The third takes {214.75 ms}.",
        lambda: transfer_seconds(GiB, 40 * Gbit_s),
    ),
    (
        "Four reports about one link of {400 Gb/s}, each timed until",
        "given: the link of exercise 2.4",
    ),
    (
        "The label is {50 GB/s}, and {2 GiB} in {40 ms} would be {53.69 GB/s}.",
        lambda: FAST,
        "given: a report of exercise 2.4",
        "given: a report of exercise 2.4",
        lambda: transfer_rate(2 * GiB, 40 * ms),
    ),
    (
        "a hand-off of {40 MB} takes {4 ms} and one of {240 MB} takes {14 ms}.",
        lambda: asked.SIZES[0],
        lambda: asked.TIMES[0],
        lambda: asked.SIZES[1],
        lambda: asked.TIMES[1],
    ),
    (
        "How long does {1 GB} take, if the path goes on",
        lambda: (find("2.5").answer - asked.FITTED.startup) * asked.FITTED.rate,
    ),
    (
        "{200 MB} more take {10 ms} more: the rate is {20 GB/s}.",
        lambda: 240 * MB - 40 * MB,
        lambda: 14 * ms - 4 * ms,
        lambda: asked.FITTED.rate,
    ),
    (
        "At that rate {40 MB} need {2 ms}, so the start-up is {2 ms}.",
        lambda: asked.SIZES[0],
        lambda: transfer_seconds(40 * MB, asked.FITTED.rate),
        lambda: asked.FITTED.startup,
    ),
    (
        "{1 GB} needs {50 ms} of bytes, {52.0 ms} in all. The half size is {40 MB}.",
        "given: the size of exercise 2.5",
        lambda: transfer_seconds(1 * GB, asked.FITTED.rate),
        lambda: asked.FITTED.seconds(1 * GB),
        lambda: asked.FITTED.half_size,
    ),
    (
        "Four hand-offs of {1 GiB} start at once on one link. Each should take less than {60 ms}, "
        "and more than {30 ms}, since",
        "given: the size of exercise 2.6",
        lambda: asked.LATEST,
        lambda: asked.SOONEST,
    ),
    (
        "{4 GiB} in {60 ms} are {71.58 GB/s}, in {30 ms} {143.17 GB/s}.",
        lambda: asked.SENDERS * GiB,
        lambda: asked.LATEST,
        lambda: wanted(60 * ms),
        lambda: asked.SOONEST,
        lambda: wanted(30 * ms),
    ),
    (
        "Any label between {573 Gb/s} and {1,145 Gb/s} will do.",
        lambda: wanted(60 * ms),
        lambda: wanted(30 * ms),
    ),
    (
        "{800 Gb/s} gives each hand-off {25 GB/s} and {42.95 ms}: the time of one",
        "given: the label that exercise 2.6 shows as an answer",
        lambda: LINKS["800 Gb/s Ethernet"].rate / 4,
        lambda: transfer_seconds(GiB, LINKS["800 Gb/s Ethernet"].rate / 4),
    ),
    # Key points
    (
        "**Convert.** Gb/s divided by eight is GB/s: a label of {200 Gb/s} is {25 GB/s}.",
        OPENING,
        lambda: CARD,
    ),
    (
        "**Compute.** Payload over effective rate is the least time: {42.95 ms} for {1 GiB} at "
        "{25 GB/s}, {214.75 ms} at {5 GB/s}.",
        lambda: transfer_seconds(GiB, CARD),
        lambda: payload_bytes(LLAMA, 8_192),
        lambda: CARD,
        lambda: transfer_seconds(GiB, FIFTH),
        lambda: FIFTH,
    ),
    (
        "**If you remember one number:** {200 Gb/s} is {25 GB/s}, so {1 GiB} needs {43 ms} at the "
        "very best.",
        OPENING,
        lambda: CARD,
        lambda: payload_bytes(LLAMA, 8_192),
        lambda: transfer_seconds(payload_bytes(LLAMA, 8_192), CARD),
    ),
    # Questions
    (
        "The card says {200 Gb/s}. How soon can it deliver {1 GiB}, at the very best?",
        OPENING,
        lambda: payload_bytes(LLAMA, 8_192),
    ),
    (
        "in about {5 ms} That reads the label as bytes.",
        lambda: transfer_seconds(GiB, 200 * GB_s),
    ),
    (
        "in about {43 ms}, if no hop is slower and nobody else is on the path Divide by eight for "
        "{25 GB/s}",
        lambda: transfer_seconds(GiB, CARD),
        lambda: CARD,
    ),
    (
        "in about {43 ms}, whoever else sends at the same time",
        lambda: transfer_seconds(GiB, CARD),
    ),
    (
        "The least time for {4 GiB} at {100 Gb/s}.",
        lambda: payload_bytes(LLAMA, 32_768),
        lambda: 4 * GiB / find("2.1").answer,
    ),
    (
        "The rate is {12.5 GB/s}. Divide 4 × {1,073,741,824 bytes} by it.",
        lambda: HUNDRED,
        lambda: GiB,
    ),
    (
        "The least time for {2 GiB} through a PCIe Gen3 x16 slot and a card of {200 Gb/s}.",
        lambda: find("2.2").answer * OLD_SLOT.payload_rate,
        lambda: asked.SLOT.hops[1].rate,
    ),
    (
        "multiply {16} lanes by {8 Gb/s} and by 128/{130}. Then divide by eight.",
        "PCI Express Base Specification: the lanes of an x16 slot",
        lambda: OLD_SLOT.rate / 16,
        lambda: 128 / OLD_SLOT.efficiency,
    ),
    (
        "of every {130} bits in the slot, {128} are data.",
        lambda: 128 / OLD_SLOT.efficiency,
        lambda: 130 * slip("2.2", "forgets the encoding") / find("2.2").answer,
    ),
    (
        "That is one lane. The slot has {16}.",
        lambda: slip("2.2", "one lane") / find("2.2").answer,
    ),
    (
        "It uses {5 GB/s} of {25 GB/s}. Two hand-offs share what is left.",
        lambda: asked.SHARES[2],
        lambda: CARD,
    ),
    (
        "Four reports about one link of {400 Gb/s}. Which of them cannot be true?",
        "given: the link of exercise 2.4",
    ),
    (
        "The label is {50 GB/s}. Mind which sizes are in GiB.",
        lambda: FAST,
    ),
    (
        "{1 GiB} in {24 ms} That is {44.74 GB/s} of {50 GB/s}: a good",
        "given: a report of exercise 2.4",
        "given: a report of exercise 2.4",
        lambda: transfer_rate(GiB, 24 * ms),
        lambda: FAST,
    ),
    (
        "{2 GiB} in {40 ms} That is {53.69 GB/s}, and the link carries {50 GB/s}.",
        "given: a report of exercise 2.4",
        "given: a report of exercise 2.4",
        lambda: transfer_rate(2 * GiB, 40 * ms),
        lambda: FAST,
    ),
    (
        "Had the report meant {2 GB} it would sit exactly on the label",
        lambda: 40 * ms * FAST,
    ),
    (
        "{128 MiB} in {60 ms} That is {2.24 GB/s}, less than a twentieth of the label.",
        "given: a report of exercise 2.4",
        "given: a report of exercise 2.4",
        lambda: transfer_rate(128 * MiB, 60 * ms),
    ),
    (
        "{48 GB} in {1 s} That is {48 GB/s}, {96 %} of the label",
        "given: a report of exercise 2.4",
        "given: a report of exercise 2.4",
        lambda: transfer_rate(48 * GB, 1),
        lambda: transfer_rate(48 * GB, 1) / FAST,
    ),
    (
        "The time of {1 GB}, from {40 MB} in {4 ms} and {240 MB} in {14 ms}.",
        lambda: (find("2.5").answer - asked.FITTED.startup) * asked.FITTED.rate,
        lambda: asked.SIZES[0],
        lambda: asked.TIMES[0],
        lambda: asked.SIZES[1],
        lambda: asked.TIMES[1],
    ),
    (
        "Subtract: {200 MB} more took {10 ms} more.",
        lambda: asked.SIZES[1] - asked.SIZES[0],
        lambda: asked.TIMES[1] - asked.TIMES[0],
    ),
    (
        "four hand-offs of {1 GiB} at once take {30 ms} to {60 ms} each.",
        "given: the size of exercise 2.6",
        lambda: asked.SOONEST,
        lambda: asked.LATEST,
    ),
    (
        "Which quarter moves {1 GiB} in {45 ms}, say?",
        "given: the size of exercise 2.6",
        lambda: (asked.SOONEST + asked.LATEST) / 2,
    ),
    (
        "Work backwards: divide {1 GiB} by the time, multiply by four",
        "given: the size of exercise 2.6",
    ),
]
