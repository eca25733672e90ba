"""Models: every real `config.json` is read as the engines read it, or refused by name.

Oracles: `data/engine_bytes.json`, what vLLM and SGLang allocate for 25 models; published figures;
and, for what may not happen, junk put into every field of 67 real configs.
"""

import json
import math
import os
import re
from pathlib import Path

import pytest

from kvlib.models import from_config, load, names
from kvlib.models.families import READERS, WRAPPERS
from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent, payload_bytes, with_draft

DATA = Path(__file__).parent / "data"
FILES = {path.stem: path for path in sorted((DATA / "configs").glob("*.json"))}
REAL = {name: path for name, path in FILES.items() if not name.startswith("refused-")}
ENGINES = json.loads((DATA / "engine_bytes.json").read_text())["models"]
CATALOGUE = Path(__file__).parents[1] / "kvlib" / "models" / "catalogue.json"


def config(name):
    return json.loads(FILES[name].read_text())


def per_token(model):
    """Return bytes per token that grow, bytes per token behind a window, and bytes of state."""
    growing = windowed = state = 0
    for group in model.groups:
        match group:
            case Geometry(window=None, chunk=None) | Latent():
                growing += 2 * group.elements_per_token
            case Geometry():
                windowed += 2 * group.elements_per_token
            case Indexer():
                growing += group.bytes_per_token
            case Recurrent():
                state += group.request_bytes
    return growing, windowed, state


# ------------------------------------------------------------- numbers


@pytest.mark.parametrize("name", ENGINES)
def test_agrees_with_what_the_engines_allocate(name):
    oracle = dict(ENGINES[name])
    model = from_config(FILES[name])
    if name == "llama-4-scout":  # engines keep its chunked layers in full
        oracle.update(growing=49_152, windowed=147_456)
        oracle["request"] |= {"32768": 32_768 * 49_152 + 8_192 * 147_456}
    assert per_token(model) == (oracle["growing"], oracle["windowed"], oracle["state"])
    for tokens, expected in oracle["request"].items():
        assert payload_bytes(model, int(tokens)) == expected


@pytest.mark.parametrize(
    "name, at_1, at_8192, at_32768",
    [
        ("llama-3.1-8b", 131_072, 1_073_741_824, 4_294_967_296),
        ("deepseek-v3", 70_272, 575_668_224, 2_302_672_896),
        ("gemma-3-27b", 507_904, 1_107_296_256, 3_120_562_176),
        ("gpt-oss-20b", 49_152, 204_472_320, 808_452_096),
    ],
)
def test_states_the_numbers_of_the_chapter(name, at_1, at_8192, at_32768):
    for model in (load(name), from_config(FILES[name])):
        found = [payload_bytes(model, n) for n in (1, 8_192, 32_768)]
        assert found == [at_1, at_8192, at_32768]


@pytest.mark.parametrize(
    "name, tokens, width, expected",
    [
        # geometries as NVIDIA aiconfigurator lists them
        ("llama-3.1-70b", 1, 2, 327_680),
        ("llama-3.1-405b", 1, 2, 516_096),
        ("qwen3-8b", 1, 2, 147_456),
        ("qwen3-32b", 1, 2, 262_144),
        ("qwen3-235b-a22b", 1, 2, 192_512),
        ("deepseek-v3.2", 1, 2, 78_324),
        ("glm-5", 1, 2, 89_856 + 10_296),
        ("glm-5.3", 1, 2, 89_856 + 21 * 132),  # 57 of 78 layers reuse a choice, keep no key
        # Gemma 4: wide global layers without a window, narrow ones behind 1,024 (ollama #16958)
        ("gemma-4-26b-a4b", 1, 2, 20_480 + 204_800),
        ("gemma-4-26b-a4b", 131_072, 2, 20_480 * 131_072 + 204_800 * 1_024),
        # LM Studio #1862: 16,384 MiB of K and V at 262,144 tokens, and state beside it
        ("qwen3.6-27b", 262_144, 2, 16_384 * 2**20 + 48 * (48 * 128 * 128 * 4 + 10_240 * 3 * 2)),
        # vllm-ascend #2470: DeepSeek-V3's latent, 274.5 MiB at 4,096 tokens
        ("deepseek-v3", 4_096, 2, int(274.5 * 2**20)),
        # aiconfigurator #1380: Kimi K2.5 in fp8, 286.36 MB at 8,150 tokens
        ("kimi-k2.5", 8_150, 1, 286_358_400),
        # a float32 checkpoint does not widen the cache
        ("olmo-2-7b", 1, 2, 524_288),
        ("kimi-k3", 2**20, 2, 24 * 1_152 * 2**20 + 69 * (96 * 128**2 + 3 * 96 * 128 * 3) * 2),
        ("gemma-3n-e4b", 10**6, 2, 2_048 * (4 * 10**6 + 16 * 512)),
        ("minimax-text-01", 1, 2, 10 * 4_096 + 70 * 64 * 128**2 * 2),
        ("phi-3-mini-4k", 10**6, 2, 393_216 * 2_047),
        ("command-r7b", 10**6, 2, 4_096 * (8 * 10**6 + 24 * 4_096)),
        ("nemotron-h-56b", 0, 2, 0),
    ],
)
def test_agrees_with_published_figures(name, tokens, width, expected):
    assert payload_bytes(from_config(FILES[name]), tokens, width) == expected


