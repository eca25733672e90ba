"""An app as Jupyter widgets: the only import of ipywidgets and its traitlets.

Results go to an `HTML` widget. A control that cannot be read keeps the last good result on screen
and says beside itself what is wrong.
"""

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import ipywidgets
import traitlets

from kvlib.apps.app import App, Result, defaults, run
from kvlib.apps.controls import Kept, Select, Slider, Text, Whole
from kvlib.apps.question import Answer
from kvlib.exercises.question import Question
from kvlib.show import html
from kvlib.show.html import KEEPING

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


def view(app: App, typed: Mapping[str, str]) -> "AppView | QuestionView":
    """Return the app as a widget: a question with its buttons, or live controls as `typed`."""
    if isinstance(app.controls[0], Answer):
        return QuestionView(app, app.controls[0].question)
    return AppView(app, typed)


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
        case Text():
            return ipywidgets.Textarea(value=control.default, rows=4, **shared)
        case _:
            return ipywidgets.Text(value=control.default, **shared)


class KeptView(ipywidgets.HBox):
    """Buttons that keep what the `boxes` hold as the other set-up; its texts are `value`, as JSON.

    `apply` takes control key to text into the boxes.
    """

    value = traitlets.Unicode()

    def __init__(self, typed: Callable[[], dict], apply: Callable[[dict], None]) -> None:
        self._typed, self._apply = typed, apply
        self.buttons = {do: ipywidgets.Button(description=text) for do, text in KEEPING.items()}
        super().__init__(list(self.buttons.values()))
        for do, button in self.buttons.items():
            button.on_click(getattr(self, f"_{do}"))

    def _keep(self, _button: object) -> None:
        self.value = json.dumps(self._typed())

    def _swap(self, button: object) -> None:
        if self.value:
            other = json.loads(self.value)
            self._keep(button)
            self._apply(other)

    def _forget(self, _button: object) -> None:
        self.value = ""


class AppView(ipywidgets.VBox):
    """Controls over a result that follows them. `boxes` holds the inputs by key.

    `typed` is what to begin with, control key to text; what it lacks is as the app has it.
    """

    def __init__(self, app: App, typed: Mapping[str, str]) -> None:
        self.app = app
        wide = max(ALIGNED, *(len(_label(control)) // 2 + 1 for control in app.controls))
        self.boxes = {
            control.key: KeptView(self._others, self._apply)
            if isinstance(control, Kept)
            else _box(control, wide)
            for control in app.controls
        }
        self.errors = {key: ipywidgets.HTML() for key in self.boxes}
        self.result = ipywidgets.HTML()
        self._last: Result | None = None
        self._quiet = False  # while several boxes change as one
        super().__init__([_style(), *self._rows(), self.result])
        self._apply(typed)
        for box in self.boxes.values():
            box.observe(self._update, "value")
        self._update()

    def _rows(self) -> list[ipywidgets.Widget]:
        """Return the boxes with their errors, group by group."""
        rows: list[ipywidgets.Widget] = []
        for group, controls in self.app.grouped():
            own = [w for c in controls for w in (self.boxes[c.key], self.errors[c.key])]
            if group is None:
                rows += own
                continue
            fold = ipywidgets.Accordion([ipywidgets.VBox(own)], titles=[group.title])
            fold.selected_index = None if group.folded else 0
            rows.append(fold)
        return rows

    def _others(self) -> dict[str, str]:
        """Return what is typed, the kept set-up left out."""
        kept = {c.key for c in self.app.controls if isinstance(c, Kept)}
        return {key: str(box.value) for key, box in self.boxes.items() if key not in kept}

    def _apply(self, typed: Mapping[str, str]) -> None:
        """Put texts into the boxes, all of them before the result follows."""
        self._quiet = True
        for control in self.app.controls:
            if control.key in typed:
                number = isinstance(control, Slider)
                text = typed[control.key]
                self.boxes[control.key].value = int(text) if number else text
        self._quiet = False
        self._update()

    def _update(self, _change: object = None) -> None:
        if self._quiet:
            return
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
