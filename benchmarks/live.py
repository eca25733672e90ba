"""The same slider without a server: in a page of the built book, and in JupyterLite.

`python benchmarks/live.py [RUNS]`, after `make book .venv/browser`. Each run visits both in turn,
in a new browser profile (cold), then once more in the same one (warm). JupyterLite is its REPL,
which is quicker than its notebook, with all wheels loaded while Pyodide starts, which is quicker
than piplite. This machine serves both, each file dated one day back, with `Last-Modified` and no
other word about caching. Bytes are bodies as a host that compresses sends them: `gzip -6` where it
helps. A change is one key press on the slider. Main-thread tasks count until it is answered.
"""

import functools
import gzip
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import quote, unquote, urlsplit

from playwright.sync_api import Error, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser.conftest import CHROMIUM, FLAGS

ROOT = Path(__file__).parents[1]
BOOK, CACHE = ROOT / "_build" / "html", ROOT / "_build" / "jupyterlite"
PINS = ROOT / "benchmarks" / "jupyterlite"
PYODIDE = ROOT / "book" / "browser" / "node_modules" / "pyodide"
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
CODE = quote('from kvlib.show import show\nshow("2.explore")')
FORM = 'form[data-kv-app="2.explore"]'
BEFORE, AFTER = "42.95 ms", "85.90 ms"  # with one user, with two
MOVES = 30
PATIENCE = 120_000  # ms

PROBE = """
  const kv = window.kv = {tasks: [], moves: []}, waiting = {};
  const text = () => document.querySelector(RESULT)?.textContent.replaceAll("\u00a0", " ") ?? "";
  let asked = null;
  const note = (name) => {
    kv[name] ??= performance.now();
    waiting[name]?.();
  };
  window.kvUntil = (name) => new Promise((done, fail) => {
    waiting[name] = done;
    if (kv[name]) done();
    setTimeout(fail, PATIENCE, `not ${name} in time`);
  });
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) kv.tasks.push([task.startTime, task.duration]);
  }).observe({type: "longtask", buffered: true});
  addEventListener("input", (event) => asked = {at: event.timeStamp, text: text()}, true);
  new MutationObserver(() => {
    const shown = text();
    if (document.querySelector("[data-kv-state=starting]")) note("starting");
    if (shown.includes(BEFORE)) note("live");
    if (shown.includes(AFTER)) note("answered");
    if (asked && shown !== asked.text) {
      note(`move ${kv.moves.push(performance.now() - asked.at)}`);
      asked = null;
    }
  }).observe(document, {
    subtree: true, childList: true, characterData: true, attributeFilter: ["data-kv-state"],
  });
"""


@dataclass(kw_only=True)
class Visit:
    """What one visit took: seconds, bytes, and milliseconds of long tasks and of moves."""

    live: float
    answered: float
    requests: int
    outside: int
    wire: int  # all bytes
    engine: int  # those of them below _static/live
    tasks: list[float]
    starting: list[float]  # those of them while the engine starts
    slider: list[float] = field(default_factory=list)
    text: list[float] = field(default_factory=list)


class Files(http.server.SimpleHTTPRequestHandler):
    """Files over connections that stay open; the server keeps the log."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body must not wait until its head is acknowledged

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def log_request(self, code: int = 0, size: object = "-") -> None:
        """Note the status and the address."""
        self.server.asked.append((code, unquote(urlsplit(self.path).path)))


class Host(http.server.ThreadingHTTPServer):
    """A server that keeps no connection of a browser waiting."""

    request_queue_size = 64


class Page:
    """A page on a local port. `result` selects its answer once the controls beside it are live."""

    def __init__(self, site: Path, path: str, *, result: str, slider: str, text: str = "") -> None:
        yesterday = time.time() - 86_400
        for file in site.rglob("*"):
            os.utime(file, (yesterday, yesterday))
        files = functools.partial(Files, directory=site)
        self.host = Host(("127.0.0.1", 0), files)
        threading.Thread(target=self.host.serve_forever, daemon=True).start()
        self.home = f"http://127.0.0.1:{self.host.server_port}"
        self.site, self.address = site, self.home + path
        self.result, self.slider, self.text = result, slider, text

    def visits(self, browser: object) -> list[Visit]:
        """Return a first visit in a new profile, and a second one."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as new:
            context = browser.launch_persistent_context(new, executable_path=CHROMIUM, args=FLAGS)
            known = {"RESULT": self.result, "BEFORE": BEFORE, "AFTER": AFTER, "PATIENCE": PATIENCE}
            names = "".join(f"const {name} = {json.dumps(known[name])};" for name in known)
            context.add_init_script(f"(() => {{{names}{PROBE}}})()")
            outside = set()
            context.on("request", lambda request: outside.add(request.url))
            taken = [self._visit(context, outside) for _ in range(2)]
            context.close()
        return taken

    def _visit(self, context: object, outside: set[str]) -> Visit:
        """Press a key on the slider as soon as it is live, then move what else is to be moved."""
        tab = context.new_page()
        tab.wait_for_timeout(1_000)  # until the browser rests
        self.host.asked = []
        outside.clear()
        tab.goto(self.address, wait_until="commit")
        slider = tab.locator(self.slider)
        try:
            tab.evaluate("kvUntil('live')")
            slider.press("ArrowRight")
            tab.evaluate("kvUntil('answered')")
        except Error as error:
            note = "[...document.querySelectorAll('.kv-note')].map((p) => p.textContent)[0]"
            lost = [path for code, path in self.host.asked if code == 404]
            sys.exit(f"{self.address}: {error}\nIt says: {tab.evaluate(note)}\nNot there: {lost}")
        asked, seen = list(self.host.asked), tab.evaluate("kv")
        starting, live, answered = seen.get("starting", 0), seen["live"], seen["answered"]
        tasks = [(at, length) for at, length in seen["tasks"] if at < answered]
        weights = [(path, weight(self.site / path[1:])) for code, path in asked if code == 200]
        taken = Visit(
            live=live / 1e3,
            answered=answered / 1e3,
            requests=len(asked),
            outside=sum(not url.startswith((self.home, "data:", "blob:")) for url in outside),
            wire=sum(size for _, size in weights),
            engine=sum(size for path, size in weights if path.startswith("/_static/live/")),
            tasks=[length for _, length in tasks],
            starting=[ms for at, ms in tasks if at + ms > starting and at < live],
        )
        if self.text:
            keys, payload = ("ArrowRight", "ArrowLeft"), tab.locator(self.text)
            taken.slider = moves(tab, lambda n: slider.press(keys[n % 2]))
            taken.text = moves(tab, lambda n: payload.fill(f"{n + 2} GiB"))
        tab.close()
        return taken


