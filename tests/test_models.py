"""Models: every real `config.json` is read as the engines read it, or refused by name.

Oracles: `data/engine_bytes.json`, what vLLM and SGLang allocate for 25 models; published figures;
and, for what may not happen, junk put into every field of 67 real configs.
"""

import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

from kvlib.models import from_config, load, names
from kvlib.models.families import READERS, WRAPPERS
from kvlib.payload import Geometry, Indexer, Latent, Model, Recurrent, payload_bytes, with_draft

DATA = Path(__file__).parent / "data"
FILES = {path.stem: path for path in sorted((DATA / "configs").glob("*.json"))}
REAL = {name: path for name, path in FILES.items() if not name.startswith("refused-")}
ENGINES = json.loads((DATA / "engine_bytes.json").read_text())["models"]
CATALOGUE = Path(__file__).parents[1] / "kvlib" / "models" / "catalogue.json"


KDA = "recurrent state counted in the model's dtype; engines hold it in float32"
EIGHT = "KV cache stated as 8-bit: 1 byte an element, scales not counted"


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
    noted = f"; {KDA}" if name in ("kimi-k3", "kimi-linear-48b-a3b") else ""
    assert by_path.source == f"config.json read from the file {name}.json{noted}"
    assert by_path.element_bytes == 2


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
CYCLE = SMALL | {"model_type": "cohere2", "hidden_size": 4_096}
CYCLE |= {"sliding_window_pattern": 2, "layer_switch": 2, "_sliding_window_pattern": 2}
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


GEMMA_4 = config("gemma-4-31b")
KIMI = config("kimi-linear-48b-a3b")
UNKNOWN = "; this reader does not know it: leave it out if it does not shape the cache"
GEOMETRY = "write Geometry(layers=..., kv_heads=..., head_dim=...)"
DENSE = f"if every layer keeps K and V of every token, {GEOMETRY}"


def in_text(mapping, **values):
    return mapping | {"text_config": mapping["text_config"] | values}


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
        (SMALL | {"model_type": "gemma3_text", "sliding_window_pattern": 1}, (4, 0)),
        (CYCLE, (2, 2)),
        (without(CYCLE, "sliding_window_pattern") | {"layer_types": [SLIDING, FULL] * 2}, (2, 2)),
        (SMALL | {"model_type": "cohere2", "hidden_size": 4_096}, (1, 3)),
        (without(QWEN, "use_sliding_window") | {"max_window_layers": 28}, (32, 0)),
        (LLAMA | {"sliding_window": 64, "use_sliding_window": False}, (32, 0)),
        (SMALL | {"model_type": "mixtral"}, (0, 4)),
        (SMALL | {"model_type": "starcoder2"}, (0, 4)),
        (SMALL | {"model_type": "gemma2", "sliding_window_size": 64}, (2, 2)),
        (SMALL | {"model_type": "mistral", "sliding_window_size": 64}, (0, 4)),
        (QWEN | {"use_sliding_window": False, "sliding_window_size": 4_096}, (32, 0)),
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


# What the classes of transformers 5.24.0 make of a file that leaves the field out, and of a null
# ("-": they build no model from it): KV heads of 64 query heads, then head_dim of 64 x 64.
CLASSES = """
cohere 64 64 64 64          ernie4_5 2 64 128 64        ernie4_5_moe 4 - 64 64
falcon_h1 8 64 64 64        gemma 16 - 256 -            gemma2 4 - 256 -
gemma3_text 4 - 256 -       gemma3n_text 2 - 256 -      gemma4_text 4 - 256 -
glm 2 - 128 -               glm4 2 - 128 -              glm4_moe 8 - 64 64
gpt_oss 8 - 64 -            granite 64 64 64 64         granitemoe 64 64 64 64
granitemoehybrid 64 64 64 64  hunyuan_v1_dense 64 64 64 64  hunyuan_v1_moe 64 64 64 64
hy_v3 8 - 128 -             jamba 8 - 64 64             llama 64 64 64 64
llama4_text 8 - 128 -       mimo_v2_flash 4 - 192 -     minimax 8 - 64 64
minimax_m2 8 - 128 -        ministral3 8 - 128 -        mistral 8 - 64 64
mixtral 8 - 64 64           nemotron_h 8 - 128 -        olmo 64 64 64 64
olmo2 64 64 64 64           olmo3 64 64 64 64           phi3 64 64 64 64
qwen2 32 64 64 64           qwen2_moe 16 - 64 64        qwen3 32 64 128 -
qwen3_5_moe_text 2 - 256 -  qwen3_5_text 4 - 256 -      qwen3_moe 4 - 64 64
qwen3_next 2 - 256 -        qwen3_vl_moe_text 16 - 64 64  qwen3_vl_text 32 64 128 -
seed_oss 8 64 128 64        starcoder2 2 - 64 64        cohere2 64 64 64 64
"""
ROWS = [CLASSES.split()[i : i + 5] for i in range(0, len(CLASSES.split()), 5)]
WHOLE = {c["model_type"]: c for c in (v.get("text_config", v) for v in map(config, REAL))}
EXTRA = {"olmo3": {"sliding_window": 64}, "minimax": {"layer_types": [FULL] * 4}}


