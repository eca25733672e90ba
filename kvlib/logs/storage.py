"""Storage: the ways in which engines store K and V, and which of them a line may mean.

    bytes a token = sum over layers of run(key, d_k) + run(value, d_v)      MLA: latent and rotary

A width of whole bytes says it for bf16 and fp8. Formats with scales among their codes do not come
out whole: each is packed as `quantization` packs it. What a line prints goes before what was
stated; where neither says anything, all that engines store is tried, the model's own width first.

Not tried: formats that no engine here keeps on a GPU (llama.cpp's, KIVI's, those of transformers).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kvlib.payload import Group, Latent, payload_bytes
from kvlib.quantization import FORMATS, Format, stored_bytes
from kvlib.wording import joined

__all__ = ["Storage", "as_formats", "as_width", "candidates"]

ALIKE = {"half": "float16", "float8_e4m3fnuz": "float8_e4m3fn", "float4_e2m1fn_x2": "float4_e2m1fn"}


@dataclass(frozen=True, kw_only=True)
class Storage:
    """How K and V are stored, of MLA the latent and the rotary key: a width or two formats."""

    said: str  # "2 bytes an element", "packed as nvfp4"
    width: int = 0  # bytes of an element; 0 where the formats say it
    key: Format | None = None
    value: Format | None = None

    def n_bytes(self, group: Group, tokens: int) -> int:
        """Return the bytes of `tokens` positions of a group of layers."""
        if self.width:
            return payload_bytes(group, tokens, self.width)
        return stored_bytes(group, tokens, self.key, self.value)


def as_width(width: int) -> Storage:
    """Return the storage of elements that are whole bytes wide."""
    return Storage(said=f"{width} byte{'s' if width > 1 else ''} an element", width=width)


def as_formats(key: Format, value: Format | None = None, *alike: str) -> Storage:
    """Return the storage of K in one format and V in another, as K if left out.

    `alike` are names of formats that take as many bytes.
    """
    if value in (None, key) and key.group in ("", "tensor") and not key.element_bits % 8:
        said = f"{as_width(key.element_bits // 8).said} ({key.name})"
        return Storage(said=said, key=key, value=key)
    said = f"packed as {joined([key.name, *alike], 'or')}"
    if value not in (None, key):
        said += f" with the rotary key in {value.name}"
    return Storage(said=said, key=key, value=value or key)


def _named(key: str, *alike: str) -> Storage:
    return as_formats(FORMATS[key], None, *alike)


TWO, ONE = as_width(2), as_width(1)
NVFP4 = _named("nvfp4")
CODES = Storage(  # SGLang's MHATokenToKVPoolFP4 keeps scales in tensors that its line leaves out
    said="the codes of nvfp4 without their scales",
    key=replace(NVFP4.key, name="codes", scale="", group=""),
    value=replace(NVFP4.key, name="codes", scale="", group=""),
)
EIGHT = (_named("fp8_e4m3_row", "int8_row", "int8_row_zero"), _named("mxfp8"))
FOUR = (_named("int4_row"), NVFP4)
FP8_MLA = as_formats(FORMATS["fp8_e4m3_g128"], FORMATS["bf16"])
FP4_MLA = (as_formats(NVFP4.key, FORMATS["fp8_e4m3"]), NVFP4)
PACKED = {False: (*EIGHT, *FOUR), True: (FP8_MLA, *FP4_MLA)}  # by whether the model keeps a latent
PRINTED = {  # dtype: what a pool that prints it may hold, without and with a latent
    "float32": ((as_width(4),), (as_width(4),)),
    "bfloat16": ((TWO,), (TWO,)),
    "float16": ((TWO,), (TWO,)),
    "float8_e4m3fn": ((ONE, EIGHT[1]), (ONE, FP8_MLA)),
    "float8_e5m2": ((ONE,), (ONE,)),
    "float4_e2m1fn": ((NVFP4, CODES), (*FP4_MLA, CODES)),
    "int8": ((ONE, EIGHT[0]), (ONE,)),
    "uint8": ((ONE, *PACKED[False]), (ONE, *PACKED[True])),  # bytes that hold any of these
}


def candidates(
    dtype: str, width: int, groups: Sequence[Group], stated: Storage | None
) -> tuple[tuple[Storage, ...], str]:
    """Return what a pool may be stored as, the likeliest first, and a sentence on a contradiction.

    `width` is that of the model's file. The sentence is empty if there is nothing to say.
    """
    latent = any(isinstance(group, Latent) for group in groups)
    printed = PRINTED.get(ALIKE.get(dtype, dtype))
    note = f"The line prints dtype {dtype}, which is not known here." if dtype else ""
    if printed is not None:
        found = printed[latent]
        if stated is None:
            return found, ""
        if _holds(ALIKE.get(dtype, dtype), found, stated):
            return _counted(stated), ""
        said = f"{dtype}, where {stated.said} was stated"
        return found, f"The line prints dtype {said}: the line is believed."
    if stated is not None:
        return _counted(stated), note
    plain = dict.fromkeys((as_width(width), TWO, ONE))
    return (*plain, *PACKED[latent]), note


def _counted(stated: Storage) -> tuple[Storage, ...]:
    """Return what was stated, and what a line may count of it."""
    return (stated, CODES) if stated.key == NVFP4.key else (stated,)


def _holds(dtype: str, found: Sequence[Storage], stated: Storage) -> bool:
    """Return whether a pool that prints a dtype may hold what was stated."""
    if stated.width:
        return any(one.width == stated.width for one in found)
    element = stated.key.element
    return element == dtype or (dtype == "uint8" and stated.key.element_bits <= 8)
