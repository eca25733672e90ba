"""Units. Oracles: SI and IEC 80000-13 definitions; printing and reading must be inverse."""

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib import units
from kvlib.units import KINDS, UNITS, Unreadable, both, format_as, parse, read

DEFINED = {  # SI: powers of ten; IEC 80000-13: powers of 1,024; a byte is 8 bits
    "GB": (units.GB, 1_000_000_000),
    "GiB": (units.GiB, 1_073_741_824),
    "MB": (units.MB, 1_000_000),
    "MiB": (units.MiB, 1_048_576),
    "KiB": (units.KiB, 1_024),
    "TiB": (units.TiB, 1_099_511_627_776),
    "200 Gb/s in B/s": (200 * units.Gbit_s, 25_000_000_000),
    "8 b/s in B/s": (8 * units.kbit_s / units.KB_s, 1),
    "1 Tb/s": (units.Tbit_s, 1000 * units.Gbit_s),
    "1 Gb/s": (units.Gbit_s, 1000 * units.Mbit_s),
    "GB/s": (units.GB_s, units.GB),
    "1,000 ms": (1000 * units.ms, 1),
}

READ = {
    "42.95 ms": 0.04295,
    "42,95 ms": 0.04295,
    "0.04295 s": 0.04295,
    "0,043 s": 0.043,
    ".5 ms": 0.0005,
    "3. s": 3,
    "3 s.": 3,
    "42.95 milliseconds": 0.04295,
    "4.295e-2 s": 0.04295,
    "4,295e-2 s": 0.04295,
    "1.5E3 B": 1500,
    "214.75ms": 0.21475,
    "12 us": 12e-6,
    "12 µs": 12e-6,
    "12 μs": 12e-6,
    "12 usec": 12e-6,
    "12 microseconds": 12e-6,
    "5 min": 300,
    "5 mins": 300,
    "1 minute": 60,
    "2 h": 7200,
    "2 hours": 7200,
    "1,073,741,824 B": 2**30,
    "1.073.741.824 B": 2**30,
    "1 073 741 824 bytes": 2**30,
    "1\u202f073\u202f741\u202f824 B": 2**30,
    "1_073_741_824": 2**30,
    "1'073'741'824 B": 2**30,
    "1’024 B": 1024,
    "1’073.5 B": 1073.5,
    "007 B": 7,
    "1,073.5 B": 1073.5,
    "1.073,5 B": 1073.5,
    "1,073.500 B": 1073.5,
    "1.073,500 B": 1073.5,
    "1 073,500 B": 1073.5,
    "1,073": 1073,
    "1.073": 1.073,
    "1 GiB": 2**30,
    "1 GB": 10**9,
    "1 Gb": 125_000_000,
    "1 Gibit": 2**27,
    "1 gigabyte": 10**9,
    "2 Gibibytes": 2**31,
    "3 megabytes": 3 * 10**6,
    "1 kilobyte": 1000,
    "1 kibibit": 128,
    "8 gigabits": 10**9,
    "1 MByte": 10**6,
    "1 Mbytes": 10**6,
    "1 Byte": 1,
    "8 Bits": 1,
    "32 kbit": 4000,
    "32 Kbit": 4000,
    "131.072 KB": 131_072,
    "131.072 kB": 131_072,
    "128 KiB": 131_072,
    "200 Gb/s": 25 * 10**9,
    "200 Gbps": 25 * 10**9,
    "200 Gbit/s": 25 * 10**9,
    "200 Gb / s": 25 * 10**9,
    "200 Gbits/s": 25 * 10**9,
    "200 Gbit/sec": 25 * 10**9,
    "200 gigabits per second": 25 * 10**9,
    "32 kbps": 4000,
    "32 kbit/s": 4000,
    "32 kBps": 32_000,
    "25 GBps": 25 * 10**9,
    "25 GB/sec": 25 * 10**9,
    "25 GB per second": 25 * 10**9,
    "25 GB/S": 25 * 10**9,
    "25 GB/s": 25 * 10**9,
    "25 GiB/s": 25 * 2**30,
    "2.93 requests/s": 2.93,
    "2.93 req/s": 2.93,
    "2.93 requests/second": 2.93,
    "2.93 requests per second": 2.93,
    "2.93 Requests/s": 2.93,
    "2.93 RPS": 2.93,
    "2.93 qps": 2.93,
    "2.93 /s": 2.93,
    "2.93 hand-offs/s": 2.93,
    "2.93 handoffs per second": 2.93,
    "2.93 transfers/s": 2.93,
    "90 requests/min": 1.5,
    "90 requests per minute": 1.5,
    "8,000 tok/s": 8000,
    "8,000 tokens per second": 8000,
    "5 Tokens": 5,
    "97.7 %": 0.977,
    "97,7%": 0.977,
    "2×": 2,
    "2 x": 2,
    "2X": 2,
    "2 times": 2,
    "\u22125 ms": -0.005,
    "+5 ms": 0.005,
    "  7  ": 7,
    "\t42.95\tms\n": 0.04295,
    "\u200342.95\u2003ms\u3000": 0.04295,
    "\u200b42.95\u200b ms": 0.04295,
    "\ufeff42.95 ms": 0.04295,
    "\u200f42.95 ms\u200e": 0.04295,
    "42.95 ms.": 0.04295,
    "42.95 ms,": 0.04295,
    "42.95 ms;": 0.04295,
    "42.95 ms !": 0.04295,
    "7,": 7,
    "1.024.": 1.024,
    '"42.95 ms"': 0.04295,
    "“42.95 ms.”": 0.04295,
    "'1'024 B'": 1024,
    "`42.95 ms`": 0.04295,
    "≈ 42.95 ms": 0.04295,
    "~42.95 ms": 0.04295,
    "= 42.95 ms": 0.04295,
}

