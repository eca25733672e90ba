"""The explorer of chapter 2: the least time of a transfer, and what it adds to the label."""

from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import Amount, App, Result, Slider, Whole
from kvlib.apps.picture import STAGE, bars
from kvlib.bandwidth import Link, seconds_with_startup, transfer_rate, transfer_seconds
from kvlib.units import UNITS, both, format_as, ms, us

__all__ = ["APPS", "explore"]


def explore(values: Mapping[str, Any]) -> Result:
    """Return the least time of the chosen transfer, with and without its start-up."""
    n_bytes, startup = int(values["payload"]), values["startup"]
    link = Link(
        name="link",
        rate=values["rate"],
        efficiency=values["efficiency"] / 100,
        users=values["users"],
    )
    alone = transfer_seconds(n_bytes, link.rate)
    framed = transfer_seconds(n_bytes, link.payload_rate)
    bound = transfer_seconds(n_bytes, link.effective_rate)
    total = seconds_with_startup(n_bytes, startup, link.effective_rate)
    parts = {
        "framing and encoding": framed - alone,
        "the other users of the link": bound - framed,
        "start-up": startup,
    }
    most = max(parts, key=lambda name: parts[name])
    limit = "Nothing is added to the label: its rate alone sets the time."
    if parts[most]:
        share = format_as(parts[most] / total, "%", 1)
        limit = f"The largest addition is {most}: {_time(parts[most])}, {share} of the whole."
    rows = [
        ("at the label", alone, _time(alone), STAGE["network"]),
        ("as shared", bound, _time(bound), STAGE["network"]),
        ("with start-up", total, _time(total), STAGE["memory"]),
    ]
    seen = transfer_rate(n_bytes, total)
    words = f"{both(n_bytes)} needs at least {_time(bound)}"
    words += f", and {_time(total)} with start-up" if startup else ""
    numbers = [
        ("label", f"{_rate(link.rate, 'b/s')} = {_rate(link.rate, 'B/s')}"),
        ("rate left for this transfer", _rate(link.effective_rate, "B/s")),
        ("the bound, bytes alone", _time(bound)),
        ("with start-up", _time(total)),
        ("rate that a clock around it sees", _rate(seen, "B/s")),
        ("of the label", format_as(seen / link.rate, "%", 1)),
    ]
    if startup:
        half = both(round(startup * link.effective_rate))
        numbers.append(("half size: start-up equals bytes", half))
    return Result(
        headline=f"{words}.", sentences=(limit,), numbers=tuple(numbers), picture=bars(rows, words)
    )


def _time(seconds: float) -> str:
    """Return a time in the unit in which it is easiest to read."""
    if seconds >= 1:
        return format_as(seconds, "s")
    if seconds >= 0.1 * ms or not seconds:
        return format_as(seconds, "ms")
    return format_as(seconds, "µs" if seconds >= 0.1 * us else "ns")


def _rate(rate: float, base: str) -> str:
    """Return a rate with the prefix in which it is easiest to read."""
    names = [prefix + base for prefix in "TGMKk" if prefix + base in UNITS]
    fits = [name for name in names if rate >= UNITS[name].size]
    return format_as(rate, fits[0] if fits else base)


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
            Whole(
                key="efficiency",
                label="Left after framing and encoding",
                default=100,
                minimum=10,
                maximum=100,
                unit="%",
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
