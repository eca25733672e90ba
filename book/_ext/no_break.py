"""Keep a number and its unit on one line: no break between them."""

import re

from docutils import nodes

UNIT = (
    r"(?:[kKMGT]i?)?(?:B|b|bit)(?:/s)?|[mµn]?s|min|%|(?:requests|tokens)/s"
)
SPACE = re.compile(rf"(?<=\d) (?=(?:{UNIT})(?![\w/]))")
CODE = (nodes.literal, nodes.literal_block, nodes.math, nodes.raw)


def join(app, doctree, docname):
    """Join them in running text; code and formulas stay as they are."""
    for text in list(doctree.findall(nodes.Text)):
        joined = SPACE.sub("\u00a0", text)
        if joined != text and not isinstance(text.parent, CODE):
            text.parent.replace(text, nodes.Text(joined))


def setup(app):
    """Run on every page before it is written."""
    app.connect("doctree-resolved", join)
    return {"parallel_read_safe": True}
