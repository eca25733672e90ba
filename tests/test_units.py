"""Units. Oracles: SI and IEC 80000-13 definitions; printing and reading must be inverse."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib import units
from kvlib.units import UNITS, both, format_as, parse, read

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
    "214.75ms": 0.21475,
    "12 us": 12e-6,
    "12 µs": 12e-6,
    "12 μs": 12e-6,
    "5 min": 300,
    "1,073,741,824 B": 2**30,
    "1.073.741.824 B": 2**30,
    "1 073 741 824 bytes": 2**30,
    "1\u202f073\u202f741\u202f824 B": 2**30,
    "1_073_741_824": 2**30,
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
    "131.072 KB": 131_072,
    "131.072 kB": 131_072,
    "128 KiB": 131_072,
    "200 Gb/s": 25 * 10**9,
    "200 Gbps": 25 * 10**9,
    "200 Gbit/s": 25 * 10**9,
    "200 Gb / s": 25 * 10**9,
    "25 GBps": 25 * 10**9,
    "25 GB/s": 25 * 10**9,
    "25 GiB/s": 25 * 2**30,
    "2.93 requests/s": 2.93,
    "2.93 req/s": 2.93,
    "8,000 tok/s": 8000,
    "97.7 %": 0.977,
    "97,7%": 0.977,
    "2×": 2,
    "2 x": 2,
    "\u22125 ms": -0.005,
    "+5 ms": 0.005,
    "  7  ": 7,
}

PREFIX = "must be unambiguous, got"
REFUSED = {
    "gb": ("5 gb", f"read: unit {PREFIX} 'gb'; write GB or Gb"),
    "g": ("5 g", f"read: unit {PREFIX} 'g'; write GB or Gb"),
    "gib": ("5 gib", f"read: unit {PREFIX} 'gib'; write GiB or Gib"),
    "mb/s": ("5 mb/s", f"read: unit {PREFIX} 'mb/s'; write MB/s or Mb/s"),
    "MS": ("5 MS", f"read: unit {PREFIX} 'MS'; write ms"),
    "an unknown unit": (
        "5 parsecs",
        "read: unit must be a known unit, got 'parsecs'; as in GB, GiB, Gb/s, ms",
    ),
    "two decimal commas": (
        "1,5,5 ms",
        "read: text must be one number, got '1,5,5 ms'; as in 1,073,741,824 B",
    ),
    "a comma for groups and for decimals": (
        "1,073,5 ms",
        "read: text must be one number, got '1,073,5 ms'; as in 1,073,741,824 B",
    ),
    "two numbers": (
        "42 95 ms",
        "read: text must be one number, got '42 95 ms'; as in 1,073,741,824 B",
    ),
    "no number": ("ms", "read: text must be a number and a unit, got 'ms'; as in 42.95 ms"),
    "nothing": ("", "read: text must be a number and a unit, got ''; as in 42.95 ms"),
    "nan": ("nan ms", "read: text must be a number and a unit, got 'nan ms'; as in 42.95 ms"),
    "code": (
        "__import__('os')",
        "read: text must be a number and a unit, got \"__import__('os')\"; as in 42.95 ms",
    ),
    "an expression": (
        "2**30",
        "read: unit must be a known unit, got '**30'; as in GB, GiB, Gb/s, ms",
    ),
    "a page of text": ("1" * 65, "read: text must be at most 64 characters, got 65"),
    "a number out of this world": (
        "1e30 B",
        "read: text must be a number below 10^30, got '1e30 B'",
    ),
}

EXPECTED_KIND = {
    ("1 GB", "rate"): "parse: text must be a number of rate, got '1 GB'; as in 200 Gb/s or 25 GB/s",
    ("25", "rate"): "parse: text must be a number of rate, got '25'; as in 200 Gb/s or 25 GB/s",
    ("1 ms", "bytes"): "parse: text must be a number of bytes, got '1 ms'; as in 1 GiB",
    ("1 B", "seconds"): "parse: text must be a number of seconds, got '1 B'; as in 42.95 ms",
    ("1 B", "requests"): "parse: text must be a number of requests, got '1 B'",
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
    "both": (both(2**30), "1.00 GiB (1.07 GB)"),
    "both of little": (both(1023), "1023 B"),
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
}


@pytest.mark.parametrize(("value", "expected"), DEFINED.values(), ids=DEFINED)
def test_units_are_what_the_standards_say(value, expected):
    assert value == expected


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ)
def test_reads_a_quantity_as_people_type_it(text, expected):
    assert parse(text) == expected
    assert type(parse(text)) is (int if expected == int(expected) else float)


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses_what_it_would_have_to_guess(text, message):
    with pytest.raises(ValueError) as caught:
        read(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(("asked", "message"), EXPECTED_KIND.items(), ids=" as ".join)
def test_refuses_another_kind_of_quantity(asked, message):
    with pytest.raises(ValueError) as caught:
        parse(*asked)
    assert str(caught.value) == message


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
    exact = number * UNITS[unit].size
    printed = format_as(exact, unit, digits)
    found = read(printed)
    assert found.unit is UNITS[unit]
    # whole numbers print exactly, others through a float, which holds 15 digits
    tolerance = 0 if number.denominator == 1 else abs(number) * Fraction(1, 10**15)
    assert abs(found.number - number) <= tolerance


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
