"""Held: the bytes that an engine's conventions make of a model."""

from kvlib import _check
from kvlib.engines.conventions import WIDTHS, Engine
from kvlib.payload import Geometry, Group, Indexer, Latent, Model, Recurrent, kept, total_bytes

__all__ = ["group_held_bytes", "held_bytes", "held_positions", "paged"]


def held_bytes(
    model: Model | Group, tokens: int, engine: Engine, element_bytes: int | None = None
) -> int:
    """Return the bytes that `engine` holds for `tokens` cached positions: an exact int.

    `element_bytes` left out is what the model's file states, else 2. Arrays of tokens and of
    widths broadcast, as in `payload_bytes`. Raises TypeError or ValueError for a count that is
    not whole or is negative, or for what is no engine.

    >>> from kvlib.engines import TRANSFORMERS
    >>> mistral = Geometry(layers=32, kv_heads=8, head_dim=128, window=4096)
    >>> held_bytes(mistral, 8_192, TRANSFORMERS) == 4_095 * 131_072
    True
    """
    _check.kind("held_bytes", "engine", engine, Engine, "an Engine, as TRANSFORMERS")

    def of_group(group: Group, tokens: int, width: int) -> int:
        return group_held_bytes(group, tokens, engine, width)

    return total_bytes("held_bytes", model, tokens, element_bytes, of_group)


def group_held_bytes(group: Group, tokens: int, engine: Engine, width: int) -> int:
    """Return the bytes of one group; `tokens` (an int or an int64 array) is checked already."""
    positions = held_positions(group, tokens, engine)
    match group:
        case Geometry() | Latent():
            return group.elements_per_token * width * positions
        case Indexer() if engine.indexer_dtype == "model":
            return group.bytes_per_token * positions
        case Indexer():
            element = _width(engine.indexer_dtype, width, 0)
            return group.layers * group.key_dim * element * positions
        case Recurrent():
            columns = max(0, group.conv_width - 1 + engine.conv_extra)
            state = _width(engine.state_dtype, width, group.state_element_bytes)
            if engine.fixed_state and group.fixed_state_bytes is not None:
                state = group.fixed_state_bytes
            conv = _width(engine.conv_dtype, width, group.conv_element_bytes)
            per_layer = group.state_elements * state + group.conv_channels * columns * conv
            return group.layers * per_layer * (tokens > 0)


def held_positions(group: Group, tokens: int, engine: Engine) -> int:
    """Return the positions that a layer of a group keeps, in whole pages; `tokens` is checked.

    Recurrent layers keep no positions: 0.
    """
    if isinstance(group, Recurrent):
        return 0 * tokens
    limit = group.kept_tokens if isinstance(group, Geometry) else None
    if limit is None:
        return paged(tokens, None, engine.page)
    windowed = group.window is not None
    extra = engine.window_extra if windowed else engine.chunk_extra
    limit = None if extra is None else limit + extra
    if windowed and limit is not None and engine.window_pages is not None:
        most = (-(-limit // engine.page) + engine.window_pages) * engine.page
        return kept(paged(tokens, None, engine.page), most)
    return paged(tokens, limit, engine.page)


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
