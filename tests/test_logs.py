"""Logs: what real lines say, the law that settles their unit, and text that means harm.

Oracles: `data/log_lines.json`, lines from public threads with the numbers read by eye; and the
engines' own arithmetic, repeated here: bytes divided by 2^30, printed with two decimals, "GB".
"""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvlib.bandwidth import LINKS
from kvlib.bandwidth import Path as Route
from kvlib.layout import share
from kvlib.logs import FORMATS, LONGEST, MOST, Slot, compare, explain, read_log, reader, summary
from kvlib.logs.rows import rank_token_bytes
from kvlib.models import load, names
from kvlib.payload import Geometry, Indexer, Latent, Recurrent, payload_bytes
from kvlib.quantization import FORMATS as FORMS
from kvlib.units import GB, GiB, MiB, parse

DATA = Path(__file__).parent / "data"
LINES = json.loads((DATA / "log_lines.json").read_text(encoding="utf-8"))["lines"]
IDS = [f"{i}-{row['engine']}-{row['what']}" for i, row in enumerate(LINES)]
QUANTIZED = json.loads((DATA / "quantized_bytes.json").read_text(encoding="utf-8"))["cells"]
TOY = Geometry(layers=32, kv_heads=8, head_dim=128)
LINK = LINKS["200 Gb/s Ethernet"]
POOL = "KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"

CELLS = {  # bytes of one token, head and layer (MLA: token and layer), as engines say them
    "head_dim 128": dict(
        zip(
            ("bf16", "fp8", "per_token_head", "int4", "nvfp4", "mxfp8"),
            QUANTIZED["head_dim 128: bytes per token, head, layer (K+V)"].values(),
            strict=True,
        )
    ),
    "MLA 512+64": dict(
        zip(
            ("bf16", "fp8", "fp8_ds_mla", "nvfp4_ds_mla", "DSA", "fp4"),
            QUANTIZED["MLA 512+64"].values(),
            strict=True,
        )
    ),
}


def wanted(text):
    return text if not isinstance(text, str) else parse(text)


def model_of(row):
    if "model" in row:
        return load(row["model"])
    layers, heads, dim = row["geometry"]
    return Geometry(layers=layers, kv_heads=heads, head_dim=dim)


@pytest.mark.parametrize("row", LINES, ids=IDS)
def test_a_real_line_says_what_the_eye_reads(row):
    reading = read_log(row["text"])[0]
    assert (reading.engine, reading.what) == (row["engine"], row["what"])
    found = {field.name: field.value for field in reading.fields}
    assert found.keys() == row["fields"].keys()
    for name, text in row["fields"].items():
        assert found[name] == pytest.approx(wanted(text), rel=1e-12, abs=0.5), name


@pytest.mark.parametrize("row", LINES, ids=IDS)
def test_prefixes_colours_and_crowded_lines_change_nothing(row):
    def bare(text):
        return [(r.engine, r.what, r.fields, r.dtype) for r in read_log(text)]

    alone = bare(row["text"])
    assert bare(f"\x1b[36m(Worker_TP3 pid=7)\x1b[0;0m INFO 11-06 {row['text']}\r\n") == alone
    assert bare(f"nothing\n{row['text']}\nnothing") == alone
    assert bare(row["text"] + "\n" + POOL) == alone + bare(POOL)


def test_several_readings_stand_on_one_line_and_know_their_line():
    text = (
        "\n\nGPU KV cache size: 1,234 tokens, "
        "Maximum concurrency for 4,096 tokens per request: 0.30x"
    )
    assert [(r.what, r.line) for r in read_log(text)] == [("tokens", 3), ("concurrency", 3)]


FITTING = [row for row in LINES if "sizes" in row]


@pytest.mark.parametrize("row", FITTING, ids=[row["source"] for row in FITTING])
def test_a_pool_fits_the_model_and_the_ranks_of_its_thread(row):
    found = compare(read_log(row["text"]), model_of(row))[0]
    assert found.verdict == "agrees" and row["sizes"] in found.sizes
    assert compare(read_log(row["text"]), model_of(row), tp=row["sizes"])[0].verdict == "agrees"


DENSE = [n for n in names() if all(isinstance(g, Geometry | Latent) for g in load(n).groups)]
SHARED = [(n, tp) for n in DENSE for tp in (1, 2, 8) if rank_token_bytes(load(n).groups, tp, 2)]


