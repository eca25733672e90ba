"""What a reader has answered stays in this browser, and nothing that comes back is trusted."""

import json
import re

import pytest

from kvlib.exercises import QUESTIONS

from .forms import CHAPTERS, KEYS, assert_verdict, await_live, expect, form_of, submit

PATH = CHAPTERS[0] if CHAPTERS else ""
DAY = "2026-02-03"
HTML = "<img src=x onerror='window.ran = true'>"
BOOK = "The Cost of Moving KV"
NO_STORAGE = """Object.defineProperty(window, "localStorage",
  {get() { throw new DOMException("denied", "SecurityError"); }});"""
GOOD = {"answer": "6.09 GiB", "state": "right", "tries": 2, "right": "2026-01-31"}
LEFT = "JSON.stringify({...localStorage})"
STORED = f"JSON.parse(localStorage.getItem('{BOOK}: progress /'))"

# Files that are not ours, or hold no answer; and one of ours, filled with all that may go wrong.
REFUSED = (
    b"",
    b"\x00\xff\xfe",
    b"null",
    b"[]",
    b'"The Cost of Moving KV"',
    b"<!DOCTYPE html><script>ran = true</script>",
    json.dumps({"book": "Another", "questions": {"1.3": GOOD}}).encode(),
    json.dumps({"book": BOOK, "questions": {"1.3": GOOD}, "more": "x" * 1_000_000}).encode(),
)
EMPTY = [json.dumps({"book": BOOK, "questions": q}).encode() for q in (None, 5, "1.3", [GOOD], {})]
MIXED = {
    "1.1": {"answer": "0.5", "state": "wrong", "tries": 9},
    "1.2": {"answer": HTML, "state": {"right": True}, "tries": -3, "right": HTML},
    "1.3": GOOD | {"more": HTML},
    "1.4": {"answer": ["llama"], "state": "right", "right": "2026-01-31"},
    "1.5": {"answer": "x" * 5_000, "state": "slip", "tries": 1e300, "right": ["2026-01-31"]},
    "1.predict": None,
    "__proto__": GOOD,
    "constructor": GOOD,
    HTML: GOOD,
}


def ready(visit, **options):
    """Return a page, live on a day that is known."""
    page = visit(PATH, prepare=lambda page: page.clock.set_fixed_time(f"{DAY}T12:00"), **options)
    await_live(page.page)
    return page.page


def answer(page, key, text):
    submit(form_of(page, key), QUESTIONS[key], text)
    assert_verdict(form_of(page, key), QUESTIONS[key], text)


def panel(page):
    return page.get_by_role("region", name="Your progress")


def assert_counts(page, right):
    expect(panel(page)).to_contain_text(f"chapter 1, {right} of {len(KEYS[PATH]) - 1};")


def assert_solved(page, key, day):
    solved = form_of(page, key).get_by_role("group").first.locator("legend").first
    words = f" answered right on {day}" if day else ""
    name = "Your prediction" if key.endswith("predict") else f"Exercise {key}"
    expect(solved).to_have_text(f"{name}{words}")


def load(page, content):
    """Choose a file to load; returns when it has been read."""
    with page.expect_file_chooser() as chosen:
        panel(page).get_by_role("button", name="Load a file").click()
    chosen.value.set_files({"name": "p.json", "mimeType": "application/json", "buffer": content})
    expect(page.get_by_label("A saved file")).to_have_value("")


