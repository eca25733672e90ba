"""When a page starts Python, from where, and what it says when it cannot."""

import functools
import re

from kvlib.apps import APPS, defaults
from kvlib.exercises import QUESTIONS

from .built import SITE
from .conftest import Quiet, serve
from .forms import (
    CHAPTERS,
    FORMS,
    KEYS,
    assert_answers,
    await_live,
    expect,
    form_of,
    watch,
)
from .test_pages import TOO_WIDE, findings

PATH = CHAPTERS[0] if CHAPTERS else ""
NARROW = {"width": 390, "height": 100}
SAVE_DATA = 'Object.defineProperty(navigator, "connection", {value: {saveData: true}});'
WIDTHS = "all => Promise.all(all.map(e => e.decode().then(() => e.naturalWidth)))"
CANNOT = "Python could not start in this page: "
STARTING = ("Python is starting in this page: a first visit loads ", "Python is still starting: ")
LIVE = "The forms of this page are live."


def abort(route):
    route.abort()


def assert_rests(page, why):
    """Every form says why in one sentence, holds its default values and is disabled."""
    notes = []
    for key in KEYS[PATH]:
        form = form_of(page, key)
        expect(form).to_have_attribute("data-kv-state", "failed")
        expect(form.locator(".kv-controls")).to_have_js_property("disabled", True)
        expect(form.get_by_role("button", name="Check")).to_have_count(0)
        notes.append(form.locator(".kv-note").inner_text())
        if key not in QUESTIONS:
            assert_answers(form, key, defaults(APPS[key]))
    sentences = {re.split(r"(?<=\.) (?=Shown|To have)", note)[0] for note in notes}
    assert len(sentences) == 1, sentences
    [sentence] = sentences
    assert re.fullmatch(f"{why}.*\\.", sentence), sentence
    return sentence


def test_nothing_starts_before_a_form_comes_near(visit):
    seen = visit(PATH, prepare=lambda page: page.set_viewport_size(NARROW))
    expect(seen.page.get_by_role("region", name="Your progress")).to_be_attached()
    seen.page.evaluate("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
    assert seen.workers == [] and not seen.page.locator("[data-kv-state]").count()
    await_live(seen.page)


def test_a_missing_file_is_said_and_can_be_tried_again(visit):
    missing = ["**/worker.js", "**/kvlib.zip", "**/pyodide.mjs", "**/pyodide.asm.wasm"]

    def prepare(page):
        watch(page)
        page.route(missing[0], abort)

    page = visit(PATH, width=390, prepare=prepare).page
    told = []
    for then in [*missing[1:], None]:
        told.append(assert_rests(page, CANNOT))
        scroll_width = page.evaluate("document.documentElement.scrollWidth")
        assert scroll_width <= 390, page.evaluate(TOO_WIDE, 390)
        button = page.get_by_role("button", name="Try again")
        expect(button).to_have_count(len(KEYS[PATH]))
        page.unroute_all()
        if then:
            page.route(then, abort)
        else:
            assert findings(page, FORMS) == []
        button.last.click()
    await_live(page)
    assert len(page.workers) == 1
    expect(page.locator(".kv-say")).to_have_text(LIVE)
    expect(page.locator(".kv-say")).to_have_role("status")
    said = page.evaluate("watched.said")
    assert [words for words in said if not words.startswith(STARTING)] == [*told, LIVE]
    assert said[0].startswith(STARTING[0])


def test_a_worker_that_dies_is_said_and_what_was_typed_is_kept(visit):
    page = visit(PATH).page
    await_live(page)
    form = form_of(page, "1.explore")
    typed = defaults(APPS["1.explore"]) | {"tokens": "100"}
    form.get_by_role("textbox", name="Prompt").fill("100")
    assert_answers(form, "1.explore", typed)
    page.workers[0].evaluate("() => { setTimeout(() => { throw new Error('gone') }) }")
    note = form.locator(".kv-note")
    expect(note).to_have_text(re.compile(r"^Python stopped in this page: .*gone\.$"))
    expect(form).to_have_attribute("data-kv-state", "failed")
    assert page.workers == []
    again, held = form.get_by_role("button", name="Try again"), []
    page.route("**/kvlib.zip", lambda route: held.append(route))
    with page.expect_request("**/kvlib.zip"):
        again.press("Enter")
    assert "default" not in note.inner_text()  # the form shows what was typed
    held.pop().abort()
    expect(note).to_have_text(re.compile(f"^{CANNOT}"))
    assert "default" not in note.inner_text()
    expect(again).to_be_focused()
    page.unroute_all()
    again.press("Enter")
    await_live(page)
    assert form.evaluate("form => form.contains(document.activeElement)")
    assert len(page.workers) == 1
    form.get_by_label("Model").select_option("deepseek-v3")
    assert_answers(form, "1.explore", typed | {"model": "deepseek-v3"})


def test_a_missing_script_is_said(visit):
    page = visit(PATH, prepare=lambda page: page.route("**/page.js", abort)).page
    assert_rests(page, "The script behind this form could not be loaded")


def test_opened_from_disk_it_says_so_and_is_whole(visit):
    seen = visit((SITE / PATH).as_uri())
    assert_rests(seen.page, "This page was opened from disk")
    assert all(seen.page.locator("main article [src*=_images]").evaluate_all(WIDTHS))
    assert seen.page.locator("main article table").count()
    for element in seen.page.locator(
        "main article :is(table, .kv-picture svg, [src*=_images])"
    ).all():
        assert element.is_visible()
    assert seen.complaints == []
    assert seen.workers == []


def test_below_any_path_and_without_caching_it_is_live_twice(visit):
    class Bare(Quiet):
        """The book at /some/name/, from a host with nothing to cache by that knows no .wasm."""

        extensions_map = Quiet.extensions_map | {".wasm": "application/octet-stream"}

        def translate_path(self, path):
            here = path.removeprefix("/some/name/")
            return super().translate_path(f"/{here}" if here != path else "/nowhere")

        def send_header(self, name, value):
            if name != "Last-Modified":
                super().send_header(name, value)

    with serve(functools.partial(Bare, directory=SITE)) as host:
        seen = visit(f"{host}/some/name/{PATH}")
        await_live(seen.page)
        seen.page.reload()
        await_live(seen.page)
        kept = {"last-modified", "etag", "cache-control", "expires"}
        assert not any(kept & set(response.headers) for response in seen.responses)
        urls = [request.url for request in seen.requests if not request.url.startswith("blob:")]
        assert all(url.startswith((f"{host}/some/name/", "data:")) for url in urls)
        assert seen.complaints == []


def test_a_reader_who_saves_data_is_asked_first(visit):
    seen = visit(PATH, prepare=lambda page: page.add_init_script(SAVE_DATA))
    button = seen.page.get_by_role("button", name=re.compile(r"^Make the forms live \(\d MB\)$"))
    expect(button).to_have_count(len(KEYS[PATH]))
    assert seen.workers == []
    button.first.click()
    await_live(seen.page)
    expect(button).to_have_count(0)
