"""Pictures and figures: nothing leaves the picture, no line crosses a text, all of it is said.

Oracle: the boxes that texts take at 0.62 of their size a character, read back from the SVG.
"""

import itertools
import random
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

from kvlib.apps import APPS, defaults, find, run
from kvlib.apps.controls import Select
from kvlib.apps.picture import bars, curve, lanes
from kvlib.budget import STAGES
from kvlib.exercises import QUESTIONS
from kvlib.figures import lanes as figure_lanes
from kvlib.figures import lines, points
from kvlib.palette import STAGES as LOOKS

EXPLORERS = [key for key in APPS if key not in QUESTIONS and not APPS[key].groups]


def parts(picture, name):
    """Return the elements of an SVG called `name`."""
    root = ElementTree.fromstring(picture)
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def box(text):
    """Return left, top, right and bottom of a text element."""
    x, y, size = (float(text.get(name)) for name in ("x", "y", "font-size"))
    wide = 0.62 * size * len(text.text)
    left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    return left, y - 0.75 * size, left + wide, y + 0.25 * size


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def check(picture):
    """Fail if anything leaves the picture, or a text meets a text, a bar or a line."""
    root = ElementTree.fromstring(picture)
    _, _, wide, high = map(float, root.get("viewBox").split())
    texts = [box(text) for text in parts(picture, "text")]
    rects = []
    for rect in parts(picture, "rect"):
        x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        rects.append((x, y, x + w, y + h))
    ticks = []
    for line in parts(picture, "line"):
        x, top, bottom = (float(line.get(name)) for name in ("x1", "y1", "y2"))
        assert line.get("x2") == line.get("x1")
        ticks.append((x - 1, top, x + 1, bottom))
    for left, top, right, bottom in [*texts, *rects, *ticks]:
        assert left >= 0 and top >= 0 and right <= wide and bottom <= high
    for a, b in itertools.combinations(texts, 2):
        assert not meet(a, b)
    for text, other in itertools.product(texts, [*rects, *ticks]):
        assert not meet(text, other)
    assert 14 * 316 / wide >= 10  # pixels of a letter on a phone
    for text in parts(picture, "text"):
        assert text.text.removesuffix(", far beyond") in root.get("aria-label") + " 0"
    for line in parts(picture, "polyline"):
        spots = [tuple(map(float, spot.split(","))) for spot in line.get("points").split()]
        for (x, y), (u, v) in itertools.pairwise(spots):
            for part in (0, 0.25, 0.5, 0.75, 1):
                spot = (x + part * (u - x), y + part * (v - y)) * 2
                assert not any(meet(spot, text) for text in texts)


def tries(control):
    if isinstance(control, Select):
        return [key for key, _ in control.options]
    return [str(control.default), str(control.minimum), str(control.maximum)]


@pytest.mark.parametrize("key", EXPLORERS)
def test_nothing_leaves_a_picture_or_meets_a_text_whatever_is_typed(key):
    app, pick = find(key), random.Random(5)
    check(run(app, defaults(app)).result.picture)
    for _ in range(40 if key in ("3.replay", "7.queue") else 400):
        typed = {control.key: pick.choice(tries(control)) for control in app.controls}
        check(run(app, typed).result.picture)


ROWS = [
    ("prefill", [(3.0, "prefill")], "3.00 requests/s"),
    ("decode", [(8.0, "decode")], "8.00"),
]


@pytest.mark.parametrize("mark", [0.001, 1.0, 7.9, 8.0, 20.0, 32.0, 32.1, 1e9])
def test_a_mark_never_flattens_the_bars(mark):
    picture = bars(ROWS, "what each stage sustains", (mark, f"arrivals {mark:g}"))
    check(picture)
    longest = max(float(rect.get("width")) for rect in parts(picture, "rect"))
    assert longest >= 436 / 4
    far = mark > 4 * 8
    assert len(parts(picture, "line")) == (0 if far else len(ROWS))
    assert ("far beyond" in picture) == far


def test_a_picture_says_its_values_to_those_who_do_not_see_it():
    picture = bars(ROWS, "What each stage sustains", (2.0, "arrivals 2.00 requests/s"))
    label = ElementTree.fromstring(picture).get("aria-label")
    assert label == (
        "What each stage sustains: prefill 3.00 requests/s, decode 8.00, arrivals 2.00 requests/s"
    )
    drawn = curve(
        [(0, 0), (2, 2)], (1, 1), "Growth: 1 B", ("tokens", "payload"), ("2", "2 B", "1 B")
    )
    check(drawn)
    label = ElementTree.fromstring(drawn).get("aria-label")
    assert label == "Growth: 1 B; payload, up to 2 B; tokens, up to 2"


PARTS = {"like": (3.0, 5.0), "none": (3.0, 0.0), "little": (3.0, 1e-9), "much": (1e-9, 3.0)}


