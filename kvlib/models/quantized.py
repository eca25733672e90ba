"""Quantized: the width of the KV cache's elements, where a config states one.

Three spellings of one thing, beside the weights in `quantization_config`: compressed-tensors'
kv_cache_scheme, ModelOpt's word for it, and ModelOpt's kv_cache_quant_algo. 8 bits with scales
fixed beforehand is one byte an element; scales are not counted. A scheme that stores scales with
the tokens, or anything else, is refused: it has no whole width. How the weights are quantized does
not matter here. Sources, read 2026-11-29: 14 configs as NVIDIA aiconfigurator 0.12.0 lists them.
"""

import numbers
from collections.abc import Mapping

from kvlib.models.fields import Fields
from kvlib.models.known import silent

PLACES = ("quantization_config", "compression_config", "quantization")
STATED = "KV cache stated as 8-bit: 1 byte an element, scales not counted"
WAY_OUT = "leave it out and pass element_bytes"
FREE = ("symmetric", "observer", "observer_kwargs", "actorder", "scale_dtype", "zp_dtype")


def cache_width(config: Fields) -> int:
    """Return the bytes of one cached element: 1 where `config` states 8 bits, 2 where nothing.

    Raises ValueError for what is neither. What is stated is noted for the model's source.
    """
    holders = [config]
    if isinstance(config.values.get("text_config"), Mapping):
        holders.append(config.section("text_config"))
    stated = [_eight_bits(section) for holder in holders for section in _sections(holder)]
    if any(stated):
        config.notes.append(STATED)
    return 1 if any(stated) else 2


def _sections(config: Fields) -> list[Fields]:
    """Return the quantization sections of `config`, and the one that ModelOpt puts inside them."""
    found = [config.section(k) for k in PLACES if isinstance(config.values.get(k), Mapping)]
    inner = [s for s in found if isinstance(s.values.get("quantization"), Mapping)]
    return found + [section.section("quantization") for section in inner]


def _eight_bits(section: Fields) -> bool:
    """Return whether a quantization section states 8 bits for the KV cache; else it says nothing.

    Raises ValueError for another width, and for a name about the cache that is not known.
    """
    stated = False
    for key, value in section.values.items():
        if not isinstance(key, str) or "kv_cache" not in key or silent(key, value):
            continue
        if key not in ("kv_cache_scheme", "kv_cache_quant_algo"):
            section.refuse(key, "absent", WAY_OUT)
        if key == "kv_cache_scheme" and isinstance(value, Mapping):
            _static(section.section(key))
        elif not (isinstance(value, str) and value.upper() == "FP8"):
            section.refuse(key, "FP8 or a scheme of 8 bits", WAY_OUT)
        stated = True
    return stated


def _static(scheme: Fields) -> None:
    """Refuse a scheme that is not 8 bits an element with scales fixed beforehand."""
    bits, dynamic = scheme.values.get("num_bits"), scheme.values.get("dynamic")
    if not isinstance(bits, numbers.Integral) or bits != 8:
        scheme.refuse("num_bits", "8", WAY_OUT)
    if not _in(scheme, "type", ("float", "int")):
        scheme.refuse("type", "float or int", WAY_OUT)
    if dynamic is not None and dynamic is not False:
        scheme.refuse("dynamic", "false", f"such scales lie beside the tokens: {WAY_OUT}")
    if scheme.values.get("strategy") is not None:
        known = ("tensor", "channel", "attn_head")
        if not _in(scheme, "strategy", known):
            scheme.refuse("strategy", " or ".join(known), WAY_OUT)
    scheme.ignore("num_bits", "type", "dynamic", "strategy", *FREE)
    scheme.finish(known=False)


def _in(scheme: Fields, key: str, known: tuple[str, ...]) -> bool:
    value = scheme.values.get(key)
    return isinstance(value, str) and value in known
