"""The workbench in a real page: change, compare, take away, come back by a link.

Oracle: kvlib's own report of the set-up that is typed, and the pages' Python as CPython answers.
"""

import json
import re

import pytest

from kvlib.apps import defaults, find, run
from kvlib.models import load
from kvlib.show import html
from kvlib.units import Gbit_s
from kvlib.workbench import Setup, conclusions, report

from .built import SCREENSHOTS
from .forms import await_live, expect, form_of
from .test_pages import TOO_WIDE, findings

PAGE = "book/8_workbench.html"
APP = find("8.workbench")
POOL = "[TP0] KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"
ADDRESS = "location.origin + location.pathname"


@pytest.fixture
def bench(visit):
    """Return the live form of a fresh visit."""
    seen = visit(PAGE)
    await_live(seen.page)
    form = form_of(seen.page, APP.key)
    form.evaluate("form => form.querySelectorAll('.kv-group').forEach(g => { g.open = true; })")
    return form


def put(form, key, text):
    """Type or choose as a reader does, and leave the field."""
    box = form.locator(f'[name="{key}"]')
    if box.evaluate("box => box.tagName") == "SELECT":
        box.select_option(text)
    else:
        box.fill(text)
        box.press("Tab")


def says(form, **setup):
    """The form comes to say what the report of this set-up concludes."""
    lines = conclusions(report(Setup(**{"target_seconds": 2.0} | setup)))
    shown = form.locator(".kv-result .kv-headline, .kv-result .kv-headline ~ p:not([class])")
    for place, line in enumerate(lines):  # notes may follow
        expect(shown.nth(place)).to_have_text(html.joined(line))
    expect(form.locator(".kv-now")).to_have_text(html.joined(lines[0]))


def test_the_sentence_follows_a_model_a_split_and_a_link(bench):
    expect(bench.locator(".kv-headline").first).to_have_text(
        html.joined("Prefill gives way first, at 2.93 requests/s.")
    )
    put(bench, "model", "llama-3.1-70b")
    setup = {"model": load("llama-3.1-70b")}
    says(bench, **setup)
    put(bench, "link_rate", "10 Gb/s")
    setup["link_rate"] = 10 * Gbit_s
    says(bench, **setup)
    expect(bench.locator(".kv-headline").first).to_contain_text("The network gives way first")
    put(bench, "link_rate", "400 Gb/s")
    put(bench, "prefill_workers", "6")
    says(bench, **(setup | {"link_rate": 400 * Gbit_s, "prefill_workers": 6}))
    expect(bench.locator(".kv-headline").first).to_contain_text("Decode gives way first")


def test_what_is_wrong_stands_beside_its_field_and_the_last_result_stays(bench):
    put(bench, "prompt_tokens", "16,384")
    says(bench, model=load("llama-3.1-8b"), prompt_tokens=16_384)
    wrong = {
        "prefill_workers": "8",
        "link_rate": "25 gb/s",
        "source_hit": "20,000",
        "decode_memory": "1 GB",
    }
    for key, text in wrong.items():
        before = bench.locator(f'[name="{key}"]').input_value()
        put(bench, key, text)
        typed = defaults(APP) | {"prompt_tokens": "16,384", key: text}
        error = bench.locator(f"#kv-8-workbench-{key}-error")
        expect(error).to_have_text(run(APP, typed).errors[key])
        expect(bench.locator(f'[name="{key}"]')).to_have_attribute("aria-invalid", "true")
        expect(bench.get_by_text("Shown for the last readable values.")).to_be_visible()
        says(bench, model=load("llama-3.1-8b"), prompt_tokens=16_384)
        put(bench, key, before)
        expect(error).to_be_empty()
    put(bench, "model", "config")
    put(bench, "config", "<img src=x onerror=alert(1)>")
    expect(bench.locator("#kv-8-workbench-config-error")).to_contain_text("which begins with {")


def test_an_error_in_a_folded_group_unfolds_it(visit):
    seen = visit(PAGE)
    await_live(seen.page)
    form = form_of(seen.page, APP.key)
    group = form.locator(".kv-group", has=seen.page.locator('[name="config"]'))
    expect(group).not_to_have_attribute("open", "")
    put(form, "model", "config")
    expect(group).to_have_attribute("open", "")


