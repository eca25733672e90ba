"""Apps as widgets and as forms: driven by `.value` and `.click()`, read back as text.

Oracles: pairs of extreme values, and every stage doubled and every split tried by hand.
"""

import itertools
import random
import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import pytest

from kvlib.apps import APPS, defaults, find, run
from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Select, Slider, Whole
from kvlib.budget import Service, backlog, capacity
from kvlib.exercises import QUESTIONS, rehearsal
from kvlib.show import Form, ask, html, show, source
from kvlib.show.widgets import MARKS, AppView, QuestionView

EXPLORERS = [key for key in APPS if key not in QUESTIONS]
SMALL = [key for key in EXPLORERS if not find(key).groups]  # a large one has tests of its own
SLOW = ("3.replay", "7.queue")  # takes tens of milliseconds an answer
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
        if tag == "textarea" and {"hidden", "readonly"} & set(attrs):
            pass  # a kept set-up, which has buttons instead, and text to copy
        elif tag in ("input", "select", "textarea") and attrs.get("type") != "radio":
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
    names = re.findall(r'aria-(?:labelledby|describedby)="([^"]+)"', form)
    assert names and set(names) <= set(tree.ids)
    parts = re.findall(r"<(legend|p|label|fieldset|input)\b", form.split("disabled>")[1])
    assert parts[:2] == ["legend", "p"]  # what it is, then how to make it live
    assert form.count('aria-live="polite"') == len(find(key).controls)
    if key in EXPLORERS:
        result = run(find(key), defaults(find(key))).result
        assert html.joined(escape(result.headline)) in form and html.joined(result.picture) in form
        assert '<p class="kv-buttons" hidden><button type="reset">' in form
    else:
        assert '<p class="kv-buttons" hidden><button type="submit">Check</button></p>' in form
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


def test_the_right_choice_is_marked_in_words():
    for key, question in QUESTIONS.items():
        marked = re.findall(r"<li><b>([^<]+)</b> Right\. ", html.form(find(key)))
        right = [escape(c.text) for c in question.choices if c.key == question.answer]
        assert marked == right


def test_a_typed_answer_is_checked_as_it_arrives_and_arrives_with_enter():
    view = ask("1.1")
    assert view.box.continuous_update is False
    for text, words in (("1 GB", "kv-slip"), ("1 GiB", "kv-right"), ("", "Type an answer first.")):
        view.box.set_state({"value": text})  # as the browser sends it
        assert words in view.feedback.value
    before = view.feedback.value
    view.box._handle_custom_msg({"event": "submit"}, [])  # may overtake the value: tells nothing
    assert view.feedback.value == before


def test_hints_go_on_from_the_one_that_a_verdict_has_shown():
    first, second = QUESTIONS["1.1"].hints
    view = ask("1.1")
    view.box.value = "1 GB"  # a slip, with a hint of its own
    view.hint.click()
    assert "Hint 1" in view.feedback.value and "Hint 2" not in view.feedback.value
    view = ask("1.1")
    view.box.value = "77 GiB"
    assert escape(first) in view.feedback.value
    for _ in range(3):
        view.hint.click()
        assert view.feedback.value.count("<p>") == 2
        assert escape(first) in view.feedback.value and escape(second) in view.feedback.value
    view.check.click()
    assert "kv-wrong" in view.feedback.value


def test_every_verdict_has_an_edge_of_its_own_and_labels_line_up():
    for view in (ask("1.1"), show("2.explore")):
        style = view.children[0].value
        for state, colour in MARKS.items():
            assert f".kv-headline.kv-{state}{{border-left:.3em solid {colour}" in style
    for key in EXPLORERS:
        boxes = [box for name, box in show(key).boxes.items() if name != "kept"]
        (wide,) = {box.style.description_width for box in boxes}
        em = float(wide.removesuffix("em"))
        assert em >= max(16, *(len(box.description) / 2 for box in boxes))


def test_nothing_chosen_is_said():
    view = ask("1.predict")
    view.check.click()
    assert "Choose one of the answers first." in view.feedback.value


