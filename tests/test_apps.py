"""What a large app needs of the forms: groups, pasted text, a kept set-up, parts, copies."""

import json

import pytest

from kvlib.apps.app import App, Group, Part, Refused, Result, defaults, run
from kvlib.apps.controls import Amount, Kept, Slider, Text, Whole
from kvlib.show import html, show
from kvlib.show.widgets import AppView

EVIL = "<script>alert(1)</script> 5 GiB & more"
WORKERS = Slider(key="workers", label="Workers", default=3, minimum=1, maximum=8)
ROOM = Amount(key="room", label="Room", default="", kind="bytes", minimum="1 B", maximum="9 TB",
              example="9 TB")  # fmt: skip
NOTES = Text(key="notes", label="A log line", limit=100)
KEPT = Kept(key="kept", label="The kept set-up")


def answer(values):
    if values["workers"] == 8:
        raise Refused(workers="leave one of 8 for <decode>", room="there is none")
    return Result(
        headline=f"{values['workers']} workers.",
        parts=(
            Part(
                title=EVIL,
                sentences=(values["notes"],),
                numbers=(("room", str(values["room"])),),
                table=(("", "this"), ("kept", str(values["kept"]))),
                picture="<svg></svg>",
            ),
        ),
        copies=(("As Markdown", values["notes"]),),
    )


TOY = App(
    key="0.toy",
    title="A toy",
    controls=(WORKERS, ROOM, NOTES, KEPT),
    answer=answer,
    groups=(Group(title="More", first="room", folded=True), Group(title="Keep", first="kept")),
)


def typed(**texts):
    return defaults(TOY) | texts


def test_what_is_optional_may_be_left_empty():
    assert ROOM.read("") is None and ROOM.read("  ") is None
    assert ROOM.read("2 GB") == 2_000_000_000
    with pytest.raises(ValueError, match=r"^type a number and its unit, as in 9 TB$"):
        ROOM.read("much")


def test_pasted_text_is_not_trusted_to_be_small():
    assert NOTES.read("a\nb") == "a\nb"
    with pytest.raises(ValueError, match=r"^paste at most 100 characters, this is 5,000$"):
        NOTES.read("x" * 5_000)


def test_a_kept_set_up_is_a_mapping_of_texts_or_nothing():
    assert KEPT.read("") is None
    assert KEPT.read('{"workers": "4"}') == {"workers": "4"}
    long = json.dumps({"workers": "4" * 400_000})
    for junk in ("x", "[]", "1", "null", '{"workers": 4}', "[" * 100_000, "{", "NaN", long):
        with pytest.raises(ValueError, match=r"^this is no set-up, forget it and keep another$"):
            KEPT.read(junk)


def test_values_that_do_not_go_together_are_refused_beside_their_fields():
    assert run(TOY, typed(workers="8")).errors == {
        "workers": "Workers: leave one of 8 for <decode>.",
        "room": "Room: there is none.",
    }
    assert run(TOY, typed(workers="7")).errors == {}


def test_controls_stand_in_their_groups():
    found = [(group and group.title, [c.key for c in cs]) for group, cs in TOY.grouped()]
    assert found == [(None, ["workers"]), ("More", ["room", "notes"]), ("Keep", ["kept"])]
    form = html.form(TOY)
    assert form.count('<details class="kv-group">') == 1  # folded
    assert form.count('<details class="kv-group" open>') == 1
    assert form.count("</details>") == 3  # the copy's too


def test_a_long_result_is_escaped_and_what_is_copied_is_left_as_it_is():
    result = run(TOY, typed(notes=EVIL, kept=json.dumps({"notes": EVIL}))).result
    shown = html.joined(html.result(result))
    assert "<script" not in shown
    escaped = "&lt;script&gt;alert(1)&lt;/script&gt; 5 GiB &amp; more"
    assert f">{escaped}</textarea>" in shown
    assert "<p>" + escaped.replace("5 GiB", "5\u00a0GiB") + "</p>" in shown
    assert '<th scope="col">this</th>' in shown and '<th scope="row">kept</th>' in shown


def test_a_set_up_is_kept_swapped_and_forgotten_in_jupyter():
    view = AppView(TOY, {"workers": "5", "notes": "mine"})
    kept = view.boxes["kept"]
    assert "5 workers." in view.result.value
    kept.buttons["swap"].click()  # nothing is kept: nothing happens
    kept.buttons["keep"].click()
    assert json.loads(kept.value) == {"workers": "5", "room": "", "notes": "mine"}
    view.boxes["workers"].value = 2
    kept.buttons["swap"].click()
    assert view.boxes["workers"].value == 5 and json.loads(kept.value)["workers"] == "2"
    assert "&#x27;workers&#x27;: &#x27;2&#x27;" in view.result.value
    kept.buttons["forget"].click()
    assert kept.value == "" and "<td>None</td>" in view.result.value
    view.boxes["workers"].value = 8
    assert "leave one of 8 for &lt;decode&gt;" in view.errors["workers"].value
    assert "5 workers." in view.result.value


def test_an_app_can_begin_with_other_texts():
    assert show("7.explore", {"prefill_workers": "5"}).boxes["prefill_workers"].value == 5
    with pytest.raises(ValueError, match=r"^show: typed must be a known name, got 'prefil'; did "):
        show("7.explore", {"prefil": "5"})
    with pytest.raises(TypeError, match=r"^show: prompt must be text, got 5 \(int\)$"):
        show("7.explore", {"prompt": 5})


def test_a_whole_number_is_shown_with_its_thousands():
    count = Whole(key="n", label="Count", default=8_192, minimum=1, maximum=10**7)
    app = App(key="0.n", title="N", controls=(count,), answer=lambda v: Result(headline="x"))
    assert 'value="8,192"' in html.form(app)