def test_kimi_hand_off_of_a_public_thread_is_a_third_of_a_gibibyte():
    # aiconfigurator #1380: 9,174 tokens, 0.3002 GiB
    found = payload_bytes(from_config(FILES["kimi-k2.5"]), 9_174, element_bytes=1)
    assert round(found / 2**30, 4) == 0.3002


def test_a_draft_layer_is_counted_only_when_asked_for():
    target = from_config(FILES["deepseek-v3"])  # states num_nextn_predict_layers: 1
    draft = Latent(layers=1, latent_dim=512, rope_dim=64)
    assert payload_bytes(with_draft(target, draft), 1) == 70_272 + 1_152


# ------------------------------------------------------------- families


@pytest.mark.parametrize("name", REAL)
def test_every_real_config_is_read_as_path_text_and_mapping(name):
    by_path = from_config(FILES[name])
    assert by_path.groups == from_config(str(FILES[name])).groups
    assert by_path.groups == from_config(FILES[name].read_text()).groups
    assert by_path.groups == from_config(config(name)).groups
    assert by_path.name == name
    assert by_path.source == f"config.json read from the file {name}.json"


def test_the_real_configs_cover_the_families_of_the_catalogue():
    kinds = {c.get("text_config", c)["model_type"] for c in map(config, REAL)}
    assert kinds <= set(READERS)
    assert len(REAL) == 67
    assert {config(name)["model_type"] for name in REAL} & set(WRAPPERS)


LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
}
FULL, SLIDING = "full_attention", "sliding_attention"
QWEN = LLAMA | {"model_type": "qwen3", "use_sliding_window": True, "sliding_window": 4_096}
SMALL = LLAMA | {"num_hidden_layers": 4, "sliding_window": 64}
HYBRID = {
    "model_type": "nemotron_h",
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "mamba_num_heads": 8,
    "mamba_head_dim": 16,
    "n_groups": 1,
    "ssm_state_size": 16,
    "conv_kernel": 4,
}


def without(mapping, *keys):
    return {key: value for key, value in mapping.items() if key not in keys}


def windows(mapping):
    """Return how many layers keep everything and how many slide."""
    count = {None: 0}
    for group in from_config(mapping).groups:
        count[group.kept_tokens] = count.get(group.kept_tokens, 0) + group.layers
    full = count.pop(None)
    return full, sum(count.values())


@pytest.mark.parametrize(
    "mapping, full_and_sliding",
    [
        (QWEN | {"max_window_layers": 28}, (28, 4)),
        (QWEN | {"use_sliding_window": False, "max_window_layers": 28}, (32, 0)),
        (SMALL | {"model_type": "mistral"}, (0, 4)),
        (SMALL | {"model_type": "mistral", "sliding_window": None}, (4, 0)),
        (without(SMALL, "sliding_window") | {"model_type": "phi3"}, (4, 0)),
        (SMALL | {"model_type": "gemma2"}, (2, 2)),
        (SMALL | {"model_type": "gemma3_text", "sliding_window_pattern": 2}, (2, 2)),
        (SMALL | {"model_type": "gemma3_text"}, (0, 4)),
        (SMALL | {"model_type": "olmo3"}, (1, 3)),
        (SMALL | {"model_type": "gpt_oss", "layer_types": [FULL] * 3 + [SLIDING]}, (3, 1)),
        (SMALL | {"model_type": "cohere2", "hidden_size": 4_096, "layer_switch": 2}, (2, 2)),
        (SMALL | {"model_type": "mixtral"}, (0, 4)),
        (SMALL | {"model_type": "starcoder2"}, (0, 4)),
    ],
)
def test_every_way_to_say_which_layers_slide(mapping, full_and_sliding):
    assert windows(mapping) == full_and_sliding


