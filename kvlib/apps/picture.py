"""Small SVG pictures for apps: bars, lanes and curves as text, drawn in the reader's own ink.

Text and axes take `currentColor`, so that a picture reads on light and dark pages. A picture is
narrow, so that its text stays legible on a phone. Every bar has its name and value above it and
a hatch of its own, and the picture's label says all of it: nothing is told by colour alone.
"""

from collections.abc import Iterable, Sequence
from html import escape

from kvlib.palette import STAGES

__all__ = ["bars", "curve", "lanes"]

Row = tuple[str, Sequence[tuple[float, str]], str]  # name, parts of (value, stage), printed value
Lane = tuple[str, Sequence[tuple[float, float, str]], str]  # name, (start, end, stage), printed
WIDTH, EDGE = 440, 2  # units of the viewBox, and how many stay empty on either side
SIZE = 14
CHARACTER = 0.62 * SIZE  # what a character takes, at most
BAR, NAME, GAP = 20, 19, 11  # heights: a bar, the line of text above it, the space below it
FAR = 4  # a mark further out than this many times the longest bar is pointed at, not drawn
INK = f'fill="currentColor" font-family="inherit" font-size="{SIZE}"'


def _svg(height: float, label: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(label)}"'
    return f'{head} xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'


def _text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    """Return one line of text, moved inwards where it would leave the picture."""
    wide = len(words) * CHARACTER
    before = {"start": 0, "middle": wide / 2, "end": wide}[anchor]
    x = max(EDGE + before, min(x, WIDTH - EDGE - wide + before))
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"'
    return f"<text {place} {INK}>{escape(words)}</text>"


def _hatch(hatch: str, left: float, y: float, width: float) -> str:
    """Return the strokes that set a bar apart from others when colour does not."""
    low = y + BAR
    starts = [round(left + step, 1) for step in range(6, int(width) - 10, 10)]
    strokes = {
        "/": "".join(f"M{x} {low - 3}l8 {-(BAR - 6)}" for x in starts),
        "x": "".join(f"M{x} {low - 5}l7 -10m-7 0l7 10" for x in starts),
        ".": "".join(f"M{x} {y + 6}h2m3 8h2" for x in starts),
        "-": f"M{left + 4:.1f} {y + BAR / 2:g}H{left + width - 4:.1f}" if width > 12 else "",
    }
    path = strokes.get(hatch[:1], "")
    return f'<path d="{path}" fill="none" stroke="#FFFFFF" stroke-width="1.5"/>' if path else ""


def bars(rows: Sequence[Row], label: str, mark: tuple[float, str] | None = None) -> str:
    """Return horizontal bars from zero as SVG, each of one or more parts end to end.

    `mark` is a value drawn across all bars, with its name in a line of its own below them; one
    far beyond the bars is an arrow there. A stage of the palette gives a part its look. `label`
    says for those who do not see the picture what it shows; names and values are added to it.
    """
    longest = max(sum(value for value, _ in pieces) for _, pieces, _ in rows) or 1
    far = mark is not None and mark[0] > FAR * longest
    most = longest if mark is None or far else max(longest, mark[0])
    scale = (WIDTH - 2 * EDGE) / most
    parts, said, y = [], [], 0
    for name, pieces, printed in rows:
        y += NAME
        parts.append(_text(0, y - 5, name) + _text(WIDTH, y - 5, printed, "end", "bold"))
        left = EDGE
        for wide, stage in zip(_widths(pieces, scale), (s for _, s in pieces), strict=True):
            size = f'x="{left:.1f}" y="{y}" width="{wide:.1f}" height="{BAR}"'
            parts.append(f'<rect {size} fill="{escape(STAGES[stage].colour)}"/>')
            parts.append(_hatch(STAGES[stage].hatch, left, y, wide))
            left += wide
        if mark and not far:
            parts.append(_dash(EDGE + mark[0] * scale, y, y + BAR + 5))
        said.append(f"{name} {printed}")
        y += BAR + GAP
    if mark:
        said.append(mark[1])
        parts.append(_mark(mark, scale, far, y))
        y += NAME
    return _svg(y, f"{label}: {', '.join(said)}", parts)


def _widths(pieces: Iterable[tuple[float, str]], scale: float) -> list[float]:
    """Return the width of each part: none is too narrow to be seen, none leaves the picture."""
    widths = [max(value * scale, 2) if value else 0 for value, _ in pieces]
    widths[widths.index(max(widths))] -= max(0, sum(widths) - (WIDTH - 2 * EDGE))
    return widths


def _dash(x: float, top: float, bottom: float) -> str:
    line = f'x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{bottom:g}"'
    return f'<line {line} stroke="currentColor" stroke-width="2" stroke-dasharray="5 3"/>'


