"""Layers: which kind each one is, and what layers of a kind cache. Shared by the families.

A kind is one of the names that Hugging Face's `layer_types` uses today; older spellings of the
same thing are translated here.
"""

from collections.abc import Mapping

from kvlib.models.defaults import HEAD_DIM, KV_HEADS, Default
from kvlib.models.fields import MOST_LAYERS, Fields
from kvlib.payload import MOST, Geometry, Group, Latent, Recurrent

FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"
LINEAR, INDEXED, NONE = "linear_attention", "indexed_attention", "none"
SPELLINGS = {
    "attention": FULL,
    "mamba": LINEAR,
    "deepseek_sparse_attention": INDEXED,
    "mlp": NONE,
    "moe": NONE,
}


def stated(
    config: Fields, layers: int, allowed: tuple[str, ...], key: str = "layer_types"
) -> list[str] | None:
    """Return the kinds that the list under `key` states; None if it is not there."""
    spelled = [*allowed, *(old for old, new in SPELLINGS.items() if new in allowed)]
    kinds = config.items(key, layers, (s for s in spelled if s != NONE), "layer types")
    return None if kinds is None else [SPELLINGS.get(kind, kind) for kind in kinds]


def every(period: int, layers: int, other: str, chosen: str = FULL) -> list[str]:
    """Return kinds where the last of each `period` layers is `chosen` and the rest are `other`."""
    return [other if (i + 1) % period else chosen for i in range(layers)]


def agreed(
    config: Fields,
    kinds: list[str] | None,
    derived: list[str],
    source: str,
    key: str = "layer_types",
) -> list[str]:
    """Return the stated kinds, else the derived ones; refuse if both are there and differ."""
    for index, (said, meant) in enumerate(zip(kinds or derived, derived, strict=True)):
        if said != meant:
            name, got = f"{config.name(key)}[{index}]", config.get(key)[index]
            raise ValueError(f"from_config: {name} must be {meant}, as {source} says, got {got!r}")
    return derived


def _or_default(config: Fields, key: str, defaults: Mapping[str, Default]) -> int | None:
    """Return the count under `key`, else the class's default; None where the class derives it."""
    default = defaults.get(config.family)
    if config.get(key) is not None:
        return config.count(key)
    if default is None or (key in config.values and not default.null_derives):
        config.refuse(key, "given")
    return None if key in config.values else default.missing


def kv_heads(config: Fields) -> int:
    """Return the number of KV heads: stated, the class's default or one per query head."""
    found = _or_default(config, "num_key_value_heads", KV_HEADS)
    if found is None:
        return config.count("num_attention_heads")
    return shared_by_heads(config, "num_key_value_heads", found)


def shared_by_heads(config: Fields, key: str, found: int) -> int:
    """Return `found` KV heads, refusing a number that does not divide the query heads."""
    heads = config.optional("num_attention_heads")
    if heads is not None:
        config.multiple("num_attention_heads", heads, config.name(key), found)
    return found


def head_dim(config: Fields) -> int:
    """Return head_dim: stated, the class's default or hidden_size / num_attention_heads."""
    found = _or_default(config, "head_dim", HEAD_DIM)
    return split_head_dim(config, "or state head_dim") if found is None else found


def split_head_dim(config: Fields, hint: str = "") -> int:
    """Return hidden_size / num_attention_heads."""
    hidden, heads = config.count("hidden_size"), config.count("num_attention_heads")
    name = config.name("num_attention_heads")
    return config.multiple("hidden_size", hidden, name, heads, hint)


def attention(
    config: Fields,
    kinds: list[str],
    *,
    kv_heads: int,
    head_dim: int,
    value_dim: int | None = None,
    window: str = "sliding_window",
    chunk: str = "attention_chunk_size",
) -> list[Group]:
    """Return the groups of K and V for layers of these kinds; other kinds add nothing."""
    groups: list[Group] = []
    shape = {"kv_heads": kv_heads, "head_dim": head_dim, "value_dim": value_dim}
    if full := kinds.count(FULL):
        groups.append(Geometry(layers=full, **shape))
    if sliding := kinds.count(SLIDING):
        groups.append(Geometry(layers=sliding, window=config.count(window), **shape))
    if chunked := kinds.count(CHUNKED):
        groups.append(Geometry(layers=chunked, chunk=config.count(chunk), **shape))
    return groups


def latent(config: Fields, layers: int) -> Latent:
    """Return the group of `layers` MLA layers: one latent and one rotary key per token each."""
    if not config.flag("use_mla", default=True):
        config.refuse("use_mla", "true in this family", "without it K and V are cached instead")
    config.ignore("head_dim", "num_key_value_heads", "num_attention_heads", "qk_head_dim")
    config.ignore("q_lora_rank", "qk_nope_head_dim", "v_head_dim")
    latent_dim, rope_dim = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    return Latent(layers=layers, latent_dim=latent_dim, rope_dim=rope_dim)


def model_width(config: Fields) -> int:
    """Return the bytes of an element in the model's dtype; a config that names none is 16-bit."""
    width = config.width("dtype", config.width("torch_dtype", 2))
    if config.get("torch_dtype") is not None and config.width("torch_dtype", 2) != width:
        config.refuse("torch_dtype", "as wide as dtype")
    return width


def recurrent(
    config: Fields,
    layers: int,
    *,
    state: int,
    channels: int = 0,
    conv_width: int = 1,
    state_bytes: int | None = None,
    fixed: int | None = None,
    heads: int | None = None,
    groups: int = 0,
    group_channels: int = 0,
    key: str,
) -> list[Group]:
    """Return the group of recurrent layers, none for 0; `key` is named if a state is too big."""
    width = model_width(config)
    if max(state, channels) > MOST:
        config.refuse(key, f"small enough for at most {MOST:,} state elements a layer")
    if not layers:
        return []
    return [
        Recurrent(
            layers=layers,
            state_elements=state,
            conv_channels=channels,
            conv_width=conv_width,
            state_element_bytes=width if state_bytes is None else state_bytes,
            conv_element_bytes=width,
            fixed_state_bytes=fixed,
            heads=heads,
            conv_groups=groups,
            group_channels=group_channels,
        )
    ]


__all__ = [
    "CHUNKED",
    "FULL",
    "INDEXED",
    "LINEAR",
    "MOST_LAYERS",
    "NONE",
    "SLIDING",
    "agreed",
    "attention",
    "every",
    "head_dim",
    "kv_heads",
    "latent",
    "model_width",
    "recurrent",
    "shared_by_heads",
    "split_head_dim",
    "stated",
]
