"""Mamba: selective state spaces, mixed with attention in turn or side by side, or alone.

Mamba-1 keeps a convolution and a state per channel; Mamba-2's convolution also runs over B and C,
one of each per group. Sources, read 2026-11-29: transformers 5.24.0 (configuration and modeling
files of each family); vLLM's mamba_utils for the shapes.
"""

from kvlib import _check
from kvlib.models._read import CALL
from kvlib.models.fields import Fields
from kvlib.models.layers import (
    FULL,
    LINEAR,
    MOST_LAYERS,
    NONE,
    attention,
    head_dim,
    kv_heads,
    recurrent,
    stated,
)
from kvlib.payload import Group

MIXED = (FULL, LINEAR)


def jamba(config: Fields) -> list[Group]:
    """Return the groups of Jamba: Mamba-1, and full attention in one layer of each period."""
    layers, period = config.layers(), config.count("attn_layer_period")
    offset = config.count("attn_layer_offset", minimum=0, maximum=period - 1)
    kinds = [FULL if i % period == offset else LINEAR for i in range(layers)]
    channels = config.count("mamba_expand") * config.count("hidden_size")
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))
    return groups + recurrent(
        config,
        kinds.count(LINEAR),
        state=channels * config.count("mamba_d_state"),
        channels=channels,
        conv_width=config.count("mamba_d_conv"),
        heads=channels,
        key="mamba_d_state",
    )


def falcon_h1(config: Fields) -> list[Group]:
    """Return the groups of Falcon-H1: attention and Mamba-2 side by side in every layer."""
    layers = config.layers()
    if config.get("attn_layer_indices") is not None:
        config.refuse("attn_layer_indices", "null")
    config.ignore("mamba_expand")
    if "mamba_d_ssm" in config.values and config.get("mamba_d_ssm") is None:
        channels = config.count("mamba_expand") * config.count("hidden_size")
    else:
        channels = config.count("mamba_d_ssm", 1_024)
    kinds = [FULL] * layers
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))
    return groups + _mamba2_named(config, layers, channels)


def granite(config: Fields) -> list[Group]:
    """Return the groups of Granite 4: Mamba-2, and a few layers of full attention."""
    layers = config.layers()
    kinds = stated(config, layers, MIXED)
    if kinds is None:
        config.refuse("layer_types", "given")
    channels = config.count("mamba_expand") * config.count("hidden_size")
    groups = attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))
    if not kinds.count(LINEAR):
        config.ignore(*(key for key in config.values if key.startswith("mamba_")))
        return groups
    return groups + _mamba2_named(config, kinds.count(LINEAR), channels)


def _mamba2_named(config: Fields, layers: int, channels: int) -> list[Group]:
    """Return a Mamba-2 group from the mamba_... names: `channels` is the inner width."""
    heads = config.count("mamba_n_heads")
    head = config.get("mamba_d_head")
    derived = "mamba_d_head" not in config.values or (isinstance(head, str) and head == "auto")
    if not derived and heads * config.count("mamba_d_head") != channels:
        config.refuse("mamba_d_head", f"{channels} channels / {heads} heads")
    return mamba2_group(
        config,
        layers,
        channels=channels,
        state=config.count("mamba_d_state"),
        heads=heads,
        groups=config.count("mamba_n_groups"),
        conv_width=config.count("mamba_d_conv"),
        key="mamba_d_state",
    )


def mamba2_group(
    config: Fields,
    layers: int,
    *,
    channels: int,
    state: int,
    heads: int,
    groups: int,
    conv_width: int,
    key: str,
    state_bytes: int | None = None,
) -> list[Group]:
    """Return a Mamba-2 group; its convolution also runs over B and C, one of each per group."""
    return recurrent(
        config,
        layers,
        state=channels * state,
        channels=channels + 2 * groups * state,
        conv_width=conv_width,
        state_bytes=state_bytes,
        heads=heads,
        groups=groups,
        group_channels=2 * state,
        key=key,
    )


LETTERS = {"M": LINEAR, "*": FULL, "-": NONE, "E": NONE}  # Mamba-2, attention, MLP, experts
WORDS = {LINEAR: "mamba", FULL: "attention", NONE: "mlp or moe"}


