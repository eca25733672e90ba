"""Every page of the built book, in two widths and two colour schemes."""

import gzip
import json
import re
from pathlib import PurePosixPath

import pytest

from .built import ROOT, SCREENSHOTS, SITE, pages
from .conftest import ENGINE
from .forms import KEYS, await_live, hold

AXE = ROOT / "book/browser/node_modules/axe-core/axe.min.js"
HTML_LIMIT = 500_000  # bytes, with its figures
WIRE_LIMIT = 600_000  # bytes, compressed, without Python
ENGINE_LIMIT = 7_000_000  # bytes, compressed: Python and kvlib

# What axe-core finds in nodes that are not ours: (rule, what marks the node): why it stays.
NOT_OURS = {
    ("label-content-name-mismatch", "search-button-field"): "the theme's search button shows"
    " its keys, Ctrl+K, beside its name",
    ("label-content-name-mismatch", "Toggle hidden content"): "myst-nb's folded code cell",
    ("region", "sidebar-primary-item"): "the theme's sidebar begins with the title, outside nav",
    ("aria-allowed-role", "doc-biblioentry"): "docutils' role for an entry of a bibliography",
    ("aria-deprecated-role", "doc-biblioentry"): "the same",
    ("aria-required-children", "citation-list"): "docutils' list of such entries",
}

OPEN_ALL = """() => {
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(e => e.classList.remove("toggle-hidden"));
}"""
TOO_WIDE = """width => [...document.querySelectorAll("body *")]
  .filter(e => e.getBoundingClientRect().right > width + 1)
  .map(e => `${e.tagName} ${e.className}`).slice(0, 5)"""


def findings(page, within="html"):
    """Return what axe-core finds on the page or in a part of it, less NOT_OURS."""
    page.evaluate(AXE.read_text("utf-8"))  # a script tag would break the page's policy
    run = "part => axe.run(part, {resultTypes: ['violations', 'incomplete']})"
    report = page.evaluate(run, within)
    nodes = [(rule, node) for rule in report["violations"] for node in rule["nodes"]]
    for rule in report["incomplete"]:  # axe is not sure of text in the colour of its background
        nodes += [(rule, node) for node in rule["nodes"] if "equalRatio" in json.dumps(node)]
    return [
        f"{rule['id']} ({rule['impact']}) {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule, node in nodes
        if not any(rule["id"] == known and mark in node["html"] for known, mark in NOT_OURS)
    ]


def test_there_is_a_book_to_visit():
    assert pages(), f"no page in {SITE}: run `make book`"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", pages())
def test_it_loads_quietly_fits_and_is_accessible(visit, path, width, scheme):
    seen = visit(path, width=width, scheme=scheme, prepare=hold)
    page = seen.page
    page.evaluate(OPEN_ALL)
    name = "-".join(PurePosixPath(path).with_suffix("").parts)
    page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}.png", full_page=True)

    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert seen.outside == []
    assert seen.complaints == []
    assert [response.url for response in seen.responses if not response.ok] == []
    scroll_width = page.evaluate("document.documentElement.scrollWidth")
    assert scroll_width <= width, page.evaluate(TOO_WIDE, width)
    assert findings(page) == []


@pytest.mark.parametrize("path", pages())
def test_it_is_light_names_its_pictures_and_prints_whole(visit, path):
    seen = visit(path)
    await_live(seen.page)
    html = (SITE / path).read_text("utf-8")
    figures = set(re.findall(r'src="([^"]*_images/[^"]+)"', html))
    files = [SITE / path, *((SITE / path).parent / figure for figure in figures)]
    assert sum(file.stat().st_size for file in files) <= HTML_LIMIT
    weights = sorted(((n, url) for url, n in seen.weights().items()), reverse=True)
    total = sum(n for n, _ in weights)
    print(f"{path}: {total / 1e3:.0f} kB compressed, in {len(weights)} files")
    assert total <= WIRE_LIMIT, weights[:5]

    for alt in seen.page.locator("img").evaluate_all("all => all.map(e => e.alt)"):
        assert alt.strip()
        assert not re.search(r"_images/|\.(png|svg|jpe?g)$", alt), alt

    seen.page.emulate_media(media="print")
    told = "details:not(.kv-copy) > :not(summary)"  # a copy says again what stands above it
    inside = f"main :is({told}, .toggle-hidden > .admonition-title ~ *)"
    for folded in seen.page.locator(inside).filter(visible=False).all():
        assert not folded.text_content().strip()
    buttons = seen.page.locator("main form button").all()
    own = seen.page.locator("main form .kv-controls > .kv-buttons button")
    assert own.count() == len(KEYS[path])
    for button in buttons:
        assert not button.is_visible()


def test_python_is_light():
    files = [p for p in SITE.rglob("*.*") if ENGINE.search(f"/{p.relative_to(SITE).as_posix()}")]
    sizes = {p.name: len(gzip.compress(p.read_bytes())) for p in files}
    print(f"Python: {sum(sizes.values()) / 1e6:.2f} MB compressed, in {len(sizes)} files")
    assert {"pyodide.asm.wasm", "kvlib.zip"} <= set(sizes)
    assert sum(sizes.values()) <= ENGINE_LIMIT, sizes


@pytest.mark.parametrize("path", [path for path in pages() if path != "search.html"])
def test_it_reads_without_javascript(visit, path):
    page = visit(path, javascript=False).page
    assert page.locator("main article h1").first.is_visible()
    for form in page.locator("main form").all():
        assert form.inner_text().strip()
        for element in form.locator(".kv-result:not(:empty), svg").all():
            assert element.is_visible()
    formulas = page.locator("main .katex").filter(visible=True)
    assert formulas.count() or not page.locator("main .katex").count()
    assert "$" not in page.locator("main article").inner_text()