def undecided(family):
    """Return a config of `family` without num_key_value_heads and head_dim, with 64 heads."""
    values = WHOLE.get(family, {"model_type": family, "num_hidden_layers": 4})
    values = without(values, "num_key_value_heads", "head_dim", "attention_head_dim")
    wide = {"num_attention_heads": 64, "hidden_size": 4_096}
    return values | EXTRA.get(family, {}) | wide


@pytest.mark.parametrize("family, kv, kv_null, width, width_null", ROWS, ids=[r[0] for r in ROWS])
def test_a_missing_field_means_the_classs_default(family, kv, kv_null, width, width_null):
    values = undecided(family)

    def shape(changes):
        groups = [g for g in from_config(values | changes).groups if isinstance(g, Geometry)]
        group = groups[-1] if family == "gemma4_text" else groups[0]  # its narrow, sliding layers
        return group.kv_heads, group.head_dim

    assert shape({}) == (int(kv), int(width))
    for key, index, derived in [
        ("num_key_value_heads", 0, kv_null),
        ("head_dim", 1, width_null),
    ]:
        if derived == "-":
            with pytest.raises(ValueError, match=rf"^from_config: {key} must be given, got null$"):
                shape({key: None})
        else:
            assert shape({key: None})[index] == int(derived)


def test_every_family_states_its_class_or_has_to_state_the_fields():
    named = {row[0] for row in ROWS}
    latent = {"deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "glm4_moe_lite"}
    latent |= {"glm_moe_dsa", "kimi_linear"}
    own = {"falcon", "gpt_bigcode", "mamba2"}  # their readers say what is left out
    elsewhere = {"hunyuan", "mimo", "minimax_text_01"}  # no class: to be stated
    assert named | latent | own | elsewhere == set(READERS)


def test_files_saved_again_by_transformers_5_24_are_read_alike():
    gemma = config("gemma-4-26b-a4b")["text_config"]
    full = [i for i, kind in enumerate(gemma["layer_types"]) if kind == FULL]
    layers = {f"{i:02}": {"head_dim": 512, "num_key_value_heads": 2} for i in full}
    saved = without(gemma, "global_head_dim", "num_global_key_value_heads")
    saved["per_layer_config"] = layers
    assert from_config(saved).groups == from_config(gemma).groups
    for changed, message in [
        ({"30": {}}, "30 must be one number from 0 to 29, once, got {}"),
        ({"5": {"skip": ["mlp"]}}, f"5.skip must be absent, got ['mlp']{UNKNOWN}"),
    ]:
        message = f"from_config: per_layer_config.{message}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            from_config(saved | {"per_layer_config": changed})

    mimo = config("mimo-v2-flash")
    assert from_config(mimo | {"sliding_window": 129}).groups == from_config(mimo).groups
    kimi = config("kimi-k2.5")
    saved = kimi | {"projection_layer_norm_eps": 1e-5}
    assert from_config(saved).groups == from_config(kimi).groups

    linear = config("kimi-linear-48b-a3b")
    kda = linear["linear_attn_config"]["kda_layers"]
    saved = without(linear, "linear_attn_config")
    saved |= {"linear_num_heads": 32, "linear_head_dim": 128, "linear_conv_kernel_dim": 4}
    saved["layer_types"] = [
        "linear_attention" if i + 1 in kda else FULL for i in range(linear["num_hidden_layers"])
    ]
    assert from_config(saved).groups == from_config(linear).groups
    moe = LLAMA | {"model_type": "qwen2_moe", "use_sliding_window": False, "sliding_window": 0}
    assert from_config(moe).groups == from_config(LLAMA).groups


def test_the_indexer_of_glm_is_said_by_list_pattern_or_period():
    own = from_config(GLM_DSA | {"index_topk_freq": 4}).groups[1].layers
    base = ["full" if max(i - 1, 0) % 4 == 0 else "shared" for i in range(78)]
    pattern = "".join("F" if kind == "full" else "S" for kind in base)
    assert from_config(GLM_DSA | {"indexer_types": base}).groups[1].layers == own
    assert from_config(GLM_DSA | {"index_topk_pattern": pattern}).groups[1].layers == own


def test_the_wrappers_dtype_is_the_decoders_where_that_states_none():
    whole = config("qwen3.5-27b")
    text = without(whole["text_config"], "dtype", "torch_dtype", "mamba_ssm_dtype")
    for silent in ({}, {"dtype": None}, {"dtype": None, "torch_dtype": None}):
        wrapped = whole | {"dtype": "float32", "text_config": text | silent}
        group = from_config(wrapped).groups[1]
        assert (group.state_element_bytes, group.conv_element_bytes) == (4, 4)
    own = whole | {"dtype": "float32", "text_config": text | {"dtype": "bfloat16"}}
    assert from_config(own).groups[1].conv_element_bytes == 2


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
    for head in ("LlamaForSequenceClassification", "LlamaModel", "LLaMAForCausalLM"):
        assert from_config(LLAMA | {"architectures": [head]}).groups == from_config(LLAMA).groups


def test_a_model_is_named_by_its_directory_its_file_or_its_own_field(tmp_path):
    home = tmp_path / "My-Model"
    home.mkdir()
    (home / "config.json").write_text("\ufeff" + json.dumps(LLAMA), encoding="utf-8")
    assert from_config(home).name == "My-Model"
    assert from_config(home / "config.json").name == "My-Model"
    assert from_config(LLAMA | {"_name_or_path": "org/x"}).name == "org/x"
    assert from_config(LLAMA | {"_name_or_path": 7}).name == "llama"
    for file, name in [("org--it_config.json", "org--it"), ("_config.json", "llama")]:
        (tmp_path / file).write_text(json.dumps(LLAMA))
        assert from_config(tmp_path / file).name == name
    odd = tmp_path / "two\nlines\x1b[31m.json"
    odd.write_text(json.dumps(LLAMA))
    assert from_config(odd).name == r"two\nlines\x1b[31m"
    assert from_config(odd).source == r"config.json read from the file two\nlines\x1b[31m.json"


# ------------------------------------------------------------- quantized caches

MODELOPT = {"dynamic": False, "num_bits": 8, "type": "float"}  # as NVIDIA's NVFP4 models state it
TENSORS = MODELOPT | {"strategy": "tensor", "symmetric": True, "observer": "minmax"}
TENSORS |= {"observer_kwargs": {}, "actorder": None, "block_structure": None, "group_size": None}
SCHEME = "quantization_config.kv_cache_scheme"
WAY_OUT = "leave it out and pass element_bytes"


def quantized(section, **values):
    return LLAMA | {section: {"quant_method": "modelopt", "bits": 4} | values}


@pytest.mark.parametrize(
    "values, width",
    [
        (quantized("quantization_config", kv_cache_scheme=MODELOPT), 1),
        (quantized("quantization_config", kv_cache_scheme=MODELOPT | {"type": "int"}), 1),
        (quantized("quantization_config", kv_cache_scheme=TENSORS), 1),
        (quantized("compression_config", kv_cache_scheme=TENSORS), 1),
        (quantized("quantization_config", kv_cache_scheme="FP8"), 1),
        (quantized("quantization_config", kv_cache_quant_algo="FP8"), 1),
        (quantized("quantization_config", quantization={"kv_cache_quant_algo": "FP8"}), 1),
        (GEMMA_4 | {"quantization_config": {"kv_cache_scheme": MODELOPT}}, 1),
        (in_text(GEMMA_4, quantization_config={"kv_cache_scheme": MODELOPT}), 1),
        (quantized("quantization_config", kv_cache_scheme=None, kv_cache_quant_algo="FP8"), 1),
        (quantized("quantization_config"), 2),
        (quantized("quantization_config", kv_cache_scheme=None), 2),
        (quantized("quantization_config", kv_cache_quant_algo=None), 2),
        (quantized("quantization"), 2),
        (LLAMA | {"quantization_config": None}, 2),
    ],
)
def test_a_cache_that_its_file_states_as_8_bit_counts_one_byte_an_element(values, width):
    model = from_config(values)
    bare = from_config({k: v for k, v in values.items() if "config" not in k or k == "text_config"})
    assert model.groups == bare.groups
    assert model.element_bytes == width
    noted = f"; {EIGHT}" if width == 1 else ""
    assert model.source == f"config.json read from a mapping{noted}"
    assert payload_bytes(model, 8_192) == payload_bytes(model, 8_192, width)
    assert payload_bytes(model, 8_192, 2) == payload_bytes(bare, 8_192, 2)


def test_both_notes_stand_in_the_source_of_a_quantized_model_with_a_state():
    model = from_config(KIMI | {"quantization_config": {"kv_cache_scheme": MODELOPT}})
    assert model.source == f"config.json read from a mapping; {KDA}; {EIGHT}"


@pytest.mark.parametrize(
    "values, message",
    [
        ({"kv_cache_scheme": MODELOPT | {"num_bits": 4}}, f"{SCHEME}.num_bits must be 8, got 4"),
        (
            {"kv_cache_scheme": MODELOPT | {"num_bits": 8.0}},
            f"{SCHEME}.num_bits must be 8, got 8.0",
        ),
        ({"kv_cache_scheme": {"type": "float"}}, f"{SCHEME}.num_bits must be 8, got nothing"),
        ({"kv_cache_scheme": {"num_bits": 8}}, f"{SCHEME}.type must be float or int, got nothing"),
        (
            {"kv_cache_scheme": MODELOPT | {"type": "mxfp"}},
            f"{SCHEME}.type must be float or int, got 'mxfp'",
        ),
        (
            {"kv_cache_scheme": MODELOPT | {"dynamic": True}},
            f"{SCHEME}.dynamic must be false, got True; "
            f"such scales lie beside the tokens: {WAY_OUT}",
        ),
        (
            {"kv_cache_scheme": TENSORS | {"strategy": "token"}},
            f"{SCHEME}.strategy must be tensor or channel or attn_head, got 'token'",
        ),
        (
            {"kv_cache_scheme": TENSORS | {"group_size": 64}},
            f"{SCHEME}.group_size must be absent, got 64{UNKNOWN}",
        ),
        (
            {"kv_cache_scheme": MODELOPT | {7: 1}},
            "a field's name must be text, got 7 (int)",
        ),
        ({"kv_cache_scheme": "NVFP4"}, f"{SCHEME} must be FP8 or a scheme of 8 bits, got 'NVFP4'"),
        ({"kv_cache_scheme": 8}, f"{SCHEME} must be FP8 or a scheme of 8 bits, got 8"),
        (
            {"kv_cache_quant_algo": "NVFP4"},
            "quantization_config.kv_cache_quant_algo must be FP8 or a scheme of 8 bits, "
            "got 'NVFP4'",
        ),
        (
            {"kv_cache_group": ["*k_proj"]},
            "quantization_config.kv_cache_group must be absent, got ['*k_proj']",
        ),
    ],
)
def test_another_scheme_for_the_cache_is_refused_with_the_way_out(values, message):
    if not message.endswith((WAY_OUT, UNKNOWN, "(int)")):
        message += f"; {WAY_OUT}"
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape('from_config: ' + message)}$"):
        from_config(LLAMA | {"quantization_config": values})


