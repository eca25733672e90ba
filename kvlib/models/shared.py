"""Shared: layers that read another layer's K and V, and so keep none of their own.

Source: transformers 5.24.0, gemma3n and gemma4 configuration files, read 2026-11-29; for
Hunyuan's cross-layer attention, vLLM's hunyuan_v1 model: of each cla_share_factor layers the first
keeps a cache.
"""

from collections import Counter

from kvlib import _check
from kvlib.models._read import CALL
from kvlib.models.dense import causal
from kvlib.models.fields import MOST_LAYERS, Fields
from kvlib.models.layers import (
    FULL,
    SLIDING,
    attention,
    every,
    head_dim,
    kv_heads,
    shared_by_heads,
    split_head_dim,
    stated,
)
from kvlib.models.sliding import EITHER
from kvlib.payload import Geometry, Group


def _owners(config: Fields, kinds: list[str]) -> list[str]:
    """Return the kinds of the layers that keep a cache: all but the last num_kv_shared_layers."""
    shared = config.count("num_kv_shared_layers", minimum=0, maximum=len(kinds) - 1)
    owners = kinds[: len(kinds) - shared]
    if not set(kinds) <= set(owners):
        rule = "small enough that a layer of each kind keeps its own cache"
        config.refuse("num_kv_shared_layers", rule)
    return owners


def gemma3n(config: Fields) -> list[Group]:
    """Return the groups of Gemma 3n: four layers slide, the fifth does not, the last ones share."""
    causal(config)
    layers = config.layers()
    kinds = stated(config, layers, EITHER) or every(5, layers, SLIDING)
    owners = _owners(config, kinds)
    config.ignore("sliding_window")  # where the list has no sliding layer
    return attention(config, owners, kv_heads=kv_heads(config), head_dim=head_dim(config))


def gemma4(config: Fields) -> list[Group]:
    """Return the groups of Gemma 4: full layers have wider heads, and in some models fewer.

    Where attention_k_eq_v holds, K and V come from one projection; both are cached all the same,
    since K alone is normed and rotated.
    """
    causal(config, "vision")
    layers = config.layers()
    kinds = stated(config, layers, EITHER) or every(6, layers, SLIDING)
    if kinds[-1] != FULL:
        config.refuse("layer_types", "full_attention for the last layer")
    owners = _owners(config, kinds)
    config.ignore("sliding_window")  # where the list has no sliding layer
    listed = "per_layer_config" in config.values
    shapes = _by_layer(config, kinds) if listed else _by_kind(config, kinds)
    groups: list[Group] = []
    for kind in (FULL, SLIDING):
        found = Counter(s for s, k in zip(shapes, owners, strict=False) if k == kind)
        for (kv, width), many in found.items():
            groups += attention(config, [kind] * many, kv_heads=kv, head_dim=width)
    return groups


def _by_kind(config: Fields, kinds: list[str]) -> list[tuple[int, int]]:
    """Return KV heads and head size of each layer, from the fields for full (global) layers."""
    sliding = full = kv_heads(config)
    if config.flag("attention_k_eq_v") and config.get("num_global_key_value_heads") is not None:
        key = "num_global_key_value_heads"
        full = shared_by_heads(config, key, config.count(key))
    config.ignore("num_global_key_value_heads")
    wide, narrow = config.count("global_head_dim", 512), head_dim(config)
    return [(full, wide) if kind == FULL else (sliding, narrow) for kind in kinds]


def _by_layer(config: Fields, kinds: list[str]) -> list[tuple[int, int]]:
    """Return the same from per_layer_config, which files saved by transformers 5.24 hold instead.

    Its keys are layer numbers from 0; what it does not say of a layer, the config says of all.
    """
    config.flag("attention_k_eq_v")
    for key in ("global_head_dim", "num_global_key_value_heads"):
        if config.get(key) is not None:
            config.refuse(key, "absent beside per_layer_config")
    found = [(kv_heads(config), head_dim(config))] * len(kinds)
    overrides = config.section("per_layer_config")
    seen: set[int] = set()
    for key in overrides.values:
        _check.kind(CALL, f"a key of {config.name('per_layer_config')}", key, str, "text")
        number = int(key) if key.isascii() and key.isdigit() and len(key) < 7 else MOST_LAYERS
        if number >= len(kinds) or number in seen:
            overrides.refuse(key, f"one number from 0 to {len(kinds) - 1}, once")
        seen.add(number)
        layer, (kv, width) = overrides.section(key), found[number]
        kv = shared_by_heads(config, "num_key_value_heads", layer.count("num_key_value_heads", kv))
        found[number] = kv, layer.count("head_dim", width)
        layer.finish(known=False)
    return found


def hunyuan(config: Fields) -> list[Group]:
    """Return the groups of Hunyuan: with use_cla, neighbouring layers share one cache."""
    if config.flag("use_mla"):
        config.refuse("use_mla", "false", "no released Hunyuan model is known to use it")
    layers, kv = config.layers(), kv_heads(config)
    config.ignore(
        "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"
    )
    width = config.optional("head_dim") or config.optional("attention_head_dim")
    width = split_head_dim(config, "or state head_dim") if width is None else width
    config.same(width, "attention_head_dim", "head_dim")
    config.ignore("cla_share_factor")  # stated as 2 in files that switch the sharing off
    if config.flag("use_cla"):
        layers = -(-layers // config.count("cla_share_factor"))
    return [Geometry(layers=layers, kv_heads=kv, head_dim=width)]
