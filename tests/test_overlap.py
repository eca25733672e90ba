"""Overlap. Oracles, each written differently from the code: the longest path through the pieces
in exact fractions, every number of pieces tried, and a simulation in small steps of time.
"""

import itertools
import random
from fractions import Fraction
from math import ceil, floor, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.apps import defaults, find, run
from kvlib.exercises import check
from kvlib.exercises import find as find_question
from kvlib.models import load
from kvlib.overlap import (
    SGLANG,
    SPLITWISE,
    VLLM_NIXL,
    Piece,
    Request,
    Rule,
    best_pieces,
    break_even_pieces,
    chunkwise,
    contended,
    even_ready_seconds,
    ideal_pieces,
    layerwise,
    overlap_gain,
    pieces_under,
    ready_bounds,
    serial,
    shared_link,
    timeline,
)
from kvlib.payload import payload_bytes
from kvlib.units import GB_s, Gbit_s, GiB, ms, ns
from kvlib.wording import requests as printed_requests

PREFILL, RATE = 8_192 / 8_000, 25 * GB_s  # the source text's prompt, worker and link
NEAR = 1e-9


def near(a, b):
    return isclose(a, b, rel_tol=NEAR, abs_tol=1e-12)


# ---------------------------------------------------------------- numbers the chapter states


def test_one_piece_adds_up_and_many_expose_the_last():
    whole = timeline(serial(PREFILL, GiB), RATE)
    layers = timeline(layerwise(PREFILL, GiB, 32), RATE)
    assert whole.ready_seconds == PREFILL + GiB / RATE
    assert round(whole.ready_seconds / ms, 2) == 1066.95 and whole.overlap_seconds == 0
    assert round(layers.ready_seconds / ms, 2) == 1025.34
    assert near(layers.exposed_seconds, GiB / RATE / 32)
    assert near(layers.overlap_seconds, GiB / RATE * 31 / 32)


def test_serial_and_one_piece_agree_exactly():
    pick = random.Random(1)
    for _ in range(1_000):
        seconds, n_bytes = pick.uniform(0, 10), pick.randint(0, 10**13)
        state, tokens = pick.randint(0, 10**9), pick.randint(1, 10**6)
        one = serial(seconds, n_bytes, state)
        assert one == layerwise(seconds, n_bytes, 1, state)
        growth = pick.random()
        assert one == chunkwise(seconds, n_bytes, tokens, tokens, growth, state, page_tokens=64)
        rate, overhead = pick.uniform(1e6, 1e12), pick.uniform(0, 0.01)
        found = timeline(one, rate, overhead)
        assert found.ready_seconds == seconds + (overhead + (n_bytes + state) / rate)
        slowed = contended(one, rate, overhead, compute_slowdown=3, transfer_slowdown=2)
        assert slowed.ready_seconds == found.ready_seconds  # nothing runs at the same time


