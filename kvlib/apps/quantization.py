"""The explorer of chapter 5: bytes and times of a cache in any two formats."""

from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Select
from kvlib.apps.payload import MODEL, PROMPT
from kvlib.apps.picture import bars
from kvlib.bandwidth import transfer_seconds
from kvlib.models import load
from kvlib.payload import Geometry, Latent, Model, kept
from kvlib.quantization import (
    FORMATS,
    Format,
    bits_per_element,
    break_even_rate,
    conversion_seconds,
    one_engine,
    stored_bytes,
    tail_tokens,
)
from kvlib.units import both
from kvlib.wording import rate, share, time
from kvlib.wording import tokens as counted

__all__ = ["APPS", "explore"]

BF16, EIGHT = FORMATS["bf16"], FORMATS["fp8_e4m3"]  # two bytes an element, and one


def explore(values: Mapping[str, Any]) -> Result:
    """Return what the chosen formats store, and what they save and cost on the way."""
    model, tokens = load(values["model"]), values["tokens"]
    key, value = FORMATS[values["key"]], FORMATS[values["value"]]
    link, memory = values["link"], values["memory"]
    plain, packed = stored_bytes(model, tokens, BF16), stored_bytes(model, tokens, key, value)
    before, after = transfer_seconds(plain, link), transfer_seconds(packed, link)
    change = _changed(model, tokens, key, value)
    change = (change, packed - plain + change)  # bytes before and after packing
    convert = conversion_seconds(*change, memory) if packed < plain else 0.0
    whole = after + 2 * convert
    rows = [
        ("bf16 at both ends", [(before, "network")], time(before)),
        ("these formats at both ends", [(after, "network")], time(after)),
    ]
    names = key.name if key == value else f"{key.name} and {value.name}"
    verb = "takes" if tokens == 1 else "take"
    headline = f"{counted(tokens)} of {model.name} {verb} {both(packed)} in {names}"
    numbers = [
        ("stored, exactly", f"{packed:,} B"),
        *_widths(model, key, value),
        ("in bf16", both(plain)),
        ("of bf16", share(packed / plain)),
        ("link, bf16 at both ends", time(before)),
        ("link, these formats at both ends", time(after)),
    ]
    if packed < plain:
        parts = [(convert, "prefill"), (after, "network"), (convert, "decode")]
        rows.append(("bf16, packed for the link", parts, time(whole)))
        numbers.append(("packing, and again unpacking", time(convert)))
        numbers.append(("bf16, packed for the link, in all", time(whole)))
    return Result(
        headline=f"{headline}: {share(packed / plain)} of bf16.",
        sentences=(
            f"Held so at both ends, a hand-off needs at least {time(after)}; in bf16 it needs "
            f"{time(before)}.",
            _packing(*change, memory, before - whole),
            *_remarks(model, tokens, key, value),
        ),
        numbers=tuple(numbers),
        picture=bars(rows, "Least time of the hand-off"),
    )


def _widths(model: Model, key: Format, value: Format) -> list[tuple[str, str]]:
    """Return the bits an element of both parts, from the first layers that cache any."""
    for group in model.groups:
        if isinstance(group, Geometry):
            parts = (("K", key, group.head_dim), ("V", value, group.value_dim or group.head_dim))
        elif isinstance(group, Latent) and group.rope_dim:
            parts = (("latent", key, group.latent_dim), ("rotary key", value, group.rope_dim))
        else:
            continue
        return [(f"bits an element, {n}", f"{bits_per_element(f, dim):g}") for n, f, dim in parts]
    return []


def _changed(model: Model, tokens: int, key: Format, value: Format) -> int:
    """Return the bytes in bf16 of what packing changes: no state, no indexer keys, no bf16."""
    both_eight = stored_bytes(model, tokens, EIGHT)
    one_wide = (stored_bytes(model, tokens, BF16, EIGHT), stored_bytes(model, tokens, EIGHT, BF16))
    parts = zip((key, value), one_wide, strict=True)
    return sum(2 * (wide - both_eight) for form, wide in parts if form != BF16)


def _packing(plain: int, packed: int, memory: float, gain: float) -> str:
    """Say whether converting for the link alone pays."""
    if packed >= plain:
        return "These formats save no bytes here, so there is nothing to pack."
    edge = rate(break_even_rate(plain, packed, (memory, memory)), "B/s")
    if gain > 0:
        return f"Packed for the link alone, it saves {time(gain)}; above {edge} it would lose."
    return f"Packed for the link alone, it loses {time(-gain)}; below {edge} it would gain."


def _remarks(model: Model, tokens: int, key: Format, value: Format) -> list[str]:
    """Return what else the reader must know of these two formats."""
    said = []
    dense = [g for g in model.groups if isinstance(g, Geometry)]
    if dense and not one_engine(key, value):
        said.append("No engine here is known to give K and V these two formats.")
    lengths = {kept(tokens, g.kept_tokens) for g in dense}
    lengths |= {tokens for g in model.groups if isinstance(g, Latent)}
    names = ("K", "V") if dense else ("the latent", "the rotary key")
    tails = {
        name: sorted({tail_tokens(form, n) for n in lengths})
        for name, form in zip(names, (key, value), strict=True)
        if form.tail and lengths
    }
    if tails:
        one = next(iter(tails.values())) == [1]
        words = [f"{' or '.join(f'{n:,}' for n in tail)} of {name}" for name, tail in tails.items()]
        words[0] = words[0].replace(" of ", " token of " if one else " tokens of ")
        by_layer = ", by layer" if max(map(len, tails.values())) > 1 else ""
        said.append(f"In 16 bits stay {' and '.join(words)}{by_layer}.")
    return said


OPTIONS = tuple((name, name) for name in FORMATS)
APPS = (
    App(
        key="5.explore",
        title="A cache in fewer bits",
        controls=(
            MODEL,
            PROMPT,
            Select(key="key", label="K, or latent, in", options=OPTIONS, default="fp8_e4m3"),
            Select(key="value", label="V, or rotary key, in", options=OPTIONS, default="fp8_e4m3"),
            Amount(
                key="link",
                label="Link",
                default="200 Gb/s",
                kind="rate",
                minimum="100 Mb/s",
                maximum="100 Tb/s",
            ),
            Amount(
                key="memory",
                label="Memory at each end",
                default="2 TB/s",
                kind="rate",
                minimum="100 MB/s",
                maximum="100 TB/s",
            ),
        ),
        answer=explore,
    ),
)