OTHERWISE = {  # text: the number as read, and the other reading of its comma or point
    "1,024": (1024, Fraction("1.024")),
    "1.024": (Fraction("1.024"), 1024),
    "10.000": (10, 10_000),
    "107,374 ms": (107_374, Fraction("107.374")),
    "-1,024": (-1024, Fraction("-1.024")),
    "0.043": (Fraction("0.043"), None),
    "0,043": (Fraction("0.043"), None),
    ",043": (Fraction("0.043"), None),
    "1 024": (1024, None),
    "1_024": (1024, None),
    "1'024": (1024, None),
    "1,024.0": (1024, None),
    "1,024,000": (1_024_000, None),
    "1.024.000": (1_024_000, None),
    "1,024e0": (Fraction("1.024"), None),
    "1.024e3": (1024, None),
    "1024": (1024, None),
    "1.02": (Fraction("1.02"), None),
}

PLACE = {
    "42.95": Fraction(1, 100),
    "42,9": Fraction(1, 10),
    "43": 1,
    "1,024": 1,
    "10.000": Fraction(1, 1000),
    "4.3e3": 100,
    "5.": 1,
}

NUMBER, FORM = "read: text must be one number and its unit, got", "as in 42.95 ms"
PREFIX, KNOWN = "read: unit must be unambiguous, got", "read: unit must be a known unit, got"
NOT_ONE = [
    *("1,5,5 ms", "1,073,5 ms", "42 95 ms", "1,073 74 B", "2 min 55 s", "5 - 3", "ms", "", "."),
    *("nan ms", "inf", "1e100 B", "1e-1000 s", "2**30", "2^30", "1/2", "0x10", "½ s", "10² B"),
    *("٣ ms", "１ ms", "001,024", "0,001,024", "00.5", "1__0", "1 _000", "1_0", "1.024. s"),
    *("1,024, s", "1'", "+ 5 ms", "≈≈5 ms", "5 .5", "5 °"),
]
REFUSED = {text: f"{NUMBER} {text!r}; {FORM}" for text in NOT_ONE} | {
    "5 gb": f"{PREFIX} 'gb'; write GB for bytes or Gb for bits",
    "5 G": f"{PREFIX} 'G'; write GB for bytes or Gb for bits",
    "5 g": f"{PREFIX} 'g'; write GB for bytes or Gb for bits",
    "5 gB": f"{PREFIX} 'gB'; write GB for bytes or Gb for bits",
    "5 GIB": f"{PREFIX} 'GIB'; write GiB for bytes or Gib for bits",
    "5 gib": f"{PREFIX} 'gib'; write GiB for bytes or Gib for bits",
    "5 kb": f"{PREFIX} 'kb'; write KB for bytes or kbit for bits",
    "5 Kb": f"{PREFIX} 'Kb'; write KB for bytes or kbit for bits",
    "5 k": f"{PREFIX} 'k'; write KB for bytes or kbit for bits",
    "5 kiB": f"{PREFIX} 'kiB'; write KiB for bytes or Kib for bits",
    "5 kb/s": f"{PREFIX} 'kb/s'; write KB/s for bytes or kbit/s for bits",
    "5 mb/s": f"{PREFIX} 'mb/s'; write MB/s for bytes or Mb/s for bits",
    "5 gbps": f"{PREFIX} 'gbps'; write GB/s for bytes or Gb/s for bits",
    "5 GBPS": f"{PREFIX} 'GBPS'; write GB/s for bytes or Gb/s for bits",
    "5 gbit": f"{PREFIX} 'gbit'; write Gb",
    "5 mbytes per second": f"{PREFIX} 'mbytes per second'; write MB/s",
    "5 MS": f"{PREFIX} 'MS'; write ms",
    "5 US": f"{PREFIX} 'US'; write µs",
    "5 H": f"{PREFIX} 'H'; write h",
    "343.6 m": f"{PREFIX} 'm'; write min for minutes or ms for milliseconds",
    "5 m/s": f"{KNOWN} 'm/s'; as in GB, GiB, Gb/s, ms",
    "5 parsecs": f"{KNOWN} 'parsecs'; as in GB, GiB, Gb/s, ms",
    "5 requests": f"{KNOWN} 'requests'; as in GB, GiB, Gb/s, ms",
    "5 \u212aB": f"{PREFIX} '\u212aB'; write KB",  # the sign of kelvin
    "__import__('os')": f"{NUMBER} \"__import__('os')\"; {FORM}",
    "1" * 65: "read: text must be at most 64 characters, got 65",
    "1e30 B": "read: text must be a number below 10^30, got '1e30 B'",
    "-1e30 B": "read: text must be a number below 10^30, got '-1e30 B'",
}

