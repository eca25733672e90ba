"""Every quantity in prose is recomputed: page and claims table hold each other together."""

import re

import pytest
from claims import CLAIMS
from pages import BOOK, CHAPTERS, markdown

from kvlib.exercises import QUESTIONS
from kvlib.units import UNITS, format_as, read

PAGES = {path.stem: path for path in [*CHAPTERS, BOOK / "index.md", BOOK / "glossary.md"]}
NAMES = sorted((re.escape(u) for u in UNITS if u not in ("×", "tokens")), key=len, reverse=True)
QUANTITY = re.compile(rf"(?<![\w.,^])\d[\d.,]*(?: (?:{'|'.join(NAMES)}|bytes)(?![\w/])|×)")


def texts(stem):
    """Return the markdown of a page and every text of its questions."""
    parts = [markdown(PAGES[stem])]
    for question in QUESTIONS.values():
        if stem.startswith(question.key.split(".")[0] + "_"):
            parts += [question.prompt, *question.hints, *(s.hint for s in question.slips)]
            parts += [part for c in question.choices for part in (c.text, c.reason)]
    return "\n".join(parts)


def stated(stem):
    """Return every quantity that a page states, as printed."""
    return set(QUANTITY.findall(texts(stem)))


@pytest.mark.parametrize("stem", PAGES)
def test_every_quantity_has_a_claim_and_every_claim_is_stated(stem):
    assert stated(stem) == set(CLAIMS.get(stem, {}))


@pytest.mark.parametrize(
    ("printed", "claim"),
    [pytest.param(p, c, id=f"{s} {p}") for s, t in CLAIMS.items() for p, c in t.items()],
)
def test_the_printed_quantity_is_what_kvlib_computes(printed, claim):
    if isinstance(claim, str):
        assert len(claim) > 10, "a quoted figure names its source"
        return
    quantity = read(printed)
    decimals = len(re.match(r"[\d,]*\.?(\d*)", printed)[1])
    again = format_as(claim(), quantity.unit.name, decimals)
    assert printed.replace("bytes", "B") == again


def test_a_number_without_a_claim_is_found():
    text = "It takes 42.95 ms, 7.4 % or 3× at 25 GB/s, 2.93 requests/s, 12 bytes; 3 × 4, 5 tokens."
    found = ["42.95 ms", "7.4 %", "3×", "25 GB/s", "2.93 requests/s", "12 bytes"]
    assert QUANTITY.findall(text) == found