@pytest.mark.parametrize("key", SMALL)
def test_an_explorer_follows_its_controls_and_keeps_the_last_good_result(key):
    view = show(key)
    assert isinstance(view, AppView)
    good = view.result.value
    assert escape(run(find(key), defaults(find(key))).result.headline) in good
    typed = [c for c in find(key).controls if not isinstance(c, Select | Slider)]
    for control in typed:
        for junk in ("", "x", "-1", "nan", "1e400", "<b>&", "9" * 500, "1 gb", "__import__('os')"):
            view.boxes[control.key].value = junk
            assert f'<div class="kv-stale">{good}</div>' in view.result.value
            assert "Shown for the last readable values." in view.result.value
            assert control.label in view.errors[control.key].value
            assert "<b>" not in view.errors[control.key].value
        view.boxes[control.key].value = str(control.default)
        assert view.errors[control.key].value == ""
        assert view.result.value == good
    for control in find(key).controls:
        if isinstance(control, Select):
            view.boxes[control.key].value = control.options[-1][0]
        elif isinstance(control, Slider):
            view.boxes[control.key].value = control.maximum
        elif isinstance(control, Whole):
            view.boxes[control.key].value = str(control.minimum)
    assert view.result.value != good
    assert not any(error.value for error in view.errors.values())


def tries(control):
    """Return what a control is tried with: its default, both ends or every option."""
    if isinstance(control, Select):
        keys = [key for key, _ in control.options]
        return [control.default, keys[0], keys[-1]]
    return [str(control.default), str(control.minimum), str(control.maximum)]


def printed(result):
    """Return all text of a result, its picture's label included."""
    label = re.search(r'aria-label="([^"]*)"', result.picture)[1]
    return [result.headline, *result.sentences, *itertools.chain(*result.numbers), label]


def is_sane(text):
    """Return whether no number in `text` is nonsense: nan, inf, all zeros or a wall of digits."""
    numbers = re.findall(r"(?<![\w.])[\d,]*\.?\d+(?:e[+-]?\d+)?", text)
    zeros = [n for n in numbers if re.fullmatch(r"0\.0+", n) and f"{n} ms" not in text]
    long = [n for n in numbers if len(n.replace(",", "").lstrip("0.")) > 16]
    return not (re.search(r"\b(nan|inf)\b|\de[+-]\d", text) or zeros or long)


@pytest.mark.parametrize("key", SMALL)
def test_any_two_controls_at_any_of_their_ends_give_a_sane_result(key):
    app = find(key)
    for one, other in itertools.combinations(app.controls, 2):
        for a, b in itertools.product(tries(one), tries(other)):
            outcome = run(app, defaults(app) | {one.key: a, other.key: b})
            assert outcome.errors == {}
            for text in printed(outcome.result):
                assert is_sane(text), (one.key, a, other.key, b, text)
                assert not re.search(r"\b1 (tokens|requests wait|layers|users)\b", text)


@pytest.mark.parametrize("key", SMALL)
def test_all_controls_at_their_ends_give_a_sane_result(key):
    app, pick = find(key), random.Random(7)
    for _ in range(30 if key in SLOW else 300):
        typed = {control.key: pick.choice(tries(control)) for control in app.controls}
        outcome = run(app, typed)
        assert outcome.errors == {}
        assert all(is_sane(text) for text in printed(outcome.result)), typed


def test_every_model_of_the_catalogue_gives_a_result():
    for key, place in (("1.explore", 0), ("4.explore", 0), ("7.explore", 6)):
        for name, _ in find(key).controls[place].options:
            assert run(find(key), defaults(find(key)) | {"model": name}).result


# ---------------------------------------------------------------- what is typed

