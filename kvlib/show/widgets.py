"""An app as Jupyter widgets: the only import of ipywidgets.

Results go to an `HTML` widget. A control that cannot be read keeps the last good result on screen
and says beside itself what is wrong.
"""

from html import escape
from typing import Any

import ipywidgets

from kvlib.apps.app import App, Result, Select, Slider, Whole, defaults, run
from kvlib.apps.question import Answer
from kvlib.exercises.question import Question
from kvlib.show import html

__all__ = ["AppView", "QuestionView", "view"]

LABEL = {"description_width": "initial"}
ALIGNED = 16  # em: the width of an explorer's labels, more where one needs more
WIDE = {"width": "auto", "max_width": "40em"}
MARKS = {"right": "#1a7f37", "slip": "#9a6700", "wrong": "#b42318", "unreadable": "#b42318"}
STYLE = (
    "<style>.kv-numbers div{display:flex;gap:1em}"
    ".kv-numbers dt{min-width:18em;font-weight:normal}.kv-numbers dd{margin:0;font-weight:600}"
    ".kv-headline{font-weight:600}.kv-picture{margin-top:1em}"
    ".kv-picture svg{max-width:30em;width:100%}.kv-stale{opacity:.75;filter:grayscale(1)}"
    ".kv-error{color:#b42318}[data-jp-theme-light=false] .kv-error{color:#ff9b8f}"
    + "".join(
        f".kv-headline.kv-{state}{{border-left:.3em solid {colour};padding-left:.6em}}"
        for state, colour in MARKS.items()
    )
    + "</style>"
)


def view(app: App) -> "AppView | QuestionView":
    """Return the app as a widget: a question with its buttons, or live controls."""
    if isinstance(app.controls[0], Answer):
        return QuestionView(app, app.controls[0].question)
    return AppView(app)


def _style() -> ipywidgets.HTML:
    """Return the style sheet as a widget that takes no room."""
    return ipywidgets.HTML(STYLE, layout={"display": "none"})


def _label(control: Any) -> str:
    unit = getattr(control, "unit", "")
    return f"{control.label} [{unit}]" if unit else control.label


def _box(control: Any, wide: int) -> ipywidgets.Widget:
    """Return the input widget of one control, its label `wide` em."""
    style = {"description_width": f"{wide}em"}
    shared = {"description": _label(control), "style": style, "layout": WIDE}
    match control:
        case Select():
            options = [(text, key) for key, text in control.options]
            return ipywidgets.Dropdown(options=options, value=control.default, **shared)
        case Slider():
            low, high = control.minimum, control.maximum
            return ipywidgets.IntSlider(value=control.default, min=low, max=high, **shared)
        case Whole():
            return ipywidgets.Text(value=f"{control.default:,}", **shared)
        case _:
            return ipywidgets.Text(value=control.default, **shared)


class AppView(ipywidgets.VBox):
    """Controls over a result that follows them. `boxes` holds the inputs by key."""

    def __init__(self, app: App) -> None:
        self.app = app
        wide = max(ALIGNED, *(len(_label(control)) // 2 + 1 for control in app.controls))
        self.boxes = {control.key: _box(control, wide) for control in app.controls}
        self.errors = {key: ipywidgets.HTML() for key in self.boxes}
        self.result = ipywidgets.HTML()
        rows = [w for key in self.boxes for w in (self.boxes[key], self.errors[key])]
        self._last: Result | None = None
        super().__init__([_style(), *rows, self.result])
        for box in self.boxes.values():
            box.observe(self._update, "value")
        self._update()

    def _update(self, _change: object = None) -> None:
        outcome = run(self.app, {key: str(box.value) for key, box in self.boxes.items()})
        for key, error in self.errors.items():
            text = escape(outcome.errors.get(key, ""))
            error.value = f'<span class="kv-error" role="alert">{text}</span>' if text else ""
        self._last = outcome.result or self._last
        if self._last is not None:
            self.result.value = html.result(self._last, kept=outcome.result is None)


class QuestionView(ipywidgets.VBox):
    """A question's input, Check, Hint and feedback. `box.value` and `check.click()` drive it.

    A typed answer arrives, and is checked, with Enter or when the field is left.
    """

    def __init__(self, app: App, question: Question) -> None:
        self.app = app
        self.question = question
        control = app.controls[0]
        if question.choices:
            self.box = ipywidgets.RadioButtons(
                options=[(c.text, c.key) for c in question.choices],
                value=None,
                description=control.label,
                style=LABEL,
                layout={"width": "auto"},
            )
        else:
            self.box = ipywidgets.Text(
                value=defaults(app)["answer"],
                description=f"{question.key} {control.label[0].lower()}{control.label[1:]}",
                style=LABEL,
                layout=WIDE,
                continuous_update=False,
            )
            self.box.observe(self._checked, "value")
        self.check = ipywidgets.Button(description="Check")
        self.check.on_click(self._checked)
        buttons = [self.check]
        self._hints = [hint for hint in question.hints if hint]
        self._hints_shown = 0
        self.hint = ipywidgets.Button(description="Hint")
        self.hint.on_click(self._hinted)
        if self._hints:
            buttons.append(self.hint)
        self.feedback = ipywidgets.HTML()
        super().__init__([_style(), self.box, ipywidgets.HBox(buttons), self.feedback])

    def _checked(self, _cause: object = None) -> None:
        verdict = run(self.app, {"answer": self.box.value or ""}).result
        if self._hints and self._hints[0] in verdict.headline:
            self._hints_shown = max(self._hints_shown, 1)
        self.feedback.value = f'<div role="status">{html.result(verdict)}</div>'

    def _hinted(self, _button: object) -> None:
        """Show one hint more, below those that were shown: a verdict may have been overwritten."""
        self._hints_shown = min(self._hints_shown + 1, len(self._hints))
        words = "".join(
            f"<p><b>Hint {n}.</b> {escape(hint)}</p>"
            for n, hint in enumerate(self._hints[: self._hints_shown], 1)
        )
        self.feedback.value = f'<div role="status">{words}</div>'