@pytest.mark.parametrize("values", PARTS.values(), ids=PARTS)
def test_parts_of_a_bar_lie_end_to_end_and_none_is_lost(values):
    picture = bars([("whole", list(zip(values, ("network", "waiting"), strict=True)), "x")], "w")
    check(picture)
    a, b = [(float(r.get("x")), float(r.get("width"))) for r in parts(picture, "rect")]
    assert b[0] == pytest.approx(a[0] + a[1], abs=0.1)
    assert a[1] + b[1] == pytest.approx(436)
    assert all((wide >= 2) == (value > 0) for (_, wide), value in zip((a, b), values, strict=True))
    if min(values) > 1:
        assert a[1] / b[1] == pytest.approx(values[0] / values[1], rel=1e-2)


SPANS = {  # spans of one lane of ten seconds, and the blocks that are drawn
    "apart": ([(0, 1, "network"), (5, 6, "network")], 2),
    "touching": ([(0, 1, "prefill"), (1, 2, "prefill"), (2, 3, "prefill")], 1),
    "touching, of two stages": ([(0, 4, "waiting"), (4, 10, "decode")], 2),
    "many and thin": ([(i / 100, i / 100 + 1e-6, "network") for i in range(1_000)], 1),
    "too thin to see": ([(3, 3 + 1e-12, "network"), (10, 10 + 1e-9, "network")], 2),
    "of no length": ([(3, 3, "waiting")], 0),
    "none": ([], 0),
}


@pytest.mark.parametrize(("spans", "blocks"), SPANS.values(), ids=SPANS)
def test_spans_that_touch_are_one_block_and_none_is_lost(spans, blocks):
    picture = lanes([("network", spans, "done")], "Work", (10.0, "time, up to 10 s"))
    check(picture)
    rects = [(float(r.get("x")), float(r.get("width"))) for r in parts(picture, "rect")]
    assert len(rects) == blocks and all(wide >= 1.4 for _, wide in rects)
    for (start, end, _), (left, wide) in zip(spans, rects, strict=False):
        if len(spans) == blocks and end - start > 0.1:
            assert left == pytest.approx(2 + 43.6 * start, abs=0.1)
            assert wide == pytest.approx(43.6 * (end - start), abs=0.1)


def test_lanes_say_their_values_and_show_where_a_piece_ends():
    spans = [(i, i + 1, "prefill") for i in range(4)]
    picture = lanes([("compute", spans, "done at 4 s")], "Work", (5.0, "time, up to 5 s"))
    label = ElementTree.fromstring(picture).get("aria-label")
    assert label == "Work: compute done at 4 s; time, up to 5 s"
    assert sum(path.get("d").count("M") for path in parts(picture, "path")) == 1 + 3


def test_a_figure_of_lanes_counts_in_its_unit_and_hatches_every_stage():
    rows = {"network": [(1.0, 2.0, "network", "1")], "decode": [(2.0, 3.0, "waiting", "")]}
    ax = figure_lanes(rows, "time [ms]", marks=[2.0], unit=0.001)
    bars_drawn = [patch for patch in ax.patches if patch.get_width()]
    assert [(b.get_x(), b.get_width()) for b in bars_drawn] == [(1_000, 1_000), (2_000, 1_000)]
    assert [b.get_hatch() for b in bars_drawn] == ["//", "--"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["network", "decode"]
    assert [list(line.get_xdata()) for line in ax.lines] == [[2_000, 2_000]]
    plt.close(ax.figure)


def test_every_stage_has_a_look_of_its_own_and_grey_is_waiting():
    assert set(LOOKS) == {*STAGES, "waiting"}
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.hatch for look in LOOKS.values()}) == len(LOOKS)
    assert LOOKS["waiting"].colour == "#888888"
    hatches = set()
    for name in LOOKS:
        (path,) = parts(bars([(name, [(1.0, name)], "1")], "x"), "path") or [None]
        hatches.add("" if path is None else path.get("d"))
    assert len(hatches) == len(LOOKS)


ENDS = {
    "far apart": [1.0, 5.0, 9.0],
    "equal": [5.0, 5.0, 5.0, 5.0],
    "all at the top": [9.0, 9.0, 9.0],
    "all at zero": [0.0, 0.0, 0.0, 9.0],
    "more than fit": [9.0] * 16,
}


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("log", [False, True])
def test_labels_of_lines_stay_within_the_axes_and_apart(ends, log):
    series = {f"s{i}": ([1, 2], [1.0, end + log]) for i, end in enumerate(ends)}
    ax = lines(series | {"limit": ([1, 2], [9.0, 9.0])}, "x", "y [s]", log=log)
    heights = sorted(text.get_position()[1] for text in ax.texts)
    assert len(heights) == len(ends) + 1
    assert heights[0] >= 0 and heights[-1] <= 1 + 1e-9
    apart = min(b - a for a, b in itertools.pairwise(heights))
    assert apart >= min(0.085, 1 / len(ends)) - 1e-9
    order = [text.get_text() for text in sorted(ax.texts, key=lambda t: t.get_position()[1])]
    values = dict(zip(series, ends, strict=True)) | {"limit": 9.0 - log}
    assert [values[name] for name in order] == sorted(values.values())
    points(ax, "measured", [1, 2], [2.0, 3.0], 0)
    plt.close(ax.figure)