FOR_KIND = {  # what `parse` says where it knows which kind is wanted
    ("1 GB", "rate"): "text must be a rate with its unit, got '1 GB'; as in 200 Gb/s or 25 GB/s",
    ("25", "rate"): "text must be a rate with its unit, got '25'; as in 200 Gb/s or 25 GB/s",
    ("200G", "rate"): "unit must be unambiguous, got 'G'; write GB/s for bytes or Gb/s for bits",
    ("200 gb", "rate"): "unit must be unambiguous, got 'gb'; write GB/s for bytes or Gb/s for bits",
    ("200G", "bytes"): "unit must be unambiguous, got 'G'; write GB for bytes or Gb for bits",
    ("1 ms", "bytes"): "text must be a size with its unit, got '1 ms'; as in 1 GiB",
    ("1 B", "seconds"): "text must be a time with its unit, got '1 B'; as in 42.95 ms",
    ("1 B", "requests"): "text must be a rate of requests with its unit, got '1 B'; as in 2.93 "
    "requests/s",
    ("ms", "seconds"): "text must be one number and its unit, got 'ms'; as in 42.95 ms",
    ("1" * 65, "bytes"): "text must be at most 64 characters, got 65",
    ("1 B", "byte"): "kind must be a known name, got 'byte'; did you mean 'bytes'?",
}

