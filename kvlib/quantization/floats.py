"""Floats: the small floating-point formats, bit by bit.

    value = (-1)^s · 1.m · 2^(e - bias)        s, e and m are the bits of sign, exponent, mantissa
    value = (-1)^s · 0.m · 2^(1 - bias)        where e is 0: the numbers near zero

What differs is which patterns are no number. IEEE formats give the whole largest exponent to
infinities and nan; e4m3fn keeps all of it but one pattern; e2m1 keeps everything. e8m0 has neither
sign nor mantissa: it is a power of two, and scales other numbers. Sources: IEEE 754 (fp16), OCP
8-bit Floating Point Specification 1.0 (e4m3, e5m2), OCP Microscaling Formats 1.0 (e2m1, e8m0).
"""

import math
from dataclasses import dataclass

from kvlib import _check
from kvlib._check import one_whole

__all__ = ["FLOATS", "Float", "value_of"]


@dataclass(frozen=True, kw_only=True)
class Float:
    """Bits of exponent and mantissa; `kept` says which patterns with full exponent are numbers."""

    exponent_bits: int
    mantissa_bits: int
    kept: str = "none"  # "none": inf and nan; "most": one nan; "all"
    signed: bool = True

    @property
    def bits(self) -> int:
        """All bits of one number."""
        return self.signed + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self) -> int:
        """What is taken off the stored exponent."""
        return 2 ** (self.exponent_bits - 1) - 1

    @property
    def largest(self) -> float:
        """The largest finite value."""
        lost = {"none": 2**self.mantissa_bits, "most": 1, "all": 0}[self.kept]
        return _value(self, 2 ** (self.exponent_bits + self.mantissa_bits) - 1 - lost)

    @property
    def smallest(self) -> float:
        """The smallest value above zero: the step between numbers near zero."""
        return _value(self, 1 if self.signed else 0)


FLOATS = {
    "float32": Float(exponent_bits=8, mantissa_bits=23),
    "bfloat16": Float(exponent_bits=8, mantissa_bits=7),
    "float16": Float(exponent_bits=5, mantissa_bits=10),
    "float8_e4m3fn": Float(exponent_bits=4, mantissa_bits=3, kept="most"),
    "float8_e5m2": Float(exponent_bits=5, mantissa_bits=2),
    "float8_e8m0fnu": Float(exponent_bits=8, mantissa_bits=0, kept="most", signed=False),
    "float4_e2m1fn": Float(exponent_bits=2, mantissa_bits=1, kept="all"),
}


def value_of(name: str, pattern: int) -> float:
    """Return the number that a bit pattern stands for in the format called `name`.

    Raises TypeError or ValueError for an unknown format or a pattern of more bits than it has.

    >>> value_of("float8_e4m3fn", 0b0_1111_110), value_of("float4_e2m1fn", 0b0_11_1)
    (448.0, 6.0)
    """
    kind = FLOATS[_check.one_of("value_of", "name", name, FLOATS)]
    most = 2**kind.bits - 1
    return _value(kind, one_whole("value_of", "pattern", pattern, maximum=most))


def _value(kind: Float, pattern: int) -> float:
    mantissa = pattern % 2**kind.mantissa_bits
    exponent = pattern // 2**kind.mantissa_bits % 2**kind.exponent_bits
    sign = -1.0 if pattern // 2 ** (kind.mantissa_bits + kind.exponent_bits) else 1.0
    full = exponent == 2**kind.exponent_bits - 1
    if full and kind.kept == "none":
        return math.nan if mantissa else sign * math.inf
    if full and kind.kept == "most" and mantissa == 2**kind.mantissa_bits - 1:
        return math.nan
    fraction = mantissa / 2**kind.mantissa_bits
    if exponent == 0 and kind.signed:
        return sign * math.ldexp(fraction, 1 - kind.bias)
    return sign * math.ldexp(1 + fraction, exponent - kind.bias)
