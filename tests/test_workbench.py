"""Workbench. Oracles: bytes counted page by page and head by head, pieces sent one after the other,
stages in plain arithmetic, the packages that it composes, and published tables.
"""

import json
from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvlib.budget import Service, best_split, capacity, splits
from kvlib.engines import SGLANG, TRANSFORMERS, VLLM, held_bytes
from kvlib.hits import MOVES_ALL, MOVES_MISSING, MOVES_SUFFIX, hand_off
from kvlib.layout import handoff
from kvlib.models import load, names
from kvlib.overlap import layerwise, timeline
from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent
from kvlib.quantization import FORMATS, stored_bytes
from kvlib.units import GB, GB_s, Gbit_s, ms
from kvlib.workbench import (
    COUNTERS,
    MEASUREMENTS,
    Setup,
    as_json,
    as_markdown,
    as_text,
    conclusions,
    next_measurement,
    not_counted,
    report,
    sizes,
)

EXAMPLE = Geometry(layers=32, kv_heads=8, head_dim=128)
QWEN_235B = Geometry(layers=94, kv_heads=4, head_dim=128)

# ---------------------------------------------------------------- the running example


def test_the_example_is_the_chapters_numbers_to_the_last_digit():
    found, bounds = report(Setup()), capacity(Service())
    assert found.capacity == bounds and found.first == ("prefill",)
    kinds = ("payload_bytes", "stored_bytes", "moved_bytes", "wire_bytes", "held_bytes")
    assert {getattr(found.sizes, kind) for kind in kinds} == {2**30}
    times = {found.bound_seconds, found.attainable_seconds, found.exposed_seconds}
    assert times == {2**30 / 25e9}
    assert found.prefill_seconds == 1.024
    assert list(found.splits) == splits(Service()) and found.best_splits == (best_split(Service()),)
    assert found.no_help == ("network", "decode")
    assert found.together.limit == dict(found.alone)["prefill"].limit == 2 * bounds.limit
    assert str(found).splitlines()[:4] == [
        "Prefill gives way first, at 2.93 requests/s.",
        "Doubling the network or decode does not raise the rate. Doubling prefill gives "
        "5.86 requests/s; prefill is still first.",
        "At 2.00 requests/s nothing is ruled out: prefill is 68.3 % busy. A burst can still make "
        "requests wait.",
        "The best split, prefill to decode, is 5:3: 4.69 requests/s.",
    ]


def test_the_five_lines_of_the_package_run():
    found = report(Setup(model=load("deepseek-v3"), link_rate=100 * Gbit_s))
    assert str(found) == as_text(found)
    assert found.sizes.wire_bytes == 70_272 * 8_192
    assert found.capacity.network == 12.5e9 / (70_272 * 8_192)
    assert capacity(found.service) == found.capacity


# ---------------------------------------------------------------- bytes, counted one by one

BYTES = {  # bytes of a row of n elements: written by hand, not by kvlib
    None: lambda n: 2 * n,
    "fp8_e4m3": lambda n: n,
    "fp8_e4m3_row": lambda n: ceil((n + 4) / 4) * 4,
    "nvfp4": lambda n: ceil(n / 16) * 8 + ceil(n / 16),
    "q8_0": lambda n: ceil(n / 32) * 34,
}


def pages_kept(tokens, page, window, engine):
    """Return the numbers of the pages that an engine keeps for `tokens`."""
    every = list(range(ceil(tokens / page)))
    if window is None:
        return every
    if engine.name == "vLLM":
        return every[-(ceil(window / page) + 1) :]
    return [i for i in every if (i + 1) * page > tokens - window]


