"""Pieces: three ways to cut one request, for the same recursion.

Serial sends one piece. Layerwise sends a layer's keys and values, or those of a group of layers,
as soon as it has seen the whole prompt: equal compute, equal bytes. Chunkwise sends what a chunk
of the prompt has left in all layers; later chunks attend to more positions and take longer.

State that does not grow with the prompt (recurrent state, windows, an indexer's keys where an
engine sends them so) is complete only at the end: the last piece carries it.

Not counted: layers of unequal size, a last layer group cut short, prompts that share a batch.
"""

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES
from kvlib.overlap.checks import one_count, one_factor, one_time
from kvlib.overlap.timeline import MOST_PIECES, Piece

__all__ = ["chunkwise", "layerwise", "serial"]

MOST_TOKENS = 1_000_000_000


def serial(prefill_seconds: float, n_bytes: int, state_bytes: int = 0) -> tuple[Piece, ...]:
    """Return the whole request as one piece. Raises TypeError or ValueError for no time or count.

    >>> serial(1.024, 2**30)
    (Piece(compute_seconds=1.024, n_bytes=1073741824),)
    """
    return _cut("serial", prefill_seconds, n_bytes, [(1, 1)], state_bytes)


def layerwise(
    prefill_seconds: float, n_bytes: int, layers: int, state_bytes: int = 0
) -> tuple[Piece, ...]:
    """Return one piece a layer (or a group of layers), all of equal compute and equal bytes.

    Bytes are whole, so that pieces may differ by one. Raises TypeError or ValueError.

    >>> pieces = layerwise(1.024, 2**30, layers=32)
    >>> len(pieces), pieces[0]
    (32, Piece(compute_seconds=0.032, n_bytes=33554432))
    """
    call = "layerwise"
    layers = one_count(call, "layers", layers, minimum=1, maximum=MOST_PIECES)
    ends = [(i / layers, i) for i in range(1, layers + 1)]
    cut = _cut(call, prefill_seconds, n_bytes, ends, state_bytes)
    each = one_time(call, "prefill_seconds", prefill_seconds) / layers
    return tuple(Piece(compute_seconds=each, n_bytes=piece.n_bytes) for piece in cut)


def chunkwise(
    prefill_seconds: float,
    n_bytes: int,
    tokens: int,
    chunk_tokens: int,
    growth: float = 0.0,
    state_bytes: int = 0,
    page_tokens: int = 1,
) -> tuple[Piece, ...]:
    """Return one piece a chunk of the prompt; the last chunk takes what is left.

    `growth` is the share of the prefill that grows with the square of the position (attention):
    the first x of the prompt takes x - growth · x · (1 - x) of the time. Only whole pages of
    `page_tokens` leave before the last chunk. Raises TypeError or ValueError.

    >>> [p.n_bytes // 131_072 for p in chunkwise(1.024, 2**30, 8_192, chunk_tokens=3_000)]
    [3000, 3000, 2192]
    >>> [round(p.compute_seconds, 3) for p in chunkwise(1.024, 2**30, 8_192, 4_096, growth=0.3)]
    [0.435, 0.589]
    """
    call = "chunkwise"
    tokens = one_count(call, "tokens", tokens, minimum=1, maximum=MOST_TOKENS)
    chunk = one_count(call, "chunk_tokens", chunk_tokens, minimum=1)
    page = one_count(call, "page_tokens", page_tokens, minimum=1)
    growth = one_factor(call, "growth", growth, 0, 1)
    if -(-tokens // chunk) > MOST_PIECES:
        rule = f"at least {-(-tokens // MOST_PIECES):,} for {tokens:,} tokens"
        raise ValueError(_check.wrong(call, "chunk_tokens", rule, chunk))
    ends = []
    for end in (*range(chunk, tokens, chunk), tokens):
        x = end / tokens
        sent = tokens if end == tokens else end // page * page
        ends.append((x * (1 - growth * (1 - x)), sent))
    return _cut(call, prefill_seconds, n_bytes, ends, state_bytes)


def _cut(
    call: str,
    prefill_seconds: float,
    n_bytes: int,
    ends: list[tuple[float, int]],
    state_bytes: int,
) -> tuple[Piece, ...]:
    """Return the pieces between ends: shares of the time, and parts sent of the last end's."""
    seconds = one_time(call, "prefill_seconds", prefill_seconds)
    n_bytes = one_count(call, "n_bytes", n_bytes, maximum=MOST_BYTES // 2)
    state = one_count(call, "state_bytes", state_bytes, maximum=MOST_BYTES // 2)
    whole, pieces, before = ends[-1][1], [], (0.0, 0)
    for share, part in ends:
        size = n_bytes * part // whole - n_bytes * before[1] // whole
        size += state if part == whole and share == ends[-1][0] else 0
        pieces.append(Piece(compute_seconds=seconds * (share - before[0]), n_bytes=size))
        before = share, part
    return tuple(pieces)
