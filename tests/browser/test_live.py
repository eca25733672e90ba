"""Every form of the built book is live: CPython in a worker answers as CPython does here."""

import functools
import re
from html import unescape

import pytest

from kvlib.apps import APPS, defaults, run
from kvlib.apps.controls import Amount, Select, Slider, Whole
from kvlib.exercises import QUESTIONS, rehearsal
from kvlib.exercises.question import check
from kvlib.show import html

from .built import SCREENSHOTS, SITE
from .conftest import Quiet, serve, visits
from .forms import (
    CHAPTERS,
    FORMS,
    KEYS,
    assert_answers,
    assert_shows,
    assert_verdict,
    await_live,
    expect,
    field,
    form_of,
    hold,
    put,
    submit,
    watch,
)
from .test_pages import OPEN_ALL, TOO_WIDE, findings

every_page = pytest.mark.parametrize("path", KEYS)
every_chapter = pytest.mark.parametrize("path", CHAPTERS)
LOADED = "performance.getEntriesByType('resource').map(e => e.name)"
TRY = "url => fetch(url, {mode: 'no-cors'}).then(() => 'sent', error => error.name)"
INLINE = """() => {
  document.body.append(Object.assign(document.createElement("script"), {text: "ran = true"}));
  return "ran" in window;
}"""


@pytest.fixture(scope="module")
def live(chromium, address):
    """Return a function that gives a page when it is live; the same one to every test."""
    with visits(chromium, address) as open_page:

        @functools.cache
        def opened(path):
            seen = open_page(path, prepare=watch)
            await_live(seen.page)
            return seen

        yield opened


def changed(control):
    """Return a good text that is not the default."""
    match control:
        case Select():
            return next(key for key, _ in control.options if key != control.default)
        case Amount() | Slider():
            ends = str(control.minimum), str(control.maximum)
            return next(text for text in ends if text != str(control.default))
        case Whole():
            return f"{min(12_345, control.maximum):,}"


def explorers(path):
    """Return the small ones of a page: the workbench has tests of its own."""
    return [APPS[k] for k in KEYS[path] if k not in QUESTIONS and not APPS[k].groups]


def questions(path):
    return [QUESTIONS[key] for key in KEYS[path] if key in QUESTIONS]


def test_the_pages_hold_every_app_once():
    assert sorted(key for keys in KEYS.values() for key in keys) == sorted(APPS)


@every_page
def test_the_policy_stands_before_any_script_and_allows_none_but_named_ones(path):
    page = (SITE / path).read_text("utf-8")
    policy, first = page.index('<meta http-equiv="Content-Security-Policy"'), page.index("<script")
    [rule] = re.findall(r"script-src (.*?);", unescape(page[policy:first]))
    assert not {"'unsafe-eval'", "'unsafe-inline'", "*", "data:", "blob:"} & set(rule.split())


@every_page
def test_one_worker_makes_every_form_live(live, path):
    seen = live(path)
    page = seen.page
    assert len(page.workers) == len(seen.workers) == bool(KEYS[path])
    for key in KEYS[path]:
        form = form_of(page, key)
        does = "your answer is checked" if key in QUESTIONS else "every change is computed"
        expect(form.locator(".kv-note")).to_have_text(f"Live: {does} in this page.")
        expect(form.locator(".kv-controls")).to_have_js_property("disabled", False)
        if not APPS[key].groups:
            expect(form.get_by_role("button")).to_have_count(1)
    assert not [
        url for url in page.evaluate(LOADED) if re.search("/python-|/kvlib", url.split("#")[0])
    ]
    for worker in page.workers:
        assert any(url.endswith("pyodide.asm.wasm") for url in worker.evaluate(LOADED))
    print(path, "long tasks of the page's thread, ms:", page.evaluate("watched.tasks"))


@every_chapter
def test_an_explorer_answers_every_control_and_keeps_the_last_good_result(live, path):
    seen = live(path)
    before = len(seen.requests)
    for app in explorers(path):
        form = form_of(seen.page, app.key)
        typed = defaults(app)
        assert_answers(form, app.key, typed)
        for control in app.controls:
            typed[control.key] = changed(control)
            put(form, control, typed[control.key])
            assert_answers(form, app.key, typed)
        kept = html.result(run(app, typed).result, kept=True)
        for control in app.controls:
            if isinstance(control, Select | Slider):
                continue
            box = field(form, control)
            error = form.locator(f"#{box.get_attribute('id')}-error")
            for bad, leave in (("1 gb", "Enter"), ("<img src=x>", "Tab")):
                words = run(app, typed | {control.key: bad}).errors[control.key]
                box.fill(bad)
                box.press(leave)
                expect(error).to_have_text(words)
                expect(box).to_have_attribute("aria-invalid", "true")
                expect(box).to_have_accessible_description(words)
                assert_shows(form, kept)
                expect(form.get_by_text("Shown for the last readable values.")).to_be_visible()
            box.fill(typed[control.key])
            assert_answers(form, app.key, typed)
            expect(error).to_be_empty()
            assert box.get_attribute("aria-invalid") is None
        form.get_by_role("button", name="Back to the defaults").click()
        assert_answers(form, app.key, defaults(app))
    assert seen.requests[before:] == []


