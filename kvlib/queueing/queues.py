"""Queues: how many requests wait before a stage, or are in it, as time goes by.

A request waits before a stage from the moment it reaches it until it is served: by a worker, by
memory that is free, by the link, by a slot. It is present until that is over; memory is held until
completion. On a shared link nobody waits, and those in flight are present.
"""

from bisect import bisect_right
from collections.abc import Sequence

from kvlib import _check
from kvlib.queueing.checks import MOST_SECONDS
from kvlib.queueing.run import STAGES, Run

__all__ = ["present", "present_steps", "waiting", "waiting_steps"]

WAYS = {  # when a request reaches a stage, is served, and is done there
    "prefill": ("arrivals", "prefill_starts", "prefill_ends"),
    "memory": ("ready", "reserved", "completions"),
    "network": ("reserved", "network_starts", "network_ends"),
    "decode": ("delivered", "decode_starts", "completions"),
    "system": ("arrivals", "arrivals", "completions"),
}
MOST_POINTS = 1_000_000
Steps = tuple[tuple[float, int], ...]


def waiting(run: Run, stage: str, seconds: float) -> int:
    """Return how many requests wait before a stage at that time.

    Raises TypeError or ValueError for what is no run, stage or time.
    """
    reach, serve, _ = _columns("waiting", run, stage, STAGES)
    return _between(reach, serve, _time("waiting", seconds))


def present(run: Run, stage: str, seconds: float) -> int:
    """Return how many requests wait before a stage or are served there; "system" counts all.

    Raises TypeError or ValueError for what is no run, stage or time.
    """
    reach, _, leave = _columns("present", run, stage, WAYS)
    return _between(reach, leave, _time("present", seconds))


def waiting_steps(run: Run, stage: str, points: int = 1_000) -> Steps:
    """Return (seconds, requests that wait from then on), in order, at most `points` of them.

    With more steps than that, each of equal spans of time keeps its highest and its lowest: a peak
    stays. Raises TypeError or ValueError for what is no run, stage or count of 4 or more.
    """
    reach, serve, _ = _columns("waiting_steps", run, stage, STAGES)
    return _thinned(_steps(reach, serve), _points("waiting_steps", points))


def present_steps(run: Run, stage: str, points: int = 1_000) -> Steps:
    """Return (seconds, requests present from then on), as `waiting_steps` does."""
    reach, _, leave = _columns("present_steps", run, stage, WAYS)
    return _thinned(_steps(reach, leave), _points("present_steps", points))


def _columns(call: str, run: Run, stage: str, known: Sequence[str]) -> list[Sequence[float]]:
    _check.kind(call, "run", run, Run, "a Run")
    return [getattr(run, name) for name in WAYS[_check.one_of(call, "stage", stage, known)]]


def _time(call: str, seconds: float) -> float:
    return _check.one_number(call, "seconds", seconds, 0, MOST_SECONDS)


def _points(call: str, points: int) -> int:
    return _check.one_whole(call, "points", points, 4, MOST_POINTS)


def _between(come: Sequence[float], go: Sequence[float], seconds: float) -> int:
    return bisect_right(sorted(come), seconds) - bisect_right(sorted(go), seconds)


def _steps(come: Sequence[float], go: Sequence[float]) -> list[tuple[float, int]]:
    """Return the time and the new number of each change, from 0 at the start."""
    come, go = sorted(come), sorted(go)
    found, i, k, now, last, count = [(0.0, 0)], 0, 0, 0.0, 0, len(come)
    while k < count:
        now = min(come[i], go[k]) if i < count else go[k]
        while i < count and come[i] == now:
            i += 1
        while k < count and go[k] == now:
            k += 1
        if i - k != last:
            last = i - k
            found.append((now, last))
    return found[1:] if len(found) > 1 and found[1][0] == 0 else found


def _thinned(steps: list[tuple[float, int]], points: int) -> Steps:
    if len(steps) <= points:
        return tuple(steps)
    first, last = steps[0], steps[-1]
    spans = (points - 2) // 2
    width = (last[0] - first[0]) / spans
    kept, group, at = [first], [], 0
    for step in [*steps[1:-1], None]:
        span = None if step is None else min(int((step[0] - first[0]) / width), spans - 1)
        if group and span != at:
            low, high = min(group, key=lambda s: s[1]), max(group, key=lambda s: s[1])
            kept += [low] if low == high else sorted((low, high))
            group = []
        at = span
        group.append(step)
    return (*kept, last)
