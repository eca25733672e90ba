"""Dense: every layer keeps K and V of every position. Llama, OLMo 2, GLM-4.5, MiniMax-M2, ...

Source: transformers 5.24.0, the families' configuration and modeling files, read 2026-11-29.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import FULL, attention, divided_head_dim, kv_heads, stated
from kvlib.payload import Geometry, Group


def _dense(config: Fields, kv: int, head_dim: int) -> list[Group]:
    layers = config.layers()
    stated(config, layers, (FULL,))
    return attention(config, [FULL] * layers, kv_heads=kv, head_dim=head_dim)


def llama(config: Fields) -> list[Group]:
    """Return K and V of every layer; one KV head per query head unless the config says fewer."""
    return _only_dense(config, kv_heads(config, default=0))


def grouped(config: Fields) -> list[Group]:
    """Return the same where the number of KV heads has to be stated."""
    return _only_dense(config, kv_heads(config))


def _only_dense(config: Fields, kv: int) -> list[Group]:
    if config.get("sliding_window") is not None:
        config.refuse("sliding_window", "null in this family")
    return _dense(config, kv, divided_head_dim(config))


def gemma(config: Fields) -> list[Group]:
    """Return the groups of the first Gemma: its head_dim is not hidden_size / heads."""
    if config.get("use_bidirectional_attention"):
        config.refuse("use_bidirectional_attention", "false", "an encoder keeps no KV cache")
    return _dense(config, kv_heads(config), config.count("head_dim"))


def minimax_m2(config: Fields) -> list[Group]:
    """Return the groups of MiniMax M2: its attn_type_list, where given, is all softmax (1)."""
    config.items("attn_type_list", config.layers(), (1,), "ones")
    return grouped(config)


def gpt_bigcode(config: Fields) -> list[Group]:
    """Return the groups of StarCoder: one KV head under multi_query, else one per query head."""
    layers, heads = config.layers("n_layer"), config.count("n_head")
    kv = 1 if config.flag("multi_query", default=True) else heads
    config.same(kv, "num_key_value_heads")
    head_dim = config.multiple("n_embd", config.count("n_embd"), config.name("n_head"), heads)
    return [Geometry(layers=layers, kv_heads=kv, head_dim=head_dim)]


def falcon(config: Fields) -> list[Group]:
    """Return the groups of the first Falcon: one KV head under multi_query."""
    if config.flag("new_decoder_architecture"):
        config.refuse(
            "new_decoder_architecture", "false", "engines differ in what they keep for it"
        )
    many = config.count("num_kv_heads", default=config.count("num_attention_heads"))
    kv = 1 if config.flag("multi_query", default=True) else many
    return _dense(config, kv, divided_head_dim(config))