def test_chunked_layers_of_llama_4_are_said_by_list_or_by_period():
    base = without(SMALL, "sliding_window") | {"model_type": "llama4_text"}
    base["attention_chunk_size"] = 64
    assert windows(base) == (1, 3)
    assert windows(base | {"no_rope_layer_interval": 2}) == (2, 2)
    assert windows(base | {"no_rope_layers": [1, 0, 0, 0]}) == (3, 1)
    assert windows(base | {"attention_chunk_size": None}) == (4, 0)


def test_hunyuan_shares_a_cache_among_neighbours_only_if_it_says_so():
    shared = config("hunyuan-7b-reprompt")
    assert shared["cla_share_factor"] == 2  # stated, and switched off
    assert from_config(shared).groups[0].layers == 32
    assert from_config(shared | {"use_cla": True}).groups[0].layers == 16
    assert from_config(shared | {"use_cla": True, "cla_share_factor": 3}).groups[0].layers == 11


def test_nemotron_spells_its_layers_by_letters_or_by_names():
    letters = from_config(HYBRID | {"hybrid_override_pattern": "M-M*E"})
    words = ["mamba", "mlp", "linear_attention", "attention", "moe"]
    assert letters.groups == from_config(HYBRID | {"layers_block_type": words}).groups
    both = HYBRID | {"layers_block_type": words, "hybrid_override_pattern": "M-M*E"}
    assert letters.groups == from_config(both).groups


def test_a_state_counts_in_its_own_dtype_else_in_the_models():
    base = config("qwen3-next-80b-a3b")
    states = {
        extra: from_config(base | dict(extra)).groups[1]
        for extra in [(), (("mamba_ssm_dtype", "float32"),), (("torch_dtype", "float32"),)]
    }
    widths = [(g.state_element_bytes, g.conv_element_bytes) for g in states.values()]
    assert widths == [(2, 2), (4, 2), (4, 4)]


def test_the_architecture_stands_in_where_no_model_type_is_given():
    named = without(LLAMA, "model_type") | {"architectures": ["LlamaForCausalLM"]}
    assert from_config(named).groups == from_config(LLAMA).groups


def test_a_model_is_named_by_its_directory_its_file_or_its_own_field(tmp_path):
    home = tmp_path / "My-Model"
    home.mkdir()
    (home / "config.json").write_text("\ufeff" + json.dumps(LLAMA), encoding="utf-8")
    assert from_config(home).name == "My-Model"
    assert from_config(home / "config.json").name == "My-Model"
    assert from_config(LLAMA | {"_name_or_path": "org/x"}).name == "org/x"
    assert from_config(LLAMA | {"_name_or_path": 7}).name == "llama"


# ------------------------------------------------------------- catalogue


@pytest.mark.parametrize("name", names())
def test_every_entry_loads_and_says_where_it_was_read_and_when(name):
    model = load(name)
    assert isinstance(model, Model)
    assert model.name == name
    assert re.fullmatch(r"[\w.-]+/[\w.-]+: .{20,}, 2026-\d\d-\d\d", model.source)
    assert payload_bytes(model, 8_192) > 0


@pytest.mark.parametrize("name", names())
def test_every_entry_equals_the_whole_config_it_was_cut_from(name):
    assert load(name).groups == from_config(FILES[name]).groups


def test_the_catalogue_is_large_and_its_entries_hold_only_fields_that_count():
    assert len(names()) >= 50
    assert names() == sorted(names())
    for name, entry in json.loads(CATALOGUE.read_text())["models"].items():
        for key in set(entry["config"]) - {"torch_dtype", "dtype", "mamba_ssm_cache_dtype"}:
            changed = without(entry["config"], key)
            try:
                assert from_config(changed).groups != load(name).groups, (name, key)
            except ValueError:
                pass
            except AssertionError:  # a default says the same; it stands there to be read
                assert key in ("sliding_window_pattern", "full_attention_interval"), (name, key)


