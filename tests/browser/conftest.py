"""A built book on a local port, and visits to its pages in the system's Chromium."""

import contextlib
import functools
import gzip
import http.server
import re
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin

import pytest

from .built import SITE

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
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing beyond this machine
]


def pytest_collection_modifyitems(items):
    """Everything below this folder drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """Chromium as Debian ships it, without a profile."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files without a line of log for each."""

    def log_message(self, *args):
        """Say nothing."""


@contextlib.contextmanager
def serve(handler):
    """Answer requests to a free local port; yields http://127.0.0.1:PORT."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def address():
    """Where the built book is served."""
    assert SITE.is_dir(), "there is no built book to visit: run `make book`"
    with serve(functools.partial(Quiet, directory=SITE)) as found:
        yield found


@dataclass(kw_only=True)
class Visit:
    """A page that has been opened, and what happened on the way."""

    page: object
    outside: list[str] = field(default_factory=list)  # addresses asked for beyond this machine
    complaints: list[str] = field(default_factory=list)  # console warnings and errors
    requests: list = field(default_factory=list)
    responses: list = field(default_factory=list)
    workers: list = field(default_factory=list)  # every one ever started

    def weights(self):
        """Return bytes on the wire for each address, as a host that compresses sends them.

        Python's own files are left out: they come after the page.
        """
        weights = {}
        for response in self.responses:
            if response.ok and not ENGINE.search(response.url):
                body = response.body()
                weights[response.url] = min(len(body), len(gzip.compress(body)))
        return weights


ENGINE = re.compile(r"/_static/live/python-|/kvlib\.zip$|^blob:")
STILL = "* { transition: none !important; animation: none !important }"


@contextlib.contextmanager
def visits(chromium, address):
    """Yield a function that opens a page of the book, each in a browser without memory.

    Its `path` may also be a whole address; `prepare` is called with the page before it opens.
    """
    contexts = []

    def open_page(path, *, width=1280, scheme="light", javascript=True, prepare=None):
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        page = context.new_page()
        seen = Visit(page=page)
        url = urljoin(f"{address}/", path)
        home = (urljoin(url, "/"), "data:", "blob:")

        def note(request):
            seen.requests.append(request)
            if not request.url.startswith(home):
                seen.outside.append(request.url)

        def listen(message):
            if message.type in ("error", "warning"):
                seen.complaints.append(f"{message.type}: {message.text}")

        page.on("request", note)
        page.on("console", listen)
        page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
        page.on("response", lambda response: seen.responses.append(response))
        page.on("worker", lambda worker: seen.workers.append(worker))
        if prepare:
            prepare(page)
        page.goto(url, wait_until="load")
        if javascript:
            page.add_style_tag(content=STILL)
            page.evaluate("document.fonts.ready.then(() => true)")
        return seen

    try:
        yield open_page
    finally:
        for context in contexts:
            context.close()


@pytest.fixture
def visit(chromium, address):
    """Return a function that opens a page of the book: visit(path, width=..., scheme=...)."""
    with visits(chromium, address) as open_page:
        yield open_page
