"""Give pages with forms what makes them live: scripts, kvlib, and CPython.

In the site, _static/live/VERSION holds the scripts of book/live and kvlib's
own files as kvlib.json. VERSION is a digest of both, so that no cache mixes
two builds. _static/live/pyodide-X.Y.Z holds CPython for the browser.
"""

import gzip
import hashlib
import json
import shutil
from functools import cache
from pathlib import Path

import kvlib
from kvlib.exercises import QUESTIONS
from sphinx.errors import ExtensionError
from sphinx.util.osutil import ensuredir

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "live"
PACKAGE = Path(kvlib.__file__).parent
PYODIDE = HERE.parent / "browser/node_modules/pyodide"
ENGINE = (  # of the npm package: what a browser loads
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
MARKS = (
    "data-kv-app",
    "data-kv-progress",
)  # of a page that has use for them


@cache
def package():
    """Return kvlib's files as JSON: path to text, unchanged."""
    files = (p for p in PACKAGE.rglob("*") if p.suffix in (".py", ".json"))
    texts = {
        p.relative_to(PACKAGE.parent).as_posix(): p.read_text("utf-8")
        for p in sorted(files)
    }
    return json.dumps(texts, ensure_ascii=False).encode()


@cache
def version():
    """Return a digest of everything that one page runs, less Pyodide."""
    digest = hashlib.sha256(package())
    for script in sorted(SCRIPTS.glob("*.js")):
        digest.update(script.read_bytes())
    return digest.hexdigest()[:12]


@cache
def pyodide():
    """Return the name of Pyodide's folder in the site."""
    manifest = PYODIDE / "package.json"
    if not manifest.exists():
        raise ExtensionError(
            f"Live pages need {PYODIDE}:"
            " run `make book`, which fetches what is missing."
        )
    return f"pyodide-{json.loads(manifest.read_text())['version']}"


@cache
def megabytes():
    """Return what a first start loads, compressed, in MB."""
    bodies = [(PYODIDE / name).read_bytes() for name in ENGINE]
    n_bytes = sum(len(gzip.compress(b, 6)) for b in (package(), *bodies))
    return f"{n_bytes / 1e6:.0f}"


def questions():
    """Return the keys of each chapter's questions, as JSON."""
    chapters = {}
    for key in QUESTIONS:
        chapters.setdefault(key[0], []).append(key)
    return json.dumps(chapters)


def add_script(app, pagename, templatename, context, doctree):
    """Add the script to a page that has a form or shows the progress."""
    if any(mark in context.get("body", "") for mark in MARKS):
        data = {
            "data-pyodide": pyodide(),
            "data-megabytes": megabytes(),
            "data-questions": questions(),
        }
        path = f"live/{version()}/start.js"
        app.add_js_file(path, loading_method="defer", **data)


def write(app, exception):
    """Write the two folders; forget those of an earlier build."""
    if exception or app.builder.format != "html":
        return
    live = Path(app.outdir, "_static/live")
    shutil.rmtree(live, ignore_errors=True)
    shutil.copytree(SCRIPTS, live / version())
    (live / version() / "kvlib.json").write_bytes(package())
    ensuredir(live / pyodide())
    for name in ENGINE:
        shutil.copy(PYODIDE / name, live / pyodide())


def setup(app):
    """Look at every page as it is written, copy when all are."""
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