def test_a_set_up_is_kept_compared_swapped_and_forgotten(bench):
    keep, swap, forget = (
        bench.get_by_role("button", name=name)
        for name in ("Keep this one", "Swap the two", "Forget the kept one")
    )
    expect(swap).to_be_disabled()
    keep.click()
    put(bench, "model", "deepseek-v3")
    side = bench.get_by_role("region", name="Side by side")
    expect(side.locator("tr", has_text="Model")).to_have_text("Modeldeepseek-v3llama-3.1-8b")
    swap.click()
    expect(bench.locator('[name="model"]')).to_have_value("llama-3.1-8b")
    expect(side.locator("tr", has_text="Model")).to_have_text("Modelllama-3.1-8bdeepseek-v3")
    forget.click()
    expect(side).to_have_count(0)
    expect(forget).to_be_disabled()
    keep.click()
    bench.get_by_role("button", name="Back to the defaults").click()
    expect(side).to_have_count(0)


def test_a_link_reopens_the_state_and_sends_nothing(bench, visit):
    put(bench, "model", "gemma-3-27b")
    bench.get_by_role("button", name="Keep this one").click()
    put(bench, "prompt_tokens", "100,000")
    put(bench, "log", POOL)
    expect(bench.get_by_role("region", name="Your log")).to_contain_text("meant 53.18 GiB")
    link = bench.get_by_label("As a link").input_value()
    shown = bench.locator(".kv-headline").first.text_content()
    base = bench.page.evaluate(ADDRESS)
    assert link.startswith(f"{base}#kv-8-workbench?") and "100%2C000" in link
    assert bench.page.url == link  # a reload keeps it, too
    again = visit(f"{PAGE}{link.removeprefix(base)}")
    await_live(again.page)
    form = form_of(again.page, APP.key)
    expect(form.locator('[name="prompt_tokens"]')).to_have_value("100,000")
    expect(form.locator('[name="log"]')).to_have_value(POOL)
    expect(form.locator('[name="log"]')).to_be_visible()  # its group is unfolded
    expect(form.locator(".kv-headline").first).to_have_text(shown)
    expect(form.get_by_role("region", name="Side by side")).to_be_visible()
    expect(form.get_by_label("As a link")).to_have_value(link)
    sent = [request.url.split("#")[0] for request in again.requests]
    assert not [url for url in sent if re.search("prompt_tokens|100%2C000|Cache", url)]


@pytest.mark.parametrize(
    "query",
    ["prompt_tokens=-1&model=nonsense", "kept=%7B&x=1&__proto__=2", "config=" + "x" * 250_000],
    ids=["values", "names", "long"],
)
def test_a_link_from_a_stranger_is_read_like_any_input(visit, query):
    seen = visit(f"{PAGE}#kv-8-workbench?{query}")
    await_live(seen.page)
    form = form_of(seen.page, APP.key)
    expect(form.locator(".kv-error:not(:empty)").first).to_be_visible()
    expect(form.locator(".kv-headline").first).to_have_text(
        html.joined("Prefill gives way first, at 2.93 requests/s.")
    )


def test_the_report_is_copied(bench):
    bench.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    put(bench, "arrival_rate", "4 requests/s")
    expect(bench.get_by_role("region", name="The queue at 4.00")).to_be_visible()
    copies = dict(run(APP, defaults(APP) | {"arrival_rate": "4 requests/s"}).result.copies)
    for name, wanted in (("Markdown", copies["As Markdown"]), ("JSON", copies["As JSON"])):
        bench.get_by_role("button", name=f"Copy as {name}").click()
        expect(bench.get_by_role("button", name=f"Copied as {name}")).to_be_visible()
        assert bench.page.evaluate("navigator.clipboard.readText()") == wanted
    assert json.loads(copies["As JSON"])["setup"]["arrival_rate_requests_per_second"] == 4
    bench.page.context.clear_permissions()
    bench.get_by_role("button", name="Copy as a link").click()
    expect(
        bench.get_by_role("button", name=re.compile("^Copied as a link|^Press Ctrl"))
    ).to_be_visible()


def test_all_of_it_fits_and_is_accessible(bench):
    page = bench.page
    bench.get_by_role("button", name="Keep this one").click()
    put(bench, "model", "deepseek-v3")
    put(bench, "log", POOL)
    expect(bench.get_by_role("region", name="Your log")).to_be_visible()
    bench.evaluate("form => form.querySelectorAll('.kv-copy').forEach(c => { c.open = true; })")
    put(bench, "prefill_workers", "8")
    expect(bench.locator(".kv-stale").first).to_be_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.evaluate(
            TOO_WIDE, width
        )
        page.screenshot(path=SCREENSHOTS / f"workbench-{width}.png", full_page=True)
        for scheme in ("light", "dark"):
            page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            assert findings(page, "form[data-kv-app]") == []
