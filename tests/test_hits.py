"""Hits: what a hit at either end of a hand-off spares, caches, traces, routes, loading.

Oracles: the text's own example; a matcher that compares every pair of prompts; a cache that keeps
a list of leaves and looks for the oldest; a transfer that is marked position by position; the
published moments of four traces, and the traces themselves where they are at hand.
"""

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.apps import defaults, find, run
from kvlib.bandwidth import transfer_seconds
from kvlib.hits import (
    BLOCK,
    MOVES_ALL,
    MOVES_MISSING,
    MOVES_SUFFIX,
    PUBLISHED,
    ROUTES,
    Convention,
    Moments,
    PrefixCache,
    Request,
    Trace,
    Work,
    agents,
    break_even_rate,
    chat,
    destination_hit,
    hand_off,
    handbook,
    ideal_hit,
    load_seconds,
    moments,
    moved_bytes,
    read_trace,
    recompute_seconds,
    replay,
    source_hit,
)
from kvlib.models import load, names
from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent, payload_bytes
from kvlib.units import TFLOPS, GB_s, GiB, MiB, format_as

TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)
CARRIES = Convention(destination_hits=True, window_hits=True, state_hits=True)


def refuses(kind, message, call, *args, **kwargs):
    """Fail unless a call raises `kind` with exactly this message."""
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call(*args, **kwargs)


# ---------------------------------------------------------------- one hand-off


class TestTheText:
    """8,000 of 8,192 tokens are cached at the source; the destination is fresh."""

    found = hand_off(TEXT, 8_192, source=8_000)

    def test_the_source_computes_the_missing_suffix(self):
        assert self.found.computed_tokens == 192
        assert format_as(self.found.compute_saved, "%", 1) == "97.7 %"

    def test_all_of_the_prompt_moves(self):
        assert self.found.moved_bytes == self.found.payload_bytes == GiB
        assert self.found.bytes_saved == 0
        bound = transfer_seconds(self.found.moved_bytes, 25 * GB_s)
        assert format_as(bound, "ms", 2) == "42.95 ms"

    def test_a_destination_that_holds_them_saves_them_if_the_protocol_can(self):
        unused = hand_off(TEXT, 8_192, destination=8_000)
        used = hand_off(TEXT, 8_192, destination=8_000, convention=MOVES_SUFFIX)
        assert unused.moved_bytes == GiB and unused.destination_hit == 0
        assert used.moved_bytes == 192 * 131_072 == 24 * MiB
        assert used.computed_tokens == 8_192

    def test_seconds_are_saved_at_each_end_apart(self):
        used = hand_off(TEXT, 8_192, 8_000, 4_096, MOVES_SUFFIX)
        compute, transfer = used.seconds_saved(8_000, 25 * GB_s)
        assert compute == 1.0
        assert transfer == pytest.approx(0.5 * 2**30 / 25e9)


@pytest.mark.parametrize(
    ("tokens", "page", "cached"),
    [  # what SGLang reported with pages of 64: sgl-project/sglang issue 25972, radix cache off
        (87, 64, 64),
        (2_023, 64, 1_984),
        # vLLM, blocks of 16: ROCm/ATOM pull request 939
        (7_820, 16, 7_808),
        # with pages of 128, one token past a page: sgl-project/sglang issue 27206
        (256, 128, 128),
        (257, 128, 256),
    ],
)
def test_engines_report_whole_pages_in_front_of_the_last_token(tokens, page, cached):
    assert source_hit(tokens, tokens, page) == cached


