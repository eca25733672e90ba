"""Argument checks. Oracle: the message, whole, as a person would read it."""

from fractions import Fraction

import numpy as np
import pytest

from kvlib import _check

HUGE = 10**5000

ACCEPTED = {
    "an int": (lambda: _check.whole("f", "n", 3), 3),
    "zero": (lambda: _check.whole("f", "n", 0), 0),
    "a NumPy int": (lambda: _check.whole("f", "n", np.int8(3)), 3),
    "an int of any size": (lambda: _check.whole("f", "n", 10**40), 10**40),
    "the bounds themselves": (lambda: _check.whole("f", "n", 5, 5, 5), 5),
    "a float": (lambda: _check.number("f", "x", 2.5, above=0), 2.5),
    "a fraction": (lambda: _check.number("f", "x", Fraction(1, 2)), Fraction(1, 2)),
    "a NumPy float": (lambda: _check.number("f", "x", np.float32(0.5)), 0.5),
    "a known name": (lambda: _check.one_of("f", "name", "b", ["a", "b"]), "b"),
    "a wanted kind": (lambda: _check.kind("f", "x", "text", str, "text"), "text"),
}

NO_COUNT, NO_NUMBER = "f: n must be a whole number, got ", "f: x must be a number"
REFUSED = {
    "a float count": (
        lambda: _check.whole("f", "n", 8192.0),
        TypeError,
        NO_COUNT + "8192.0 (float)",
    ),
    "a bool count": (lambda: _check.whole("f", "n", True), TypeError, NO_COUNT + "True (bool)"),
    "a text count": (
        lambda: _check.whole("f", "n", "3", hint="write 3"),
        TypeError,
        NO_COUNT + "'3' (str); write 3",
    ),
    "no count": (lambda: _check.whole("f", "n", None), TypeError, NO_COUNT + "None (NoneType)"),
    "too few": (lambda: _check.whole("f", "n", -1), ValueError, "f: n must be at least 0, got -1"),
    "too many": (
        lambda: _check.whole("f", "n", 7, 1, 6),
        ValueError,
        "f: n must be from 1 to 6, got 7",
    ),
    "more than none": (
        lambda: _check.whole("f", "n", np.array([1]), 0, 0),
        ValueError,
        "f: n must be from 0 to 0 everywhere, got 1",
    ),
    "far too many": (
        lambda: _check.whole("f", "n", HUGE, maximum=6),
        ValueError,
        "f: n must be from 0 to 6, got a whole number of about 5001 digits",
    ),
    "an array of floats": (
        lambda: _check.whole("f", "n", np.zeros(2)),
        TypeError,
        "f: n must be a whole number or an integer array, got an array of float64",
    ),
    "an array with one too few": (
        lambda: _check.whole("f", "n", np.array([3, -2])),
        ValueError,
        "f: n must be from 0 to 9,223,372,036,854,775,807 everywhere, got -2",
    ),
    "a text number": (
        lambda: _check.number("f", "x", "25", unit="GB"),
        TypeError,
        NO_NUMBER + " of GB, got '25' (str)",
    ),
    "a bool number": (
        lambda: _check.number("f", "x", False),
        TypeError,
        NO_NUMBER + ", got False (bool)",
    ),
    "a complex number": (
        lambda: _check.number("f", "x", 1j),
        TypeError,
        NO_NUMBER + ", got 1j (complex)",
    ),
    "an array of text": (
        lambda: _check.number("f", "x", np.array(["a"])),
        TypeError,
        NO_NUMBER + " or an array of them, got an array of <U1",
    ),
    "nan": (
        lambda: _check.number("f", "x", float("nan")),
        ValueError,
        "f: x must be finite, got nan",
    ),
    "minus infinity": (
        lambda: _check.number("f", "x", np.array([-np.inf, 1.0])),
        ValueError,
        "f: x must be finite, got -inf",
    ),
    "nan among numbers": (
        lambda: _check.number("f", "x", np.array([1.0, np.nan])),
        ValueError,
        "f: x must be finite, got nan",
    ),
    "zero where more is due": (
        lambda: _check.number("f", "x", 0, above=0),
        ValueError,
        "f: x must be more than 0, got 0",
    ),
    "a NumPy float below": (
        lambda: _check.number("f", "x", np.float64(-1.5), minimum=0),
        ValueError,
        "f: x must be at least 0, got -1.5",
    ),
    "a number above": (
        lambda: _check.number("f", "x", 1.5, maximum=1),
        ValueError,
        "f: x must be at most 1, got 1.5",
    ),
    "a name nearly known": (
        lambda: _check.one_of("f", "name", "lama", ["llama", "qwen"]),
        ValueError,
        "f: name must be a known name, got 'lama'; did you mean 'llama'?",
    ),
    "a name far off": (
        lambda: _check.one_of("f", "name", "zzz", ["llama", "qwen"]),
        ValueError,
        "f: name must be a known name, got 'zzz'; known are llama, qwen",
    ),
    "one of many names": (
        lambda: _check.one_of("f", "name", "zzz", list("abcdefghij")),
        ValueError,
        "f: name must be a known name, got 'zzz'; known are a, b, c, d, e, f, g, h and 2 more",
    ),
    "no name": (
        lambda: _check.one_of("f", "name", 3, ["a"]),
        TypeError,
        "f: name must be text, got 3 (int)",
    ),
    "another kind": (
        lambda: _check.kind("f", "x", [1, 2], dict, "a mapping"),
        TypeError,
        "f: x must be a mapping, got [1, 2] (list)",
    ),
    "shapes that do not broadcast": (
        lambda: _check.together("f", {"a": np.zeros((3, 1)), "b": np.zeros(4), "c": np.zeros(2)}),
        ValueError,
        "f: c must be of a shape that broadcasts with (3, 4), got shape (2,)",
    ),
}