# ------------------------------------------------------------- bad input

JUNK = ["junk", -1, 0, math.nan, math.inf, 10**30, [], [None, {}], {"a": [1]}]
MAY_BE_0 = {"num_kv_shared_layers", "attn_layer_offset"}
ESSENTIAL = {
    name: set(entry["config"])
    for name, entry in json.loads(CATALOGUE.read_text())["models"].items()
}


def paths_in(values, place=()):
    for key, value in values.items():
        yield (*place, key)
        if isinstance(value, dict) and key in ("text_config", "linear_attn_config"):
            yield from paths_in(value, (*place, key))


def with_value(values, place, value):
    if len(place) == 1:
        return values | {place[0]: value}
    return values | {place[0]: with_value(values[place[0]], place[1:], value)}


def original(values, place):
    for key in place:
        values = values[key]
    return values


@pytest.mark.parametrize("name", REAL)
def test_junk_in_any_field_is_refused_or_changes_nothing(name):
    values = config(name)
    groups = from_config(values).groups
    for place in paths_in(values):
        junk = JUNK if isinstance(original(values, place), bool) else [*JUNK, True, False]
        decoder = "text_config" not in values or place[0] == "text_config"
        for value in junk:
            if value == 0 and place[-1] in MAY_BE_0:
                continue
            try:
                found = from_config(with_value(values, place, value)).groups
            except (TypeError, ValueError) as error:
                message = str(error)
                assert message.startswith("from_config: ")
                assert "\n" not in message
                assert len(message) < 300
            else:
                assert found == groups, (place, value)
                counts = decoder and place[-1] in ESSENTIAL.get(name, ())
                assert not counts, (place, value)


@pytest.mark.parametrize("name", REAL)
def test_a_field_that_counts_cannot_be_left_out_in_silence(name):
    values = config(name)
    model = from_config(values)
    for place in paths_in(values):
        if len(place) == 1 and place[0] in ("num_hidden_layers", "kv_lora_rank", "text_config"):
            try:
                assert from_config(without(values, place[0])).groups == model.groups
                assert name.startswith("nemotron")  # its pattern says how many layers there are
            except ValueError as error:
                expected = f"from_config: {place[0]} must be given, got nothing"
                assert str(error).startswith(expected)


