"""House style and the drawings that the book repeats.

Opaque background, lower-case axis labels with the unit in brackets, series labelled where they end
rather than in a legend, no title (the caption is the title), y from zero. One colour a stage
through the whole book, each with a second cue.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt

from kvlib.palette import STAGES

__all__ = ["lanes", "lines", "points", "use_style"]

INK = "#222222"  # labels
LINE = 0.085  # of the axes' height: what a label needs
SERIES = [("#000000", "-"), ("#882255", "--"), ("#332288", "-."), ("#777722", ":")]  # no stage


def use_style() -> None:
    """Set the house style for every figure of a notebook: SVG on white."""
    plt.rcParams.update(
        {
            "axes.grid": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.facecolor": "white",
            "figure.figsize": (6, 3.4),
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "grid.alpha": 0.25,
            "lines.linewidth": 2,
            "savefig.facecolor": "white",
            "svg.fonttype": "path",
            "svg.hashsalt": "kvlib",
        }
    )
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")


def _style(name: str, position: int) -> tuple[str, str]:
    """Return colour and dash: a stage's own, else the next of the series."""
    if name in STAGES:
        return STAGES[name].colour, STAGES[name].dash
    return SERIES[position % len(SERIES)]


def _label_ends(ax: Any, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write each name to the right of its line's end, joined to it by a thin line of its colour.

    Labels that would collide move apart, up and down, and stay within the height of the axes.
    """
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())  # what is added later moves no label
    to_axes = ax.transData + ax.transAxes.inverted()
    ordered = sorted(ends, key=lambda end: to_axes.transform(end[1:3])[1])
    places = _spread([to_axes.transform(end[1:3])[1] for end in ordered])
    for (name, x, y, colour), place in zip(ordered, places, strict=True):
        ax.annotate(
            name,
            (x, y),
            (1.035, place),
            textcoords="axes fraction",
            color=INK,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "relpos": (0, 0.5),  # from the label's left edge: it crosses no other label
                "shrinkA": 2,
                "shrinkB": 0,
            },
        )


def _spread(heights: Sequence[float]) -> list[float]:
    """Return sorted heights moved as little as it takes to stand LINE apart within 0 to 1."""
    count = len(heights)
    step = min(LINE, 1 / max(count - 1, 1))
    blocks: list[list[float]] = []  # neighbours that touch, less their places in the row
    for i, height in enumerate(heights):
        blocks.append([height - i * step])
        while len(blocks) > 1 and _mean(blocks[-2]) >= _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    rows = [_mean(block) for block in blocks for _ in block]
    top = 1 - (count - 1) * step
    return [min(max(row, 0), top) + i * step for i, row in enumerate(rows)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def lines(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x_label: str,
    y_label: str,
    log: bool = False,
) -> Any:
    """Draw named lines (x, y), each labelled at its end, and return the axes.

    With `log` both axes are logarithmic, else y starts at 0.
    """
    _figure, ax = plt.subplots()
    ends = []
    for position, (name, (x, y)) in enumerate(series.items()):
        colour, dash = _style(name, position)
        ax.plot(x, y, color=colour, linestyle=dash)
        ends.append((name, x[-1], y[-1], colour))
    if log:
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,g}")  # 1,000 and not a power
    else:
        ax.set_ylim(bottom=0)
        ax.set_xlim(
            min(min(x) for x, _ in series.values()), max(max(x) for x, _ in series.values())
        )
        ax.xaxis.set_major_formatter("{x:,g}")
    ax.set(xlabel=x_label, ylabel=y_label)
    _label_ends(ax, ends)
    return ax


def points(ax: Any, name: str, x: Sequence[float], y: Sequence[float], place: int) -> None:
    """Add measured points to axes; their name stands beside the point number `place`."""
    ax.plot(x, y, "o", color="#000000", markersize=5)
    ax.annotate(name, (x[place], y[place]), xytext=(0, 16), textcoords="offset points", color=INK)


def lanes(
    rows: Mapping[str, Sequence[tuple[float, float, str, str]]],
    x_label: str,
    marks: Sequence[float] = (),
    unit: float = 1,
) -> Any:
    """Draw one lane a row, first on top, of spans (start, end, stage, text); return the axes.

    Each span has its stage's colour and hatch, and its text inside. `marks` are moments drawn as
    dashed lines through all lanes. Times are in seconds; the axis counts them in `unit`.
    """
    _figure, ax = plt.subplots(figsize=(6, 0.8 + 0.45 * len(rows)))
    label = {"ha": "center", "va": "center", "color": INK, "fontsize": 10}
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    for y, spans in enumerate(rows.values()):
        for start, end, stage, text in spans:
            look, left, right = STAGES[stage], start / unit, end / unit
            style = {"color": look.colour, "hatch": look.hatch, "edgecolor": "white"}
            ax.barh(y, right - left, left=left, height=0.7, linewidth=0.8, **style)
            if text:
                ax.text((left + right) / 2, y, text, bbox=paper, **label)
    for mark in marks:
        ax.axvline(mark / unit, color=INK, linestyle=(0, (2, 2)), linewidth=1)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.grid(visible=False)
    ax.set(xlim=(0, None), xlabel=x_label)
    ax.xaxis.set_major_formatter("{x:,g}")
    return ax