def test_a_scheme_in_the_decoders_section_is_named_with_its_place():
    values = in_text(GEMMA_4, quantization_config={"kv_cache_scheme": "INT4"})
    message = f"text_config.{SCHEME} must be FP8 or a scheme of 8 bits, got 'INT4'; {WAY_OUT}"
    with pytest.raises(ValueError, match=f"^{re.escape('from_config: ' + message)}$"):
        from_config(values)


# ------------------------------------------------------------- catalogue


@pytest.mark.parametrize("name", names())
def test_every_entry_loads_and_says_where_it_was_read_and_when(name):
    model = load(name)
    assert isinstance(model, Model)
    assert model.name == name
    source = model.source.removesuffix(f"; {KDA}")
    assert (source != model.source) == (name in ("kimi-k3", "kimi-linear-48b-a3b"))
    assert re.fullmatch(r"[\w.-]+/[\w.-]+: .{20,}, 2026-\d\d-\d\d", source)
    assert model.element_bytes == 2
    assert payload_bytes(model, 8_192) > 0


SAID_ANYWAY = {"head_dim", "num_key_value_heads", "v_head_dim", "swa_num_key_value_heads"}
SAID_ANYWAY |= {
    "attention_head_dim",
    "sliding_window_pattern",
    "full_attention_interval",
    "global_head_dim",
}


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
                assert key in SAID_ANYWAY, (name, key)


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