@every_chapter
def test_a_question_gives_every_verdict_of_its_check(live, path):
    seen = live(path)
    before = len(seen.requests)
    for question in questions(path):
        form = form_of(seen.page, question.key)
        for text, state, _ in [("", "unreadable", ""), *rehearsal(question)]:
            submit(form, question, text)
            assert_verdict(form, question, text)
            assert check(question, text).state == state
        for summary in form.locator("summary").all():
            summary.press("Enter")
            expect(summary.locator("xpath=..")).to_have_attribute("open", "")
        assert form.locator("details").count() == bool(question.choices) + sum(
            map(bool, question.hints)
        )
        for solution in seen.page.locator(".dropdown", has_text=f"Solution {question.key}").all():
            solution.get_by_role("button").press("Enter")
            expect(solution.locator("p").nth(1)).to_be_visible()
    assert seen.requests[before:] == []


@every_chapter
def test_live_forms_fit_and_are_accessible(live, path):
    page = live(path).page
    used = []
    for question in questions(path):
        texts = {state: text for text, state, _ in rehearsal(question)}
        used.append(min(texts, key=used.count))
        submit(form_of(page, question.key), question, texts[used[-1]])
        assert_verdict(form_of(page, question.key), question, texts[used[-1]])
    assert set(used) == {"right", "slip", "wrong", "unreadable"}
    changed_mind, *_, unchosen = (q for q in questions(path) if q.choices)
    boxes = form_of(page, changed_mind.key).locator("[type=radio]:not(:checked)")
    boxes.first.check()
    expect(page.get_by_text("About your answer before:")).to_have_count(1)
    form_of(page, unchosen.key).evaluate("form => form.reset()")
    submit(form_of(page, unchosen.key), unchosen, "")
    assert_verdict(form_of(page, unchosen.key), unchosen, "")
    for app in explorers(path):
        for control in app.controls:
            if not isinstance(control, Select | Slider):
                field(form_of(page, app.key), control).fill("1 gb")
                field(form_of(page, app.key), control).press("Enter")
        expect(page.locator(".kv-stale")).to_be_visible()
    page.evaluate(OPEN_ALL)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        scroll_width = page.evaluate("document.documentElement.scrollWidth")
        assert scroll_width <= width, page.evaluate(TOO_WIDE, width)
        name = f"live-{path.replace('/', '-').removesuffix('.html')}-{width}.png"
        page.screenshot(path=SCREENSHOTS / name, full_page=True)
        for scheme in ("light", "dark"):
            page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            assert findings(page, f"{FORMS}, .kv-progress") == []


@every_page
def test_nothing_has_complained_or_gone_outside(live, path):
    seen = live(path)
    assert seen.complaints == []
    assert seen.outside == []
    assert {request.method for request in seen.requests} == {"GET"}
    assert seen.page.evaluate("watched.violations") == []


def test_nothing_in_the_page_or_its_worker_reaches_another_site(visit):
    asked = []

    class Elsewhere(Quiet):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

    with serve(Elsewhere) as elsewhere:
        page = visit(CHAPTERS[0]).page
        await_live(page)
        assert page.evaluate(TRY, f"{elsewhere}/page") == "TypeError"
        assert page.workers[0].evaluate(TRY, f"{elsewhere}/worker") == "TypeError"
        assert not page.evaluate(INLINE)
        assert asked == []
        free = page.context.new_page()
        assert free.evaluate(TRY, f"{elsewhere}/control") == "sent"
        assert asked == ["/control"]


def test_what_the_theme_brings_runs_under_the_policy(visit):
    seen = visit("search.html?q=payload")
    expect(seen.page.locator("#search-results li .context").first).to_be_visible()
    assert seen.complaints == []
    seen = visit(CHAPTERS[0], prepare=hold)
    seen.page.locator(".theme-switch-button").filter(visible=True).click()
    expect(seen.page.locator("html")).to_have_attribute("data-theme", "dark")
    seen.page.get_by_role("button", name="Fullscreen mode").click()  # a handler in the page
    expect(seen.page.locator(":fullscreen").first).to_be_attached()
    assert seen.complaints == []
