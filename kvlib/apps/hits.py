"""The explorers of chapter 3: one hand-off with hits at either end, and a trace with routes."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Select, Slider, Whole
from kvlib.apps.payload import MODEL, PROMPT
from kvlib.apps.picture import bars
from kvlib.bandwidth import transfer_seconds
from kvlib.hits import (
    BLOCK,
    PROTOCOLS,
    PUBLISHED,
    ROUTES,
    Convention,
    HandOff,
    Trace,
    agents,
    chat,
    destination_hit,
    hand_off,
    handbook,
    ideal_hit,
    replay,
)
from kvlib.models import load
from kvlib.payload import Geometry, Model, Recurrent, payload_bytes
from kvlib.units import both
from kvlib.wording import joined, share, time
from kvlib.wording import tokens as counted

__all__ = ["APPS", "PROTOCOL", "REQUESTS", "explore", "follow"]

REQUESTS, SEED = 160, 3  # as many as a page replays without a pause
LONG = PUBLISHED["mooncake conversation"]
KINDS = {
    "handbook": "questions about one handbook",
    "chat": "conversations",
    "agents": "agents with tool calls",
}


def explore(values: Mapping[str, Any]) -> Result:
    """Return what a prompt computes and moves with the chosen hits at its two ends."""
    model, tokens = load(values["model"]), values["tokens"]
    convention = replace(PROTOCOLS[values["protocol"]], page=int(values["page"]))
    held = [min(values[end], tokens) for end in ("source", "destination")]
    found = hand_off(model, tokens, *held, convention=convention)
    rate, link = values["prefill_rate"], values["link"]
    whole = tokens / rate, transfer_seconds(found.payload_bytes, link)
    now = found.computed_tokens / rate, transfer_seconds(found.moved_bytes, link)
    rows = [
        ("prefill, nothing cached", [(whole[0], "prefill")], time(whole[0])),
        ("prefill with the source hit", [(now[0], "prefill")], time(now[0])),
        ("hand-off, nothing held", [(whole[1], "network")], time(whole[1])),
        ("hand-off with the destination hit", [(now[1], "network")], time(now[1])),
    ]
    spared = found.seconds_saved(rate, link)
    verb = "moves" if found.moved_bytes else "move"
    moves = both(found.moved_bytes) if found.moved_bytes else "no bytes"
    return Result(
        headline=f"The source computes {counted(found.computed_tokens)}, and {moves} {verb}.",
        sentences=(
            _longer(*now),
            *_mistake(model, found),
            *_unused(held[1], found, convention),
            *_stays(model, held[1], found, convention),
        ),
        numbers=(
            ("source hit that counts", counted(found.source_hit)),
            ("compute saved", f"{_part(found.compute_saved)}, {time(spared[0])}"),
            ("destination hit that counts", counted(found.destination_hit)),
            ("bytes saved", f"{_part(found.bytes_saved)}, {time(spared[1])}"),
            ("payload", both(found.payload_bytes)),
        ),
        picture=bars(rows, "What the hits leave"),
    )


def _part(fraction: float) -> str:
    """Return a share in percent; nothing is 0 %."""
    return share(fraction) if fraction else "0 %"


def _longer(prefill: float, transfer: float) -> str:
    """Say which of the two takes longer with the hits."""
    if not transfer:
        return "The destination holds all that it needs."
    if prefill < transfer:
        return "With these hits the hand-off takes longer than the prefill."
    return "With these hits the prefill takes no less time than the hand-off."


def _mistake(model: Model, found: HandOff) -> tuple[str, ...]:
    """Say what the common mistake would give, where it differs."""
    wrong = payload_bytes(model, found.tokens - found.source_hit)
    if wrong >= found.moved_bytes:
        return ()
    times = found.moved_bytes / wrong
    digits = max(1, 1 - math.floor(math.log10(times - 1)))  # two that tell it from 1
    said = f"gives {both(wrong)}: {times:,.{digits}f}× too little."
    return (f"Subtracting the source hit from the bytes {said}",)


def _unused(held: int, found: HandOff, convention: Convention) -> tuple[str, ...]:
    """Say why tokens that the destination holds do not count, where none do."""
    if not held or destination_hit(held, found.tokens, convention):
        return ()
    if convention.destination_hits:
        return (f"The destination holds {counted(held)}, less than a page: no hit.",)
    return (f"The destination holds {counted(held)}; this protocol moves them all the same.",)


def _stays(model: Model, held: int, found: HandOff, convention: Convention) -> tuple[str, ...]:
    """Say which state a destination hit does not spare, and where it ends for that."""
    full = destination_hit(held, found.tokens, convention)
    if not full:
        return ()
    said, layers = [], [g for g in model.groups if isinstance(g, Geometry)]
    kinds = {
        "K and V behind windows": any(g.window for g in layers),
        "K and V in chunks": any(g.chunk for g in layers),
    }
    names = [name for name, there in kinds.items() if there]
    if names and not convention.window_hits:
        ends = f", and the hit ends where they begin: {counted(found.destination_hit)} count"
        ends = ends if found.destination_hit < full else ""
        said.append(f"{joined(names)} of this model move whole in this protocol{ends}.")
    if any(isinstance(g, Recurrent) for g in model.groups):
        said.append("Recurrent state of this model moves whole, whatever the hit.")
    return tuple(said)


@cache
def trace_of(kind: str) -> Trace:
    """Return the trace of a kind that the second explorer replays."""
    if kind == "handbook":
        return handbook(REQUESTS, seed=SEED)
    if kind == "chat":
        return chat(REQUESTS, seed=SEED, again=0.7, like=LONG)
    return agents(REQUESTS, seed=SEED, like=LONG)


def follow(values: Mapping[str, Any]) -> Result:
    """Return what each route saves on the chosen trace."""
    trace = trace_of(values["kind"])
    rooms = [values[end] // BLOCK for end in ("source", "destination")]
    found = {
        route: replay(
            trace,
            route,
            seed=SEED,
            destinations=values["destinations"],
            source_blocks=rooms[0],
            destination_blocks=rooms[1],
        )
        for route in ROUTES
    }
    compute = found["fresh"].compute_saved
    rows = [("compute, on every route", [(compute, "prefill")], _part(compute))]
    for route, result in found.items():
        saved = result.transfer_saved
        rows.append((f"bytes, {route}", [(saved, "network")], _part(saved)))
    most = max(result.transfer_saved for result in found.values())
    best = [route for route, result in found.items() if result.transfer_saved == most]
    verb = "saves" if len(best) == 1 else "save"
    least = f"{joined(best)} {verb} most bytes, {_part(most)}" if most else "none saves a byte"
    numbers = [(f"busiest destination, {r}", _part(f.busiest)) for r, f in found.items()]
    return Result(
        headline=f"Every route saves {_part(compute)} of compute; {least}.",
        sentences=(
            f"{REQUESTS} requests, {KINDS[values['kind']]}, {trace.input_tokens:,} prompt tokens. "
            f"A cache without limit would hold {_part(ideal_hit(trace))} of them.",
            "The busiest destination of a route is given by its share of all prompt tokens.",
        ),
        numbers=tuple(numbers),
        picture=bars(rows, "Share saved on each route"),
    )


def _room(key: str, label: str, default: int) -> Whole:
    """Return the control of a cache's room."""
    return Whole(
        key=key, label=label, default=default, minimum=0, maximum=100_000_000, unit="tokens"
    )


