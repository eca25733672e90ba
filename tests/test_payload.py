"""Payload: the numbers of chapter 1, and the size of arrays that really exist.

Oracles: `nbytes` of NumPy arrays of the stated shapes; figures published in the sources named.
"""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent, payload_bytes, with_draft

TOY = Geometry(layers=32, kv_heads=8, head_dim=128)
MLA = Latent(layers=60, latent_dim=512, rope_dim=64)  # DeepSeek-V2
GPT_OSS_20B = Model(
    name="gpt-oss-20b",
    groups=(
        Geometry(layers=12, kv_heads=8, head_dim=64),
        Geometry(layers=12, kv_heads=8, head_dim=64, window=128),
    ),
)
OPT_66B = Geometry(layers=64, kv_heads=72, head_dim=128)  # 9,216 wide; DistServe, section 3.3

counts = st.integers(1, 40)
tokens = st.integers(0, 300)
geometries = st.builds(Geometry, layers=counts, kv_heads=counts, head_dim=counts)
groups = st.one_of(
    geometries,
    st.builds(Geometry, layers=counts, kv_heads=counts, head_dim=counts, value_dim=counts),
    st.builds(Geometry, layers=counts, kv_heads=counts, head_dim=counts, window=counts),
    st.builds(Geometry, layers=counts, kv_heads=counts, head_dim=counts, chunk=counts),
    st.builds(Latent, layers=counts, latent_dim=counts, rope_dim=counts),
    st.builds(Indexer, layers=counts, key_dim=st.integers(1, 400)),
    st.builds(
        Recurrent,
        layers=counts,
        state_elements=counts,
        conv_channels=counts,
        conv_width=counts,
        state_element_bytes=st.sampled_from([2, 4]),
    ),
)


@pytest.mark.parametrize(
    "model, n, width, expected",
    [
        (TOY, 1, 2, 131_072),
        (TOY, 8_192, 2, 1_073_741_824),
        (TOY, 32_768, 2, 4_294_967_296),
        (TOY, 8_192, 1, 536_870_912),
        (MLA, 1, 2, 69_120),
        (Latent(layers=61, latent_dim=512, rope_dim=64), 1, 2, 70_272),
        (Indexer(layers=61), 1, 2, 61 * 132),
        (Indexer(layers=1, key_dim=129), 1, 2, 129 + 8),
        (OPT_66B, 512, 2, 1_207_959_552),
        (GPT_OSS_20B, 1, 2, 49_152),
        (GPT_OSS_20B, 8_192, 2, 204_472_320),
        (GPT_OSS_20B, 8_192, 2, 24_576 * 8_192 + 24_576 * 128),
    ],
)
def test_states_the_numbers_of_the_chapter_and_of_its_sources(model, n, width, expected):
    assert payload_bytes(model, n, width) == expected


def test_thirty_two_windowed_requests_are_half_of_what_a_full_cache_would_be():
    # hf-mem, threads 60 and 70: gpt-oss-20b, 32 sequences of 8,192 tokens
    full = Geometry(layers=24, kv_heads=8, head_dim=64)
    assert 32 * payload_bytes(GPT_OSS_20B, 8_192) == 6.09375 * 2**30
    assert 32 * payload_bytes(full, 8_192) == 12 * 2**30


@given(g=geometries, n=tokens, dtype=st.sampled_from(["float16", "float32", "int8"]))
def test_equals_the_size_of_the_arrays(g, n, dtype):
    arrays = np.zeros((g.layers, 2, g.kv_heads, n, g.head_dim), dtype=dtype)
    assert payload_bytes(g, n, arrays.itemsize) == arrays.nbytes


@given(g=geometries, value_dim=counts, window=counts, n=tokens)
def test_equals_the_arrays_behind_a_window_with_a_narrower_value(g, value_dim, window, n):
    sliding = Geometry(
        layers=g.layers,
        kv_heads=g.kv_heads,
        head_dim=g.head_dim,
        value_dim=value_dim,
        window=window,
    )
    kept = len(range(n)[-window:])
    key = np.zeros((g.layers, g.kv_heads, kept, g.head_dim), dtype="float16")
    value = np.zeros((g.layers, g.kv_heads, kept, value_dim), dtype="float16")
    assert payload_bytes(sliding, n) == key.nbytes + value.nbytes