PRINTED = {
    "the bound": (format_as(2**30 / 25e9, "ms"), "42.95 ms"),
    "a size in full": (format_as(2**30, "B", 0), "1,073,741,824 B"),
    "a size in GB": (format_as(2**30, "GB"), "1.07 GB"),
    "a rate in bits": (format_as(25e9, "Gb/s", 0), "200 Gb/s"),
    "a factor": (format_as(2.4, "×", 1), "2.4×"),
    "a share": (format_as(0.977, "%", 1), "97.7 %"),
    "a NumPy integer near its limit": (
        format_as(np.int64(2**62), "ms", 0),
        "4,611,686,018,427,387,904,000 ms",
    ),
    "a NumPy float": (format_as(np.float32(2.5), "s", 1), "2.5 s"),
    "a half": (format_as(3.125, "requests/s"), "3.13 requests/s"),
    "a half below zero": (format_as(-0.5, "s", 0), "-1 s"),
    "nothing, from below": (format_as(-0.001, "s"), "0.00 s"),
    "a rate in kilobits": (format_as(125, "kbit/s", 0), "1 kbit/s"),
    "a size of 99 digits": (format_as(10**98 + 1, "B", 0)[-9:], "000,001 B"),
    "a fraction of 31 digits": (
        format_as(Fraction(10**30) + Fraction(1, 3), "s"),
        "1,000,000,000,000,000,000,000,000,000,000.33 s",
    ),
    "both": (both(2**30), "1.00 GiB (1.07 GB)"),
    "both of little": (both(1023), "1023 B"),
    "both of almost a MiB": (both(1_048_571), "1.00 MiB (1.05 MB)"),
    "both of a byte less": (both(1_048_570), "1,023.99 KiB (1,048.57 KB)"),
    "both of almost a PiB": (both(2**50 - 1), "1.00 PiB (1.13 PB)"),
    "both of much": (both(2**60), "1,024.00 PiB (1,152.92 PB)"),
}

NOT_PRINTED = {
    "nan": (
        lambda: format_as(float("nan"), "ms"),
        ValueError,
        "format_as: value must be finite, got nan",
    ),
    "text": (
        lambda: format_as("1", "ms"),
        TypeError,
        "format_as: value must be a number, got '1' (str)",
    ),
    "an array": (
        lambda: format_as(np.ones(2), "ms"),
        TypeError,
        "format_as: value must be one number, got an array of float64",
    ),
    "no unit": (
        lambda: format_as(1, "Gib/h"),
        ValueError,
        "format_as: unit must be a known name, got 'Gib/h'; did you mean 'Gib/s'?",
    ),
    "micro": (
        lambda: format_as(1, "us"),
        ValueError,
        "format_as: unit must be a known name, got 'us'; did you mean 'µs'?",
    ),
    "a small k": (
        lambda: format_as(1, "kB"),
        ValueError,
        "format_as: unit must be a known name, got 'kB'; did you mean 'KB'?",
    ),
    "a lower-case prefix": (
        lambda: format_as(1, "gb"),
        ValueError,
        "format_as: unit must be a known name, got 'gb'; write GB for bytes or Gb for bits",
    ),
    "no text for a unit": (
        lambda: format_as(1, None),
        TypeError,
        "format_as: unit must be text, got None (NoneType)",
    ),
    "a number out of this world": (
        lambda: format_as(10**5000, "s"),
        ValueError,
        "format_as: value must be below 10^100, got a whole number of about 5001 digits",
    ),
    "a float out of this world": (
        lambda: format_as(-1e300, "s"),
        ValueError,
        "format_as: value must be below 10^100, got -1e+300",
    ),
    "both of a number out of this world": (
        lambda: both(10**5000),
        ValueError,
        "both: n_bytes must be below 10^100, got a whole number of about 5001 digits",
    ),
    "digits": (
        lambda: format_as(1.5, "ms", -1),
        ValueError,
        "format_as: digits must be from 0 to 30, got -1",
    ),
    "both of an array": (
        lambda: both(np.array([1, 2])),
        TypeError,
        "both: n_bytes must be one number, got an array of int64",
    ),
    "both of less than nothing": (
        lambda: both(-1),
        ValueError,
        "both: n_bytes must be at least 0, got -1",
    ),
    "a number to read": (lambda: read(5), TypeError, "read: text must be text, got 5 (int)"),
    "a number to parse": (lambda: parse(5), TypeError, "parse: text must be text, got 5 (int)"),
    "a kind that is no text": (
        lambda: read("5 s", 5),
        TypeError,
        "read: kind must be text, got 5 (int)",
    ),
}


