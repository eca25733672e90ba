"""Bytes, seconds and rates: the numbers behind the unit names, read and printed.

Inside kvlib a size is in bytes, a time in seconds, a rate in bytes per second. Multiply on the
way in and divide on the way out: `200 * Gbit_s` is 25 billion bytes per second, `t / ms` is a
number of milliseconds. GB is 10^9 bytes and GiB is 2^30; b is a bit and B is a byte.
Sources: IEC 80000-13 (binary prefixes), SI (decimal prefixes).
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from kvlib import _check

__all__ = ["UNITS", "Quantity", "Unit", "both", "format_as", "parse", "read"]

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12  # bytes, decimal
KiB, MiB, GiB, TiB = 2**10, 2**20, 2**30, 2**40  # bytes, binary
KB_s, MB_s, GB_s, TB_s = KB, MB, GB, TB  # bytes per second
MiB_s, GiB_s = MiB, GiB
kbit_s, Mbit_s, Gbit_s, Tbit_s = 125, 125_000, 125_000_000, 125_000_000_000  # bytes per second
ms, us, ns = 1e-3, 1e-6, 1e-9  # seconds


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit: its printed name, what it measures, and its size in the base unit."""

    name: str
    kind: str  # "bytes", "seconds", "rate", "requests", "tokens" or "ratio"
    size: Fraction


def _prefixed(base: str, kind: str, size: Fraction) -> list[Unit]:
    """Return `base` with every decimal and binary prefix (GB, GiB, ...)."""
    decimal = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
    if base.startswith("B"):
        decimal["K"] = decimal.pop("k")
    binary = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
    scales = {**decimal, **binary}.items()
    return [Unit(name=p + base, kind=kind, size=size * n) for p, n in scales]


def _all() -> dict[str, Unit]:
    bit = Fraction(1, 8)
    units = [
        *_prefixed("B", "bytes", Fraction(1)),
        *_prefixed("b", "bytes", bit),
        *_prefixed("B/s", "rate", Fraction(1)),
        *_prefixed("b/s", "rate", bit),
        Unit(name="s", kind="seconds", size=Fraction(1)),
        Unit(name="ms", kind="seconds", size=Fraction(1, 10**3)),
        Unit(name="µs", kind="seconds", size=Fraction(1, 10**6)),
        Unit(name="ns", kind="seconds", size=Fraction(1, 10**9)),
        Unit(name="min", kind="seconds", size=Fraction(60)),
        Unit(name="requests/s", kind="requests", size=Fraction(1)),
        Unit(name="tokens", kind="tokens", size=Fraction(1)),
        Unit(name="tokens/s", kind="token rate", size=Fraction(1)),
        Unit(name="%", kind="ratio", size=Fraction(1, 100)),
        Unit(name="×", kind="ratio", size=Fraction(1)),
    ]
    return {u.name: u for u in units}


