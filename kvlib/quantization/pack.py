"""Pack: codes of a few bits into bytes, and back.

NumPy has no array of 4-bit numbers: `ml_dtypes` keeps each in a byte of its own. A cache that
should be small is packed by hand: the bits of neighbouring codes, least significant first, fill a
unit, and a unit fills whole bytes. The order is ours; kernels interleave codes in their own ways.
"""

import numpy as np

from kvlib import _check
from kvlib._check import one_whole
from kvlib.quantization.formats import Format
from kvlib.quantization.sizes import format_of

__all__ = ["pack", "unpack"]

WORDS = (8, 16, 32)  # bits that fill whole bytes


def pack(codes: np.ndarray, form: Format) -> np.ndarray:
    """Return codes of shape (runs, codes), unsigned, as bytes of shape (runs, bytes).

    Raises TypeError or ValueError for what is no format, or codes that it has no bits for.

    >>> from kvlib.quantization import FORMATS
    >>> pack(np.array([[1, 2, 3]]), FORMATS["int4_g32"]).tolist()
    [[33, 3]]
    """
    bits = format_of("pack", "form", form).element_bits
    codes = _table("pack", "codes", codes)
    if codes.size and (codes.min() < 0 or codes.max() >= 2**bits):
        worst = codes.min() if codes.min() < 0 else codes.max()
        raise ValueError(_check.wrong("pack", "codes", f"from 0 to {2**bits - 1:,}", worst))
    per_unit, unit_bytes = form.packs
    runs, count = codes.shape
    units = -(-count // per_unit)
    wide = np.zeros((runs, units * per_unit), dtype=np.uint32)
    wide[:, :count] = codes
    if bits == 8 * unit_bytes // per_unit and bits in WORDS:
        return wide.astype(f"<u{bits // 8}").view(np.uint8).reshape(runs, units * unit_bytes)
    places = np.arange(bits, dtype=np.uint32)
    spread = (wide.reshape(runs, units, per_unit, 1) >> places & 1).astype(np.uint8)
    packed = np.packbits(spread.reshape(runs, units, per_unit * bits), axis=-1, bitorder="little")
    whole = np.zeros((runs, units, unit_bytes), dtype=np.uint8)
    whole[:, :, : packed.shape[-1]] = packed
    return whole.reshape(runs, units * unit_bytes)


def unpack(data: np.ndarray, count: int, form: Format) -> np.ndarray:
    """Return the first `count` codes of each run, unsigned, from what `pack` made.

    Raises TypeError or ValueError for what is no format or holds no `count` codes a run.

    >>> from kvlib.quantization import FORMATS
    >>> unpack(np.array([[33, 3]], dtype=np.uint8), 3, FORMATS["int4_g32"]).tolist()
    [[1, 2, 3]]
    """
    bits = format_of("unpack", "form", form).element_bits
    per_unit, unit_bytes = form.packs
    data = _table("unpack", "data", data)
    runs, units = data.shape[0], data.shape[1] // unit_bytes
    count = one_whole("unpack", "count", count, maximum=units * per_unit)
    if bits == 8 * unit_bytes // per_unit and bits in WORDS:
        return np.ascontiguousarray(data).view(f"<u{bits // 8}")[:, :count].astype(np.uint32)
    data = data[:, : units * unit_bytes]
    spread = np.unpackbits(data.reshape(runs, units, unit_bytes), axis=-1, bitorder="little")
    spread = spread[:, :, : per_unit * bits].reshape(runs, units * per_unit, bits)
    weights = np.uint32(1) << np.arange(bits, dtype=np.uint32)
    return (spread * weights).sum(axis=-1, dtype=np.uint32)[:, :count]


def _table(call: str, name: str, array: np.ndarray) -> np.ndarray:
    """Return `array` if it is one of whole numbers with two axes. Raises TypeError, ValueError."""
    if getattr(getattr(array, "dtype", None), "kind", "") not in ("i", "u"):
        raise TypeError(_check.wrong_type(call, name, "an array of whole numbers", array))
    if array.ndim != 2:
        raise ValueError(_check.wrong(call, name, "an array of two axes", array.shape))
    return array
