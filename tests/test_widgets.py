"""Apps as widgets and as forms: driven by `.value` and `.click()`, read back as text."""

from html import escape
from html.parser import HTMLParser

import pytest

from kvlib.apps import APPS, defaults, find, run
from kvlib.apps.app import App, Result, Select, Slider, Whole
from kvlib.exercises import QUESTIONS, rehearsal
from kvlib.show import Form, ask, html, show, source
from kvlib.show.widgets import AppView, QuestionView

EXPLORERS = [key for key in APPS if key not in QUESTIONS]
VOID = {"input", "img", "br", "line", "rect", "circle", "path", "polyline"}


class Tree(HTMLParser):
    """Fails on tags that do not nest; collects ids, labels and controls."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.labels, self.controls = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "label" and "for" in attrs:
            self.labels.append(attrs["for"])
        if tag in ("input", "select") and attrs.get("type") != "radio":
            self.controls.append(attrs["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("key", APPS)
def test_a_form_is_complete_without_a_script(key):
    form = html.form(find(key))
    tree = Tree(form)
    assert len(tree.ids) == len(set(tree.ids))
    assert sorted(tree.labels) == sorted(tree.controls)
    assert f'data-kv-app="{key}"' in form and "<script" not in form
    if key in EXPLORERS:
        result = run(find(key), defaults(find(key))).result
        assert escape(result.headline) in form and result.picture in form
    else:
        words = [h for h in QUESTIONS[key].hints if h] or [c.reason for c in QUESTIONS[key].choices]
        assert all(escape(w) in form for w in words)


@pytest.mark.parametrize("key", QUESTIONS)
def test_a_question_is_driven_as_a_person_would(key):
    view = ask(key)
    assert isinstance(view, QuestionView)
    for text, state, words in rehearsal(QUESTIONS[key]):
        if text not in ("nonsense", "no such thing at all") or not QUESTIONS[key].choices:
            view.box.value = text
        view.check.click()
        assert f"kv-{state}" in view.feedback.value
        assert escape(words) in view.feedback.value
        assert 'role="status"' in view.feedback.value
    for n, hint in enumerate(h for h in QUESTIONS[key].hints if h):
        view.hint.click()
        assert f"Hint {n + 1}" in view.feedback.value and escape(hint) in view.feedback.value


def test_enter_checks_a_typed_answer():
    view = ask("1.1")
    view.box.value = "1 GiB"
    view._submitted(view.box, {"event": "submit"}, [])
    assert "Correct" in view.feedback.value


def test_nothing_chosen_is_said():
    view = ask("1.predict")
    view.check.click()
    assert "Choose one of the answers first." in view.feedback.value


@pytest.mark.parametrize("key", EXPLORERS)
def test_an_explorer_follows_its_controls_and_keeps_the_last_good_result(key):
    view = show(key)
    assert isinstance(view, AppView)
    good = view.result.value
    assert escape(run(find(key), defaults(find(key))).result.headline) in good
    typed = [c for c in find(key).controls if not isinstance(c, Select | Slider)]
    for control in typed:
        for junk in ("", "x", "-1", "nan", "1e400", "<b>&", "9" * 500, "1 gb", "__import__('os')"):
            view.boxes[control.key].value = junk
            assert view.result.value == good
            assert control.label in view.errors[control.key].value
            assert "<b>" not in view.errors[control.key].value
        view.boxes[control.key].value = str(control.default)
        assert view.errors[control.key].value == ""
    for control in find(key).controls:
        if isinstance(control, Select):
            view.boxes[control.key].value = control.options[-1][0]
        elif isinstance(control, Slider):
            view.boxes[control.key].value = control.maximum
        elif isinstance(control, Whole):
            view.boxes[control.key].value = str(control.minimum)
    assert view.result.value != good
    assert not any(error.value for error in view.errors.values())


@pytest.mark.parametrize("key", EXPLORERS)
def test_every_option_and_both_ends_of_every_control_give_a_result(key):
    app = find(key)
    for control in app.controls:
        if isinstance(control, Select):
            tries = [k for k, _ in control.options]
        else:
            tries = [str(control.minimum), str(control.maximum)]
        for text in tries:
            outcome = run(app, defaults(app) | {control.key: text})
            assert outcome.errors == {}
            words = [outcome.result.headline, *outcome.result.sentences]
            words += [value for pair in outcome.result.numbers for value in pair]
            assert not any("nan" in w.split() or "inf" in w.split() for w in words)


def test_text_from_outside_is_escaped():
    evil = "<script>alert(1)</script>"
    select = Select(key="m", label=evil, options=((evil, evil),), default=evil)
    app = App(key="0.x", title=evil, controls=(select,), answer=lambda v: Result(headline=v["m"]))
    assert "<script" not in html.form(app)


def test_the_build_shows_forms_and_jupyter_shows_widgets(monkeypatch):
    assert isinstance(show("1.explore"), AppView)
    monkeypatch.setenv("KVLIB_STATIC", "1")
    assert isinstance(show("1.explore"), Form)
    assert ask("1.1")._repr_html_().startswith('<form class="kv-app" data-kv-app="1.1"')
    assert repr(ask("1.1")) == "<kvlib app 1.1: Exercise 1.1>"


def test_source_is_the_function_itself():
    assert source(run)._repr_markdown_().startswith("```python\ndef run(app: App, ")


def test_bad_calls_are_refused():
    with pytest.raises(ValueError, match=r"^find: key must be a known name, got 'x'; known are "):
        show("x")
    with pytest.raises(ValueError, match=r"^run: typed must hold 'model', got \[\]$"):
        run(find("1.explore"), {})
    with pytest.raises(TypeError, match=r"^run: tokens must be text, got 1 \(int\)$"):
        run(find("1.explore"), defaults(find("1.explore")) | {"tokens": 1})
