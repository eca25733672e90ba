"""Engines: what engines really allocate and hand off, and the laws that any convention obeys.

Oracles: `data/transformers_bytes.json`, the bytes of every cache tensor of 29 tiny models after a
real forward pass; `data/engine_handoff.json`, what the specifications and connectors of vLLM and
SGLang hand off for 25 models. Conventions are data; no engine and no case has code of its own.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.engines import SGLANG, TRANSFORMERS, VLLM, Engine, held_bytes, paged
from kvlib.models import from_config, load, names
from kvlib.payload import Geometry, Indexer, Latent, Recurrent, payload_bytes

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "transformers_bytes.json").read_text())["cases"]
SERVED = json.loads((DATA / "engine_handoff.json").read_text())["models"]
COLUMNS = (VLLM, replace(SGLANG, page=64), SGLANG)  # of SERVED[...]["held"]
EXACT = Engine(name="exact", version="", source="keeps what the model says")


@pytest.mark.parametrize("case", CASES)
def test_transformers_holds_the_bytes_that_were_measured(case):
    model = from_config(CASES[case]["config"])
    for width, tokens, measured in CASES[case]["rows"]:
        assert held_bytes(model, tokens, TRANSFORMERS, width) == measured, (width, tokens)


def test_the_measurements_cover_every_kind_of_cache():
    found = {type(group) for c in CASES.values() for group in from_config(c["config"]).groups}
    assert found == {Geometry, Latent, Indexer, Recurrent}
    assert sum(len(c["rows"]) for c in CASES.values()) == 120


@pytest.mark.parametrize("name", SERVED)
def test_the_engines_hand_off_what_their_specifications_say(name):
    for tokens, row in SERVED[name]["held"].items():
        for engine, expected in zip(COLUMNS, row, strict=True):
            if expected is not None:  # SGLang does not serve jamba
                assert held_bytes(load(name), int(tokens), engine) == expected, (tokens, engine)


def test_the_specifications_cover_three_lengths_and_almost_every_cell():
    cells = [cell for m in SERVED.values() for row in m["held"].values() for cell in row]
    assert len(SERVED) == 25 and len(cells) == 225 and cells.count(None) == 6


STATED = {"model_type": "qwen3_5_text", "dtype": "bfloat16", "full_attention_interval": 4,
          "head_dim": 256, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
          "linear_num_key_heads": 16, "linear_num_value_heads": 48, "linear_value_head_dim": 128,
          "num_hidden_layers": 64, "num_key_value_heads": 4}  # fmt: skip


@pytest.mark.parametrize(
    "name, layers, heads", [("kimi-k3", 69, 96), ("kimi-linear-48b-a3b", 20, 32)]
)
def test_both_engines_hold_the_state_of_delta_attention_in_float32(name, layers, heads):
    # vLLM's kda_state_dtype: (the model's for the convolution, float32); SGLang's default
    model = load(name)
    state, conv = heads * 128 * 128, 3 * heads * 128 * 3
    latent = payload_bytes(model.groups[0], 1)
    for engine in (VLLM, SGLANG):
        positions = engine.page  # one token fills one page
        expected = positions * latent + layers * (4 * state + 2 * conv)
        assert held_bytes(model, 1, engine) == expected
    assert payload_bytes(model, 1) == latent + layers * 2 * (state + conv)  # the model's own


def test_delta_attention_weighs_what_the_specification_says():
    assert held_bytes(load("kimi-k3"), 1, VLLM) == 449_814_528
    assert held_bytes(load("kimi-linear-48b-a3b"), 1, VLLM) == 43_546_624


@pytest.mark.parametrize("engine", [VLLM, SGLANG])
@pytest.mark.parametrize(
    "said, width", [("bfloat16", 2), ("float16", 2), ("float32", 4), (None, None)]
)
def test_a_state_dtype_that_the_config_states_goes_before_an_engines_own(engine, said, width):
    # both engines read mamba_ssm_dtype; without it vLLM takes the model's, SGLang float32
    model = from_config(STATED | ({"mamba_ssm_dtype": said} if said else {}))
    width = width or {"vLLM": 2, "SGLang": 4}[engine.name]
    state = 48 * (48 * 128 * 128 * width + (2 * 16 * 128 + 48 * 128) * 3 * 2)
    assert held_bytes(model, 1, engine) == engine.page * 65_536 + state
    if (engine, said) == (SGLANG, "bfloat16"):
        assert held_bytes(model, 1, engine) == 78_512_128


@pytest.mark.parametrize("integer", [np.int8, np.int16, np.int32, np.uint8])
def test_a_numpy_page_is_as_exact_as_an_int(integer):
    engine = replace(SGLANG, page=integer(64), conv_extra=integer(1), window_extra=integer(3))
    assert type(engine.page) is type(engine.conv_extra) is type(engine.window_extra) is int
    assert held_bytes(TOY, 32_768, engine) == 2**32
    assert held_bytes(load("gpt-oss-20b"), 10**6, engine) == held_bytes(
        load("gpt-oss-20b"), 10**6, replace(SGLANG, page=64, conv_extra=1, window_extra=3)
    )


@given(tokens=st.integers(0, 100_000), window=st.integers(1, 5_000), page=st.integers(1, 128))
def test_vllm_hands_off_a_fixed_count_of_blocks_behind_a_window(tokens, window, page):
    layer = Geometry(layers=1, kv_heads=1, head_dim=1, window=window)
    found = held_bytes(layer, tokens, replace(VLLM, page=page)) // 4
    blocks = [0] * -(-tokens // page)  # one by one, of which the last ceil(w / block) + 1 go
    assert found == page * len(blocks[-(-(-window // page) + 1) :])
    assert found >= held_bytes(layer, tokens, replace(SGLANG, page=page)) // 4


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("tokens", [0, 1, 8_192])
def test_an_engine_without_conventions_holds_the_payload(name, tokens):
    model = load(name)
    assert held_bytes(model, tokens, EXACT) == payload_bytes(model, tokens)


@pytest.mark.parametrize(
    "convention, model, tokens, expected",
    [
        ({"page": 64}, Geometry(layers=1, kv_heads=1, head_dim=1), 65, 4 * 128),
        ({"page": 64}, Latent(layers=1, latent_dim=2), 65, 4 * 128),
        ({"window_extra": None}, Geometry(layers=1, kv_heads=1, head_dim=1, window=8), 99, 4 * 99),
        ({"window_extra": 2}, Geometry(layers=1, kv_heads=1, head_dim=1, window=8), 99, 4 * 10),
        ({"chunk_extra": None}, Geometry(layers=1, kv_heads=1, head_dim=1, chunk=8), 99, 4 * 99),
        ({"state_dtype": "float32"}, Recurrent(layers=1, state_elements=10), 9, 40),
        ({"indexer_dtype": "cache"}, Indexer(layers=1, key_dim=128), 1, 256),
        ({"conv_dtype": "float32"}, load("qwen3.5-27b"), 0, 0),
    ],
)
def test_each_convention_moves_its_own_number(convention, model, tokens, expected):
    assert held_bytes(model, tokens, replace(EXACT, **convention)) == expected


def test_a_float32_convolution_gives_the_state_that_a_public_thread_counted():
    # LM Studio, issue 1862, Qwen3.6-27B: 149.625 MiB of state a sequence, 16,384 MiB at 262,144
    wide = replace(EXACT, conv_dtype="float32")
    model = load("qwen3.5-27b")
    growing = 65_536
    assert held_bytes(model, 1, wide) - growing == 149.625 * 2**20
    assert held_bytes(model, 262_144, wide) == 16_384 * 2**20 + 149.625 * 2**20


@given(tokens=st.integers(0, 10**6), limit=st.integers(1, 5_000), page=st.integers(1, 300))
def test_pages_cover_the_last_positions_and_waste_less_than_two_pages(tokens, limit, page):
    held = paged(tokens, limit, page)
    needed = min(tokens, limit)
    assert needed <= held < needed + 2 * page
    assert held % page == 0
    assert paged(tokens, None, page) == -(-tokens // page) * page


@given(ns=st.lists(st.integers(0, 255), max_size=8))
def test_an_array_of_tokens_gives_what_each_token_count_gives(ns):
    model = load("gpt-oss-20b")
    paged_engine = replace(TRANSFORMERS, page=16)
    found = held_bytes(model, np.array(ns, dtype="uint8"), paged_engine)
    assert found.tolist() == [held_bytes(model, n, paged_engine) for n in ns]
    both = held_bytes(model, np.array(ns, dtype="int32"), paged_engine, np.array([[1], [2]]))
    assert both.tolist() == [[held_bytes(model, n, paged_engine, w) for n in ns] for w in (1, 2)]


TOY = Geometry(layers=32, kv_heads=8, head_dim=128)
BAD = [
    (
        lambda: held_bytes(TOY, -1, TRANSFORMERS),
        ValueError,
        "held_bytes: tokens must be at least 0, got -1",
    ),
    (
        lambda: held_bytes(TOY, 1, "transformers"),
        TypeError,
        "held_bytes: engine must be an Engine, as TRANSFORMERS, got 'transformers' (str)",
    ),
    (
        lambda: held_bytes("toy", 1, TRANSFORMERS),
        TypeError,
        "held_bytes: model must be a Model or a group of layers, got 'toy' (str); "
        "write load('llama-3.1-8b') or a Geometry",
    ),
    (
        lambda: held_bytes(TOY, np.array([2**60]), TRANSFORMERS),
        ValueError,
        "held_bytes: tokens must be few enough for 64-bit bytes, got 1152921504606846976",
    ),
    (
        lambda: replace(EXACT, page=0),
        ValueError,
        "Engine: page must be from 1 to 1,000,000, got 0",
    ),
    (
        lambda: replace(SGLANG, layout="NDH"),
        ValueError,
        "Engine: layout must be a known name, got 'NDH'; did you mean 'NHD'?",
    ),
    (
        lambda: replace(SGLANG, sends_replicas=1),
        TypeError,
        "Engine: sends_replicas must be True or False, got 1 (int)",
    ),
    (
        lambda: replace(SGLANG, slices="NHD"),
        TypeError,
        "Engine: slices must be a tuple, got 'NHD' (str)",
    ),
    (
        lambda: replace(SGLANG, slices=("foo",)),
        ValueError,
        "Engine: slices must be a known name, got 'foo'; known are NHD, HND",
    ),
    (
        lambda: replace(SGLANG, slices=(1,)),
        TypeError,
        "Engine: slices must be text, got 1 (int)",
    ),
    (
        lambda: replace(SGLANG, equal_tp_only=("window",)),
        TypeError,
        "Engine: equal_tp_only must be pairs of a kind of layers and why, as (('window', 'why'),), "
        "got 'window' (str)",
    ),
    (
        lambda: replace(SGLANG, equal_tp_only=(("window", 1),)),
        TypeError,
        "Engine: equal_tp_only must be pairs of a kind of layers and why, as (('window', 'why'),), "
        "got ('window', 1) (tuple)",
    ),
    (
        lambda: replace(SGLANG, equal_tp_only=(("windows", "it cannot"),)),
        ValueError,
        "Engine: equal_tp_only must be a known name, got 'windows'; did you mean 'window'?",
    ),
    (
        lambda: replace(SGLANG, pages="any"),
        ValueError,
        "Engine: pages must be a known name, got 'any'; known are equal, multiple",
    ),
    (
        lambda: replace(SGLANG, fixed_state=1),
        TypeError,
        "Engine: fixed_state must be True or False, got 1 (int)",
    ),
    (
        lambda: replace(SGLANG, page=np.array([16, 64])),
        TypeError,
        "Engine: page must be one whole number, got an array of int64",
    ),
    (
        lambda: replace(SGLANG, window_extra=np.array([1])),
        TypeError,
        "Engine: window_extra must be one whole number, got an array of int64",
    ),
    (
        lambda: replace(EXACT, page=None),
        TypeError,
        "Engine: page must be a whole number, got None (NoneType)",
    ),
    (
        lambda: replace(EXACT, state_dtype="float23"),
        ValueError,
        "Engine: state_dtype must be a known name, got 'float23'; did you mean 'float32'?",
    ),
    (
        lambda: replace(EXACT, conv_extra=None),
        TypeError,
        "Engine: conv_extra must be a whole number, got None (NoneType)",
    ),
]


@pytest.mark.parametrize("call, error, message", BAD)
def test_bad_input_is_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