ABSENT = "give a path, the text of a config.json or a mapping"
GEMMA = {"model_type": "gemma3", "text_config": SMALL | {"model_type": "gemma3_text"}}
QWEN_NEXT = without(config("qwen3-next-80b-a3b"), "full_attention_interval")
FALCON = {"model_type": "falcon", "num_hidden_layers": 2, "hidden_size": 512}
FALCON |= {"num_attention_heads": 8}
GLM_DSA = without(config("glm-5"), "index_topk_freq", "indexer_types", "index_topk_pattern")
CHUNKED = without(SMALL, "sliding_window") | {"model_type": "llama4_text"}
CHUNKED["attention_chunk_size"] = 64
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
        "sliding_window must be 128 or 129, as sliding_window_size = 128 says, got 256",
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
    # files that are often taken for a config.json
    *(
        (values, f"model_type must be given, got nothing; {hint}")
        for values, hint in [
            (
                {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}},
                "this is no config.json: give the one beside hf_quant_config.json",
            ),
            (
                {"peft_type": "LORA", "base_model_name_or_path": "org/x", "r": 16},
                "this is an adapter's config: give the base model's config.json",
            ),
            (
                {"dim": 4_096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8},
                "this is a params.json: give the Hugging Face config.json",
            ),
            (
                {"d_model": 768, "n_layer": 24, "ssm_cfg": {}, "rms_norm": True},
                "this is a config of mamba_ssm: give the Hugging Face config.json",
            ),
        ]
    ),
    # two names for one window
    (
        SMALL | {"model_type": "gemma2", "sliding_window_size": 128},
        "sliding_window_size must be 64, as sliding_window says, got 128",
    ),
    (
        LLAMA | {"sliding_window_size": 64},
        f"sliding_window_size must be absent, got 64{UNKNOWN}",
    ),
    (
        SMALL | {"model_type": "mistral", "sliding_window": None, "sliding_window_size": 64},
        f"sliding_window_size must be absent, got 64{UNKNOWN}",
    ),
    (
        FALCON | {"new_decoder_architecture": True},
        "new_decoder_architecture must be false, got True; "
        f"engines differ in what they keep for it: {GEOMETRY}",
    ),
    (
        {"architectures": ["FooForCausalLM"]},
        "model_type must be given, got nothing; the architecture alone is not known here",
    ),
    # an explicit null, where the class derives nothing from it
    (LLAMA | {"model_type": "glm", "head_dim": None}, "head_dim must be given, got null"),
    (
        LLAMA | {"model_type": "mixtral", "num_key_value_heads": None},
        "num_key_value_heads must be given, got null",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M*", "head_dim": None, "attention_head_dim": 16},
        "head_dim must be given, got null",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M*", "mamba_ssm_cache_dtype": None},
        "mamba_ssm_cache_dtype must be given, got null",
    ),
    (FALCON | {"multi_query": None}, "multi_query must be true or false, got null"),
    (
        QWEN_NEXT | {"full_attention_interval": None},
        "full_attention_interval must be given, got null",
    ),
    (FALCON | {"head_dim": 128}, "head_dim must be 64, as its other name says, got 128"),
    # a window that no layer of the family has, or that a flag does not switch off
    *(
        (values | {"sliding_window": 4_096}, "sliding_window must be null in this family, got 4096")
        for values in (
            FALCON,
            JAMBA,
            without(QWEN_NEXT, "use_sliding_window"),
            config("falcon-h1-34b"),
            config("granite-4.0-h-small"),
            config("deepseek-v3"),
            config("llama-4-scout"),
            LLAMA | {"model_type": "gemma"},
        )
    ),
    (
        LLAMA | {"attention_chunk_size": 8_192},
        "attention_chunk_size must be null in this family, got 8192",
    ),
    (
        SMALL | {"model_type": "mixtral", "use_sliding_window": False},
        "use_sliding_window must be absent beside sliding_window = 64, got False; "
        "this family's class does not read it",
    ),
    (
        SMALL | {"model_type": "phi3", "layer_types": [SLIDING] * 3 + [FULL]},
        "layer_types[3] must be sliding_attention, as sliding_window says, got 'full_attention'",
    ),
    (
        CYCLE | {"sliding_window_pattern": 4, "_sliding_window_pattern": 4},
        "layer_switch must be a period that gives the same layers, got 2; "
        "transformers does not read it back",
    ),
    (
        SMALL | {"model_type": "gemma3_text", "_sliding_window_pattern": 2},
        "_sliding_window_pattern must be a period that gives the same layers, got 2; "
        "transformers does not read it back",
    ),
    # false that says something
    (
        LLAMA | {"is_causal": False},
        "is_causal must be true, got False; attention that looks ahead keeps no KV cache",
    ),
    (
        config("deepseek-v3") | {"use_mla": False},
        "use_mla must be true in this family, got False; without it K and V are cached instead",
    ),
    (LLAMA | {"use_gqa": False}, f"use_gqa must be absent, got False{UNKNOWN}"),
    # what a file says twice
    (
        '{"model_type": "llama", "num_hidden_layers": 1, "num_hidden_layers": 2}',
        "num_hidden_layers must be given once, got it twice",
    ),
    (
        LLAMA | {"architectures": ["Qwen3NextForCausalLM"]},
        "architectures must be the name of a decoder of the family llama, "
        "got ['Qwen3NextForCausalLM']",
    ),
    (
        LLAMA | {"architectures": ["LlamaBidirectionalModel"]},
        "architectures must be the name of a decoder of the family llama, "
        "got ['LlamaBidirectionalModel']",
    ),
    (
        LLAMA | {"architectures": "LlamaForCausalLM"},
        "architectures must be a list of class names, got 'LlamaForCausalLM' (str)",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M-", "layers_block_type": ["mamba", "attention"]},
        "layers_block_type[1] must be mlp or moe, as hybrid_override_pattern says, got 'attention'",
    ),
    (
        HYBRID | {"hybrid_override_pattern": ""},
        "hybrid_override_pattern must be a text of the letters M * - E, got ''",
    ),
    (
        HYBRID | {"hybrid_override_pattern": "M*" * 50_001},
        "hybrid_override_pattern must have from 1 to 100,000 layers, got 100,002",
    ),
    (
        GLM_DSA | {"index_topk_pattern": "FS" * 39, "index_topk_freq": 4},
        f"index_topk_pattern must be what index_topk_freq and its offset say, "
        f"got '{('FS' * 39)[:27]}...{('FS' * 39)[-28:]}'",
    ),
    # lists of the wrong kind
    *(
        (
            CHUNKED | {"no_rope_layers": value},
            f"no_rope_layers must be a list of 4 numbers, 0 or 1, got {value!r} "
            f"({type(value).__name__})",
        )
        for value in (0, False, {})
    ),
    # wrappers
    (
        LLAMA | {"text_config": {}, "llm_config": LLAMA},
        f"llm_config must be absent, got 5 entries{UNKNOWN}",
    ),
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


