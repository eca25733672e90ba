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

__all__ = ["KINDS", "UNITS", "Quantity", "Unit", "Unreadable", "both", "format_as", "parse", "read"]

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12  # bytes, decimal
KiB, MiB, GiB, TiB = 2**10, 2**20, 2**30, 2**40  # bytes, binary
KB_s, MB_s, GB_s, TB_s, MiB_s, GiB_s = KB, MB, GB, TB, MiB, GiB  # bytes per second
TFLOPS = 10**12  # operations per second
kbit_s, Mbit_s, Gbit_s, Tbit_s = 125, 125_000, 125_000_000, 125_000_000_000  # bytes per second
ms, us, ns = 1e-3, 1e-6, 1e-9  # seconds


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit: its printed name, what it measures, and its size in the base unit."""

    name: str
    kind: str  # a key of KINDS
    size: Fraction


KINDS = {  # what a unit measures: in words, and an example
    "bytes": ("a size", "1 GiB"),
    "seconds": ("a time", "42.95 ms"),
    "rate": ("a rate", "200 Gb/s or 25 GB/s"),
    "requests": ("a rate of requests", "2.93 requests/s"),
    "tokens": ("a number of tokens", "8,192 tokens"),
    "token rate": ("a rate of tokens", "8,000 tokens/s"),
    "ratio": ("a factor or a share", "2× or 97.7 %"),
}


def _all() -> dict[str, Unit]:
    sizes = {"B": Fraction(1), "b": Fraction(1, 8)}
    for n, p in enumerate("KMGTP", 1):
        bits = "kbit" if p == "K" else p + "b"  # kb is too easily taken for KB
        sizes |= {p + "B": Fraction(1000**n), p + "iB": Fraction(1024**n)}
        sizes |= {bits: Fraction(1000**n, 8), p + "ib": Fraction(1024**n, 8)}
    rows = [("bytes", name, size) for name, size in sizes.items()]
    rows += [("rate", name + "/s", size) for name, size in sizes.items()]
    rows += [("seconds", n, Fraction(k)) for n, k in (("s", 1), ("min", 60), ("h", 3600))]
    rows += [("seconds", p + "s", Fraction(1, 1000**n)) for n, p in enumerate("mµn", 1)]
    rows += [("requests", "requests/s", Fraction(1)), ("requests", "requests/min", Fraction(1, 60))]
    rows += [("tokens", "tokens", Fraction(1)), ("token rate", "tokens/s", Fraction(1))]
    rows += [("ratio", "×", Fraction(1)), ("ratio", "%", Fraction(1, 100))]
    return {name: Unit(name=name, kind=kind, size=size) for kind, name, size in rows}


UNITS = _all()
_WORDS = {  # in upper or lower case alike, in the singular
    "sec": "s", "second": "s", "msec": "ms", "millisecond": "ms", "usec": "µs",
    "microsecond": "µs", "nsec": "ns", "nanosecond": "ns", "min": "min", "minute": "min",
    "hr": "h", "hour": "h", "tok": "tokens", "token": "tokens", "percent": "%", "x": "×",
    "time": "×", "rps": "requests/s", "qps": "requests/s", "/s": "requests/s",
    "tok/s": "tokens/s", "token/s": "tokens/s",
} | {
    f"{word}/{per}": f"requests/{per}" for per in ("s", "min")
    for word in ("request", "req", "hand-off", "handoff", "transfer")
}  # fmt: skip
_MICRO = {"us": "µs", "μs": "µs"}  # a plain u and the Greek letter
_LONG = {"kilo": "K", "mega": "M", "giga": "G", "tera": "T", "peta": "P"}
_LONG |= {"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi"}
_MEMORY = re.compile(rf"([kmgtp]i?|{'|'.join(_LONG)})?(b|bits?|bytes?)?(/s|ps)?", re.I | re.A)
_GROUPED = r"[1-9][0-9]{0,2}(?P<by>[ ,._'])[0-9]{3}(?:(?P=by)[0-9]{3})*(?:(?!(?P=by))[.,][0-9]+)?"
_DECIMAL = r"(?:0|[1-9][0-9]*)?[.,][0-9]+|[0-9]+\.?"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?P<digits>{_GROUPED}|{_DECIMAL})(?:[eE](?P<power>[+-]?[0-9]{{1,2}}))?"
    r"(?![0-9.,])\s*(?P<unit>.*)"
)
_EITHER = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")  # a decimal, or a group of thousands
_HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
LONGEST = 64  # characters of a quantity that `read` looks at
LARGEST = 10**100  # in base units: what is printed


class Unreadable(ValueError):
    """Text that is no quantity. `hint` says what to write and never repeats the text."""

    def __init__(self, call: str, about: str, rule: str, got: object, hint: str = "") -> None:
        super().__init__(_check.wrong(call, about, rule, got, hint))
        self.about, self.hint = about, hint  # about: "text" or "unit"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number as typed and the unit typed after it (None if none was)."""

    number: Fraction
    unit: Unit | None
    place: Fraction  # what one in the last typed digit is worth: 1/100 in 42.95
    ambiguous: Fraction | None = None  # the other reading of 1,024 or 10.000, None if there is none


