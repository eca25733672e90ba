"""Layout: who holds and sends what, against what engines do, published tables and brute force.

Oracles: `data/engine_handoff.json` (specifications and connectors of vLLM and SGLang); the two
Mooncake tables, as printed; an enumeration of ranks, heads and addresses that shares no formula
with kvlib; real arrays, compared bit for bit.
"""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvlib.apps import defaults, find, run
from kvlib.bandwidth import MOONCAKE_SGLANG, MOONCAKE_VLLM
from kvlib.engines import SGLANG, TRANSFORMERS, VLLM, Engine, group_held_bytes
from kvlib.layout import (
    Answer,
    Side,
    attention_tp,
    carry_out,
    compatible,
    copies,
    deliver,
    empty_pools,
    full_pools,
    handoff,
    heads_in,
    owned_heads,
    random_cache,
    share,
    stage_layers,
)
from kvlib.models import load
from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent, payload_bytes, with_draft
from kvlib.units import GB, GiB, MiB

DATA = json.loads((Path(__file__).parent / "data" / "engine_handoff.json").read_text())
SERVED, COPIES = DATA["models"], DATA["copies"]
SIZES = (1, 2, 4, 8, 16)
EXACT = Engine(name="exact", version="", source="keeps what the model says", moves="push")
TEXT = load("llama-3.1-8b")


# ---------------------------------------------------------------- what ranks hold


def per_token(group):
    """Return which column of the oracle a group belongs to: growing, sliding or state."""
    if isinstance(group, Recurrent):
        return "state"
    return "sliding" if getattr(group, "window", None) else "growing"


@pytest.mark.parametrize("tp", SIZES)
@pytest.mark.parametrize("name", SERVED)
def test_a_rank_and_a_group_hold_what_the_engines_say(name, tp):
    expected = SERVED[name]["tp"][str(tp)]
    groups = load(name).groups
    if expected is None:  # phi-4: ten heads do not go into 4, 8 or 16
        with pytest.raises(ValueError, match="a divisor or a multiple of 10 KV heads"):
            [share(group, tp) for group in groups]
        return
    found = {"growing": 0, "sliding": 0, "vllm": 0, "sglang": 0}
    for group in groups:
        mine = share(group, tp)
        if isinstance(group, Recurrent):
            found["vllm"] += group_held_bytes(mine, 1, VLLM, 2)
            found["sglang"] += group_held_bytes(mine, 1, SGLANG, 2)
        else:
            found[per_token(group)] += group_held_bytes(mine, 1, EXACT, 2)
    growing, sliding, all_growing, all_sliding, vllm, sglang = expected
    assert (found["growing"], found["sliding"]) == (growing, sliding)
    assert (tp * found["growing"], tp * found["sliding"]) == (all_growing, all_sliding)
    assert found["vllm"] == vllm
    assert sglang is None or found["sglang"] == sglang  # SGLang does not serve jamba


