"""Families: which reader understands which `model_type`. What is not listed is refused.

Several families share a reader because they cache alike. A wrapper (text with vision or audio)
keeps its decoder in `text_config`; the encoders' configs describe no cache and are not looked at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from kvlib import _check
from kvlib.models import dense, latent, mamba, recurrent, shared, sliding
from kvlib.models._read import CALL
from kvlib.models.fields import Fields
from kvlib.models.unknown import hint_for_file, hint_for_type
from kvlib.payload import Group

Reader = Callable[[Fields], list[Group]]

READERS: Mapping[str, Reader] = {
    **dict.fromkeys(("llama", "olmo", "olmo2", "cohere", "granite", "granitemoe"), dense.dense),
    **dict.fromkeys(("glm", "glm4", "glm4_moe", "ernie4_5", "ernie4_5_moe"), dense.dense),
    **dict.fromkeys(("qwen3_vl_text", "qwen3_vl_moe_text", "hy_v3", "seed_oss"), dense.dense),
    "gemma": dense.gemma,
    "minimax_m2": dense.minimax_m2,
    "gpt_bigcode": dense.gpt_bigcode,
    "falcon": dense.falcon,
    "mistral": sliding.mistral,
    **dict.fromkeys(("mixtral", "ministral3", "phi3", "starcoder2"), sliding.windowed),
    **dict.fromkeys(("qwen2", "qwen3", "mimo"), sliding.qwen),
    **dict.fromkeys(("qwen2_moe", "qwen3_moe"), sliding.qwen_moe),
    **dict.fromkeys(("gemma2", "gpt_oss"), sliding.gemma2),
    "gemma3_text": sliding.gemma3,
    "olmo3": sliding.olmo3,
    "cohere2": sliding.cohere2,
    "llama4_text": sliding.llama4,
    "mimo_v2_flash": sliding.mimo_v2,
    "gemma3n_text": shared.gemma3n,
    "gemma4_text": shared.gemma4,
    **dict.fromkeys(("hunyuan", "hunyuan_v1_dense", "hunyuan_v1_moe"), shared.hunyuan),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2", "glm4_moe_lite"), latent.mla),
    "deepseek_v32": latent.deepseek_v32,
    "glm_moe_dsa": latent.glm_dsa,
    **dict.fromkeys(
        ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), recurrent.qwen_next
    ),
    "kimi_linear": recurrent.kimi_linear,
    **dict.fromkeys(("minimax", "minimax_text_01"), recurrent.minimax),
    "jamba": mamba.jamba,
    "falcon_h1": mamba.falcon_h1,
    "granitemoehybrid": mamba.granite,
    "nemotron_h": mamba.nemotron_h,
    "mamba2": mamba.mamba2,
}  # fmt: skip

WRAPPERS: Mapping[str, tuple[str, ...]] = {  # the decoders that a wrapper may hold
    "gemma3": ("gemma3_text",),
    "gemma3n": ("gemma3n_text",),
    "gemma4": ("gemma4_text",),
    "llama4": ("llama4_text",),
    "mistral3": ("mistral", "ministral3"),
    "qwen3_vl": ("qwen3_vl_text",),
    "qwen3_vl_moe": ("qwen3_vl_moe_text",),
    "qwen3_5": ("qwen3_5_text",),
    "qwen3_5_moe": ("qwen3_5_moe_text",),
    "kimi_k25": ("kimi_k2", "deepseek_v3"),
    "kimi_k3": ("kimi_linear",),
}

ARCHITECTURES: Mapping[str, str] = {  # where a config names its class but no model_type
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "mistral",
    "MixtralForCausalLM": "mixtral",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen3ForCausalLM": "qwen3",
    "Qwen3MoeForCausalLM": "qwen3_moe",
    "Gemma2ForCausalLM": "gemma2",
    "Gemma3ForCausalLM": "gemma3_text",
    "Gemma3ForConditionalGeneration": "gemma3",
    "Phi3ForCausalLM": "phi3",
    "GptOssForCausalLM": "gpt_oss",
    "DeepseekV3ForCausalLM": "deepseek_v3",
    "Glm4MoeForCausalLM": "glm4_moe",
}
OTHER_STEMS: Mapping[str, tuple[str, ...]] = {  # classes not called as their model_type
    "kimi_k2": ("deepseekv3",),
    "hunyuan": ("hunyuanmoe", "hunyuandense"),
    "hunyuan_v1_dense": ("hunyuandensev1", "hunyuan"),
    "hunyuan_v1_moe": ("hunyuanmoev1", "hunyuanmoe", "hunyuan"),
}


def family_of(config: Fields) -> str:
    """Return the `model_type` that `config` states, else the one its architecture has.

    Raises ValueError, saying what to write instead, for one that no reader knows.
    """
    model_type, listed = config.get("model_type"), config.get("architectures")
    if model_type is None and isinstance(listed, list | tuple) and len(listed) == 1:
        model_type = ARCHITECTURES.get(listed[0]) if isinstance(listed[0], str) else None
    if model_type is None:
        hint = "" if listed is None else "the architecture alone is not known here"
        config.refuse("model_type", "given", hint_for_file(config.values) or hint)
    _check.kind(CALL, config.name("model_type"), model_type, str, "text")
    known = [*READERS, *WRAPPERS]
    if model_type not in known:
        config.refuse("model_type", "a known name", hint_for_type(model_type, known))
    _same_class(config, model_type)
    return model_type


def _same_class(config: Fields, family: str) -> None:
    """Refuse `architectures` that name another family's class, or one that is no decoder.

    What comes after For or Model is the head on the same decoder: LlamaForSequenceClassification.
    """
    listed = config.get("architectures")
    if listed is None:
        return
    _check.kind(CALL, config.name("architectures"), listed, list | tuple, "a list of class names")
    own = family.removesuffix("_text").replace("_", "")
    for name in listed:
        stem = re.split("For[A-Z]|LMHead|TextModel|Model", name)[0] if isinstance(name, str) else ""
        if stem.replace("_", "").lower() not in (own, *OTHER_STEMS.get(family, ())):
            config.refuse("architectures", f"the name of a decoder of the family {family}")


def groups_in(config: Fields) -> tuple[Group, ...]:
    """Return the layer groups that `config` describes, opening a wrapper's text_config.

    Raises TypeError or ValueError naming the field that was not understood.
    """
    for key in ("is_encoder_decoder", "add_cross_attention"):
        if config.flag(key):
            config.refuse(key, "false", "cross-attention caches depend on another sequence")
    for key in ("is_causal", "causal"):
        if not config.flag(key, default=True):
            config.refuse(key, "true", "attention that looks ahead keeps no KV cache")
    config = replace(config, family=family_of(config))
    if config.family in WRAPPERS:
        config.ignore("vision_config", "audio_config")
        groups = _unwrapped(config, WRAPPERS[config.family])
    else:
        groups = tuple(READERS[config.family](config))
    _no_window(config)
    _one_window(config)
    config.finish()
    if not groups:
        raise ValueError(f"{CALL}: some layers must keep a cache, got none that does")
    return groups


def _no_window(config: Fields) -> None:
    """Refuse a window that the family's reader did not ask for, unless it is switched off."""
    off = config.values.get("use_sliding_window") is False
    for key in ("sliding_window", "attention_chunk_size"):
        if key not in config.read and config.get(key) is not None and not off:
            config.refuse(key, "null in this family")


def _one_window(config: Fields) -> None:
    """Take sliding_window_size for another name of sliding_window, where no reader asked for it."""
    key, window = "sliding_window_size", config.values.get("sliding_window")
    if key in config.read or window is None or config.values.get(key) is None:
        return
    if config.count(key) != config.count("sliding_window"):
        config.refuse(key, f"{window}, as sliding_window says")


def _unwrapped(config: Fields, allowed: tuple[str, ...]) -> tuple[Group, ...]:
    """Return the groups of the decoder in text_config, which must be one of `allowed`.

    The wrapper's dtype is the decoder's where that states none; else the decoder's own counts.
    """
    text = config.section("text_config")
    values = dict(text.values)
    dtypes = {key: config.get(key) for key in ("dtype", "torch_dtype")}
    if all(values.get(key) is None for key in dtypes):
        values |= dtypes
    if values.get("model_type") is None:
        values["model_type"] = allowed[0]
    text = replace(text, values=values)
    if not isinstance(values["model_type"], str) or values["model_type"] not in allowed:
        text.refuse("model_type", " or ".join(allowed))
    return groups_in(text)
