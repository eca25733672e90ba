"""Chapter 8: what its prose and its questions state."""

from dataclasses import replace

from claims.chapter import made, practice, slip
from claims.queueing import within
from kvlib.bandwidth import transfer_seconds
from kvlib.exercises import find
from kvlib.exercises.purchase import FASTEST
from kvlib.exercises.workbench import COPIED, GAUGE, GIVEN, HELD, LABEL, LONGER, TARGET, WIDE
from kvlib.models import load
from kvlib.quantization import FORMATS
from kvlib.units import GB, MB, GB_s, Gbit_s, GiB, MiB, ms
from kvlib.workbench import Setup, report

PAGE = "8_workbench"
TEXT = Setup()
FP8 = FORMATS["fp8_e4m3"]
QWEN = Setup(model=load("qwen3-235b-a22b"), prefill_tp=8, decode_tp=8)
LATENT = Setup(model=load("deepseek-v3"), prefill_tp=8, decode_tp=8, link_rate=25 * Gbit_s)
VLLM_50913 = "vllm-project/vllm issue 50913: the deployment, the median and the logs of a later run"
VLLM_51919 = "vllm-project/vllm pull request 51919: its purpose"
SGLANG_31993 = "sgl-project/sglang pull request 31993: its motivation, with NDR cards"
CARRIED = "Mooncake's table for SGLang, the row of chapter 4"


def bounds(setup=TEXT, **changed):
    """Return what the stages of a set-up sustain after a change."""
    return report(replace(setup, **changed)).capacity


def row(first, setup):
    """Return the expressions of a row of the table, whose stage is checked: GiB, ms, requests/s."""
    assert report(setup).first == (first,)
    return [
        lambda: report(setup).sizes.wire_bytes / GiB,
        lambda: report(setup).bound_seconds / ms,
        lambda: report(setup).capacity.limit,
    ]


def gap(setup):
    """Return how far the second bound lies above the smallest."""
    first, second, *_ = sorted(value for _, value in bounds(setup).given())
    return second / first - 1


def shown(rate, waited=1.0, n_bytes=GiB):
    """Return the GiB/s that a counter shows whose time holds a wait."""
    return n_bytes / GiB / (waited + transfer_seconds(n_bytes, rate))


def held(name, tp, first):
    """Return what a service sustains whose prefill holds nearly all of a long prompt."""
    long = {"prompt_tokens": 32_768, "source_hit": 31_744}
    found = report(Setup(model=load(name), prefill_tp=tp, decode_tp=tp, **long))
    assert found.first == (first,)
    return found.capacity.limit


def handover(times=1):
    """Return the seconds of the public hand-over, as the chapter's cell has it."""
    found = made(PAGE)
    return report(replace(found["node"], link_rate=times * found["rate"])).exposed_seconds


def part():
    """Return the bytes of 4,900 tokens on one of two ranks, without a page to fill up."""
    return 2 * 64 * 4 * 128 * made(PAGE)["node"].prompt_tokens


def needed(key_format=None):
    """Return the rate in B/s that carries the target of 8.5."""
    wire = report(replace(GIVEN, key_format=key_format)).sizes.wire_bytes
    return TARGET * wire / GIVEN.efficiency