@pytest.mark.parametrize("name, tp", SHARED)
def test_the_pools_own_arithmetic_settles_the_unit(name, tp):
    model, tokens = load(name), 500_000
    groups = [share(group, tp) for group in model.groups]
    grown = [g if isinstance(g, Latent) else Geometry(  # a pool has a place for every token
        layers=g.layers, kv_heads=g.kv_heads, head_dim=g.head_dim, value_dim=g.value_dim
    ) for g in groups]  # fmt: skip
    n_bytes = sum(payload_bytes(g, tokens + 64, 2) for g in grown)
    line = "KV Cache is allocated. dtype: torch.bfloat16, #tokens: {}, KV size: {:.2f} GB"
    found = compare(read_log(line.format(tokens, n_bytes / GiB)), model)[0]
    assert found.verdict == "agrees" and tp in found.sizes
    assert found.sentences[-1].endswith("which no size explains: the unit of the line is GiB.")
    decimal = compare(read_log(line.format(tokens, n_bytes / GB)), model, tp=tp)[0]
    assert decimal.verdict == "disagrees"  # a log that printed true GB would not pass


@settings(max_examples=50)
@given(
    layers=st.integers(1, 200), heads=st.sampled_from([1, 2, 4, 8, 16]), dim=st.integers(64, 512),
    tokens=st.integers(100_000, 10**7), tp=st.sampled_from([1, 2, 4, 8]),
)  # fmt: skip
def test_what_is_printed_and_read_again_lies_within_its_rounding(layers, heads, dim, tokens, tp):
    model = Geometry(layers=layers, kv_heads=heads, head_dim=dim)
    n_bytes = payload_bytes(share(model, tp), tokens + 1, 2)
    half = f"{n_bytes / 2 / GiB:.2f}"
    line = f"KV Cache is allocated. #tokens: {tokens}, K size: {half} GB, V size: {half} GB"
    (reading,) = read_log(line)
    assert abs(reading["K"].value - n_bytes / 2) <= reading["K"].half * 1.0001 + 1
    if reading["K"].value:
        found = compare(reading, model, tp=tp, element_bytes=2)[0]
        assert found.verdict == "agrees"
        assert found.expected == payload_bytes(share(model, tp), 1, 2)


def test_the_whole_message_of_a_pool_that_fits():
    (found,) = compare(read_log(POOL), load("llama-3.1-8b"))
    assert found.sentences == (
        "871,371 tokens in 106.36 GiB (114.20 GB) are 131,061 B a token a rank.",
        "llama-3.1-8b needs 131,072 B at TP 1, 2 bytes an element: they agree.",
        "Read as GB of 10^9 bytes it would be 122,061 B, which no size explains: the unit of the "
        "line is GiB.",
    )


def test_the_whole_message_of_a_pool_that_fits_at_no_size():
    (found,) = compare(read_log(POOL), load("qwen3-235b-a22b"))
    assert (found.verdict, found.expected, found.sizes) == ("disagrees", None, ())
    assert found.sentences[1:] == (
        "No TP makes qwen3-235b-a22b fit: the closest is 99,264 B at TP 1 and packed as "
        "fp8_e4m3_row, int8_row or int8_row_zero, and the line says 131,061 B, 1.32 times that.",
        "The line prints no dtype; tried were 2 bytes an element, 1 byte an element, and packed as "
        "fp8_e4m3_row, int8_row or int8_row_zero, mxfp8, int4_row or nvfp4.",
        "Another model, another width, pipeline stages or a draft model's pool could explain it.",
    )
    (fixed,) = compare(read_log(POOL), load("qwen3-235b-a22b"), tp=4, element_bytes=2)
    assert fixed.sentences[1] == (
        "qwen3-235b-a22b does not fit at TP 4: it needs 48,128 B at TP 4 and 2 bytes an element, "
        "and the line says 131,061 B, 2.72 times that."
    )


def test_latent_attention_fits_at_any_size_and_copies_fit_from_the_heads_on():
    line = f"KV Cache is allocated. #tokens: 1000000, KV size: {70_272 * 10**6 / GiB:.2f} GB"
    (latent,) = compare(read_log(line), load("deepseek-v3"))
    assert latent.sentences[1].startswith("deepseek-v3 needs 70,272 B at any TP, 2 bytes")
    row = next(row for row in LINES if row.get("model") == "qwen3-235b-a22b")
    (copied,) = compare(read_log(row["text"]), load("qwen3-235b-a22b"))
    assert "48,128 B at TP 4 or more, 2 bytes" in copied.sentences[1]


