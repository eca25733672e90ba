"""Recurrent: linear attention whose state does not grow, mixed with attention whose cache does.

State counts in the dtype that the config states or its class defaults to, else in the model's;
the convolution's K - 1 columns count in the model's. Sources, read 2026-11-29: transformers
5.24.0 (configuration and modeling files).
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import (
    FULL,
    LINEAR,
    agreed,
    attention,
    divided_head_dim,
    every,
    kv_heads,
    latent,
    recurrent,
    stated,
)
from kvlib.payload import Group

MIXED = (FULL, LINEAR)


def qwen_next(config: Fields) -> list[Group]:
    """Return the groups of Qwen3-Next and Qwen3.5: three gated delta nets, then full attention."""
    layers = config.layers()
    kinds = stated(config, layers, MIXED)
    period = config.optional("full_attention_interval")
    if period:
        derived = every(period, layers, LINEAR)
        kinds = agreed(config, kinds, derived, "full_attention_interval")
    elif kinds is None:
        config.refuse("full_attention_interval", "given where layer_types is missing")
    if config.flag("use_sliding_window"):
        config.refuse("use_sliding_window", "false in this family")
    key = config.count("linear_num_key_heads") * config.count("linear_key_head_dim")
    heads, width = config.count("linear_num_value_heads"), config.count("linear_value_head_dim")
    return attention(
        config, kinds, kv_heads=kv_heads(config), head_dim=config.count("head_dim")
    ) + recurrent(
        config,
        kinds.count(LINEAR),
        state=heads * width * config.count("linear_key_head_dim"),
        channels=2 * key + heads * width,
        conv_width=config.count("linear_conv_kernel_dim"),
        state_bytes=config.width("mamba_ssm_dtype", 0) or None,
        key="linear_num_value_heads",
    )


def kimi_linear(config: Fields) -> list[Group]:
    """Return the groups of Kimi Linear and K3: delta attention (KDA), and MLA in every fourth."""
    # attn_res mixes the outputs of earlier layers of one token: nothing is kept for it.
    config.ignore("attn_res_block_size", "latent_moe_use_norm", "routed_expert_hidden_size")
    layers, linear = config.layers(), config.section("linear_attn_config")
    linear.ignore("use_full_rank_gate")
    full, kda = (_numbers(linear, key, layers) for key in ("full_attn_layers", "kda_layers"))
    if sorted(full + kda) != list(range(1, layers + 1)):
        rule = f"the layers from 1 to {layers} that full_attn_layers leaves, each once"
        linear.refuse("kda_layers", rule)
    heads, width = linear.count("num_heads"), linear.count("head_dim")
    kernel = linear.count("short_conv_kernel_size")
    linear.finish()
    groups: list[Group] = [latent(config, len(full))] if full else []
    return groups + recurrent(
        config,
        len(kda),
        state=heads * width * width,
        channels=3 * heads * width,
        conv_width=kernel,
        key="linear_attn_config",
    )


def _numbers(config: Fields, key: str, layers: int) -> list[int]:
    """Return the list of layer numbers (from 1) under `key`."""
    values = config.get(key)
    if not isinstance(values, list | tuple) or len(values) > layers:
        config.refuse(key, f"a list of at most {layers} layer numbers")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= layers:
            config.refuse(key, f"a list of layer numbers from 1 to {layers}")
    return list(values)


def minimax(config: Fields) -> list[Group]:
    """Return the groups of MiniMax-Text-01: lightning attention (0), full (1) in every eighth."""
    layers = config.layers()
    kinds = stated(config, layers, MIXED)
    listed = config.items("attn_type_list", layers, (0, 1), "0 or 1")
    if listed is not None:
        derived = [FULL if one else LINEAR for one in listed]
        kinds = agreed(config, kinds, derived, "attn_type_list")
    elif kinds is None:
        config.refuse("attn_type_list", "given")
    if config.get("sliding_window") is not None:
        config.refuse("sliding_window", "null in this family")
    config.ignore("block_size")
    width, heads = divided_head_dim(config), config.count("num_attention_heads")
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=width)
    state = heads * width * width
    return groups + recurrent(config, kinds.count(LINEAR), state=state, key="num_attention_heads")
