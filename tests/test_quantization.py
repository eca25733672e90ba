"""Quantization: bytes that were measured, bytes that are really packed, and errors under a bound.

Oracles: `data/quantized_bytes.json`, caches of transformers and cells of vLLM and SGLang; block
sizes and bits that llama.cpp's threads print; `ml_dtypes` for every bit pattern; a count of bytes
code by code.
"""

import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import BOOK, markdown

from kvlib.apps import defaults, find, run
from kvlib.models import load, names
from kvlib.payload import Geometry, Indexer, Latent, Recurrent, payload_bytes
from kvlib.quantization import (
    FLOATS,
    FORMATS,
    Format,
    bits_per_element,
    break_even_rate,
    conversion_seconds,
    converted_seconds,
    moved_bytes,
    one_engine,
    run_bytes,
    stored_bytes,
    tail_tokens,
    value_of,
)
from kvlib.quantization.decode import decode
from kvlib.quantization.encode import Packed, encode
from kvlib.quantization.error import Sample, attend, error_bound, errors, sample
from kvlib.quantization.pack import pack, unpack
from kvlib.units import GB_s, GiB, ms
from kvlib.wording import time as wording_time

DATA = json.loads((Path(__file__).parent / "data/quantized_bytes.json").read_text())
TOY = Geometry(layers=32, kv_heads=8, head_dim=128)
ROW = Latent(layers=1, latent_dim=512, rope_dim=64)
PLAIN = {2: FORMATS["bf16"], 4: Format(name="fp32", element="float32")}
WIDE = {2: "float16", 4: "float32"}

# HQQ packs ten codes of 3 bits into 32, ten groups side by side
HQQ3 = Format(
    name="hqq3", element="int3", scale="float16", zero="float16", group=64, along="layer",
    unit=(640, 256),
)  # fmt: skip


def setting(backend, bits, group, width):
    """Return the format of one measured cache of transformers."""
    if backend == "fp8":
        return FORMATS["fp8_e4m3"]
    if bits == 3:
        return HQQ3
    pair = {"scale": WIDE[width], "zero": WIDE[width]}
    return Format(name="x", element=f"int{bits}", group=group, along="layer", **pair)


# ---------------------------------------------------------------- bytes measured elsewhere


@pytest.mark.parametrize("row", DATA["transformers"], ids=str)
def test_quantized_caches_of_transformers_come_out_exactly(row):
    backend, bits, group, kept_plain, width, steps, measured, per_element = row
    form = setting(backend, bits, group, width)
    tiny = Geometry(layers=2, kv_heads=1, head_dim=256)
    tail = steps % kept_plain if kept_plain else 0  # a full tail is packed with all the rest
    packed = stored_bytes(tiny, 256 + steps - tail, form)
    plain = stored_bytes(tiny, tail, PLAIN[width])
    scales = 2 * 2 * form.tensor_bytes  # of K and of V, in two layers
    assert packed + plain + scales == measured
    elements = (256 + steps) * tiny.elements_per_token
    assert round(8 * measured / elements, 4) == per_element


def test_the_measured_rows_cover_both_backends_and_the_stated_bits():
    rows = DATA["transformers"]
    assert len(rows) == 33 and {r[0] for r in rows} == {"quanto", "hqq", "fp8"}
    found = {(r[1], r[2], r[7]) for r in rows if r[5] == 0}
    assert {(4, 64, 4.5), (4, 32, 5.0), (2, 64, 2.5), (8, 64, 8.5), (3, 64, 3.7188)} <= found
    assert bits_per_element(HQQ3) == 3.7 and bits_per_element(FORMATS["int4_g64"]) == 4.5


CELLS = {  # what an engine calls it: formats of K and V, or of the latent and the rotary key
    "bf16": ["bf16"],
    "fp8 (per-tensor scale, scale not in the page)": ["fp8_e4m3", "fp8_e5m2"],
    "int8/fp8_per_token_head (+2 fp32 scales inline)": [
        "int8_row",
        "fp8_e4m3_row",
        "fp8_e5m2_row",
        "int8_row_zero",
    ],
    "int4_per_token_head (+2 fp32 scales inline)": ["int4_row"],
    "nvfp4 (fp4 + fp8 scale per 16)": ["nvfp4"],
    "sglang mxfp8 (1 B + 1 B scale per 32)": ["mxfp8"],
}
ROWS = {
    "bf16": ("bf16", "bf16"),
    "fp8 per-tensor (raw)": ("fp8_e4m3", "fp8_e4m3"),
    "vllm/sglang fp8_ds_mla (512 fp8 + 4 fp32 scales + 64 bf16)": ("fp8_e4m3_g128", "bf16"),
    "vllm nvfp4_ds_mla": ("nvfp4", "fp8_e4m3"),
    "sglang fp4 MLA ((576*1)//2 + 576//16)": ("nvfp4", "nvfp4"),
}


