"""Chapter 3: what its prose and its questions state."""

from functools import cache
from math import ceil

from claims.chapter import made, practice
from kvlib.apps import defaults, find, run
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.exercises import find as question
from kvlib.exercises import hits as asked
from kvlib.hits import (
    MOVES_SUFFIX,
    Convention,
    Work,
    break_even_rate,
    hand_off,
    moved_bytes,
    replay,
    source_hit,
)
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import TFLOPS, Gbit_s

PAGE = "3_cache_hits"
LLAMA = load("llama-3.1-8b")
QWEN = load("qwen3-32b")
TEXT = hand_off(LLAMA, 8_192, source=8_000)
SERVICE = Service()
BOUNDS = capacity(SERVICE)
CARD = 200 * Gbit_s
MISSED = payload_bytes(LLAMA, 192)  # what the common mistake moves
PAGED = asked.PAGED

OPENING = "given: the prompt of the book's example"
PREFILL = "given: the prefill rate of chapter 7's example"
TRACE = "kvcache-ai/Mooncake, FAST25-release/traces/conversation_trace.jsonl, recomputed"
SGLANG_19746 = "sgl-project/sglang pull request 19746, comment of 14 April 2026"
SGLANG_ROUTER = "sgl-project/sglang router_args.py at 6614f98: cache_threshold"
EXERCISE = "given: an input of the exercise"


@cache
def routed(route, least_match=0.1, destinations=8):
    """Return the chapter's trace on a route over eight destinations."""
    return replay(
        made(PAGE)["trace"],
        route,
        seed=1,
        destinations=destinations,
        destination_blocks=500,
        least_match=least_match,
    )


def shown(**typed):
    """Return what the chapter's explorer moves, and computes, in its own words."""
    app = find("3.explore")
    return run(app, defaults(app) | typed).result.headline


def explored(source, destination, suffix, page):
    """Return the hand-off of a row of the explorer's table, after the explorer has agreed."""
    convention = Convention(destination_hits=suffix, page=page)
    found = hand_off(LLAMA, 8_192, source, destination, convention)
    said = shown(
        source=str(source),
        destination=str(destination),
        protocol="suffix" if suffix else "all",
        page=str(page),
    )
    assert f"computes {found.computed_tokens:,} tokens" in said
    return found


def before_and_after():
    """Return the bytes of a hand-off in sglang 19746, without and with the prefix held."""
    return [moved_bytes(QWEN, 54_537, q, MOVES_SUFFIX) for q in (0, 50_000)]


def break_even(tflops, tokens=8_192):
    """Return the rate of equation 2 on eight cards."""
    return break_even_rate(Work(), tokens, 8 * tflops * TFLOPS)


