"""An app as HTML: a form with native, labelled inputs and its result. Pure text, no widgets.

Everything that a reader or a configuration wrote is escaped; pictures are kvlib's own SVG.
"""

import re
from html import escape

from kvlib.apps.app import App, Group, Part, Result, defaults, run
from kvlib.apps.controls import Amount, Control, Kept, Select, Slider, Text, Whole
from kvlib.apps.question import Answer
from kvlib.exercises.question import Question

__all__ = ["form", "joined", "result"]

WHERE = "run this chapter in Jupyter, or in Binder (linked at its top)"
REST = f"Shown with its default values. To change them, {WHERE}."
REST_QUESTION = f"To have an answer checked, {WHERE}."
SCRIPT = "With JavaScript, this form is live."
LIMIT = 'maxlength="1000" autocomplete="off"'
UNIT_FOLLOWS = re.compile(
    r"<textarea.*?</textarea>"  # text to take away stays as it is
    r"|(?<=\d) (?=(?:(?:[kKMGT]i?)?(?:B|b|bit)(?:/s)?|[mµn]?s|min|%|(?:requests|tokens)/s)"
    r"(?![\w/]))",
    re.DOTALL,
)
KEEPING = {"keep": "Keep this one", "swap": "Swap the two", "forget": "Forget the kept one"}
KEPT = "Shown for the last readable values."


def form(app: App) -> str:
    """Return the app as one HTML form, with the result of its defaults.

    Its controls rest: the fieldset is disabled and its button hidden until a script makes the form
    live.
    """
    name = escape(f"kv-{app.key.replace('.', '-')}")
    fields = "".join(_group(group, controls, name) for group, controls in app.grouped())
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


def _group(group: Group | None, controls: list[Control], name: str) -> str:
    """Return the fields of some controls, under the title of their group."""
    fields = "".join(_field(control, name) for control in controls)
    if group is None:
        return fields
    head = f'<details class="kv-group"{"" if group.folded else " open"}>'
    return f"{head}<summary>{escape(group.title)}</summary><div>{fields}</div></details>"


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
        case Text():
            size = f'rows="4" maxlength="{control.limit}" autocomplete="off" spellcheck="false"'
            box = f"<textarea {described} {size}></textarea>"
        case Kept():
            buttons = "".join(
                f'<button type="button" data-kv-do="{do}">{text}</button>'
                for do, text in KEEPING.items()
            )
            head = f'<div class="kv-field kv-keeping" role="group" aria-label="{label}">'
            box = f'<textarea {described} hidden></textarea><p class="kv-buttons">{buttons}</p>'
            return f"{head}{box}{error}</div>"
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
    head = f'<p class="kv-headline kv-{escape(answer.state)}">{escape(answer.headline)}</p>'
    whole = head + _body(answer)
    whole += "".join(_part(part) for part in answer.parts)
    whole += "".join(
        f'<details class="kv-copy"><summary>{escape(name)}</summary><textarea readonly rows="8"'
        f' aria-label="{escape(name)}">{escape(text)}</textarea></details>'
        for name, text in answer.copies
    )
    return f'<p class="kv-kept">{KEPT}</p><div class="kv-stale">{whole}</div>' if kept else whole


def _part(part: Part) -> str:
    """Return a section of a long result."""
    title = escape(part.title)
    body = f"{_table(part.table)}{_body(part)}{_list(part.items)}"
    if part.folded:
        head = f'<summary class="kv-part-title">{title}</summary>'
        return f'<details class="kv-part">{head}{body}</details>'
    head = f'<p class="kv-part-title">{title}</p>'
    return f'<section class="kv-part" aria-label="{title}">{head}{body}</section>'


def _body(part: Result | Part) -> str:
    """Return the sentences, the numbers and the picture."""
    body = "".join(f"<p>{escape(sentence)}</p>" for sentence in part.sentences)
    if part.numbers:
        rows = "".join(
            f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
            for label, value in part.numbers
        )
        body += f'<dl class="kv-numbers">{rows}</dl>'
    return body + (f'<div class="kv-picture">{part.picture}</div>' if part.picture else "")


def _list(items: tuple[str, ...]) -> str:
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<ul>{lines}</ul>" if items else ""


def _table(rows: tuple[tuple[str, ...], ...]) -> str:
    """Return a table whose first row and first column are heads; nothing without rows."""
    if not rows:
        return ""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in rows[0])
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for first, *cells in rows[1:]
    )
    return f'<table class="kv-table"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>'


def joined(text: str) -> str:
    """Return a text or a result with no line break between a number and its unit."""
    return UNIT_FOLLOWS.sub(lambda found: found[0] if len(found[0]) > 1 else "\u00a0", text)
