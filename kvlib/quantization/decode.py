"""Decode: packed bytes back into the numbers that they stand for.

    value = code · scale        value = zero point + code · scale

The products are exact in float64, so the only error is the one made while packing.
"""

import numpy as np

from kvlib import _check
from kvlib.quantization.encode import Packed, dtype_of
from kvlib.quantization.formats import BITS, INTEGERS
from kvlib.quantization.pack import unpack

__all__ = ["decode"]


def decode(packed: Packed) -> np.ndarray:
    """Return the float64 array, of the shape that was packed. Raises TypeError for no Packed.

    >>> from kvlib.quantization import FORMATS
    >>> from kvlib.quantization.encode import encode
    >>> decode(encode(np.array([[0.0, 7.0, 15.0]]), FORMATS["int4_g32"])).tolist()
    [[0.0, 7.0, 15.0]]
    """
    _check.kind("decode", "packed", packed, Packed, "what encode returns")
    form = packed.form
    *lead, tokens, dim = packed.shape
    cut = tokens - packed.tail.shape[-2]
    shape = (*lead, dim, cut) if form.along == "channel" else (*lead, cut, dim)
    count = int(np.prod(shape)) // max(1, len(packed.data))
    values = _runs(packed, count) if packed.data.size else np.zeros(0)
    values = values.reshape(shape)
    if form.along == "channel":
        values = np.swapaxes(values, -1, -2)
    return np.concatenate([values, packed.tail.astype(np.float64)], axis=-2)


def _runs(packed: Packed, count: int) -> np.ndarray:
    """Return the values of each run of `count` codes: an array of shape (runs, count)."""
    form, data = packed.form, packed.data
    per_unit, unit_bytes = form.packs
    at = -(-count // per_unit) * unit_bytes
    codes = unpack(data[:, :at], count, form)
    group = form.group if isinstance(form.group, int) else count
    fields = []
    for name in (form.scale if form.group != "tensor" else "", form.zero):
        if not name:
            fields.append(None)
            continue
        end = at + -(-count // group) * BITS[name] // 8
        stored = np.ascontiguousarray(data[:, at:end]).view(dtype_of(name))
        fields.append(np.repeat(stored.astype(np.float64), group, axis=1)[:, :count])
        at = end
    scale, zero = fields
    if form.element in INTEGERS:
        offset = 0 if form.zero else 2 ** (form.element_bits - 1)
        values = codes.astype(np.float64) - offset
    else:
        dtype = dtype_of(form.element)
        values = codes.astype(f"u{dtype.itemsize}").view(dtype).astype(np.float64)
    values = values * (packed.tensor_scale if scale is None else scale)
    return values if zero is None else values + zero
