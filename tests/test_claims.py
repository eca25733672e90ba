"""Every quantity in prose is recomputed where it stands.

A claim is a piece of a page with its numbers in braces and, for each number, the expression that
gives it or the outside source that it is quoted from. A quantity (digits with a unit, a
percentage, a factor) that lies in no claim fails, and so does a claim that the page does not
state at exactly one place: a right number in a wrong place is found.
"""

import re

import pytest
from claims import CLAIMS
from pages import BOOK, CHAPTERS, markdown

from kvlib.exercises import QUESTIONS
from kvlib.units import UNITS, format_as, read

PAGES = {path.stem: path for path in [*CHAPTERS, *BOOK.glob("*.md")]}
NAMES = sorted((re.escape(u) for u in UNITS if u not in ("×", "tokens")), key=len, reverse=True)
QUANTITY = re.compile(rf"(?<![\w.,^])\d[\d.,]*(?: (?:{'|'.join(NAMES)}|bytes)(?![\w/])|×)")
UNITS_EXPLAINED = {"notation"}  # its tables define the units themselves


def flat(text):
    """Return text with every run of white space as one blank."""
    return re.sub(r"\s+", " ", text)


def texts(stem):
    """Return what a page says, and each question of its chapter with all that it may answer."""
    yield flat(re.sub(r"\]\([^)]*\)", "]", markdown(PAGES[stem])))
    for question in QUESTIONS.values():
        if stem.startswith(question.key.split(".")[0] + "_"):
            parts = [question.prompt, *question.hints, *(s.hint for s in question.slips)]
            parts += [part for c in question.choices for part in (c.text, c.reason)]
            yield flat("\n".join(parts))


def found(claim, text):
    """Return each place of a text that states a claim: a match with a group for each number."""
    pieces = re.split(r"\{([^}]*)\}", flat(claim))
    stated = "".join(re.escape(p) if i % 2 == 0 else f"({re.escape(p)})"
                     for i, p in enumerate(pieces))  # fmt: skip
    return list(re.finditer(rf"(?<!\d)(?<!\d[.,]){stated}(?![.,]?\d)", text))


def spans(claim, text):
    """Return where the numbers of a claim stand in a text: a list for each time it is stated."""
    return [[m.span(g) for g in range(1, m.re.groups + 1)] for m in found(claim, text)]


@pytest.mark.parametrize("stem", sorted(set(PAGES) - UNITS_EXPLAINED))
def test_every_quantity_has_a_claim_where_it_stands(stem):
    for text in texts(stem):
        claimed = {s for c, *_ in CLAIMS.get(stem, []) for group in spans(c, text) for s in group}
        stray = [m for m in QUANTITY.finditer(text) if m.span() not in claimed]
        assert [text[max(0, m.start() - 40) : m.end() + 20] for m in stray] == []


@pytest.mark.parametrize("stem", CLAIMS)
def test_every_claim_is_stated_at_one_place(stem):
    pages = list(texts(stem))
    places = {c: sum(len(spans(c, text)) for text in pages) for c, *_ in CLAIMS[stem]}
    assert {c: n for c, n in places.items() if n != 1} == {}
    assert len(places) == len(CLAIMS[stem]), "a claim stands twice in its table"


@pytest.mark.parametrize(
    ("claim", "expressions"),
    [pytest.param(c, e, id=f"{s}: {c[:60]}") for s, rows in CLAIMS.items() for c, *e in rows],
)
def test_the_numbers_are_what_kvlib_computes(claim, expressions):
    numbers = re.findall(r"\{([^}]*)\}", claim)
    assert numbers and len(numbers) == len(expressions)
    for number, expression in zip(numbers, expressions, strict=True):
        if isinstance(expression, str):
            assert len(expression) > 10, "a quoted figure names its source"
        else:
            assert printed_like(number, expression()) == number.replace("−", "-")


def printed_like(number, value):
    """Return a computed value printed as `number` is: its unit, its decimals."""
    decimals = len(re.match(r"-?[\d,]*\.?(\d*)", number.replace("−", "-"))[1])
    unit = read(number.replace("bytes", "B")).unit
    if unit is None:
        return f"{value:,.{decimals}f}" if "," in number else f"{value:.{decimals}f}"
    again = format_as(value, unit.name, decimals)
    return again.replace(" B", " bytes") if "bytes" in number else again


def test_a_number_without_a_claim_is_found():
    text = "It takes 42.95 ms, 7.4 % or 3× at 25 GB/s, 2.93 requests/s, 12 bytes; 3 × 4, 5 tokens."
    found = ["42.95 ms", "7.4 %", "3×", "25 GB/s", "2.93 requests/s", "12 bytes"]
    assert QUANTITY.findall(text) == found


def test_a_right_number_in_a_wrong_place_is_found():
    assert spans("a costs {1 B}, b {2 B}", "a costs 1 B, b 2 B") == [[(8, 11), (15, 18)]]
    assert spans("a costs {1 B}, b {2 B}", "a costs 2 B, b 1 B") == []
    assert spans("{14} held", "114 held, 1,14 held, 14 held") == [[(21, 23)]]
    assert spans("a is {1}", "a is 12, a is 1.5, a is 1.") == [[(24, 25)]]
