"""Formats: how an element of the cache is stored, as data.

An element becomes a code of a few bits. A group of neighbours shares a scale, and some formats
store the group's least value beside it (a zero point). Neighbours lie along the head dimension of
one token and head (`along="token"`), along the tokens of one channel ("channel"), or anywhere in
one layer's K or V ("layer"). Codes fill whole units, rows whole alignments.

Not here: the order of the bits inside a unit, which differs from kernel to kernel.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from kvlib import _check
from kvlib._check import one_whole
from kvlib.quantization.floats import FLOATS

__all__ = ["FORMATS", "Format", "one_engine"]

INTEGERS = {"int8": 8, "int5": 5, "int4": 4, "int3": 3, "int2": 2}
BITS = {"": 0} | {name: kind.bits for name, kind in FLOATS.items()} | INTEGERS
ELEMENTS = [name for name in BITS if name and name != "float8_e8m0fnu"]
SCALES = ["", "float32", "float16", "float8_e4m3fn", "float8_e8m0fnu"]
ZEROS = ["", "float32", "float16"]
GROUPS = ("", "tensor", "row")
WIDE = "float32 or float16 for integers"  # a narrower scale would have to be rounded first
MOST = 10**6  # codes of a group, a unit or a tail; bytes of an alignment


@dataclass(frozen=True, kw_only=True)
class Format:
    """One way to store K or V (of MLA: the latent or the rotary key).

    `element`, `scale` and `zero` name dtypes; `group` is how many codes share a scale: a number,
    "row" (all of one token and head) or "tensor" (one for a layer's K or V, known before any
    token is). Raises TypeError or ValueError for fields that do not fit each other.
    """

    name: str
    element: str
    scale: str = ""
    zero: str = ""  # dtype of a group's least value; "" where codes lie around 0
    group: int | str = ""
    along: str = "token"  # or "channel", "layer"
    unit: tuple[int, int] = (0, 0)  # codes and the bytes that they fill; (0, 0): no spare bits
    alignment: int = 1  # bytes; a run of codes with its scales is padded to it
    lopsided: bool = False  # the value of largest size takes the lowest code: -8 of -8 .. 7
    tail: int = 0  # tokens: how many may stay in 16 bits
    tail_keeps: str = ""  # "remainder": what fills no whole tail; "last": the last ones
    mixes: str = ""  # the engine in which K and V may differ; "" where they are one format
    source: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("name", "mixes", "source"):
                _check.kind("Format", field.name, value, str, "text")
        for name, known in (
            ("element", ELEMENTS),
            ("scale", SCALES),
            ("zero", ZEROS),
            ("along", ("token", "channel", "layer")),
            ("tail_keeps", ("", "remainder", "last")),
        ):
            _check.one_of("Format", name, getattr(self, name), known)
        _check.kind("Format", "lopsided", self.lopsided, bool, "True or False")
        rule = "a tuple of codes and bytes"
        _check.kind("Format", "unit", self.unit, tuple, rule)
        if len(self.unit) != 2:
            raise ValueError(_check.wrong("Format", "unit", rule, self.unit))
        whole = {"unit": tuple(one_whole("Format", "unit", n, 0, MOST) for n in self.unit)}
        for name, least in (("group", 1), ("alignment", 1), ("tail", 0)):
            value = getattr(self, name)
            if name == "group" and isinstance(value, str):
                whole[name] = _check.one_of("Format", name, value, GROUPS)
            else:
                whole[name] = one_whole("Format", name, value, least, MOST)
        for name, value in whole.items():
            object.__setattr__(self, name, value)
        self._check_together()

    def _check_together(self) -> None:
        integer = self.element in INTEGERS
        if bool(self.scale) != bool(self.group) or (integer and not self.scale):
            raise ValueError("Format: scale and group must be given together; integers need both")
        if integer and self.scale not in ("float32", "float16"):
            raise ValueError(_check.wrong("Format", "scale", WIDE, self.scale))
        if self.zero and (not integer or self.group == "tensor"):
            raise ValueError("Format: zero must go with integers in groups or rows")
        if self.lopsided and (not integer or self.zero or self.group == "tensor"):
            rule = "must go with integers in groups or rows, without a zero point"
            raise ValueError(f"Format: lopsided {rule}")
        if self.group == "row" and self.along != "token":
            raise ValueError("Format: group 'row' must go along 'token'")
        if bool(self.tail) != bool(self.tail_keeps):
            raise ValueError("Format: tail and tail_keeps must be given together")
        codes, n_bytes = self.packs
        if codes < 1 or 8 * n_bytes < codes * self.element_bits:
            rule = f"enough bytes for codes of {self.element_bits} bits"
            raise ValueError(_check.wrong("Format", "unit", rule, self.unit))

    @property
    def element_bits(self) -> int:
        """Bits of one code."""
        return BITS[self.element]

    @property
    def group_bytes(self) -> int:
        """Bytes of one group's scale and zero point; 0 for a scale of the whole tensor."""
        counted = self.group != "tensor"
        return (BITS[self.scale] * counted + BITS[self.zero]) // 8

    @property
    def tensor_bytes(self) -> int:
        """Bytes of the scale of a whole tensor: once a layer, for K and for V, at any length."""
        return BITS[self.scale] // 8 if self.group == "tensor" else 0

    @property
    def packs(self) -> tuple[int, int]:
        """How many codes fill how many bytes, with no code over two units."""
        if self.unit != (0, 0):
            return self.unit
        common = math.gcd(self.element_bits, 8)
        return 8 // common, self.element_bits // common


