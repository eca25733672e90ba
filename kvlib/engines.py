"""Engines: what an engine keeps for a request, from the model and the engine's own conventions.

A model says what must be held; an engine rounds, pads and widens. What it holds is therefore a
second number, `held_bytes`, next to `payload_bytes`. The conventions are data, one record an
engine: no engine has code of its own. Counted: one request's cache tensors. Not counted: weights,
allocator reserve, page tables, counters that a layer keeps beside its tensors.
"""

from dataclasses import dataclass, fields

from kvlib import _check
from kvlib.payload import Geometry, Group, Indexer, Latent, Model, Recurrent, kept, total_bytes

__all__ = ["TRANSFORMERS", "Engine", "held_bytes"]

WIDTHS = {"float32": 4, "bfloat16": 2}  # bytes; "model": as the model says; "cache": as K and V
DTYPES = ("model", "cache", *WIDTHS)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """How one version of an engine keeps what a model says; the defaults keep exactly that."""

    name: str
    version: str
    source: str
    page: int = 1  # tokens; K and V come in whole pages
    window_extra: int | None = 0  # positions kept beyond the window; None: all positions
    chunk_extra: int | None = 0  # the same for a chunk
    conv_extra: int = 0  # columns kept beyond K - 1
    state_dtype: str = "model"
    conv_dtype: str = "model"
    indexer_dtype: str = "model"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("name", "version", "source"):
                _check.kind("Engine", field.name, value, str, "text")
            elif field.name.endswith("_dtype"):
                _check.one_of("Engine", field.name, value, DTYPES)
            elif field.name == "page":
                _check.whole("Engine", field.name, value, minimum=1)
            elif value is not None or field.name == "conv_extra":
                _check.whole("Engine", field.name, value, minimum=-1)


TRANSFORMERS = Engine(
    name="transformers",
    version="5.24.0",
    source="DynamicCache: src/transformers/cache_utils.py, and its tensors measured, 2026-11-29",
    window_extra=-1,  # the position to come completes the window
    chunk_extra=-1,  # chunked layers use the sliding layers' class
    conv_extra=1,  # all K columns
    state_dtype="float32",
    conv_dtype="cache",
    indexer_dtype="cache",
)


def held_bytes(
    model: Model | Group, tokens: int, engine: Engine, element_bytes: int | None = None
) -> int:
    """Return the bytes that `engine` holds for `tokens` cached positions: an exact int.

    `element_bytes` left out is what the model's file states, else 2. Arrays of tokens and of
    widths broadcast, as in `payload_bytes`. Raises TypeError or ValueError for a count that is
    not whole or is negative, or for what is no engine.

    >>> mistral = Geometry(layers=32, kv_heads=8, head_dim=128, window=4096)
    >>> held_bytes(mistral, 8_192, TRANSFORMERS) == 4_095 * 131_072
    True
    """
    _check.kind("held_bytes", "engine", engine, Engine, "an Engine, as TRANSFORMERS")

    def of_group(group: Group, tokens: int, width: int) -> int:
        return _group_bytes(group, tokens, engine, width)

    return total_bytes("held_bytes", model, tokens, element_bytes, of_group)


def _group_bytes(group: Group, tokens: int, engine: Engine, width: int) -> int:
    """Return the bytes of one group; `tokens` (an int or an int64 array) is checked already."""
    match group:
        case Geometry():
            extra = engine.chunk_extra if group.window is None else engine.window_extra
            limit = group.kept_tokens
            limit = None if limit is None or extra is None else limit + extra
            return group.elements_per_token * width * paged(tokens, limit, engine.page)
        case Latent():
            return group.elements_per_token * width * paged(tokens, None, engine.page)
        case Indexer() if engine.indexer_dtype == "model":
            return group.bytes_per_token * paged(tokens, None, engine.page)
        case Indexer():
            element = _width(engine.indexer_dtype, width, 0)
            return group.layers * group.key_dim * element * paged(tokens, None, engine.page)
        case Recurrent():
            columns = max(0, group.conv_width - 1 + engine.conv_extra)
            state = _width(engine.state_dtype, width, group.state_element_bytes)
            conv = _width(engine.conv_dtype, width, group.conv_element_bytes)
            per_layer = group.state_elements * state + group.conv_channels * columns * conv
            return group.layers * per_layer * (tokens > 0)


def _width(dtype: str, cache: int, model: int) -> int:
    """Return the bytes of one element under a convention: the model's, the cache's or its own."""
    return {"model": model, "cache": cache, **WIDTHS}[dtype]


def paged(tokens: int, limit: int | None, page: int) -> int:
    """Return how many positions the whole pages hold that cover the last `limit` of `tokens`.

    >>> paged(100, None, 64), paged(1_000, 128, 64), paged(1_000, 128, 1)
    (128, 192, 128)
    """
    last = kept(tokens, limit)
    return -(-tokens // page) * page - (tokens - last) // page * page
