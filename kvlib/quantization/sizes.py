"""Sizes: the bytes that a cache really takes in a format, scales, padding and tail included.

    bits an element = bits of a code + bits of a group's scale and zero point / group

holds where groups and units divide the run that they lie along, and no tail stays in 16 bits.
Where they do not, the last group has a scale of its own and the last unit is filled up.

Counted: all that a request's packed cache holds. Not counted: a scale of a whole tensor, which
belongs to the model and is at both ends before any request is (`Format.tensor_bytes`).
"""

import math

from kvlib import _check
from kvlib._check import one_whole
from kvlib.payload import Geometry, Group, Latent, Model, group_bytes, kept, total_bytes
from kvlib.quantization.formats import Format

__all__ = ["bits_per_element", "run_bytes", "stored_bytes", "tail_tokens"]

MOST_DIM = 10**7
HINT = "write FORMATS['q8_0'] or a Format"


def format_of(call: str, name: str, value: Format) -> Format:
    """Return `value` if it is a Format. Raises TypeError for anything else."""
    if not isinstance(value, Format):
        raise TypeError(_check.wrong_type(call, name, "a Format", value, HINT))
    return value


def run_bytes(form: Format, codes: int) -> int:
    """Return the bytes of a run of `codes` elements with its scales and padding.

    An int array gives an int64 array. Raises TypeError or ValueError for what is no format or no
    count.

    >>> from kvlib.quantization import FORMATS
    >>> run_bytes(FORMATS["q8_0"], 128), run_bytes(FORMATS["q8_0"], 129)
    (136, 170)
    """
    form = format_of("run_bytes", "form", form)
    codes = _check.whole("run_bytes", "codes", codes)
    if _check.is_array(codes) and codes.size:
        longest = int(codes.max())
        if run_bytes(form, longest) > _check.LARGEST:
            rule = "few enough for 64-bit bytes"
            raise ValueError(_check.wrong("run_bytes", "codes", rule, longest))
    per_unit, unit_bytes = form.packs
    size = -(-codes // per_unit) * unit_bytes
    if form.group == "row":
        size = size + (codes > 0) * form.group_bytes
    elif form.group and form.group != "tensor":
        size = size + -(-codes // form.group) * form.group_bytes
    return -(-size // form.alignment) * form.alignment


def bits_per_element(form: Format, head_dim: int = 128) -> float:
    """Return the bits that an element takes with its scales, the tail left out.

    `head_dim` is the length of a run along a token; other runs are taken as whole groups.
    Raises TypeError or ValueError for what is no format or no count.

    >>> from kvlib.quantization import FORMATS
    >>> [bits_per_element(FORMATS[name]) for name in ("int4_g64", "int4_g32", "q8_0", "kivi2_key")]
    [4.5, 5.0, 8.5, 3.0]
    """
    call = "bits_per_element"
    form = format_of(call, "form", form)
    codes = one_whole(call, "head_dim", head_dim, minimum=1, maximum=MOST_DIM)
    if form.along != "token":
        group = form.group if isinstance(form.group, int) else 1
        codes = math.lcm(group, form.packs[0]) * form.alignment
    return 8 * run_bytes(form, codes) / codes


def tail_tokens(form: Format, tokens: int) -> int:
    """Return how many of the last `tokens` a format leaves in 16 bits; arrays broadcast.

    Raises TypeError or ValueError for what is no format or no count.

    >>> from kvlib.quantization import FORMATS
    >>> [tail_tokens(FORMATS[name], 100) for name in ("kivi2_key", "kivi2_value", "q4_0")]
    [4, 32, 0]
    """
    form = format_of("tail_tokens", "form", form)
    tokens = _check.whole("tail_tokens", "tokens", tokens)
    if form.tail_keeps == "remainder":
        return tokens % form.tail
    return kept(tokens, form.tail)  # none without a tail


def stored_bytes(
    model: Model | Group, tokens: int, key: Format, value: Format | None = None
) -> int:
    """Return the bytes of `tokens` cached positions with K in one format and V in another.

    V is stored as K if `value` is left out. For MLA `key` is the format of the latent and `value`
    that of the rotary key. Indexer keys and recurrent state keep the widths of their own. An int
    array of tokens gives an int64 array. Raises TypeError or ValueError for what is no model, no
    count or no format.

    >>> from kvlib.quantization import FORMATS
    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> stored_bytes(toy, 8_192, FORMATS["fp8_e4m3"]), stored_bytes(toy, 8_192, FORMATS["q8_0"])
    (536870912, 570425344)
    >>> row = Latent(layers=1, latent_dim=512, rope_dim=64)
    >>> stored_bytes(row, 1, FORMATS["fp8_e4m3_g128"], FORMATS["bf16"])
    656
    """
    call = "stored_bytes"
    key = format_of(call, "key", key)
    value = key if value is None else format_of(call, "value", value)
    return stored_of(call, model, tokens, key, value)


def stored_of(call: str, model: Model | Group, tokens: int, key: Format, value: Format) -> int:
    """Return the bytes as `stored_bytes` does, with errors in the name of `call`."""

    def of_group(group: Group, tokens: int, width: int) -> int:
        match group:
            case Geometry():
                positions = kept(tokens, group.kept_tokens)
                wide = group.value_dim or group.head_dim
                heads = group.kv_heads
                return group.layers * (
                    _part(key, heads, positions, group.head_dim)
                    + _part(value, heads, positions, wide)
                )
            case Latent():
                latent = _part(key, 1, tokens, group.latent_dim)
                return group.layers * (latent + _part(value, 1, tokens, group.rope_dim))
        return group_bytes(group, tokens, width)

    if _check.is_array(tokens) and "layer" in (key.along, value.along):
        total_bytes(call, model, tokens, 2, group_bytes)  # a layer's codes are counted, too
    return total_bytes(call, model, tokens, 1, of_group)


def _part(form: Format, heads: int, tokens: int, dim: int) -> int:
    """Return the bytes of one layer's K (or V): packed tokens and the tail in 16 bits."""
    tail = tail_tokens(form, tokens)
    packed = tokens - tail
    match form.along:
        case "token":
            size = heads * packed * run_bytes(form, dim)
        case "channel":
            size = heads * dim * run_bytes(form, packed)
        case _:
            size = run_bytes(form, heads * packed * dim)
    return size + heads * tail * dim * 2