@given(st.integers(1, 400), st.integers(0, 400), st.integers(1, 70))
def test_the_source_computes_every_page_that_it_lacks_and_the_last_token(tokens, matched, page):
    matched = min(matched, tokens)
    missing = [i for i in range(tokens) if i // page * page + page > matched or i == tokens - 1]
    spared = set(range(tokens)) - {i for i in range(min(missing) // page * page, tokens)}
    assert source_hit(matched, tokens, page) == len(spared)


KINDS = {
    "dense": Geometry(layers=2, kv_heads=2, head_dim=8),
    "window": Geometry(layers=3, kv_heads=1, head_dim=8, value_dim=4, window=37),
    "chunk": Geometry(layers=1, kv_heads=1, head_dim=8, chunk=50),
    "latent": Latent(layers=2, latent_dim=16, rope_dim=4),
    "indexer": Indexer(layers=2),
    "state": Recurrent(layers=2, state_elements=100, conv_channels=10, conv_width=4),
}
CONVENTIONS = {
    "moves all": MOVES_ALL,
    "suffix": MOVES_SUFFIX,
    "suffix, windows": MOVES_MISSING,
    "suffix, states": replace(MOVES_SUFFIX, state_hits=True),
    "carries": CARRIES,
    "pages": replace(CARRIES, page=16),
    "suffix, pages": replace(MOVES_SUFFIX, page=16),
}


def marked(group, tokens, matched, convention, widest=None):
    """Return the bytes that move, marking position by position what the destination lacks.

    `widest` is the widest window of the model that the group belongs to.
    """
    end, widest = 0, widest or getattr(group, "kept_tokens", None) or 0
    while convention.destination_hits and end + convention.page <= matched:
        if widest and not convention.window_hits and tokens - end - convention.page < widest:
            break  # the next page would reach into the window, which must come fresh
        end += convention.page
    if isinstance(group, Recurrent):
        kept_there = convention.state_hits and end == tokens
        return 0 if kept_there else group.request_bytes
    if isinstance(group, Indexer):
        return sum(group.bytes_per_token for i in range(tokens) if i >= end)
    limit = getattr(group, "kept_tokens", None)
    wanted = [i for i in range(tokens) if limit is None or i >= tokens - limit]
    there = set(range(end)) if limit is None or convention.window_hits else set()
    return sum(2 * group.elements_per_token for i in wanted if i not in there)


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
@pytest.mark.parametrize("group", KINDS.values(), ids=KINDS)
@given(st.integers(1, 160), st.integers(0, 160))
def test_what_moves_is_what_the_destination_lacks(group, convention, tokens, matched):
    matched = min(matched, tokens)
    found = hand_off(group, tokens, destination=matched, convention=convention)
    assert found.moved_bytes == marked(group, tokens, matched, convention)
    assert 0 <= found.moved_bytes <= found.payload_bytes == payload_bytes(group, tokens)


@given(
    st.sampled_from(names()),
    st.integers(1, 100_000),
    st.integers(0, 100_000),
    st.integers(0, 100_000),
    st.sampled_from(list(CONVENTIONS.values())),
)
def test_neither_end_enters_the_other_s_books(name, tokens, source, destination, convention):
    source, destination = min(source, tokens), min(destination, tokens)
    both = hand_off(load(name), tokens, source, destination, convention)
    assert both.moved_bytes == hand_off(load(name), tokens, 0, destination, convention).moved_bytes
    alone = hand_off(load(name), tokens, source, 0, convention)
    assert both.computed_tokens == alone.computed_tokens >= 1
    assert alone.moved_bytes == both.payload_bytes == payload_bytes(load(name), tokens)


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
@given(st.integers(1, 160), st.integers(0, 160))
def test_a_model_moves_what_its_groups_lack_behind_one_hit(convention, tokens, matched):
    matched = min(matched, tokens)
    model = Model(name="all kinds", groups=tuple(KINDS.values()))
    found = hand_off(model, tokens, 0, matched, convention)
    groups = [marked(g, tokens, matched, convention, widest=50) for g in KINDS.values()]
    assert found.moved_bytes == sum(groups) == moved_bytes(model, tokens, matched, convention)


class TestWindows:
    """SGLang 0.5.23 sends a window fresh and cuts the hit before it; vLLM leaves it out as held.

    Gemma 3 27B has 10 growing layers and 52 with a window of 1,024, at 8,192 B a token and layer.
    """

    model = load("gemma-3-27b")

    def test_the_suffix_begins_where_the_window_does(self):
        found = hand_off(self.model, 8_192, 0, 8_000, MOVES_SUFFIX)
        assert found.destination_hit == 8_192 - 1_024
        assert found.moved_bytes == 62 * 1_024 * 8_192

    def test_what_is_missing_begins_at_the_hit(self):
        found = hand_off(self.model, 8_192, 0, 8_000, MOVES_MISSING)
        assert found.destination_hit == 8_000
        assert found.moved_bytes == 62 * 192 * 8_192 == 97_517_568

    def test_a_hit_before_the_window_is_not_cut(self):
        for convention in (MOVES_SUFFIX, MOVES_MISSING):
            found = hand_off(self.model, 8_192, 0, 7_000, convention)
            assert found.destination_hit == 7_000
            assert found.moved_bytes == (10 * 1_192 + 52 * 1_024) * 8_192

    def test_it_is_cut_at_a_whole_page(self):
        found = hand_off(self.model, 8_200, 0, 8_200, replace(MOVES_SUFFIX, page=128))
        assert found.destination_hit == (8_200 - 1_024) // 128 * 128 == 7_168

    def test_a_prompt_within_one_window_or_chunk_moves_whole(self):
        assert hand_off(self.model, 1_000, 0, 1_000, MOVES_SUFFIX).bytes_saved == 0
        chunked = load("llama-4-scout")
        assert hand_off(chunked, 8_192, 0, 8_000, MOVES_SUFFIX).bytes_saved == 0
        assert hand_off(chunked, 8_192, 0, 8_000, MOVES_MISSING).bytes_saved == 8_000 / 8_192


def test_what_moves_follows_the_convention_alone():
    assert moved_bytes(TEXT, 8_192, 8_000) == moved_bytes(TEXT, 8_192, 8_000, MOVES_ALL) == GiB
    assert moved_bytes(TEXT, 8_192, 8_000, MOVES_SUFFIX) == 24 * MiB
    paged = replace(MOVES_SUFFIX, page=128)
    assert moved_bytes(TEXT, 8_192, 8_001, paged) == 256 * 131_072 == 33_554_432


NARROW = {  # what a narrow NumPy number must not spoil
    "Work": lambda n: break_even_rate(Work(width=n(8_192)), 8_192, 8 * 312 * TFLOPS),
    "Work in floats": lambda n: Work(attention=n(4), matrices=n(22)).operations(8_192),
    "Request": lambda n: moments(
        Trace(requests=tuple(Request(arrival=n(i), input_tokens=n(20_000)) for i in (0, 1)))
    ),
    "Request's answer": lambda n: moments(
        Trace(
            requests=tuple(
                Request(arrival=i, input_tokens=1, output_tokens=n(30_000)) for i in (0, 1)
            )
        )
    ),
    "Trace": lambda n: ideal_hit(
        Trace(
            requests=(Request(arrival=0, input_tokens=60_000, blocks=(1, 2, 3)),) * 2,
            block=n(20_000),
        )
    ),
    "Moments": lambda n: handbook(
        9,
        seed=n(1),
        like=Moments(rate=n(2), input_mean=n(9_000), input_spread=1.0005, output_mean=n(500)),
    ),
    "Convention": lambda n: moved_bytes(TEXT, 90_000, 90_000, replace(CARRIES, page=n(30_000))),
    "a page": lambda n: source_hit(90_000, 90_000, n(30_000)),
    "a hand-off": lambda n: hand_off(TEXT, n(20_000), n(9), n(8), replace(CARRIES, page=n(4))),
    "a replay": lambda n: replay(
        TRACES["handbook"], "random", seed=n(1), destinations=n(3), source_blocks=n(9)
    ),
}


@pytest.mark.parametrize("call", NARROW.values(), ids=NARROW)
def test_a_narrow_numpy_number_counts_as_the_python_one(call):
    for kind in (np.int16, np.uint64, np.int32):
        assert repr(call(kind)) == repr(call(int))


def test_numpy_hashes_are_hashes():
    request = Request(arrival=0, input_tokens=1, blocks=(np.int64(1),), session=np.uint8(3))
    assert [type(v) for v in (*request.blocks, request.session)] == [int, int]
    assert request == Request(arrival=0, input_tokens=1, blocks=(1,), session=3)


def test_unsigned_arrays_stay_whole():
    found = hand_off(TEXT, np.array([8_192], dtype="uint64"), np.array([8_000], dtype="uint64"))
    assert found.computed_tokens.dtype == "int64" and found.computed_tokens.tolist() == [192]


def test_arrays_broadcast():
    tokens, hits = np.array([[1_000], [8_192]]), np.array([0, 64, 1_000])
    for group in KINDS.values():
        found = moved_bytes(group, tokens, hits, CARRIES)
        assert found.shape == (2, 3)
        for (i, j), value in np.ndenumerate(found):
            assert value == moved_bytes(group, int(tokens[i, 0]), int(hits[j]), CARRIES)
    assert source_hit(hits, 1_000, 64).tolist() == [0, 64, 960]
    assert destination_hit(hits, 1_000, replace(MOVES_SUFFIX, page=64)).tolist() == [0, 64, 960]
    assert destination_hit(hits, 1_000).tolist() == [0, 0, 0]
    swept = hand_off(TEXT, 8_192, source=np.arange(8_193))
    assert swept.computed_tokens[0] == 8_192 and swept.computed_tokens[-1] == 1


WRONG = {
    "a hit longer than its prompt": (
        ValueError,
        "source_hit: matched must be a part of the prompt's tokens, got 128 of 87",
        lambda: source_hit(128, 87),
    ),
    "one in an array": (
        ValueError,
        "moved_bytes: destination must be a part of the prompt's tokens, got an array with more",
        lambda: moved_bytes(TEXT, 100, np.array([1, 101])),
    ),
    "no prompt": (
        ValueError,
        "destination_hit: tokens must be at least 1, got 0",
        lambda: destination_hit(0, 0),
    ),
    "a negative hit": (
        ValueError,
        "source_hit: matched must be at least 0, got -1",
        lambda: source_hit(-1, 10),
    ),
    "half a token": (
        TypeError,
        "source_hit: matched must be a whole number, got 0.5 (float)",
        lambda: source_hit(0.5, 10),
    ),
    "a page of nothing": (
        ValueError,
        "Convention: page must be from 1 to 1,000,000, got 0",
        lambda: Convention(page=0),
    ),
    "a flag that is none": (
        TypeError,
        "Convention: destination_hits must be True or False, got 'yes' (str)",
        lambda: Convention(destination_hits="yes"),
    ),
    "no convention": (
        TypeError,
        "moved_bytes: convention must be a Convention, as MOVES_SUFFIX, got 'sglang' (str)",
        lambda: moved_bytes(TEXT, 10, 0, "sglang"),
    ),
    "no model": (
        TypeError,
        "hand_off: model must be a Model or a group of layers, got 'llama' (str); "
        "write load('llama-3.1-8b') or a Geometry",
        lambda: hand_off("llama", 10),
    ),
    "a hand-off of nothing": (
        ValueError,
        "hand_off: tokens must be at least 1, got 0",
        lambda: hand_off(TEXT, 0),
    ),
    "a source hit longer than its prompt": (
        ValueError,
        "hand_off: source must be a part of the prompt's tokens, got 11 of 10",
        lambda: hand_off(TEXT, 10, source=11),
    ),
    "ends of two shapes": (
        ValueError,
        "hand_off: destination must be of a shape that broadcasts with (3,), got shape (2,)",
        lambda: hand_off(TEXT, 10, np.arange(3), np.arange(2)),
    ),
    "rates of another shape": (
        ValueError,
        "seconds_saved: prefill_rate must be of a shape that broadcasts with (3,), got shape (2,)",
        lambda: hand_off(TEXT, 10, np.arange(3)).seconds_saved(np.array([1.0, 2.0]), 25e9),
    ),
    "pages in an array": (
        TypeError,
        "Convention: page must be one whole number, got an array of int64",
        lambda: Convention(page=np.array([1, 2])),
    ),
    "no rate": (
        TypeError,
        "seconds_saved: prefill_rate must be a number of tokens/s, got '8k' (str)",
        lambda: hand_off(TEXT, 10).seconds_saved("8k", 25e9),
    ),
}


@pytest.mark.parametrize(("kind", "message", "call"), WRONG.values(), ids=WRONG)
def test_a_wrong_hit_is_refused_in_one_sentence(kind, message, call):
    refuses(kind, message, call)


# ---------------------------------------------------------------- caches


class OldestLeaf:
    """A prefix cache that looks through all its rows for the leaf used longest ago."""

    def __init__(self, capacity):
        self.capacity, self.used, self.now = capacity, {}, 0

    def use(self, row):
        self.now += 1
        starts = [row[: i + 1] for i in range(len(row))]
        found = next((i for i, start in enumerate(starts) if start not in self.used), len(row))
        for start in starts:
            self.used[start] = self.now
        while len(self.used) > self.capacity:
            leaves = [start for start in self.used if not any(o[:-1] == start for o in self.used)]
            del self.used[min(leaves, key=self.used.get)]
        return found


def chained(row):
    """Return hashes that cover the blocks before them too."""
    return [hash(tuple(row[: i + 1])) for i in range(len(row))]


def shared_start(row, other):
    """Return how many first entries two rows have in common."""
    return next(
        (i for i, (a, b) in enumerate(zip(row, other, strict=False)) if a != b),
        min(len(row), len(other)),
    )


ROWS = st.lists(st.lists(st.integers(0, 2), max_size=6).map(tuple), max_size=40)


@given(ROWS, st.integers(0, 12))
def test_a_full_cache_gives_up_the_leaf_that_was_used_longest_ago(rows, capacity):
    cache, oracle = PrefixCache(capacity), OldestLeaf(capacity)
    for row in rows:
        before = cache.match(chained(row))
        assert cache.use(chained(row)) == before == oracle.use(row)
        assert len(cache) == len(oracle.used) <= capacity
    for row in rows:
        held = [start for start in (row[: i + 1] for i in range(len(row))) if start in oracle.used]
        assert cache.match(chained(row)) == len(held)


@given(ROWS)
def test_a_cache_without_limit_finds_the_longest_start_that_came_before(rows):
    cache = PrefixCache()
    for i, row in enumerate(rows):
        shared = [shared_start(row, other) for other in rows[:i]]
        assert cache.use(chained(row)) == max(shared, default=0)


def test_a_block_in_the_middle_is_never_given_up_before_those_behind_it():
    cache = PrefixCache(capacity=4)
    cache.use([1, 2, 3, 4])
    cache.use([9])
    assert cache.match([1, 2, 3, 4]) == 3 and cache.match([9]) == 1
    cache.use([8, 7])
    assert (cache.match([1, 2, 3, 4]), cache.match([9]), cache.match([8, 7])) == (1, 1, 2)


def test_a_look_is_no_use():
    cache = PrefixCache(capacity=2)
    cache.use([1])
    cache.use([2])
    assert cache.match([1]) == 1
    cache.use([3])
    assert cache.match([1]) == 0 and cache.match([2]) == 1


def test_a_cache_without_room_holds_nothing():
    cache = PrefixCache(capacity=0)
    assert [cache.use([1, 2]), cache.use([1, 2]), len(cache)] == [0, 0, 0]


def test_bad_caches_are_refused():
    refuses(
        ValueError,
        "PrefixCache: capacity must be from 0 to 1,000,000,000, got -1",
        PrefixCache,
        -1,
    )
    refuses(
        TypeError, "PrefixCache: capacity must be a whole number, got 1.5 (float)", PrefixCache, 1.5
    )
    refuses(
        TypeError, "use: blocks must be a list of hashes, got '12' (str)", PrefixCache().use, "12"
    )
    refuses(TypeError, "use: blocks must be hashes, got [[1]] (list)", PrefixCache().use, [[1]])
    cache = PrefixCache(5)
    refuses(TypeError, "use: blocks must be hashes, got [1, [1]] (list)", cache.use, [1, [1]])
    assert len(cache) == 0 == cache.match([1])
    refuses(TypeError, "match: blocks must be hashes, got [[1]] (list)", cache.match, [[1]])
    refuses(
        TypeError,
        "PrefixCache: capacity must be one whole number, got an array of int64",
        PrefixCache,
        np.arange(3),
    )


# ---------------------------------------------------------------- traces


LINES = [
    {"timestamp": 0, "input_length": 1_000, "output_length": 5, "hash_ids": [0, 1]},
    {"timestamp": 1_500, "input_length": 1_030, "output_length": 0, "hash_ids": [0, 2, 3]},
    {"timestamp": 1_500, "input_length": 1_024, "output_length": 7, "hash_ids": [0, 2]},
]


def written(tmp_path, text):
    path = tmp_path / "trace"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_the_public_form_is_read(tmp_path):
    trace = read_trace(written(tmp_path, jsonl(*LINES)))
    assert [r.arrival for r in trace.requests] == [0, 1.5, 1.5]
    assert [r.input_tokens for r in trace.requests] == [1_000, 1_030, 1_024]
    assert [r.output_tokens for r in trace.requests] == [5, 0, 7]
    assert [r.blocks for r in trace.requests] == [(0, 1), (0, 2, 3), (0, 2)]
    assert [r.session for r in trace.requests] == [1, 2, 2]  # all begin with block 0
    assert ideal_hit(trace) == (0 + 512 + 1_024) / 3_054


@pytest.mark.parametrize(
    "text",
    [
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
        "2023-11-16 18:17:04.4799600,34,12\n",
        "arrival,input_tokens,output_tokens\r\n7.5,4808,10\r\n8.0,34,12\r\n",
        "id, Output Tokens ,input tokens,Arrival\na,10,4808,7\n\nb,12,34,7.5\n",
        "\ufeffarrival,input_tokens,output_tokens\n3,34,12\n2.5,4808,10",  # sorted on the way
    ],
)
def test_a_csv_is_read(tmp_path, text):
    first, second = read_trace(written(tmp_path, text)).requests
    assert first == Request(arrival=0, input_tokens=4_808, output_tokens=10)
    assert second == Request(arrival=0.5, input_tokens=34, output_tokens=12)


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (("2023-11-05 01:59:59-07:00", "2023-11-05 01:00:00-08:00"), [0, 1]),  # clocks set back
        (("2023-11-05T09:00:00Z", "2023-11-05 10:00:02+01:00"), [0, 2]),
        (("2023-11-05 09:00:00", "2023-11-05 09:00:03+00:00"), [0, 3]),  # without: UTC
    ],
)
def test_offsets_from_utc_count(tmp_path, times, seconds):
    lines = ["arrival,input_tokens,output_tokens", *(f"{t},1{i},1" for i, t in enumerate(times))]
    found = read_trace(written(tmp_path, "\n".join(lines))).requests
    assert [r.arrival for r in found] == seconds
    assert [r.input_tokens for r in found] == [10, 11]


def test_a_partial_block_counts_with_its_real_tokens():
    twice = tuple(Request(arrival=0, input_tokens=700, blocks=(1, 2)) for _ in range(2))
    assert ideal_hit(Trace(requests=twice)) == 0.5
    found = replay(Trace(requests=twice), "sticky", seed=1, destinations=1)
    assert found.source_hits == (0, 699) and found.destination_hits == (0, 700)


def line(**changed):
    """Return the second line of a trace, changed."""
    return jsonl(LINES[0], LINES[1] | changed)


FORM = "a JSON object with timestamp, input_length, output_length, hash_ids"
BAD_FILES = {
    "nothing": ("", ValueError, "line 1 must be a request or a header, got ''"),
    "no object": (jsonl(LINES[0]) + "[1]\n", ValueError, f"line 2 must be {FORM}, got '[1]'"),
    "no JSON": ("{nonsense\n", ValueError, f"line 1 must be {FORM}, got '{{nonsense'"),
    "deep": (
        jsonl(LINES[0]) + "[" * 200_000,
        ValueError,
        f"line 2 must be {FORM}, got '" + "[" * 27 + "..." + "[" * 28 + "'",
    ),
    "a field less": (
        '{"timestamp": 0}',
        ValueError,
        f"line 1 must be {FORM}, got '{{\"timestamp\": 0}}'",
    ),
    "time as text": (
        line(timestamp="1"),
        TypeError,
        "timestamp in line 2 must be a number of ms, got '1' (str)",
    ),
    "no time": (
        line(timestamp=float("nan")),
        ValueError,
        "timestamp in line 2 must be finite, got nan",
    ),
    "before time": (
        line(timestamp=-1),
        ValueError,
        "timestamp in line 2 must be at least 0, got -1",
    ),
    "after all time": (
        line(timestamp=10**400),
        ValueError,
        "timestamp in line 2 must be at most 1e+13, got a whole number of about 401 digits",
    ),
    "no tokens": (
        line(input_length=0, hash_ids=[]),
        ValueError,
        "line 2: input_tokens must be from 1 to 10,000,000, got 0",
    ),
    "too many": (
        line(output_length=10**40),
        ValueError,
        "line 2: output_tokens must be from 0 to 10,000,000, got a whole number of about 41 digits",
    ),
    "true tokens": (
        line(output_length=True),
        TypeError,
        "line 2: output_tokens must be a whole number, got True (bool)",
    ),
    "too few blocks": (
        line(hash_ids=[0, 2]),
        ValueError,
        "number of hash_ids in line 2 must be 3, one for every 512 of 1,030 tokens, got 2",
    ),
    "hashes as text": (
        line(hash_ids=["a", 1, 2]),
        TypeError,
        "line 2: block must be a whole number, got 'a' (str)",
    ),
    "hashes that are none": (
        line(hash_ids=7),
        TypeError,
        "hash_ids in line 2 must be a list of whole numbers, got 7 (int)",
    ),
    "no UTF-8": (b"arrival\xff\n", ValueError, r"line 1 must be UTF-8, got b'arrival\xff\n'"),
    "another header": (
        "when,what\n",
        ValueError,
        "line 1 must be a header that names arrival, as in arrival,input_tokens,output_tokens, "
        "got 'when,what'",
    ),
    "a header alone": (
        "arrival,input_tokens,output_tokens\n",
        ValueError,
        "line 2 must be a request, got ''",
    ),
    "a cell more": (
        "arrival,input_tokens,output_tokens\n1,2,3,4\n",
        ValueError,
        "line 2 must be 3 cells, as many as the header has, got '1,2,3,4'",
    ),
    "tokens in words": (
        "arrival,input_tokens,output_tokens\n1,many,3\n",
        TypeError,
        "line 2: input_tokens must be a whole number, got 'many' (str)",
    ),
    "no date": (
        "arrival,input_tokens,output_tokens\nyesterday,2,3\n",
        ValueError,
        "line 2 must be one that arrives after some seconds, or on a date as "
        "2023-11-16 18:17:03.98, got 'yesterday'",
    ),
    "an open quote": (
        'arrival,input_tokens,output_tokens\n"1,2,3\n',
        ValueError,
        "line 2 must be CSV, got '\"1,2,3'",
    ),
    "never": (
        "arrival,input_tokens,output_tokens\ninf,2,3\n",
        ValueError,
        "line 2: arrival must be finite, got inf",
    ),
    "a long line": (
        jsonl(LINES[0]) + " " * 2**21,
        ValueError,
        "bytes of line 2 must be from 0 to 1,048,576, got 1048577",
    ),
}


@pytest.mark.parametrize(("text", "kind", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_is_no_trace_is_refused_naming_the_line(tmp_path, text, kind, message):
    refuses(kind, f"read_trace: {message}", read_trace, written(tmp_path, text))


def test_what_is_no_plain_file_is_not_opened(tmp_path):
    message = "read_trace: path must name a plain file, got something else"
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", "/dev/zero"):
        refuses(ValueError, message, read_trace, path)
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "none")


@given(st.binary(max_size=200), st.sampled_from([b"", b"{", jsonl(LINES[0]).encode(), b"arrival,"]))
def test_any_bytes_are_a_trace_or_are_refused(tmp_path_factory, junk, start):
    path = tmp_path_factory.mktemp("junk") / "trace"
    path.write_bytes(start + junk)
    try:
        assert read_trace(path).requests
    except (TypeError, ValueError) as error:
        assert str(error).startswith("read_trace: ") and "\n" not in str(error)


BAD_TRACES = {
    "empty": ((), "number of requests must be from 1 to 1,000,000, got 0"),
    "backwards": (
        (Request(arrival=2, input_tokens=1), Request(arrival=1, input_tokens=1)),
        "request 1 must be no earlier than the one before it, at 2 s, got 1",
    ),
    "blocks too few": (
        (Request(arrival=0, input_tokens=513, blocks=(1,)),),
        "blocks of request 0 must be 2, one for every 512 of 513 tokens, got 1",
    ),
    "hashes of blocks alone": (
        (
            Request(arrival=0, input_tokens=600, blocks=(1, 2)),
            Request(arrival=0, input_tokens=600, blocks=(3, 2)),
        ),
        "blocks of request 1 must be hashes that cover the blocks before them too, got 2",
    ),
}


@pytest.mark.parametrize(("requests", "message"), BAD_TRACES.values(), ids=BAD_TRACES)
def test_a_row_of_requests_that_is_no_trace_is_refused(requests, message):
    refuses(ValueError, f"Trace: {message}", Trace, requests=requests)


FOLDER = Path(os.environ.get("KV_TRACES", Path.home() / "kv-traces"))
FILES = {  # published as: file, requests, input and output percentiles, ideal hit
    "mooncake conversation": (
        "mooncake_conversation.jsonl",
        12_031,
        (6_909, 27_367, 85_400),
        0.374,
    ),
    "azure code": ("azure_code_2023.csv", 8_819, (1_469, 5_187, 7_436), 0),
    "azure conversation": ("azure_conversation_2023.csv", 19_366, (1_020, 2_734, 4_142), 0),
}


@pytest.mark.parametrize("name", FILES)
def test_the_public_traces_have_their_published_moments(name):
    file, count, percentiles, hit = FILES[name]
    if not (FOLDER / file).is_file():
        pytest.skip(f"{file} is not at hand: set KV_TRACES to a folder with it")
    trace = read_trace(FOLDER / file)
    assert len(trace.requests) == count
    found, published = moments(trace), PUBLISHED[name]
    for field in ("rate", "input_mean", "input_spread", "output_mean"):
        wanted = getattr(published, field)
        assert getattr(found, field) == pytest.approx(wanted, rel=0.005)
    lengths = sorted(request.input_tokens for request in trace.requests)
    for part, wanted in zip((0.5, 0.9, 0.99), percentiles, strict=True):
        assert lengths[round(part * (count - 1))] == pytest.approx(wanted, rel=0.01)
    assert round(ideal_hit(trace), 3) == hit


# ---------------------------------------------------------------- synthetic traces


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("make", [chat, agents], ids=lambda f: f.__name__)
def test_a_synthetic_trace_has_the_moments_that_were_asked(make, name):
    like, shared = PUBLISHED[name], 256
    trace = make(3_000, seed=5, again=0.4, shared_tokens=shared, like=like)
    found = moments(trace)
    assert found.rate == pytest.approx(like.rate, rel=0.005)
    assert found.input_mean == pytest.approx(like.input_mean, rel=0.002)
    assert found.input_spread == pytest.approx(like.input_spread, rel=0.002)
    assert found.output_mean == pytest.approx(like.output_mean, rel=0.02)


@pytest.mark.parametrize("block", [16, 512])
@pytest.mark.parametrize("make", [handbook, chat, agents], ids=lambda f: f.__name__)
def test_prompts_share_what_their_kind_says(make, block):
    trace = make(400, seed=2, block=block)
    assert trace == make(400, seed=2, block=block) != make(400, seed=3, block=block)
    newest = {}
    for request in trace.requests:
        before = newest.get(request.session)
        if before:
            whole = before.input_tokens // block
            assert request.input_tokens > before.input_tokens
            assert request.blocks[:whole] == before.blocks[:whole]
            assert set(request.blocks[whole:]).isdisjoint(before.blocks)
        newest[request.session] = request
    turns = len(trace.requests) / len(newest)
    assert turns == 1 if make is handbook else turns > 1.5
    shared = {handbook: 8_000, chat: 0, agents: 2_048}[make] // block
    starts = {request.blocks[:shared] for request in trace.requests}
    assert starts == {tuple(range(shared))}


def test_a_handbook_is_hit_by_all_but_the_first():
    trace = handbook(500, seed=1, block=16)
    assert ideal_hit(trace) == pytest.approx(499 * 8_000 / trace.input_tokens, rel=1e-9)


def test_moments_that_cannot_be_are_refused():
    tight = Moments(rate=1, input_mean=100, input_spread=1, output_mean=1)
    with pytest.raises(ValueError) as caught:
        chat(50, seed=1, like=tight)
    rule = r"chat: input_spread of like must be from [\d.]+ to [\d.]+ for such prompts, got 1"
    assert re.fullmatch(rule, str(caught.value))
    refuses(
        ValueError,
        "Moments: input_spread must be at least 1, got 0.5",
        Moments,
        rate=1,
        input_mean=1,
        input_spread=0.5,
        output_mean=1,
    )
    refuses(
        ValueError, "handbook: requests must be from 2 to 1,000,000, got 1", handbook, 1, seed=1
    )
    refuses(ValueError, "chat: again must be at most 0.99, got 1", chat, 5, seed=1, again=1)
    refuses(
        ValueError,
        "handbook: shared_tokens must be from 0 to 8,192, got 9000",
        handbook,
        5,
        seed=1,
        shared_tokens=9_000,
    )
    refuses(
        ValueError,
        "agents: number of blocks must be from 0 to 20,000,000, got 12035000000",
        agents,
        1_000_000,
        seed=1,
        block=1,
    )
    refuses(
        TypeError,
        "agents: requests must be one whole number, got an array of int64",
        agents,
        np.arange(2),
        seed=1,
    )
    refuses(
        TypeError,
        "chat: again must be one number, got an array of float64",
        chat,
        5,
        seed=1,
        again=np.array([0.5]),
    )
    once = Trace(requests=(Request(arrival=0, input_tokens=1),))
    refuses(ValueError, "moments: trace must last some time, got one arrival time", moments, once)


# ---------------------------------------------------------------- routing


TRACES = {
    "handbook": handbook(150, seed=4),
    "chat": chat(150, seed=4, again=0.8, like=PUBLISHED["mooncake conversation"]),
    "agents": agents(150, seed=4),
}


def by_pairs(trace, places):
    """Return the hit of each request at its place, comparing it with all before it there."""
    hits = []
    for i, request in enumerate(trace.requests):
        earlier = [r for r, p in zip(trace.requests[:i], places, strict=False) if p == places[i]]
        shared = max((shared_start(request.blocks, r.blocks) for r in earlier), default=0)
        hits.append(min(shared * trace.block, request.input_tokens))
    return hits


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_every_hit_is_the_longest_start_that_came_before(trace, route):
    found = replay(trace, route, seed=9)
    one = by_pairs(trace, [0] * len(trace.requests))
    pairs = zip(one, found.tokens, strict=True)
    assert list(found.source_hits) == [min(hit, tokens - 1) for hit, tokens in pairs]
    there = by_pairs(trace, found.destinations)
    assert list(found.destination_hits) == ([0] * 150 if route == "fresh" else there)
    assert found.asked_tokens == trace.input_tokens == sum(found.tokens)
    assert found.computed_tokens == found.asked_tokens - sum(found.source_hits)
    assert found.moved_tokens == found.asked_tokens - sum(found.destination_hits)


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_no_route_changes_what_the_source_computes(trace):
    found = [replay(trace, route, seed=9, source_blocks=2_000) for route in ROUTES]
    assert len({f.source_hits for f in found}) == 1
    assert found[0].transfer_saved == 0 < found[0].compute_saved


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_one_destination_without_limit_saves_as_much_as_is_ideal(trace):
    for route in ROUTES[1:]:
        found = replay(trace, route, seed=1, destinations=1)
        assert found.transfer_saved == pytest.approx(ideal_hit(trace), rel=1e-12)
        assert found.busiest == 1


def test_sticky_sessions_stay_and_new_ones_go_to_the_least_loaded():
    found = replay(TRACES["chat"], "sticky", seed=1, destinations=3)
    homes, load = {}, [0, 0, 0]
    for request, place in zip(TRACES["chat"].requests, found.destinations, strict=True):
        assert place == homes.setdefault(request.session, load.index(min(load)))
        load[place] += request.input_tokens
    assert found.busiest == max(load) / sum(load)


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_the_best_match_wins_and_of_equals_the_least_loaded(trace):
    found = replay(trace, "most-matching", seed=1, destinations=3, least_match=0.3)
    load, met = [0, 0, 0], [[], [], []]
    for request, place in zip(trace.requests, found.destinations, strict=True):
        shared = [
            max((shared_start(request.blocks, blocks) for blocks in there), default=0)
            for there in met
        ]
        best = [i for i in range(3) if shared[i] == max(shared)]
        if max(shared) * trace.block < 0.3 * request.input_tokens:
            best = [0, 1, 2]
        assert place in best and load[place] == min(load[i] for i in best)
        load[place] += request.input_tokens
        met[place].append(request.blocks)


def test_a_match_of_the_least_share_counts():
    rows = [(1, 2), (8,), (1, 3)]  # the third shares one of its two blocks with the first
    requests = (Request(arrival=0, input_tokens=10 * len(row), blocks=row) for row in rows)
    trace = Trace(requests=tuple(requests), block=10)
    for least, place in ((0.5, 0), (0.51, 1)):
        found = replay(trace, "most-matching", seed=1, destinations=2, least_match=least)
        assert found.destinations == (0, 1, place)


def test_where_all_share_a_start_the_best_match_alone_draws_everything_to_one():
    trace = agents(600, seed=4)
    herd = replay(trace, "most-matching", seed=1, least_match=0)
    spread = replay(trace, "most-matching", seed=1, least_match=0.5)
    assert herd.busiest == 1
    assert spread.busiest < 0.4
    room = {"destination_blocks": 200}
    assert (
        replay(trace, "most-matching", seed=1, least_match=0, **room).transfer_saved
        < replay(trace, "most-matching", seed=1, least_match=0.5, **room).transfer_saved
    )


def test_a_protocol_that_moves_all_saves_no_byte_on_any_route():
    for route in ROUTES:
        found = replay(TRACES["chat"], route, seed=1, convention=MOVES_ALL)
        assert found.transfer_saved == 0 < found.compute_saved


def test_bytes_of_a_replay_are_those_of_its_requests():
    found = replay(TRACES["agents"], "sticky", seed=1)
    payload, moved = found.payload_and_moved(TEXT)
    assert payload == payload_bytes(TEXT, found.asked_tokens)
    assert moved == payload_bytes(TEXT, found.moved_tokens)
    assert 1 - moved / payload == pytest.approx(found.transfer_saved)
    model = load("gpt-oss-20b")
    payload, moved = found.payload_and_moved(model)
    pairs = zip(found.tokens, found.destination_hits, strict=True)
    assert moved == sum(hand_off(model, n, 0, q, MOVES_SUFFIX).moved_bytes for n, q in pairs)


def test_bad_replays_are_refused():
    trace = TRACES["chat"]
    refuses(TypeError, "replay: trace must be a Trace, got [] (list)", replay, [], "fresh", seed=1)
    refuses(
        ValueError,
        "replay: route must be a known name, got 'stick'; did you mean 'sticky'?",
        replay,
        trace,
        "stick",
        seed=1,
    )
    refuses(
        ValueError,
        "replay: destinations must be from 1 to 1,000, got 0",
        replay,
        trace,
        "random",
        seed=1,
        destinations=0,
    )
    refuses(
        ValueError,
        "replay: least_match must be at most 1, got 10",
        replay,
        trace,
        "random",
        seed=1,
        least_match=10,
    )
    refuses(
        TypeError,
        "replay: least_match must be one number, got an array of float64",
        replay,
        trace,
        "random",
        seed=1,
        least_match=np.array([0.1, 0.2]),
    )
    refuses(
        ValueError,
        "replay: destination_blocks must be from 0 to 1,000,000,000, got -1",
        replay,
        trace,
        "fresh",
        seed=1,
        destination_blocks=-1,
    )


def test_a_trace_that_says_nothing_of_sharing_hits_nothing():
    rows = tuple(Request(arrival=i, input_tokens=9) for i in range(9))
    for route in ROUTES:
        found = replay(Trace(requests=rows), route, seed=1)
        assert found.compute_saved == found.transfer_saved == 0


# ---------------------------------------------------------------- loading


@pytest.mark.parametrize(("tflops", "printed"), [(312, "5.86 GB/s"), (989, "18.6 GB/s")])
def test_the_paper_s_two_nodes(tflops, printed):
    rate = break_even_rate(Work(), 8_192, 8 * tflops * TFLOPS)
    digits = len(printed.split(" ")[0].split(".")[1])
    assert format_as(rate, "GB/s", digits) == printed
    assert round(rate / GB_s) == {312: 6, 989: 19}[tflops]  # as the paper prints them


@given(
    st.integers(1, 200), st.sampled_from([1, 4, 8]), st.integers(1, 10**6), st.floats(1e12, 1e17)
)
def test_the_break_even_rate_is_equation_2(layers, shared, tokens, rate):
    work = Work(layers=layers, queries_per_kv_head=shared)
    d, s, a, b = 8_192, 2, 4, 22
    equation = 2 * d * s / (shared * (a * tokens * d + b * d * d))
    found = break_even_rate(work, tokens, rate)
    assert found / rate == pytest.approx(equation)
    assert load_seconds(work, tokens, max(found, 1_000)) == pytest.approx(
        recompute_seconds(work, tokens, rate) * min(1, found / 1_000)
    )


def test_its_cache_is_the_payload_of_the_model():
    assert Work().cache_bytes(8_192) == payload_bytes(load("llama-3.1-70b"), 8_192)


def test_bad_work_is_refused():
    refuses(
        TypeError,
        "load_seconds: work must be a Work, as Work(), got 1 (int)",
        load_seconds,
        1,
        1,
        1e9,
    )
    refuses(ValueError, "Work: width must be from 1 to 1,000,000, got 0", Work, width=0)
    refuses(ValueError, "Work: matrices must be more than 0, got 0", Work, matrices=0)
    refuses(
        ValueError,
        "break_even_rate: prefix_tokens must be from 1 to 1,000,000,000, got 0",
        break_even_rate,
        Work(),
        0,
        1e15,
    )


@pytest.mark.parametrize(
    ("call", "rate"),
    [
        (load_seconds, "rate"),
        (recompute_seconds, "operation_rate"),
        (break_even_rate, "operation_rate"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_arrays_that_do_not_fit_are_refused(call, rate):
    rule = f"{rate} must be of a shape that broadcasts with (3,), got shape (2,)"
    rates = np.array([1e12, 2e12])
    refuses(ValueError, f"{call.__name__}: {rule}", call, Work(), np.arange(1, 4), rates)
    assert call(Work(), np.arange(1, 4), 1e12).shape == (3,)


def test_blocks_of_the_public_form_have_512_tokens():
    assert BLOCK == 512 == Trace(requests=(Request(arrival=0, input_tokens=1),)).block


# ---------------------------------------------------------------- explorers


def explored(**typed):
    return run(find("3.explore"), defaults(find("3.explore")) | typed).result


def test_the_explorer_begins_with_the_text_s_example():
    found = explored()
    assert found.headline == "The source computes 192 tokens, and 1.00 GiB (1.07 GB) moves."
    assert found.sentences == (
        "With these hits the hand-off takes longer than the prefill.",
        "Subtracting the source hit from the bytes gives 24.00 MiB (25.17 MB): 42.7× too little.",
    )
    assert ("compute saved", "97.7 %, 1.00 s") in found.numbers
    assert ("bytes saved", "0 %, 0.00 ms") in found.numbers


SAYS = {  # what is typed: a sentence that answers it
    "held, and of no use": (
        {"destination": "8,000"},
        "The destination holds 8,000 tokens; this protocol moves them all the same.",
    ),
    "less than a page": (
        {"destination": "100", "protocol": "suffix", "page": "128"},
        "The destination holds 100 tokens, less than a page: no hit.",
    ),
    "all of it": (
        {"destination": "8,192", "protocol": "suffix"},
        "The destination holds all that it needs.",
    ),
    "more than the prompt": (
        {"destination": "10,000,000", "protocol": "suffix", "source": "0"},
        "The destination holds all that it needs.",
    ),
    "almost nothing too little": (
        {"source": "1"},
        "Subtracting the source hit from the bytes gives 1,023.88 MiB (1,073.61 MB): 1.00012× too "
        "little.",
    ),
    "little too little": (
        {"source": "100"},
        "Subtracting the source hit from the bytes gives 1,011.50 MiB (1,060.63 MB): 1.012× too "
        "little.",
    ),
    "a state": (
        {"destination": "8,000", "protocol": "suffix", "model": "qwen3.5-27b"},
        "Recurrent state of this model moves whole, whatever the hit.",
    ),
    "windows": (
        {"destination": "8,000", "protocol": "suffix", "model": "gemma-3-27b"},
        "K and V behind windows of this model move whole in this protocol, and the hit ends where "
        "they begin: 7,168 tokens count.",
    ),
    "windows behind the hit": (
        {"destination": "7,000", "protocol": "suffix", "model": "gemma-3-27b"},
        "K and V behind windows of this model move whole in this protocol.",
    ),
    "chunks": (
        {"destination": "8,000", "protocol": "suffix", "model": "llama-4-scout"},
        "K and V in chunks of this model move whole in this protocol, and the hit ends where they "
        "begin: 0 tokens count.",
    ),
}


@pytest.mark.parametrize(("typed", "sentence"), SAYS.values(), ids=SAYS)
def test_the_explorer_says_why(typed, sentence):
    assert sentence in explored(**typed).sentences


def test_every_sentence_of_the_explorer_is_true():
    app, pick = find("3.explore"), random.Random(5)
    for _ in range(400):
        values = {
            "tokens": pick.choice((1, 100, 8_192, pick.randint(1, 200_000))),
            "source": pick.choice((0, 8_000, 200_000, pick.randint(0, 200_000))),
            "destination": pick.choice((0, 8_000, 200_000, pick.randint(0, 200_000))),
            "protocol": pick.choice(("all", "suffix", "missing")),
            "page": pick.choice(("1", "16", "256")),
            "model": pick.choice(names()),
            "prefill_rate": pick.choice((8_000, pick.randint(1, 10**6))),
            "link": pick.choice((25e9, pick.uniform(1e8, 1e12))),
        }
        found, model, page = app.answer(values), load(values["model"]), int(values["page"])
        n = values["tokens"]
        source = min(values["source"], n - 1) // page * page
        held = min(values["destination"], n)
        there = held // page * page if values["protocol"] != "all" else 0
        widest = max((getattr(g, "kept_tokens", None) or 0 for g in model.groups), default=0)
        cut = max(n - widest, 0) // page * page
        hit = min(there, cut) if widest and values["protocol"] == "suffix" else there
        moved = sum(marked_fast(group, n, hit, model) for group in model.groups)
        assert found.headline.startswith(f"The source computes {n - source:,} token")
        times = (n - source) / values["prefill_rate"], moved / values["link"]
        longer = found.sentences[0] == "With these hits the hand-off takes longer than the prefill."
        assert longer == (moved > 0 and times[0] < times[1])
        said = [s for s in found.sentences if s.startswith("Subtracting")]
        wrong = payload_bytes(model, n - source)
        assert bool(said) == (wrong < moved)
        if said:
            factor = float(re.search(r"([\d,.]+)× too little", said[0])[1].replace(",", ""))
            assert factor == pytest.approx(moved / wrong, abs=0.0501) and factor > 1
            assert factor - 1 == pytest.approx(moved / wrong - 1, rel=0.06, abs=0.0501)
        unused = [s for s in found.sentences if s.startswith("The destination holds ")]
        assert bool(unused) == (moved == 0 or (held > 0 and there == 0))
        stays = [s for s in found.sentences if "move whole in this protocol" in s]
        assert bool(stays) == bool(widest and there and values["protocol"] == "suffix")
        assert any("the hit ends" in s for s in stays) == (hit < there)
        assert not stays or f": {hit:,} token" in stays[0] or hit == there


def marked_fast(group, tokens, hit, model):
    """Return the bytes of a group that move behind a hit, when states move whole."""
    if isinstance(group, Recurrent):
        return payload_bytes(group, tokens)
    if getattr(group, "kept_tokens", None):
        positions = min(tokens - hit, group.kept_tokens)
        return positions * group.elements_per_token * model.element_bytes
    spared = payload_bytes(group, hit, model.element_bytes)
    return payload_bytes(group, tokens, model.element_bytes) - spared


@pytest.mark.parametrize("kind", ["handbook", "chat", "agents"])
@pytest.mark.parametrize("places", ["1", "4", "16"])
@pytest.mark.parametrize("room", ["0", "100,000", "10,000,000"])
def test_the_routes_explorer_names_the_best_and_saves_one_compute(kind, places, room):
    app = find("3.replay")
    typed = {"kind": kind, "destinations": places, "destination": room}
    found = run(app, defaults(app) | typed).result
    label = re.search(r'aria-label="([^"]*)"', found.picture)[1]
    saved = {r: re.search(rf"bytes, {r} ([\d.]+) %", label)[1] for r in ROUTES}
    assert saved["fresh"] == "0"
    best = max(map(float, saved.values()))
    named = [route for route in ROUTES if route in found.headline]
    if best == 0:
        assert named == [] and found.headline.endswith("; none saves a byte.")
    else:
        assert named and all(float(saved[route]) == best for route in named)
    compute = re.search(r"compute, on every route ([\d.]+ %)", label)[1]
    assert found.headline.startswith(f"Every route saves {compute} of compute; ")
    assert best <= float(compute.removesuffix(" %")) + 0.05
    busy = dict(found.numbers)
    for route in ROUTES:
        part = float(busy[f"busiest destination, {route}"].removesuffix(" %"))
        assert 100 / int(places) <= part + 0.05
