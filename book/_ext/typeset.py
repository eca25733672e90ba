"""Typeset formulas while the book is built, with KaTeX under Node.

The pages then read without JavaScript, aloud (each formula carries MathML)
and in print. They load a style sheet and two or three fonts, 60 kB, where
MathJax would load 340 kB of script and fonts.
"""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from docutils.nodes import SkipNode
from nodejs import MODULES, node_for
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.util.osutil import ensuredir

HERE = Path(__file__).parent
KATEX = MODULES / "katex/dist"


@cache
def typesetter():
    """Return a running Node: this machine's, else the environment's."""
    return subprocess.Popen(
        [node_for("katex"), HERE / "typeset.mjs"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ,
    )


@cache
def typeset(tex, display):
    """Return {"html": ...} or {"error": ...} for one formula."""
    process = typesetter()
    question = json.dumps({"tex": tex, "displayMode": display})
    print(question, file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())


def html(node, display):
    """Return a formula's HTML; warn of what KaTeX refuses, and where."""
    answer = typeset(node.astext(), display)
    if "error" in answer:
        logging.getLogger(__name__).warning(answer["error"], location=node)
    return answer.get("html", "")


def visit_inline(translator, node):
    """Write a formula into its line."""
    translator.body.append(html(node, display=False))
    raise SkipNode


def visit_display(translator, node):
    """Write a formula on its own line, with its number if it has one."""
    body = translator.body
    body.append(translator.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        body.append("</span>")
    body.append(html(node, display=True) + "</div>\n")
    raise SkipNode


def finish(app, exception):
    """Copy KaTeX's style sheet and fonts; end Node if it was started."""
    if typesetter.cache_info().currsize:
        typesetter().communicate()
        typesetter.cache_clear()
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static/katex")
    ensuredir(target / "fonts")
    shutil.copy(KATEX / "katex.min.css", target)
    shutil.copy(KATEX.parent / "LICENSE", target)
    for font in KATEX.glob("fonts/*.woff2"):
        shutil.copy(font, target / "fonts")


def setup(app):
    """Become Sphinx's renderer for formulas."""
    app.add_html_math_renderer(
        "katex",
        inline_renderers=(visit_inline, None),
        block_renderers=(visit_display, None),
    )
    app.add_css_file("katex/katex.min.css")
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