def test_the_dtype_that_is_printed_decides_the_width():
    sizes = "#tokens: 1000000, K size: 30.52 GB, V size: 30.52 GB"
    line = "KV Cache is allocated. dtype: torch.{}, " + sizes
    eight = compare(read_log(line.format("float8_e4m3fn")), TOY)[0]
    sixteen = compare(read_log(line.format("bfloat16")), TOY)[0]
    assert (eight.sizes, eight.expected) == ((1,), 65_536)
    assert (sixteen.sizes, sixteen.expected) == ((2,), 65_536)
    unsaid = compare(read_log(line.replace("dtype: torch.{}, ", "")), TOY)[0]
    assert unsaid.sizes == (1, 2) and unsaid.sentences[1] == (
        "This geometry needs 65,536 B at TP 2, 2 bytes an element, or at TP 1, 1 byte an element: "
        "they agree, and the line does not say which."
    )


@pytest.mark.parametrize(
    "stated, called",
    [
        ({"key_format": FORMS["fp8_e4m3"]}, "1 byte an element (fp8_e4m3)"),
        ({"key_format": FORMS["nvfp4"]}, "packed as nvfp4"),
        ({"element_bytes": 1}, "1 byte an element"),
    ],
)
def test_the_dtype_that_is_printed_goes_before_what_is_stated(stated, called):
    line = "KV Cache is allocated. dtype: torch.bfloat16, #tokens: 1000000, KV size: 61.04 GB"
    (found,) = compare(read_log(line), TOY, **stated)
    assert (found.verdict, found.sizes) == ("agrees", (2,))
    assert found.sentences[1] == (
        f"The line prints dtype bfloat16, where {called} was stated: the line is believed."
    )


@pytest.mark.parametrize(
    "dtype, form",
    [("float8_e4m3fn", "fp8_e4m3"), ("bfloat16", "bf16"), ("float8_e4m3fnuz", "fp8_e4m3")],
)
def test_a_dtype_that_is_what_was_stated_is_no_contradiction(dtype, form):
    size = CELLS["head_dim 128"]["bf16" if form == "bf16" else "fp8"] * 256 * 10**6 / GiB
    line = f"KV Cache is allocated. dtype: torch.{dtype}, #tokens: 1000000, KV size: {size:.2f} GB"
    (found,) = compare(read_log(line), TOY, key_format=FORMS[form])
    assert found.verdict == "agrees" and len(found.sentences) == 3
    assert f"({form}): they agree." in found.sentences[1]


def test_an_unknown_dtype_is_told():
    line = "KV Cache is allocated. dtype: torch.int3, #tokens: 1000000, KV size: 122.07 GB"
    (found,) = compare(read_log(line), TOY)
    assert found.verdict == "agrees"
    assert found.sentences[1] == "The line prints dtype int3, which is not known here."


ROW = "packed as fp8_e4m3_row, int8_row or int8_row_zero"
LATENT = {  # cell of the engines: how it is called
    "bf16": "2 bytes an element",
    "fp8": "1 byte an element",
    "fp8_ds_mla": "packed as fp8_e4m3_g128 with the rotary key in bf16",
    "nvfp4_ds_mla": "packed as nvfp4 with the rotary key in fp8_e4m3",
    "fp4": "packed as nvfp4",
}
DENSE_FORMS = {
    "bf16": "2 bytes an element",
    "fp8": "1 byte an element",
    "per_token_head": ROW,
    "int4": "packed as int4_row",
    "nvfp4": "packed as nvfp4",
}


def pool_line(n_bytes, tokens=10**6):
    return f"KV Cache is allocated. #tokens: {tokens}, KV size: {n_bytes * tokens / GiB:.2f} GB"


@pytest.mark.parametrize("cell, called", LATENT.items())
@pytest.mark.parametrize("name", ["deepseek-v3.2", "glm-5"])
@pytest.mark.parametrize("indexed", [True, False])
def test_a_latent_is_found_in_every_format_that_engines_keep(cell, called, name, indexed):
    model = load(name)
    layers = next(g.layers for g in model.groups if isinstance(g, Latent))
    keyed = sum(g.layers for g in model.groups if isinstance(g, Indexer)) * indexed
    each = layers * CELLS["MLA 512+64"][cell] + keyed * CELLS["MLA 512+64"]["DSA"]
    (found,) = compare(read_log(pool_line(each)), model)
    part = "" if indexed else " for its layers without their indexer"
    assert found.sentences[1] == f"{name} needs {each:,} B{part} at any TP, {called}: they agree."
    assert (found.verdict, found.expected) == ("agrees", each)