FOREIGN = """
total_ut_steps loop_num num_loops num_meta_tokens num_prefix_tokens nsa_config use_nsa dsa_config
moba_config topk use_mqa mqa gqa v_dim dim_k k_eq_v canon canon_set hyena lru_width rnn_dim
ttt_config retnet lightning eviction_budget snapkv streaming_llm recent_size max_ctx_retained
global_every_n span token_merging mixture_of_depths kv_share_groups cross_layer_share
compress_ratios cla_share_factor anything_new text_config llm_config language_config vision_config
per_layer_config mamba_ssm_dtype use_mla num_layers n_layer expert_kv_heads router_depth
pruned_heads cross_attention_hidden_size dual_chunk_attention_config
"""


@pytest.mark.parametrize("key", FOREIGN.split())
def test_a_name_that_nobody_read_is_refused_if_it_says_something(key):
    for value in (2, True, "ABCD", {"x": 1}, [1], 0, np.ones(2), np.int64(3)):
        with pytest.raises(ValueError, match=f"^from_config: {key} must be absent, got "):
            from_config(LLAMA | {key: value})
    for value in (None, "", {}, []):
        assert from_config(LLAMA | {key: value}).groups == from_config(LLAMA).groups


@pytest.mark.parametrize("key", ["expand_v", "dim_v", "num_v_heads", "hidden_size"])
def test_an_opened_section_holds_nothing_that_nobody_read(key):
    linear = KIMI["linear_attn_config"] | {key: 2}
    message = f"from_config: linear_attn_config.{key} must be absent, got 2{UNKNOWN}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_config(KIMI | {"linear_attn_config": linear})