@pytest.mark.parametrize("dim", [128, 64])
@pytest.mark.parametrize("cell", CELLS)
def test_cells_of_vllm_and_sglang_come_out_exactly(dim, cell):
    expected = DATA["cells"][f"head_dim {dim}: bytes per token, head, layer (K+V)"][cell]
    one = Geometry(layers=1, kv_heads=1, head_dim=dim)
    assert [stored_bytes(one, 1, FORMATS[name]) for name in CELLS[cell]] == [expected] * len(
        CELLS[cell]
    )


def test_rows_of_mla_come_out_exactly():
    cells = DATA["cells"]["MLA 512+64"]
    for cell, (latent, rope) in ROWS.items():
        assert stored_bytes(ROW, 1, FORMATS[latent], FORMATS[rope]) == cells[cell], cell
    indexer = "DSA indexer key (128 fp8 + 1 fp32)"
    assert set(cells) == {*ROWS, indexer}
    assert run_bytes(FORMATS["fp8_e4m3_g128"], 128) == cells[indexer]
    assert stored_bytes(Indexer(layers=1), 1, FORMATS["q4_0"]) == cells[indexer]


# llama.cpp: bytes of a block of 32 (ggml-common.h); bits an element of K and V together (pull
# request 7412); MiB of 2,048 tokens of Llama-3.2-1B (tetherto/qvac, pull request 1276)
BLOCKS = {"q8_0": 34, "q4_0": 18, "q4_1": 20, "q5_0": 22, "q5_1": 24}
PAIRS = {
    ("fp16", "fp16"): 16.0,
    ("fp16", "q8_0"): 12.25,
    ("q8_0", "fp16"): 12.25,
    ("q8_0", "q8_0"): 8.5,
    ("fp16", "q5_1"): 11.0,
    ("q8_0", "q5_1"): 7.25,
}
CACHES = {"fp16": 64, "q8_0": 34, "q4_0": 18}


def test_llama_cpp_prints_the_same_numbers():
    assert {name: run_bytes(FORMATS[name], 32) for name in BLOCKS} == BLOCKS
    for (key, value), bits in PAIRS.items():
        size = stored_bytes(TOY, 1, FORMATS[key], FORMATS[value])
        assert Fraction(8 * size, TOY.elements_per_token) == bits
    small = load("llama-3.2-1b")
    for name, size in CACHES.items():
        assert stored_bytes(small, 2_048, FORMATS[name]) == size * 2**20


PUBLISHED = {  # bytes an element: what the formats' own documents give
    "bf16": 2,
    "fp8_e4m3": 1,
    "int8_row_zero": 1 + 4 / 128,
    "nvfp4": 0.5625,  # SGLang: 3.56 times as many tokens as bf16
    "mxfp4": 0.53125,
    "kivi2_key": 0.375,
    "kivi2_value": 0.375,
    "kivi4_key": 0.625,
    "int4_g128": 4.25 / 8,
}


def test_bits_an_element_are_those_that_the_formats_publish():
    for name, size in PUBLISHED.items():
        assert bits_per_element(FORMATS[name]) == 8 * size
    assert round(16 / bits_per_element(FORMATS["nvfp4"]), 2) == 3.56
    assert round(8 / bits_per_element(FORMATS["nvfp4"]), 2) == 1.78


def test_the_table_of_the_chapter_says_what_the_formats_say():
    rows = re.findall(r"^\| ([a-z]\w*\d\w*(?:, \w+)?) \| (\d) \| .+? \| (.+) \| (yes|no) \|$",
                      markdown(BOOK / "5_quantization.ipynb"), flags=re.M)  # fmt: skip
    assert len(rows) == 10
    for known, code, in_all, mixed in rows:
        for name, bits in zip(known.split(", "), 2 * in_all.split(", "), strict=False):
            form = FORMATS[name if name in FORMATS else f"{name}_value"]
            assert form.element_bits == int(code) and bits_per_element(form) == float(bits)
            assert bool(form.mixes) == (mixed == "yes")


def test_states_the_numbers_of_the_chapter():
    assert stored_bytes(TOY, 8_192, FORMATS["bf16"]) == payload_bytes(TOY, 8_192) == 2**30
    assert stored_bytes(TOY, 8_192, FORMATS["fp8_e4m3"]) == payload_bytes(TOY, 8_192, 1) == 2**29
    assert stored_bytes(TOY, 8_192, FORMATS["q8_0"]) == 544 * 2**20
    assert stored_bytes(TOY, 8_192, FORMATS["fp8_e4m3_row"]) == 528 * 2**20
    assert stored_bytes(TOY, 8_192, FORMATS["nvfp4"]) == 288 * 2**20


# ---------------------------------------------------------------- bytes counted code by code

small = st.integers(1, 70)
forms = st.sampled_from([*FORMATS.values(), HQQ3, replace(FORMATS["kivi4_key"], tail=48),
                         replace(FORMATS["int8_row"], alignment=16),
                         replace(FORMATS["int4_g32"], along="channel"),
                         replace(FORMATS["nvfp4"], along="layer"),
                         PLAIN[4],
                         Format(name="tensor", element="int8", scale="float32", group="tensor"),
                         Format(name="i3", element="int3", scale="float32", group="row"),
                         Format(name="wide", element="bfloat16", scale="float32", group=7),
                         Format(name="f8", element="float8_e5m2", scale="float16", group=24),
                         ])  # fmt: skip


