"""Defaults: what a family's configuration class puts where a file says nothing, or null.

A file that transformers saves may leave out what equals the class's default, so a missing key
means that default. A null means None: some classes then derive the value (one KV head per query
head; hidden_size / num_attention_heads), the others cannot build a model from it. What the class
sets to a number is a number here, what it derives is None. A family that is not in a table has to
state the field, or its reader says what stands in. Source: transformers 5.24.0, the families'
configuration and modeling files, read 2026-11-29.
"""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["HEAD_DIM", "KV_HEADS", "Default"]


class Default(NamedTuple):
    """What a missing key means, and whether the class derives the value where it says null."""

    missing: int | None
    null_derives: bool = False


DERIVED = Default(None, null_derives=True)

KV_HEADS: Mapping[str, Default] = {
    **dict.fromkeys(("llama", "olmo", "olmo2", "olmo3", "cohere", "cohere2", "phi3"), DERIVED),
    **dict.fromkeys(("granite", "granitemoe", "granitemoehybrid"), DERIVED),
    **dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe"), DERIVED),
    **dict.fromkeys(("qwen2", "qwen3", "qwen3_vl_text"), Default(32, null_derives=True)),
    **dict.fromkeys(("seed_oss", "falcon_h1"), Default(8, null_derives=True)),
    "ernie4_5": Default(2, null_derives=True),
    **dict.fromkeys(("glm", "glm4", "starcoder2", "gemma3n_text"), Default(2)),
    **dict.fromkeys(("qwen3_next", "qwen3_5_moe_text"), Default(2)),
    **dict.fromkeys(("gemma2", "gemma3_text", "gemma4_text", "mimo_v2_flash"), Default(4)),
    **dict.fromkeys(("ernie4_5_moe", "qwen3_moe", "qwen3_5_text"), Default(4)),
    **dict.fromkeys(("mistral", "mixtral", "ministral3", "minimax", "minimax_m2"), Default(8)),
    **dict.fromkeys(("glm4_moe", "hy_v3", "gpt_oss", "llama4_text"), Default(8)),
    **dict.fromkeys(("jamba", "nemotron_h"), Default(8)),
    **dict.fromkeys(("gemma", "qwen2_moe", "qwen3_vl_moe_text"), Default(16)),
}

HEAD_DIM: Mapping[str, Default] = {
    **dict.fromkeys(("llama", "olmo", "olmo2", "olmo3", "cohere", "phi3"), DERIVED),
    **dict.fromkeys(("granite", "granitemoe", "granitemoehybrid"), DERIVED),
    **dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe"), DERIVED),
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen3_moe", "qwen3_vl_moe_text"), DERIVED),
    **dict.fromkeys(("mistral", "mixtral", "starcoder2", "glm4_moe", "ernie4_5_moe"), DERIVED),
    **dict.fromkeys(("minimax", "jamba", "falcon_h1"), DERIVED),
    **dict.fromkeys(("ernie4_5", "seed_oss"), Default(128, null_derives=True)),
    "gpt_oss": Default(64),
    **dict.fromkeys(("glm", "glm4", "qwen3", "qwen3_vl_text", "hy_v3"), Default(128)),
    **dict.fromkeys(("ministral3", "minimax_m2", "llama4_text", "nemotron_h"), Default(128)),
    "mimo_v2_flash": Default(192),
    **dict.fromkeys(
        ("gemma", "gemma2", "gemma3_text", "gemma3n_text", "gemma4_text"), Default(256)
    ),
    **dict.fromkeys(("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), Default(256)),
}
