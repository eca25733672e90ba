"""The explorer of chapter 1: bytes of any catalogue model at any number of tokens."""

from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Select, Whole
from kvlib.apps.picture import curve
from kvlib.models import load, names
from kvlib.payload import Geometry, Indexer, Latent, Recurrent, payload_bytes
from kvlib.units import both
from kvlib.wording import tokens as counted

__all__ = ["APPS", "MODEL", "PROMPT", "explore"]

KINDS = {
    "K and V of every token": lambda g: isinstance(g, Geometry) and g.kept_tokens is None,
    "K and V behind a window": lambda g: isinstance(g, Geometry) and g.kept_tokens is not None,
    "latent of every token": lambda g: isinstance(g, Latent),
    "indexer keys": lambda g: isinstance(g, Indexer),
    "state that does not grow": lambda g: isinstance(g, Recurrent),
}


def explore(values: Mapping[str, Any]) -> Result:
    """Return what the chosen model holds after the chosen tokens, and how it grows."""
    model, tokens = load(values["model"]), values["tokens"]
    width = int(values["width"])
    held = payload_bytes(model, tokens, width)
    next_token = payload_bytes(model, tokens + 1, width) - held
    numbers = [("payload, exactly", f"{held:,} B")]
    for name, belongs in KINDS.items():
        groups = [g for g in model.groups if belongs(g)]
        size = sum(payload_bytes(g, tokens, width) for g in groups)
        if groups:
            layers = sum(g.layers for g in groups)
            plural = "s" if layers > 1 else ""
            numbers.append((f"{name} ({layers} layer{plural})", both(size)))
    points = [(n, payload_bytes(model, n, width)) for n in _steps(2 * tokens)]
    picture = curve(
        points,
        (tokens, held),
        f"Payload of {model.name} over prompt tokens: {both(held)} at {counted(tokens)}",
        ("prompt tokens", "payload"),
        (f"{2 * tokens:,}", both(points[-1][1]), both(held)),
    )
    return Result(
        headline=f"{counted(tokens)} of {model.name} hold{'s' * (tokens == 1)} {both(held)}.",
        sentences=(
            f"One more token adds {next_token:,} bytes; so far a token costs "
            f"{held / tokens:,.0f} bytes on average.",
            f"Source of the geometry: {model.source}.",
        ),
        numbers=tuple(numbers),
        picture=picture,
    )


def _steps(most: int) -> list[int]:
    """Return token counts from 0 to `most`, close enough to show every bend."""
    return sorted({round(most * i / 64) for i in range(65)})


MODEL = Select(
    key="model",
    label="Model",
    options=tuple((name, name) for name in names()),
    default="llama-3.1-8b",
)
PROMPT = Whole(
    key="tokens", label="Prompt", default=8_192, minimum=1, maximum=10_485_760, unit="tokens"
)
APPS = (
    App(
        key="1.explore",
        title="Payload of a model at a number of tokens",
        controls=(
            MODEL,
            PROMPT,
            Select(
                key="width",
                label="Bytes per cached element",
                options=(("2", "2 (bf16, fp16)"), ("1", "1 (fp8, scales not counted)")),
                default="2",
            ),
        ),
        answer=explore,
    ),
)