@pytest.mark.parametrize("cell, called", DENSE_FORMS.items())
@pytest.mark.parametrize("tp", [1, 2, 8])
def test_every_format_and_size_that_fits_is_named(cell, called, tp):
    each = 32 * 8 // tp * CELLS["head_dim 128"][cell]
    (found,) = compare(read_log(pool_line(each, 10**7)), TOY)
    alike = {
        n for n in range(1, 65) for other in DENSE_FORMS
        if (8 % n == 0 or n % 8 == 0)
        and 32 * max(1, 8 // n) * CELLS["head_dim 128"][other] == each
    }  # fmt: skip
    assert (found.verdict, set(found.sizes)) == ("agrees", alike)
    assert f"{called}" in found.sentences[1] and tp in found.sizes
    assert found.sentences[1].startswith(f"This geometry needs {each:,} B at TP ")


def test_a_stated_format_is_compared_as_it_is_packed():
    each = 256 * CELLS["head_dim 128"]["nvfp4"]
    (found,) = compare(read_log(pool_line(each)), TOY, key_format=FORMS["nvfp4"])
    assert (found.verdict, found.sizes, found.expected) == ("agrees", (1,), 36_864)
    line = "transfer_speed=5.00 GB/s, transfer_total=288.00 MB"
    (moved,) = compare(read_log(line), load("llama-3.1-8b"), key_format=FORMS["nvfp4"], tp=1)
    assert moved.sentences[-1] == (
        "288.00 MiB (301.99 MB) are 8,192.0 tokens of llama-3.1-8b on a rank at TP 1, "
        "packed as nvfp4."
    )
    mla = {"key_format": FORMS["fp8_e4m3_g128"], "value_format": FORMS["bf16"]}
    (found,) = compare(read_log(pool_line(61 * (656 + 132))), load("deepseek-v3.2"), **mla)
    assert found.verdict == "agrees"


def test_sglangs_fp4_pool_may_count_its_codes_alone():
    line = pool_line(256 * 128).replace("#tokens", "dtype: torch.float4_e2m1fn_x2, #tokens")
    (found,) = compare(read_log(line), TOY)
    assert found.sentences[1] == (
        "This geometry needs 32,768 B at TP 1, the codes of nvfp4 without their scales: they agree."
    )


def test_what_would_fit_instead_is_told():
    (found,) = compare(read_log(POOL), TOY, key_format=FORMS["nvfp4"])
    assert found.verdict == "disagrees" and found.sentences[-1] == (
        "It would fit otherwise: 131,072 B at TP 1, 2 bytes an element."
    )
    (found,) = compare(read_log(POOL), TOY, tp=2)
    assert found.sentences[-1] == ("It would fit otherwise: 131,072 B at TP 1, 2 bytes an element.")


def test_layers_with_a_window_have_a_pool_of_their_own():
    model = load("gpt-oss-20b")  # 12 layers with a window and 12 without
    line = f"KV Cache is allocated. #tokens: 1000000, KV size: {24_576 * 10**6 / GiB:.2f} GB"
    (found,) = compare(read_log(line), model, tp=1)
    assert found.verdict == "agrees" and "24,576 B for its layers with" in found.sentences[1]


def test_vllms_tokens_of_windows_and_states_are_not_compared():
    text = "Available KV cache memory: 2.30 GiB\nGPU KV cache size: 75,840 tokens"
    (found,) = compare(read_log(text), load("kimi-linear-48b-a3b"))
    assert (found.verdict, found.lines) == ("open", (1, 2))
    assert found.sentences[1] == (
        "kimi-linear-48b-a3b has layers with a state: vLLM's tokens are no capacity of it."
    )
    (found,) = compare(read_log(text), load("gpt-oss-20b"))
    assert found.sentences[1].startswith("gpt-oss-20b has layers with a window: vLLM's tokens")


@pytest.mark.parametrize("name", ["deepseek-v3.2", "glm-5"])
@pytest.mark.parametrize("width, cell", [(2, "bf16"), (0, "fp8_ds_mla")])
def test_vllms_tokens_of_a_model_with_an_indexer_are_a_capacity(name, width, cell):
    model = load(name)
    latent = sum(g.layers for g in model.groups if isinstance(g, Latent))
    keyed = sum(g.layers for g in model.groups if isinstance(g, Indexer))
    each = latent * CELLS["MLA 512+64"][cell] + keyed * CELLS["MLA 512+64"]["DSA"]
    text = (
        f"Available KV cache memory: {each * 640_000 / GiB:.2f} GiB\n"
        "GPU KV cache size: 640,000 tokens"
    )
    (found,) = compare(read_log(text), model)
    assert (found.verdict, found.expected) == ("agrees", each)


def test_ranks_that_say_the_same_are_one_pool_and_the_smallest_memory_counts():
    (found,) = compare(read_log(f"[TP0] {POOL}\n[TP1] {POOL}"), TOY)
    assert found.lines == (1, 2)
    ranks = [f"(Worker_TP{n}) Available KV cache memory: {m} GiB" for n, m in ((0, 9.0), (1, 8.2))]
    text = "\n".join([*ranks, "GPU KV cache size: 67,100 tokens"])
    (found,) = compare(read_log(text), TOY)
    assert found.verdict == "agrees" and found.lines == (2, 3)


@pytest.mark.parametrize("page", [1, 64, 256])
def test_a_page_more_than_the_tokens_is_no_other_model(page):
    model, tokens = load("llama-3.1-405b"), 20_000
    half = payload_bytes(model, tokens + page) / 2 / GiB
    line = f"KV Cache is allocated. #tokens: {tokens}, K size: {half:.2f} GB, V size: {half:.2f} GB"
    assert compare(read_log(line), model, tp=1, element_bytes=2)[0].verdict == "agrees"


@pytest.mark.parametrize("more, verdict", [(0, "agrees"), (4, "agrees"), (6, "disagrees")])
def test_vllms_memory_may_exceed_its_tokens_by_what_the_smallest_rank_lacks(more, verdict):
    memory = payload_bytes(TOY, 100_000) * (100 + more) / 100 / GiB
    text = f"Available KV cache memory: {memory:.2f} GiB\nGPU KV cache size: 100,000 tokens"
    assert compare(read_log(text), TOY, tp=1, element_bytes=2)[0].verdict == verdict


def test_an_old_pool_takes_its_tokens_from_a_later_line():
    text = (
        "KV Cache is allocated. K size: 53.18 GB, V size: 53.18 GB.\nmax_total_num_tokens=871371, x"
    )
    (found,) = compare(read_log(text), TOY)
    assert found.verdict == "agrees" and found.lines == (1, 2)


@pytest.mark.parametrize("row", [r for r in LINES if r["engine"] in ("vLLM", "LMCache")])
def test_a_lines_own_rate_is_its_size_over_its_time(row):
    found = [f for f in compare(read_log(row["text"]), TOY) if f.about == "a transfer"]
    rate = read_log(row["text"])[0].get("rate")
    assert [f.verdict for f in found] == (["agrees"] if rate else [])
    if rate:
        assert found[0].logged == pytest.approx(rate.value, rel=0.1)


def test_a_rate_that_no_link_carries_is_called_so():
    (found,) = compare(read_log("transfer_speed=30.00 GB/s"), TOY, link=LINK)
    assert (found.verdict, found.expected) == ("impossible", 25 * GB)
    assert found.sentences == (
        "Impossible: 32.21 GB/s is 1.29× the label of 200 Gb/s Ethernet.",
        "The time may be that of the last chunk alone, and the bytes those of all (pull request "
        "31993).",
    )


@pytest.mark.parametrize("row", [r for r in LINES if r["engine"] == "LMCache" and "sizes" in r])
def test_what_does_not_cross_the_link_is_not_compared_with_it(row):
    found = compare(read_log(row["text"]), model_of(row), link=LINK)[1]
    assert (found.verdict, found.expected) == ("agrees", None)
    assert found.sentences[0].endswith("GiB/s).") and found.sentences[2] == (
        "The bytes go between the GPU and LMCache's store, host memory unless it was set "
        "otherwise, not over the link of a hand-off: no link is compared."
    )
    assert not any("label" in said for said in found.sentences)


def test_a_transfer_beside_the_payload():
    row = next(row for row in LINES if row["source"].endswith("25388"))
    readings, model = read_log(row["text"]), load("llama-3.1-8b")
    said = compare(readings, model, link=Route(hops=(LINK,)))[0].sentences
    assert said[2] == "Possible: 7.44 GB/s is 29.8 % of the label of 200 Gb/s Ethernet."
    assert said[-1] == (
        "70.0 MiB (73.40 MB) are 560.0 tokens of llama-3.1-8b on a rank at TP 1, 2 bytes "
        "an element (TP and width assumed)."
    )
    said = compare(readings, model, tokens=1_120, tp=2)[0].sentences
    assert said[-1] == (
        "1,120 tokens of llama-3.1-8b are 70.00 MiB (73.40 MB) on a rank at TP 2, 2 bytes an "
        "element (width assumed); the line moved 70.0 MiB (73.40 MB), 1 times that."
    )
    ranks = compare(readings, model, tokens=1, tp=3)[0].sentences
    assert ranks[-1] == "3 ranks cannot share the heads of llama-3.1-8b."


def test_the_samples_of_a_histogram_make_one_transfer():
    text = (
        'sglang:kv_transfer_total_mb_sum{tp_rank="0"} 2048.0\n'
        'sglang:kv_transfer_total_mb_count{tp_rank="0"} 2.0\n'
        'sglang:kv_transfer_total_mb_bucket{le="1.0",tp_rank="0"} 4.0\n'
        'sglang:kv_transfer_latency_ms_sum{tp_rank="0"} 80.0\n'
    )
    assert [f.value for r in read_log(text) for f in r.fields] == [2 * GiB, 2, 0.08]
    (found,) = compare(read_log(text), TOY)
    assert found.lines == (1, 4) and found.logged == 2 * GiB / 0.08


@pytest.mark.parametrize("space", ["", " "])  # at 602413b, and later
def test_a_request_of_sglang_says_its_rate_and_size(space):
    text = f"start=1.000, transfer_speed=1.50{space}GB/s, transfer_total=96.00{space}MB, #retries=0"
    (reading,) = read_log(text)
    assert (reading["rate"].value, reading["size"].value) == (1.5 * GiB, 96 * MiB)
    assert explain(reading) == (
        "Line 1, SGLang: the hand-off of one request, as its prefill rank saw it.",
        f"rate: printed 1.50{space}GB/s, meant 1.50 GiB/s (1.61 GB/s).",
        f"size: printed 96.00{space}MB, meant 96.00 MiB (100.66 MB).",
        "The time may be that of the last chunk alone, and the bytes those of all (pull request "
        "31993).",
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "KV Cache is allocated.",
        "KV Cache is allocated. #tokens: 5",
        "KV Cache is allocated. #tokens: 5, K size: 5.00 GiB, V size: 5.00 GB/s",  # other units
        "KV Cache is allocated. #tokens: 5, K size: nan GB, V size: inf GB",
        "Memory pool end. avail mem=-1.00 GB",
        "Memory pool end. avail mem=1e99 GB",
        "GPU KV cache size: 1.5 tokens",
        "GPU KV cache size: 12,34 tokens",
        "GPU KV cache size: ١٢ tokens",
        "Retrieved 5 apples. size: 5 pears",
        "# HELP sglang:kv_transfer_total_mb Histogram of KV cache transfer size in MB.",
    ],
)
def test_what_is_no_known_line_gives_nothing(text):
    assert read_log(text) == ()