SHOWN = {
    "short text": ("it's", '"it\'s"'),
    "long text": ("x" * 10**6, "'" + "x" * 27 + "..." + "x" * 28 + "'"),
    "text of two lines": ("a\n\x1b[31mb", "'a\\n\\x1b[31mb'"),
    "a repr of two lines": (type("T", (), {"__repr__": lambda _: "a\nb"})(), "a b"),
    "a long list": (list(range(9)), "9 entries"),
    "a NumPy number": (np.float64(2.5), "2.5"),
    "an array": (np.zeros((30, 30)), "an array of float64"),
    "a list of an immense int": ([HUGE], "a list"),
    "an immense int": (-HUGE, "a whole number of about 5001 digits"),
}


@pytest.mark.parametrize(("call", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_returns_what_is_right(call, expected):
    assert call() == expected


@pytest.mark.parametrize(("call", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_says_in_one_sentence_what_is_wrong(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
    assert type(caught.value) is error


@pytest.mark.parametrize(("value", "text"), SHOWN.values(), ids=SHOWN)
def test_shows_a_value_in_sixty_characters(value, text):
    assert _check.shown(value) == text
    assert len(text) <= 60


def test_counts_in_small_integer_arrays_do_not_overflow_later():
    assert _check.whole("f", "n", np.array([100], dtype="int8")).dtype == np.int64
    assert type(_check.whole("f", "n", np.uint8(200))) is int


def test_empty_arrays_pass():
    assert _check.number("f", "x", np.zeros(0), above=0).size == 0
    assert _check.whole("f", "n", np.zeros(0, dtype=int), 1).size == 0


@pytest.mark.parametrize(
    "shapes", [[(), (3,)], [(3, 1), (4,)], [(2, 3), (1, 3), (3,)], [(1,), (5, 1)], [(0,), (1,)]]
)
def test_shapes_pass_if_numpy_broadcasts_them(shapes):
    np.broadcast_shapes(*shapes)
    _check.together("f", {str(i): np.zeros(shape) for i, shape in enumerate(shapes)})
