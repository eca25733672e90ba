"""Chapter 7: what its prose and its questions state."""

from dataclasses import replace

from claims.chapter import made, practice, slip
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import (
    Service,
    backlog,
    backlog_growth,
    best_split,
    capacity,
    ideal_ratio,
    utilisation,
)
from kvlib.exercises import find
from kvlib.exercises.budget import ALLOWED, LARGER, LEASE, MINUTES, OVER, POOL, SIXTEEN, TARGET, TWO
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import GB, Gbit_s

PAGE = "7_service_budget"
TEXT = Service()


def bounds(**changed):
    """Return what the stages of the chapter's service sustain after a change."""
    return capacity(replace(TEXT, **changed))


def split(prefill_workers, service=TEXT):
    """Return what a service sustains with some of its workers in prefill."""
    return capacity(replace(service, prefill_workers=prefill_workers)).limit


def waiting(arrival_rate, seconds):
    """Return how many requests wait."""
    return backlog(TEXT, arrival_rate, seconds)


def wait(arrival_rate, seconds):
    """Return how long the last of them waits: prefill takes them one after the other."""
    return waiting(arrival_rate, seconds) / capacity(TEXT).prefill


def row(**changed):
    """Return the expressions of a row of the explorer's table: prefill, network, decode."""
    return [
        lambda: bounds(**changed).prefill,
        lambda: bounds(**changed).network,
        lambda: bounds(**changed).decode,
    ]


def tight(**changed):
    """Return the chapter's service with little memory for decode."""
    return replace(made(PAGE)["tight"], **changed)


def pair(**changed):
    """Return what the two workers of the public report sustain, as the chapter's cell has them."""
    return capacity(replace(made(PAGE)["pair"], **changed))


LONGER = {"output_tokens": 2_048}
DYNAMO = payload_bytes(load("deepseek-v3"), 1_000)
DYNAMO_4425 = "dynamo issue 4425: the table of time to first token over concurrency"
ROADMAP = "sglang-omni issue 1760, measured on three H200 cards"
OMNI_1718 = "sglang-omni pull request 1718: the defaults that it quotes"
TRIED = "given: a value to try"