@pytest.mark.parametrize(
    "text, fields",
    [
        ("KV Cache is allocated. #tokens: 5, KV size: 1.00 GB", {"tokens", "KV"}),  # no V in KV
        ("KV Cache is allocated. K size: 1.00 GB, V size: 1.00 GB/s", {"K"}),
        ("KV Cache is allocated. K size: 1.00 GB\nV size: 1.00 GB", {"K"}),  # of another line
        ("max_total_num_tokens=5, ...\ncontext_len=7", {"tokens"}),
    ],
)
def test_a_number_belongs_to_its_label_its_unit_and_its_line(text, fields):
    (reading,) = read_log(text)
    assert {field.name for field in reading.fields} == fields
    assert compare(reading, Recurrent(layers=1, state_elements=8)) == () or "KV" in fields


@pytest.mark.parametrize(
    "text",
    [
        "[Metrics] Transfer Engine Throughput: 100.00 MB/s (over last 5s)",
        "[Metrics] Transfer Engine Stats (over last 5s): Throughput: 100.00 MB/s | Latency",
    ],
)
def test_a_rate_alone_is_compared_with_a_link(text):
    (found,) = compare(read_log(text), TOY, link=LINK)
    assert (found.verdict, found.logged, found.expected) == ("open", 100 * MiB, 25 * GB)
    assert found.sentences == (
        "Possible: 0.10 GB/s is 0.4 % of the label of 200 Gb/s Ethernet.",
        "An average over the interval, idle time included, of one process: hand-offs and "
        "Mooncake's store alike.",
    )
    (alone,) = compare(read_log(text), TOY)
    assert alone.sentences[0] == "Printed 100.00 MB/s, meant 100.00 MiB/s (104.86 MB/s)."


