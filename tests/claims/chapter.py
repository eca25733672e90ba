"""What claims read of a chapter: the objects that its cells make, its slips, its minutes."""

import json
from functools import cache
from pathlib import Path

from kvlib.exercises import QUESTIONS, find

BOOK = Path(__file__).resolve().parents[2] / "book"


@cache
def made(stem):
    """Return the names of a chapter after its imports and its visible cells have run."""
    text = (BOOK / f"{stem}.ipynb").read_text(encoding="utf-8")
    code = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    names = {}
    for cell in code[:1] + [c for c in code if not c["metadata"].get("tags")]:
        exec("".join(cell["source"]), names)
    return names


def slip(key, words):
    """Return the value of the slip whose hint holds some words."""
    (value,) = [s.value for s in find(key).slips if words in s.hint]
    return value


def practice(chapter):
    """Return the minutes that a chapter's exercises take together."""
    numbered = [q for q in QUESTIONS.values() if q.key.startswith(f"{chapter}.") and q.level]
    return sum(q.minutes for q in numbered)