@pytest.mark.parametrize(("value", "expected"), DEFINED.values(), ids=DEFINED)
def test_units_are_what_the_standards_say(value, expected):
    assert value == expected


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ)
def test_reads_a_quantity_as_people_type_it(text, expected):
    assert parse(text) == expected
    assert type(parse(text)) is (int if expected == int(expected) else float)


@pytest.mark.parametrize(("text", "readings"), OTHERWISE.items(), ids=OTHERWISE)
def test_says_where_a_comma_or_a_point_could_be_read_otherwise(text, readings):
    assert (read(text).number, read(text).ambiguous) == readings


@pytest.mark.parametrize(("text", "place"), PLACE.items(), ids=PLACE)
def test_knows_what_the_last_typed_digit_is_worth(text, place):
    assert read(text).place == place


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=REFUSED)
def test_refuses_what_it_would_have_to_guess(text, message):
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert str(caught.value) == message
    assert caught.value.about == message.split()[1]
    assert caught.value.hint == message.rpartition("; ")[2] * ("; " in message)


@pytest.mark.parametrize(("asked", "message"), FOR_KIND.items(), ids=str)
def test_refuses_another_kind_of_quantity(asked, message):
    with pytest.raises(ValueError) as caught:
        parse(*asked)
    assert str(caught.value) == f"parse: {message}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_example_that_it_accepts(kind):
    examples = KINDS[kind][1].split(" or ")
    assert all(parse(text, kind) > 0 for text in examples)
    assert any(unit.kind == kind for unit in UNITS.values())
    assert {unit.kind for unit in UNITS.values()} == set(KINDS)


@pytest.mark.parametrize(("text", "expected"), PRINTED.values(), ids=PRINTED)
def test_prints_a_quantity_with_its_unit(text, expected):
    assert text == expected


@pytest.mark.parametrize(("call", "error", "message"), NOT_PRINTED.values(), ids=NOT_PRINTED)
def test_refuses_to_print_what_is_no_quantity(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@given(st.integers(-(10**20), 10**20), st.sampled_from(sorted(UNITS)), st.integers(0, 6))
def test_reads_back_what_it_prints(scaled, unit, digits):
    number = Fraction(scaled, 10**digits)
    found = read(format_as(number * UNITS[unit].size, unit, digits))
    assert found.unit is UNITS[unit]
    assert found.number == number


@given(st.floats(-1e20, 1e20), st.integers(0, 9))
def test_rounds_as_by_hand(value, digits):
    places = Decimal(1).scaleb(-digits)
    exact = Context(prec=60)
    by_hand = exact.plus(Decimal(value).quantize(places, ROUND_HALF_UP, exact))  # -0 is 0
    assert format_as(value, "s", digits) == f"{by_hand:,f} s"


@given(st.floats(1e-9, 1e15), st.sampled_from(["B", "GiB", "ms", "Gb/s", "requests/s"]))
def test_prints_a_float_to_the_last_digit_asked_for(value, unit):
    found = parse(format_as(value, unit, 6))
    assert abs(found - value) <= float(UNITS[unit].size) * 0.51e-6 + value * 1e-14


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_in_one_sentence(text):
    try:
        assert read(text).number < 10**30
    except ValueError as error:
        assert str(error).startswith("read: ") and len(str(error)) < 200


@given(st.integers(0, 2**63))
def test_both_prefixes_name_the_same_size(n_bytes):
    text = both(n_bytes)
    if n_bytes < 1024:
        assert text == f"{n_bytes} B"
        return
    binary, decimal = text.rstrip(")").split(" (")
    assert parse(binary) == pytest.approx(n_bytes, rel=0.006)
    assert parse(decimal) == pytest.approx(n_bytes, rel=0.006)