CLAIMS = [
    ("14 minutes to read, {22} to practise.", lambda: practice("8")),
    # Predict
    (
        "Three workers prefill at {8,000 tokens/s} each, five decode at {800 tokens/s} each, on a "
        "link of {200 Gb/s}.",
        lambda: TEXT.prefill_rate,
        lambda: TEXT.decode_rate,
        lambda: TEXT.link_rate,
    ),
    (
        "prompts grow from {8,192} to {32,768} tokens, and answers stay at {512}. But the prefill "
        "worker already holds {30,000} tokens",
        lambda: TEXT.prompt_tokens,
        lambda: LONGER.prompt_tokens,
        lambda: TEXT.output_tokens,
        lambda: LONGER.source_hit,
    ),
    # The chain
    (
        "{1 GiB} crosses {25 GB/s} in {42.95 ms}: {23.28 requests/s}. Prefill sustains "
        "{2.93 requests/s}, decode {7.81 requests/s}.",
        lambda: report(TEXT).sizes.wire_bytes,
        lambda: TEXT.link_rate,
        lambda: report(TEXT).bound_seconds,
        lambda: bounds().network,
        lambda: bounds().prefill,
        lambda: bounds().decode,
    ),
    # By hand
    (
        "Qwen3-235B-A22B has {94} layers and {4} KV heads, so at TP {8} two ranks hold",
        lambda: GIVEN.model.groups[0].layers,
        lambda: GIVEN.model.groups[0].kv_heads,
        lambda: GIVEN.decode_tp,
    ),
    (
        "Prefill holds {24,576} of {32,768} tokens. Transfers reach {80 %} of {400 Gb/s}; those "
        "published in chapter 4 reached {82.2 %} of theirs.",
        lambda: GIVEN.source_hit,
        lambda: GIVEN.prompt_tokens,
        lambda: GIVEN.efficiency,
        lambda: GIVEN.link_rate,
        CARRIED,
    ),
    (
        "The network's bound stands {8.2 %} above prefill's. Should transfers reach {73 %} in "
        "place of {80 %},",
        lambda: gap(GIVEN),
        lambda: 0.73 if report(replace(GIVEN, efficiency=0.73)).first == ("network",) else 0,
        lambda: GIVEN.efficiency,
    ),
    (
        '--tp {8}:{8} --link "{400 Gb/s}" --efficiency',
        lambda: GIVEN.prefill_tp,
        lambda: GIVEN.decode_tp,
        lambda: GIVEN.link_rate,
    ),
    # The workbench
    (
        "the first line is the running example's {2.93 requests/s}.",
        lambda: bounds().limit,
    ),
    (
        "1. Set the prompt to {32,768} tokens, {30,000} of them cached",
        lambda: LONGER.prompt_tokens,
        lambda: LONGER.source_hit,
    ),
    (
        "ask for the first token within {1 s}.",
        lambda: 1.0 if report(replace(TEXT, target_seconds=1.0)).spare_seconds < 0 else 0,
    ),
    ("| the defaults | prefill | {1.00} | {42.95} | {2.93} |", *row("prefill", TEXT)),
    (
        "| {30,000} of {32,768} tokens held by prefill | network | {4.00} | {171.80} | {5.82} |",
        lambda: LONGER.source_hit,
        lambda: LONGER.prompt_tokens,
        *row("network", LONGER),
    ),
    (
        "| the same, fp8_e4m3 | decode | {2.00} | {85.90} | {7.81} |",
        *row("decode", replace(LONGER, key_format=FP8)),
    ),
    (
        "| qwen3-235b-a22b, TP 8 to 8 | prefill | {2.94} | {126.16} | {2.93} |",
        *row("prefill", QWEN),
    ),
    (
        "| the worked set-up above | prefill | {11.75} | {252.33} | {2.93} |",
        *row("prefill", GIVEN),
    ),
    (
        "| deepseek-v3, TP 8 to 8, on {25 Gb/s} | network | {4.29} | {1,473.71} | {0.68} |",
        lambda: LATENT.link_rate,
        *row("network", LATENT),
    ),
    (
        "with fp8_e4m3 the link carries {11.64 requests/s}, and decode is first at "
        "{7.81 requests/s}.",
        lambda: bounds(LONGER, key_format=FP8).network,
        lambda: bounds(LONGER, key_format=FP8).limit,
    ),
    (
        "twice the payload crosses, {2.94 GiB} for {1.47 GiB}:",
        lambda: report(QWEN).sizes.wire_bytes,
        lambda: report(QWEN).sizes.payload_bytes,
    ),
    ("one request alone takes {1.02 s} to prefill.", lambda: report(TEXT).prefill_seconds),
    (
        "To keep {95 %} within {2 s}, chapter 7 allowed {1.83 requests/s}, the mean of four seeds.",
        "given: the share of chapter 7",
        "given: the target of chapter 7",
        lambda: within(2),
    ),
    # Hits
    ("Prompts of {32,768} tokens and a growing hit", lambda: LONGER.prompt_tokens),
    (
        "The 70B model stops at {2.33 requests/s},",
        lambda: held("llama-3.1-70b", 8, "network"),
    ),
    (
        "yet stops first, at {1.36 requests/s}: each of eight ranks receives the whole",
        lambda: held("deepseek-v3", 8, "network"),
    ),
    (
        "it leaves decode to stop the service, at {7.81 requests/s}.",
        lambda: held("deepseek-v3", 1, "decode"),
    ),
    # Logs
    (
        '"MB" is MiB in the second: {7.4 %} and {4.9 %} more than they say.',
        lambda: GiB / GB - 1,
        lambda: MiB / MB - 1,
    ),
    # Measure
    ("an efficiency of {100 %}, a hit", lambda: TEXT.efficiency),
    # The mistake
    (
        "{4 %} of the link\n:class: warning",
        lambda: shown(TEXT.link_rate) * GB_s / TEXT.link_rate,
    ),
    (
        "shows {0.96} on a link of {25 GB/s}.",
        lambda: shown(TEXT.link_rate),
        lambda: TEXT.link_rate,
    ),
    (
        "Let a hand-off of {1 GiB} wait {1 s} for its turn: {1 GiB} in {1.04 s}. With twice the "
        "link it shows {0.98}.",
        lambda: GiB,
        "given: a wait to try",
        lambda: GiB,
        lambda: 1 + transfer_seconds(GiB, TEXT.link_rate),
        lambda: shown(2 * TEXT.link_rate),
    ),
    (
        "Another sees over {100 GB/s} on cards of {50 GB/s}:",
        SGLANG_31993,
        SGLANG_31993,
    ),
    # In the wild
    (
        "its prompts have about {4,900} tokens. From prefill's first token to the client's it took "
        "{197 ms} at the median; about {29 ms} of it moved the cache",
        VLLM_50913,
        VLLM_50913,
        VLLM_51919,
    ),
    ("Put the other {168 ms} beside the bytes", lambda: (197 - 29) * ms),
    (
        "Twice the link takes off {7.4 %}.",
        lambda: 1 - handover(2) / handover(),
    ),
    ("and report about {36 ms}.", VLLM_50913),
    (
        'A later run shows {167} "MB" a transfer in {38.7 ms}. One rank\'s part of {4,900} tokens '
        "is {306.25 MiB},",
        VLLM_50913,
        VLLM_50913,
        lambda: made(PAGE)["node"].prompt_tokens,
        part,
    ),
    # Exercises
    (
        "A prompt's payload is {1.25 GB}. TP {8} on both sides keeps two copies of each head. "
        "Transfers reach {80 %} of a link of {100 Gb/s}.",
        lambda: COPIED["payload"],
        "given: a size at which four heads have two copies",
        lambda: COPIED["efficiency"],
        lambda: COPIED["link"],
    ),
    (
        "{2.5 GB} cross for each request, and {10 GB/s} are reached: {4.00 requests/s}.",
        lambda: COPIED["payload"] * COPIED["copies"],
        lambda: COPIED["link"] * COPIED["efficiency"],
        lambda: find("8.1").answer,
    ),
    (
        "prompts of {16,384} tokens, of which prefill holds {12,288}. Transfers reach {80 %} of "
        "the link of {200 Gb/s}.",
        lambda: HELD.prompt_tokens,
        lambda: HELD.source_hit,
        lambda: HELD.efficiency,
        lambda: HELD.link_rate,
    ),
    (
        "Prefill computes {4,096} tokens a request: {5.86 requests/s}. The link moves all {5 GiB} "
        "at {20 GB/s}: {3.73 requests/s}. Decode stays at {7.81 requests/s}.",
        lambda: HELD.computed_tokens,
        lambda: bounds(HELD).prefill,
        lambda: report(HELD).sizes.wire_bytes,
        lambda: HELD.network_rate,
        lambda: find("8.2").answer,
        lambda: bounds(HELD).decode,
    ),
    (
        "shows {18.6}. Which share of a link of {200 Gb/s} is that?",
        lambda: GAUGE,
        lambda: LABEL,
    ),
    (
        "{18.6 GiB/s} are {19.97 GB/s}, of {25 GB/s}: {79.9 %}. Read as GB/s it would be {74.4 %}.",
        lambda: GAUGE * GiB,
        lambda: GAUGE * GiB,
        lambda: LABEL,
        lambda: find("8.3").answer,
        lambda: slip("8.3", "The code divides"),
    ),
    (
        "runs on a link of {25 Gb/s}. Its bounds: network {2.91 requests/s}, prefill "
        "{2.93 requests/s}, decode {7.81 requests/s}.",
        lambda: WIDE.link_rate,
        lambda: bounds(WIDE).network,
        lambda: bounds(WIDE).prefill,
        lambda: bounds(WIDE).decode,
    ),
    (
        "At {80 %} it is {2.33 requests/s}, and no longer close.",
        "given: near what published transfers reach",
        lambda: bounds(WIDE, efficiency=0.8).network,
    ),
    (
        "with eight workers and {80 %} of any link, is to sustain {3.5 requests/s}.",
        lambda: GIVEN.efficiency,
        lambda: TARGET,
    ),
    ("a link of at most {800 Gb/s} and a format", lambda: FASTEST),
    (
        "as in `3:5, {400 Gb/s}, bf16`.",
        lambda: GIVEN.link_rate,
    ),
    (
        "Prefill needs four workers, {3.91 requests/s}, or five with {4.88 requests/s};",
        lambda: bounds(GIVEN, prefill_workers=4).prefill,
        lambda: bounds(GIVEN, prefill_workers=5).prefill,
    ),
    ("The link needs {442 Gb/s} in bf16,", needed),
    # Key points
    (
        "The worked set-up: {2.93 requests/s} from prefill, {3.17 requests/s} from the link.",
        lambda: bounds(GIVEN).prefill,
        lambda: bounds(GIVEN).network,
    ),
    ("is mostly GiB, {7.4 %} more.", lambda: GiB / GB - 1),
    ("the distance to the second bound; here {8.2 %}.", lambda: gap(GIVEN)),
    # Questions
    (
        "Prompts of {32,768} tokens, of which prefill holds {30,000}.",
        lambda: LONGER.prompt_tokens,
        lambda: LONGER.source_hit,
    ),
    (
        "Only {2,768} tokens are left to compute, a third of what a prompt took before, so prefill "
        "rises to {8.67 requests/s}.",
        lambda: LONGER.computed_tokens,
        lambda: bounds(LONGER).prefill,
    ),
    (
        "Each hand-off moves {4 GiB}, so the link carries {5.82 requests/s},",
        lambda: report(LONGER).sizes.wire_bytes,
        lambda: bounds(LONGER).network,
    ),
    (
        "it still sustains {7.81 requests/s}. It would be first if the link were {34 %} faster.",
        lambda: bounds(LONGER).decode,
        lambda: bounds(LONGER).decode / bounds(LONGER).network - 1,
    ),
    (
        "Hand-offs per second: {1.25 GB}, two copies of each head, {100 Gb/s} at {80 %}.",
        lambda: COPIED["payload"],
        lambda: COPIED["link"],
        lambda: COPIED["efficiency"],
    ),
    (
        "Both copies cross, and transfers reach {80 %} of the label.",
        lambda: COPIED["efficiency"],
    ),
    ("That is the label's rate. Transfers reach {80 %} of it.", lambda: COPIED["efficiency"]),
    (
        "{2.5 GB} cross for each request, and the link moves {10 GB/s} of them.",
        lambda: COPIED["payload"] * COPIED["copies"],
        lambda: COPIED["link"] * COPIED["efficiency"],
    ),
    (
        "Llama-3.1-70B, {12,288} of {16,384} tokens held by prefill.",
        lambda: HELD.source_hit,
        lambda: HELD.prompt_tokens,
    ),
    ("That takes the label of the link. Transfers reach {80 %} of it.", lambda: HELD.efficiency),
    (
        "That takes {5 GB} for {5 GiB}.",
        lambda: HELD.network_rate / slip("8.2", "powers of two"),
        lambda: report(HELD).sizes.wire_bytes,
    ),
    (
        "Prefill computes {4,096} tokens. The link moves {20 GB/s}, and {5 GiB} for each",
        lambda: HELD.computed_tokens,
        lambda: HELD.network_rate,
        lambda: report(HELD).sizes.wire_bytes,
    ),
    (
        "The share of a link of {200 Gb/s}, if kv_transfer_speed_gb_s shows {18.6}.",
        lambda: LABEL,
        lambda: GAUGE,
    ),
    ("That divides bytes by bits. The link moves {25 GB/s}.", lambda: LABEL),
    (
        "{18.6 GiB/s} are {19.97 GB/s}, and {200 Gb/s} are {25 GB/s}.",
        lambda: GAUGE * GiB,
        lambda: GAUGE * GiB,
        lambda: LABEL,
        lambda: LABEL,
    ),
    ("On {25 Gb/s} the network is first", lambda: WIDE.link_rate),
    ("Prefill lies {0.7 %} above the network.", lambda: gap(WIDE)),
    (
        "At {80 %} of it the bound is {2.33 requests/s} and prefill is far.",
        "given: near what published transfers reach",
        lambda: bounds(WIDE, efficiency=0.8).network,
    ),
    ("Decode sustains {7.81 requests/s}. Even at half", lambda: bounds(WIDE).decode),
    (
        "A prefill worker computes {8,192} tokens a request.",
        lambda: GIVEN.computed_tokens,
    ),
]
