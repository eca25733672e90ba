"""An app as Jupyter widgets: the only import of ipywidgets.

Results go to an `HTML` widget. A control that cannot be read keeps the last good result on screen
and says beside itself what is wrong.
"""

from html import escape
from typing import Any

import ipywidgets

from kvlib.apps.app import App, Select, Slider, Whole, defaults, run
from kvlib.apps.question import Answer
from kvlib.exercises.question import Question
from kvlib.show import html

__all__ = ["AppView", "QuestionView", "view"]

LABEL = {"description_width": "initial"}
WIDE = {"width": "auto", "max_width": "34em"}
STYLE = (
    "<style>.kv-numbers div{display:flex;gap:1em}.kv-numbers dt{min-width:14em}"
    ".kv-numbers dd{margin:0;font-weight:600}.kv-headline{font-weight:600}"
    ".kv-picture svg{max-width:30em;width:100%}</style>"
)


def view(app: App) -> "AppView | QuestionView":
    """Return the app as a widget: a question with its buttons, or live controls."""
    if isinstance(app.controls[0], Answer):
        return QuestionView(app, app.controls[0].question)
    return AppView(app)


def _box(control: Any) -> ipywidgets.Widget:
    """Return the input widget of one control."""
    unit = f" [{control.unit}]" if getattr(control, "unit", "") else ""
    shared = {"description": control.label + unit, "style": LABEL, "layout": WIDE}
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
        self.boxes = {control.key: _box(control) for control in app.controls}
        self.errors = {key: ipywidgets.HTML() for key in self.boxes}
        self.result = ipywidgets.HTML()
        rows = [w for key in self.boxes for w in (self.boxes[key], self.errors[key])]
        super().__init__([*rows, self.result])
        for box in self.boxes.values():
            box.observe(self._update, "value")
        self._update()

    def _update(self, _change: object = None) -> None:
        outcome = run(self.app, {key: str(box.value) for key, box in self.boxes.items()})
        for key, error in self.errors.items():
            text = escape(outcome.errors.get(key, ""))
            error.value = f'<span role="alert">{text}</span>' if text else ""
        if outcome.result is not None:
            self.result.value = STYLE + html.result(outcome.result)


class QuestionView(ipywidgets.VBox):
    """A question's input, Check, Hint and feedback. `box.value` and `check.click()` drive it."""

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
            )
            self.box.on_msg(self._submitted)
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
        super().__init__([self.box, ipywidgets.HBox(buttons), self.feedback])

    def _submitted(self, _widget: object, content: dict, _buffers: object) -> None:
        if content.get("event") == "submit":
            self._checked()

    def _checked(self, _button: object = None) -> None:
        outcome = run(self.app, {"answer": self.box.value or ""})
        self.feedback.value = f'<div role="status">{html.result(outcome.result)}</div>'

    def _hinted(self, _button: object = None) -> None:
        n = min(self._hints_shown, len(self._hints) - 1)
        self._hints_shown += 1
        words = escape(self._hints[n])
        self.feedback.value = f'<div role="status"><p><b>Hint {n + 1}.</b> {words}</p></div>'
