"""What the tests do with the forms of a page: type, check, and wait for what comes."""

import re

from kvlib.apps import APPS, run
from kvlib.apps.app import Result
from kvlib.apps.controls import Select
from kvlib.exercises.question import check
from kvlib.show import html

from .built import SITE, pages

FORMS = "form[data-kv-app]"
KEYS = {p: re.findall(r'data-kv-app="([^"]+)"', (SITE / p).read_text("utf-8")) for p in pages()}
CHAPTERS = [path for path in KEYS if KEYS[path]]

# Before the page's own scripts: its thread has no WebAssembly, and what happens is written down.
WATCH = """
delete window.WebAssembly;
window.watched = {tasks: [], violations: [], said: []};
new PerformanceObserver(list => watched.tasks.push(...list.getEntries().map(e => e.duration)))
  .observe({type: "longtask", buffered: true});
document.addEventListener("securitypolicyviolation",
  e => watched.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
new MutationObserver(() => {
  const said = document.querySelector(".kv-say")?.textContent;
  if (said && said !== watched.said.at(-1)) watched.said.push(said);
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


def watch(page):
    """Have the page write down what happens in it, as `window.watched`."""
    page.add_init_script(WATCH)


def hold(page):
    """Have the forms say that Python starts, for as long as the page is open."""
    page.route("**/worker.js", lambda route: None)


def expect(what):
    """Return Playwright's expectation of a locator, with time to come true on a busy machine."""
    from playwright.sync_api import expect

    expect.set_options(timeout=60_000)
    return expect(what)


def await_live(page):
    """Return when every form of the page is live; at once if it has none."""
    forms = page.locator(FORMS)
    if forms.count():
        forms.first.scroll_into_view_if_needed()
        expect(forms.first).to_have_attribute("data-kv-state", re.compile("live|failed"))
        expect(forms.locator(".kv-note")).to_contain_text(["Live: "] * forms.count())


def form_of(page, key):
    """Return the form of an app."""
    return page.locator(f'{FORMS}[data-kv-app="{key}"]')


def field(form, control):
    """Return the control of a form, found by its label."""
    return form.get_by_label(re.compile(f"^{re.escape(control.label)}"))


def put(form, control, text):
    """Type or choose, as one does with this control."""
    box = field(form, control)
    box.select_option(text) if isinstance(control, Select) else box.fill(text)


def submit(form, question, text):
    """Type or choose an answer, if there is one, and press the button."""
    if not question.choices:
        form.get_by_label("Your answer").fill(text)
    elif text:
        form.locator(f'[value="{text}"]').check()
    form.get_by_role("button", name="Check").click()


def assert_shows(form, markup):
    """The form comes to show exactly this result, as a browser writes it."""
    parsed = "html => Object.assign(document.createElement('div'), {innerHTML: html}).innerHTML"
    expected = form.page.evaluate(parsed, html.joined(markup))
    expect(form.locator(".kv-result")).to_have_js_property("innerHTML", expected)


def assert_answers(form, key, typed):
    """The form comes to show what Python answers here."""
    assert_shows(form, html.result(run(APPS[key], typed).result))


def assert_verdict(form, question, text):
    """The form comes to show the verdict of the check."""
    verdict = check(question, text)
    found = Result(headline=verdict.message, state=verdict.state)
    assert_shows(form, html.result(found))
    expect(form.locator(".kv-headline")).to_have_class(f"kv-headline kv-{verdict.state}")
