"""The explorer of chapter 2: the least time of a transfer, and what makes it longer."""

import math
from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Slider
from kvlib.apps.picture import bars
from kvlib.bandwidth import Link, seconds_with_startup, transfer_rate, transfer_seconds
from kvlib.units import both
from kvlib.wording import joined, rate, share, time

__all__ = ["APPS", "explore"]

SAME = 1e-9  # relative: two savings this close are equal, their difference is rounding


def explore(values: Mapping[str, Any]) -> Result:
    """Return the least time of the chosen transfer, with and without its start-up."""
    n_bytes, startup = math.ceil(values["payload"]), values["startup"]
    chosen = {name: values[name] for name in ("rate", "efficiency", "users")}
    link = Link(name="link", **chosen)
    alone = transfer_seconds(n_bytes, link.rate)
    bound = transfer_seconds(n_bytes, link.effective_rate)
    total = seconds_with_startup(n_bytes, startup, link.effective_rate)
    unframed = Link(name="link", **chosen | {"efficiency": 1}).effective_rate
    unshared = Link(name="link", **chosen | {"users": 1}).effective_rate
    saved = {
        "framing and encoding": bound - transfer_seconds(n_bytes, unframed),
        "the other users": bound - transfer_seconds(n_bytes, unshared),
        "start-up": startup,
    }
    rows = [
        ("at the label", [(alone, "network")], time(alone)),
        ("after framing and sharing", [(bound, "network")], time(bound)),
        ("with start-up", [(bound, "network"), (startup, "waiting")], time(total)),
    ]
    seen = transfer_rate(n_bytes, total)
    words = f"{both(n_bytes)} needs at least {time(bound)}"
    if time(total) != time(bound):
        words += f", and {time(total)} with start-up"
    elif startup:
        words += f"; start-up adds {time(startup)}"
    numbers = [
        ("payload", f"{n_bytes:,} B"),
        ("label", f"{rate(link.rate, 'b/s')} = {rate(link.rate, 'B/s')}"),
        ("rate left for this transfer", rate(link.effective_rate, "B/s")),
        ("the bound, bytes alone", time(bound)),
        ("with start-up", time(total)),
        ("rate you would measure", rate(seen, "B/s")),
        ("share of the label", share(seen / link.rate)),
    ]
    if startup:
        half = both(round(startup * link.effective_rate))
        numbers.append(("half size: start-up equals bytes", half))
    return Result(
        headline=f"{words}.",
        sentences=(_largest(saved, total),),
        numbers=tuple(numbers),
        picture=bars(rows, "Least time of the transfer"),
    )


def _largest(saved: Mapping[str, float], total: float) -> str:
    """Say which addition to the time at the label, taken away alone, would save most."""
    most = max(saved.values())
    if not most:
        return "Nothing slows it: the label alone sets the time."
    names = [name for name, seconds in saved.items() if seconds >= most * (1 - SAME)]
    much = "most" if len(names) == 1 else "equally much"
    gain = f"{time(most)}, {share(most / total)} of the whole"
    return f"Taking away {joined(names, 'or')} alone would save {much}: {gain}."


APPS = (
    App(
        key="2.explore",
        title="The least time of a transfer",
        controls=(
            Amount(
                key="payload",
                label="Payload",
                default="1 GiB",
                kind="bytes",
                minimum="1 B",
                maximum="64 TiB",
            ),
            Amount(
                key="rate",
                label="Label of the slowest hop",
                default="200 Gb/s",
                kind="rate",
                minimum="100 Mb/s",
                maximum="100 Tb/s",
            ),
            Slider(key="users", label="Users at the same time", default=1, minimum=1, maximum=16),
            Amount(
                key="efficiency",
                label="Share of the label left for payload",
                default="100 %",
                kind="ratio",
                minimum="10 %",
                maximum="100 %",
            ),
            Amount(
                key="startup",
                label="Start-up",
                default="0 ms",
                kind="seconds",
                minimum="0 ms",
                maximum="10 s",
            ),
        ),
        answer=explore,
    ),
)