def test_sglang_cuts_by_chunk_so_that_one_chunk_is_one_piece():
    def cut(tokens, rule=SGLANG):
        return pieces_under(rule, tokens / 8_000, tokens * 131_072, tokens, layers=32)

    assert cut(8_192) == serial(PREFILL, GiB) and len(cut(8_193)) == 2
    assert [p.n_bytes // 131_072 for p in cut(20_000)] == [8_192, 8_192, 3_616]
    assert len(cut(512, SPLITWISE)) == 32 and len(cut(511, SPLITWISE)) == 1
    assert len(cut(32_768, VLLM_NIXL)) == 1


def test_only_whole_pages_leave_early_and_state_leaves_last():
    cut = chunkwise(1.0, 1_000 * 10, 1_000, 300, state_bytes=77, page_tokens=64)
    sent = [256, 576, 896, 1_000]  # tokens, after each chunk of 300: whole pages of 64, then all
    assert [p.n_bytes for p in cut] == [2_560, 3_200, 3_200, 1_040 + 77]
    assert list(itertools.accumulate(p.n_bytes for p in cut))[:3] == [10 * n for n in sent[:3]]
    assert [p.n_bytes for p in layerwise(1.0, 10, 4, state_bytes=5)] == [2, 3, 2, 8]


# ---------------------------------------------------------------- the recursion, against paths


def longest_path(pieces, rate, overhead):
    """Return when the last piece arrives: the longest way from the start, in fractions.

    Any schedule waits for compute up to some piece j and then for every transfer from j on.
    """
    computed = list(itertools.accumulate(Fraction(p.compute_seconds) for p in pieces))
    sends = [Fraction(overhead) + Fraction(p.n_bytes) / Fraction(rate) for p in pieces]
    return max(c + sum(sends[j:]) for j, c in enumerate(computed))


PIECES = st.lists(
    st.builds(Piece, compute_seconds=st.floats(0, 10), n_bytes=st.integers(0, 10**12)),
    min_size=1,
    max_size=12,
)
RATES, OVERHEADS = st.floats(1e6, 1e12), st.floats(0, 1)
SLOWDOWNS = st.floats(1, 10)


@given(PIECES, RATES, OVERHEADS)
def test_the_recursion_is_the_longest_path(pieces, rate, overhead):
    found = timeline(pieces, rate, overhead)
    assert near(found.ready_seconds, float(longest_path(pieces, rate, overhead)))
    for step, later in itertools.pairwise(found.steps):
        assert later.compute_start == step.computed and later.send_start >= step.sent
    for step, piece in zip(found.steps, pieces, strict=True):
        assert step.send_start >= step.computed
        assert near(step.sent - step.send_start + 1, overhead + piece.n_bytes / rate + 1)


@given(PIECES, RATES, OVERHEADS)
def test_ready_lies_between_its_two_bounds_and_at_most_half_can_hide(pieces, rate, overhead):
    soonest, latest = ready_bounds(pieces, rate, overhead)
    ready = timeline(pieces, rate, overhead).ready_seconds
    slack = NEAR * latest
    assert soonest - slack <= ready <= latest + slack
    assert 2 * ready >= latest - slack  # a sum is at most twice its greater part
    last = overhead + pieces[-1].n_bytes / rate
    assert timeline(pieces, rate, overhead).exposed_seconds >= last - slack


@given(st.integers(1, 40), st.floats(0, 10), st.integers(0, 10**12), RATES, OVERHEADS)
def test_even_pieces_are_ready_at_the_soonest(k, seconds, n_bytes, rate, overhead):
    pieces = layerwise(seconds, n_bytes - n_bytes % k, k)
    soonest, _ = ready_bounds(pieces, rate, overhead)
    assert near(timeline(pieces, rate, overhead).ready_seconds, soonest)
    closed = even_ready_seconds(k, seconds, (n_bytes - n_bytes % k) / rate, overhead)
    assert near(closed, soonest)


@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 10), RATES, OVERHEADS)
def test_the_closed_form_is_exact_where_compute_grows(k, growth, seconds, rate, overhead):
    pieces = chunkwise(seconds, k * 10**9, k, 1, growth=growth)
    compute = [p.compute_seconds for p in pieces]
    assert all(b >= a - NEAR * seconds for a, b in itertools.pairwise(compute))
    assert near(sum(compute), seconds)
    exact = float(longest_path(pieces, rate, overhead))
    assert near(even_ready_seconds(k, seconds, k * 10**9 / rate, overhead, growth), exact)


@given(PIECES, RATES, OVERHEADS, st.integers(0, 10**11))
def test_state_in_the_last_piece_delays_every_cut_alike(pieces, rate, overhead, state):
    *most, last = pieces
    heavier = [*most, Piece(compute_seconds=last.compute_seconds, n_bytes=last.n_bytes + state)]
    before, after = (timeline(p, rate, overhead).ready_seconds for p in (pieces, heavier))
    assert near(after, before + state / rate)


# ---------------------------------------------------------------- the best number of pieces


def cases(count):
    """Return seeded (prefill, transfer, overhead), whole nanoseconds."""
    pick = random.Random(6)
    for _ in range(count):
        prefill, transfer = (round(10 ** pick.uniform(6, 10)) for _ in "PT")
        yield prefill, transfer, round(prefill * 10 ** pick.uniform(-4, 0.5))


def tried(prefill, transfer, overhead, most):
    """Return the exact moment for every number of even pieces, by walking each timeline.

    Times k times as long are whole: the walk is exact without a fraction.
    """
    moments = {}
    for k in range(1, most + 1):
        done = 0
        for i in range(1, k + 1):
            done = max(prefill * i, done) + overhead * k + transfer
        moments[k] = Fraction(done, k)
    return moments


MOST = 64
TRIED = [(case, tried(*case, MOST)) for case in cases(1_000)]


def clipped(ideal):
    """Return the two whole neighbours of k*, within what can be cut."""
    low, high = (min(max(n, 1), MOST) for n in (floor(ideal), ceil(ideal)))
    return low, high