def read(text: str, kind: str | None = None) -> Quantity:
    """Return the number and the unit in `text`, as typed; nothing is evaluated.

    Reads 42.95 ms, 42,95 ms, 1,073,741,824, 1_000 and 4.295e-2 s. A comma with three digits
    after it groups thousands, unless a zero stands before it or an exponent follows; a lone point
    is always decimal. `kind` decides no more than which units a hint offers. Raises TypeError,
    ValueError for an unknown `kind`, Unreadable (a ValueError) for anything else.

    >>> read("42,95 ms") == read("42.95 ms"), float(read("1,024 s").ambiguous)
    (True, 1.024)
    """
    return _read("read", text, kind)


def _read(call: str, text: str, kind: str | None) -> Quantity:
    _check.kind(call, "text", text, str, "text")
    if kind is not None:
        _check.one_of(call, "kind", kind, KINDS)
    if len(text) > LONGEST:
        raise Unreadable(call, "text", f"at most {LONGEST} characters", len(text))
    match = _NUMBER.fullmatch(_clean(text))
    if match is None or not all(c.isalpha() or c in " /%×-" for c in match["unit"]):
        raise Unreadable(call, "text", "one number and its unit", text, "as in 42.95 ms")
    digits, by, power, name = match.group("digits", "by", "power", "unit")
    either = bool(_EITHER.fullmatch(digits))
    if by and not (either and (power or by == ".")):
        digits = digits.replace(by, "")
    plain = digits.replace(",", ".").rstrip(".")
    scale = Fraction(10) ** int(power or 0)
    number = Fraction(match["sign"] + plain) * scale
    if abs(number) >= 10**30:
        raise Unreadable(call, "text", "a number below 10^30", text)
    other = (number * 1000 if by == "." else number / 1000) if either and not power else None
    unit, hint = _find(name, kind == "rate") if name else (None, "")
    if name and unit is None:
        rule = "unambiguous" if hint else "a known unit"
        raise Unreadable(call, "unit", rule, name, hint or "as in GB, GiB, Gb/s, ms")
    place = scale / 10 ** len(plain.partition(".")[2])
    return Quantity(number=number, unit=unit, place=place, ambiguous=other)


def _clean(text: str) -> str:
    """Return `text` without what surrounds a quantity in running text or comes with a copy."""
    text = re.sub(r"[^\S\t\n\r\f\v]", " ", _HIDDEN.sub("", text)).replace("\u2212", "-")
    text = re.sub(r"\s*[.,;!]$", "", text.strip())
    quoted = re.fullmatch(r"[\"'`“‘«](.*?)[.,;!]?[\"'`”’»]", text)
    text = re.sub(r"^\s*[≈~=]", "", quoted[1] if quoted else text)
    return text.replace("\u2019", "'").strip()


def _find(name: str, rate: bool = False) -> tuple[Unit | None, str]:
    """Return the unit that `name` spells; else None and what to write, where that is clear."""
    for word, short in (("s|secs?|seconds?", "/s"), ("mins?|minutes?", "/min")):
        name = re.sub(rf"\s*(?:/|\sper\s)\s*(?:{word})$", short, name, flags=re.I | re.A)
    words = [name.lower(), re.sub(r"s(?=/|$)", "", name.lower(), count=1)]
    for spelled in (name, _MICRO.get(name), *map(_WORDS.get, words)):
        if spelled in UNITS:
            return UNITS[spelled], ""
    memory = _MEMORY.fullmatch(name)
    if name == "m":
        return None, "write min for minutes or ms for milliseconds"
    if memory and (memory[2] or memory[1] not in (None, "m")):
        return _memory(*memory.groups(default=""), rate)
    near = [u for u in [*UNITS, *_MICRO] if u.lower() == name.lower()]
    return None, f"write {_MICRO.get(near[0], near[0])}" if near else ""


