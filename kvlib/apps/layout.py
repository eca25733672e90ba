"""The explorer of chapter 4: what ranks hold, what crosses the wire, and in how many pieces."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Select
from kvlib.apps.payload import MODEL, PROMPT
from kvlib.apps.picture import bars
from kvlib.engines import SGLANG, VLLM, Engine
from kvlib.layout import Plan, Side, compatible, handoff
from kvlib.models import load
from kvlib.payload import Latent, Model, payload_bytes
from kvlib.units import both, format_as
from kvlib.wording import rate, sentence, time

__all__ = ["APPS", "explore"]

SIZES = (1, 2, 4, 8, 16)
CHUNK = 8_192  # tokens
WAYS: dict[str, tuple[str, Engine, int | None, int | None]] = {  # text, engine, runs, staged tokens
    "sglang": ("SGLang, pages in one run", SGLANG, 1, None),
    "scattered": ("SGLang, pages of 64, each by itself", replace(SGLANG, page=64), None, None),
    "staged": ("SGLang with a staging buffer", SGLANG, 1, CHUNK),
    "vllm": ("vLLM, blocks of 16", VLLM, None, None),
}


def explore(values: Mapping[str, Any]) -> Result:
    """Return what the chosen hand-off holds, sends and posts; or why it cannot be."""
    model, tokens = load(values["model"]), values["tokens"]
    prefill, decode = int(values["prefill"]), int(values["decode"])
    _, engine, runs, staged = WAYS[values["way"]]
    answer = compatible(model, Side(tp=prefill), Side(tp=decode), engine)
    if not answer.possible:
        return _refused(model, tokens, "These two sides cannot hand off.", answer.reasons)
    if answer.unplanned:
        headline = f"{engine.name} may do this hand-off; it is not planned here."
        return _refused(model, tokens, headline, answer.unplanned)
    sliced = prefill != decode and not any(isinstance(g, Latent) for g in model.groups)
    staged = staged if sliced else None
    plan = handoff(model, tokens, prefill, decode, engine, runs=runs, staged_tokens=staged)
    payload = both(plan.unique_bytes)
    rows = [
        ("prefill ranks hold", [(plan.prefill_held_bytes, "prefill")], plan.prefill_held_bytes),
        ("crosses the wire", [(plan.wire_bytes, "network")], plan.wire_bytes),
        ("decode ranks hold", [(plan.held_bytes, "decode")], plan.held_bytes),
    ]
    count = len({(move.source, move.destination) for move in plan.moves})
    numbers = [
        ("payload", payload),
        ("wire over payload", format_as(plan.wire_bytes / plan.unique_bytes, "×")),
        ("pairs of ranks that exchange bytes", f"{count:,}"),
        ("a prefill rank sends at most", both(max(plan.sends))),
        ("a decode rank receives at most", both(max(plan.receives))),
        ("descriptors", f"{plan.descriptors:,}"),
        ("bytes of a descriptor, on average", both(plan.wire_bytes // plan.descriptors)),
    ]
    return Result(
        headline=f"{both(plan.wire_bytes)} crosses the wire for a payload of {payload}.",
        sentences=(
            _divided(plan, decode),
            _busiest(plan, values["rate"]),
            _posted(plan, engine, values["post"]) + _staged(values["way"], sliced),
        ),
        numbers=tuple(numbers),
        picture=bars(
            [(name, parts, both(size)) for name, parts, size in rows],
            "Bytes of one hand-off",
            (plan.unique_bytes, f"payload {payload}"),
        ),
    )


def _refused(model: Model, tokens: int, headline: str, reasons: tuple[str, ...]) -> Result:
    """Return the answer to a pair that cannot hand off, or that is not planned."""
    payload = payload_bytes(model, tokens)
    words = [
        r.replace("decode_tp", "decode TP").replace("prefill_tp", "prefill TP") for r in reasons
    ]
    return Result(
        headline=headline,
        sentences=tuple(f"{sentence(word)}." for word in words),
        numbers=(("payload", both(payload)),),
        picture=bars([("payload", [(payload, "network")], both(payload))], "Bytes of one request"),
    )


def _divided(plan: Plan, decode: int) -> str:
    """Say how far payload / GPUs is from what a decode rank receives."""
    most, guess = max(plan.receives), plan.unique_bytes / decode
    said = f"Payload over {decode} decode rank{'s' * (decode > 1)} is {both(round(guess))}"
    times = most / guess
    if abs(times - 1) < 0.005:
        return f"{said}, and that is what a decode rank receives."
    return f"{said}; a decode rank receives {format_as(times, '×')} that."


def _busiest(plan: Plan, per_second: float) -> str:
    """Say which end sets the time, and how long its bytes take."""
    sent, received = max(plan.sends), max(plan.receives)
    who = "A prefill rank sends" if sent > received else "A decode rank receives"
    if sent == received:
        who = "Ranks on both sides move"
    took = time(plan.busiest_bytes / per_second)
    each = both(plan.busiest_bytes)
    return f"{who} the most, {each}: at least {took} at {rate(per_second, 'B/s')}."


def _posted(plan: Plan, engine: Engine, seconds: float) -> str:
    """Say how long the rank with the most descriptors takes to post them."""
    pushes = engine.moves == "push"
    most = max(plan.sent_descriptors if pushes else plan.received_descriptors)
    who = "prefill rank posts" if pushes else "decode rank posts"
    plural = "s" if most > 1 else ""
    return f"One {who} {most:,} descriptor{plural}, which takes it {time(most * seconds)}."


def _staged(way: str, sliced: bool) -> str:
    """Say that a staging buffer has nothing to do, where that is so."""
    unused = way == "staged" and not sliced
    return " Nothing is sliced here, so nothing is staged." if unused else ""


def _tp(key: str, label: str, default: int) -> Select:
    return Select(
        key=key, label=label, options=tuple((str(n), str(n)) for n in SIZES), default=str(default)
    )


APPS = (
    App(
        key="4.explore",
        title="A hand-off between two groups of ranks",
        controls=(
            MODEL,
            PROMPT,
            _tp("prefill", "Prefill TP", 1),
            _tp("decode", "Decode TP", 2),
            Select(
                key="way",
                label="Engine",
                options=tuple((key, text) for key, (text, *_) in WAYS.items()),
                default="sglang",
            ),
            Amount(
                key="rate",
                label="Link of one rank",
                default="25 GB/s",
                kind="rate",
                minimum="100 Mb/s",
                maximum="100 Tb/s",
            ),
            Amount(
                key="post",
                label="Time to post a descriptor",
                default="1 µs",
                kind="seconds",
                minimum="0 ms",
                maximum="1 ms",
            ),
        ),
        answer=explore,
    ),
)
