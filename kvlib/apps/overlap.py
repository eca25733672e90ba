"""The explorer of chapter 6: when decode may start, for a hand-off cut into pieces."""

from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Whole
from kvlib.apps.payload import MODEL
from kvlib.apps.picture import lanes
from kvlib.models import load
from kvlib.overlap import (
    Timeline,
    best_pieces,
    chunkwise,
    contended,
    even_ready_seconds,
    overlap_gain,
    ready_bounds,
    serial,
    timeline,
)
from kvlib.payload import Geometry, Latent, payload_bytes
from kvlib.units import both, format_as
from kvlib.wording import requests, share
from kvlib.wording import time as easiest

__all__ = ["APPS", "explore"]

MOST = 256  # pieces
SAME = 1e-9  # relative: two moments this close are one


def explore(values: Mapping[str, Any]) -> Result:
    """Return when decode may start, cut and in one piece, and what the cut costs the link."""
    k, rate, overhead = values["pieces"], float(values["link"]), float(values["overhead"])
    growth, slow = float(values["growth"]), (float(values["compute"]), float(values["transfer"]))
    prefill = values["prompt"] / float(values["prefill_rate"])
    growing, state = _parts(load(values["model"]), values["prompt"])
    pieces = chunkwise(prefill, growing, k, 1, growth=growth, state_bytes=state)
    found = contended(pieces, rate, overhead, compute_slowdown=slow[0], transfer_slowdown=slow[1])
    whole = timeline(serial(prefill, growing, state), rate, overhead)
    busy = sum(step.sent - step.send_start for step in found.steps)
    floor = ready_bounds(pieces, rate, overhead)[0] - prefill
    best = best_pieces(prefill, growing / rate, overhead, MOST, growth)
    soonest = even_ready_seconds(best, prefill, growing / rate, overhead, growth) + state / rate
    numbers = [
        ("bytes cut into pieces", both(growing)),
        ("prefill alone", time(prefill)),
        ("link busy for this request", time(busy)),
        ("decode may start", time(found.ready_seconds)),
        ("exposed", time(found.exposed_seconds)),
        ("least exposed without contention", time(floor)),
        ("in one piece", time(whole.ready_seconds)),
        ("the link carries at most", requests(1 / busy) if busy else "any number"),
    ]
    if state:
        numbers.insert(1, ("bytes that leave with the last piece", both(state)))
    return Result(
        headline=_headline(k, found, whole),
        sentences=(
            _hidden(found, busy),
            _best(best, soonest),
            *_contention(slow),
            _link(busy, k * overhead + (growing + state) / rate, (k - 1) * overhead),
        ),
        numbers=tuple(numbers),
        picture=_picture(k, found, whole),
    )


def time(seconds: float) -> str:
    """Return a time as text; in ms up to ten seconds, so that close moments differ."""
    return format_as(seconds, "ms") if 1 <= seconds < 10 else easiest(seconds)


def _parts(model: Any, tokens: int) -> tuple[int, int]:
    """Return the bytes that grow with every token, and those that leave with the last piece."""
    grows = [g for g in model.groups if _grows(g)]
    growing = sum(payload_bytes(g, tokens, model.element_bytes) for g in grows)
    return growing, payload_bytes(model, tokens) - growing


def _grows(group: Any) -> bool:
    full = isinstance(group, Geometry) and group.kept_tokens is None
    return full or isinstance(group, Latent)


def _count(k: int) -> str:
    return f"{k:,} pieces" if k > 1 else "one piece"


def _headline(k: int, found: Timeline, whole: Timeline) -> str:
    ready, alone = found.ready_seconds, whole.ready_seconds
    words = f"In {_count(k)} decode may start after {time(ready)}"
    if k == 1:
        return f"{words}."
    if abs(ready - alone) <= SAME * alone:
        return f"{words}, as soon as in one piece."
    how = "sooner" if ready < alone else "later"
    return f"{words}, {time(abs(ready - alone))} {how} than in one piece."