def test_the_closed_form_finds_the_best_of_all_cuts_in_1_000_seeded_cases():
    regimes = {"clipped": 0, "kink": 0, "turn": 0, "one": 0}
    for (prefill, transfer, overhead), moments in TRIED:
        least = min(moments.values())
        ideal = ideal_pieces(prefill * ns, transfer * ns, overhead * ns)
        assert least == min(moments[k] for k in clipped(ideal))
        found = best_pieces(prefill * ns, transfer * ns, overhead * ns, MOST)
        assert near(float(moments[found]), float(least))
        kink, turn = (prefill - transfer) / overhead, (prefill / overhead) ** 0.5
        where = "one" if ideal <= 1 else "clipped" if ideal >= MOST else "kink"
        regimes["turn" if where == "kink" and turn > kink else where] += 1
    assert min(regimes.values()) > 50, regimes  # all of them were tried


def test_rounding_to_the_nearest_misses_the_best_in_some_cases():
    missed, worst = 0, 0.0
    for (prefill, transfer, overhead), moments in TRIED:
        ideal = ideal_pieces(prefill * ns, transfer * ns, overhead * ns)
        near_one = min(max(round(ideal), 1), MOST)
        least = min(moments.values())
        missed += moments[near_one] > least == min(moments[k] for k in clipped(ideal))
        worst = max(worst, float(moments[near_one] / least - 1))
    assert 50 < missed < 150 and 0.05 < worst < 0.1  # of 1,000, and never its other neighbour


def test_the_nearer_neighbour_can_be_the_worse():
    times = 64 * ms, 64 * 2**20 / (10 * Gbit_s), 0.5 * ms  # 512 tokens over 10 Gb/s
    assert round(ideal_pieces(*times), 1) == 20.6 and best_pieces(*times, 80) == 20
    assert even_ready_seconds(20, *times) < even_ready_seconds(21, *times)


def test_with_growth_every_cut_was_tried_too():
    pick = random.Random(7)
    for prefill, transfer, overhead in cases(40):
        growth = pick.random()
        times = prefill * ns, transfer * ns, overhead * ns
        found = best_pieces(*times, MOST, growth)
        moments = {}
        for k in range(1, MOST + 1):
            pieces = chunkwise(times[0], 0, k, 1, growth=growth)
            done = computed = 0.0
            for piece in pieces:
                computed += piece.compute_seconds
                done = max(computed, done) + times[2] + times[1] / k
            moments[k] = done
        assert near(moments[found], min(moments.values()))


@given(st.integers(2, 500), st.floats(1e-4, 10), st.floats(0, 10), st.floats(1e-6, 1))
def test_cutting_does_harm_exactly_above_the_break_even(k, prefill, transfer, overhead):
    one, cut = (even_ready_seconds(n, prefill, transfer, overhead) for n in (1, k))
    limit = break_even_pieces(prefill, overhead)
    if k > limit * (1 + 1e-6):
        assert cut > one
    elif k < limit * (1 - 1e-6):
        assert cut <= one * (1 + NEAR)


def test_128_tokens_break_even_at_32_layers():
    assert break_even_pieces(128 / 8_000, 0.5 * ms) == pytest.approx(32)
    times = 64 / 8_000, 8 * 2**20 / RATE, 0.5 * ms
    moments = [round(even_ready_seconds(k, *times) / ms, 2) for k in (1, 4, 16, 32)]
    assert moments == [8.84, 8.58, 8.84, 16.59]


def test_closed_forms_take_arrays():
    k = np.arange(1, 65).reshape(-1, 1)
    transfer = np.array([0.01, 0.1, 1.0])
    grid = even_ready_seconds(k, 0.5, transfer, 0.002, 0.25)
    assert grid.shape == (64, 3)
    for i, j in itertools.product((0, 7, 63), range(3)):
        assert grid[i, j] == even_ready_seconds(i + 1, 0.5, float(transfer[j]), 0.002, 0.25)
    assert list(ideal_pieces(0.5, transfer, 0.002)) == [
        ideal_pieces(0.5, float(t), 0.002) for t in transfer
    ]
    assert list(overlap_gain(np.array([1.0, 2.0]), 2.0)) == [0.5, 0.0]


# ---------------------------------------------------------------- contention


@given(PIECES, RATES, OVERHEADS, SLOWDOWNS, SLOWDOWNS)
def test_time_saved_is_overlap_times_its_gain(pieces, rate, overhead, a, b):
    found = contended(pieces, rate, overhead, compute_slowdown=a, transfer_slowdown=b)
    _, latest = ready_bounds(pieces, rate, overhead)
    assert near(found.ready_seconds, latest - found.overlap_seconds * overlap_gain(a, b))
    plain = timeline(pieces, rate, overhead).ready_seconds
    slack = NEAR * latest
    assert plain - slack <= found.ready_seconds <= max(a, b) * plain + slack
    assert found.prefill_end_seconds >= found.alone_seconds - slack