UNITS = _all()
_WORDS = {"bytes": "B", "byte": "B", "bits": "b", "bit": "b", "us": "µs", "μs": "µs"} | {
    "sec": "s", "second": "s", "seconds": "s", "milliseconds": "ms", "msec": "ms",
    "request/s": "requests/s", "req/s": "requests/s", "rps": "requests/s", "/s": "requests/s",
    "1/s": "requests/s", "requests per second": "requests/s",
    "token": "tokens", "tok": "tokens", "tok/s": "tokens/s", "token/s": "tokens/s",
    "x": "×", "percent": "%", "times": "×", "gigabytes": "GB", "gibibytes": "GiB",
    "kB": "KB", "kB/s": "KB/s", "Kb": "kb", "Kb/s": "kb/s",
}  # fmt: skip
_NUMBER = re.compile(r"\s*([+-]?)((?:\d[\d.,_ ]*)?\d\.?|\.\d+)(?:[eE]([+-]?\d{1,3}))?\s*(.*)")
LONGEST = 64  # characters of a quantity that `read` looks at


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number as typed and the unit typed after it (None if none was)."""

    number: Fraction
    unit: Unit | None


def read(text: str) -> Quantity:
    """Return the number and the unit in `text`, as typed; nothing is evaluated.

    Reads 42.95 ms, 42,95 ms, 1,073,741,824, 1_000 and 4.295e-2 s. A comma with three digits
    after it groups thousands, unless a zero stands before it. Raises TypeError or ValueError
    otherwise.

    >>> read("42,95 ms") == read("42.95 ms")
    True
    """
    _check.kind("read", "text", text, str, "text")
    if len(text) > LONGEST:
        raise ValueError(f"read: text must be at most {LONGEST} characters, got {len(text)}")
    clean = re.sub(r"[\u00a0\u2007\u2009\u202f]", " ", text).replace("\u2212", "-").strip()
    match = _NUMBER.fullmatch(clean)
    if match is None or not clean.isprintable():
        hint = "as in 42.95 ms"
        raise ValueError(_check.wrong("read", "text", "a number and a unit", text, hint))
    sign, digits, exponent, unit = match.groups()
    value = Fraction(_plain(digits, text)) * Fraction(10) ** int(exponent or 0)
    if value >= 10**30:
        raise ValueError(_check.wrong("read", "text", "a number below 10^30", text))
    return Quantity(number=-value if sign == "-" else value, unit=_unit(unit, text))


def _plain(digits: str, text: str) -> str:
    """Return `digits` with one decimal point and no grouping."""
    digits = digits.replace("_", "").rstrip(".")
    grouped = re.fullmatch(r"\d{1,3}([ ,.])\d{3}(?:\1\d{3})*([.,]\d+)?", digits)
    if grouped:
        separator, tail = grouped[1], grouped[2] or ""
        single = digits.count(separator) == 1 and not tail
        decimal = separator == "." or digits.startswith("0")
        if not (single and decimal) and tail[:1] != separator:
            return digits.replace(separator, "").replace(",", ".")
    if re.fullmatch(r"\d*([.,]\d+)?", digits):
        return digits.replace(",", ".")
    raise ValueError(_check.wrong("read", "text", "one number", text, "as in 1,073,741,824 B"))


def _unit(name: str, text: str) -> Unit | None:
    """Return the unit called `name`; a bare or lower-case prefix is refused, not guessed."""
    if not name:
        return None
    name = re.sub(r"\s*/\s*", "/", name)
    name = re.sub(r"^([kKMGTP]i?)bit(?=/s|$)", r"\1b", name.removesuffix(".")) or name
    name = re.sub(r"^([kKMGTP]?i?[bB])(?:its?|ytes?)?ps$", r"\1/s", name)
    name = re.sub(r"^bit(?=/s$)", "b", name)
    name = _WORDS.get(name, name)
    if name in UNITS:
        return UNITS[name]
    near = [u for u in UNITS if u.lower() == name.lower()]
    near += [u for u in UNITS if u.lower() == name.lower() + "b" and u not in near]
    if near:
        hint = "write " + " or ".join(near)
        raise ValueError(_check.wrong("read", "unit", "unambiguous", name, hint))
    hint = "as in GB, GiB, Gb/s, ms"
    raise ValueError(_check.wrong("read", "unit", "a known unit", name, hint))


def parse(text: str, kind: str | None = None) -> int | float:
    """Return the quantity in `text` in base units: bytes, seconds or bytes per second.

    An exact int where the value is whole. With `kind` given, a number without a unit is
    refused, and so is a unit of another kind. Raises TypeError or ValueError.

    >>> parse("200 Gb/s"), parse("1 GiB"), parse("42.95 ms")
    (25000000000, 1073741824, 0.04295)
    """
    quantity = read(text)
    unit = quantity.unit
    if kind is not None and (unit is None or unit.kind != kind):
        example = {"bytes": "1 GiB", "seconds": "42.95 ms", "rate": "200 Gb/s or 25 GB/s"}
        hint = f"as in {example[kind]}" if kind in example else ""
        raise ValueError(_check.wrong("parse", "text", f"a number of {kind}", text, hint))
    value = quantity.number * (unit.size if unit else 1)
    return int(value) if value.denominator == 1 else float(value)


def format_as(value: float, unit: str, digits: int = 2) -> str:
    """Return `value` (in base units) as text in `unit`, with thousands separators.

    Raises TypeError or ValueError for an unknown unit or a value that is no finite number.

    >>> format_as(2**30 / 25e9, "ms"), format_as(2**30, "GiB", 0), format_as(2**30, "B", 0)
    ('42.95 ms', '1 GiB', '1,073,741,824 B')
    """
    found = UNITS[_check.one_of("format_as", "unit", unit, UNITS)]
    digits = _check.whole("format_as", "digits", digits, maximum=30)
    exact = _exact("format_as", "value", value) / found.size
    space = "" if unit == "×" else " "
    if exact.denominator == 1:  # exact at any size: no float is involved
        return f"{int(exact):,}{'.' + '0' * digits if digits else ''}{space}{unit}"
    return f"{float(exact):,.{digits}f}{space}{unit}"


def _exact(call: str, name: str, value: float) -> Fraction:
    """Return one finite number as it is, whatever NumPy type holds it."""
    if _check.is_array(value):
        raise TypeError(_check.wrong(call, name, "one number", value))
    value = _check.number(call, name, value)
    return Fraction(value.item() if hasattr(value, "item") else value)


def both(n_bytes: int) -> str:
    """Return a size in the binary and in the decimal unit, so that neither is mistaken.

    >>> both(2**30), both(131_072), both(0)
    ('1.00 GiB (1.07 GB)', '128.00 KiB (131.07 KB)', '0 B')
    """
    n_bytes = int(_exact("both", "n_bytes", _check.whole("both", "n_bytes", n_bytes)))
    power = min(5, max(0, (n_bytes.bit_length() - 1) // 10))
    if power == 0:
        return f"{n_bytes} B"
    prefix = "KMGTP"[power - 1]
    return f"{format_as(n_bytes, prefix + 'iB')} ({format_as(n_bytes, prefix + 'B')})"
