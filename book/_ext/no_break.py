"""Keep a number and its unit on one line: no break between them."""

from docutils import nodes
from kvlib.show.html import joined

CODE = (nodes.literal, nodes.literal_block, nodes.math, nodes.raw)


def join(app, doctree, docname):
    """Join them in running text; code and formulas stay as they are."""
    for text in list(doctree.findall(nodes.Text)):
        words = joined(text)
        if words != text and not isinstance(text.parent, CODE):
            text.parent.replace(text, nodes.Text(words))


def setup(app):
    """Run on every page before it is written."""
    app.connect("doctree-resolved", join)
    return {"parallel_read_safe": True}
