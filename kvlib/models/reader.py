"""A `config.json` into a model: every field that shapes the cache is read, or the file is refused.

A name that no reader read and that is not known to be harmless is refused, unless it says nothing.
Counted: what `payload` counts. Not counted: draft (MTP) layers, which are no part of the target
(`payload.with_draft` adds them), and encoders. A config's torch_dtype does not set the KV cache's
width; a kv_cache_scheme in its quantization_config does (`quantized`), and `element_bytes`, an
argument of `payload_bytes`, overrides both. Only the file given is read: an hf_quant_config.json
beside it is not. Recurrent state is another matter: its dtype belongs to the model. Where neither
the file nor its class states one, as for Kimi's KDA, it counts in the model's dtype; engines hold
that state in float32, which is their convention (`engines`). The model's `source` says both.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kvlib.models._read import CALL, mapping_of
from kvlib.models.families import groups_in
from kvlib.models.fields import Fields
from kvlib.models.quantized import cache_width
from kvlib.payload import Model


def from_config(config: Mapping[str, Any] | str | Path) -> Model:
    """Return the model that a Hugging Face `config.json` describes.

    Takes a path (to the file or its directory), the file's text or the mapping in it. Raises
    TypeError, ValueError or OSError in one sentence that names the field, rather than return a
    number for a structure that it does not understand.

    >>> from kvlib.payload import Latent, payload_bytes, with_draft
    >>> toy = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8}
    >>> payload_bytes(from_config({"model_type": "llama", "head_dim": 128} | toy), 1)
    131072

    The draft layer of DeepSeek-V3 caches what one of its 61 layers does:

    >>> mla = {"num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    >>> target = from_config({"model_type": "deepseek_v3", "num_nextn_predict_layers": 1} | mla)
    >>> draft = Latent(layers=1, latent_dim=512, rope_dim=64)
    >>> payload_bytes(target, 1), payload_bytes(with_draft(target, draft), 1)
    (70272, 71424)
    """
    try:
        values, name, origin = mapping_of(config)
        return read_model(values, name=name, source=f"config.json read from {origin}")
    except RecursionError:
        message = f"{CALL}: config must be nested less deeply, got more levels than Python reads"
        raise ValueError(message) from None


def read_model(values: Mapping[str, Any], *, name: str, source: str) -> Model:
    """Return the model that the mapping describes, under `name` (else the name it states)."""
    fields = Fields(values=values)
    groups = groups_in(fields)
    width = cache_width(fields)
    source = "; ".join([source, *fields.notes])
    own = fields.get("_name_or_path")
    if not name and isinstance(own, str) and own.isprintable() and 0 < len(own) <= 200:
        name = own
    name = name or values.get("model_type") or "a model"
    return Model(name=name, groups=groups, source=source, element_bytes=width)