UNKNOWN = "; this reader does not know it, and it may shape the cache"
ABSENT = "give a path, the text of a config.json or a mapping"
GEMMA = {"model_type": "gemma3", "text_config": SMALL | {"model_type": "gemma3_text"}}
KIMI = config("kimi-linear-48b-a3b")
JAMBA = config("jamba-v0.1")
REFUSED = [
    # what a field must be
    (without(LLAMA, "num_hidden_layers"), "num_hidden_layers must be given, got nothing"),
    (LLAMA | {"num_hidden_layers": None}, "num_hidden_layers must be given, got null"),
    (LLAMA | {"num_hidden_layers": -1}, "num_hidden_layers must be from 1 to 100,000, got -1"),
    (
        LLAMA | {"num_hidden_layers": 10**30},
        "num_hidden_layers must be from 1 to 100,000, got a whole number of about 31 digits",
    ),
    (LLAMA | {"head_dim": "128"}, "head_dim must be a whole number, got '128' (str)"),
    (LLAMA | {"head_dim": 128.0}, "head_dim must be a whole number, got 128.0 (float)"),
    (LLAMA | {"head_dim": math.nan}, "head_dim must be a whole number, got nan (float)"),
    (LLAMA | {"head_dim": True}, "head_dim must be a whole number, got True (bool)"),
    (LLAMA | {"head_dim": [128]}, "head_dim must be a whole number, got [128] (list)"),
    # fields that contradict each other
    (
        LLAMA | {"num_key_value_heads": 7},
        "num_attention_heads must be a multiple of num_key_value_heads = 7, got 32",
    ),
    (
        without(LLAMA, "head_dim") | {"hidden_size": 4_097},
        "hidden_size must be a multiple of num_attention_heads = 32, got 4097; or state head_dim",
    ),
    (
        LLAMA | {"layer_types": [FULL] * 31},
        "layer_types must have 32 entries, got 31 entries",
    ),
    (
        LLAMA | {"layer_types": [FULL] * 31 + ["hyena"]},
        "layer_types[31] must be full_attention or attention, got 'hyena'",
    ),
    (
        QWEN | {"max_window_layers": 28, "layer_types": [FULL] * 32},
        "layer_types[28] must be sliding_attention, as max_window_layers says, "
        "got 'full_attention'",
    ),
    (
        without(QWEN, "sliding_window") | {"max_window_layers": 28},
        "sliding_window must be given, got nothing",
    ),
    (
        LLAMA | {"model_type": "mistral"},
        "sliding_window must be given, got nothing; null where no layer slides",
    ),
    (
        LLAMA | {"model_type": "qwen3_moe", "use_sliding_window": True},
        "use_sliding_window must be false in this family, got True; "
        "which of its layers slide differs between versions of transformers",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M-X*"},
        "hybrid_override_pattern must be a text of the letters M * - E, got 'M-X*'",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "-E"},
        "some layers must keep a cache, got none that does",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M-M*", "num_hidden_layers": 5},
        "num_hidden_layers must be 4, as many as there are layer types, got 5",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M-M*", "mamba_num_groups": 2},
        "mamba_num_groups must be 1, as its other name says, got 2",
    ),
    (
        KIMI | {"linear_attn_config": KIMI["linear_attn_config"] | {"full_attn_layers": [4]}},
        "linear_attn_config.kda_layers must be the layers from 1 to 27 that full_attn_layers "
        "leaves, each once, got 20 entries",
    ),
    (JAMBA | {"attn_layer_offset": 8}, "attn_layer_offset must be from 0 to 7, got 8"),
    (
        config("falcon-h1-34b") | {"mamba_d_head": 64},
        "mamba_d_head must be 4096 channels / 32 heads, got 64",
    ),
    (
        config("gemma-3n-e4b")
        | {"text_config": config("gemma-3n-e4b")["text_config"] | {"num_kv_shared_layers": 32}},
        "text_config.num_kv_shared_layers must be small enough that a layer of each kind keeps "
        "its own cache, got 32",
    ),
    (
        config("mimo-v2-flash") | {"sliding_window": 256},
        "sliding_window must be 128, as its other name says, got 256",
    ),
    (
        config("qwen3-next-80b-a3b") | {"torch_dtype": "int8"},
        "torch_dtype must be float32 or bfloat16 or float16, got 'int8'",
    ),
    # structures that nobody taught it
    (
        LLAMA | {"compress_ratios": [4, 128]},
        f"compress_ratios must be absent, got [4, 128]{UNKNOWN}",
    ),
    (LLAMA | {"kv_cache_dtype": "fp8"}, f"kv_cache_dtype must be absent, got 'fp8'{UNKNOWN}"),
    (LLAMA | {"index_head_dim": 128}, f"index_head_dim must be absent, got 128{UNKNOWN}"),
    (
        LLAMA | {"kv\nsharing": True},
        f"'kv\\nsharing' must be absent, got True{UNKNOWN}",
    ),
    (LLAMA | {7: 1}, "a field's name must be text, got 7 (int)"),
    (LLAMA | {"sliding_window": 4_096}, "sliding_window must be null in this family, got 4096"),
    (
        LLAMA | {"is_encoder_decoder": True},
        "is_encoder_decoder must be false, got True; "
        "cross-attention caches depend on another sequence",
    ),
    (
        SMALL | {"model_type": "gemma3_text", "use_bidirectional_attention": True},
        "use_bidirectional_attention must be false, got True; an encoder keeps no KV cache",
    ),
    ({"model_type": "lama"}, "model_type must be a known name, got 'lama'; did you mean 'llama'?"),
    ({"model_type": 5}, "model_type must be text, got 5 (int)"),
    ({}, "model_type must be given, got nothing"),
    (
        {"architectures": ["FooForCausalLM"]},
        "model_type must be given, got nothing; the architecture alone is not known here",
    ),
    # wrappers
    ({"model_type": "gemma3"}, "text_config must be given, got nothing"),
    (
        {"model_type": "gemma3", "text_config": []},
        "text_config must be a JSON object, got [] (list)",
    ),
    (
        GEMMA | {"text_config": LLAMA},
        "text_config.model_type must be gemma3_text, got 'llama'",
    ),
    (GEMMA | {"num_hidden_layers": 4}, f"num_hidden_layers must be absent, got 4{UNKNOWN}"),
    # not a config at all
    (
        [LLAMA["model_type"]],
        f"config must be {'a config.json (a path, its text or a mapping)'}, got ['llama'] (list)",
    ),
    (b"{}", "config must be a config.json (a path, its text or a mapping), got b'{}' (bytes)"),
    ("", "config must be a config.json (a path, its text or a mapping), got ''"),
    ("[1]", "config must be a JSON object, got [1] (list)"),
    (
        '{"model_type": "lla',
        "config must be valid JSON, got an error at line 1, column 16; is it whole?",
    ),
    (
        json.dumps(LLAMA).replace("128", "1e400"),
        "head_dim must be a whole number, got inf (float)",
    ),
    (
        json.dumps(LLAMA).replace("128", "9" * 5_000),
        "config must be valid JSON, got an endless number",
    ),
    (
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "config must be nested less deeply, got more levels than Python reads",
    ),
    ("{" + " " * 8_000_000 + "}", "config must be at most 8,000,000 bytes, got a longer text"),
    ("/no/such/file", f"config must be an existing file, got '/no/such/file'; {ABSENT}"),
    ("/dev/zero", "config must be a regular file, got '/dev/zero'"),
    ("a\0b", "config must be a path, got 'a\\x00b'"),
]


