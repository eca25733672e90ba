"""Quantization: what a cache weighs in fewer bits, what it costs and what it gets wrong. Chapter 5.

    stored bytes = codes + scales + zero points + padding + a tail in 16 bits

| file      | what it answers                                                           |
|-----------|---------------------------------------------------------------------------|
| `floats`  | which number a pattern of a small float stands for                        |
| `formats` | formats as data: code, scale, zero point, group, unit, alignment, tail    |
| `sizes`   | bits an element and stored bytes of a model, exactly                      |
| `convert` | when packing for the link pays; that both ends must hold one format       |
| `pack`    | codes of a few bits into bytes and back (NumPy)                           |
| `encode`  | arrays into packed bytes (NumPy, ml_dtypes)                               |
| `decode`  | packed bytes into arrays (NumPy, ml_dtypes)                               |
| `error`   | the error of K, V, scores and output on seeded arrays, and its bound      |

The first four run on the standard library and stand here; the others are imported by name where
real arrays are packed. Not claimed anywhere: what an error means for a model's answers.
"""

from kvlib.quantization.convert import (
    break_even_rate,
    conversion_seconds,
    converted_seconds,
    moved_bytes,
)
from kvlib.quantization.floats import FLOATS, Float, value_of
from kvlib.quantization.formats import FORMATS, Format, one_engine
from kvlib.quantization.sizes import bits_per_element, run_bytes, stored_bytes, tail_tokens

__all__ = [
    "FLOATS",
    "FORMATS",
    "Float",
    "Format",
    "bits_per_element",
    "break_even_rate",
    "conversion_seconds",
    "converted_seconds",
    "moved_bytes",
    "one_engine",
    "run_bytes",
    "stored_bytes",
    "tail_tokens",
    "value_of",
]