@given(g=st.builds(Recurrent, layers=counts, state_elements=counts, conv_channels=counts))
def test_state_equals_its_arrays_and_does_not_grow(g):
    state = np.zeros((g.layers, g.state_elements), dtype="float16")
    assert payload_bytes(g, 1) == payload_bytes(g, 10**6) == state.nbytes  # K = 1: no columns
    assert payload_bytes(g, 0) == 0


@given(a=groups, b=groups, n=tokens)
def test_is_additive_over_groups(a, b, n):
    both = Model(name="both", groups=(a, b))
    assert payload_bytes(both, n) == payload_bytes(a, n) + payload_bytes(b, n)
    assert payload_bytes(with_draft(a, b), n) == payload_bytes(both, n)


@given(g=groups, n=tokens, width=st.integers(1, 4))
def test_never_shrinks_as_tokens_are_added_and_is_zero_for_none(g, n, width):
    assert payload_bytes(g, n, width) <= payload_bytes(g, n + 1, width)
    assert payload_bytes(g, 0, width) == 0


@given(g=groups, ns=st.lists(st.integers(0, 120), max_size=8))
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "uint64"])
def test_an_array_of_tokens_gives_what_each_token_count_gives(dtype, g, ns):
    found = payload_bytes(g, np.array(ns, dtype=dtype))
    assert found.dtype == np.int64
    assert found.tolist() == [payload_bytes(g, n) for n in ns]


def test_arrays_keep_their_shape_and_do_not_wrap_around():
    grid = np.array([[1, 200], [255, 0]], dtype="uint8")
    assert payload_bytes(TOY, grid).tolist() == [[131_072, 26_214_400], [33_423_360, 0]]
    assert payload_bytes(TOY, np.array([2**31 - 1], dtype="int32")) == 131_072 * (2**31 - 1)
    assert payload_bytes(TOY, np.int64(8_192)) == 2**30
    widths = np.array([1, 2, 4], dtype="uint8")
    assert payload_bytes(TOY, 8_192, widths).tolist() == [2**29, 2**30, 2**31]
    assert payload_bytes(TOY, np.array([[1], [2]]), widths).shape == (2, 3)
    assert payload_bytes(TOY, 10**30) == 131_072 * 10**30  # a Python int has no end


RULE, HINT = "a Model or a group of layers", "write load('llama-3.1-8b') or a Geometry"
BAD = [
    ((TOY, -1), {}, ValueError, "payload_bytes: tokens must be at least 0, got -1"),
    (
        (TOY, 8_192.0),
        {},
        TypeError,
        "payload_bytes: tokens must be a whole number, got 8192.0 (float)",
    ),
    ((TOY, True), {}, TypeError, "payload_bytes: tokens must be a whole number, got True (bool)"),
    ((TOY, "8"), {}, TypeError, "payload_bytes: tokens must be a whole number, got '8' (str)"),
    (
        (TOY, float("nan")),
        {},
        TypeError,
        "payload_bytes: tokens must be a whole number, got nan (float)",
    ),
    (
        (TOY, 1),
        {"element_bytes": 0},
        ValueError,
        "payload_bytes: element_bytes must be from 1 to 16, got 0",
    ),
    (
        (TOY, 1),
        {"element_bytes": 0.5},
        TypeError,
        "payload_bytes: element_bytes must be a whole number, got 0.5 (float)",
    ),
    (
        ("llama-3.1-8b", 1),
        {},
        TypeError,
        f"payload_bytes: model must be {RULE}, got 'llama-3.1-8b' (str); {HINT}",
    ),
    (
        (TOY, np.array([1.0])),
        {},
        TypeError,
        "payload_bytes: tokens must be a whole number or an integer array, got an array of float64",
    ),
    (
        (TOY, np.array([3, -2])),
        {},
        ValueError,
        "payload_bytes: tokens must be from 0 to 9,223,372,036,854,775,807 everywhere, got -2",
    ),
    (
        (TOY, np.array([2**63], dtype="uint64")),
        {},
        ValueError,
        "payload_bytes: tokens must be from 0 to 9,223,372,036,854,775,807 everywhere, "
        "got 9223372036854775808",
    ),
    (
        (TOY, np.array([2**60])),
        {},
        ValueError,
        "payload_bytes: tokens must be few enough for 64-bit bytes, got 1152921504606846976",
    ),
]