def copies_sent(kind, heads, prefill, decode, engine):
    """Return the head (or whole-row) sends, rank by rank."""
    if kind is not Geometry:
        return decode
    holders = [{r * heads // n for r in range(n)} for n in (prefill, decode)]
    assert all(len(h) == min(heads, n) for h, n in zip(holders, (prefill, decode), strict=True))
    if decode >= prefill:
        return decode * max(1, heads // decode)
    senders = prefill if engine.name == "SGLang" else min(prefill, max(heads, decode))
    return senders * max(1, heads // prefill)


def counted(s):
    """Return unique and wire bytes of K, V, latents and indexer keys, page by page."""
    page, protocol = s.engine.page, s.protocol
    groups = s.model.groups
    row = BYTES[s.key_format.name if s.key_format else None]
    hit = s.destination_hit // page * page if protocol.destination_hits else 0
    windows = [g.window for g in groups if getattr(g, "window", None)]
    if windows and not protocol.window_hits:
        hit = min(hit, max(0, s.prompt_tokens - max(windows)) // page * page)
    unique = wire = 0
    for g in groups:
        window = getattr(g, "window", None)
        match g:
            case Geometry():
                each = row(g.head_dim) + row(g.value_dim or g.head_dim)
                heads = g.kv_heads
            case Latent():
                each, heads = row(g.latent_dim) + row(g.rope_dim), 1
            case Indexer():
                each, heads = g.key_dim + 4 * ceil(g.key_dim / 128), 1
        first = max(hit, s.prompt_tokens - window if window else 0)
        unique += g.layers * heads * each * len(range(first, s.prompt_tokens))
        moving = [i for i in pages_kept(s.prompt_tokens, page, window, s.engine) if i * page >= hit]
        sent = copies_sent(type(g), heads, s.prefill_tp, s.decode_tp, s.engine)
        wire += g.layers * each * sent * page * len(moving)
    return unique, wire


@st.composite
def setups(draw, windows=True):
    """Draw a set-up whose pages can be counted one by one."""
    engine = replace(draw(st.sampled_from([SGLANG, VLLM])), page=draw(st.sampled_from([1, 4, 16])))
    sizes_ = [(1, 1), (2, 2), (8, 8), (1, 4), (2, 8), (4, 1), (8, 2), (16, 4), (4, 16)]
    prefill_tp, decode_tp = draw(st.sampled_from(sizes_))
    equal = prefill_tp == decode_tp
    heads, tokens = draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(1, 200))
    width = draw(st.sampled_from([16, 64, 80, 128]))
    one = Geometry(layers=draw(st.integers(1, 3)), kv_heads=heads, head_dim=width)
    choices = [(one,), (Latent(layers=2, latent_dim=48, rope_dim=16), Indexer(layers=2))]
    if windows and (equal or engine.name == "vLLM"):
        sliding = replace(one, window=draw(st.integers(1, 64)), value_dim=32)
        choices += [(one, sliding), (sliding, replace(one, window=5))]
    pool = draw(st.sampled_from([1, 3, 6]))
    return Setup(
        model=Model(name="drawn", groups=draw(st.sampled_from(choices))),
        prompt_tokens=tokens,
        output_tokens=draw(st.integers(1, 100)),
        key_format=draw(st.sampled_from([None, *(FORMATS[n] for n in BYTES if n)])),
        source_hit=draw(st.integers(0, tokens)),
        destination_hit=draw(st.integers(0, tokens - 1)),
        protocol=draw(st.sampled_from([MOVES_ALL, MOVES_SUFFIX, MOVES_MISSING])),
        prefill_tp=prefill_tp,
        decode_tp=decode_tp,
        engine=engine,
        link_rate=draw(st.sampled_from([1e5, 1e8, 3e9])),
        share=draw(st.sampled_from([1.0, 0.25])),
        efficiency=draw(st.sampled_from([1.0, 0.8])),
        pieces=draw(st.sampled_from([1, 2, 7, 40])),
        piece_seconds=draw(st.sampled_from([0.0, 1e-4, 0.5])),
        overlap=draw(st.booleans()),
        workers=pool + draw(st.integers(1, 4)),
        prefill_workers=pool,
        prefill_rate=draw(st.sampled_from([3.0, 8_000.0])),
        decode_rate=draw(st.sampled_from([7.0, 800.0])),
        arrival_rate=draw(st.floats(0, 50)),
    )


QUICK = settings(max_examples=80, deadline=None, derandomize=True)


@given(s=setups())
@QUICK
def test_bytes_are_those_of_a_count_page_by_page_and_head_by_head(s):
    found = sizes(s)
    assert (found.moved_bytes, found.wire_bytes) == counted(s)
    assert found.moved_bytes <= found.stored_bytes <= found.held_bytes
    assert found.moved_bytes <= found.wire_bytes


@given(s=setups(), batch=st.integers(1, 9))
@QUICK
def test_a_report_is_plain_arithmetic(s, batch):
    s = replace(s, decode_memory=10**9, batch=batch)
    found = report(s)
    page, wire = s.engine.page, found.sizes.wire_bytes
    spared = len(range(page, min(s.source_hit, s.prompt_tokens - 1) + 1, page)) * page
    computed = s.prompt_tokens - spared
    rate = Fraction(s.link_rate) * Fraction(s.share) * Fraction(s.efficiency)
    # every piece after the one before, and after its own compute
    each = Fraction(computed) / Fraction(s.prefill_rate) / s.pieces
    clock = Fraction(0) if s.overlap else each * s.pieces
    late = found.sizes.late_bytes
    for i in range(1, s.pieces + 1):
        size = Fraction(wire - late, s.pieces) + (late if i == s.pieces else 0)
        begins = max(clock, each * i)
        begun = begins if i == 1 else begun  # noqa: F821
        clock = begins + Fraction(s.piece_seconds) + size / rate
    total = each * s.pieces
    near = pytest.approx
    assert found.exposed_seconds == near(float(clock - total), rel=1e-9, abs=1e-9)
    assert found.bound_seconds == near(float(wire / (rate / Fraction(s.efficiency))))
    reserved = min(begun, total) if s.overlap else total
    hold = float(clock - reserved) + batch * s.output_tokens / s.decode_rate
    assert found.hold_seconds == near(hold)
    decoders = s.workers - s.prefill_workers
    stages = {
        "prefill": s.prefill_workers / float(total),
        "network": float(rate) / wire,
        "decode": decoders * s.decode_rate / s.output_tokens,
        "memory": decoders * (10**9 // found.sizes.slot_bytes) / hold,
    }
    assert dict(found.capacity.given()) == near(stages)
    limit = min(stages.values())
    assert all(stages[name] == near(limit) for name in found.first)
    through, growth = s.arrival_rate, {}
    for name in ("prefill", "memory", "network", "decode"):
        growth[name] = max(0, through - stages[name])
        through = min(through, stages[name])
    assert dict(found.growth.given()) == near(growth, abs=1e-9)
    assert found.backlog_requests == near(600 * max(0, s.arrival_rate - limit), abs=1e-5)


def state_model(**more):
    state = Recurrent(layers=3, state_elements=512, conv_channels=64, conv_width=4, heads=8, **more)
    return Model(name="hybrid", groups=(Geometry(layers=1, kv_heads=2, head_dim=16), state))


def test_recurrent_state_moves_whole_in_the_width_that_the_engine_keeps():
    model = state_model()
    state = 3 * (512 * 4 + 64 * 3 * 2)  # float32 and bfloat16 in SGLang; columns K - 1
    growing = 2 * 2 * 16 * 2
    for hit, protocol in ((0, MOVES_ALL), (60, MOVES_SUFFIX), (60, MOVES_MISSING)):
        s = Setup(model=model, prompt_tokens=100, destination_hit=hit, protocol=protocol,
                  prefill_tp=2, decode_tp=2)  # fmt: skip
        found = sizes(s)
        assert found.wire_bytes == growing * (100 - hit) + state
        assert found.moved_bytes == growing * (100 - hit) + 3 * (512 * 2 + 64 * 3 * 2)
        assert found.late_bytes == state


# ---------------------------------------------------------------- what it composes


@pytest.mark.parametrize("name", names())
def test_every_known_model_reduces_to_the_packages(name):
    model, tokens = load(name), 5_000
    for engine in (SGLANG, VLLM):
        s = Setup(model=model, prompt_tokens=tokens, engine=engine, prefill_tp=2, decode_tp=2)
        found = sizes(s)
        plan = handoff(model, tokens, 2, 2, engine)
        assert found.wire_bytes == plan.wire_bytes and found.held_bytes == plan.held_bytes
        assert found.stored_bytes == found.payload_bytes == plan.unique_bytes
        single = replace(s, prefill_tp=1, decode_tp=1)
        assert sizes(single).held_bytes == held_bytes(model, tokens, engine)
        assert sizes(replace(single, output_tokens=77)).slot_bytes == held_bytes(
            model, tokens + 77, engine
        )
        eight = FORMATS["fp8_e4m3"]
        assert sizes(replace(s, key_format=eight)).stored_bytes == stored_bytes(
            model, tokens, eight
        )
    for protocol in (MOVES_ALL, MOVES_MISSING):
        s = Setup(model=model, prompt_tokens=tokens, destination_hit=4_000, protocol=protocol)
        assert sizes(s).moved_bytes == hand_off(model, tokens, 0, 4_000, protocol).moved_bytes
        text = as_text(report(s))
        assert "nan" not in text.split() and text.isprintable() is False


def test_a_set_up_can_be_changed_field_by_field():
    s = Setup(engine=VLLM, destination_hit=100, protocol=MOVES_SUFFIX)
    assert s.convention.page == 16 and sizes(s).spared_tokens == 96
    back = replace(s, engine=SGLANG)
    assert back.convention.page == 1 and sizes(back).spared_tokens == 100
    assert hash(back) == hash(Setup(destination_hit=100, protocol=MOVES_SUFFIX))


def test_even_pieces_are_the_timeline_of_chapter_six():
    s = Setup(pieces=32, piece_seconds=0.5 * ms)
    known = timeline(layerwise(1.024, 2**30, layers=32), 25e9, 0.5 * ms)
    assert report(s).exposed_seconds == pytest.approx(known.exposed_seconds)
    late = replace(s, overlap=False)
    assert report(late).exposed_seconds == report(late).attainable_seconds
    assert report(late).attainable_seconds == 32 * 0.5 * ms + 2**30 / 25e9


# ---------------------------------------------------------------- published figures


def test_mooncakes_sglang_table_is_met_in_bytes_and_not_beaten_in_time():
    # docs/source/performance/sglang/sglang-benchmark-results-v1.md at 59a7623: MB and ms
    table = {128: (49.28, 2.07), 8_192: (3154, 20.31), 32_768: (12_616, 76.78)}
    for tokens, (megabytes, measured) in table.items():
        s = Setup(model=QWEN_235B, prompt_tokens=tokens, prefill_tp=8, decode_tp=8,
                  link_rate=4 * 400 * Gbit_s)  # fmt: skip
        found = report(s)
        assert float(f"{found.sizes.wire_bytes / 1e6:.4g}") == pytest.approx(megabytes, rel=1e-3)
        assert found.sizes.copies == 2
        assert found.bound_seconds < measured * ms
    reached = report(replace(s, efficiency=0.8215))
    assert reached.attainable_seconds == pytest.approx(76.78 * ms, rel=1e-3)


def test_mooncakes_vllm_table_is_a_page_above_the_prompt_and_not_beaten_in_time():
    # docs/source/performance/vllm/vllm-v1-pd-performance.md at 1b6bbb0: bytes of N + 16 tokens
    for tokens, n_bytes, measured in (
        (128, 21_233_664, 0.54),
        (8_192, 1_210_318_848, 8.84),
        (32_768, 4_834_197_504, 31.65),
    ):
        s = Setup(model=load("qwen3-8b"), prompt_tokens=tokens, prefill_tp=8, decode_tp=8,
                  engine=VLLM, link_rate=200 * GB_s)  # fmt: skip
        found = report(s)
        assert found.sizes.wire_bytes == n_bytes - 16 * 147_456
        assert found.bound_seconds < measured * ms


def test_published_latents_and_the_rate_of_distserve():
    # aiconfigurator issue 1380: Kimi-K2.5 with an fp8 cache, 8,150 tokens, 286.36 MB a hand-off
    kimi = Latent(layers=61, latent_dim=512, rope_dim=64)
    s = Setup(model=kimi, prompt_tokens=8_150, key_format=FORMATS["fp8_e4m3"])
    assert round(sizes(s).wire_bytes / 1e6, 2) == 286.36
    # vLLM's fp8_ds_mla rows and the indexer of DeepSeek-V3.2: 48,068 B a token
    pair = {"key_format": FORMATS["fp8_e4m3_g128"], "value_format": FORMATS["bf16"]}
    for tokens in (1, 4_096):
        s = Setup(model=load("deepseek-v3.2"), prompt_tokens=tokens, engine=replace(VLLM, page=1),
                  **pair)  # fmt: skip
        assert sizes(s).wire_bytes == 48_068 * tokens
    # DistServe, section 3.3: OPT-66B, 512 tokens, 10 requests/s need 96.6 Gb/s
    opt = Geometry(layers=64, kv_heads=72, head_dim=128)
    found = report(Setup(model=opt, prompt_tokens=512, link_rate=96.6 * Gbit_s))
    assert found.sizes.payload_bytes == 1_207_959_552
    assert found.capacity.network == pytest.approx(10, rel=1e-3)


# ---------------------------------------------------------------- laws


@given(s=setups(), factor=st.floats(1, 100))
@QUICK
def test_laws_of_a_faster_link_and_a_longer_hit(s, factor):
    found, faster = report(s), report(replace(s, link_rate=s.link_rate * factor))
    for name in ("bound_seconds", "attainable_seconds", "exposed_seconds"):
        assert getattr(faster, name) <= getattr(found, name) * (1 + 1e-9) + 1e-9
    assert faster.capacity.limit >= found.capacity.limit * (1 - 1e-12)
    assert found.bound_seconds <= found.attainable_seconds * (1 + 1e-12)
    assert found.exposed_seconds <= found.attainable_seconds * (1 + 1e-9) + 1e-9
    none = report(replace(s, destination_hit=0, source_hit=0))
    assert none.sizes.wire_bytes >= found.sizes.wire_bytes
    assert none.prefill_seconds >= found.prefill_seconds
    assert none.capacity.limit <= found.capacity.limit * (1 + 1e-12)


@given(s=setups())
@QUICK
def test_what_doubling_gives_is_what_the_doubled_set_up_gives(s):
    s = replace(s, workers=min(s.workers, 100), prefill_workers=min(s.prefill_workers, 50))
    found, limit = report(s), report(s).capacity.limit
    bigger = {
        "prefill": {"workers": s.workers + s.prefill_workers,
                    "prefill_workers": 2 * s.prefill_workers},
        "network": {"link_rate": 2 * s.link_rate},
        "decode": {"workers": s.workers + s.decode_workers},
        "memory": {"decode_memory": 2 * (s.decode_memory or 0)},
    }  # fmt: skip
    assert [name for name, _ in found.alone] == [name for name, _ in found.capacity.given()]
    for name, doubled in found.alone:
        again = report(replace(s, **bigger[name])).capacity
        for stage, bound in again.given():
            assert getattr(doubled, stage) == pytest.approx(bound, rel=1e-12)
        assert (again.limit > limit * (1 + 1e-12)) == (name not in found.no_help)
    assert found.together.limit > limit
    assert max(x.capacity.limit for x in found.splits) == found.best_splits[0].capacity.limit


@given(s=setups())
@settings(QUICK, max_examples=40)
def test_every_report_prints_and_survives_json(s):
    found = report(replace(s, target_seconds=0.3))
    data = as_json(found)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["wire_bytes"] == found.sizes.wire_bytes
    assert data["setup"]["link_rate_bytes_per_second"] == s.link_rate
    lines = as_text(found).splitlines()
    assert lines[0] == data["conclusions"][0] and as_markdown(found).startswith(f"**{lines[0]}**")
    assert data["measure_next"]["counters"]


# ---------------------------------------------------------------- sentences

TIED = {"prefill_workers": 4, "prompt_tokens": 512, "prefill_rate": 800}
SAID = {
    "two at once": (
        TIED | {"arrival_rate": 6.25},
        "Prefill and decode give way together, at 6.25 requests/s.",
        "Doubling prefill, the network or decode alone does not raise the rate. Doubling prefill "
        "and decode together gives 12.50 requests/s.",
        "At 6.25 requests/s prefill and decode have no time left: any burst leaves a queue for "
        "good.",
        "The present split, 4:4 prefill to decode, is the best.",
    ),
    "too much": (
        {"arrival_rate": 4, "link_rate": 2.5 * GB_s, "target_seconds": 1.0},
        "The network gives way first, at 2.33 requests/s.",
        "Doubling prefill or decode does not raise the rate. Doubling the network gives 2.93 "
        "requests/s; prefill is then first.",
        "At 4.00 requests/s the backlog grows by 1.67 requests/s: after ten minutes 1,003 requests "
        "wait, if none is rejected.",
        "The splits from 3:5 to 6:2 all sustain the most, 2.33 requests/s. The present one is "
        "among them.",
        "A prompt of 8,192 tokens has its first token after 1.45 s at best, 453.50 ms past the "
        "target: no load, however light, meets it.",
    ),
    "room left": (
        {"decode_memory": 20 * GB, "batch": 60, "target_seconds": 2.0},
        "Decode memory gives way first, at 2.21 requests/s.",
        "Doubling prefill does not raise the rate. Doubling decode memory gives 2.93 requests/s; "
        "prefill is then first. Doubling the network raises it by less than 0.1 %. Doubling decode "
        "and its memory gives 2.93 requests/s; prefill is then first.",
        "At 2.00 requests/s nothing is ruled out: decode memory is 90.5 % busy. A burst can still "
        "make requests wait.",
        "The present split, 3:5 prefill to decode, is the best.",
        "A prompt of 8,192 tokens has its first token after 1.07 s at best: of 2.00 s 933.05 ms "
        "are left for waiting.",
    ),
}


@pytest.mark.parametrize("case", SAID.values(), ids=SAID)
def test_a_report_says_what_its_numbers_say(case):
    fields, *said = case
    assert list(conclusions(report(Setup(**fields)))) == said


def test_a_models_name_is_no_markdown():
    name = "a|b <img src=x> [c](d) `e` *f*"
    text = as_markdown(report(Setup(model=Model(name=name, groups=(EXAMPLE,)))))
    row = next(line for line in text.splitlines() if line.startswith("| model |"))
    assert row == r"| model | a\|b \<img src=x\> \[c\](d) \`e\` \*f\* |"


# ---------------------------------------------------------------- what to measure, what is missing


def test_what_to_measure_follows_what_gives_way_first():
    def asked(**fields):
        advice = next_measurement(report(Setup(**fields)))
        then = advice.then and (advice.then.stage, advice.then.cause)
        return (advice.measurement.stage, advice.measurement.cause), then

    memory = {"decode_memory": 20 * GB, "batch": 20}
    assert asked() == (("prefill", "rate"), None)
    assert asked(source_hit=4_096) == (("prefill", "hits"), ("decode", "rate"))
    assert asked(link_rate=1 * GB_s) == (("network", "rate"), None)
    copies = {"link_rate": 1 * GB_s, "efficiency": 0.8, "model": QWEN_235B}
    assert asked(**copies, prefill_tp=8, decode_tp=8) == (("network", "bytes"), None)
    assert asked(output_tokens=2_048) == (("decode", "rate"), ("prefill", "rate"))
    assert asked(**memory, prefill_workers=5) == (("memory", "held"), ("decode", "rate"))
    assert asked(target_seconds=0.5) == (("prefill", "rate"), None)  # no load meets it
    assert asked(**(copies | {"efficiency": 1.0}), prefill_tp=8) == (("network", "bytes"), None)
    slow = asked(target_seconds=0.5, link_rate=0.1 * GB_s, arrival_rate=0.01)
    assert slow == (("latency", "exposed"), ("network", "rate"))


def test_why_a_second_measurement_is_worth_it_says_how_close_it_is():
    def why(**fields):
        return next_measurement(report(Setup(**fields))).then_because

    assert (
        why(prefill_workers=5) == "Prefill lies 4.2 % above the limit: a small error swaps the two."
    )
    assert why(source_hit=4_096) == "Decode is next, 33.3 % above the limit."
    tied = {"prefill_workers": 4, "prompt_tokens": 512, "prefill_rate": 800}
    assert why(**tied) == "Decode gives way at the same rate."
    assert why(target_seconds=9) == "A bound says nothing about waiting, and there is a target."


def test_every_question_has_counters_of_both_engines_and_a_source():
    for measurement in MEASUREMENTS:
        for engine in ("SGLang", "vLLM"):
            assert measurement.counters(engine), (measurement, engine)
    asked = {(m.stage, m.cause) for m in MEASUREMENTS}
    for counter in COUNTERS:
        assert counter.answers and set(counter.answers) <= asked
        assert " at " in counter.source and counter.source.split("/")[1]
        assert ("GiB" in counter.means) == counter.name.endswith("_gb_s")


def test_what_is_not_counted_depends_on_the_set_up():
    plain = not_counted(Setup())
    assert len(plain) == len(set(plain)) >= 10
    for fields, word in (
        ({"pieces": 8}, "compute and transfer take from each other"),
        ({"pieces": 8, "engine": VLLM}, "NIXL connector reads after prefill"),
        ({"key_format": FORMATS["fp8_e4m3"]}, "Time to convert"),
        ({"prefill_tp": 1, "decode_tp": 2}, "1,048,576"),  # 2 ranks · 8,192 tokens · 64 buffers
        ({"model": load("deepseek-v3")}, "latent"),
        ({"destination_hit": 100}, "100 tokens that decode holds"),
        ({"decode_memory": 60 * GB, "batch": 8}, "Prefixes that decode keeps"),
    ):
        assert [x for x in not_counted(Setup(**fields)) if word in x], word
        assert not [x for x in plain if word in x]


# ---------------------------------------------------------------- what is refused

CHUNKED = Geometry(layers=2, kv_heads=2, head_dim=8, chunk=64)
MIXED = Model(name="hybrid", groups=(EXAMPLE, Indexer(layers=1)))
REFUSED = {
    "a number of arrays": (
        {"link_rate": np.array([1e9])},
        "Setup: link_rate must be one number, got an array of float64 (ndarray)",
    ),
    "no model": (
        {"model": 3},
        "Setup: model must be a Model or a group of layers, got 3 (int); "
        "write load('llama-3.1-8b') or a Geometry",
    ),
    "a flag": ({"overlap": 1}, "Setup: overlap must be True or False, got 1 (int)"),
    "no tokens": (
        {"prompt_tokens": 0},
        "Setup: prompt_tokens must be from 1 to 1,000,000,000, got 0",
    ),
    "a share of nothing": (
        {"share": 0},
        "Setup: share must be more than 0, got 0; a fraction, as in 0.8",
    ),
    "an efficiency above 1": (
        {"efficiency": 80},
        "Setup: efficiency must be at most 1, got 80; a fraction, as in 0.8",
    ),
    "a link without its unit": (
        {"link_rate": 200},
        "Setup: link_rate must be at least 1,000 B/s, got 200; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "nan": ({"arrival_rate": float("nan")}, "Setup: arrival_rate must be finite, got nan"),
    "no decode": (
        {"prefill_workers": 8},
        "Setup: prefill_workers must leave at least one of workers=8 for decode, got 8; "
        "give 7 or fewer",
    ),
    "memory without a batch": (
        {"decode_memory": 10**9},
        "Setup: batch must be given, as both say how many requests memory must hold, got None",
    ),
    "a hit beyond the prompt": (
        {"source_hit": 9_000},
        "Setup: source_hit must be a part of the prompt's tokens, got 9,000 of 8,192",
    ),
    "a page of its own": (
        {"engine": VLLM, "protocol": replace(MOVES_SUFFIX, page=64)},
        "Setup: protocol must be in pages of 1 token or of vLLM's 16, got 64",
    ),
    "a format that packs several tokens": (
        {"key_format": FORMATS["kivi2_key"]},
        "Setup: key_format must be one that packs each token by itself, since pages and hits cut "
        "between tokens, got 'kivi2_key'",
    ),
    "V without K": (
        {"value_format": FORMATS["bf16"]},
        "Setup: key_format must be given with value_format, got None",
    ),
    "K and V apart": (
        {"key_format": FORMATS["q8_0"], "value_format": FORMATS["q4_0"]},
        "Setup: value_format must be that of K, q8_0: SGLang keeps both in one format, got 'q4_0'",
    ),
    "state as wide as the cache": (
        {"key_format": FORMATS["q8_0"], "model": MIXED,
         "engine": replace(SGLANG, indexer_dtype="cache")},
        "Setup: key_format must be None for an engine that keeps state in the width of the cache, "
        "got 'q8_0'",
    ),
    "chunks kept in full": (
        {"model": CHUNKED, "destination_hit": 5, "protocol": MOVES_SUFFIX},
        "Setup: destination_hit must be 0, as SGLang keeps chunked layers in full, the protocol "
        "moves a part, got 5",
    ),
    "an engine without a hand-off": (
        {"engine": TRANSFORMERS},
        "Setup: engine must be one that hands off, as SGLANG or VLLM, got 'transformers'",
    ),
    "heads that do not divide": (
        {"decode_tp": 3},
        "Setup: decode_tp must be a divisor or a multiple of 8 KV heads, got 3; "
        "1, 2, 4, 8, 16 and 24 work",
    ),
    "windows in unequal slices": (  # llm-d issue 2433: gpt-oss-120b from TP 1 to TP 4
        {"model": load("gpt-oss-120b"), "decode_tp": 4},
        "Setup: decode_tp must be equal to prefill_tp, got 4 for 1; SGLang raises an error for "
        "sliding layers (seen in 0.5.16)",
    ),
    "state in unequal slices": (
        {"model": state_model(), "decode_tp": 2},
        "Setup: decode_tp must be equal to prefill_tp, got 2 for 1: how SGLang divides state is "
        "not planned",
    ),
    "centuries of prefill": (
        {"prompt_tokens": 10**9, "prefill_rate": 1e-3},
        "Setup: prefill_rate must be so large that a prompt takes less than 80 years, got 0.001",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), REFUSED.values(), ids=REFUSED)
def test_a_set_up_is_refused_in_one_sentence(fields, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        Setup(**fields)
    assert str(caught.value) == message


NOT_COUNTED = {
    "nothing moves": (
        {"destination_hit": 8_192, "protocol": MOVES_SUFFIX},
        "Setup: destination_hit must be so small that something moves, got 8,192 of 8,192",
    ),
    "no room for one request": (
        {"decode_memory": 10**9, "batch": 1},
        "Setup: decode_memory must be at least one request's prompt and output, 1,140,850,688 B, "
        "got 1,000,000,000",
    ),
    "centuries in memory": (
        {"decode_rate": 1e-6, "batch": 100, "decode_memory": 60 * GB},
        "Setup: decode_rate must be so large that decode memory is held for less than 300 years, "
        "got 1e-06",
    ),
    "centuries on the link": (
        {"prompt_tokens": 10**9, "link_rate": 1_000},
        "Setup: link_rate must be so large that a hand-off takes less than 160 years, got 1000.0",
    ),
    "beyond counting": (
        {"model": Geometry(layers=10**7, kv_heads=10**6, head_dim=128)},
        "Setup: model must be so small that a request has at most 9,223,372,036,854,775,807 B, "
        "got 44564480000000000000",
    ),
}


@pytest.mark.parametrize(("fields", "message"), NOT_COUNTED.values(), ids=NOT_COUNTED)
def test_a_report_is_refused_in_one_sentence(fields, message):
    with pytest.raises(ValueError) as caught:
        report(Setup(**fields))
    assert str(caught.value) == message