def _mark(mark: tuple[float, str], scale: float, far: bool, y: float) -> str:
    """Return the name of a mark below the bars, at its line or at an arrow to the right."""
    if far:
        arrow = f'<path d="M{WIDTH - EDGE - 10} {y + 4}l10 5l-10 5z" fill="currentColor"/>'
        return arrow + _text(WIDTH - 18, y + 14, f"{mark[1]}, far beyond", "end")
    x = EDGE + mark[0] * scale
    anchor = "start" if x < WIDTH / 3 else "end" if x > 2 * WIDTH / 3 else "middle"
    return _text(x, y + 14, mark[1], anchor)


def curve(
    points: Sequence[tuple[float, float]],
    here: tuple[float, float],
    label: str,
    axes: tuple[str, str],
    ends: tuple[str, str, str],
    stage: str = "network",
) -> str:
    """Return a line from (0, 0) as SVG with one point marked.

    `points` are (x, y); `here` is the marked one; `axes` names x and y with their units; `ends`
    prints the largest x, the largest y and the marked value; `stage` of the palette gives the
    line its colour. `label` says for those who do not see the picture what it shows; the ends are
    added to it.
    """
    left, top, right, bottom = 8, 46, WIDTH - 8, 196
    across = max(x for x, _ in points) or 1
    up = max(y for _, y in points) or 1

    def place(x: float, y: float) -> tuple[float, float]:
        return left + x / across * (right - left), bottom - y / up * (bottom - top)

    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in points))
    x, y = place(*here)
    colour = escape(STAGES[stage].colour)
    grid = f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor"/>'
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="3"/>'
    reach = (f"{axes[1]}, up to {ends[1]}", f"{axes[0]}, up to {ends[0]}")
    parts = [
        grid,
        line,
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="currentColor"/>',
        _text(x - 8, y - 10, ends[2], "end", "bold"),
        _text(0, 16, reach[0]),
        _text(right, bottom + 20, reach[1], "end"),
        _text(left, bottom + 20, "0"),
    ]
    return _svg(bottom + 28, f"{label}; {'; '.join(reach)}", parts)


def lanes(rows: Sequence[Lane], label: str, end: tuple[float, str]) -> str:
    """Return lanes of spans over one axis of time as SVG, from 0 to the first of `end`.

    A lane has its name and printed value above it. Spans of one stage that touch are one block,
    with a stroke where a piece ends if there is room for it. `end` is the last moment drawn, and
    its name below the lanes. `label` says for those who do not see the picture what it shows;
    names and values are added to it.
    """
    scale = (WIDTH - 2 * EDGE) / end[0]
    parts, said, y = [], [], 0
    for name, spans, printed in rows:
        y += NAME
        parts.append(_text(0, y - 5, name) + _text(WIDTH, y - 5, printed, "end", "bold"))
        floor = f"M{EDGE} {y + BAR}H{WIDTH - EDGE}"
        parts.append(f'<path d="{floor}" fill="none" stroke="currentColor" stroke-opacity=".5"/>')
        for left, right, stage, cuts in _blocks(spans, scale):
            size = f'x="{left:.1f}" y="{y}" width="{right - left:.1f}" height="{BAR}"'
            parts.append(f'<rect {size} fill="{escape(STAGES[stage].colour)}"/>')
            parts.append(_hatch(STAGES[stage].hatch, left, y, right - left))
            strokes = "".join(f"M{cut:.1f} {y}v{BAR}" for cut in cuts)
            if strokes:
                parts.append(f'<path d="{strokes}" fill="none" stroke="#FFFFFF"/>')
        said.append(f"{name} {printed}")
        y += BAR + GAP
    parts.append(_text(0, y + 8, "0") + _text(WIDTH, y + 8, end[1], "end"))
    return _svg(y + 14, f"{label}: {', '.join(said)}; {end[1]}", parts)


def _blocks(
    spans: Iterable[tuple[float, float, str]], scale: float
) -> list[tuple[float, float, str, list[float]]]:
    """Return (left, right, stage, cuts) in picture units: spans that touch are joined.

    No block is too narrow to be seen, none leaves the picture; a cut keeps 4 units from others.
    """
    blocks: list[tuple[float, float, str, list[float]]] = []
    for start, stop, stage in spans:
        left = min(EDGE + start * scale, WIDTH - EDGE - 1.5)
        right = min(max(EDGE + stop * scale, left + 1.5), WIDTH - EDGE)
        if stop <= start:
            continue
        if blocks and blocks[-1][2] == stage and left - blocks[-1][1] < 1:
            first, last, _, cuts = blocks[-1]
            if last - (cuts[-1] if cuts else first) >= 4 and right - last >= 4:
                cuts.append(last)
            blocks[-1] = first, max(last, right), stage, cuts
        else:
            blocks.append((left, right, stage, []))
    return blocks
