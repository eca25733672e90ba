"""A built book on a local port, and visits to its pages in the system's Chromium."""

import functools
import gzip
import http.server
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

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


@pytest.fixture(scope="session")
def address():
    """Where the built book is served: http://127.0.0.1:PORT."""
    assert SITE.is_dir(), "there is no built book to visit: run `make book`"
    handler = functools.partial(Quiet, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@dataclass(kw_only=True)
class Visit:
    """A page that has been opened, and what happened on the way."""

    page: object
    outside: list[str] = field(default_factory=list)  # addresses asked for beyond this machine
    complaints: list[str] = field(default_factory=list)  # console warnings and errors
    responses: list = field(default_factory=list)

    def weights(self):
        """Return bytes on the wire for each address, as a host that compresses sends them."""
        weights = {}
        for response in self.responses:
            if response.ok:
                body = response.body()
                weights[response.url] = min(len(body), len(gzip.compress(body)))
        return weights


STILL = "* { transition: none !important; animation: none !important }"


@pytest.fixture
def visit(chromium, address):
    """Return a function that opens a page of the book: visit(path, width=..., scheme=...)."""
    contexts = []

    def open_page(path, *, width=1280, scheme="light", javascript=True):
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        page = context.new_page()
        seen = Visit(page=page)

        def note(request):
            if not request.url.startswith((address, "data:", "blob:")):
                seen.outside.append(request.url)

        def listen(message):
            if message.type in ("error", "warning"):
                seen.complaints.append(f"{message.type}: {message.text}")

        page.on("request", note)
        page.on("console", listen)
        page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
        page.on("response", lambda response: seen.responses.append(response))
        page.goto(f"{address}/{path}", wait_until="load")
        if javascript:
            page.add_style_tag(content=STILL)
            page.evaluate("document.fonts.ready.then(() => true)")
        return seen

    yield open_page
    for context in contexts:
        context.close()
