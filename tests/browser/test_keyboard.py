"""A keyboard is all that a reader needs, and typing is not interrupted."""

import pytest

from kvlib.apps import APPS, defaults, run
from kvlib.exercises import QUESTIONS

from .forms import CHAPTERS, FORMS, assert_answers, assert_verdict, await_live, expect, form_of

FOCUS = "selector => document.activeElement.matches(selector)"
PAUSE = 700  # milliseconds: see book/live/forms.js


def tab_to(page, selector, key="Tab"):
    """Press Tab until the focus is on such an element."""
    for _ in range(400):
        page.keyboard.press(key)
        if page.evaluate(FOCUS, selector):
            return
    pytest.fail(f"{key} never reaches {selector}")


def test_a_keyboard_is_enough_and_focus_is_where_it_was(visit):
    held = []

    def hold(route):
        held.append(route)

    page = visit(
        "book/7_service_budget.html", prepare=lambda page: page.route("**/kvlib.zip", hold)
    ).page
    expect(page.locator(FORMS).last).to_have_attribute("data-kv-state", "starting")
    reached = 0
    while reached == 0 or not page.evaluate(FOCUS, "body"):
        page.keyboard.press("Tab")
        reached += 1
        assert not page.evaluate(FOCUS, ".kv-controls *")
    assert reached > 50
    tab_to(page, "#kv-7-predict summary")
    for route in held:
        route.continue_()
    await_live(page)
    assert page.evaluate(FOCUS, "#kv-7-predict summary")
    predict = QUESTIONS["7.predict"]
    tab_to(page, "#kv-7-predict [type=radio]", "Shift+Tab")
    page.keyboard.press("Space")
    while not page.evaluate(FOCUS, f"[value='{predict.answer}']:checked"):
        page.keyboard.press("ArrowUp")
    tab_to(page, "#kv-7-predict button")
    page.keyboard.press("Space")
    assert_verdict(form_of(page, "7.predict"), predict, predict.answer)

    form, typed = form_of(page, "7.explore"), defaults(APPS["7.explore"])
    tab_to(page, "#kv-7-explore-prefill_workers")
    page.keyboard.press("ArrowRight")
    expect(form.get_by_role("status")).to_have_text("4")
    assert_answers(form, "7.explore", typed := typed | {"prefill_workers": "4"})
    tab_to(page, "#kv-7-explore-prompt")
    page.keyboard.type("16,384")
    assert_answers(form, "7.explore", typed := typed | {"prompt": "16,384"})
    assert page.evaluate(FOCUS, "#kv-7-explore-prompt")
    tab_to(page, "#kv-7-explore-model")
    page.keyboard.press("ArrowDown")
    model = page.evaluate("document.activeElement.value")
    assert model != typed["model"]
    assert_answers(form, "7.explore", typed | {"model": model})

    tab_to(page, "#kv-7-1-answer")
    page.keyboard.type("3.6")
    page.keyboard.press("Enter")
    assert_verdict(form_of(page, "7.1"), QUESTIONS["7.1"], "3.6")


def test_a_half_typed_value_is_a_mistake_only_after_a_pause(visit):
    page = visit(CHAPTERS[0]).page
    await_live(page)
    error = page.locator("#kv-1-explore-tokens-error")
    page.clock.install(time=0)
    page.clock.pause_at(1)
    form_of(page, "1.explore").get_by_role("textbox", name="Prompt").fill("16 t")
    form_of(page, "1.1").evaluate("form => form.requestSubmit()")  # is answered after it
    assert_verdict(form_of(page, "1.1"), QUESTIONS["1.1"], "")
    expect(error).to_be_empty()
    page.clock.run_for(PAUSE - 1)
    expect(error).to_be_empty()
    page.clock.run_for(1)
    typed = defaults(APPS["1.explore"]) | {"tokens": "16 t"}
    expect(error).to_have_text(run(APPS["1.explore"], typed).errors["tokens"])