CLAIMS = [
    ("13 minutes to read, {24} to practise.", lambda: practice("3")),
    (
        "A prompt has {8,192} tokens. The prefill worker still holds keys and values of the first "
        "{8,000}.",
        OPENING,
        OPENING,
    ),
    # A hit spares what its own end would have done
    (
        "The source computes {192} tokens: {97.7 %} of the work is gone. All {1,073,741,824 B} "
        "move: {0 %} of the bytes are gone. At {25 GB/s} that takes at least {42.95 ms}, hit",
        lambda: TEXT.computed_tokens,
        lambda: TEXT.compute_saved,
        lambda: TEXT.moved_bytes,
        lambda: TEXT.bytes_saved,
        lambda: CARD,
        lambda: transfer_seconds(TEXT.moved_bytes, CARD),
    ),
    (
        "At the {8,000 tokens/s} of chapter 7, prefill falls from {1,024 ms} to {24 ms}.",
        PREFILL,
        lambda: TEXT.tokens / SERVICE.prefill_rate,
        lambda: TEXT.computed_tokens / SERVICE.prefill_rate,
    ),
    # The explorer
    (
        "| 8,000 | 0 | all | 1 | {192} | {1 GiB} |",
        lambda: explored(8_000, 0, False, 1).computed_tokens,
        lambda: explored(8_000, 0, False, 1).moved_bytes,
    ),
    (
        "| 8,000 | 8,000 | all | 1 | {192} | {1 GiB} |",
        lambda: explored(8_000, 8_000, False, 1).computed_tokens,
        lambda: explored(8_000, 8_000, False, 1).moved_bytes,
    ),
    (
        "| 8,000 | 8,000 | suffix | 1 | {192} | {24 MiB} |",
        lambda: explored(8_000, 8_000, True, 1).computed_tokens,
        lambda: explored(8_000, 8_000, True, 1).moved_bytes,
    ),
    (
        "| 8,192 | 0 | all | 128 | {128} | {1 GiB} |",
        lambda: explored(8_192, 0, False, 128).computed_tokens,
        lambda: explored(8_192, 0, False, 128).moved_bytes,
    ),
    (
        "| 0 | 8,192 | suffix | 128 | {8,192} | {0 B} |",
        lambda: explored(0, 8_192, True, 128).computed_tokens,
        lambda: explored(0, 8_192, True, 128).moved_bytes,
    ),
    (
        "then {24 MiB} move. With pages of 128 the source computes {128} tokens:",
        lambda: explored(8_000, 8_000, True, 1).moved_bytes,
        lambda: explored(8_192, 0, False, 128).computed_tokens,
    ),
    # Traces and routes
    (
        "{12,031} requests of {12,035} tokens on average. A cache without limit would have held "
        "{37.4 %} of their tokens",
        TRACE,
        TRACE,
        TRACE,
    ),
    (
        "The line of prefill is compute: {87.4 %} is saved on every route",
        lambda: routed("random").compute_saved,
    ),
    (
        "With eight at random {42.5 %} of the tokens stay out; sticky keeps {87.3 %} out, the best "
        "match {84.7 %}.",
        lambda: routed("random").transfer_saved,
        lambda: routed("sticky").transfer_saved,
        lambda: routed("most-matching").transfer_saved,
    ),
    (
        "Without a threshold everything goes there: seven of eight caches stay empty, and "
        "{54.6 %} is spared.",
        lambda: routed("most-matching", least_match=0).transfer_saved,
    ),
    (
        "a match below a tenth of the prompt; for SGLang's router that is {0.3} by default",
        SGLANG_ROUTER,
    ),
    # Loading
    (
        "The paper rounds to {6 GB/s} and {19 GB/s}.",
        lambda: break_even(312),
        lambda: break_even(989),
    ),
    # A common mistake
    (
        '"Our hit rate is {97.7 %}, so the link carries what missed: {24 MiB} a prompt, '
        '{1.01 ms}."',
        lambda: TEXT.compute_saved,
        lambda: MISSED,
        lambda: transfer_seconds(MISSED, CARD),
    ),
    (
        "so {1 GiB} moves, in {42.95 ms} at best: {42.7×} as much.",
        lambda: TEXT.moved_bytes,
        lambda: transfer_seconds(TEXT.moved_bytes, CARD),
        lambda: TEXT.moved_bytes / MISSED,
    ),
    (
        "By that reckoning the link of chapter 7 carries {993 requests/s}; it carries "
        "{23.28 requests/s}.",
        lambda: SERVICE.network_rate / MISSED,
        lambda: BOUNDS.network,
    ),
    # Seen in the wild
    (
        "Before, {1.2433 requests/s} complete, and {68,247.77 tokens/s} pass, of which "
        "{441.87 tokens/s} are output: {54,537} tokens a prompt. After, {1.6075 requests/s}",
        SGLANG_19746,
        SGLANG_19746,
        SGLANG_19746,
        lambda: made(PAGE)["prompt"],
        SGLANG_19746,
    ),
    (
        "A link of {200 Gb/s} would be busy for {71 %} of the time before and {8 %} after;",
        "given: the link of the book's example",
        lambda: 1.2433 * before_and_after()[0] / CARD,
        lambda: 1.6075 * before_and_after()[1] / CARD,
    ),
    (
        "First tokens come after {6.99 s} at the median instead of {71.94 s}, and {29 %} more "
        "requests complete. Yet later tokens come every {134.63 ms} on average instead of "
        "{65.17 ms}.",
        SGLANG_19746,
        SGLANG_19746,
        lambda: 1.6075 / 1.2433 - 1,
        SGLANG_19746,
        SGLANG_19746,
    ),
    (
        "about {29} requests before, about {77} at the {571.30 tokens/s} after.",
        lambda: 441.87 * 0.06517,  # output tokens/s × mean gap between tokens, both printed
        lambda: 571.30 * 0.13463,
        SGLANG_19746,
    ),
    # Exercises
    (
        "The model is Llama-3.1-8B, {131,072 B} a token",
        lambda: payload_bytes(LLAMA, 1),
    ),
    (
        "All {6,144} tokens at {131,072 B} are {768 MiB}. The source computes {644} tokens;",
        EXERCISE,
        lambda: payload_bytes(LLAMA, 1),
        lambda: question("3.1").answer,
        lambda: asked.SHORT.computed_tokens,
    ),
    (
        "lie {31} whole pages, {1,984} tokens. The other {39} are computed.",
        lambda: source_hit(2_023, 2_023, 64) / 64,
        lambda: source_hit(2_023, 2_023, 64),
        lambda: question("3.2").answer,
    ),
    (
        "Llama-3.1-70B caches {327,680 B} a token. A prompt has {32,768} tokens",
        lambda: payload_bytes(load("llama-3.1-70b"), 1),
        EXERCISE,
    ),
    (
        "and the link has {100 Gb/s}. What is the least time",
        EXERCISE,
    ),
    (
        "{468} whole pages hold {29,952} tokens. The other {2,816} move: {922.75 MB} at "
        "{12.5 GB/s} are {73.8 ms}, in place of {859.0 ms} for the whole prompt.",
        lambda: PAGED.destination_hit / 64,
        lambda: PAGED.destination_hit,
        lambda: PAGED.tokens - PAGED.destination_hit,
        lambda: PAGED.moved_bytes,
        lambda: asked.HUNDRED,
        lambda: question("3.3").answer,
        lambda: transfer_seconds(PAGED.payload_bytes, asked.HUNDRED),
    ),
    (
        "so the rate falls from {18.57 GB/s} to {12.71 GB/s}.",
        lambda: break_even(989),
        lambda: question("3.5").answer,
    ),
    (
        "three prefill workers of {8,000 tokens/s}, and prompts of {8,192} tokens. Its decode "
        "sustains {7.8125 requests/s}, its link {23.28 requests/s}.",
        lambda: SERVICE.prefill_rate,
        lambda: SERVICE.prompt_tokens,
        lambda: BOUNDS.decode,
        lambda: BOUNDS.network,
    ),
    (
        "{24,000 tokens/s} over {7.8125 requests/s} are {3,072} tokens; over {23.28 requests/s} "
        "they are {1,030.8}.",
        lambda: SERVICE.prefill_workers * SERVICE.prefill_rate,
        lambda: BOUNDS.decode,
        lambda: 24_000 / BOUNDS.decode,
        lambda: BOUNDS.network,
        lambda: 24_000 / BOUNDS.network,
    ),
    (
        "between {1,031} and {3,071} tokens may be left to compute, and from {5,121} to {7,161} "
        "must be cached. With 6,144 prefill sustains {11.72 requests/s}",
        lambda: ceil(24_000 / BOUNDS.network),
        lambda: ceil(24_000 / BOUNDS.decode) - 1,
        lambda: 8_192 - ceil(24_000 / BOUNDS.decode) + 1,
        lambda: 8_192 - ceil(24_000 / BOUNDS.network),
        lambda: 24_000 / (8_192 - 6_144),
    ),
    # Key points
    (
        "Bytes that were cut by a source hit are wrong: {24 MiB} for {1 GiB}.",
        lambda: MISSED,
        lambda: TEXT.moved_bytes,
    ),
    (
        "beats computing them on eight cards above {5.86 GB/s} or {18.6 GB/s}, by the card.",
        lambda: break_even(312),
        lambda: break_even(989),
    ),
    (
        "cached at the source save {97.7 %} of the work and {0 %} of the bytes.",
        lambda: TEXT.compute_saved,
        lambda: TEXT.bytes_saved,
    ),
    # Questions
    (
        "{24 MiB}: the {192} tokens that were missing",
        lambda: MISSED,
        lambda: TEXT.computed_tokens,
    ),
    (
        "{1,000 MiB}: the {8,000} tokens that are cached",
        lambda: payload_bytes(LLAMA, 8_000),
        OPENING,
    ),
    (
        "{1 GiB}: keys and values of all {8,192} tokens",
        lambda: TEXT.moved_bytes,
        OPENING,
    ),
    (
        "It lacks all {6,144} tokens, at {131,072 B} each.",
        EXERCISE,
        lambda: payload_bytes(LLAMA, 1),
    ),
    (
        "A token of this model is {327,680 B}; the link has {12.5 GB/s}.",
        lambda: payload_bytes(load("llama-3.1-70b"), 1),
        lambda: asked.HUNDRED,
    ),
    (
        "Three workers compute {24,000 tokens/s}.",
        lambda: SERVICE.prefill_workers * SERVICE.prefill_rate,
    ),
    (
        "Decode sustains {7.8125 requests/s}, the link {23.28 requests/s}. Find",
        lambda: BOUNDS.decode,
        lambda: BOUNDS.network,
    ),
]