WHOLE = Whole(key="n", label="Prompt", default=1, minimum=1, maximum=10**7, unit="tokens")
AMOUNTS = {
    kind: Amount(key="x", label="X", default=default, kind=kind, minimum=least, maximum=most)
    for kind, default, least, most in (
        ("bytes", "1 GiB", "0 B", "1 TiB"),
        ("rate", "200 Gb/s", "1 Mb/s", "1 Tb/s"),
        ("seconds", "2 ms", "0 ms", "10 s"),
        ("requests", "2 requests/s", "0.001 requests/s", "100 requests/s"),
        ("token rate", "800 tokens/s", "1 tokens/s", "1,000,000 tokens/s"),
        ("tokens", "8,192 tokens", "1 tokens", "100,000 tokens"),
        ("ratio", "100 %", "10 %", "100 %"),
    )
}
READS = {
    "whole": (WHOLE, "10000", 10_000),
    "grouped": (WHOLE, "10,000", 10_000),
    "with its unit": (WHOLE, "1,024 tokens", 1_024),
    "grouped twice with points": (WHOLE, "1.024.000", 1_024_000),
    "an empty start-up": (AMOUNTS["seconds"], "0", 0),
    "no bytes": (AMOUNTS["bytes"], "0", 0),
    "arrivals bare": (AMOUNTS["requests"], "3", 3),
    "the least arrivals": (AMOUNTS["requests"], "0.001", 0.001),
    "tokens per second bare": (AMOUNTS["token rate"], "8,000", 8_000),
    "tokens bare": (AMOUNTS["tokens"], "8192", 8_192),
    "a bare time": (AMOUNTS["seconds"], "20", 0.02),
    "a bare share": (AMOUNTS["ratio"], "98", 0.98),
    "percent": (AMOUNTS["ratio"], "98.04 %", 0.9804),
    "the least percent": (AMOUNTS["ratio"], "10 %", 0.1),
}
REFUSES = {
    "ten or ten thousand": (WHOLE, "10.000", "write 10,000 or 10000"),
    "the same with a unit": (WHOLE, " 1.024 tokens", "write 1,024 or 1024"),
    "the same as a rate": (AMOUNTS["token rate"], "8.000 tokens/s", "write 8,000 or 8000"),
    "thousands for short": (WHOLE, "8k", "type a whole number, 8,000 or 8,192"),
    "half a token": (WHOLE, "1.5", "type a whole number"),
    "another unit": (WHOLE, "5 ms", "type a whole number"),
    "a share": (WHOLE, "60 %", "type tokens, not a share of them"),
    "too many": (WHOLE, "1e9", "type a number from 1 to 10,000,000"),
    "bare bytes": (AMOUNTS["bytes"], "5", "type a number and its unit, as in 1 GiB"),
    "a bare rate": (AMOUNTS["rate"], "25", "type a number and its unit, as in 200 Gb/s"),
    "a bare share in ones": (AMOUNTS["ratio"], "0.98", "write 0.98 % or 98 %"),
    "too long a bare time": (AMOUNTS["seconds"], "10001", "type something from 0 ms to 10 s"),
    "tokens for short": (
        AMOUNTS["token rate"],
        "8000 t/s",
        "type a number and its unit, as in 800 tokens/s",
    ),
    "words": (AMOUNTS["rate"], "fast", "type a number and its unit, as in 200 Gb/s"),
    "out of bounds": (AMOUNTS["seconds"], "11 s", "type something from 0 ms to 10 s"),
    "another kind": (AMOUNTS["rate"], "25 GB", "type a number and its unit, as in 200 Gb/s"),
}


