"""Milliseconds from a change on the workbench to its answer, in the published page and JupyterLab.

Run `python benchmarks/workbench.py [CHANGES]` after `make book` and `make browser-test`, which
bring Chromium's driver and JupyterLab. Prints median and nine of ten for each control that is
changed, beside the limit; the figures are those of a page that shows what was asked for. A busy
machine doubles them.
"""

import functools
import http.server
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "_build" / "html"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIMIT = 100  # milliseconds
CHANGED = {  # what is changed: texts in turn, and what the headline or the queue then says
    "arrivals": ("Arrivals", ("1.50 requests/s", "2.50 requests/s"), "The queue at {}"),
    "prefill rate": ("Rate of a prefill worker", ("7,000", "9,000"), "first, at {}"),
}
SAYS = {"7,000": "2.56", "9,000": "3.30"}
CHANGE = """async ([label, text, said]) => {
  const named = [...document.querySelectorAll("label")].find(l => l.textContent.startsWith(label));
  const box = document.getElementById(named.htmlFor)
    ?? named.closest(".widget-text").querySelector("input");
  const out = box.closest("form, .jp-OutputArea-output");
  const start = performance.now();
  box.value = text;
  for (const name of ["input", "change"]) box.dispatchEvent(new Event(name, {bubbles: true}));
  while (!out.textContent.replaceAll("\\u00a0", " ").includes(said)) {
    await new Promise(next => setTimeout(next, 1));
  }
  return performance.now() - start;
}"""


class Files(http.server.SimpleHTTPRequestHandler):
    """The built book, without a line of log for each file."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def published() -> Iterator[str]:
    """Serve the built book; give the chapter's address."""
    files = functools.partial(Files, directory=BOOK)
    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), files)
    threading.Thread(target=host.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{host.server_port}/book/8_workbench.html"
    host.shutdown()


@contextmanager
def jupyterlab() -> Iterator[str]:
    """Serve a copy of the chapters in JupyterLab; give the notebook's address."""
    with socket.socket() as probe, tempfile.TemporaryDirectory() as place:
        probe.bind(("127.0.0.1", 0))
        port, token = probe.getsockname()[1], secrets.token_hex()
        probe.close()
        shutil.copy(ROOT / "book" / "8_workbench.ipynb", place)
        options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
        options += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={place}"]
        options += ["--LabApp.expose_app_in_browser=True"]
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(240):
                with suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={token}")
                    break
                time.sleep(0.25)
            yield f"http://127.0.0.1:{port}/lab/tree/8_workbench.ipynb?token={token}&reset"
        finally:
            server.terminate()
            server.wait(timeout=30)


def run_all(page: Page) -> None:
    """Run the notebook from top to bottom."""
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_function(
        "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    )
    page.locator(".jp-Notebook").click(position={"x": 5, "y": 5})
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def measure(page: Page, changes: int) -> dict[str, list[float]]:
    """Return the milliseconds of each change of each control."""
    page.get_by_text("The queue at 2.00").first.wait_for(timeout=120_000)
    page.wait_for_timeout(3_000)  # until the browser rests
    taken = {}
    for name, (label, texts, says) in CHANGED.items():
        times = taken.setdefault(name, [])
        for n in range(changes):
            text = texts[n % len(texts)]
            said = says.format(SAYS.get(text, text))
            times.append(page.evaluate(CHANGE, [label, text, said]))
    return taken


def main() -> None:
    """Print one line for each place and control."""
    changes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"{os.cpu_count()} processors, load before the start {os.getloadavg()[0]:.1f}")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for place, served in (("published page", published), ("JupyterLab", jupyterlab)):
            with served() as address:
                page = browser.new_page(viewport={"width": 1280, "height": 1000})
                page.set_default_timeout(120_000)
                page.goto(address)
                if served is jupyterlab:
                    run_all(page)
                else:
                    page.locator("form#kv-8-workbench").scroll_into_view_if_needed()
                    page.wait_for_selector("form#kv-8-workbench[data-kv-state=live]")
                for name, times in measure(page, changes).items():
                    middle, tenth = median(times), sorted(times)[len(times) * 9 // 10]
                    holds = "holds" if middle < LIMIT else "does not hold"
                    print(f"{place:16}{name:14}median {middle:6.1f} ms, nine of ten within "
                          f"{tenth:6.1f}   limit {LIMIT}: {holds}")  # fmt: skip
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
