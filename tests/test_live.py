"""The page's Python gives what Python gives: every app and every check, CPython and Pyodide.

The second runs under Node on the files that `make book` puts into the site.
"""

import json
import random
import subprocess
import zipfile

import live
import pytest
from nodejs import node_for
from pages import BOOK, ROOT

from kvlib.apps import APPS, defaults
from kvlib.apps.controls import Amount, Kept, Select, Slider, Text, Whole
from kvlib.exercises import QUESTIONS, rehearsal
from kvlib.show.html import joined
from kvlib.show.live import answer
from kvlib.units import UNITS

JUNK = ("", " ", "abc", "-1", "1e999", "nan", "½", "1 gb", "<b>1</b>", "1.024", "9" * 400, "1 GB")
SLOW = ("7.queue",)  # takes tens of milliseconds an answer
SOME = {  # texts of each kind of quantity
    "bytes": ("1 GiB", "1.9 B", "64 TiB", "0.1 GiB", "3 MB", "7,5 kB"),
    "rate": ("200 Gb/s", "25 GB/s", "1 Tb/s", "100 Mb/s", "12.34 GiB/s", "333 Gbit/s"),
    "seconds": ("0 ms", "20 ms", "1 s", "0.3 µs", "9.99 s"),
    "ratio": ("100 %", "98.04 %", "33", "10 %", "66.67 %"),
    "requests": ("3 requests/s", "0.001", "2.93", "100 requests/s", "1/3"),
    "tokens": ("1 tokens", "8,192 tokens", "100000"),
    "token rate": ("8,000 tokens/s", "1", "4321 tokens/s"),
}
CODE = """
import json, sys
from dataclasses import asdict
from kvlib.apps import find, run as outcome
from kvlib.show.live import answer

def run(cases):
    found = []
    for key, typed in json.loads(cases):
        request = json.dumps({"key": key, "typed": typed, "last": None})
        found.append([asdict(outcome(find(key), typed)), json.loads(answer(request))])
    return json.dumps({"platform": sys.platform, "found": found})
"""


LOG = "[TP0] KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"
CONFIG = json.dumps({"model_type": "llama", "num_hidden_layers": 32, "head_dim": 128,
                     "num_attention_heads": 32, "num_key_value_heads": 8})  # fmt: skip


def texts(control):
    """Return what a reader may type or choose in a control, good and bad."""
    match control:
        case Text():
            return (LOG if control.key == "log" else CONFIG, *JUNK)
        case Kept():
            return ('{"model": "deepseek-v3"}', '{"workers": "1"}', *JUNK)
        case Select():
            return (*(key for key, _ in control.options), "no such option")
        case Slider():
            return tuple(str(n) for n in range(control.minimum, control.maximum + 1))
        case Whole():
            ends = control.minimum, control.maximum, control.minimum - 1, control.maximum + 1
            return (*map(str, ends), "12,345", "777", "8 192", *JUNK)
        case Amount():
            return (control.minimum, control.maximum, *SOME[control.kind], *JUNK)
        case _:
            question = control.question
            known = [text for text, _, _ in rehearsal(question)]
            units = [f"{known[-1].split(' ')[0]} {unit}" for unit in UNITS] if question.unit else []
            return (*known, *units, *JUNK)


def cases():
    """Return (key, typed) pairs: each control alone, then all of them at random."""
    pick = random.Random(3)
    for key, app in APPS.items():
        plain = defaults(app)
        if app.groups:  # large, and slow to answer: one good and one bad text of each control
            for control in app.controls:
                for text in (texts(control)[0], pick.choice(texts(control))):
                    yield key, plain | {control.key: text}
            continue
        for control in app.controls:
            for text in texts(control):
                yield key, plain | {control.key: text}
        for _ in range(0 if key in QUESTIONS else 8 if key in SLOW else 24):
            yield key, {c.key: pick.choice(texts(c)) for c in app.controls}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """The scripts and Python of a page, as the build writes them."""
    if not (BOOK / "browser/node_modules/pyodide").exists():
        pytest.skip("no Pyodide here: `make test` fetches it")
    return live.engine(tmp_path_factory.mktemp("live") / "live")


def test_the_page_gets_the_files_of_kvlib_unchanged(engine):
    scripts, _ = engine
    with zipfile.ZipFile(scripts / "kvlib.zip") as archive:
        sent = {n: archive.read(n) for n in archive.namelist() if not n.endswith(".pyc")}
        flags = {archive.read(n)[4] for n in archive.namelist() if n.endswith(".pyc")}
    ours = [p for p in (ROOT / "kvlib").rglob("*") if p.suffix in (".py", ".json")]
    assert sent == {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in ours}
    assert flags == {0b11}  # compiled files count by the source's hash, and only if it fits


def test_pyodide_answers_what_cpython_answers(engine):
    asked = list(cases())
    assert {key for key, _ in asked} == set(APPS)
    argument = json.dumps(asked)
    scripts, python = map(str, engine)
    done = subprocess.run(
        [node_for("pyodide"), ROOT / "tests/pyodide.mjs"],
        input=json.dumps(
            {"scripts": scripts, "python": python, "code": CODE, "argument": argument}
        ),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    here: dict = {}
    exec(CODE, here)
    there = json.loads(done.stdout)
    assert there["platform"] == "emscripten"
    ours, theirs = json.loads(here["run"](argument))["found"], there["found"]
    assert len(ours) == len(theirs) == len(asked)
    for case, mine, its in zip(asked, ours, theirs, strict=True):
        assert its == mine, case
    outcomes = [mine[0] for mine in ours]
    assert sum(o["errors"] != {} for o in outcomes) > 100
    states = {o["result"]["state"] for o in outcomes if o["result"]}
    assert states == {"info", "right", "slip", "wrong", "unreadable"}


def ask(key, typed, last=None):
    return json.loads(answer(json.dumps({"key": key, "typed": typed, "last": last})))


def test_a_bad_value_keeps_the_last_good_result():
    good = defaults(APPS["2.explore"]) | {"payload": "2 GiB"}
    first = ask("2.explore", good)
    assert first["errors"] == {} and first["say"].startswith("2.00 GiB (2.15 GB) needs at least ")
    assert joined(first["say"]) in first["html"]
    bad = ask("2.explore", good | {"payload": "2 gb"}, good)
    assert list(bad["errors"]) == ["payload"] and bad["say"] == ""
    assert bad["html"].startswith('<p class="kv-kept">') and first["html"] in bad["html"]
    untouched = ask("2.explore", good | {"payload": "2 gb"})["html"]
    assert ask("2.explore", defaults(APPS["2.explore"]))["html"] in untouched


def test_a_verdict_tells_its_state():
    for key, question in QUESTIONS.items():
        for text, state, words in rehearsal(question):
            found = ask(key, {"answer": text})
            assert (found["state"], found["errors"]) == (state, {})
            assert words in found["say"]


def test_what_no_page_sends_is_refused():
    with pytest.raises(ValueError, match=r"^find: key must be a known name, got 'x'; "):
        ask("x", {})
    with pytest.raises(ValueError, match=r"^run: typed must hold 'model', got \[\]$"):
        ask("1.explore", {})
