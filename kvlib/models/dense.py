"""Dense: every layer keeps K and V of every position. Llama, OLMo 2, GLM-4.5, MiniMax-M2, ...

What a missing or null num_key_value_heads or head_dim means differs by family: `defaults`. Source:
transformers 5.24.0, the families' configuration and modeling files, read 2026-11-29.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import FULL, attention, head_dim, kv_heads, split_head_dim, stated
from kvlib.models.unknown import GEOMETRY
from kvlib.payload import Geometry, Group


def dense(config: Fields) -> list[Group]:
    """Return K and V of every layer."""
    return _dense(config, kv_heads(config), head_dim(config))


def _dense(config: Fields, kv: int, width: int) -> list[Group]:
    layers = config.layers()
    stated(config, layers, (FULL,))
    return attention(config, [FULL] * layers, kv_heads=kv, head_dim=width)


def causal(config: Fields, *harmless: str) -> None:
    """Refuse attention that looks ahead: an encoder keeps no cache, and its window is halved."""
    ahead = config.get("use_bidirectional_attention")
    if ahead is None or ahead is False or (isinstance(ahead, str) and ahead in harmless):
        return
    config.refuse("use_bidirectional_attention", "false", "an encoder keeps no KV cache")


def gemma(config: Fields) -> list[Group]:
    """Return the groups of the first Gemma: its class can be told to look ahead."""
    causal(config)
    return dense(config)


def minimax_m2(config: Fields) -> list[Group]:
    """Return the groups of MiniMax M2: its attn_type_list, where given, is all softmax (1)."""
    config.items("attn_type_list", config.layers(), (1,), "ones")
    return dense(config)


def gpt_bigcode(config: Fields) -> list[Group]:
    """Return the groups of StarCoder: one KV head under multi_query, else one per query head."""
    layers, heads = config.layers("n_layer"), config.count("n_head")
    config.ignore("inference_runner", "pad_key_length", "validate_runner_input")  # how to compute
    kv = 1 if config.flag("multi_query", default=True) else heads
    config.same(kv, "num_key_value_heads")
    width = config.multiple("n_embd", config.count("n_embd"), config.name("n_head"), heads)
    return [Geometry(layers=layers, kv_heads=kv, head_dim=width)]


def falcon(config: Fields) -> list[Group]:
    """Return the groups of the first Falcon: one KV head under multi_query, else num_kv_heads."""
    if config.flag("new_decoder_architecture"):
        hint = f"engines differ in what they keep for it: {GEOMETRY}"
        config.refuse("new_decoder_architecture", "false", hint)
    many = config.optional("num_kv_heads") or config.count("num_attention_heads")
    kv = 1 if config.flag("multi_query", default=True) else many
    width = split_head_dim(config)
    config.same(width, "head_dim")
    return _dense(config, kv, width)
