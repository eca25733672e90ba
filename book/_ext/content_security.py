"""A content security policy in every page: nothing comes from outside.

The inline scripts and handlers of the page, the theme's, are allowed by
their digest. A live page makes its worker itself, so the worker inherits
the policy.
"""

import base64
import hashlib
from html import escape
from html.parser import HTMLParser
from pathlib import Path

CHARSET = '<meta charset="utf-8" />'
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",  # formulas are set by style=""
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "base-uri": "'none'",
    "form-action": "'self'",  # the search
}


class Inline(HTMLParser):
    """Collects the scripts and the event handlers written into a page."""

    def __init__(self, page):
        """Read the whole page."""
        super().__init__()
        self.scripts, self.handlers, self.within = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Note handlers, and whether a script's text follows."""
        self.within = tag == "script" and "src" not in dict(attrs)
        self.handlers += [v for k, v in attrs if k.startswith("on")]

    def handle_data(self, data):
        """Keep the text of a script."""
        if self.within:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        """Leave the script."""
        self.within = False


def policy(page, handlers=()):
    """Return the policy that lets this page run as it is.

    `handlers` are other pages': the search reads those into its own.
    """
    inline = Inline(page)
    handlers = [*inline.handlers, *handlers]
    extra = ["'wasm-unsafe-eval'"] if "data-kv-app" in page else []
    extra += ["'unsafe-hashes'"] if handlers else []
    for text in dict.fromkeys([*inline.scripts, *handlers]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest())
        extra.append(f"'sha256-{digest.decode()}'")
    scripts = " ".join([POLICY["script-src"], *extra])
    rules = POLICY | {"script-src": scripts}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def write(app, exception):
    """Put the policy at the head of every page."""
    if exception or app.builder.format != "html":
        return
    paths = sorted(Path(app.outdir).rglob("*.html"))
    pages = {path: path.read_text("utf-8") for path in paths}
    handlers = sorted(
        {h for p in pages.values() for h in Inline(p).handlers}
    )
    meta = '<meta http-equiv="Content-Security-Policy" content="{}" />'
    for path, page in pages.items():
        if page.count(CHARSET) == 1:
            rules = meta.format(escape(policy(page, handlers)))
            head = f"{CHARSET}\n    {rules}"
            path.write_text(page.replace(CHARSET, head), "utf-8")


def setup(app):
    """Run when every page is written."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