@pytest.mark.parametrize("given, message", REFUSED, ids=[m[:50] for _, m in REFUSED])
def test_what_is_not_understood_is_refused_in_one_sentence(given, message):
    with pytest.raises(
        (TypeError, ValueError, OSError), match=f"^{re.escape('from_config: ' + message)}$"
    ):
        from_config(given)


@pytest.mark.parametrize(
    "name, kind, near",
    [
        ("refused-deepseek-v4-flash", "deepseek_v4", "did you mean 'deepseek_v3'?"),
        ("refused-minimax-m3", "minimax_m3", "did you mean 'minimax_m2'?"),
        ("refused-llama-3.3-nemotron-super-49b", "nemotron-nas", "did you mean 'nemotron_h'?"),
        ("refused-step-3.7-flash", "step3p7", "known are llama, "),
    ],
)
def test_real_models_with_another_cache_are_refused_by_their_type(name, kind, near):
    message = f"from_config: model_type must be a known name, got '{kind}'; {near}"
    with pytest.raises(ValueError, match=re.escape(message)):
        from_config(FILES[name])


@pytest.mark.parametrize("kind", ["deepseek_v3", "glm4_moe", "llama", "qwen3"])
def test_a_known_type_with_a_foreign_structure_is_refused_by_field(kind):
    foreign = config("refused-deepseek-v4-flash") | {"model_type": kind, "kv_lora_rank": 512}
    with pytest.raises(ValueError, match=r"^from_config: [a-z_]+ must be "):
        from_config(foreign)


def test_files_that_are_no_text_or_no_file_or_too_large_are_refused(tmp_path):
    binary, large, pipe = (tmp_path / name for name in ("binary", "large", "pipe"))
    binary.write_bytes(b"\xff\xfe\x00{")
    with large.open("wb") as file:
        file.truncate(50 * 10**6)
    os.mkfifo(pipe)
    for path, message in [
        (binary, f"config must be UTF-8 text, got {str(binary)!r}"),
        (large, "config must be at most 8,000,000 bytes, got a longer file"),
        (pipe, f"config must be a regular file, got {str(pipe)!r}"),
        (tmp_path, f"config must be an existing file, got {str(tmp_path / 'config.json')!r}"),
    ]:
        with pytest.raises((ValueError, OSError)) as caught:
            from_config(path)
        shown = str(caught.value)
        assert shown.startswith("from_config: " + message[:80].split("/")[0])
        assert "\n" not in shown


@pytest.mark.parametrize(
    "name, error, message",
    [
        (
            "llama-3.1-9b",
            ValueError,
            "load: name must be a known name, got 'llama-3.1-9b'; did you mean 'llama-3.1-8b'?",
        ),
        (
            "Llama-3.1-8B",
            ValueError,
            "load: name must be a known name, got 'Llama-3.1-8B'; did you mean 'llama-3.1-8b'?",
        ),
        (None, TypeError, "load: name must be text, got None (NoneType)"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest(name, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        load(name)