@given(PIECES, RATES, OVERHEADS)
def test_without_contention_both_recursions_agree(pieces, rate, overhead):
    plain = timeline(pieces, rate, overhead)
    same = contended(pieces, rate, overhead, compute_slowdown=1, transfer_slowdown=1)
    for one, other in zip(plain.steps, same.steps, strict=True):
        for name in ("compute_start", "computed", "send_start", "sent"):
            a, b = getattr(one, name), getattr(other, name)
            assert isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def ticked(pieces, rate, overhead, a, b, tick):
    """Return when the last piece arrives, by advancing everything by a small step of time."""
    compute = [p.compute_seconds for p in pieces]
    transfer = [overhead + p.n_bytes / rate for p in pieces]
    now, c, s = 0.0, 0, 0
    while s < len(pieces):
        both = c < len(pieces) and s < c
        if c < len(pieces):
            compute[c] -= tick / (a if both else 1)
        if s < c:
            transfer[s] -= tick / (b if both else 1)
        now += tick
        while c < len(pieces) and compute[c] <= 0:
            c += 1
        while s < c and transfer[s] <= 0:
            s += 1
    return now


def test_contention_follows_a_simulation_in_small_steps():
    pick, tick = random.Random(8), 1e-4
    for _ in range(40):
        pieces = [
            Piece(compute_seconds=pick.uniform(0.01, 0.3), n_bytes=pick.randint(0, 3 * 10**8))
            for _ in range(pick.randint(1, 6))
        ]
        a, b, overhead = pick.uniform(1, 3), pick.uniform(1, 3), pick.uniform(0, 0.05)
        found = contended(pieces, 1e9, overhead, compute_slowdown=a, transfer_slowdown=b)
        steps = 2 * len(pieces) * max(a, b)  # each end is late by at most a tick
        assert abs(ticked(pieces, 1e9, overhead, a, b, tick) - found.ready_seconds) <= steps * tick


def test_twice_as_slow_for_both_saves_nothing():
    pieces = layerwise(PREFILL, GiB, 32)
    slowed = contended(pieces, 1.25 * GB_s, compute_slowdown=2, transfer_slowdown=2)
    assert slowed.overlap_seconds > 1
    assert near(slowed.ready_seconds, PREFILL + GiB / (1.25 * GB_s))
    worse = contended(pieces, 1.25 * GB_s, compute_slowdown=2, transfer_slowdown=3)
    assert worse.ready_seconds > PREFILL + GiB / (1.25 * GB_s)


# ---------------------------------------------------------------- many requests

REQUESTS = st.lists(
    st.builds(Request, start_seconds=st.floats(0, 5), pieces=PIECES.map(tuple)),
    min_size=1,
    max_size=5,
)


@given(REQUESTS, RATES, OVERHEADS)
def test_a_link_sends_one_piece_at_a_time_in_the_order_of_computing(requests, rate, overhead):
    found = shared_link(requests, rate, overhead)
    steps = sorted((s for t in found for s in t.steps), key=lambda s: (s.send_start, s.sent))
    for one, later in itertools.pairwise(steps):
        assert later.send_start >= one.sent
        assert later.computed >= one.computed or later.send_start == one.send_start
    for request, line in zip(requests, found, strict=True):
        alone = timeline(request.pieces, rate, overhead)
        assert len(line.steps) == len(request.pieces)
        assert near(line.alone_seconds, alone.alone_seconds)
        assert line.exposed_seconds >= alone.exposed_seconds - 1e-9 * line.ready_seconds - 1e-12
    first = min(r.start_seconds + r.pieces[0].compute_seconds for r in requests)
    work = sum(overhead + p.n_bytes / rate for r in requests for p in r.pieces)
    last = max(line.ready_seconds for line in found)
    assert last >= (first + work) * (1 - NEAR)  # no cut makes the link faster


@given(PIECES, RATES, OVERHEADS)
def test_a_request_alone_has_its_own_timeline(pieces, rate, overhead):
    (found,) = shared_link([Request(start_seconds=0, pieces=tuple(pieces))], rate, overhead)
    assert found == timeline(pieces, rate, overhead)