def counted(form, codes):
    """Return the bytes of a run, writing one code after the other."""
    per_unit, unit_bytes = form.packs
    size = 0
    for i in range(codes):
        size += unit_bytes if i % per_unit == 0 else 0
        new_group = form.group not in ("", "tensor") and (
            i == 0 if form.group == "row" else i % form.group == 0
        )
        size += form.group_bytes if new_group else 0
    while size % form.alignment:
        size += 1
    return size


@given(form=forms, codes=st.integers(0, 700))
def test_a_run_takes_what_its_codes_take_one_by_one(form, codes):
    assert run_bytes(form, codes) == counted(form, codes)
    assert run_bytes(form, np.array([codes, 1])).tolist() == [
        counted(form, codes),
        counted(form, 1),
    ]


@given(
    key=forms,
    value=forms,
    layers=st.integers(1, 2),
    heads=st.integers(1, 3),
    tokens=st.integers(0, 70),
    dim=small,
    value_dim=small,
)
def test_stored_bytes_are_the_size_of_arrays_that_are_packed(
    key, value, layers, heads, tokens, dim, value_dim
):
    model = Geometry(layers=layers, kv_heads=heads, head_dim=dim, value_dim=value_dim)
    random = np.random.default_rng(tokens)
    packed = 0
    for form, wide in ((key, dim), (value, value_dim)):
        for _ in range(layers):
            found = encode(random.standard_normal((heads, tokens, wide)), form)
            packed += found.nbytes
            assert decode(found).shape == (heads, tokens, wide)
    assert stored_bytes(model, tokens, key, value) == packed


@given(latent=forms, rope=forms, tokens=st.integers(0, 70), dim=small, rope_dim=st.integers(0, 40))
def test_a_latent_row_is_the_size_of_its_packed_parts(latent, rope, tokens, dim, rope_dim):
    row = Latent(layers=2, latent_dim=dim, rope_dim=rope_dim)
    parts = [
        encode(np.ones((1, tokens, dim)), latent),
        encode(np.ones((1, tokens, rope_dim)), rope),
    ]
    assert stored_bytes(row, tokens, latent, rope) == 2 * sum(p.nbytes for p in parts)


@given(form=forms, tokens=st.integers(0, 500), window=st.integers(1, 300))
def test_windows_keep_their_last_positions_and_state_keeps_its_width(form, tokens, window):
    full = Geometry(layers=2, kv_heads=2, head_dim=40)
    sliding = replace(full, window=window)
    assert stored_bytes(sliding, tokens, form) == stored_bytes(full, min(tokens, window), form)
    state = Recurrent(layers=2, state_elements=99, conv_channels=5, conv_width=4)
    assert stored_bytes(state, tokens, form) == payload_bytes(state, tokens)


@given(form=forms, counts=st.lists(st.integers(0, 200), max_size=6))
def test_an_array_of_tokens_gives_what_each_count_gives(form, counts):
    model = Geometry(layers=2, kv_heads=3, head_dim=20)
    found = stored_bytes(model, np.array(counts, dtype="int32"), form)
    assert found.dtype == np.int64
    assert found.tolist() == [stored_bytes(model, n, form) for n in counts]
    assert tail_tokens(form, np.array(counts, dtype=int)).tolist() == [
        tail_tokens(form, n) for n in counts
    ]


@given(tokens=st.integers(0, 300))
def test_tails_are_what_kivi_leaves_plain_when_tokens_come_one_by_one(tokens):
    of_key = of_value = 0
    for _ in range(tokens):
        of_key, of_value = of_key + 1, of_value + 1
        of_key = 0 if of_key == 32 else of_key  # a full tail of K is packed at once
        of_value = 32 if of_value == 33 else of_value  # the oldest of V is packed alone
    for bits in (2, 4):
        assert tail_tokens(FORMATS[f"kivi{bits}_key"], tokens) == of_key
        assert tail_tokens(FORMATS[f"kivi{bits}_value"], tokens) == of_value


@given(form=forms, tokens=st.integers(0, 300))
def test_no_format_takes_less_than_its_codes_and_a_tail_is_short(form, tokens):
    model = Geometry(layers=1, kv_heads=2, head_dim=33)
    assert 8 * stored_bytes(model, tokens, form) >= 2 * 2 * 33 * tokens * form.element_bits
    assert 0 <= tail_tokens(form, tokens) <= min(tokens, form.tail)


# ---------------------------------------------------------------- bits

PATTERNS = [
    "float8_e4m3fn",
    "float8_e5m2",
    "float4_e2m1fn",
    "float8_e8m0fnu",
    "float16",
    "bfloat16",
]