CLAIMS = [
    (
        "20 minutes to read, {40} to practise.",
        lambda: practice("7"),
    ),
    # Which change helps
    (
        "Eight workers serve prompts of {8,192} tokens and answers of {512}. Three of them "
        "prefill, at {8,000 tokens/s} each. Five decode, at {800 tokens/s} each, all",
        lambda: TEXT.prompt_tokens,
        lambda: TEXT.output_tokens,
        lambda: TEXT.prefill_rate,
        lambda: TEXT.decode_rate,
    ),
    (
        "One link of {200 Gb/s} carries every hand-off.",
        lambda: TEXT.network_rate,
    ),
    # The three bounds
    (
        "Three prefill workers read {24,000 tokens/s}, and a prompt takes {8,192} of them: "
        "{2.93 requests/s}.",
        lambda: TEXT.prefill_workers * TEXT.prefill_rate,
        lambda: TEXT.prompt_tokens,
        lambda: capacity(TEXT).prefill,
    ),
    (
        "Five decode workers write {4,000 tokens/s}, and an answer takes {512}: {7.81 requests/s}.",
        lambda: TEXT.decode_workers * TEXT.decode_rate,
        lambda: TEXT.output_tokens,
        lambda: capacity(TEXT).decode,
    ),
    (
        "The link moves {25 GB/s}, and a hand-off takes {1 GiB}: {23.28 requests/s}.",
        lambda: TEXT.network_rate,
        lambda: TEXT.payload_bytes,
        lambda: capacity(TEXT).network,
    ),
    # An idle stage
    (
        "Prefill is busy for {68.3 %} of the time, decode for {25.6 %}, the link for {8.6 %}.",
        lambda: utilisation(TEXT, 2.0).prefill,
        lambda: utilisation(TEXT, 2.0).decode,
        lambda: utilisation(TEXT, 2.0).network,
    ),
    (
        "A link of {400 Gb/s} would sustain {46.57 requests/s}, and the service would still stop "
        "at {2.93 requests/s}.",
        TRIED,
        lambda: bounds(network_rate=400 * Gbit_s).network,
        lambda: bounds(network_rate=400 * Gbit_s).limit,
    ),
    # The explorer
    (
        "2. On a link of {10 Gb/s}, with which of llama-3.1-8b",
        TRIED,
    ),
    (
        "| nothing | prefill | {2.93} | {23.28} | {7.81} |",
        *row(),
    ),
    (
        "| link of {400 Gb/s} | prefill | {2.93} | {46.57} | {7.81} |",
        TRIED,
        *row(network_rate=400 * Gbit_s),
    ),
    (
        "| 2,048 output tokens | decode | {2.93} | {23.28} | {1.95} |",
        *row(output_tokens=2_048),
    ),
    (
        "| 7 prefill workers | decode | {6.84} | {23.28} | {1.56} |",
        *row(prefill_workers=7),
    ),
    (
        "| link of {25 Gb/s} | network | {2.93} | {2.91} | {7.81} |",
        TRIED,
        *row(network_rate=25 * Gbit_s),
    ),
    (
        "| 1,024 prompt tokens | decode | {23.44} | {186.26} | {7.81} |",
        *row(prompt_tokens=1_024),
    ),
    (
        "At {1,366} output tokens: {4,000 tokens/s} over {1,366} is a little less than the "
        "{2.93 requests/s} of prefill.",
        lambda: next(n for n in range(512, 9_999) if bounds(output_tokens=n).first == "decode"),
        lambda: TEXT.decode_workers * TEXT.decode_rate,
        lambda: TEXT.decode_workers * TEXT.decode_rate // capacity(TEXT).prefill + 1,
        lambda: bounds(output_tokens=1_366).prefill,
    ),
    (
        "On {10 Gb/s} the network gives way first with the first two; gpt-oss-20b",
        TRIED,
    ),
    # The best split
    (
        "= {1.024 s} of a prefill worker and",
        lambda: TEXT.prompt_tokens / TEXT.prefill_rate,
    ),
    (
        "= {0.64 s} of a decode worker. Both pools",
        lambda: TEXT.output_tokens / TEXT.decode_rate,
    ),
    (
        "Five prefill workers and three decode workers sustain {4.69 requests/s}, {60 %} more "
        "than {3}:{5}, with nothing bought.",
        lambda: split(5),
        lambda: split(5) / split(3) - 1,
        lambda: TEXT.prefill_workers,
        lambda: TEXT.decode_workers,
    ),
    # Backlog
    (
        "Prefill finishes {2.93 requests/s}, so the [backlog] grows by {1.07 requests/s}.",
        lambda: capacity(TEXT).prefill,
        lambda: backlog_growth(TEXT, 4.0).prefill,
    ),
    (
        "After ten minutes the newest request stands behind {642} others and waits {219 s} before "
        "its prefill starts.",
        lambda: waiting(4.0, 600),
        lambda: wait(4.0, 600),
    ),
    # Memory
    (
        "Suppose that each request gets {40 tokens/s}, so that its {512} tokens take {12.8 s}.",
        lambda: TEXT.output_tokens / tight().decode_seconds,
        lambda: tight().output_tokens,
        lambda: 512 / 40,
    ),
    (
        "For all that time it reserves room for prompt and answer, {8,704} tokens.",
        lambda: TEXT.prompt_tokens + TEXT.output_tokens,
    ),
    (
        "A worker with {16 GB} for caches then holds {14} requests; to write {800 tokens/s} it "
        "would need {20}.",
        lambda: tight().decode_memory,
        lambda: 16 * GB // payload_bytes(load("llama-3.1-8b"), 8_704),
        lambda: TEXT.decode_rate,
        lambda: TEXT.decode_rate / 40,
    ),
    (
        "Three decode workers hold {42} requests, each for {12.8 s}: {3.28 requests/s}. Memory",
        lambda: tight().decode_workers * tight().slots,
        lambda: tight().decode_seconds,
        lambda: capacity(tight()).memory,
    ),
    (
        "A fourth decode worker brings room with it: {4}:{4} sustains {3.91 requests/s}.",
        lambda: best_split(tight()).prefill_workers,
        lambda: best_split(tight()).decode_workers,
        lambda: split(4, tight()),
    ),
    # A common mistake
    (
        "After those ten minutes, doubling the link takes {21.47 ms} off a wait of {219 s}.",
        lambda: (
            transfer_seconds(TEXT.payload_bytes, TEXT.network_rate)
            - transfer_seconds(TEXT.payload_bytes, 2 * TEXT.network_rate)
        ),
        lambda: wait(4.0, 600),
    ),
    (
        "first tokens after {6.5 s} with {50} requests in flight, after {25 s} with {250} "
        "([dynamo issue 4425]).",
        DYNAMO_4425,
        DYNAMO_4425,
        DYNAMO_4425,
        DYNAMO_4425,
    ),
    (
        "Divide, counting only that wait: at most {10 requests/s}. The payload",
        lambda: max(50 / 6.5, 250 / 25),
    ),
    (
        "payload of its {1,000} tokens of DeepSeek-V3 is {70.27 MB}. At TP 1, ten a second load a "
        "link of {200 Gb/s} to {2.8 %}; sent to eight ranks each, to {22.5 %}.",
        DYNAMO_4425,
        lambda: DYNAMO,
        lambda: TEXT.network_rate,
        lambda: 10 * DYNAMO / (200 * Gbit_s),
        lambda: 10 * 8 * DYNAMO / (200 * Gbit_s),
    ),
    # Seen in the wild
    (
        "At {1,024}-token prompts and {16} requests in flight the second brought {66 %} more "
        "throughput.",
        ROADMAP,
        ROADMAP,
        ROADMAP,
    ),
    (
        "At {8,128} tokens it brought −{0.3 %}, with the prefill card at {100 %} throughout "
        "([sglang-omni issue 1760]).",
        ROADMAP,
        ROADMAP,
        ROADMAP,
    ),
    (
        "Take it as a bound: prefill sustains {1.66} times one decode worker.",
        lambda: pair(prompt_tokens=1_024).prefill / pair().decode,
    ),
    (
        "A prompt {7.94×} as long leaves prefill at {0.21} of a decode worker, so",
        lambda: 8_128 / 1_024,
        lambda: pair(prompt_tokens=8_128).prefill / pair().decode,
    ),
    # Exercises
    (
        '"The service" is the one above: {3}:{5}, {8,192} in, {512} out, {200 Gb/s}.',
        lambda: made(PAGE)["service"].prefill_workers,
        lambda: made(PAGE)["service"].decode_workers,
        lambda: made(PAGE)["service"].prompt_tokens,
        lambda: made(PAGE)["service"].output_tokens,
        lambda: made(PAGE)["service"].network_rate,
    ),
    (
        "Two prefill workers read {9,000 tokens/s} each. Prompts have {5,000} tokens, answers "
        "{300}.",
        lambda: TWO.prefill_rate,
        lambda: TWO.prompt_tokens,
        lambda: TWO.output_tokens,
    ),
    (
        "{2} × {9,000} over {5,000} is {3.60 requests/s}. The answer's length",
        lambda: TWO.prefill_workers,
        lambda: TWO.prefill_rate,
        lambda: TWO.prompt_tokens,
        lambda: capacity(TWO).prefill,
    ),
    (
        "Llama-3.1-70B has {80} layers, {8} KV heads and head dimension {128}, in two-byte",
        lambda: load("llama-3.1-70b").groups[0].layers,
        lambda: load("llama-3.1-70b").groups[0].kv_heads,
        lambda: load("llama-3.1-70b").groups[0].head_dim,
    ),
    (
        "Prompts of {8,192} tokens cross one link of {100 Gb/s}. How many hand-offs",
        lambda: LARGER.prompt_tokens,
        lambda: LARGER.network_rate,
    ),
    (
        "The payload is {2.5 GiB}, the link moves {12.5 GB/s}: {4.66 requests/s}.",
        lambda: payload_bytes(load("llama-3.1-70b"), 8_192),
        lambda: 100 * Gbit_s,
        lambda: capacity(LARGER).network,
    ),
    (
        "That is a fifth of the text's {23.28 requests/s}: {2.5×} the bytes on half the link.",
        lambda: capacity(TEXT).network,
        lambda: LARGER.payload_bytes / TEXT.payload_bytes,
    ),
    (
        "Four prefill workers at {8,000 tokens/s} would still give way before it; with five",
        lambda: LARGER.prefill_rate,
    ),
    (
        "From now on {3.5 requests/s} arrive at the service, and none is rejected.",
        lambda: OVER,
    ),
    (
        "The backlog grows by {3.5} − {2.93}, that is {0.57 requests/s}.",
        lambda: OVER,
        lambda: capacity(TEXT).prefill,
        lambda: backlog_growth(TEXT, 3.5).prefill,
    ),
    (
        "After {900 s} there are {513} requests before you, and prefill takes "
        "{2.93 requests/s}: {175 s}.",
        lambda: MINUTES * 60,
        lambda: waiting(3.5, 900),
        lambda: capacity(TEXT).prefill,
        lambda: wait(3.5, 900),
    ),
    (
        "The service's answers grow to {2,048} tokens. Which change raises what it sustains?",
        "given: the length of exercise 7.4",
    ),
    (
        "Decode stops at {1.95 requests/s} now.",
        lambda: bounds(**LONGER).decode,
    ),
    (
        "A worker moved from prefill takes it to {2.34 requests/s} and leaves prefill at "
        "{1.95 requests/s}.",
        lambda: bounds(**LONGER, prefill_workers=2).decode,
        lambda: bounds(**LONGER, prefill_workers=2).prefill,
    ),
    (
        "Decode workers of {1,000 tokens/s} take it to {2.44 requests/s}, and no other bound",
        "given: a choice of exercise 7.4",
        lambda: bounds(**LONGER, decode_rate=1_000).decode,
    ),
    (
        "A prefill worker has room for {344,253} tokens. A hand-off holds its prompt there, "
        "{6,127} tokens, until decode confirms; {64} hand-offs are allowed at once. "
        "At {5 requests/s}, how long",
        lambda: POOL,
        lambda: LEASE,
        lambda: ALLOWED,
        lambda: (344_253 // 6_127) / find("7.5").answer,
    ),
    (
        "{56} whole prompts fit, so Little's law allows 56 / {5} = {11.2 s}.",
        lambda: 344_253 // 6_127,
        "given: the arrival rate of exercise 7.5",
        lambda: (344_253 // 6_127) / 5,
    ),
    (
        "The limit of {64} never acts: it would need {392,128} tokens.",
        OMNI_1718,
        lambda: 64 * 6_127,
    ),
    (
        "Sixteen workers with the service's rates and lengths are to sustain {7.5 requests/s}.",
        lambda: TARGET,
    ),
    (
        "The ideal is {1.6} to one, {9.8} of sixteen.",
        lambda: ideal_ratio(TEXT),
        lambda: SIXTEEN.workers * ideal_ratio(TEXT) / (1 + ideal_ratio(TEXT)),
    ),
    (
        "{10}:{6} sustains {9.38 requests/s}, 9:7 sustains",
        lambda: best_split(SIXTEEN).prefill_workers,
        lambda: best_split(SIXTEEN).decode_workers,
        lambda: split(10, SIXTEEN),
    ),
    (
        "9.38 requests/s, 9:{7} sustains {8.79 requests/s}, and both",
        lambda: SIXTEEN.workers - 9,
        lambda: split(9, SIXTEEN),
    ),
    (
        "both 8:{8} and {11}:5 sustain {7.81 requests/s}.",
        lambda: SIXTEEN.workers - 8,
        lambda: next(n for n in range(9, 16) if split(n, SIXTEEN) == split(8, SIXTEEN)),
        lambda: split(8, SIXTEEN),
    ),
    # Key points
    (
        "Rate of the stage over demand of one request: {2.93 requests/s} for prefill, "
        "{7.81 requests/s} for decode, {23.28 requests/s} for the link.",
        lambda: capacity(TEXT).prefill,
        lambda: capacity(TEXT).decode,
        lambda: capacity(TEXT).network,
    ),
    (
        "Moving workers can beat buying: {5}:{3} sustains {4.69 requests/s}.",
        lambda: best_split(TEXT).prefill_workers,
        lambda: best_split(TEXT).decode_workers,
        lambda: best_split(TEXT).capacity.limit,
    ),
    (
        "grows by the difference: {642} requests after ten minutes at {4 requests/s}.",
        lambda: waiting(4.0, 600),
        "given: the arrivals of the section on the backlog",
    ),
    (
        "**If you remember one number:** the smallest of the three; here {2.93 requests/s}.",
        lambda: capacity(TEXT).limit,
    ),
    # Questions
    (
        "a link of {400 Gb/s} in place of {200 Gb/s} The old link already carries "
        "{23.28 requests/s} and prefill stops at {2.93 requests/s}.",
        lambda: 2 * TEXT.network_rate,
        lambda: TEXT.network_rate,
        lambda: capacity(TEXT).network,
        lambda: capacity(TEXT).prefill,
    ),
    (
        "one decode worker becomes a prefill worker Prefill rises from {2.93 requests/s} to "
        "{3.91 requests/s}. Decode falls to {6.25 requests/s}",
        lambda: capacity(TEXT).prefill,
        lambda: bounds(prefill_workers=4).prefill,
        lambda: bounds(prefill_workers=4).decode,
    ),
    (
        "faster decode workers: {1,000 tokens/s} in place of {800 tokens/s} Decode already "
        "sustains {7.81 requests/s}.",
        "given: a choice of the prediction",
        lambda: TEXT.decode_rate,
        lambda: capacity(TEXT).decode,
    ),
    (
        "Capacity of two prefill workers at {9,000 tokens/s}, prompts of {5,000} tokens.",
        lambda: TWO.prefill_rate,
        lambda: TWO.prompt_tokens,
    ),
    (
        "The pool reads {18,000 tokens/s}. One request asks it for {5,000} tokens.",
        lambda: TWO.prefill_workers * TWO.prefill_rate,
        lambda: TWO.prompt_tokens,
    ),
    (
        "That charges the answer to prefill. Decode writes those {300} tokens.",
        lambda: 18_000 / slip("7.1", "charges the answer") - TWO.prompt_tokens,
    ),
    (
        "Network capacity: Llama-3.1-70B, {8,192} tokens, one link of {100 Gb/s}.",
        lambda: LARGER.prompt_tokens,
        lambda: LARGER.network_rate,
    ),
    (
        "2 × {80} × {8} × {128} × {8,192} elements of two bytes, over a link that moves "
        "{12.5 GB/s}.",
        lambda: load("llama-3.1-70b").groups[0].layers,
        lambda: load("llama-3.1-70b").groups[0].kv_heads,
        lambda: load("llama-3.1-70b").groups[0].head_dim,
        lambda: LARGER.prompt_tokens,
        lambda: LARGER.network_rate,
    ),
    (
        "That takes {2.5 GB} for {2.5 GiB}.",
        lambda: LARGER.network_rate / slip("7.2", "powers of ten"),
        lambda: LARGER.payload_bytes,
    ),
    (
        "That is the payload of {32} layers. This model has {80}.",
        lambda: 80 * capacity(LARGER).network / slip("7.2", "the payload of"),
        lambda: load("llama-3.1-70b").groups[0].layers,
    ),
    (
        "That is an eighth. Bits become bytes only once, and the cache keeps the {8} KV heads, "
        "not all {64} heads.",
        lambda: load("llama-3.1-70b").groups[0].kv_heads,
        "num_attention_heads in Llama-3.1-70B's config.json",
    ),
    (
        "It grows by {0.57 requests/s} for {900 s}, and prefill takes {2.93 requests/s} from it.",
        lambda: backlog_growth(TEXT, OVER).prefill,
        lambda: 15 * 60,
        lambda: capacity(TEXT).prefill,
    ),
    (
        "Answers of {2,048} tokens. Which change raises",
        "given: the length of exercise 7.4",
    ),
    (
        "a link of {400 Gb/s} The hand-off carries the prompt's cache, which has not changed. The "
        "link sustains {23.28 requests/s}; decode now stops at {1.95 requests/s}.",
        "given: a choice of exercise 7.4",
        lambda: bounds(**LONGER).network,
        lambda: bounds(**LONGER).decode,
    ),
    (
        "Decode rises to {2.34 requests/s}, and prefill with two workers falls to "
        "{1.95 requests/s}.",
        lambda: bounds(**LONGER, prefill_workers=2).decode,
        lambda: bounds(**LONGER, prefill_workers=2).prefill,
    ),
    (
        "Now decode is first, and with four workers it falls to {1.56 requests/s}.",
        lambda: bounds(**LONGER, prefill_workers=4).decode,
    ),
    (
        "decode workers of {1,000 tokens/s} Decode rises to {2.44 requests/s}. It is still first, "
        "below the {2.93 requests/s} of prefill",
        "given: a choice of exercise 7.4",
        lambda: bounds(**LONGER, decode_rate=1_000).decode,
        lambda: bounds(**LONGER).prefill,
    ),
    (
        "How long may a hand-off hold its prompt, at {5 requests/s}?",
        lambda: (344_253 // 6_127) / find("7.5").answer,
    ),
    (
        "The pool holds {344,253} tokens over {6,127}, rounded down",
        lambda: POOL,
        lambda: LEASE,
    ),
    (
        "The pool is smaller: {64} prompts are {392,128} tokens.",
        lambda: slip("7.5", "the setting") * 5,
        lambda: 64 * 6_127,
    ),
    (
        "A request needs {1.024 s} of a prefill worker and {0.64 s} of a decode worker.",
        lambda: SIXTEEN.prompt_tokens / SIXTEEN.prefill_rate,
        lambda: SIXTEEN.output_tokens / SIXTEEN.decode_rate,
    ),
]