class Odd:
    """An object that answers no comparison."""

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None

    def __repr__(self):
        return "odd\nand long"


@pytest.mark.parametrize("value", [np.ones(3), np.array(32), np.float64(32), np.bool_(True), Odd()])
def test_odd_objects_are_refused_where_they_count_and_ignored_elsewhere(value):
    ignored = dict.fromkeys(["rope_theta", "hidden_size", "num_experts", "auto_map"], value)
    assert from_config(LLAMA | ignored).groups == from_config(LLAMA).groups
    relevant = [*LLAMA, "layer_types", "architectures", "is_causal", "sliding_window", "new"]
    for values in (LLAMA, CYCLE, QWEN, HYBRID | {"hybrid_override_pattern": "M*"}):
        for key in (*relevant, "use_bidirectional_attention", "order_of_interleaved_layers"):
            with pytest.raises((TypeError, ValueError), match=r"^from_config: .+$") as caught:
                from_config(values | {key: value})
            assert "\n" not in str(caught.value)


def test_counts_of_numpy_are_counts():
    counted = {k: np.int64(v) if isinstance(v, int) else v for k, v in LLAMA.items()}
    assert from_config(counted).groups == from_config(LLAMA).groups


@pytest.mark.parametrize(
    "name, kind",
    [
        ("refused-deepseek-v4-flash", "deepseek_v4"),
        ("refused-minimax-m3", "minimax_m3"),
        ("refused-llama-3.3-nemotron-super-49b", "nemotron-nas"),
        ("refused-step-3.7-flash", "step3p7"),
    ],
)
def test_real_models_with_another_cache_are_refused_by_their_type(name, kind):
    message = f"from_config: model_type must be a known name, got '{kind}'; {DENSE}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_config(FILES[name])


