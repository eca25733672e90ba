"""Sliding: some layers keep the last positions only, or one chunk of them.

Which ones is said in many ways: a list of layer types, a period, a first sliding layer, a flag.
Where a config says it twice the two must agree. Source: transformers 5.24.0, the families'
configuration files, read 2026-11-29; Xiaomi's and Cohere's own `config.json`.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import (
    CHUNKED,
    FULL,
    SLIDING,
    agreed,
    attention,
    divided_head_dim,
    every,
    kv_heads,
    stated,
)
from kvlib.payload import Group

EITHER = (FULL, SLIDING)


def causal(config: Fields, *harmless: str) -> None:
    """Refuse attention that looks ahead: an encoder keeps no cache, and its window is halved."""
    ahead = config.get("use_bidirectional_attention")
    if ahead and ahead not in harmless:
        config.refuse("use_bidirectional_attention", "false", "an encoder keeps no KV cache")


def mistral(config: Fields) -> list[Group]:
    """Return the groups of Mistral: every layer slides if there is a window; null says none."""
    if "sliding_window" not in config.values:
        config.refuse("sliding_window", "given", "null where no layer slides")
    return windowed(config)


def windowed(config: Fields) -> list[Group]:
    """Return the groups of Mixtral and Phi-3: every layer slides if a window is stated."""
    layers = config.layers()
    config.same(1, "full_attn_mod")
    window = config.optional("sliding_window")
    kinds = stated(config, layers, EITHER) or [SLIDING if window else FULL] * layers
    kv = kv_heads(config, default=0)
    return attention(config, kinds, kv_heads=kv, head_dim=divided_head_dim(config))


def qwen(config: Fields) -> list[Group]:
    """Return the groups of Qwen 2 and 3: layers from max_window_layers on slide, if any do."""
    layers = config.layers()
    if config.flag("use_sliding_window"):
        first = config.count("max_window_layers", minimum=0)
        derived = [FULL if i < first else SLIDING for i in range(layers)]
        source = "max_window_layers"
        config.count("sliding_window")
    else:
        config.ignore("max_window_layers", "sliding_window")
        derived, source = [FULL] * layers, "use_sliding_window"
    kinds = agreed(config, stated(config, layers, EITHER), derived, source)
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=divided_head_dim(config))


def qwen_moe(config: Fields) -> list[Group]:
    """Return the groups of Qwen's MoE models, none of which slides."""
    if config.flag("use_sliding_window"):
        hint = "which of its layers slide differs between versions of transformers"
        config.refuse("use_sliding_window", "false in this family", hint)
    return qwen(config)


def gemma2(config: Fields) -> list[Group]:
    """Return the groups of Gemma 2: layers 0, 2, 4, ... slide."""
    return _periodic(config, 2, kv_heads(config), config.count("head_dim"))


def gemma3(config: Fields) -> list[Group]:
    """Return the groups of Gemma 3: five layers slide, the sixth does not.

    The published files leave out what equals the class's defaults: 4 KV heads of 256.
    """
    old, older = "sliding_window_pattern", "_sliding_window_pattern"
    period = config.count(old, config.count(older, 6))
    source = next((key for key in (old, older) if config.get(key)), "")
    kv, head_dim = kv_heads(config, default=4), config.count("head_dim", 256)
    return _periodic(config, period, kv, head_dim, source)


def gpt_oss(config: Fields) -> list[Group]:
    """Return the groups of gpt-oss: layers 0, 2, 4, ... slide; its sinks are weights."""
    return _periodic(config, 2, kv_heads(config), config.count("head_dim"))


def olmo3(config: Fields) -> list[Group]:
    """Return the groups of OLMo 3: three layers slide, the fourth does not."""
    return _periodic(config, 4, kv_heads(config, default=0), divided_head_dim(config))


def cohere2(config: Fields) -> list[Group]:
    """Return the groups of Command R7B and A: three layers slide, the fourth does not."""
    period = config.count("sliding_window_pattern", config.count("layer_switch", 4))
    config.same(period, "layer_switch")
    order = "order_of_interleaved_layers"
    if config.get(order) not in (None, "local_attn_first"):
        config.refuse(order, "local_attn_first")
    heads = config.count("num_attention_heads")
    head_dim = config.multiple("hidden_size", config.count("hidden_size"), "its heads", heads)
    config.same(head_dim, "head_dim")
    source = next(
        (key for key in ("sliding_window_pattern", "layer_switch") if config.get(key)), ""
    )
    return _periodic(config, period, kv_heads(config, default=0), head_dim, source)


def _periodic(config: Fields, period: int, kv: int, head_dim: int, source: str = "") -> list[Group]:
    """Return the groups where the last of each `period` layers is full, unless a list says else.

    Where the config itself states the period, under `source`, the list must agree with it.
    """
    causal(config)
    layers = config.layers()
    derived = every(period, layers, SLIDING)
    kinds = stated(config, layers, EITHER) or derived
    if source:
        kinds = agreed(config, kinds, derived, source)
    return attention(config, kinds, kv_heads=kv, head_dim=head_dim)


def llama4(config: Fields) -> list[Group]:
    """Return the groups of Llama 4: layers with rotary positions (1) attend inside a chunk."""
    layers = config.layers()
    if "attention_chunk_size" not in config.values:
        config.refuse("attention_chunk_size", "given", "null where no layer is chunked")
    period = config.count("no_rope_layer_interval", 4)
    rotary = config.get("no_rope_layers") and config.items(
        "no_rope_layers", layers, (0, 1), "0 or 1"
    )
    rotary = rotary or [int((i + 1) % period != 0) for i in range(layers)]
    local = CHUNKED if config.optional("attention_chunk_size") else FULL
    derived = [local if r else FULL for r in rotary]
    kinds = agreed(config, stated(config, layers, (FULL, CHUNKED)), derived, "no_rope_layers")
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=config.count("head_dim"))


def mimo_v2(config: Fields) -> list[Group]:
    """Return the groups of MiMo-V2: K is wider than V, and sliding layers have more KV heads."""
    layers = config.layers()
    pattern = config.items("hybrid_layer_pattern", layers, (0, 1), "0 or 1")
    kinds = stated(config, layers, EITHER)
    if pattern is not None:
        derived = [SLIDING if p else FULL for p in pattern]
        kinds = agreed(config, kinds, derived, "hybrid_layer_pattern")
    elif kinds is None:
        config.refuse("hybrid_layer_pattern", "given")
    # One chunk of 128 is stated as well; it names the window's length, not chunked layers.
    config.ignore("attention_chunk_size", "swa_num_attention_heads")
    size = config.optional("sliding_window_size")
    if size is not None:
        config.same(size, "sliding_window")
    full = {"kv_heads": kv_heads(config), "head_dim": config.count("head_dim")}
    full["value_dim"] = config.count("v_head_dim")
    swa = {
        "kv_heads": kv_heads(config, key="swa_num_key_value_heads"),
        "head_dim": config.count("swa_head_dim", full["head_dim"]),
        "value_dim": config.count("swa_v_head_dim", full["value_dim"]),
    }
    window = "sliding_window" if size is None else "sliding_window_size"
    groups = attention(config, [k for k in kinds if k == FULL], **full)
    return groups + attention(config, [k for k in kinds if k == SLIDING], window=window, **swa)