def test_above_the_links_rate_the_wait_grows_as_fast_cut_or_not():
    """Three workers finish 2.93 prompts a second, 20 Gb/s carry 2.33 of them."""
    gap, each = PREFILL / 3, GiB / (20 * Gbit_s)

    def exposed(pieces):
        prompts = [Request(start_seconds=j * gap, pieces=pieces) for j in range(60)]
        return [t.exposed_seconds for t in shared_link(prompts, 20 * Gbit_s)]

    whole, layers = exposed(serial(PREFILL, GiB)), exposed(layerwise(PREFILL, GiB, 32))
    for waits in (whole, layers):
        growth = [b - a for a, b in itertools.pairwise(waits[2:50])]
        assert all(near(g, each - gap) for g in growth)
    assert round((whole[20] - layers[20]) / ms, 1) == 330.7
    assert 1 / each < 3 / PREFILL and all(a > b for a, b in zip(whole, layers, strict=True))


# ---------------------------------------------------------------- the explorer


def test_what_the_explorer_says_follows_from_the_formulas():
    app, pick = find("6.explore"), random.Random(12)
    for _ in range(150):
        typed = {
            "pieces": pick.choice((1, 2, 32, pick.randint(1, 256))),
            "overhead": pick.choice((0.0, 0.5 * ms, pick.uniform(0, 0.02))),
            "link": pick.choice((25e9, 1.25e9, pick.uniform(1e8, 1e11))),
            "prompt": pick.choice((1, 64, 8_192, pick.randint(1, 200_000))),
            "prefill_rate": pick.choice((8_000, pick.randint(100, 50_000))),
            "model": pick.choice(("llama-3.1-8b", "gemma-3-27b", "deepseek-v3")),
            "growth": pick.choice((0.0, pick.random())),
            "compute": pick.choice((1, 2, pick.uniform(1, 4))),
            "transfer": pick.choice((1, 2, pick.uniform(1, 4))),
        }
        found = app.answer(typed)
        model, numbers = load(typed["model"]), dict(found.numbers)
        total = payload_bytes(model, typed["prompt"])
        prefill, k = typed["prompt"] / typed["prefill_rate"], typed["pieces"]
        whole = prefill + typed["overhead"] + total / typed["link"]
        assert near_text(numbers["in one piece"], whole)
        ready = seconds(numbers["decode may start"])
        words = found.headline
        if k == 1:
            assert words == f"In one piece decode may start after {numbers['in one piece']}."
        elif " sooner " in words or " later " in words:
            gap = words.split(", ")[-1].split(" than")[0].rsplit(" ", 1)[0]
            unsure = half(gap) + half(numbers["decode may start"])
            signed = seconds(gap) * (1 if " sooner " in words else -1)
            assert abs(whole - ready - signed) <= unsure
        moments = {
            n: even_ready_seconds(
                n, prefill, growing(model, typed["prompt"]) / typed["link"],
                typed["overhead"], typed["growth"],
            )
            for n in range(1, 257)
        }  # fmt: skip
        said = next(s for s in found.sentences if s.startswith("Of 1 to 256 pieces"))
        named = said.split("contention, ")[1].split(" piece")[0].replace("one", "1")
        assert near(moments[int(named)], min(moments.values()))
        gain = [s for s in found.sentences if s.startswith("At these slowdowns")]
        slow = typed["compute"], typed["transfer"]
        assert bool(gain) == (slow != (1, 1))
        if gain:
            value = overlap_gain(*slow)
            assert ("saves nothing" in gain[0]) == (abs(value) < 1e-9)
            assert ("loses" in gain[0]) == (value < -1e-9)
        link = found.sentences[-1]
        takes = (k > 1 and typed["overhead"] > 0), (k > 1 and slow[1] > 1)
        assert ("overhead" in link, "contention" in link) == takes  # compute's slowdown: no part
        assert ("longer than for one piece" in link) == any(takes)
        if slow == (1, 1):
            busy = k * typed["overhead"] + total / typed["link"]
            assert numbers["the link carries at most"] == printed_requests(1 / busy)


def growing(model, tokens):
    """Return the bytes of the layers that keep every token, summed by hand."""
    a_million = payload_bytes(model, 2_000_000) - payload_bytes(model, 1_000_000)
    return a_million // 1_000_000 * tokens


def seconds(text):
    """Return a printed time in seconds."""
    number, unit = text.split(" ")
    sizes = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3_600, "days": 86_400}
    return float(number.replace(",", "")) * sizes[unit]


def half(text):
    """Return half a unit of the last printed digit, in seconds."""
    number, unit = text.split(" ")
    return 0.501 * seconds(f"1 {unit}") / 10 ** len(number.partition(".")[2])


def near_text(text, value):
    return abs(seconds(text) - value) <= half(text)