@given(
    st.integers(1, 10**6), st.integers(0, 14), st.sampled_from(["", "e-3", "e-06"]),
    st.sampled_from(["size: {} gb, cost 9 ms", "size: 2 gb, cost {} ms"]),
)  # fmt: skip
def test_nothing_prints_as_nought_that_is_not(digits, places, power, shape):
    number = f"{digits // 10**places}.{digits % 10**places:0{places}}{power}" if places else "7"
    for reading in read_log(f"Stored 3 of. {shape.format(number)}, throughput: {number} GB/s"):
        said = [*explain(reading)]
        for found in compare(reading, load("llama-3.1-8b"), link=LINK):
            said += found.sentences
        for one in said:
            shown = re.findall(
                r"(?<![0-9.,])(0(?:\.0+)?)(?= (?:[KMGT]i?B|B|ms|tokens|times)\b)", one
            )
            assert not shown, one


def test_a_small_size_keeps_its_digits():
    line = "Stored 10 out of. size: 0.0040 gb, cost 1.6925 ms, throughput: 2.3634 GB/s"
    (reading,) = read_log(line)
    assert reading["size"].meant == "0.0040 GiB (0.00429 GB)"
    assert read_log("Stored 1 of. size: 0.0000000001 gb, cost 1 ms") == ()  # a tenth of a byte