def nemotron_h(config: Fields) -> list[Group]:
    """Return the groups of Nemotron-H and Nemotron 3: Mamba-2, attention, MLP or experts alone."""
    kinds = _nemotron_kinds(config)
    config.ignore("expand", "chunk_size", "mamba_expand", "mtp_hybrid_override_pattern")
    older = "head_dim" not in config.values and config.get("attention_head_dim") is not None
    width = config.count("attention_head_dim") if older else head_dim(config)
    config.same(width, "attention_head_dim")
    kv = kv_heads(config)
    config.same(kv, "num_query_groups")
    groups = attention(config, kinds, kv_heads=kv, head_dim=width)
    heads = config.count("mamba_num_heads")
    if "mamba_ssm_cache_dtype" in config.values and config.get("mamba_ssm_cache_dtype") is None:
        config.refuse("mamba_ssm_cache_dtype", "given")
    return groups + mamba2_group(
        config,
        kinds.count(LINEAR),
        channels=heads * config.count("mamba_head_dim"),
        state=_first(config, "ssm_state_size", "mamba_state_dim"),
        heads=heads,
        groups=_first(config, "n_groups", "mamba_n_groups", "mamba_num_groups"),
        conv_width=_first(config, "conv_kernel", "mamba_d_conv"),
        state_bytes=config.width("mamba_ssm_cache_dtype", 4),  # the class's default is float32
        key="mamba_num_heads",
    )


def _first(config: Fields, *names: str) -> int:
    """Return the count under the first stated of `names`; the others must agree with it."""
    key = next((name for name in names if config.get(name) is not None), names[0])
    value = config.count(key)
    config.same(value, *names)
    return value


def _nemotron_kinds(config: Fields) -> list[str]:
    """Return the kinds that a pattern of letters or a list of layer types spells."""
    names = [k for k in ("layers_block_type", "layer_types") if config.get(k) is not None]
    pattern = config.get("hybrid_override_pattern")
    if pattern is not None:
        if not isinstance(pattern, str) or not pattern or set(pattern) - set(LETTERS):
            config.refuse("hybrid_override_pattern", f"a text of the letters {' '.join(LETTERS)}")
        _bounded(config, "hybrid_override_pattern", len(pattern))
        kinds = [LETTERS[letter] for letter in pattern]
    elif names:
        listed = config.get(names[0])
        length = len(listed) if isinstance(listed, list | tuple) else 1
        _bounded(config, names[0], length)
        kinds = stated(config, length, (*MIXED, NONE), names[0])
    else:
        config.refuse("hybrid_override_pattern", "given")
    layers = config.get("num_hidden_layers")
    if layers is not None and config.layers() != len(kinds):
        config.refuse("num_hidden_layers", f"{len(kinds)}, as many as there are layer types")
    source = names[0] if pattern is None else "hybrid_override_pattern"
    for key in names:
        said = stated(config, len(kinds), (*MIXED, NONE), key)
        for index, (kind, meant) in enumerate(zip(said, kinds, strict=True)):
            if kind != meant:
                name, got = f"{config.name(key)}[{index}]", config.get(key)[index]
                rule = f"{WORDS[meant]}, as {source} says"
                raise ValueError(_check.wrong(CALL, name, rule, got))
    return kinds


def _bounded(config: Fields, key: str, length: int) -> None:
    if not 1 <= length <= MOST_LAYERS:
        rule = f"must have from 1 to {MOST_LAYERS:,} layers"
        raise ValueError(f"{CALL}: {config.name(key)} {rule}, got {length:,}")


def mamba2(config: Fields) -> list[Group]:
    """Return the group of a pure Mamba-2 model, which keeps no K and V at all."""
    channels = config.count("num_heads") * config.count("head_dim")
    if config.count("expand") * config.count("hidden_size") != channels:
        config.refuse("hidden_size", f"{channels} channels / expand")
    config.ignore("chunk_size")
    return mamba2_group(
        config,
        config.layers(),
        channels=channels,
        state=config.count("state_size"),
        heads=config.count("num_heads"),
        groups=config.count("n_groups"),
        conv_width=config.count("conv_kernel"),
        key="state_size",
    )