def test_state_of_a_model_leaves_with_the_last_piece():
    typed = {"model": "gemma-3-27b", "pieces": "4", "overhead": "0"}
    app = find("6.explore")
    numbers = dict(run(app, defaults(app) | typed).result.numbers)
    model = load("gemma-3-27b")
    state = payload_bytes(model, 8_192) - growing(model, 8_192)
    late = (state + growing(model, 8_192) / 4) / RATE
    assert near_text(numbers["exposed"], late)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"compute": "2×"}, "overhead takes some"),
        ({"transfer": "2×"}, "overhead and contention take some"),
        ({"transfer": "2×", "overhead": "0"}, "contention takes some"),
        ({"compute": "2×", "overhead": "0"}, "overlap moves bytes, it adds no bandwidth"),
        ({"transfer": "2×", "pieces": "1"}, "overlap moves bytes, it adds no bandwidth"),
    ],
    ids=str,
)
def test_the_explorer_names_what_takes_the_links_time(typed, said):
    app = find("6.explore")
    assert run(app, defaults(app) | typed).result.sentences[-1].endswith(f"{said}.")


PIECES_TYPED = {  # question 6.6
    "24": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    "24.0": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    "24 even pieces.": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    "24 Even  pieces": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    "24pieces": "Correct: 9.16 ms stay exposed and the link works 219.80 ms.",
    "1 piece": "Not yet. The last piece is too long: 173.80 ms stay exposed and the link works "
    "173.80 ms.",
    "1,000": "Not yet. The overheads add up: 1,660.31 ms stay exposed and the link works "
    "2,171.80 ms.",
    "24 ms": "Type a whole number of pieces from 1 to 10000, as in 8.",
    "even pieces": "Type a whole number of pieces from 1 to 10000, as in 8.",
    "39 pieces": "Correct: 6.41 ms stay exposed and the link works 249.80 ms.",
    "17": "Not yet. The last piece is too long: 12.11 ms stay exposed and the link works "
    "205.80 ms.",
    "40": "Not yet. The overheads add up: 6.29 ms stay exposed and the link works 251.80 ms.",
    "1": "Not yet. The last piece is too long: 173.80 ms stay exposed and the link works "
    "173.80 ms.",
    "2.5": "Type a whole number of pieces from 1 to 10000, as in 8.",
    "0": "Type a whole number of pieces from 1 to 10000, as in 8.",
}


@pytest.mark.parametrize(("typed", "said"), PIECES_TYPED.items())
def test_a_number_of_pieces_is_judged_by_both_limits(typed, said):
    assert check(find_question("6.6"), typed).message == said


# ---------------------------------------------------------------- what is refused


NARROW = (np.float16, np.float32, np.longdouble, np.int8, np.uint8, np.int64)


@pytest.mark.parametrize("kind", NARROW)
def test_numpy_scalars_count_as_the_numbers_that_they_are(kind):
    """Each call in three sizes that every NumPy type holds exactly: results do not differ."""
    one, two, many = kind(1), kind(2), kind(100)
    pieces = [Piece(compute_seconds=1.025, n_bytes=10**8)] * 100
    pairs = [
        (even_ready_seconds, (many, 1.024, 0.043, 0.0005, one), {}),
        (even_ready_seconds, (many, two, one, one), {}),
        (ideal_pieces, (many, two, one), {}),
        (break_even_pieces, (many, two), {}),
        (best_pieces, (many, two, one), {"most": 100, "growth": one}),
        (overlap_gain, (many, two), {}),
        (serial, (many, 7), {}),
        (layerwise, (many, 700, 3), {}),
        (chunkwise, (many, 700, 7, 2), {"growth": one}),
        (timeline, (pieces, 1e9, two), {}),
        (contended, (pieces, 1e9, two), {"compute_slowdown": many, "transfer_slowdown": two}),
    ]
    for call, args, named in pairs:
        found = call(*args, **named)
        plain = [float(a) if isinstance(a, np.generic) else a for a in args]
        same = {n: float(v) if isinstance(v, np.generic) else v for n, v in named.items()}
        assert found == call(*plain, **same), call.__name__
        assert not isinstance(found, np.generic), call.__name__
    assert even_ready_seconds(np.float16(100), 1.024, 0.043, 0.0005) == even_ready_seconds(
        100, 1.024, 0.043, 0.0005
    )


def test_numpy_counts_become_ints():
    n = np.int16(300)
    assert chunkwise(1.0, n, n, np.int16(100), 0.0, n, page_tokens=np.int16(64)) == chunkwise(
        1.0, 300, 300, 100, 0.0, 300, page_tokens=64
    )
    assert best_pieces(1.0, 0.5, 0.001, most=np.int16(300)) == best_pieces(1.0, 0.5, 0.001, 300)
    rule = Rule(name="x", version="", source="", cut="chunk", chunk_tokens=np.int8(100))
    assert type(rule.chunk_tokens) is int
    assert pieces_under(rule, np.float16(0.5), n, n, np.int8(4)) == chunkwise(0.5, 300, 300, 100)


