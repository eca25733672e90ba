"""Shared: layers that read another layer's K and V, and so keep none of their own.

Source: transformers 5.24.0, gemma3n and gemma4 configuration files, read 2026-11-29; for
Hunyuan's cross-layer attention, vLLM's hunyuan_v1 model: of each cla_share_factor layers the first
keeps a cache.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import FULL, SLIDING, attention, divided_head_dim, every, kv_heads, stated
from kvlib.models.sliding import EITHER, causal
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
    return attention(config, owners, kv_heads=kv_heads(config), head_dim=config.count("head_dim"))


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
    sliding_kv = full_kv = kv_heads(config)
    if config.flag("attention_k_eq_v"):
        full_kv = kv_heads(config, default=sliding_kv, key="num_global_key_value_heads")
    config.ignore("num_global_key_value_heads")
    wide = config.count("global_head_dim")
    groups = attention(config, [k for k in owners if k == FULL], kv_heads=full_kv, head_dim=wide)
    sliding = [k for k in owners if k == SLIDING]
    return groups + attention(
        config, sliding, kv_heads=sliding_kv, head_dim=config.count("head_dim")
    )


def hunyuan(config: Fields) -> list[Group]:
    """Return the groups of Hunyuan: with use_cla, neighbouring layers share one cache."""
    if config.flag("use_mla"):
        config.refuse("use_mla", "false", "no released Hunyuan model is known to use it")
    layers, kv = config.layers(), kv_heads(config, default=0)
    config.ignore(
        "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"
    )
    head_dim = config.optional("head_dim") or config.optional("attention_head_dim")
    head_dim = divided_head_dim(config) if head_dim is None else head_dim
    config.same(head_dim, "attention_head_dim", "head_dim")
    config.ignore("cla_share_factor")  # stated as 2 in files that switch the sharing off
    if config.flag("use_cla"):
        layers = -(-layers // config.count("cla_share_factor"))
    return [Geometry(layers=layers, kv_heads=kv, head_dim=head_dim)]