def test_the_marker_of_a_longer_name_goes_first():
    (reading,) = read_log('sglang:kv_transfer_speed_gb_s_count{tp_rank="0"} 3.0')
    assert reading["hand-offs"].value == 3


PIECES = st.sampled_from(
    [f.marker for f in FORMATS] + [label for f in FORMATS for s in f.slots for label in s.labels]
    + [f" {s.printed}" for f in FORMATS for s in f.slots]
    + ["1", "0", "53.18 GB", "9" * 40, "1e99", "1e-99", ",", "\n", "\x1b[0m", "{", "}"]
    + ["٣", "nan", " "]
)  # fmt: skip


NUMBERS = st.one_of(
    st.integers(0, 10**16).map(str),
    st.floats(0, 1e16, allow_nan=False).map(repr),
    st.sampled_from(["0", "0.00", "1", "1e-15", "9e14", "1e-18", "1,234,567", "2.5000"]),
)


@st.composite
def lines(draw):
    """Return a line in the shape of a format, with numbers as no engine would print them."""
    form = draw(st.sampled_from(FORMATS))
    text = form.marker + ('{tp_rank="0"} ' if form.what == "metric" else "")
    for slot in form.slots:
        label = draw(st.sampled_from(slot.labels))
        inside = slot.printed in (label or form.marker)
        text += f"{label}{draw(NUMBERS)}{'' if inside else ' ' + slot.printed}, "
    return text


@settings(max_examples=60)
@given(st.lists(st.one_of(lines(), PIECES, st.text(max_size=8)), max_size=12).map("\n".join))
def test_no_text_makes_it_fail_and_every_sentence_can_be_said(text):
    readings = read_log(text)
    assert all(explain(r)[0].startswith(f"Line {r.line:,}, ") for r in readings)
    for found in compare(readings, TOY, link=LINK, tokens=8):
        assert found.verdict in ("agrees", "disagrees", "impossible", "open")
        assert all(1 < len(s) < 400 and "\n" not in s for s in found.sentences)
    compare(readings, load("kimi-k3"), link=LINKS["PCIe Gen3 x16"])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_crowd_of_pieces_makes_it_fail(text):
    compare(read_log(text), TOY, link=LINK)
    assert all(len(said) < 700 and "\n" not in said for said in summary(read_log(text) * 2))


