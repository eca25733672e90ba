"""An app as HTML: a form with native, labelled inputs and its result. Pure text, no widgets.

Everything that a reader or a configuration wrote is escaped; pictures are kvlib's own SVG.
"""

import re
from html import escape

from kvlib.apps.app import Amount, App, Control, Result, Select, Slider, Whole, defaults, run
from kvlib.apps.question import Answer
from kvlib.exercises.question import Question

__all__ = ["form", "joined", "result"]

WHERE = "run this chapter in Jupyter, or in Binder (linked at its top)"
REST = f"Shown with its default values. To change them, {WHERE}."
REST_QUESTION = f"To have an answer checked, {WHERE}."
SCRIPT = "With JavaScript, this form is live."
LIMIT = 'maxlength="1000" autocomplete="off"'
UNIT_FOLLOWS = re.compile(
    r"(?<=\d) (?=(?:(?:[kKMGT]i?)?(?:B|b|bit)(?:/s)?|[mµn]?s|min|%|(?:requests|tokens)/s)(?![\w/]))"
)
KEPT = "Shown for the last readable values."


def form(app: App) -> str:
    """Return the app as one HTML form, with the result of its defaults.

    Its controls rest: the fieldset is disabled and its button hidden until a script makes the form
    live.
    """
    name = escape(f"kv-{app.key.replace('.', '-')}")
    fields = "".join(_field(control, name) for control in app.controls)
    question = _question(app)
    if question is None:
        answer, more, rest = joined(result(run(app, defaults(app)).result)), "", REST
        button = '<button type="reset">Back to the defaults</button>'
    else:
        answer, more, rest = "", _help(question), REST_QUESTION
        button = '<button type="submit">Check</button>'
    head = f'<form class="kv-app" id="{name}" data-kv-app="{escape(app.key)}"'
    head += f' aria-labelledby="{name}-title" autocomplete="off">'
    title = f'<legend class="kv-title" id="{name}-title">{escape(app.title)}</legend>'
    note = f'<p class="kv-note"><noscript>{SCRIPT} </noscript>{rest}</p>'
    buttons = f'<p class="kv-buttons" hidden>{button}</p>'
    controls = f'<fieldset class="kv-controls" disabled>{title}{note}{fields}{buttons}</fieldset>'
    return f'{head}{controls}<div class="kv-result">{answer}</div>{more}</form>'


def _question(app: App) -> Question | None:
    first = app.controls[0]
    return first.question if isinstance(first, Answer) else None


def _help(question: Question) -> str:
    """Return what helps without a check: the hints, and what each choice means, folded."""
    folded = [
        (f"Hint {n}", f"<p>{escape(hint)}</p>") for n, hint in enumerate(question.hints, 1) if hint
    ]
    if question.choices:
        items = [
            f"<li><b>{escape(c.text)}</b> {'Right. ' * (c.key == question.answer)}"
            f"{escape(c.reason)}</li>"
            for c in question.choices
        ]
        folded.append(("What each answer means", f"<ul>{''.join(items)}</ul>"))
    return "".join(
        f'<details class="kv-help"><summary>{summary}</summary>{body}</details>'
        for summary, body in folded
    )


def _field(control: Control | Answer, prefix: str) -> str:
    key, label = f"{prefix}-{escape(control.key)}", escape(control.label)
    name = f'name="{escape(control.key)}"'
    error = f'<span class="kv-error" id="{key}-error" aria-live="polite"></span>'
    if isinstance(control, Answer) and control.question.choices:
        boxes = "".join(
            f'<label><input type="radio" {name} value="{escape(c.key)}"> {escape(c.text)}</label>'
            for c in control.question.choices
        )
        head = f'<fieldset class="kv-choices kv-field" aria-describedby="{key}-error">'
        return f"{head}<legend>{label}</legend>{boxes}{error}</fieldset>"
    described = f'id="{key}" {name} aria-describedby="{key}-error"'
    match control:
        case Select():
            options = "".join(
                f'<option value="{escape(k)}"{" selected" if k == control.default else ""}>'
                f"{escape(text)}</option>"
                for k, text in control.options
            )
            box = f"<select {described}>{options}</select>"
        case Slider():
            ends = f'min="{control.minimum}" max="{control.maximum}" step="1"'
            box = f'<input type="range" {described} {ends} value="{control.default}">'
            box += f'<output for="{key}" aria-live="off">{control.default}</output>'
        case Whole():  # text, so that 8,192 can be typed
            box = f'<input type="text" inputmode="numeric" {described} {LIMIT}'
            box += f' value="{control.default:,}">'
        case Amount() | Answer():
            value = escape(control.default)
            box = f'<input type="text" {described} {LIMIT} value="{value}">'
    if getattr(control, "unit", ""):
        label += f' <span class="kv-unit">[{escape(control.unit)}]</span>'
    return f'<div class="kv-field"><label for="{key}">{label}</label>{box}{error}</div>'


def result(answer: Result, *, kept: bool = False) -> str:
    """Return a result as HTML: the headline, its sentences, its numbers, its picture.

    `kept` is for the last good one while a control cannot be read: it says so, and greys.
    """
    parts = [f'<p class="kv-headline kv-{escape(answer.state)}">{escape(answer.headline)}</p>']
    parts += [f"<p>{escape(sentence)}</p>" for sentence in answer.sentences]
    if answer.numbers:
        rows = "".join(
            f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
            for label, value in answer.numbers
        )
        parts.append(f'<dl class="kv-numbers">{rows}</dl>')
    if answer.picture:
        parts.append(f'<div class="kv-picture">{answer.picture}</div>')
    whole = "".join(parts)
    return f'<p class="kv-kept">{KEPT}</p><div class="kv-stale">{whole}</div>' if kept else whole


def joined(text: str) -> str:
    """Return a text or a result with no line break between a number and its unit."""
    return UNIT_FOLLOWS.sub("\u00a0", text)