def test_answers_are_kept_saved_cleared_and_loaded(visit):
    page = ready(visit)
    assert_counts(page, 0)
    answer(page, "1.4", "llama")
    answer(page, "1.2", "549")
    answer(page, "1.1", "1 GiB")
    answer(page, "1.1", "2 GiB")
    assert_counts(page, 2)
    assert_solved(page, "1.1", DAY)

    page.reload()
    assert_solved(page, "1.1", DAY)
    await_live(page)
    for key, text in (("1.1", "2 GiB"), ("1.2", "549"), ("1.3", "")):
        expect(form_of(page, key).get_by_role("textbox")).to_have_value(text)
    expect(form_of(page, "1.4").locator("[value=llama]")).to_be_checked()
    for key, text in (("1.1", "2 GiB"), ("1.2", "549"), ("1.4", "llama")):
        assert_verdict(form_of(page, key), QUESTIONS[key], text)
    assert_solved(page, "1.2", None)
    assert_counts(page, 2)
    expect(panel(page)).to_contain_text("kept in this browser alone and sent nowhere")

    with page.expect_download() as saved:
        panel(page).get_by_role("button", name="Save as a file").click()
    assert re.fullmatch(r"[\w-]+\.json", saved.value.suggested_filename)
    content = saved.value.path().read_bytes()
    kept = json.loads(content)["questions"]
    assert kept["1.1"] == {"answer": "2 GiB", "state": "wrong", "tries": 2, "right": DAY}
    assert set(kept) == {"1.1", "1.2", "1.4"}

    clear = panel(page).get_by_role("button", name="Clear")
    page.once("dialog", lambda dialog: dialog.dismiss())
    clear.click()
    assert_counts(page, 2)
    page.once("dialog", lambda dialog: dialog.accept())
    clear.click()
    expect(panel(page).get_by_text("Your progress is cleared.")).to_be_visible()
    assert_counts(page, 0)
    assert_solved(page, "1.1", None)
    expect(form_of(page, "1.1").get_by_role("textbox")).to_have_value("")
    assert page.evaluate(STORED) == {}

    load(page, content)
    expect(panel(page).get_by_text("The file is loaded. Questions in it: 3.")).to_be_visible()
    assert_counts(page, 2)
    assert_solved(page, "1.1", DAY)
    assert page.evaluate(STORED) == kept

    other = page.context.new_page()  # another tab hears of it
    other.goto(page.url)
    assert_counts(other, 2)
    answer(page, "1.2", "274.5 MiB")
    assert_counts(other, 3)


def test_a_file_brings_only_what_is_valid(visit):
    page = ready(visit)
    answer(page, "1.1", "1 GiB")
    mine, before = page.evaluate(STORED)["1.1"], page.evaluate(LEFT)
    for content in REFUSED:
        load(page, EMPTY[0])
        expect(panel(page)).to_contain_text("The file is loaded. Questions in it: 0.")
        load(page, content)
        expect(panel(page)).to_contain_text("Nothing is loaded: this book did not save that file.")
    for content in EMPTY:
        load(page, content)
    assert page.evaluate(LEFT) == before
    load(page, json.dumps({"book": BOOK, "questions": MIXED, "__proto__": GOOD}).encode())
    expect(panel(page)).to_contain_text("The file is loaded. Questions in it: 4.")
    assert_counts(page, 2)
    assert page.evaluate(STORED) == {
        "1.1": mine,
        "1.2": {"answer": HTML, "state": "wrong", "tries": 1},
        "1.3": GOOD,
        "1.5": {"answer": "x" * 1_000, "state": "slip", "tries": 1},
    }
    page.reload()
    await_live(page)
    expect(form_of(page, "1.2").get_by_role("textbox")).to_have_value(HTML)
    assert_solved(page, "1.3", "2026-01-31")
    assert page.evaluate("[window.ran, ({}).answer]") == [None, None]
    assert page.locator("[src=x]").count() == 0


@pytest.mark.parametrize("garbage", ["{", "null", "[1]", '{"1.1": 1, "1.2": {"answer": 2}}'])
def test_garbage_in_the_storage_is_no_progress(visit, garbage):
    fill = f"localStorage.setItem('{BOOK}: progress /', {json.dumps(garbage)})"
    seen = visit(PATH, prepare=lambda page: page.add_init_script(fill))
    assert_counts(seen.page, 0)
    assert seen.complaints == []


def test_a_browser_that_keeps_nothing_says_so_and_works(visit):
    page = visit(PATH, prepare=lambda page: page.add_init_script(NO_STORAGE)).page
    await_live(page)
    expect(panel(page)).to_contain_text("This browser keeps nothing")
    answer(page, "1.1", "1 GiB")
    assert_counts(page, 1)
    expect(panel(page)).to_contain_text("This browser keeps nothing")
    with page.expect_download() as saved:
        panel(page).get_by_role("button", name="Save as a file").click()
    assert json.loads(saved.value.path().read_bytes())["questions"]["1.1"]["answer"] == "1 GiB"
