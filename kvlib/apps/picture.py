"""Small SVG pictures for apps: bars and curves as text, drawn in the reader's own ink.

Text and axes take `currentColor`, so that a picture reads on light and dark pages. Every bar is
labelled with its name and value: nothing is told by colour alone.
"""

from collections.abc import Sequence
from html import escape

__all__ = ["STAGE", "bars", "curve"]

STAGE = {"prefill": "#0072B2", "network": "#009E73", "decode": "#D55E00", "memory": "#888888"}
INK = 'fill="currentColor" font-family="inherit"'
WIDTH = 560


def _svg(height: int, label: str, parts: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}"'
    return f'{head} xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'


def _text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text {place} font-size="14" {INK}>{escape(words)}</text>'


def bars(
    rows: Sequence[tuple[str, float, str, str]], label: str, mark: tuple[float, str] | None = None
) -> str:
    """Return horizontal bars from zero as SVG: rows of (name, value, printed value, colour).

    `mark` is a value drawn across all bars, with its name. `label` says for those who do not see
    the picture what it shows.
    """
    left, right = 122, 130
    most = max([value for _, value, _, _ in rows] + [mark[0] if mark else 0]) or 1
    scale = (WIDTH - left - right) / most
    parts, y = [], 8 if mark is None else 28
    for name, value, printed, colour in rows:
        size = f'x="{left}" y="{y}" width="{max(value * scale, 1):.1f}" height="22"'
        parts.append(_text(left - 8, y + 16, name, "end"))
        parts.append(f'<rect {size} fill="{colour}"/>')
        parts.append(_text(left + value * scale + 6, y + 16, printed))
        y += 32
    if mark:
        x = left + mark[0] * scale
        line = f'x1="{x:.1f}" x2="{x:.1f}" y1="22" y2="{y - 4}"'
        parts.append(
            f'<line {line} stroke="currentColor" stroke-width="2" stroke-dasharray="6 4"/>'
        )
        anchor = "start" if x < WIDTH / 2 else "end"
        parts.append(_text(x, 15, mark[1], anchor))
    return _svg(y, label, parts)


def curve(
    points: Sequence[tuple[float, float]],
    here: tuple[float, float],
    label: str,
    axes: tuple[str, str],
    ends: tuple[str, str, str],
) -> str:
    """Return a line from (0, 0) as SVG with one point marked.

    `points` are (x, y); `here` is the marked one; `axes` names x and y with their units; `ends`
    prints the largest x, the largest y and the marked value.
    """
    left, top, right, bottom = 20, 34, WIDTH - 20, 210
    across = max(x for x, _ in points) or 1
    up = max(y for _, y in points) or 1

    def place(x: float, y: float) -> tuple[float, float]:
        return left + x / across * (right - left), bottom - y / up * (bottom - top)

    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in points))
    x, y = place(*here)
    grid = f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor"/>'
    line = f'<polyline points="{path}" fill="none" stroke="{STAGE["network"]}" stroke-width="3"/>'
    parts = [
        grid,
        line,
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="currentColor"/>',
        _text(x - 10, max(y - 8, top + 14), ends[2], "end", "bold"),
        _text(left, 20, f"{axes[1]}, up to {ends[1]}"),
        _text(right, bottom + 22, f"{axes[0]}, up to {ends[0]}", "end"),
        _text(left, bottom + 22, "0"),
    ]
    return _svg(bottom + 32, label, parts)