def _hidden(found: Timeline, busy: float) -> str:
    """Say how long the link works behind prefill."""
    hidden = found.overlap_seconds
    if hidden <= SAME * found.ready_seconds:
        return f"Nothing hides: the hand-off adds {time(found.exposed_seconds)} to prefill."
    return (
        f"Compute and transfer run together for {time(hidden)}; "
        f"the hand-off adds {time(found.exposed_seconds)} to a prefill alone, "
        f"{share(found.exposed_seconds / busy)} of the link's work."
    )


def _best(best: int, soonest: float) -> str:
    """Say which number of pieces is ready first."""
    of = f"Of 1 to {MOST} pieces"
    return f"{of}, without contention, {_count(best)} would be ready first, after {time(soonest)}."


def _contention(slow: tuple[float, float]) -> tuple[str, ...]:
    """Say what a second of overlap is worth where both are slowed."""
    if slow == (1, 1):
        return ()
    gain = overlap_gain(*slow)
    if abs(gain) <= SAME:
        return ("At these slowdowns overlap saves nothing: together they do the work of one.",)
    verb = "saves" if gain > 0 else "loses"
    return (f"At these slowdowns each second of overlap {verb} {time(abs(gain))}.",)


def _link(busy: float, alone: float, overheads: float) -> str:
    """Say what the cut does to the link, and by what it works longer than for one piece.

    It is `busy`; without contention it would be `alone`, `overheads` of it for further pieces.
    """
    taken = {"overhead": overheads, "contention": busy - alone}
    named = [name for name, seconds in taken.items() if seconds > SAME * busy]
    if not named:
        return "The link works as long as in one piece: overlap moves bytes, it adds no bandwidth."
    more = busy - alone + overheads
    verb = "takes" if len(named) == 1 else "take"
    return (
        f"The link works {time(more)} longer than for one piece, {share(more / busy)} of its "
        f"time: overlap adds no bandwidth, {' and '.join(named)} {verb} some."
    )


def _picture(k: int, found: Timeline, whole: Timeline) -> str:
    """Return the lanes of the cut, and the one of decode without it."""
    ready, alone = found.ready_seconds, whole.ready_seconds
    until = 1.06 * max(ready, alone) or 1.0
    end = found.prefill_end_seconds
    compute = [(s.compute_start, s.computed, "prefill") for s in found.steps]
    network = [(s.send_start, s.sent, "network") for s in found.steps]
    cut = [(end, ready, "waiting"), (ready, until, "decode")]
    one = [(whole.prefill_end_seconds, alone, "waiting"), (alone, until, "decode")]
    rows = [
        ("compute", compute, f"done at {time(end)}"),
        ("network", network, f"done at {time(ready)}"),
        (f"decode, {_count(k)}", cut, f"starts at {time(ready)}"),
    ]
    if k > 1:
        rows.append(("decode, one piece", one, f"starts at {time(alone)}"))
    return lanes(rows, "When each part works", (until, f"time, up to {time(until)}"))


APPS = (
    App(
        key="6.explore",
        title="When decode may start",
        controls=(
            Whole(key="pieces", label="Even pieces", default=32, minimum=1, maximum=MOST),
            Amount(
                key="overhead",
                label="Overhead of a piece",
                default="0.5 ms",
                kind="seconds",
                minimum="0 ms",
                maximum="1 s",
            ),
            Amount(
                key="link",
                label="Link",
                default="200 Gb/s",
                kind="rate",
                minimum="1 Mb/s",
                maximum="100 Tb/s",
            ),
            Whole(
                key="prompt",
                label="Prompt",
                default=8_192,
                minimum=1,
                maximum=10_485_760,
                unit="tokens",
            ),
            Amount(
                key="prefill_rate",
                label="Rate of prefill",
                default="8,000 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            MODEL,
            Amount(
                key="growth",
                label="Share of compute that grows with the position",
                default="0 %",
                kind="ratio",
                minimum="0 %",
                maximum="100 %",
            ),
            Amount(
                key="compute",
                label="Compute slowed while both run",
                default="1×",
                kind="ratio",
                minimum="1×",
                maximum="10×",
            ),
            Amount(
                key="transfer",
                label="Transfer slowed while both run",
                default="1×",
                kind="ratio",
                minimum="1×",
                maximum="10×",
            ),
        ),
        answer=explore,
    ),
)
