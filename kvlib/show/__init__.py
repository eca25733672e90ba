"""Show an app: as widgets in Jupyter, as a complete HTML form in the built book.

The build sets `KVLIB_STATIC=1`. The form holds the default result, so it reads without JavaScript,
in print and aloud; `data-kv-app` names the app for whoever makes the form live.
"""

import ast
import inspect
import os
import textwrap
from collections.abc import Mapping
from typing import Any

from kvlib import _check, apps
from kvlib.apps.question import as_app
from kvlib.exercises import find
from kvlib.show import html

__all__ = ["Source", "ask", "show", "source"]


class Form:
    """An app in the built book; displays as HTML."""

    def __init__(self, app: apps.App) -> None:
        self.app = app

    def _repr_html_(self) -> str:
        return html.form(self.app)

    def __repr__(self) -> str:
        return f"<kvlib app {self.app.key}: {self.app.title}>"


def show(key: str, typed: Mapping[str, str] | None = None) -> Any:
    """Return the app called `key` as something that displays: widgets, or a form in the book.

    `typed` (control key to text) is what the widgets begin with; what it lacks is as the app has
    it. Raises ValueError for the unknown key of an app or a control, TypeError for what is no text.
    """
    app = apps.find(key)
    known = {control.key for control in app.controls}
    for name, text in (typed or {}).items():
        _check.one_of("show", "typed", name, known)
        _check.kind("show", name, text, str, "text")
    return _view(app, typed or {})


def ask(key: str) -> Any:
    """Return the question called `key` as something that displays.

    Raises ValueError for an unknown key.
    """
    return _view(as_app(find(key)), {})


def _view(app: apps.App, typed: Mapping[str, str]) -> Any:
    if os.environ.get("KVLIB_STATIC"):
        return Form(app)
    from kvlib.show import widgets

    return widgets.view(app, typed)


class Source:
    """Code of kvlib, shown as code in the book and in Jupyter."""

    def __init__(self, code: str) -> None:
        self.code = code

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.code}```"

    def __repr__(self) -> str:
        return self.code


def source(*things: Any) -> Source:
    """Return the code of functions or classes as it stands in kvlib, for display.

    Docstrings are left out: the prose beside the code says what they say. Raises TypeError for
    anything that has no source.
    """
    return Source("\n\n".join(_code(thing) for thing in things))


def _code(thing: Any) -> str:
    """Return the source of `thing` line by line, without its docstring."""
    lines = textwrap.dedent(inspect.getsource(thing)).splitlines()
    body = ast.parse("\n".join(lines)).body[0].body
    if ast.get_docstring(ast.parse("\n".join(lines)).body[0]) is not None:
        del lines[body[0].lineno - 1 : body[0].end_lineno]
    return "\n".join(lines) + "\n"
