"""Recurrent: linear attention whose state does not grow, mixed with attention whose cache does.

State counts in the dtype that the config states or its class defaults to, else in the model's;
the convolution's K - 1 columns count in the model's. An engine may hold a state wider than the
model says: that is its convention (`engines`). Sources, read 2026-11-29: transformers 5.24.0
(configuration and modeling files).
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import (
    FULL,
    LINEAR,
    agreed,
    attention,
    every,
    head_dim,
    kv_heads,
    latent,
    recurrent,
    stated,
)
from kvlib.payload import Group

MIXED = (FULL, LINEAR)
HEADS = "num_attention_heads"
NOTE = "recurrent state counted in the model's dtype; engines hold it in float32"


def qwen_next(config: Fields) -> list[Group]:
    """Return the groups of Qwen3-Next and Qwen3.5: three gated delta nets, then full attention."""
    layers = config.layers()
    kinds = stated(config, layers, MIXED)
    if kinds is None or config.get("full_attention_interval") is not None:
        derived = every(config.count("full_attention_interval", 4), layers, LINEAR)
        kinds = agreed(config, kinds, derived, "full_attention_interval")
    if config.flag("use_sliding_window"):
        config.refuse("use_sliding_window", "false in this family")
    key = config.count("linear_num_key_heads") * config.count("linear_key_head_dim")
    heads, width = config.count("linear_num_value_heads"), config.count("linear_value_head_dim")
    said = config.width("mamba_ssm_dtype", 0) or None
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))
    return groups + recurrent(
        config,
        kinds.count(LINEAR),
        state=heads * width * config.count("linear_key_head_dim"),
        channels=2 * key + heads * width,
        conv_width=config.count("linear_conv_kernel_dim"),
        state_bytes=said,
        fixed=said,
        heads=config.count("linear_num_key_heads"),
        key="linear_num_value_heads",
    )


def kimi_linear(config: Fields) -> list[Group]:
    """Return the groups of Kimi Linear and K3: delta attention (KDA), and MLA in every fourth.

    Neither file states a dtype for KDA's state, nor does the class, so it counts in the model's.
    Engines hold it in float32: twice that, and their convention (`engines`), not the model's.
    The model's `source` says so (NOTE).
    """
    # attn_res mixes the outputs of earlier layers of one token: nothing is kept for it.
    config.ignore("attn_res_block_size", "latent_moe_use_norm", "routed_expert_hidden_size")
    layers = config.layers()
    kinds = stated(config, layers, MIXED)
    if config.get("linear_attn_config") is not None:
        derived, heads, width, kernel = _kda(config, layers)
        kinds = agreed(config, kinds, derived, "linear_attn_config")
        config.same(heads, "linear_num_heads")
        config.same(width, "linear_head_dim")
        config.same(kernel, "linear_conv_kernel_dim")
        key = "linear_attn_config"
    else:  # as transformers 5.24 writes it
        if kinds is None:
            config.refuse("linear_attn_config", "given where layer_types is missing")
        heads, width = config.count("linear_num_heads"), config.count("linear_head_dim")
        kernel, key = config.count("linear_conv_kernel_dim"), "linear_num_heads"
    full = kinds.count(FULL)
    groups: list[Group] = [latent(config, full)] if full else []
    if full < layers:
        config.notes.append(NOTE)
    return groups + recurrent(
        config,
        layers - full,
        state=heads * width * width,
        channels=3 * heads * width,
        conv_width=kernel,
        fixed=4,  # float32, in the kernels of both engines
        heads=heads,
        key=key,
    )


def _kda(config: Fields, layers: int) -> tuple[list[str], int, int, int]:
    """Return kinds of layers, heads, head size and convolution width of linear_attn_config."""
    linear = config.section("linear_attn_config")
    linear.ignore("gate_lower_bound", "use_full_rank_gate")  # what is written, not how much
    full, kda = (_numbers(linear, key, layers) for key in ("full_attn_layers", "kda_layers"))
    if sorted(full + kda) != list(range(1, layers + 1)):
        rule = f"the layers from 1 to {layers} that full_attn_layers leaves, each once"
        linear.refuse("kda_layers", rule)
    heads, width = linear.count("num_heads"), linear.count("head_dim")
    kernel = linear.count("short_conv_kernel_size")
    linear.finish(known=False)
    numbers = set(full)
    return [FULL if i + 1 in numbers else LINEAR for i in range(layers)], heads, width, kernel


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
    listed = config.items("attn_type_list", layers, (0, 1), "numbers, 0 or 1")
    if listed is not None:
        derived = [FULL if one else LINEAR for one in listed]
        kinds = agreed(config, kinds, derived, "attn_type_list")
    elif kinds is None:
        config.refuse("attn_type_list", "given")
    config.ignore("block_size")
    width, heads = head_dim(config), config.count(HEADS)
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=width)
    state = heads * width * width
    return groups + recurrent(config, kinds.count(LINEAR), state=state, heads=heads, key=HEADS)