def moves(tab: object, move: Callable[[int], None]) -> list[float]:
    """Make some moves, each after the answer to the one before; return their milliseconds."""
    before = tab.evaluate("kv.moves.length")
    for n in range(MOVES):
        move(n)
        tab.evaluate(f"kvUntil('move {before + n + 1}')")
    return tab.evaluate("kv.moves")[before:]


@functools.cache
def weight(file: Path) -> int:
    """Return the bytes of a file on the wire."""
    body = file.read_bytes()
    return min(len(body), len(gzip.compress(body, 6)))


def jupyterlite() -> Path:
    """Build JupyterLite and return the folder of its site; its environment is made once."""
    wheels, work, tools = CACHE / "wheels", CACHE / "work", CACHE / "venv" / "bin"
    done, pins = CACHE / "done", "".join(path.read_text() for path in sorted(PINS.iterdir()))
    if not done.is_file() or done.read_text() != pins:
        shutil.rmtree(CACHE, ignore_errors=True)
        venv.create(CACHE / "venv", with_pip=True)
        pip = [tools / "python", "-m", "pip", "-qq"]
        subprocess.run([*pip, "install", "-r", PINS / "requirements.txt"], check=True)
        pip += ["download", "--no-deps", "--only-binary=:all:", "--python-version=3.14"]
        subprocess.run([*pip, "-r", PINS / "wheels.txt", "-d", wheels], check=True)
        done.write_text(pins)
    shutil.rmtree(work, ignore_errors=True)
    target = work / "static" / "pyodide"
    target.mkdir(parents=True)
    kernel = CACHE.glob("venv/share/jupyter/labextensions/@jupyterlite/*/static/pypi/*.whl")
    for path in [*(PYODIDE / name for name in CORE), *wheels.iterdir(), *kernel]:
        shutil.copy(path, target)
    settings = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": lock(target)}}
    plugins = {"litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": settings}}
    config = {"jupyter-lite-schema-version": 0, "jupyter-config-data": plugins}
    (work / "jupyter-lite.json").write_text(json.dumps(config))
    build = [tools / "jupyter-lite", "build", "--output-dir=site", "--apps=repl"]
    build += ["--no-sourcemaps", "--no-unused-shared-packages"]
    with (CACHE / "build.log").open("w") as log:
        if subprocess.run(build, cwd=work, stdout=log, stderr=log).returncode:
            sys.exit(f"JupyterLite could not be built: see {log.name}.")
    return work / "site"