@pytest.mark.parametrize("name", PATTERNS)
def test_every_bit_pattern_stands_for_the_number_that_ml_dtypes_gives(name):
    kind = FLOATS[name]
    patterns = np.arange(2**kind.bits, dtype="u2" if kind.bits > 8 else "u1")
    theirs = np.array([float(x) for x in patterns.view(getattr(ml_dtypes, name, name))])
    ours = np.array([value_of(name, p) for p in range(2**kind.bits)])
    np.testing.assert_array_equal(ours, theirs)
    numbers = ~np.isnan(theirs)
    assert np.array_equal(np.signbit(ours[numbers]), np.signbit(theirs[numbers]))  # -0.0 too
    finite = theirs[np.isfinite(theirs)]
    assert kind.largest == finite.max() and kind.smallest == finite[finite > 0].min()


def test_the_largest_values_are_those_of_the_standards():
    found = {name: FLOATS[name].largest for name in PATTERNS[:3]}
    assert found == {"float8_e4m3fn": 448, "float8_e5m2": 57_344, "float4_e2m1fn": 6}
    assert float(ml_dtypes.finfo("float8_e4m3fnuz").max) == 240  # another format, often confused
    assert value_of("float8_e4m3fn", 0b0_0111_000) == 1.0 == value_of("float4_e2m1fn", 0b0_01_0)
    assert value_of("float8_e8m0fnu", 127) == 1.0 and math.isnan(value_of("float8_e8m0fnu", 255))


@given(form=forms, runs=st.integers(0, 3), count=st.integers(1, 90), seed=st.integers(0, 99))
def test_packed_codes_are_one_number_of_their_bits_and_come_back(form, runs, count, seed):
    bits = form.element_bits
    codes = np.random.default_rng(seed).integers(0, 2**bits, (runs, count))
    data = pack(codes, form)
    assert np.array_equal(unpack(data, count, form), codes)
    per_unit, unit_bytes = form.packs
    for row, line in zip(codes.tolist(), data, strict=True):
        written = b""
        for start in range(0, count, per_unit):
            number = sum(c << bits * i for i, c in enumerate(row[start : start + per_unit]))
            written += number.to_bytes(unit_bytes, "little")
        assert line.tobytes() == written


# ---------------------------------------------------------------- round trips and bounds