@pytest.mark.parametrize(
    "piece", ["Retrieved ", "Retrieved 1", "9", "(over last ", "\x1b[", "{", "a"]
)
def test_work_grows_with_the_text_alone(piece, monkeypatch):
    seen = []
    real = reader._read
    monkeypatch.setattr(reader, "_read", lambda *a: seen.append(len(a[1])) or real(*a))
    text = piece * (LONGEST // len(piece) + 9)
    assert len(read_log(text)) <= MOST
    assert sum(seen) <= LONGEST  # each character is looked at by one line's formats


def test_no_pattern_repeats_without_a_bound():
    patterns = [v for v in vars(reader).values() if isinstance(v, re.Pattern)]
    assert len(patterns) == 5
    assert all(re._parser.parse(p.pattern).getwidth()[1] < 1_000 for p in patterns)


def test_a_text_is_read_up_to_its_bounds():
    line = "Memory pool end. avail mem=1.00 GB\n"
    assert len(read_log(line * 2_000)) == MOST == 1_000
    assert read_log(" " * LONGEST + line) == ()
    assert LONGEST == 100_000


def test_every_format_is_grounded_and_its_units_are_known():
    for form in FORMATS:
        assert form.source and form.says and form.marker and form.slots
        assert any(slot.needed for slot in form.slots) or form.together
    binary = {s.printed: s.unit for f in FORMATS for s in f.slots if s.renamed}
    assert binary == {
        "GB": "GiB", "gb": "GiB", "GB/s": "GiB/s", "gb_s": "GiB/s",
        "MB": "MiB", "mb": "MiB", "MB/s": "MiB/s",
    }  # fmt: skip


MODEL_HINT = "; write load('llama-3.1-8b') or a Geometry"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: read_log(b"x"), TypeError, "read_log: text must be text, got b'x' (bytes)"),
        (
            lambda: compare(5, TOY),
            TypeError,
            "compare: readings must be readings, as read_log returns them, got 5 (int)",
        ),
        (
            lambda: compare("ab", TOY),
            TypeError,
            "compare: readings must be readings, as read_log returns them, got 'a' (str)",
        ),
        (
            lambda: compare((), "llama"),
            TypeError,
            "compare: model must be a Model or a group of layers, got 'llama' (str)" + MODEL_HINT,
        ),
        (
            lambda: compare((), TOY, link=25e9),
            TypeError,
            "compare: link must be a Link or a Path, got 25000000000.0 (float)",
        ),
        (
            lambda: compare((), TOY, tp=65),
            ValueError,
            "compare: tp must be from 1 to 64, got 65",
        ),
        (
            lambda: compare((), TOY, element_bytes=0),
            ValueError,
            "compare: element_bytes must be from 1 to 16, got 0",
        ),
        (
            lambda: compare((), TOY, key_format="nvfp4"),
            TypeError,
            "compare: key_format must be a Format, as FORMATS['fp8_e4m3'], got 'nvfp4' (str)",
        ),
        (
            lambda: compare((), TOY, key_format=FORMS["kivi2_key"]),
            ValueError,
            "compare: key_format must be one that packs each token by itself, got 'kivi2_key'",
        ),
        (
            lambda: compare((), TOY, value_format=FORMS["bf16"]),
            ValueError,
            "compare: key_format must be given with value_format, got None",
        ),
        (
            lambda: compare((), TOY, key_format=FORMS["bf16"], element_bytes=2),
            ValueError,
            "compare: element_bytes must be left out where key_format is given, got 2",
        ),
        (
            lambda: compare((), TOY, most=-1),
            ValueError,
            "compare: most must be at least 0, got -1",
        ),
        (
            lambda: compare((), TOY, tokens=0),
            ValueError,
            "compare: tokens must be at least 1, got 0",
        ),
        (
            lambda: Slot(name="K", labels=("K size: ",), unit="GIB"),
            ValueError,
            "Slot: unit must be a known name, got 'GIB'; did you mean 'GB'?",
        ),
    ],
)
def test_a_wrong_argument_is_answered_in_one_sentence(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_a_reading_knows_what_it_lacks():
    (reading,) = read_log(POOL)
    assert reading.get("KV") is None
    with pytest.raises(KeyError):
        reading["KV"]


def test_a_model_that_keeps_no_kv_is_not_compared():
    (found,) = compare(read_log(POOL), Recurrent(layers=1, state_elements=8))
    assert found.sentences[1] == "This geometry keeps no K and V to compare this with."


def test_a_coarse_line_settles_nothing():
    line = "KV Cache is allocated. #tokens: 100, K size: 0.01 GB, V size: 0.01 GB"
    (found,) = compare(read_log(line), TOY)
    assert (found.verdict, found.expected) == ("open", None)
    assert found.sentences[1] == (
        "This geometry needs 131,072 B at TP 1, 2 bytes an element; 65,536 B at TP 2, 2 bytes an "
        "element; 32,768 B at TP 4, 2 bytes an element; or in 8 more ways: the line is rounded too "
        "coarsely."
    )
    vllm = "Available KV cache memory: 6.30 GiB\nGPU KV cache size: 100,000 tokens"
    (found,) = compare(read_log(vllm), TOY)
    assert found.verdict == "open" and found.sentences[1].endswith(
        "or in one more way: too close for a line that may hold 5 % more than its tokens need."
    )


def test_another_rate_on_the_same_line_is_told():
    text = "Retrieved 8 out of 8. size: 1.0000 gb, cost 100.0000 ms, throughput: 20.0000 GB/s"
    found = compare(read_log(text), TOY)[1]
    assert found.verdict == "disagrees"
    assert found.sentences[1] == "The line's own 20.0000 GB/s is another rate."
    assert Fraction(found.logged) == pytest.approx(10 * GiB)