@given(st.integers(1, 64), st.integers(1, 64))
def test_heads_are_shared_out_evenly_in_order_and_none_is_lost(kv_heads, tp):
    if kv_heads % tp and tp % kv_heads:
        with pytest.raises(ValueError, match=r"^owned_heads: tp must be a divisor or a multiple"):
            owned_heads(kv_heads, tp, 0)
        return
    by_hand = [h for h in range(kv_heads) for _ in range(max(1, tp // kv_heads))]
    width = max(1, kv_heads // tp)
    found = [list(owned_heads(kv_heads, tp, rank)) for rank in range(tp)]
    assert found == [by_hand[i : i + width] for i in range(0, len(by_hand), width)]
    assert copies(kv_heads, tp) == by_hand.count(0)


def test_ten_heads_on_four_ranks_are_refused_with_sizes_that_work():
    with pytest.raises(ValueError, match=r"got 4; 1, 2, 5, 10, 20 and 30 work$"):
        owned_heads(10, 4, 0)
    for tp in (1, 2, 5, 10, 20, 30):
        owned_heads(10, tp, 0)


@given(st.integers(1, 200), st.integers(1, 200))
def test_stages_share_the_layers_out_in_order(layers, stages):
    if stages > layers:
        with pytest.raises(ValueError, match="stage_layers: stages must be from 1 to"):
            stage_layers(layers, stages)
        return
    found = stage_layers(layers, stages)
    assert [i for stage in found for i in stage] == list(range(layers))
    sizes = [len(stage) for stage in found]
    assert max(sizes) - min(sizes) <= 1 and sizes[-1] == min(sizes)


@pytest.mark.parametrize(
    ("layers", "stages", "sizes"),
    [
        (32, 4, [8, 8, 8, 8]),
        (22, 4, [5, 6, 6, 5]),
        (5, 3, [2, 2, 1]),
        (7, 3, [2, 3, 2]),
        (61, 2, [31, 30]),
        (43, 10, [4, 4, 4, 4, 4, 4, 5, 5, 5, 4]),
    ],
)
def test_stages_are_those_of_vllm(layers, stages, sizes):  # examples of get_pp_indices in public
    assert [len(stage) for stage in stage_layers(layers, stages)] == sizes


# ---------------------------------------------------------------- what crosses the wire


@pytest.mark.parametrize(("heads", "prefill", "decode", "sglang", "vllm"), COPIES)
def test_the_heads_sent_are_those_of_the_connectors(heads, prefill, decode, sglang, vllm):
    layer = Geometry(layers=1, kv_heads=heads, head_dim=1)
    for engine, expected in ((SGLANG, sglang), (VLLM, vllm)):
        plan = handoff(layer, 16, prefill, decode, engine)
        assert plan.wire_bytes == expected * 16 * 4
        assert sum(len(move.heads) for move in plan.moves) == expected


def workable(kv_heads):
    return [tp for tp in range(1, 65) if kv_heads % tp == 0 or tp % kv_heads == 0]


@st.composite
def pairs(draw):
    """Return KV heads, prefill and decode ranks of which one divides the other."""
    kv_heads = draw(st.integers(1, 24))
    prefill = draw(st.sampled_from(workable(kv_heads)))
    fits = [tp for tp in workable(kv_heads) if tp % prefill == 0 or prefill % tp == 0]
    return kv_heads, prefill, draw(st.sampled_from(fits))


def owners(kv_heads, tp):
    """Return the set of heads of each rank, by laying ranks and heads over the same unit length."""
    held = []
    for rank in range(tp):
        left, right = Fraction(rank, tp), Fraction(rank + 1, tp)
        spans = [(Fraction(h, kv_heads), Fraction(h + 1, kv_heads)) for h in range(kv_heads)]
        held.append({h for h, (a, b) in enumerate(spans) if a < right and left < b})
    return held


def brute(kv_heads, prefill, decode, replicas):
    """Return every (source, destination, head) by trying all triples."""
    sources, wanted = owners(kv_heads, prefill), owners(kv_heads, decode)
    found, seen = [], set()
    for d in range(decode):
        for s in range(prefill):
            if not (s * decode < (d + 1) * prefill and d * prefill < (s + 1) * decode):
                continue  # the two lie on different parts of the unit length
            for h in sorted(sources[s] & wanted[d]):
                if replicas or (d, h) not in seen:
                    found.append((s, d, h))
                    seen.add((d, h))
    return found


@given(pairs(), st.integers(0, 300), st.sampled_from([1, 16, 64]), st.booleans())
def test_the_moves_are_those_of_brute_force_and_the_bytes_those_of_the_formula(
    pair, tokens, page, replicas
):
    kv_heads, prefill, decode = pair
    layer = Geometry(layers=3, kv_heads=kv_heads, head_dim=5, value_dim=2)
    engine = replace(SGLANG, page=page, sends_replicas=replicas)
    plan = handoff(layer, tokens, prefill, decode, engine)
    moved = [(m.source, m.destination, h) for m in plan.moves for h in m.heads]
    assert sorted(moved) == sorted(brute(kv_heads, prefill, decode, replicas))
    head = 3 * (5 + 2) * 2 * (-(-tokens // page) * page)
    most = max(kv_heads, prefill, decode) if replicas else max(kv_heads, decode)
    assert plan.wire_bytes == most * head == len(moved) * head
    assert plan.sends == tuple(head * sum(m[0] == s for m in moved) for s in range(prefill))
    assert plan.receives == tuple(head * sum(m[1] == d for m in moved) for d in range(decode))
    assert plan.prefill_held_bytes == max(kv_heads, prefill) * head
    assert plan.held_bytes == max(kv_heads, decode) * head
    assert plan.unique_bytes == payload_bytes(layer, tokens)
    assert plan.busiest_bytes == max(plan.sends + plan.receives)
    if page == 1 and replicas:
        exact = Fraction(max(kv_heads, prefill, decode), kv_heads) * plan.unique_bytes
        assert plan.wire_bytes == exact


@given(st.integers(1, 64), st.integers(1, 64), st.integers(1, 300), st.sampled_from([SGLANG, VLLM]))
def test_a_latent_goes_whole_to_every_decode_rank(prefill, decode, tokens, engine):
    model = Model(name="mla", groups=(Latent(layers=3, latent_dim=8), Indexer(layers=2)))
    if prefill % decode and decode % prefill:
        with pytest.raises(ValueError, match="decode_tp must be a divisor or a multiple of prefil"):
            handoff(model, tokens, prefill, decode, engine)
        return
    plan = handoff(model, tokens, prefill, decode, replace(engine, page=1))
    assert plan.wire_bytes == decode * payload_bytes(model, tokens)
    assert set(plan.receives) == {payload_bytes(model, tokens)}
    senders = {min(s for s in range(prefill) if s * decode < (d + 1) * prefill
                   and d * prefill < (s + 1) * decode) for d in range(decode)}  # fmt: skip
    assert {m.source for m in plan.moves} == senders


def test_attention_that_is_split_by_data_moves_fewer_copies():
    latent = load("deepseek-v3")
    alone = payload_bytes(latent, 8_192)
    assert handoff(latent, 8_192, 8, attention_tp(16)).wire_bytes == 16 * alone
    assert handoff(latent, 8_192, 8, attention_tp(8, dp=2)).wire_bytes == 4 * alone  # sglang 6793
    assert handoff(latent, 8_192, 8, attention_tp(16, dp=16)).wire_bytes == alone


@given(pairs(), st.integers(1, 6), st.booleans())
def test_pipeline_stages_change_who_sends_and_not_what(pair, stages, same):
    kv_heads, prefill, decode = pair
    layer = Geometry(layers=7, kv_heads=kv_heads, head_dim=2)
    plain = handoff(layer, 9, prefill, decode)
    staged = handoff(
        layer, 9, prefill, decode, prefill_stages=stages, decode_stages=stages if same else 1
    )
    assert staged.wire_bytes == plain.wire_bytes and staged.held_bytes == plain.held_bytes
    assert len(staged.sends) == stages * prefill
    assert len(staged.receives) == (stages if same else 1) * decode
    sent = [(layer, h) for m in staged.moves for layer in m.layers for h in m.heads]
    once = [(layer, h) for m in plain.moves for layer in m.layers for h in m.heads]
    assert sorted(sent) == sorted(once)


def test_recurrent_state_goes_rank_to_rank():
    model = load("falcon-h1-34b")
    plan = handoff(model, 8_192, 4, 4, VLLM)
    state = SERVED["falcon-h1-34b"]["tp"]["4"][4]
    growing = payload_bytes(model.groups[0], 8_192)
    assert plan.receives == (growing // 4 + state,) * 4
    assert plan.wire_bytes == growing + 4 * state > plan.unique_bytes  # B and C are repeated


def test_a_draft_model_travels_by_its_own_rule():
    # sglang pull request 20698: an MLA target with a K/V draft
    draft = Geometry(layers=1, kv_heads=8, head_dim=128)
    both = handoff(with_draft(load("deepseek-v3"), draft), 100, 4, 16)
    target = payload_bytes(load("deepseek-v3"), 100)
    assert both.wire_bytes == 16 * target + 2 * payload_bytes(draft, 100)


# ---------------------------------------------------------------- descriptors


def addresses(heads, page, layout, table, tokens, wanted):
    """Return where the vectors of `wanted` heads lie in memory, token by token."""
    found = {}
    for t in range(tokens):
        base = table[t // page] * page * heads
        for slot, head in enumerate(wanted):
            place = (t % page) * heads + slot if layout == "NHD" else slot * page + t % page
            found[t, head] = base + place
    return found


@given(
    st.integers(1, 4), st.integers(2, 4), st.integers(1, 5), st.sampled_from(["NHD", "HND"]),
    st.integers(1, 6), st.integers(1, 4),
)  # fmt: skip
def test_slices_fall_into_the_pieces_that_lie_together_at_both_ends(
    each, fan, page, layout, pages, layers
):
    """A decode rank takes `each` of the heads of a prefill rank that has `fan` times as many."""
    tokens, engine = pages * page, replace(SGLANG, page=page, layout=layout)
    model = Geometry(layers=layers, kv_heads=each * fan, head_dim=1)
    table = list(range(pages))
    wanted = range(each)
    ours = addresses(each * fan, page, layout, table, tokens, range(each * fan))
    theirs = addresses(each, page, layout, table, tokens, wanted)
    pieces, last = 0, None
    order = [(t, h) for t in range(tokens) for h in wanted]
    for vector in sorted(order, key=lambda v: theirs[v]):
        here = ours[vector], theirs[vector]
        pieces += last is None or here != (last[0] + 1, last[1] + 1)
        last = here
    plan = handoff(model, tokens, 1, fan, engine)
    # one token a page lies alike in both layouts; a page that ends a slice may touch the next
    expected = {"NHD": tokens, "HND": pages}[layout]
    assert pieces == expected
    assert plan.received_descriptors == (2 * layers * expected,) * fan


@given(st.integers(1, 40), st.integers(1, 50), st.integers(1, 64), st.sampled_from([None, 1, 3]))
def test_whole_pages_travel_in_the_runs_that_both_ends_share(pages, layers, page, runs):
    engine = replace(SGLANG, page=page)
    found = handoff(Geometry(layers=layers, kv_heads=4, head_dim=1), pages * page, 4, 4, engine,
                    runs=runs)  # fmt: skip
    each = pages if runs is None else min(runs, pages)
    assert found.received_descriptors == (2 * layers * each,) * 4
    latent = handoff(Latent(layers=layers, latent_dim=1), pages * page, 1, 4, engine, runs=runs)
    assert latent.received_descriptors == (layers * each,) * 4
    single = replace(engine, merges_pages=False)
    lone = handoff(Latent(layers=layers, latent_dim=1), pages * page, 1, 1, single, runs=runs)
    assert lone.descriptors == layers * pages


def test_the_source_model_from_one_rank_to_two_takes_half_a_million_descriptors_each():
    plan = handoff(TEXT, 8_192, 1, 2)
    assert plan.received_descriptors == (524_288, 524_288)
    assert plan.sent_descriptors == (1_048_576,)
    assert plan.receives == (2**29, 2**29) and plan.wire_bytes == 2**30
    assert plan.receives[0] // plan.received_descriptors[0] == 1_024
    staged = handoff(TEXT, 8_192, 1, 2, staged_tokens=8_192)
    assert staged.received_descriptors == (1, 1) and staged.wire_bytes == plan.wire_bytes
    assert handoff(TEXT, 8_192, 1, 2, staged_tokens=2_048).received_descriptors == (4, 4)
    hnd = handoff(TEXT, 8_192, 1, 2, VLLM)
    assert hnd.received_descriptors == (32_768, 32_768)  # per block of 16, 16 KiB each


def test_a_block_of_vllm_at_tp_8_is_the_descriptor_of_its_documents():
    # one of 8 KV heads, 128 elements, bf16, block 16: 4 KiB of K or V; block 64: 16 KiB
    for page, size in ((16, 4_096), (64, 16_384)):
        plan = handoff(TEXT, 8_192, 8, 8, replace(VLLM, page=page))
        assert plan.receives[0] == size * plan.received_descriptors[0]


def test_a_plan_has_a_move_for_each_pair_and_no_more_for_more_tokens():
    assert len(handoff(TEXT, 32_768, 16, 8).moves) == 16
    assert len(handoff(TEXT, 1_000_000_000, 1_024, 1_024).moves) == 1_024


# ---------------------------------------------------------------- published tables

PRINTED_VLLM = ("20 MB", "38 MB", "74 MB", "146 MB", "290 MB", "578 MB", "1.13 GB", "2.25 GB",
                "4.50 GB")  # fmt: skip
PRINTED_SGLANG = ("49 MB", "99 MB", "197 MB", "394 MB", "789 MB", "1.58 GB", "3.15 GB", "6.31 GB",
                  "12.62 GB")  # fmt: skip
RATES_SGLANG = (23.79, 38.27, 66.18, 99.47, 122.66, 144.05, 155.26, 161.19, 164.33)


@pytest.mark.parametrize(("row", "printed"), [*zip(MOONCAKE_VLLM, PRINTED_VLLM, strict=True)])
def test_every_size_of_the_vllm_table_in_binary_units(row, printed):
    # as if one token more were cached: one block of 16 more
    plan = handoff(load("qwen3-8b"), row.tokens + 1, 8, 8, VLLM)
    assert plan.wire_bytes == row.n_bytes
    unit, digits = (GiB, 2) if printed.endswith("GB") else (MiB, 0)
    assert f"{plan.wire_bytes / unit:.{digits}f}" == printed.split()[0]


@pytest.mark.parametrize(
    ("row", "printed", "rate"), [*zip(MOONCAKE_SGLANG, PRINTED_SGLANG, RATES_SGLANG, strict=True)]
)
def test_every_size_of_the_sglang_table_with_the_factor_two(row, printed, rate):
    plan = handoff(load("qwen3-235b-a22b"), row.tokens, 8, 8)
    assert plan.wire_bytes == row.n_bytes == 2 * 192_512 * row.tokens
    assert plan.copies == 2
    unit, digits = (GB, 2) if printed.endswith("GB") else (10**6, 0)
    assert f"{plan.wire_bytes / unit:.{digits}f}" == printed.split()[0]
    assert plan.wire_bytes / row.seconds / GB == pytest.approx(rate, rel=3e-3)  # times are rounded


# ---------------------------------------------------------------- on real arrays


@pytest.mark.parametrize("page", [1, 16, 64])
@pytest.mark.parametrize("decode", SIZES)
@pytest.mark.parametrize("prefill", SIZES)
def test_every_decode_rank_ends_with_exactly_its_heads_bit_for_bit(prefill, decode, page):
    tokens = 2 * page + 5  # the last page is not full
    for kv_heads, layout, engine in ((4, "NHD", SGLANG), (8, "HND", VLLM), (1, "HND", SGLANG)):
        engine = replace(engine, page=page, layout=layout)
        cache = random_cache(2, tokens, kv_heads, 4, seed=7)
        layer = Geometry(layers=2, kv_heads=kv_heads, head_dim=4)
        plan = handoff(layer, tokens, prefill, decode, engine)
        sources = full_pools(cache, prefill, page, layout, seed=8)
        targets = empty_pools(cache, decode, page, layout, seed=9)
        before = [pool.pages.copy() for pool in targets]
        assert deliver(plan.moves, sources, targets) == plan.wire_bytes
        for rank, (pool, old) in enumerate(zip(targets, before, strict=True)):
            assert heads_in(pool, cache) == list(owned_heads(kv_heads, decode, rank))
            others = np.setdiff1d(np.arange(pool.pages.shape[2]), pool.table)
            assert np.array_equal(pool.pages[:, :, others], old[:, :, others])  # nothing else


@settings(max_examples=30)
@given(pairs(), st.integers(1, 40), st.integers(1, 9), st.booleans())
def test_the_plan_holds_for_any_sizes_on_real_arrays(pair, tokens, page, replicas):
    kv_heads, prefill, decode = pair
    engine = replace(SGLANG, page=page, sends_replicas=replicas)
    cache = random_cache(1, tokens, kv_heads, 2, seed=1)
    plan = handoff(Geometry(layers=1, kv_heads=kv_heads, head_dim=2), tokens, prefill, decode,
                   engine)  # fmt: skip
    sources = full_pools(cache, prefill, page, seed=2)
    targets = empty_pools(cache, decode, page, seed=3)
    deliver(plan.moves, sources, targets)
    for rank, pool in enumerate(targets):
        mine = owned_heads(kv_heads, decode, rank)
        held = pool.view()[:, :, pool.table].reshape(2, 1, -1, len(mine), 2)[:, :, :tokens]
        assert np.array_equal(held, cache[:, :, :, mine.start : mine.stop])


def wrong_map(prefill, decode, **slots):
    """Return what decode ranks hold of two heads after a plan whose slots are set wrongly."""
    cache = random_cache(1, 5, 2, 4, seed=1)
    plan = handoff(Geometry(layers=1, kv_heads=2, head_dim=4), 5, prefill, decode)
    moves = [replace(m, **{k: rule(m) for k, rule in slots.items()}) for m in plan.moves]
    n_bytes, held = carry_out(cache, moves, prefill, decode, seed=2)
    assert n_bytes == plan.wire_bytes  # every byte arrives
    return held


def test_a_map_that_counts_0_1_0_1_loses_a_head_and_every_byte_arrives():
    # sglang issue 23746, pull requests 19086 and 30997
    assert wrong_map(4, 1) == [[0, 1]]
    assert wrong_map(4, 1, destination_slot=lambda m: m.source % 2) == [[1, 1]]
    assert wrong_map(1, 4) == [[0], [0], [1], [1]]
    assert wrong_map(1, 4, source_slot=lambda m: m.destination % 2) == [[0], [1], [0], [1]]


# ---------------------------------------------------------------- what cannot be handed off

GPT, HYBRID, PHI = load("gpt-oss-20b"), load("qwen3-next-80b-a3b"), load("phi-4")
REFUSED = {
    "page": (
        (TEXT, Side(page=16), Side(page=64), SGLANG),
        "page must be equal on both sides, got 16 and 64 tokens",
    ),
    "page of vLLM, the other way": (
        (TEXT, Side(page=32), Side(), VLLM),
        "page must be prefill's or a multiple of it on the decode side, got 16 for 32 tokens",
    ),
    "page of vLLM, no multiple": (
        (TEXT, Side(), Side(page=24), VLLM),
        "page must be prefill's or a multiple of it on the decode side, got 24 for 16 tokens",
    ),
    "page of vLLM, layers of two kinds": (
        (GPT, Side(), Side(page=64), VLLM),
        "page must be equal on both sides for layers of several kinds or with state, got 16 and 64 "
        "tokens",
    ),
    "page of vLLM, state": (
        (Recurrent(layers=1, state_elements=64, heads=16), Side(), Side(page=64), VLLM),
        "page must be equal on both sides for layers of several kinds or with state, got 16 and 64 "
        "tokens",
    ),
    "dtype": (
        (TEXT, Side(cache_dtype="bfloat16"), Side(cache_dtype="fp8_e4m3"), SGLANG),
        "cache_dtype must be equal on both sides, got 'bfloat16' and 'fp8_e4m3'; nothing converts "
        "it",
    ),
    "ratio": (
        (Geometry(layers=1, kv_heads=12, head_dim=1), Side(tp=4), Side(tp=6), SGLANG),
        "decode_tp must be a divisor or a multiple of prefill_tp, got 6 for 4",
    ),
    "heads": (
        (PHI, Side(), Side(tp=4), VLLM),
        "decode_tp must be a divisor or a multiple of 10 KV heads, got 4; 1, 2, 5, 10, 20 and 30 "
        "work",
    ),
    "state heads": (
        (Recurrent(layers=1, state_elements=64, heads=16), Side(tp=32), Side(), EXACT),
        "prefill_tp must be a divisor of 16 state heads, got 32",
    ),
    "window": (
        (GPT, Side(), Side(tp=4), SGLANG),  # llm-d issue 2433
        "decode_tp must be equal to prefill_tp, got 4 for 1; SGLang raises an error for sliding "
        "layers (seen in 0.5.16)",
    ),
    "hybrid": (
        (HYBRID, Side(tp=2), Side(), VLLM),
        "decode_tp must be equal to prefill_tp, got 1 for 2: there is recurrent state; vLLM hands "
        "it off between equal sizes only",
    ),
    "layout": (
        (TEXT, Side(tp=2), Side(), replace(VLLM, layout="NHD")),
        "layout must be HND for unequal sizes, got 'NHD'",
    ),
    "no layout": (
        (TEXT, Side(tp=2), Side(), replace(VLLM, slices=())),
        "decode_tp must be equal to prefill_tp, got 1 for 2; vLLM slices pages of no layout",
    ),
    "stages": (
        (TEXT, Side(stages=4), Side(stages=2), SGLANG),
        "decode_stages must be 1 or the 4 of prefill, got 2",
    ),
    "stages that prefill has not": (
        (TEXT, Side(), Side(stages=2), SGLANG),
        "decode_stages must be 1, got 2",
    ),
    "more stages than layers": (
        (TEXT, Side(stages=64), Side(), SGLANG),
        "stages must be at most 32 layers, got 64",
    ),
    "no hand-off": (
        (TEXT, Side(), Side(), TRANSFORMERS),
        "engine must be one that hands off, as SGLANG or VLLM, got 'transformers'",
    ),
}


@pytest.mark.parametrize(("sides", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_refused_pair_says_why(sides, reason):
    assert compatible(*sides) == Answer(possible=False, reasons=(reason,))
    model, prefill, decode, engine = sides
    if prefill.page is None and decode.page is None and prefill.cache_dtype == "auto":
        with pytest.raises(ValueError, match=f"^{re.escape('handoff: ' + reason)}$"):
            handoff(model, 1, prefill.tp, decode.tp, engine, prefill_stages=prefill.stages,
                    decode_stages=decode.stages)  # fmt: skip


UNPLANNED = {
    "hybrid": (
        (HYBRID, Side(tp=2), Side(), SGLANG),
        "decode_tp must be equal to prefill_tp, got 1 for 2: how SGLang divides state is not "
        "planned",
    ),
    "stages of several kinds": (
        (GPT, Side(stages=2), Side(), SGLANG),
        "stages must be 1 for layers of several kinds, whose order a model does not keep, got 2",
    ),
}


@pytest.mark.parametrize(("sides", "reason"), UNPLANNED.values(), ids=UNPLANNED)
def test_what_is_not_planned_is_no_refusal_of_the_engine(sides, reason):
    assert compatible(*sides) == Answer(possible=True, reasons=(), unplanned=(reason,))
    model, prefill, decode, engine = sides
    with pytest.raises(ValueError, match=f"^{re.escape('handoff: ' + reason)}$"):
        handoff(model, 1, prefill.tp, decode.tp, engine, prefill_stages=prefill.stages)


@pytest.mark.parametrize("engine", [SGLANG, VLLM, replace(SGLANG, equal_tp_only=()),
                                    replace(VLLM, equal_tp_only=())])  # fmt: skip
@pytest.mark.parametrize("name", ["qwen3.5-27b", "falcon-h1-34b", "kimi-k3"])
@pytest.mark.parametrize(("prefill", "decode"), [(1, 2), (2, 1), (2, 4), (4, 1)])
def test_no_convention_loses_state_between_unequal_sizes(engine, name, prefill, decode):
    with pytest.raises(ValueError, match=rf"^handoff: decode_tp must be equal.*got {decode}"):
        handoff(load(name), 8_192, prefill, decode, engine)
    equal = handoff(load(name), 8_192, prefill, prefill, engine)
    assert equal.wire_bytes == equal.held_bytes >= equal.unique_bytes


@pytest.mark.parametrize(
    ("model", "way", "headline"),
    [
        ("qwen3.5-27b", "sglang", "SGLang may do this hand-off; it is not planned here."),
        ("qwen3.5-27b", "vllm", "These two sides cannot hand off."),
        ("gpt-oss-20b", "sglang", "These two sides cannot hand off."),
    ],
)
def test_the_explorer_tells_a_refusal_from_what_is_not_planned(model, way, headline):
    app = find("4.explore")
    typed = {"model": model, "way": way, "prefill": "1", "decode": "4"}
    result = run(app, defaults(app) | typed).result
    assert result.headline == headline
    assert all(
        "decode_tp" not in said and said.startswith("Decode TP") for said in result.sentences
    )


def test_every_reason_is_given_the_most_basic_first():
    found = compatible(PHI, Side(tp=4, page=1), Side(tp=3, page=16), SGLANG)
    assert [reason.split()[0] for reason in found.reasons] == [
        "page", "prefill_tp", "decode_tp", "decode_tp",
    ]  # fmt: skip


def test_what_is_alike_can_hand_off():
    for model in (TEXT, GPT, HYBRID, load("deepseek-v3.2")):
        for engine in (SGLANG, VLLM):
            assert compatible(model, Side(tp=8), Side(tp=8), engine).possible
    assert compatible(GPT, Side(), Side(tp=4), VLLM).possible
    assert compatible(load("kimi-k2"), Side(tp=4), Side(tp=1), SGLANG).possible


@pytest.mark.parametrize("name", ["llama-3.1-8b", "deepseek-v3", "deepseek-v3.2"])
def test_vllm_maps_several_pages_of_prefill_to_one_of_decode(name):
    # the connector's matrix: dense, MLA and sparse MLA models, prefill's block the smaller
    for ours, theirs in ((16, 32), (None, 64), (16, 16), (16, None)):
        sides = load(name), Side(page=ours), Side(page=theirs)
        assert compatible(*sides, VLLM) == Answer(possible=True, reasons=())
        assert compatible(*sides, SGLANG).possible == (ours == theirs)
    one = Geometry(layers=1, kv_heads=8, head_dim=128)
    assert compatible(with_draft(load(name), one), Side(), Side(page=64), VLLM).possible == (
        name == "llama-3.1-8b"
    )


@pytest.mark.parametrize("integer", [np.int8, np.int32, np.uint8])
def test_numpy_sizes_are_as_exact_as_ints(integer):
    assert owned_heads(integer(64), integer(4), integer(3)) == range(48, 64)
    assert copies(integer(1), integer(100)) == 100
    assert attention_tp(integer(16), integer(8)) == 2
    assert stage_layers(integer(61), integer(4)) == stage_layers(61, 4)
    assert share(TEXT.groups[0], integer(4)) == share(TEXT.groups[0], 4)
    side = Side(tp=integer(8), stages=integer(1), page=integer(16))
    assert type(side.tp) is type(side.stages) is type(side.page) is int
    engine, one, two = replace(SGLANG, page=integer(64)), integer(1), integer(2)
    plan = handoff(
        TEXT, 32_768, one, two, engine, element_bytes=two, runs=one, staged_tokens=integer(64)
    )
    assert plan.wire_bytes == 4_294_967_296 and plan.descriptors == 2 * 512
    sizes = [integer(n) for n in (1, 2, 4, 5)]
    assert np.array_equal(random_cache(*sizes, seed=integer(1)), random_cache(1, 2, 4, 5, seed=1))
    moves = handoff(Geometry(layers=1, kv_heads=2, head_dim=4), 300, 1, 2).moves
    cache = random_cache(1, 300, 2, 4, seed=1)
    done = carry_out(cache, moves, integer(1), integer(2), integer(64), seed=integer(9))
    assert done == carry_out(cache, moves, 1, 2, 64, seed=9)


@pytest.mark.parametrize("chunk", [1, 1_000, 8_192, 20_000])
@pytest.mark.parametrize("name", ["llama-4-scout", "llama-3.1-8b"])
@pytest.mark.parametrize(("prefill", "decode"), [(1, 2), (4, 2)])
def test_a_staged_piece_holds_all_layers_of_a_chunk(name, chunk, prefill, decode):
    # one per writer and chunk, whatever the kinds of layers
    plan = handoff(load(name), 8_192, prefill, decode, staged_tokens=chunk)
    writers = {(move.source, move.destination) for move in plan.moves}
    assert plan.descriptors == len(writers) * -(-8_192 // chunk)
    assert sum(plan.sent_descriptors) == sum(plan.received_descriptors) == plan.descriptors


def test_a_draft_is_staged_in_the_pieces_of_its_target():
    both = with_draft(TEXT, Geometry(layers=1, kv_heads=8, head_dim=128))
    assert handoff(both, 8_192, 1, 2, staged_tokens=8_192).descriptors == 2


TOY = Geometry(layers=1, kv_heads=2, head_dim=4)
CACHE, SLICES = random_cache(1, 2, 2, 4, seed=1), handoff(TOY, 2, 1, 2).moves
BAD = [
    (
        lambda: handoff(TEXT, -1),
        ValueError,
        "handoff: tokens must be from 0 to 1,000,000,000, got -1",
    ),
    (
        lambda: handoff(TEXT, np.array([1])),
        TypeError,
        "handoff: tokens must be one whole number, got an array of int64",
    ),
    (
        lambda: handoff("toy", 1),
        TypeError,
        "handoff: model must be a Model or a group of layers, got 'toy' (str); "
        "write load('llama-3.1-8b') or a Geometry",
    ),
    (
        lambda: handoff(TEXT, 1, 2.0),
        TypeError,
        "handoff: prefill_tp must be a whole number, got 2.0 (float)",
    ),
    (
        lambda: handoff(TEXT, 1, decode_tp=2_048),
        ValueError,
        "handoff: decode_tp must be from 1 to 1,024, got 2048",
    ),
    (
        lambda: Side(tp=True),
        TypeError,
        "Side: tp must be a whole number, got True (bool)",
    ),
    (
        lambda: handoff(TEXT, 1, engine="sglang"),
        TypeError,
        "handoff: engine must be an Engine, as SGLANG, got 'sglang' (str)",
    ),
    (
        lambda: handoff(TEXT, 1, runs=0),
        ValueError,
        "handoff: runs must be at least 1, got 0",
    ),
    (
        lambda: handoff(load("deepseek-v3"), 1, 1, 2, staged_tokens=8_192),
        ValueError,
        "handoff: staged_tokens must be left out for MLA: a latent travels whole, nothing is "
        "sliced",
    ),
    (
        lambda: handoff(TEXT, 1, 1, 2, VLLM, staged_tokens=8_192),
        ValueError,
        "handoff: staged_tokens must be left out for vLLM, which has no staging buffer",
    ),
    (
        lambda: owned_heads(8, 4, 4),
        ValueError,
        "owned_heads: rank must be from 0 to 3, got 4",
    ),
    (
        lambda: attention_tp(16, dp=3),
        ValueError,
        "attention_tp: dp must be a divisor of tp=16, got 3",
    ),
    (
        lambda: compatible(TEXT, Side(), 2),
        TypeError,
        "compatible: decode must be a Side, as Side(tp=2), got 2 (int)",
    ),
    (
        lambda: share("layers", 2),
        TypeError,
        "share: group must be a group of layers, got 'layers' (str)",
    ),
    (
        lambda: handoff(TEXT, 1, np.array([1, 2])),
        TypeError,
        "handoff: prefill_tp must be one whole number, got an array of int64",
    ),
    (
        lambda: handoff(TEXT, 1, element_bytes=np.array([1, 2])),
        TypeError,
        "handoff: element_bytes must be one whole number, got an array of int64",
    ),
    (
        lambda: handoff(TEXT, 1, decode_stages=np.array([1])),
        TypeError,
        "handoff: decode_stages must be one whole number, got an array of int64",
    ),
    (
        lambda: handoff(TEXT, 1, runs=np.array([1])),
        TypeError,
        "handoff: runs must be one whole number, got an array of int64",
    ),
    (
        lambda: handoff(TEXT, 1, 1, 2, staged_tokens=np.array([1])),
        TypeError,
        "handoff: staged_tokens must be one whole number, got an array of int64",
    ),
    (
        lambda: Side(page=np.array([16])),
        TypeError,
        "Side: page must be one whole number, got an array of int64",
    ),
    (
        lambda: owned_heads(np.array([8]), 2, 0),
        TypeError,
        "owned_heads: kv_heads must be one whole number, got an array of int64",
    ),
    (
        lambda: owned_heads(8, 2, np.array([0])),
        TypeError,
        "owned_heads: rank must be one whole number, got an array of int64",
    ),
    (
        lambda: copies(8, np.array([2])),
        TypeError,
        "copies: tp must be one whole number, got an array of int64",
    ),
    (
        lambda: share(load("deepseek-v3").groups[0], np.array([2])),
        TypeError,
        "share: tp must be one whole number, got an array of int64",
    ),
    (
        lambda: attention_tp(np.array([2])),
        TypeError,
        "attention_tp: tp must be one whole number, got an array of int64",
    ),
    (
        lambda: stage_layers(np.array([2])),
        TypeError,
        "stage_layers: layers must be one whole number, got an array of int64",
    ),
    (
        lambda: owned_heads(1_000_003, 7, 0),
        ValueError,
        "owned_heads: tp must be a divisor or a multiple of 1,000,003 KV heads, got 7; only 1 "
        "works",
    ),
    (
        lambda: random_cache(1, 1, 1, np.array([1]), seed=1),
        TypeError,
        "random_cache: head_dim must be one whole number, got an array of int64",
    ),
    (
        lambda: random_cache(1, 1, 1, 1, seed=-1),
        ValueError,
        "random_cache: seed must be at least 0, got -1",
    ),
    (
        lambda: random_cache(1, 1, 1, 1, seed=None),
        TypeError,
        "random_cache: seed must be a whole number, got None (NoneType)",
    ),
    (
        lambda: empty_pools(CACHE, 1, 1, seed=None),
        TypeError,
        "pools: seed must be a whole number, got None (NoneType)",
    ),
    (
        lambda: full_pools(CACHE, 0, 1, seed=1),
        ValueError,
        "pools: tp must be from 1 to 1,024, got 0",
    ),
    (
        lambda: empty_pools(CACHE, 1, 10**12, seed=1),
        ValueError,
        "pools: number of elements must be from 0 to 400,000,000, got 32000000000000",
    ),
    (
        lambda: carry_out(CACHE, SLICES, 0, 2, seed=1),
        ValueError,
        "carry_out: prefill_tp must be from 1 to 1,024, got 0",
    ),
    (
        lambda: carry_out(CACHE, SLICES, 1, np.array([2]), seed=1),
        TypeError,
        "carry_out: decode_tp must be one whole number, got an array of int64",
    ),
    (
        lambda: carry_out(CACHE, SLICES, 1, 1, seed=1),
        ValueError,
        "deliver: destination must be from 0 to 0, got 1",
    ),
    (
        lambda: carry_out(CACHE, SLICES, 2, 2, seed=1),
        ValueError,
        "deliver: source_slot must be from 0 to 0, got 1",
    ),
    (
        lambda: carry_out(CACHE, handoff(TOY, 2, 1, 1).moves, 2, 2, seed=1),
        ValueError,
        "deliver: moves must be within 1 layers and 1 heads of source rank 0, got layers to 1 and "
        "heads to 2",
    ),
    (
        lambda: carry_out(CACHE, handoff(replace(TOY, layers=3), 2, 1, 1).moves, 1, 1, seed=1),
        ValueError,
        "deliver: moves must be within 1 layers and 2 heads of source rank 0, got layers to 3 and "
        "heads to 2",
    ),
    (
        lambda: carry_out(CACHE, handoff(Latent(layers=1, latent_dim=4), 2).moves, 1, 1, seed=1),
        ValueError,
        "deliver: moves must be of K and V heads, got one of a whole state",
    ),
    (
        lambda: carry_out(CACHE, [1], 1, 1, seed=1),
        TypeError,
        "deliver: moves must be moves, as those of a plan, got 1 (int)",
    ),
    (
        lambda: carry_out(CACHE, None, 1, 1, seed=1),
        TypeError,
        "deliver: moves must be moves, as those of a plan, got None (NoneType)",
    ),
    (
        lambda: carry_out([1], SLICES, 1, 2, seed=1),
        TypeError,
        "pools: cache must be K and V of 16 bits, as random_cache returns them, got [1] (list)",
    ),
    (
        lambda: heads_in(empty_pools(CACHE, 1, 1, seed=1)[0], CACHE[0]),
        ValueError,
        "heads_in: cache must be K and V of 16 bits, as random_cache returns them, got uint16 of "
        "shape (1, 2, 2, 4)",
    ),
    (
        lambda: full_pools(CACHE / 2, 1, 1, seed=1),
        ValueError,
        "pools: cache must be K and V of 16 bits, as random_cache returns them, got float64 of "
        "shape (2, 1, 2, 2, 4)",
    ),
    (
        lambda: deliver(
            handoff(TOY, 2).moves,
            full_pools(CACHE, 1, 1, seed=1),
            empty_pools(CACHE, 1, 2, seed=1),
        ),
        ValueError,
        "deliver: sources and destinations must have pages of the same size",
    ),
    (
        lambda: random_cache(10**4, 10**4, 8, 128, seed=1),
        ValueError,
        "random_cache: number of elements must be from 0 to 100,000,000, got 204800000000",
    ),
    (
        lambda: empty_pools(random_cache(1, 1, 1, 1, seed=1), 1, 1, "DHN", seed=1),
        ValueError,
        "pools: layout must be a known name, got 'DHN'; did you mean 'HND'?",
    ),
]


@pytest.mark.parametrize("call, error, message", BAD)
def test_bad_input_is_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