CPP = "llama.cpp"
_DENSE = "the dtype of the model"
_VLLM = "vLLM 0.33.0, kv_cache_interface.py: one fp32 scale a token and head, beside its codes"
_FP8 = "SGLang and vLLM: one scale a tensor, from the checkpoint or 1.0"
_INT8 = "SGLang, quantized_kv_cache.md at 03cd2ec: fp16 scale and zero point a token and head"
_INT4 = "transformers 5.24.0, QuantizedCache with quanto or HQQ: scale and zero point a group"
_NV = "NVFP4: e2m1, one e4m3 scale for 16; SGLang's fp4_e2m1 and vLLM's nvfp4 count alike"
_MX = "OCP Microscaling Formats 1.0: one e8m0 scale for 32"
_GGML = "llama.cpp, ggml-common.h: blocks of 32 with an fp16 scale; _1 adds an fp16 minimum"
_KIVI = "jy-yuan/KIVI, llama_kivi.py at 04eeae0 and example.py: groups of 32, tail of 32"
_MLA = "vLLM and SGLang, fp8_ds_mla: one fp32 scale for 128 of the latent"


def _fp8(name: str, element: str) -> list[Format]:
    tensor = Format(name=name, element=element, scale="float32", group="tensor", source=_FP8)
    row = {"scale": "float32", "group": "row", "alignment": 4, "source": _VLLM}
    return [tensor, Format(name=f"{name}_row", element=element, **row)]


def _int4(group: int) -> Format:
    pair = {"scale": "float16", "zero": "float16", "source": _INT4}
    return Format(name=f"int4_g{group}", element="int4", group=group, **pair)


def _ggml(name: str, element: str, zero: str = "", lopsided: bool = False) -> Format:
    block = {"scale": "float16", "zero": zero, "group": 32, "unit": (32, 4 * INTEGERS[element])}
    return Format(name=name, element=element, lopsided=lopsided, mixes=CPP, source=_GGML, **block)


def _kivi(bits: int) -> list[Format]:
    both = {"element": f"int{bits}", "scale": "float16", "zero": "float16", "group": 32}
    both |= {"tail": 32, "mixes": "KIVI", "source": _KIVI}
    key = Format(name=f"kivi{bits}_key", along="channel", tail_keeps="remainder", **both)
    return [key, Format(name=f"kivi{bits}_value", tail_keeps="last", **both)]


def _formats() -> list[Format]:
    e2m1, e4m3 = "float4_e2m1fn", "float8_e4m3fn"
    row = {"scale": "float32", "group": "row", "alignment": 4, "source": _VLLM}
    pair = {"scale": "float16", "zero": "float16", "group": "row", "source": _INT8}
    mx = {"scale": "float8_e8m0fnu", "group": 32, "source": _MX}
    return [
        Format(name="bf16", element="bfloat16", mixes=CPP, source=_DENSE),
        Format(name="fp16", element="float16", mixes=CPP, source=_DENSE),
        *_fp8("fp8_e4m3", e4m3),
        *_fp8("fp8_e5m2", "float8_e5m2"),
        Format(name="fp8_e4m3_g128", element=e4m3, scale="float32", group=128, source=_MLA),
        Format(name="mxfp8", element=e4m3, unit=(32, 32), **mx),
        Format(name="int8_row", element="int8", **row),
        Format(name="int8_row_zero", element="int8", **pair),
        Format(name="int4_row", element="int4", **row),
        *map(_int4, (32, 64, 128)),
        Format(name="nvfp4", element=e2m1, scale=e4m3, group=16, unit=(16, 8), source=_NV),
        Format(name="mxfp4", element=e2m1, unit=(32, 16), **mx),
        _ggml("q8_0", "int8"),
        _ggml("q5_1", "int5", "float16"),
        _ggml("q5_0", "int5", lopsided=True),
        _ggml("q4_1", "int4", "float16"),
        _ggml("q4_0", "int4", lopsided=True),
        *_kivi(4),
        *_kivi(2),
    ]


FORMATS: Mapping[str, Format] = MappingProxyType({f.name: f for f in _formats()})


def one_engine(key: Format, value: Format) -> bool:
    """Return whether an engine that the formats name stores K in one and V in the other.

    KIVI groups K along a channel and V along a token, so it takes no format for both. Raises
    TypeError for what is no Format.

    >>> one_engine(FORMATS["q8_0"], FORMATS["q4_0"]), one_engine(FORMATS["q8_0"], FORMATS["mxfp8"])
    (True, False)
    """
    for name, form in (("key", key), ("value", value)):
        _check.kind("one_engine", name, form, Format, "a Format")
    if key.tail or value.tail:
        halves = key.along == "channel" and value.along == "token"
        return halves and key.mixes == value.mixes != ""
    return key == value or key.mixes == value.mixes != ""
