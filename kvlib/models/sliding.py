"""Sliding: some layers keep the last positions only, or one chunk of them.

Which ones is said in many ways: a list of layer types, a period, a first sliding layer, a flag.
Where a config says it twice the two must agree. Source: transformers 5.24.0, the families'
configuration files, read 2026-11-29; Xiaomi's and Cohere's own `config.json`.
"""

from kvlib.models.dense import causal
from kvlib.models.fields import Fields
from kvlib.models.layers import (
    CHUNKED,
    FULL,
    SLIDING,
    agreed,
    attention,
    every,
    head_dim,
    kv_heads,
    shared_by_heads,
    split_head_dim,
    stated,
)
from kvlib.payload import Group

EITHER = (FULL, SLIDING)


def mistral(config: Fields) -> list[Group]:
    """Return the groups of Mistral: every layer slides if there is a window; null says none.

    What a missing window means changed between versions of transformers, so it has to be there.
    """
    if "sliding_window" not in config.values:
        config.refuse("sliding_window", "given", "null where no layer slides")
    return windowed(config)


def windowed(config: Fields) -> list[Group]:
    """Return the groups of Mixtral, Ministral 3, Phi-3 and StarCoder2.

    Every layer slides if a window is stated. The classes read no use_sliding_window, so a false
    beside a window is refused.
    """
    layers = config.layers()
    config.same(1, "full_attn_mod")
    window = config.optional("sliding_window")
    if not config.flag("use_sliding_window", default=True) and window:
        rule = f"absent beside sliding_window = {window}"
        config.refuse("use_sliding_window", rule, "this family's class does not read it")
    derived = [SLIDING if window else FULL] * layers
    kinds = agreed(config, stated(config, layers, EITHER), derived, "sliding_window")
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))


def qwen(config: Fields) -> list[Group]:
    """Return the groups of Qwen 2 and 3: layers from max_window_layers on slide, if any do.

    The window that the class states by default counts only under use_sliding_window.
    """
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
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))


def qwen_moe(config: Fields) -> list[Group]:
    """Return the groups of Qwen's MoE models, none of which slides."""
    if config.flag("use_sliding_window"):
        hint = "which of its layers slide differs between versions of transformers"
        config.refuse("use_sliding_window", "false in this family", hint)
    return qwen(config)


def gemma2(config: Fields) -> list[Group]:
    """Return the groups of Gemma 2 and gpt-oss: layers 0, 2, 4, ... slide; sinks are weights."""
    return _periodic(config, 2)


def gemma3(config: Fields) -> list[Group]:
    """Return the groups of Gemma 3: five layers slide, the sixth does not."""
    return _periodic(config, 6, "sliding_window_pattern")


def olmo3(config: Fields) -> list[Group]:
    """Return the groups of OLMo 3: three layers slide, the fourth does not."""
    return _periodic(config, 4)


def cohere2(config: Fields) -> list[Group]:
    """Return the groups of Command R7B and A: three layers slide, the fourth does not."""
    order = config.get("order_of_interleaved_layers")
    if order is not None and not (isinstance(order, str) and order == "local_attn_first"):
        config.refuse("order_of_interleaved_layers", "local_attn_first")
    config.same(split_head_dim(config), "head_dim")  # the class overwrites what the file states
    return _periodic(config, 4, "sliding_window_pattern", width=split_head_dim(config))


def _periodic(
    config: Fields, period: int, key: str = "", *, width: int | None = None
) -> list[Group]:
    """Return the groups where the last of each `period` layers is full, unless a list says else.

    Where the config itself states the period, under `key`, the list must agree with it. Two more
    names are written beside the layers and not read back: they may only repeat what holds anyway.
    """
    causal(config)
    layers = config.layers()
    period = config.count(key, period) if key else period
    derived = every(period, layers, SLIDING)
    kinds = stated(config, layers, EITHER) or derived
    if key and key in config.values:
        kinds = agreed(config, kinds, derived, key)
    for note in ("_sliding_window_pattern", "layer_switch"):
        if config.get(note) is not None and every(config.count(note), layers, SLIDING) != kinds:
            hint = "transformers does not read it back"
            config.refuse(note, "a period that gives the same layers", hint)
    config.ignore("sliding_window")  # where the list has no sliding layer
    width = head_dim(config) if width is None else width
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=width)


def llama4(config: Fields) -> list[Group]:
    """Return the groups of Llama 4: layers with rotary positions (1) attend inside a chunk."""
    layers = config.layers()
    if "attention_chunk_size" not in config.values:
        config.refuse("attention_chunk_size", "given", "null where no layer is chunked")
    period = config.count("no_rope_layer_interval", 4)
    rotary = config.get("no_rope_layers")
    if not isinstance(rotary, list | tuple) or rotary:  # an empty list says nothing
        rotary = config.items("no_rope_layers", layers, (0, 1), "numbers, 0 or 1")
    rotary = rotary or [int((i + 1) % period != 0) for i in range(layers)]
    local = CHUNKED if config.optional("attention_chunk_size") else FULL
    derived = [local if r else FULL for r in rotary]
    kinds = agreed(config, stated(config, layers, (FULL, CHUNKED)), derived, "no_rope_layers")
    return attention(config, kinds, kv_heads=kv_heads(config), head_dim=head_dim(config))


def mimo_v2(config: Fields) -> list[Group]:
    """Return the groups of MiMo-V2: K is wider than V, and sliding layers have more KV heads.

    sliding_window_size counts the positions before the token; sliding_window, where transformers
    wrote it, the token too: 129 for 128. Alone it counts as it stands. Where a file leaves out
    swa_num_key_value_heads, the class doubles num_key_value_heads.
    """
    layers = config.layers()
    pattern = config.items("hybrid_layer_pattern", layers, (0, 1), "numbers, 0 or 1")
    kinds = stated(config, layers, EITHER)
    if pattern is not None:
        derived = [SLIDING if p else FULL for p in pattern]
        kinds = agreed(config, kinds, derived, "hybrid_layer_pattern")
    elif kinds is None:
        config.refuse("hybrid_layer_pattern", "given")
    # One chunk of 128 is stated as well; it names the window's length, not chunked layers.
    config.ignore("attention_chunk_size", "swa_num_attention_heads")
    window, size = "sliding_window", config.optional("sliding_window_size")
    if size is not None:
        window = "sliding_window_size"
        if config.optional("sliding_window") not in (None, size, size + 1):
            config.refuse("sliding_window", f"{size} or {size + 1}, as {window} = {size} says")
    full = {"kv_heads": kv_heads(config), "head_dim": head_dim(config)}
    full["value_dim"] = config.count("v_head_dim", 128)
    many = config.count("swa_num_key_value_heads", 2 * full["kv_heads"])
    swa = {
        "kv_heads": shared_by_heads(config, "swa_num_key_value_heads", many),
        "head_dim": config.count("swa_head_dim", full["head_dim"]),
        "value_dim": config.count("swa_v_head_dim", full["value_dim"]),
    }
    groups = attention(config, [k for k in kinds if k == FULL], **full)
    return groups + attention(config, [k for k in kinds if k == SLIDING], window=window, **swa)
