"""House style and the drawings that the book repeats.

Opaque background, lower-case axis labels with the unit in brackets, series labelled where they end
rather than in a legend, no title (the caption is the title), bars from zero. One colour a stage
through the whole book, each with a second cue.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt

__all__ = ["STAGES", "bars", "lines", "points", "use_style"]

STAGES = {  # stage: (colour, dash, hatch)
    "prefill": ("#0072B2", "-", ""),
    "network": ("#009E73", "--", "///"),
    "decode": ("#D55E00", "-.", "..."),
    "memory": ("#CC79A7", ":", "xxx"),
    "waiting": ("#888888", (0, (1, 1)), ""),
}
SERIES = [("#000000", "-"), ("#882255", "--"), ("#332288", "-."), ("#777722", ":")]  # no stage


def use_style() -> None:
    """Set the house style for every figure of a notebook: SVG on white."""
    plt.rcParams.update(
        {
            "axes.grid": True,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.facecolor": "white",
            "figure.figsize": (7, 3.6),
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "grid.alpha": 0.25,
            "hatch.linewidth": 0.6,
            "lines.linewidth": 2,
            "savefig.facecolor": "white",
            "svg.fonttype": "path",
            "svg.hashsalt": "kvlib",
        }
    )
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")


def _style(name: str, position: int) -> tuple[Any, Any]:
    """Return colour and dash: a stage's own, else the next of the series."""
    if name in STAGES:
        return STAGES[name][:2]
    return SERIES[position % len(SERIES)]


def _label_ends(ax: Any, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write each name to the right of its line's end, moved apart where two would collide."""
    low, high = ax.get_ylim()
    scale = ax.transAxes.inverted().transform
    spots = sorted((scale(ax.transData.transform((x, y)))[1], n, c) for n, x, y, c in ends)
    floor = -1.0
    for height, name, colour in spots:
        floor = max(height, floor + 0.075)
        ax.text(1.01, floor, name, transform=ax.transAxes, color=colour, va="center")
    ax.set_ylim(low, high)


def lines(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x_label: str,
    y_label: str,
    marks: Mapping[str, float] | None = None,
    log: bool = False,
) -> Any:
    """Draw named lines (x, y), each labelled at its end, and return the axes.

    `marks` are named horizontal lines. With `log` both axes are logarithmic, else y starts at 0.
    """
    _figure, ax = plt.subplots()
    ends = []
    for position, (name, (x, y)) in enumerate(series.items()):
        colour, dash = _style(name, position)
        ax.plot(x, y, color=colour, linestyle=dash)
        ends.append((name, x[-1], y[-1], colour))
    for name, y in (marks or {}).items():
        ax.axhline(y, color="#555555", linewidth=1.2, linestyle=":")
        ends.append((name, ax.get_xlim()[1], y, "#555555"))
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


def points(ax: Any, name: str, x: Sequence[float], y: Sequence[float], place: float) -> None:
    """Add measured points to axes; their name stands beside the point number `place`."""
    ax.plot(x, y, "o", color="#000000", markersize=5)
    ax.annotate(name, (x[place], y[place]), xytext=(8, -12), textcoords="offset points")


def bars(values: Mapping[str, float], y_label: str, mark: tuple[str, float] | None = None) -> Any:
    """Draw one bar a name from zero, its value on top, and return the axes.

    `mark` is a named horizontal line. A stage has its colour and hatch.
    """
    _figure, ax = plt.subplots()
    for position, (name, value) in enumerate(values.items()):
        colour, _dash, hatch = STAGES.get(name, (SERIES[0][0], "-", ""))
        bar = ax.bar(position, value, color=colour, hatch=hatch, edgecolor="white", width=0.6)
        ax.bar_label(bar, fmt=lambda v: f"{v:,.2f}")
    ax.set_xticks(range(len(values)), list(values))
    ax.grid(axis="x", visible=False)
    if mark:
        ax.axhline(mark[1], color="#555555", linestyle="--")
        ax.text(1.01, mark[1], mark[0], transform=ax.get_yaxis_transform(), va="center")
    ax.set_ylabel(y_label)
    ax.margins(y=0.12)
    return ax