@pytest.mark.parametrize(("control", "text", "value"), READS.values(), ids=READS)
def test_reads(control, text, value):
    found = control.read(text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(("control", "text", "words"), REFUSES.values(), ids=REFUSES)
def test_refuses_in_one_sentence(control, text, words):
    with pytest.raises(ValueError) as caught:
        control.read(text)
    assert str(caught.value) == words


def test_a_unit_that_could_be_misread_is_answered_with_the_two_it_may_mean():
    with pytest.raises(ValueError, match=r"^the unit could be misread, write GB/s\b.* or Gb/s\b"):
        AMOUNTS["rate"].read("25 gb/s")


# ---------------------------------------------------------------- what the explorers say


def transfer(**typed):
    return run(find("2.explore"), defaults(find("2.explore")) | typed).result


def test_a_transfer_says_what_would_save_most():
    assert transfer().sentences == ("Nothing slows it: the label alone sets the time.",)
    said = transfer(users="5", startup="20 ms", efficiency="98.04 %").sentences[0]
    assert said.startswith("Taking away the other users alone would save most: 175.23 ms, ")
    both = transfer(users="2", efficiency="50 %").sentences[0]
    assert both == (
        "Taking away framing and encoding or the other users alone would save equally much: "
        "85.90 ms, 50.0 % of the whole."
    )
    assert transfer(startup="10 s").sentences[0].startswith("Taking away start-up alone ")


def test_a_payload_counts_whole_bytes():
    assert transfer(payload="1.9 B").numbers[0] == ("payload", "2 B")
    assert transfer(payload="0.1 GiB").numbers[0][1] == "107,374,183 B"


def test_a_transfer_ends_with_its_start_up():
    found = transfer(startup="20 ms", users="5")
    assert "with start-up 234.75 ms" in found.picture.split(">")[0]
    *_, bound, bytes_part, wait = re.findall(
        r'<rect x="([\d.]+)"[^>]* width="([\d.]+)"', found.picture
    )
    assert bytes_part == bound and float(wait[0]) == pytest.approx(2 + float(bound[1]), abs=0.1)
    assert float(wait[1]) / float(bound[1]) == pytest.approx(20 / 214.75, rel=1e-2)
    assert found.picture.count("#888888") == 1
    assert ("rate you would measure", "4.57 GB/s") in found.numbers


def by_hand(values):
    """Return the bounds and all limits of the explorer's service, without capacity()."""
    prefill, decode = values["prefill_workers"], 8 - values["prefill_workers"]
    per_prefill = values["prefill_rate"] / values["prompt"]
    per_decode = values["decode_rate"] / values["output"]
    network = values["link"] / (131_072 * values["prompt"])
    bounds = {"prefill": prefill * per_prefill, "network": network, "decode": decode * per_decode}
    limits = {n: min(n * per_prefill, network, (8 - n) * per_decode) for n in range(1, 8)}
    return bounds, limits


def close(a, b):
    return abs(a - b) <= 1e-9 * b


def number(text):
    """Return the requests/s that a sentence prints, and half a unit of their last digit."""
    digits, word = re.fullmatch(r"([\d.,]+)( million| billion)? requests/s", text).groups()
    scale = {None: 1, " million": 10**6, " billion": 10**9}[word]
    decimals = len(digits.partition(".")[2])
    return float(digits.replace(",", "")) * scale, 0.500001 * scale / 10**decimals


def check_best(said, present, limits, network):
    """Fail unless a sentence about the splits names those with the largest of `limits`."""
    most = max(limits.values())
    tied = [n for n, limit in limits.items() if close(limit, most)]
    assert {int(a) + int(b) for a, b in re.findall(r"(\d):(\d)", said)} == {8}
    named = [int(n) for n in re.findall(r"(\d):\d", said)]
    if "present split, " in said:
        assert named == tied == [present] and said.endswith("is already the best of eight workers.")
        return
    value, half = number(re.search(RATE, said)[1])
    assert abs(value - most) <= half
    if len(tied) == 1:
        assert said.startswith("The best split, prefill to decode, is ")
        assert named == tied != [present]
        return
    assert list(range(named[0], named[1] + 1)) == tied
    assert said.startswith("Every split from ") == close(network, most) == ("network" in said)
    assert said.startswith("The splits ") == ("prefill limits the one" in said) <= (len(tied) == 2)
    assert ("The present split is one of them." in said) == (present in tied)


RATE = r"([\d.,]+(?: million| billion)? requests/s)"


def test_every_sentence_about_a_service_is_true():
    app, pick = find("7.explore"), random.Random(11)
    arrivals = (0.001, 1, 2, 2.9296875, 2.9297, 3.90625, 4, 7.8125, 100)
    for _ in range(1_500):
        values = {
            "prefill_workers": pick.randint(1, 7),
            "prompt": pick.choice((1, 512, 1_024, 8_192, pick.randint(1, 100_000))),
            "output": pick.choice((1, 512, 2_048, pick.randint(1, 10_000))),
            "link": pick.choice((25e9, 131_072 * 8_000.0, pick.uniform(1e6, 1e12))),
            "prefill_rate": pick.choice((800, 8_000, pick.randint(1, 50_000))),
            "decode_rate": pick.choice((800, 8_000, pick.randint(1, 5_000))),
            "model": "llama-3.1-8b",
            "arrivals": pick.choice(arrivals),
        }
        found = app.answer(values)
        bounds, limits = by_hand(values)
        limit = min(bounds.values())
        tied = [name for name, bound in bounds.items() if close(bound, limit)]
        assert re.findall(r"prefill|network|decode", found.headline.lower()) == tied
        value, half = number(re.search(f"at {RATE}", found.headline)[1])
        assert abs(value - limit) <= half

        change, load, best = found.sentences
        others, _, gives = change.partition(" does not raise the rate.")
        for name in re.findall(r"prefill|network|decode", others):
            raised = min((bounds | {name: 2 * bounds[name]}).values())
            assert close(raised, limit)
        assert bool(gives) == (len(tied) == 1)
        if gives:
            after = bounds | {tied[0]: 2 * limit}
            value, half = number(re.search(RATE, gives)[1])
            assert abs(value - min(after.values())) <= half
            then = [name for name, bound in after.items() if close(bound, min(after.values()))]
            assert re.findall(r"prefill|network|decode", gives.split(";")[1]) == then
            assert ("still" in gives) == (then == tied)

        rate = values["arrivals"]
        if close(rate, limit):
            assert "no time left" in load
        elif rate < limit:
            assert "nothing is ruled out" in load and "100 % busy" not in load.replace(
                "just under 100 %", ""
            )
        else:
            growth, half = number(re.search(f"grows (?:slowly, )?by {RATE}", load)[1])
            assert abs(growth - (rate - limit)) <= half
            waiting = 600 * (rate - limit)
            if waiting < 1:
                assert "grows slowly" in load
            else:
                shown = re.search(r"minutes ([\d,]+) requests? wait", load)[1]
                assert abs(int(shown.replace(",", "")) - waiting) <= 0.500001
        check_best(best, values["prefill_workers"], limits, bounds["network"])

        shown = [re.match(RATE, text)[1] for name, text in found.numbers if "sustains" in name]
        for (a, x), (b, y) in itertools.combinations(zip(shown, bounds.values(), strict=True), 2):
            assert (a == b) == close(x, y)
        words = "offered load" if rate > limit and not close(rate, limit) else "utilisation"
        assert all(words in text for name, text in found.numbers if "sustains" in name)


def test_stages_that_give_way_together_are_named_together():
    service = Service(prefill_workers=4, prompt_tokens=512, prefill_rate=800)
    typed = {"prefill_workers": "4", "prompt": "512", "prefill_rate": "800"}
    found = run(find("7.explore"), defaults(find("7.explore")) | typed).result
    assert capacity(service).tied == ("prefill", "decode")
    assert found.headline == "Prefill and decode give way together, at 6.25 requests/s."
    assert found.sentences[0] == "Doubling prefill or decode alone does not raise the rate."
    later = typed | {"prefill_workers": "3", "prefill_rate": "640", "arrivals": "4"}
    found = run(find("7.explore"), defaults(find("7.explore")) | later).result
    assert "Doubling prefill gives 7.50 requests/s; prefill is still first." in found.sentences[0]
    assert backlog(replace(service, prefill_workers=3, prefill_rate=640), 4.0, 600) == 150
    assert "after ten minutes 150 requests wait" in found.sentences[1]
    assert ("prefill sustains", "3.75 requests/s, offered load 106.7 %") in found.numbers


BEST = {  # what is typed: what is said of the splits
    "another is better": ({}, "The best split, prefill to decode, is 5:3: 4.69 requests/s."),
    "none is better": (
        {"prefill_workers": "5"},
        "The present split, 5:3, is already the best of eight workers.",
    ),
    "the network limits": (
        {"link": "10 Gb/s", "prefill_workers": "1"},
        "Every split from 2:6 to 7:1 sustains the most, 1.16 requests/s: the network limits them.",
    ),
    "the network limits the present one too": (
        {"link": "10 Gb/s"},
        "Every split from 2:6 to 7:1 sustains the most, 1.16 requests/s: "
        "the network limits them. The present split is one of them.",
    ),
    "two without the network": (
        {"prompt": "1000", "output": "1000", "prefill_rate": "1500", "decode_rate": "2000"},
        "The splits 4:4 and 5:3 both sustain the most, 6.00 requests/s: "
        "prefill limits the one, decode the other.",
    ),
}


@pytest.mark.parametrize(("typed", "said"), BEST.values(), ids=BEST)
def test_the_best_of_the_splits_is_named_with_its_equals(typed, said):
    found = run(find("7.explore"), defaults(find("7.explore")) | typed).result
    assert found.sentences[-1] == said


def ranks(**typed):
    return run(find("4.explore"), defaults(find("4.explore")) | typed).result


def test_a_hand_off_says_how_far_off_a_division_by_gpus_is():
    assert ranks().sentences == (
        "Payload over 2 decode ranks is 512.00 MiB (536.87 MB), and that is what a decode rank "
        "receives.",
        "A prefill rank sends the most, 1.00 GiB (1.07 GB): at least 42.95 ms at 25.00 GB/s.",
        "One prefill rank posts 1,048,576 descriptors, which takes it 1.05 s.",
    )
    copied = ranks(prefill="16", decode="16").sentences
    assert copied[0] == (
        "Payload over 16 decode ranks is 64.00 MiB (67.11 MB); a decode rank receives 2.00× that."
    )
    assert copied[1].startswith("Ranks on both sides move the most, 128.00 MiB (134.22 MB): ")
    latent = ranks(model="deepseek-v3", prefill="4", decode="16", way="staged").sentences
    assert latent[0].endswith("; a decode rank receives 16.00× that.")
    assert latent[2].endswith(" Nothing is sliced here, so nothing is staged.")
    pulled = ranks(prefill="16", decode="2", way="vllm").sentences
    assert pulled[1].startswith("A decode rank receives the most, 512.00 MiB (536.87 MB): ")
    assert pulled[2].startswith("One decode rank posts ")


def test_a_hand_off_that_cannot_be_says_why():
    found = ranks(model="phi-4", decode="4")
    assert found.headline == "These two sides cannot hand off."
    assert found.sentences == (
        "Decode TP must be a divisor or a multiple of 10 KV heads, got 4; 1, 2, 5, 10, 20 and 30 "
        "work.",
    )
    assert "payload 1.56 GiB (1.68 GB)" in found.picture


def test_what_a_hand_off_holds_and_sends_is_what_brute_force_finds():
    for name, heads in (("llama-3.1-8b", 8), ("qwen3-235b-a22b", 4), ("phi-4", 10)):
        payload = dict(ranks(model=name, decode="1").numbers)["payload"]
        for p, d in itertools.product((1, 2, 4, 8, 16), repeat=2):
            fits = all(heads % n == 0 or n % heads == 0 for n in (p, d))
            for way, most in (("sglang", max(heads, p, d)), ("vllm", max(heads, d))):
                found = ranks(model=name, prefill=str(p), decode=str(d), way=way)
                assert found.headline.startswith("These two sides") != fits
                if fits:
                    numbers = dict(found.numbers)
                    assert numbers["payload"] == payload
                    assert numbers["wire over payload"] == f"{most / heads:.2f}×"


def test_text_from_outside_is_escaped():
    evil = "<script>alert(1)</script>"
    select = Select(key="m", label=evil, options=((evil, evil),), default=evil)
    app = App(key="0.x", title=evil, controls=(select,), answer=lambda v: Result(headline=v["m"]))
    assert "<script" not in html.form(app)
    key = '"><script>'
    named = App(key=key, title="x", controls=(replace(select, key=key),), answer=app.answer)
    named = replace(named, answer=lambda v: Result(headline="x", state=key))
    assert "<script" not in html.form(named)


def test_the_build_shows_forms_and_jupyter_shows_widgets(monkeypatch):
    assert isinstance(show("1.explore"), AppView)
    monkeypatch.setenv("KVLIB_STATIC", "1")
    assert isinstance(show("1.explore"), Form)
    assert ask("1.1")._repr_html_().startswith('<form class="kv-app" id="kv-1-1" data-kv-app="1.1"')
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
