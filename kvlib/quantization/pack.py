"""Pack: codes of a few bits into bytes, and back.

NumPy has no array of 4-bit numbers: `ml_dtypes` keeps each in a byte of its own. A cache that
should be small is packed by hand: the bits of neighbouring codes, least significant first, fill a
unit, and a unit fills whole bytes. The order is ours; kernels interleave codes in their own ways.
"""

import numpy as np

from kvlib.quantization.formats import Format

__all__ = ["pack", "unpack"]


def pack(codes: np.ndarray, form: Format) -> np.ndarray:
    """Return codes of shape (runs, codes), unsigned, as bytes of shape (runs, bytes).

    >>> from kvlib.quantization import FORMATS
    >>> pack(np.array([[1, 2, 3]]), FORMATS["int4_g32"]).tolist()
    [[33, 3]]
    """
    bits = form.element_bits
    per_unit, unit_bytes = form.packs
    runs, count = codes.shape
    units = -(-count // per_unit)
    wide = np.zeros((runs, units * per_unit), dtype=np.uint16)
    wide[:, :count] = codes
    if bits == 8 * unit_bytes // per_unit and bits in (8, 16):
        return wide.astype(f"<u{bits // 8}").view(np.uint8).reshape(runs, units * unit_bytes)
    places = np.arange(bits, dtype=np.uint16)
    spread = (wide.reshape(runs, units, per_unit, 1) >> places & 1).astype(np.uint8)
    packed = np.packbits(spread.reshape(runs, units, per_unit * bits), axis=-1, bitorder="little")
    whole = np.zeros((runs, units, unit_bytes), dtype=np.uint8)
    whole[:, :, : packed.shape[-1]] = packed
    return whole.reshape(runs, units * unit_bytes)


def unpack(data: np.ndarray, count: int, form: Format) -> np.ndarray:
    """Return the first `count` codes of each run, unsigned, from what `pack` made.

    >>> from kvlib.quantization import FORMATS
    >>> unpack(np.array([[33, 3]], dtype=np.uint8), 3, FORMATS["int4_g32"]).tolist()
    [[1, 2, 3]]
    """
    bits = form.element_bits
    per_unit, unit_bytes = form.packs
    runs = data.shape[0]
    if bits == 8 * unit_bytes // per_unit and bits in (8, 16):
        return np.ascontiguousarray(data).view(f"<u{bits // 8}")[:, :count].astype(np.uint16)
    units = data.shape[1] // unit_bytes
    spread = np.unpackbits(data.reshape(runs, units, unit_bytes), axis=-1, bitorder="little")
    spread = spread[:, :, : per_unit * bits].reshape(runs, units * per_unit, bits)
    weights = 1 << np.arange(bits, dtype=np.uint16)
    return (spread * weights).sum(axis=-1, dtype=np.uint16)[:, :count]
