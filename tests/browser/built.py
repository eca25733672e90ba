"""What `make book` has built, and where the tests put their pictures of it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
SCREENSHOTS = ROOT / "_build" / "screenshots"


def pages():
    """Return every page of the built book as a path below the site."""
    found = [p for p in SITE.rglob("*.html") if "_static" not in p.parts]
    return sorted(str(p.relative_to(SITE)) for p in found if p != SITE / "index.html")