PROTOCOL = Select(
    key="protocol",
    label="The protocol moves",
    options=(
        ("all", "the whole prompt"),
        ("suffix", "what it lacks, windows whole"),
        ("missing", "what it lacks, windows too"),
    ),
    default="all",
)
APPS = (
    App(
        key="3.explore",
        title="One hand-off with hits at either end",
        controls=(
            PROMPT,
            _room("source", "Cached at the source", 8_000),
            _room("destination", "Held at the destination", 0),
            PROTOCOL,
            Select(
                key="page",
                label="Tokens in a page",
                options=tuple((str(n), str(n)) for n in (1, 16, 32, 64, 128, 256)),
                default="1",
            ),
            MODEL,
            Amount(
                key="prefill_rate",
                label="Prefill rate",
                default="8,000 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            Amount(
                key="link",
                label="Link",
                default="200 Gb/s",
                kind="rate",
                minimum="100 Mb/s",
                maximum="100 Tb/s",
            ),
        ),
        answer=explore,
    ),
    App(
        key="3.replay",
        title="A trace on four routes",
        controls=(
            Select(key="kind", label="Requests", options=tuple(KINDS.items()), default="agents"),
            Slider(key="destinations", label="Destinations", default=4, minimum=1, maximum=16),
            _room("source", "Room at the source", 10_000_000),
            _room("destination", "Room at each destination", 500_000),
        ),
        answer=follow,
    ),
)