@st.composite
def arrays(draw):
    """Normal values with outlier channels, offsets, constant runs and zeros, at many sizes."""
    heads, tokens, dim = draw(st.integers(1, 2)), draw(st.integers(1, 70)), draw(small)
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = random.standard_normal((heads, tokens, dim))
    values[..., :: draw(st.integers(1, 9))] *= draw(st.sampled_from([1, 16, 300]))
    values += draw(st.sampled_from([0, 0, 5, -100]))
    kind = draw(st.sampled_from(["plain", "plain", "constant", "zeros", "spike"]))
    if kind == "constant":
        values[..., : dim // 2] = values[0, 0, 0]
    elif kind == "zeros":
        values[..., : tokens // 2, :] = 0
    elif kind == "spike":
        values[0, 0, 0] *= 50
    return values * draw(st.sampled_from([1, 0.01, 0.5]))


@given(values=arrays(), form=forms)
def test_no_error_is_above_its_bound(values, form):
    near = decode(encode(values, form))
    bound = error_bound(values, form)
    assert (np.abs(near - values) <= bound * (1 + 1e-6) + 1e-12).all()


@given(values=arrays(), form=forms)
def test_a_second_round_trip_changes_nothing(values, form):
    if form.scale == "float8_e4m3fn":  # below 2^-6 the scale itself loses digits, see there
        values = values / max(np.abs(values).max(), 1e-9) * 2_000
        values = np.where(np.abs(values) < 1, 1.0, values)
    once = decode(encode(values, form))
    assert np.array_equal(decode(encode(once, form)), once)


def test_nvfp4_without_a_second_scale_loses_small_groups_and_clips_large_ones():
    tiny = np.full((1, 16), 0.005)  # 0.005 / 6 lies below half of the smallest e4m3
    assert not decode(encode(tiny, FORMATS["nvfp4"])).any()
    large = np.full((1, 16), 3_000.0)
    assert decode(encode(large, FORMATS["nvfp4"])).max() == 6 * 448


@pytest.mark.parametrize("name", FORMATS)
def test_the_bound_is_no_looser_than_ten_times_what_happens(name):
    form, exact = FORMATS[name], sample(seed=3, outliers=4).key
    error = np.abs(decode(encode(exact, form)) - exact)
    assert 0.1 < (error / error_bound(exact, form)).max() <= 1 + 1e-6


def test_small_floats_are_the_nearest_that_ml_dtypes_has():
    exact = sample(seed=1).value
    for name in ("fp8_e4m3", "fp8_e5m2"):
        near = decode(encode(exact, FORMATS[name], tensor_scale=1.0))
        assert np.array_equal(near, exact.astype(np.float32).astype(FORMATS[name].element))
    assert encode(exact, FORMATS["fp8_e4m3"]).tensor_scale == np.float32(np.abs(exact).max() / 448)


def test_a_default_scale_clips_what_lies_above_448():
    key = np.array([[1.0, 600.0]])
    clipped = decode(encode(key, FORMATS["fp8_e4m3"], tensor_scale=1.0))
    assert clipped.tolist() == [[1.0, 448.0]]
    assert decode(encode(key, FORMATS["fp8_e4m3"]))[0, 1] == pytest.approx(600)


# ggml: quantize_row_q4_0_ref and q8_0 on a block that is worked out by hand
def test_blocks_of_llama_cpp_come_out_as_by_hand():
    block = np.zeros((1, 32))
    block[0, :4] = [-4.0, 4.0, 1.0, 0.3]
    near = decode(encode(block, FORMATS["q4_0"]))[0]
    assert near[:4].tolist() == [-4.0, 3.5, 1.0, 0.5]  # step 0.5; +4 would be code 8 of 7
    block[0, :2] = [127.0, -126.6]
    assert decode(encode(block, FORMATS["q8_0"]))[0, :4].tolist() == [127.0, -127.0, 1.0, 0.0]


# ---------------------------------------------------------------- what an error does


@pytest.mark.parametrize("factor", [4.0, 16.0, 256.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_outlier_channels_leave_exact_scores_alone_and_spoil_groups_along_a_token(factor, seed):
    size = {"tokens": 128, "queries": 64, "seed": seed}
    plain, spiky = sample(**size), sample(**size, outliers=4, factor=factor)
    ours = attend(plain.query, plain.key, plain.value)
    theirs = attend(spiky.query, spiky.key, spiky.value)
    assert np.allclose(ours[0], theirs[0], rtol=0, atol=1e-12)
    row = FORMATS["int4_g32"]
    channel = replace(row, along="channel")
    by_channel = errors(spiky, channel, row).scores
    assert by_channel == pytest.approx(errors(plain, channel, row).scores, rel=1e-3)
    assert errors(spiky, row).scores > by_channel * (1.2 if factor == 4 else 3)


def test_errors_are_ordered_as_bits_are():
    exact = sample(seed=5)
    names = ["fp16", "bf16", "q8_0", "fp8_e4m3", "fp8_e5m2", "q4_0", "kivi2_key"]
    found = [errors(exact, FORMATS[name], FORMATS["bf16"]) for name in names]
    assert [e.scores for e in found] == sorted(e.scores for e in found)
    assert all(e.value == found[0].value for e in found)
    assert found[0].top_key == 1.0 > found[-1].top_key


def test_the_same_seed_gives_the_same_errors():
    assert errors(sample(seed=7), FORMATS["q4_0"]) == errors(sample(seed=7), FORMATS["q4_0"])
    assert errors(sample(seed=7), FORMATS["q4_0"]) != errors(sample(seed=8), FORMATS["q4_0"])


# ---------------------------------------------------------------- when it pays

rates = st.floats(1e6, 1e14)


@given(
    plain=st.integers(2, 2**40),
    part=st.floats(0.05, 0.95),
    sender=rates,
    receiver=rates,
    link=rates,
)
def test_packing_for_the_link_pays_below_the_break_even_rate_alone(
    plain, part, sender, receiver, link
):
    packed = max(1, int(plain * part))
    edge = break_even_rate(plain, packed, (sender, receiver))
    if not 0.999 < link / edge < 1.001:
        gains = converted_seconds(plain, packed, link, (sender, receiver)) < plain / link
        assert gains == (link < edge)


def test_a_conversion_reads_and_writes_at_both_ends():
    once = conversion_seconds(GiB, GiB // 2, 100 * GB_s)
    assert once == 1.5 * GiB / (100 * GB_s)
    assert conversion_seconds(GiB, GiB // 2, 100 * GB_s, passes=2) == 2.5 * GiB / (100 * GB_s)
    whole = converted_seconds(GiB, GiB // 2, 25 * GB_s, (100 * GB_s, 50 * GB_s))
    assert whole == pytest.approx(3 * once + GiB / (50 * GB_s))
    assert converted_seconds(GiB, GiB // 2, 25 * GB_s, (10**15, 10**15)) / ms == pytest.approx(
        21.47, abs=0.01
    )


@given(
    plain=st.lists(st.integers(1, 2**63 - 1), min_size=1, max_size=4),
    packed=st.integers(1, 2**63 - 1),
    passes=st.integers(1, 100),
)
def test_arrays_of_sizes_give_what_each_size_gives(plain, packed, passes):
    """Sums of 64-bit bytes need more than 64 bits."""
    sizes, pair = np.array(plain, dtype=np.int64), (1e9, 3e9)
    found = conversion_seconds(sizes, packed, 1e9, passes=np.array([passes]))
    moved = converted_seconds(sizes, packed, 2e9, pair)
    for size, cost, whole in zip(plain, found, moved, strict=True):
        assert cost == pytest.approx(conversion_seconds(size, packed, 1e9, passes=passes))
        assert whole == pytest.approx(converted_seconds(size, packed, 2e9, pair))
        exact = Fraction(passes * size + packed, 10**9)
        assert cost == pytest.approx(float(exact))


def test_numpy_scalars_count_as_the_numbers_that_they_are():
    narrow, n = FORMATS["int4_g32"], np.int8(100)
    small = replace(narrow, group=np.int8(32), unit=(np.int8(100), np.int8(50)))
    assert run_bytes(small, 1_000) == run_bytes(replace(narrow, unit=(100, 50)), 1_000)
    assert (
        sample(seed=5, tokens=n, head_dim=n, queries=n, outliers=np.int8(4)).key.shape == (100,) * 2
    )
    keys = np.ones((2, 2))
    assert encode(keys, FP8, tensor_scale=np.float16(0.5)).tensor_scale == 0.5
    assert break_even_rate(n, np.int8(50), (np.float16(2_000),) * 2) == pytest.approx(1_000 / 3)


def test_what_is_zero_everywhere_has_no_error():
    nothing = Sample(query=np.ones((1, 4)), key=np.zeros((3, 4)), value=np.zeros((3, 4)))
    found = errors(nothing, FORMATS["q8_0"])
    assert (found.key, found.value, found.scores, found.output) == (0, 0, 0, 0)


# ---------------------------------------------------------------- what is refused

BF16, FP8 = FORMATS["bf16"], FORMATS["fp8_e4m3"]
MANY = np.array([1, 2])
LAYERED = replace(FORMATS["kivi2_value"], along="layer")
PACKED = encode(np.ones((2, 2)), BF16)
BAD = [
    (
        lambda: moved_bytes(TOY, 1, (FP8, FP8), (BF16, BF16)),
        "moved_bytes: receiver must be as the sender holds K and V, fp8_e4m3/fp8_e4m3, "
        "got 'bf16/bf16'; start both workers with the same cache dtype",
    ),
    (
        lambda: moved_bytes(TOY, 1, (FP8,), (FP8, FP8)),
        "moved_bytes: sender must hold two formats, got 1",
    ),
    (
        lambda: stored_bytes(TOY, 1, "q8_0"),
        "stored_bytes: key must be a Format, got 'q8_0' (str); write FORMATS['q8_0'] or a Format",
    ),
    (
        lambda: stored_bytes(TOY, -1, BF16),
        "stored_bytes: tokens must be at least 0, got -1",
    ),
    (
        lambda: stored_bytes(TOY, np.array([2**60]), BF16),
        "stored_bytes: tokens must be few enough for 64-bit bytes, got 1152921504606846976",
    ),
    (
        lambda: bits_per_element(BF16, 0),
        "bits_per_element: head_dim must be from 1 to 10,000,000, got 0",
    ),
    (
        lambda: run_bytes(BF16, 1.5),
        "run_bytes: codes must be a whole number, got 1.5 (float)",
    ),
    (
        lambda: break_even_rate(100, 100, (1e9, 1e9)),
        "break_even_rate: packed_bytes must be fewer than the plain 100, got 100",
    ),
    (
        lambda: break_even_rate(100, 50, (1e9,)),
        "break_even_rate: memory_rates must hold two rates, got 1",
    ),
    (
        lambda: conversion_seconds(100, 50, 5),
        "conversion_seconds: memory_rate must be at least 1,000 B/s, got 5; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    (
        lambda: value_of("float8_e4m3fn", 256),
        "value_of: pattern must be from 0 to 255, got 256",
    ),
    (
        lambda: Format(name="x", element="int4"),
        "Format: scale and group must be given together; integers need both",
    ),
    (
        lambda: Format(name="x", element="bfloat16", group=0),
        "Format: group must be from 1 to 1,000,000, got 0",
    ),
    (
        lambda: replace(FP8, zero="float16"),
        "Format: zero must go with integers in groups or rows",
    ),
    (
        lambda: replace(FORMATS["int8_row"], along="channel"),
        "Format: group 'row' must go along 'token'",
    ),
    (
        lambda: replace(FORMATS["q4_0"], tail=32),
        "Format: tail and tail_keeps must be given together",
    ),
    (
        lambda: replace(FORMATS["q4_0"], unit=(32, 15)),
        "Format: unit must be enough bytes for codes of 4 bits, got (32, 15)",
    ),
    (
        lambda: encode([[1.0]], BF16),
        "encode: values must be an array of numbers, got [[1.0]] (list)",
    ),
    (
        lambda: encode(np.zeros((1, 1), dtype=[("a", "i4")]), BF16),
        "encode: values must be an array of numbers, got an array of [('a', '<i4')] (ndarray)",
    ),
    (
        lambda: encode(np.ones(3), BF16),
        "encode: values must be an array of at least two axes, tokens and head_dim, got (3,)",
    ),
    (
        lambda: encode(np.array([[np.nan]]), BF16),
        "encode: values must be finite everywhere, got some that are not",
    ),
    (
        lambda: encode(np.array([[1e5]]), FORMATS["q8_0"]),
        "encode: values must be at most 65,504 in size for a format that stores fp16, got 100000.0",
    ),
    (
        lambda: encode(np.ones((1, 1)), BF16, tensor_scale=1.0),
        "encode: tensor_scale must be left out for a format without a scale of the tensor, got 1.0",
    ),
    (
        lambda: decode(np.ones((1, 1))),
        "decode: packed must be what encode returns, got an array of float64 (ndarray)",
    ),
    (
        lambda: value_of("float8_e4m3fn", MANY),
        "value_of: pattern must be one whole number, got an array of int64",
    ),
    (
        lambda: bits_per_element(BF16, MANY),
        "bits_per_element: head_dim must be one whole number, got an array of int64",
    ),
    (
        lambda: run_bytes(BF16, np.array([2**62])),
        "run_bytes: codes must be few enough for 64-bit bytes, got 4611686018427387904",
    ),
    (
        lambda: stored_bytes(TOY, np.array([2**48]), LAYERED),
        "stored_bytes: tokens must be few enough for 64-bit bytes, got 281474976710656",
    ),
    (
        lambda: moved_bytes(TOY, -1, (BF16, BF16), (BF16, BF16)),
        "moved_bytes: tokens must be at least 0, got -1",
    ),
    (
        lambda: converted_seconds(100, 50, "x", (1e9, 1e9)),
        "converted_seconds: link_rate must be a number of B/s, got 'x' (str); "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    (
        lambda: converted_seconds("x", 50, 1e9, (1e9, 1e9)),
        "converted_seconds: plain_bytes must be a whole number, got 'x' (str)",
    ),
    (
        lambda: converted_seconds(100, 50, 1e9 * np.ones(3), (1e9 * MANY, 1e9)),
        "converted_seconds: memory_rates[0] must be of a shape that broadcasts with (3,), "
        "got shape (2,)",
    ),
    (
        lambda: break_even_rate(100, 50, (1e9 * MANY, 1e9 * np.ones(3))),
        "break_even_rate: memory_rates[1] must be of a shape that broadcasts with (2,), "
        "got shape (3,)",
    ),
    (
        lambda: break_even_rate(100, MANY, (1e9, 1e9)),
        "break_even_rate: packed_bytes must be one whole number, got an array of int64",
    ),
    (
        lambda: conversion_seconds(MANY, MANY, 1e9, passes=np.ones(3, dtype=int)),
        "conversion_seconds: passes must be of a shape that broadcasts with (2,), got shape (3,)",
    ),
    (
        lambda: replace(BF16, unit=(1,)),
        "Format: unit must be a tuple of codes and bytes, got (1,)",
    ),
    (
        lambda: replace(FORMATS["q8_0"], group=MANY),
        "Format: group must be one whole number, got an array of int64",
    ),
    (
        lambda: replace(FORMATS["q8_0"], scale="float8_e4m3fn"),
        "Format: scale must be float32 or float16 for integers, got 'float8_e4m3fn'",
    ),
    (
        lambda: replace(FORMATS["q5_1"], lopsided=True),
        "Format: lopsided must go with integers in groups or rows, without a zero point",
    ),
    (
        lambda: replace(FORMATS["q5_1"], lopsided="yes"),
        "Format: lopsided must be True or False, got 'yes' (str)",
    ),
    (
        lambda: one_engine(BF16, "q8_0"),
        "one_engine: value must be a Format, got 'q8_0' (str)",
    ),
    (
        lambda: encode(np.array([[1e300]]), FORMATS["int8_row"]),
        "encode: values must be at most 3.40e+38 in size, as fp32 is, got 1e+300",
    ),
    (
        lambda: encode(np.ones((1, 1)), FP8, tensor_scale=MANY),
        "encode: tensor_scale must be one number, got an array of int64 (ndarray)",
    ),
    (
        lambda: error_bound([1.0], BF16),
        "error_bound: values must be an array of numbers, got [1.0] (list)",
    ),
    (
        lambda: error_bound(np.ones((2, 2)), "bf16"),
        "error_bound: form must be a Format, got 'bf16' (str); write FORMATS['q8_0'] or a Format",
    ),
    (
        lambda: errors(sample(seed=1, tokens=2), "q8_0"),
        "errors: key must be a Format, got 'q8_0' (str); write FORMATS['q8_0'] or a Format",
    ),
    (
        lambda: attend(np.ones((1, 2)), np.ones((3, 2)), np.ones((2, 2))),
        "attend: value must be of 3 tokens, as key is, got (2, 2)",
    ),
    (
        lambda: pack(np.array([[16]]), FORMATS["q4_0"]),
        "pack: codes must be from 0 to 15, got 16",
    ),
    (
        lambda: unpack(np.zeros((1, 16), dtype="u1"), 33, FORMATS["q4_0"]),
        "unpack: count must be from 0 to 32, got 33",
    ),
    (
        lambda: sample(seed=1, outliers=4, factor=MANY),
        "sample: factor must be one number, got an array of int64 (ndarray)",
    ),
    (lambda: sample(seed=1.5), "sample: seed must be a whole number, got 1.5 (float)"),
    (
        lambda: sample(seed=1, tokens=10**6),
        "sample: arrays must have at most 10,000,000 elements, got more",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD, ids=[m[:60] for _, m in BAD])
def test_what_makes_no_sense_is_refused_in_one_sentence(call, message):
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
        call()


# ---------------------------------------------------------------- what the explorer says


def explored(**typed):
    return run(find("5.explore"), defaults(find("5.explore")) | typed).result


@pytest.mark.parametrize("key", FORMATS)
def test_the_explorer_says_truly_whether_packing_pays(key):
    for value, link, memory in itertools.product(
        ("bf16", "q4_0"), ("200 Gb/s", "100 Tb/s"), ("2 TB/s", "20 GB/s")
    ):
        found = explored(key=key, value=value, link=link, memory=memory)
        packed = stored_bytes(TOY, 8_192, FORMATS[key], FORMATS[value])
        rate, speed = {"2": 25e9, "1": 12.5e12}[link[0]], {"2 TB/s": 2e12, "20 GB/s": 2e10}[memory]
        assert ("stored, exactly", f"{packed:,} B") in found.numbers
        said = found.sentences[1]
        if packed >= 2**30:
            assert "nothing to pack" in said and "packed for the link" not in found.picture
            continue
        kept = 2**29 * ((key == "bf16") + (value == "bf16"))  # K or V that is not packed
        gain = (2**30 - packed) / rate - 2 * (2**30 + packed - 2 * kept) / speed
        assert said.startswith(
            "Packed for the link alone, it " + ("saves" if gain > 0 else "loses")
        )


def test_the_explorer_converts_only_what_changes():
    """State and indexer keys keep their widths: no conversion reads them, and none writes them."""
    for name in names():
        model = load(name)
        for key, value in (("q8_0", "bf16"), ("bf16", "mxfp4"), ("int4_g32", "q5_1")):
            before = after = 0
            for group in model.groups:
                dims = {Geometry: ("head_dim", "value_dim"), Latent: ("latent_dim", "rope_dim")}
                for part, form in zip(dims.get(type(group), ()), (key, value), strict=False):
                    dim = getattr(group, part) or getattr(group, "head_dim", 0)
                    rows = getattr(group, "kv_heads", 1) * group.layers
                    rows *= min(8_192, getattr(group, "kept_tokens", None) or 8_192)
                    before += rows * 2 * dim * (form != "bf16")
                    after += rows * run_bytes(FORMATS[form], dim) * (form != "bf16")
            found = explored(model=name, key=key, value=value, link="1 GB/s", memory="1 GB/s")
            shown = dict(found.numbers).get("packing, and again unpacking")
            assert (shown is not None) == (after < before)
            if shown:
                assert shown == wording_time((before + after) / 1e9), (name, key, value)
            if after < before:
                edge = (before - after) / (2 * (before + after))
                assert ("loses" in found.sentences[1]) == (edge < 1)


def test_the_explorer_names_what_no_engine_mixes_and_what_stays_plain():
    no_engine = "No engine here is known to give K and V these two formats."
    assert no_engine in explored(key="fp8_e4m3", value="nvfp4").sentences
    assert no_engine not in explored(key="q8_0", value="q4_0").sentences
    row = explored(model="deepseek-v3", key="fp8_e4m3_g128", value="bf16")
    assert no_engine not in row.sentences and "56.9 % of bf16" in row.headline
    short = explored(key="kivi2_key", value="kivi2_value", tokens="33")
    assert "In 16 bits stay 1 token of K and 32 of V." in short.sentences
    assert no_engine not in short.sentences
    for key, value in (("q8_0", "kivi2_value"), ("kivi2_key",) * 2, ("kivi2_value", "kivi2_key")):
        assert no_engine in explored(key=key, value=value).sentences  # each names one engine
    half = explored(key="kivi2_key", value="bf16", tokens="33")  # all of V is in 16 bits
    assert "In 16 bits stay 1 token of K." in half.sentences
    row = explored(model="deepseek-v3", key="fp8_e4m3", value="kivi2_value", tokens="9")
    assert "In 16 bits stay 9 tokens of the rotary key." in row.sentences
    # gpt-oss: half of the layers keep 128 tokens, which fill whole groups; 133 leave five
    by_layer = explored(model="gpt-oss-20b", key="kivi4_key", value="kivi4_value", tokens="133")
    assert "In 16 bits stay 0 or 5 tokens of K and 32 of V, by layer." in by_layer.sentences
    for name in names():
        assert explored(model=name, key="q5_1", value="kivi4_value").headline


def test_packed_bytes_are_a_record():
    assert isinstance(PACKED, Packed) and PACKED.nbytes == 8
    same = encode(np.ones((2, 2), dtype=ml_dtypes.bfloat16), BF16)
    assert np.array_equal(same.data, PACKED.data)
    assert all(f.source and f.name == name for name, f in FORMATS.items())
