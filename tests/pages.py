"""What the tests read of the book: its pages, and the texts that a reader sees in them."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
CHAPTERS = sorted(BOOK.glob("*.ipynb"))


def cells(path, kind):
    """Return the cells of one kind of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [c for c in notebook["cells"] if c["cell_type"] == kind]


def source(cell):
    """Return a cell's text."""
    return "".join(cell["source"])


def markdown(path):
    """Return all markdown of a page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(source(c) for c in cells(path, "markdown"))


def prose(path):
    """Return the running prose of a page: no solutions, fences, formulas, tables or targets."""
    text = re.sub(r"```\{admonition\} Solution.*?```", "", markdown(path), flags=re.S)
    text = re.sub(r"^(```.*|:[a-z]+:.*|\|.*\|)$", "", text, flags=re.M)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.S)
    return re.sub(r"\]\([^)]*\)", "]", text)