NO_TYPOS = """
internlm2 mamba bamba zamba2 gpt_neox qwen33 qwen4 qwen deepseek_v4 glm4v glm4v_moe ministral
nemotron olmoe llava mllama mimi opt mpt bloom minimax_m1 x
"""


@pytest.mark.parametrize("kind", NO_TYPOS.split())
def test_another_family_is_not_taken_for_a_misspelt_one(kind):
    message = f"from_config: model_type must be a known name, got '{kind}'; {DENSE}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_config({"model_type": kind})


@pytest.mark.parametrize(
    "kind, near",
    [
        ("lama", "llama"),
        ("LLaMA", "llama"),
        ("qwen3-next", "qwen3_next"),
        ("deepseekv3", "deepseek_v3"),
        ("mistrall", "mistral"),
        ("gemma3_txt", "gemma3_text"),
    ],
)
def test_a_misspelt_family_is_answered_with_the_one_meant(kind, near):
    message = f"from_config: model_type must be a known name, got '{kind}'; did you mean '{near}'?"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_config({"model_type": kind})


def test_the_note_of_a_browsers_library_is_harmless():
    noted = LLAMA | {"transformers.js_config": {"kv_cache_dtype": {"q4f16": "float16"}}}
    assert from_config(noted) == from_config(LLAMA)


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