ONE = [Piece(compute_seconds=1.0, n_bytes=1)]
MANY = np.array([1, 2])
FLOAT = "got an array of float64 (ndarray); ask for each point by itself"
WHOLE = "must be one whole number, got an array of int64 (ndarray); ask for each point by itself"
ONE_EACH = {  # the argument that is an array: every call in which there is room for one number
    "prefill_seconds": (
        lambda a: best_pieces(a, 1, 1, 1),
        lambda a: serial(a, 1),
        lambda a: layerwise(a, 1, 1),
        lambda a: chunkwise(a, 1, 1, 1),
        lambda a: pieces_under(SGLANG, a, 1, 1, 1),
    ),
    "transfer_seconds": (lambda a: best_pieces(1, a, 1, 1),),
    "overhead": (
        lambda a: best_pieces(1, 1, a, 1),
        lambda a: timeline(ONE, RATE, a),
        lambda a: ready_bounds(ONE, RATE, a),
        lambda a: shared_link([], RATE, a),
    ),
    "growth": (lambda a: best_pieces(1, 1, 1, 1, a), lambda a: chunkwise(1, 1, 1, 1, a)),
    "rate": (lambda a: timeline(ONE, a), lambda a: shared_link([], a)),
    "compute_slowdown": (
        lambda a: contended(ONE, RATE, compute_slowdown=a, transfer_slowdown=1),
    ),
    "transfer_slowdown": (
        lambda a: contended(ONE, RATE, compute_slowdown=1, transfer_slowdown=a),
    ),
    "start_seconds": (lambda a: Request(start_seconds=a, pieces=tuple(ONE)),),
    "compute_seconds": (lambda a: Piece(compute_seconds=a, n_bytes=1),),
}  # fmt: skip
WHOLE_EACH = {
    "most": (lambda a: best_pieces(1, 1, 1, a),),
    "n_bytes": (
        lambda a: Piece(compute_seconds=1, n_bytes=a),
        lambda a: serial(1, a),
        lambda a: pieces_under(SGLANG, 1, a, 1, 1),
    ),
    "state_bytes": (
        lambda a: serial(1, 1, a),
        lambda a: layerwise(1, 1, 1, a),
        lambda a: chunkwise(1, 1, 1, 1, state_bytes=a),
        lambda a: pieces_under(SGLANG, 1, 1, 1, 1, a),
    ),
    "tokens": (lambda a: chunkwise(1, 1, a, 1), lambda a: pieces_under(SGLANG, 1, 1, a, 1)),
    "chunk_tokens": (
        lambda a: chunkwise(1, 1, 1, a),
        lambda a: Rule(name="x", version="", source="", cut="chunk", chunk_tokens=a),
    ),
    "page_tokens": (
        lambda a: chunkwise(1, 1, 1, 1, page_tokens=a),
        lambda a: Rule(name="x", version="", source="", cut="layer", page_tokens=a),
    ),
    "least_tokens": (lambda a: Rule(name="x", version="", source="", cut="layer", least_tokens=a),),
    "layers": (lambda a: layerwise(1, 1, a), lambda a: pieces_under(SGLANG, 1, 1, 1, a)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "call", "values", "rule"),
    [(n, c, 1.0 * MANY, f"must be one number, {FLOAT}") for n, cs in ONE_EACH.items() for c in cs]
    + [(n, c, MANY, WHOLE) for n, cs in WHOLE_EACH.items() for c in cs],
    ids=lambda x: x if isinstance(x, str) and " " not in x else "",
)
def test_an_array_in_the_place_of_one_number_is_named(name, call, values, rule):
    with pytest.raises(TypeError) as caught:
        call(values)
    who, _, said = str(caught.value).partition(": ")
    assert who in call.__code__.co_names and said == f"{name} {rule}"


