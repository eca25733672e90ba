"""Convert: when it pays to pack a cache for the link, and what both ends must agree on.

    gain     = (plain - packed) / link
    cost     = (passes · plain + packed) / memory, at the sender and again at the receiver
    it pays  if gain > cost

A cache that is stored quantized at both ends has no such cost at the hand-off: its engine packs
each token when it writes it and unpacks it whenever it reads it. Engines send a cache as it lies
in memory, so both ends must hold one format.

Counted: bytes over the link, and bytes that the conversion reads and writes, once each unless
`passes` says otherwise. Not counted: arithmetic of the conversion, buffers, launches, overlap.
"""

from typing import Any

from kvlib import _check
from kvlib._check import one_whole
from kvlib.bandwidth.checks import MOST_BYTES, link_rate_of
from kvlib.payload import Group, Model
from kvlib.quantization.formats import Format
from kvlib.quantization.sizes import format_of, stored_of

__all__ = ["break_even_rate", "conversion_seconds", "converted_seconds", "moved_bytes"]

Pair = tuple[Format, Format]
WAY_OUT = "start both workers with the same cache dtype"


def conversion_seconds(
    plain_bytes: int, packed_bytes: int, memory_rate: float, passes: int = 1
) -> float:
    """Return the seconds that one end needs to pack or to unpack, at `memory_rate` B/s.

    A kernel that first looks for the scale and then packs reads its input twice: `passes=2`.
    Arrays broadcast. Raises TypeError or ValueError if one is no size, rate or count.

    >>> from kvlib.units import GB_s, GiB, ms
    >>> round(conversion_seconds(1 * GiB, GiB // 2, 2_000 * GB_s) / ms, 2)
    0.81
    """
    call = "conversion_seconds"
    plain, packed = _sizes(call, plain_bytes, packed_bytes)
    rate = link_rate_of(call, "memory_rate", memory_rate)
    passes = _check.whole(call, "passes", passes, minimum=1, maximum=100)
    named = {"plain_bytes": plain, "packed_bytes": packed, "memory_rate": rate, "passes": passes}
    _check.together(call, named)
    read = passes.astype(float) if _check.is_array(passes) else passes
    return (read * plain + packed) / rate


def converted_seconds(
    plain_bytes: int, packed_bytes: int, link_rate: float, memory_rates: tuple[float, float]
) -> float:
    """Return the seconds to pack at the sender, move and unpack at the receiver, in turn.

    `memory_rates` are the sender's and the receiver's, in B/s. Arrays broadcast. Raises TypeError
    or ValueError if one is no size or rate.

    >>> from kvlib.units import GB_s, GiB, ms
    >>> both = (2_000 * GB_s, 2_000 * GB_s)
    >>> round(converted_seconds(1 * GiB, GiB // 2, 25 * GB_s, both) / ms, 2)
    23.09
    """
    call = "converted_seconds"
    plain, packed = _sizes(call, plain_bytes, packed_bytes)
    link = link_rate_of(call, "link_rate", link_rate)
    named = {"plain_bytes": plain, "packed_bytes": packed, "link_rate": link}
    sender, receiver = _rates(call, memory_rates, named)
    return (plain + packed) / sender + packed / link + (plain + packed) / receiver


def break_even_rate(
    plain_bytes: int, packed_bytes: int, memory_rates: tuple[float, float]
) -> float:
    """Return the link rate in B/s at which packing for the link neither gains nor loses.

    On a slower link it gains, on a faster one it loses. Arrays of rates broadcast. Raises
    TypeError or ValueError if one is no size or rate, or if packing saves nothing.

    >>> from kvlib.units import GB_s, GiB
    >>> break_even_rate(1 * GiB, GiB // 2, (60 * GB_s, 60 * GB_s)) / GB_s
    10.0
    """
    call = "break_even_rate"
    plain = one_whole(call, "plain_bytes", plain_bytes, 1, MOST_BYTES)
    packed = one_whole(call, "packed_bytes", packed_bytes, 1, MOST_BYTES)
    sender, receiver = _rates(call, memory_rates, {})
    if packed >= plain:
        rule = f"fewer than the plain {plain:,}"
        raise ValueError(_check.wrong(call, "packed_bytes", rule, packed))
    return (plain - packed) / ((plain + packed) * (1 / sender + 1 / receiver))


def moved_bytes(model: Model | Group, tokens: int, sender: Pair, receiver: Pair) -> int:
    """Return the bytes that cross the link between two workers that hold the same formats.

    `sender` and `receiver` are pairs of formats, of K and of V. Raises ValueError if they differ:
    engines send what lies in memory and convert nothing on the way. TypeError for no pair.

    >>> from kvlib.models import load
    >>> from kvlib.quantization import FORMATS
    >>> eight = (FORMATS["fp8_e4m3"], FORMATS["fp8_e4m3"])
    >>> moved_bytes(load("llama-3.1-8b"), 8_192, eight, eight)
    536870912
    """
    names = []
    for name, pair in (("sender", sender), ("receiver", receiver)):
        _check.kind("moved_bytes", name, pair, tuple, "a tuple of two formats")
        if len(pair) != 2:
            raise ValueError(f"moved_bytes: {name} must hold two formats, got {len(pair)}")
        names.append("/".join(format_of("moved_bytes", name, form).name for form in pair))
    if sender != receiver:
        rule = f"as the sender holds K and V, {names[0]}"
        raise ValueError(_check.wrong("moved_bytes", "receiver", rule, names[1], WAY_OUT))
    return stored_of("moved_bytes", model, tokens, *sender)


def _sizes(call: str, plain: int, packed: int) -> tuple[int, int]:
    """Return two sizes; arrays as float64, since sums of 64-bit bytes need more than 64 bits."""
    named = {"plain_bytes": plain, "packed_bytes": packed}
    sizes = [
        _check.whole(call, n, size, minimum=1, maximum=MOST_BYTES) for n, size in named.items()
    ]
    plain, packed = (s.astype(float) if _check.is_array(s) else s for s in sizes)
    return plain, packed


def _rates(call: str, rates: tuple[float, float], named: dict[str, Any]) -> tuple[float, float]:
    _check.kind(call, "memory_rates", rates, tuple, "the sender's and the receiver's rate")
    if len(rates) != 2:
        raise ValueError(f"{call}: memory_rates must hold two rates, got {len(rates)}")
    sender, receiver = (link_rate_of(call, "memory_rates", rate) for rate in rates)
    _check.together(call, named | {"memory_rates[0]": sender, "memory_rates[1]": receiver})
    return sender, receiver
