"""Give pages with forms what makes them live: scripts, kvlib, and CPython.

In the site, _static/live/scripts-VERSION holds book/live and kvlib.zip, and
_static/live/python-VERSION holds CPython for the browser. Each VERSION is a
digest of the folder, so that no cache mixes the files of two builds.
"""

import gzip
import hashlib
import json
import shutil
import subprocess
from functools import partial
from pathlib import Path

import kvlib
from kvlib.exercises import QUESTIONS
from nodejs import MODULES, node_for

HERE = Path(__file__).parent
SCRIPTS = HERE.parent / "live"
SITE = Path(kvlib.__file__).parents[1]
PYODIDE = MODULES / "pyodide"
CORE = (  # of the npm package, unchanged
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
)
MARKS = (
    "data-kv-app",
    "data-kv-progress",
)  # of a page that has use for them


def archives(target):
    """Write kvlib.zip and python_stdlib.zip: see archives.py."""
    script = HERE / "engine.mjs"
    command = [node_for("pyodide"), script, PYODIDE, SITE, target]
    subprocess.run(command, check=True)


def named(folder):
    """Return the folder, renamed for what is in it."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.read_bytes())
    name = f"{folder.name}-{digest.hexdigest()[:12]}"
    return folder.rename(folder.with_name(name))


def engine(live):
    """Write both folders, in place of an earlier build's; return them."""
    shutil.rmtree(live, ignore_errors=True)
    scripts, python = live / "scripts", live / "python"
    shutil.copytree(SCRIPTS, scripts)
    python.mkdir()
    archives(python)
    shutil.move(python / "kvlib.zip", scripts)
    for name in CORE:
        shutil.copy(PYODIDE / name, python)
    return named(scripts), named(python)


def megabytes(*folders):
    """Return what a first start loads, compressed, in whole MB."""
    files = (path for folder in folders for path in folder.iterdir())
    n_bytes = sum(
        len(gzip.compress(path.read_bytes(), 6)) for path in files
    )
    return f"{n_bytes / 1e6:.0f}"


def questions():
    """Return the keys of each chapter's questions, as JSON."""
    chapters = {}
    for key in QUESTIONS:
        chapters.setdefault(key[0], []).append(key)
    return json.dumps(chapters)


def prepare(app):
    """Write the engine, and have every page looked at that is written."""
    if app.builder.format == "html":
        live = Path(app.outdir, "_static/live")
        scripts, python = engine(live)
        data = {
            "data-python": python.name,
            "data-megabytes": megabytes(scripts, python),
            "data-questions": questions(),
        }
        start = f"live/{scripts.name}/start.js"
        app.connect("html-page-context", partial(add_script, start, data))


def add_script(start, data, app, pagename, templatename, context, doctree):
    """Add the script to a page that has a form or shows the progress."""
    if any(mark in context.get("body", "") for mark in MARKS):
        app.add_js_file(start, loading_method="defer", **data)


def setup(app):
    """Begin when the place of the site is known."""
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