def lock(target: Path) -> list[str]:
    """Add a wheel of kvlib, write Pyodide's lock file for all wheels, and return their names."""
    with zipfile.ZipFile(target / "kvlib-0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted((ROOT / "kvlib").rglob("*")):
            if path.suffix in (".py", ".json"):
                wheel.write(path, path.relative_to(ROOT))
        wheel.writestr("kvlib-0.dist-info/METADATA", "Name: kvlib\nVersion: 0\n")
    packages, fixed = {}, {"install_dir": "site", "package_type": "package"}
    fixed |= {"imports": [], "depends": [], "unvendored_tests": False}
    for path in sorted(target.glob("*.whl")):
        name, version, *_ = path.name.split("-")
        name = name.lower().replace("_", "-")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entry = {"name": name, "version": version, "file_name": path.name, "sha256": digest}
        packages[name] = entry | fixed
    whole = json.loads((PYODIDE / "pyodide-lock.json").read_text())
    (target / "pyodide-lock.json").write_text(json.dumps(whole | {"packages": packages}))
    return list(packages)


ROWS = {
    "live [s]": (2, lambda visit: visit.live),
    "first answered change [s]": (2, lambda visit: visit.answered),
    "requests": (0, lambda visit: visit.requests),
    "requests to other hosts, blocked": (0, lambda visit: visit.outside),
    "bytes on the wire [kB]": (0, lambda visit: visit.wire / 1e3),
    "longest main-thread task > 50 ms": (0, lambda visit: max(visit.tasks, default=0)),
    "main-thread tasks > 50 ms": (0, lambda visit: len(visit.tasks)),
    "main-thread tasks > 200 ms": (0, lambda visit: sum(ms > 200 for ms in visit.tasks)),
}


def report(book: list[list[Visit]], lite: list[list[Visit]]) -> None:
    """Print medians, the moves in the book, and what holds of the limits."""
    columns = [[pair[n] for pair in pairs] for pairs in (book, lite) for n in (0, 1)]
    heads = ("book, cold", "book, warm", "JupyterLite, cold", "JupyterLite, warm")
    print(f"{f'medians of {len(book)}':34}" + "".join(f"{head:>18}" for head in heads))
    for label, (digits, value) in ROWS.items():
        medians = [median(map(value, visits)) for visits in columns]
        print(f"{label:34}" + "".join(f"{number:18,.{digits}f}" for number in medians))
    fastest = [min(visit.live for visit in visits) for visits in columns]
    print(f"{'live, the fastest [s]':34}" + "".join(f"{number:18.2f}" for number in fastest))
    visits = [visit for pair in book for visit in pair]
    slider = sorted(ms for visit in visits for ms in visit.slider)
    text = sorted(ms for visit in visits for ms in visit.text)
    for name, times in (("slider", slider), ("text field", text)):
        tenth = times[len(times) * 9 // 10]
        print(f"book, {name}: an update in {median(times):.1f} ms, nine of ten within {tenth:.1f}")

    def of(name: str, column: int) -> float:
        return median(getattr(visit, name) for visit in columns[column])

    engine = of("engine", 0) / 1e6
    page = of("wire", 0) / 1e3 - engine * 1e3
    worst = max(ms for visit in visits for ms in [0, *visit.starting])
    for name, value, unit, sign, limit in (
        ("live, cold", of("live", 0), "s", "<=", 4),
        ("live, warm", of("live", 1), "s", "<=", 2.5),
        ("update by the slider", median(slider), "ms", "<", 50),
        ("update by the text field", median(text), "ms", "<", 50),
        ("page without engine", page, "kB", "<=", 600),
        ("engine (_static/live)", engine, "MB", "<=", 7),
        ("quicker than JupyterLite, cold", of("answered", 2) / of("answered", 0), "×", ">=", 4),
        ("quicker than JupyterLite, warm", of("answered", 3) / of("answered", 1), "×", ">=", 4),
        ("share of JupyterLite's bytes", of("wire", 0) / of("wire", 2), "", "<=", 1 / 3),
        ("worst task while the engine starts", worst, "ms", "<=", 200),
    ):
        holds = {"<": value < limit, "<=": value <= limit, ">=": value >= limit}[sign]
        words = "holds" if holds else "does not hold"
        print(f"{name:36}{value:10.2f} {unit:3}{sign:>3} {limit:<6.3g}{words}")


def main() -> None:
    """Visit both pages in turn, and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    if CHROMIUM is None:
        sys.exit("There is no Chromium on this machine.")
    if not (BOOK / "_static" / "live").is_dir():
        sys.exit("There is no built book with live forms: `make book` builds it.")
    if not (PYODIDE / CORE[0]).is_file():
        sys.exit("There is no Pyodide in book/browser/node_modules: `make book` fetches it.")
    print(f"{os.cpu_count()} processors, load before the start {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as copies, sync_playwright() as driver:
        book = Page(
            shutil.copytree(BOOK, Path(copies) / "book"),
            "/book/2_bandwidth.html#kv-2-explore-title",
            result=f"{FORM}[data-kv-state=live] .kv-headline",
            slider=f"{FORM} [name=users]",
            text=f"{FORM} [name=payload]",
        )
        lite = Page(
            shutil.copytree(jupyterlite(), Path(copies) / "lite"),
            f"/repl/index.html?kernel=python&toolbar=0&showBanner=0&code={CODE}",
            result=".widget-vbox:has(.noUi-handle) .kv-headline",
            slider=".noUi-handle",
        )
        both = [(book.visits(driver.chromium), lite.visits(driver.chromium)) for _ in range(runs)]
    report(*zip(*both, strict=True))


if __name__ == "__main__":
    main()
