"""The explorer of chapter 7: which stage of a service gives way first, and what would move it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kvlib.apps.app import Amount, App, Result, Select, Slider, Whole
from kvlib.apps.picture import STAGE, bars
from kvlib.budget import Capacity, Service, backlog, best_split, capacity, utilisation
from kvlib.models import load, names
from kvlib.units import both, format_as

__all__ = ["APPS", "explore"]

WORKERS = 8
SECONDS = 600  # how long an overload lasts in the explorer's answer


def explore(values: Mapping[str, Any]) -> Result:
    """Return what a service of eight workers sustains, and what its arrivals do to it."""
    arrivals = values["arrivals"]
    service = Service(
        workers=WORKERS,
        prefill_workers=values["prefill_workers"],
        prompt_tokens=values["prompt"],
        output_tokens=values["output"],
        prefill_rate=values["prefill_rate"],
        decode_rate=values["decode_rate"],
        network_rate=values["link"],
        model=load(values["model"]),
    )
    found = capacity(service)
    used = dict(utilisation(service, arrivals).given())
    numbers = [("payload of one request", both(service.payload_bytes))]
    for name, bound in found.given():
        asked = format_as(used[name], "%", 1)
        numbers.append((f"{name} sustains", f"{_rate(bound)}, utilisation {asked}"))
    rows = [(name, bound, _rate(bound), STAGE[name]) for name, bound in found.given()]
    stages = ", ".join(f"{name} {_rate(bound)}" for name, bound in found.given())
    return Result(
        headline=_headline(found),
        sentences=(_change(found), _load(service, found, arrivals), _best(service, found)),
        numbers=tuple(numbers),
        picture=bars(
            rows,
            f"What each stage sustains: {stages}; arrivals {_rate(arrivals)}",
            (arrivals, f"arrivals {_rate(arrivals)}"),
        ),
    )


def _rate(value: float) -> str:
    """Return requests/s with two decimals, or with three digits where that would hide them."""
    digits = 2 if value >= 0.1 else 2 - math.floor(math.log10(value))
    return format_as(value, "requests/s", digits)


def _named(stage: str) -> str:
    return "the network" if stage == "network" else stage


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _headline(found: Capacity) -> str:
    if len(found.tied) > 1:
        stages = " and ".join(_named(stage) for stage in found.tied)
        return _sentence(f"{stages} give way together, at {_rate(found.limit)}.")
    return _sentence(f"{_named(found.first)} gives way first, at {_rate(found.limit)}.")


def _change(found: Capacity) -> str:
    """Say what doubling a stage would and would not do."""
    if len(found.tied) > 1:
        return "More of one of them alone changes nothing."
    first, second = (_named(name) for name, _ in found.given() if name != found.first)
    after = replace(found, **{found.first: 2 * found.limit})
    still = "still" if after.first == found.first else "then"
    return (
        f"Doubling {first} or {second} changes nothing. Doubling {_named(found.first)} gives "
        f"{_rate(after.limit)}; {_named(after.first)} is {still} first."
    )


def _load(service: Service, found: Capacity, arrivals: float) -> str:
    """Say what the arrival rate does."""
    if arrivals > found.limit:
        waiting = backlog(service, arrivals, SECONDS)
        return (
            f"At {_rate(arrivals)} the backlog grows by {_rate(arrivals - found.limit)}: after "
            f"ten minutes {waiting:,.0f} requests wait, if none is rejected."
        )
    return (
        f"At {_rate(arrivals)} nothing is ruled out: {_named(found.first)} is "
        f"{format_as(arrivals / found.limit, '%', 1)} busy. A burst can still make requests wait."
    )


def _best(service: Service, found: Capacity) -> str:
    best = best_split(service)
    if best.capacity.limit <= found.limit:
        return f"No other split of the {WORKERS} workers sustains more."
    split = f"{best.prefill_workers}:{best.decode_workers}"
    return f"The best split, prefill to decode, is {split}: {_rate(best.capacity.limit)}."


APPS = (
    App(
        key="7.explore",
        title="The first stage to give way, of a service of eight workers",
        controls=(
            Slider(
                key="prefill_workers",
                label="Prefill workers, of eight",
                default=3,
                minimum=1,
                maximum=WORKERS - 1,
            ),
            Whole(
                key="prompt",
                label="Prompt tokens",
                default=8_192,
                minimum=1,
                maximum=10_485_760,
                unit="tokens",
            ),
            Whole(
                key="output",
                label="Output tokens",
                default=512,
                minimum=1,
                maximum=1_048_576,
                unit="tokens",
            ),
            Amount(
                key="link",
                label="Link shared by all hand-offs",
                default="200 Gb/s",
                kind="rate",
                minimum="1 Mb/s",
                maximum="100 Tb/s",
            ),
            Amount(
                key="prefill_rate",
                label="Rate of a prefill worker",
                default="8,000 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            Amount(
                key="decode_rate",
                label="Rate of a decode worker, all its requests",
                default="800 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            Select(
                key="model",
                label="Model",
                options=tuple((name, name) for name in names()),
                default="llama-3.1-8b",
            ),
            Amount(
                key="arrivals",
                label="Arrivals",
                default="2 requests/s",
                kind="requests",
                minimum="0.001 requests/s",
                maximum="100,000 requests/s",
            ),
        ),
        answer=explore,
    ),
)