@pytest.mark.parametrize("args, kwargs, error, message", BAD)
def test_bad_input_is_answered_in_one_sentence(args, kwargs, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        payload_bytes(*args, **kwargs)


BAD_NOUNS = [
    (
        lambda: Geometry(layers=0, kv_heads=8, head_dim=128),
        ValueError,
        "Geometry: layers must be from 1 to 10,000,000, got 0",
    ),
    (
        lambda: Geometry(layers=10**30, kv_heads=8, head_dim=128),
        ValueError,
        "Geometry: layers must be from 1 to 10,000,000, got a whole number of about 31 digits",
    ),
    (
        lambda: Geometry(layers=1, kv_heads=1, head_dim=1, window=4, chunk=4),
        ValueError,
        "Geometry: window and chunk must not both be given",
    ),
    (
        lambda: Geometry(layers=1, kv_heads=1, head_dim=1, window=0),
        ValueError,
        "Geometry: window must be from 1 to 10,000,000, got 0",
    ),
    (
        lambda: Latent(layers=1, latent_dim=512, rope_dim=-64),
        ValueError,
        "Latent: rope_dim must be from 0 to 10,000,000, got -64",
    ),
    (
        lambda: Model(name="empty", groups=()),
        ValueError,
        "Model: groups must hold at least one group, got none",
    ),
    (
        lambda: Model(name="toy", groups=["toy"]),
        TypeError,
        "Model: groups must be a tuple of layer groups, got ['toy'] (list)",
    ),
]


@pytest.mark.parametrize("make, error, message", BAD_NOUNS)
def test_a_noun_that_cannot_be_is_refused_when_it_is_made(make, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        make()


def test_a_group_keeps_exact_ints_whatever_it_is_given():
    """A NumPy int would overflow; an array of layers is no geometry."""
    narrow = Geometry(layers=np.int8(126), kv_heads=np.int8(8), head_dim=np.int16(128))
    assert payload_bytes(narrow, 200_000) == 126 * 8 * 128 * 2 * 2 * 200_000
    assert type(narrow.layers) is int and narrow == Geometry(layers=126, kv_heads=8, head_dim=128)
    with pytest.raises(
        TypeError, match=r"^Geometry: layers must be one whole number, got an array"
    ):
        Geometry(layers=np.array([32, 64]), kv_heads=8, head_dim=128)


def test_arrays_broadcast_even_where_a_group_does_not_need_them():
    assert payload_bytes(Indexer(layers=3), 5, np.array([1, 2])).tolist() == [1980, 1980]
    state = Recurrent(layers=1, state_elements=2)
    tokens, widths = np.array([[1], [0]]), np.array([1, 2])
    assert payload_bytes(state, tokens, widths).tolist() == [[4, 4], [0, 0]]


def test_a_geometry_too_large_for_an_array_is_refused_even_at_no_tokens():
    vast = Geometry(layers=10**7, kv_heads=10**7, head_dim=10**7)
    for tokens in (np.array([0]), np.array([], dtype=int)):
        with pytest.raises(ValueError, match="tokens must be few enough for 64-bit bytes"):
            payload_bytes(vast, tokens)


def test_a_width_stated_by_the_file_counts_unless_another_is_asked_for():
    eight_bit = Model(name="m", groups=(TOY,), element_bytes=1)
    assert payload_bytes(eight_bit, 8_192) == 2**29
    assert payload_bytes(eight_bit, 8_192, element_bytes=2) == 2**30
    with_one = with_draft(eight_bit, Geometry(layers=1, kv_heads=8, head_dim=128))
    assert with_one.element_bytes == 1
    message = (
        r"^with_draft: draft must be as wide as the target's cache, 1 bytes an element, got 2$"
    )
    with pytest.raises(ValueError, match=message):
        with_draft(eight_bit, Model(name="d", groups=(TOY,)))
    with pytest.raises(ValueError, match=r"^Model: element_bytes must be from 1 to 16, got 0$"):
        Model(name="m", groups=(TOY,), element_bytes=0)