def _memory(prefix: str, base: str, per: str, rate: bool) -> tuple[Unit | None, str]:
    """Return the size or rate of three parts, as `_find` does.

    A bare prefix, a lower-case one, and kb, which some take for KB, are refused, not guessed.
    """
    symbol = _LONG.get(prefix.lower()) or prefix[:1].upper() + prefix[1:].lower()
    bits = base == "b" or base.lower().startswith("bit")
    clear = bool(base) and (prefix in (symbol, "k") or prefix.lower() in _LONG)
    clear = clear and per in ("", "/s", "ps") and (symbol + base != "Kb" or per == "ps")
    suffix = "/s" if per or (rate and not clear) else ""
    byte, bit = symbol + "B" + suffix, ("kbit" if symbol == "K" else symbol + "b") + suffix
    if clear:
        return UNITS[bit if bits else byte], ""
    if len(base) > 1:
        return None, f"write {bit if bits else byte}"
    return None, f"write {byte} for bytes or {bit} for bits"


def parse(text: str, kind: str | None = None) -> int | float:
    """Return the quantity in `text` in base units: bytes, seconds or bytes per second.

    An exact int where the value is whole. With `kind` given, a number without a unit is
    refused, and so is a unit of another kind. Raises TypeError or ValueError.

    >>> parse("200 Gb/s"), parse("1 GiB"), parse("42.95 ms")
    (25000000000, 1073741824, 0.04295)
    """
    quantity = _read("parse", text, kind)
    unit = quantity.unit
    if kind is not None and (unit is None or unit.kind != kind):
        words, example = KINDS[kind]
        raise Unreadable("parse", "text", f"{words} with its unit", text, f"as in {example}")
    value = quantity.number * (unit.size if unit else 1)
    return int(value) if value.denominator == 1 else float(value)


def format_as(value: float, unit: str, digits: int = 2) -> str:
    """Return `value` (in base units) as text in `unit`, with thousands separators.

    Exact until it is rounded, halves away from zero. Raises TypeError or ValueError for an
    unknown unit or a value that is no finite number.

    >>> format_as(2**30 / 25e9, "ms"), format_as(2**30, "GiB", 0), format_as(2**30, "B", 0)
    ('42.95 ms', '1 GiB', '1,073,741,824 B')
    """
    if isinstance(unit, str) and unit not in UNITS:
        found, hint = _find(unit[:LONGEST])
        hint = f"did you mean {found.name!r}?" if found else hint
        if hint:
            raise ValueError(_check.wrong("format_as", "unit", "a known name", unit, hint))
    size = UNITS[_check.one_of("format_as", "unit", unit, UNITS)].size
    digits = _check.whole("format_as", "digits", digits, maximum=30)
    exact = _exact("format_as", "value", value) / size
    whole, part = divmod(_rounded(exact, digits), 10**digits)
    sign = "-" if exact < 0 and (whole or part) else ""
    decimals = f".{part:0{digits}}" if digits else ""
    return f"{sign}{whole:,}{decimals}{'' if unit == '×' else ' '}{unit}"


def _rounded(exact: Fraction, digits: int) -> int:
    """Return the size of a number in units of its last printed digit, halves up."""
    return int(abs(exact) * 10**digits + Fraction(1, 2))


def _exact(call: str, name: str, value: float) -> Fraction:
    """Return one finite number as it is, whatever NumPy type holds it."""
    if _check.is_array(value):
        raise TypeError(_check.wrong(call, name, "one number", value))
    value = _check.number(call, name, value)
    exact = Fraction(value.item() if hasattr(value, "item") else value)
    if abs(exact) >= LARGEST:
        raise ValueError(_check.wrong(call, name, "below 10^100", value))
    return exact


def both(n_bytes: int) -> str:
    """Return a size in the binary and in the decimal unit, so that neither is mistaken.

    >>> both(2**30), both(131_072), both(0)
    ('1.00 GiB (1.07 GB)', '128.00 KiB (131.07 KB)', '0 B')
    """
    n_bytes = int(_exact("both", "n_bytes", _check.whole("both", "n_bytes", n_bytes)))
    promoted = (p for p in range(5) if _rounded(Fraction(n_bytes, 1024**p), 2) < 1024 * 100)
    power = next(promoted, 5)
    if power == 0:
        return f"{n_bytes} B"
    prefix = "KMGTP"[power - 1]
    return f"{format_as(n_bytes, prefix + 'iB')} ({format_as(n_bytes, prefix + 'B')})"