REFUSED = {
    "no pieces": (
        lambda: timeline([], RATE),
        ValueError,
        "timeline: number of pieces must be from 1 to 100,000, got 0",
    ),
    "pieces that are none": (
        lambda: timeline([(1.0, 2)], RATE),
        TypeError,
        "timeline: pieces must be a list of Pieces, got (1.0, 2) (tuple)",
    ),
    "one piece without a list": (
        lambda: ready_bounds(ONE[0], RATE),
        TypeError,
        "ready_bounds: pieces must be a list of Pieces, got "
        "Piece(compute_seconds=1.0, n_bytes=1) (Piece)",
    ),
    "a rate without its unit": (
        lambda: timeline(ONE, 25),
        ValueError,
        "timeline: rate must be at least 1,000 B/s, got 25; for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "an array of rates": (
        lambda: timeline(ONE, np.array([1e9])),
        TypeError,
        "timeline: rate must be one number, got an array of float64 (ndarray); "
        "ask for each point by itself",
    ),
    "a negative overhead": (
        lambda: timeline(ONE, RATE, -0.1),
        ValueError,
        "timeline: overhead must be at least 0, got -0.1",
    ),
    "a time that is none": (
        lambda: Piece(compute_seconds=float("nan"), n_bytes=1),
        ValueError,
        "Piece: compute_seconds must be finite, got nan",
    ),
    "half a byte": (
        lambda: Piece(compute_seconds=1.0, n_bytes=0.5),
        TypeError,
        "Piece: n_bytes must be a whole number, got 0.5 (float)",
    ),
    "no layers": (
        lambda: layerwise(1.0, 1, 0),
        ValueError,
        "layerwise: layers must be from 1 to 100,000, got 0",
    ),
    "chunks too small": (
        lambda: chunkwise(1.0, 1, 10**9, 1),
        ValueError,
        "chunkwise: chunk_tokens must be at least 10,000 for 1,000,000,000 tokens, got 1",
    ),
    "more growth than compute": (
        lambda: chunkwise(1.0, 1, 10, 5, growth=1.5),
        ValueError,
        "chunkwise: growth must be at most 1, got 1.5",
    ),
    "a speed-up": (
        lambda: contended(ONE, RATE, compute_slowdown=0.5, transfer_slowdown=1),
        ValueError,
        "contended: compute_slowdown must be at least 1, got 0.5",
    ),
    "pieces below one": (
        lambda: even_ready_seconds(0.5, 1.0, 1.0, 0.0),
        ValueError,
        "even_ready_seconds: pieces must be at least 1, got 0.5",
    ),
    "no overhead": (
        lambda: ideal_pieces(1.0, 1.0, 0.0),
        ValueError,
        "ideal_pieces: overhead must be more than 0, got 0.0",
    ),
    "a rule without its chunk": (
        lambda: Rule(name="x", version="", source="", cut="chunk"),
        ValueError,
        "Rule: chunk_tokens must be given where the cut is by chunk, and only there, got None",
    ),
    "an unknown cut": (
        lambda: Rule(name="x", version="", source="", cut="layers"),
        ValueError,
        "Rule: cut must be a known name, got 'layers'; did you mean 'layer'?",
    ),
    "a growth that is none": (
        lambda: best_pieces(1, 1, 1, 1, growth="x"),
        TypeError,
        "best_pieces: growth must be a number, got 'x' (str)",
    ),
    "a growth that is nan": (
        lambda: best_pieces(1, 1, 1, 1, growth=float("nan")),
        ValueError,
        "best_pieces: growth must be finite, got nan",
    ),
    "a growth above one": (
        lambda: best_pieces(1, 1, 1, 5, growth=1.5),
        ValueError,
        "best_pieces: growth must be at most 1, got 1.5",
    ),
    "layers that are none, under a rule that does not ask for them": (
        lambda: pieces_under(SGLANG, 1.0, 1, 1, layers="x"),
        TypeError,
        "pieces_under: layers must be a whole number, got 'x' (str)",
    ),
    "a time under a rule": (
        lambda: pieces_under(SGLANG, "x", 1, 1, 1),
        TypeError,
        "pieces_under: prefill_seconds must be a number of seconds, got 'x' (str)",
    ),
    "no rule": (
        lambda: pieces_under("SGLang", 1.0, 1, 1, 1),
        TypeError,
        "pieces_under: rule must be a Rule, as SGLANG, got 'SGLang' (str)",
    ),
    "requests that are none": (
        lambda: shared_link(ONE, RATE),
        TypeError,
        "shared_link: requests must be a list of Requests, got "
        "Piece(compute_seconds=1.0, n_bytes=1) (Piece)",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses_in_one_sentence(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_work_is_bounded():
    many = [Piece(compute_seconds=0, n_bytes=0)] * 100_001
    with pytest.raises(ValueError, match=r"^timeline: number of pieces must be from 1 to 100,000"):
        timeline(many, RATE)
    half = Request(start_seconds=0, pieces=tuple(many[:60_000]))
    with pytest.raises(ValueError, match=r"^shared_link: number of pieces must be from 0 to "):
        shared_link([half, half], RATE)
    assert shared_link([], RATE) == ()
