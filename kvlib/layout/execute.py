"""Execute: a plan on real arrays. Prefill ranks hold pages, moves fill the pages of decode ranks.

Each move gathers its heads from the pages of the source, in any order in memory, into one
contiguous piece; sends that piece as bytes; and scatters it into the pages of the destination.
Elements are 16-bit patterns, so that equal means equal bit for bit. For K and V that grow, in one
pipeline stage. NumPy is imported here and nowhere else in `layout`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kvlib import _check
from kvlib._check import one_whole
from kvlib.layout.moves import Move
from kvlib.layout.ownership import MOST_TP, owned_heads

__all__ = ["Pool", "carry_out", "deliver", "empty_pools", "full_pools", "heads_in", "random_cache"]

MOST_ELEMENTS = 100_000_000  # of all heads: 200 MB
MOST_POOLED = 4 * MOST_ELEMENTS  # of the pages of all ranks


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """The pages of one rank, and where a request's tokens lie in them.

    `pages` is (2, layers, pages, page, heads, head_dim) if the layout is NHD, and with page and
    heads exchanged if it is HND; `table` gives, for each page of the request, its place.
    """

    pages: Any
    table: Any
    layout: str = "NHD"

    def view(self) -> Any:
        """Return the pages as (2, layers, pages, page, heads, head_dim), without a copy."""
        return self.pages if self.layout == "NHD" else self.pages.swapaxes(3, 4)


def random_cache(layers: int, tokens: int, kv_heads: int, head_dim: int, *, seed: int) -> Any:
    """Return K and V as random 16-bit patterns: (2, layers, tokens, kv_heads, head_dim).

    Raises TypeError or ValueError for sizes that are no counts or too many elements in all.
    """
    import numpy as np

    sizes = {"layers": layers, "tokens": tokens, "kv_heads": kv_heads, "head_dim": head_dim}
    shape = [2, *(one_whole("random_cache", name, n, minimum=1) for name, n in sizes.items())]
    seed = one_whole("random_cache", "seed", seed)
    _check.whole("random_cache", "number of elements", math.prod(shape), maximum=MOST_ELEMENTS)
    return np.random.default_rng(seed).integers(0, 2**16, shape, dtype="uint16")


def empty_pools(
    cache: Any, tp: int, page: int, layout: str = "NHD", *, seed: int
) -> tuple[Pool, ...]:
    """Return a pool for each of `tp` ranks with room for its heads, filled with noise.

    Pages lie in an order that `seed` decides, among as many that are not used. Raises TypeError or
    ValueError for what is no cache or no count, and for pages that need too much memory.
    """
    import numpy as np

    _check.one_of("pools", "layout", layout, ("NHD", "HND"))
    page = one_whole("pools", "page", page, minimum=1)
    tp = one_whole("pools", "tp", tp, minimum=1, maximum=MOST_TP)
    kinds, layers, tokens, kv_heads, head_dim = _shape("pools", cache)
    needed, noise = -(-tokens // page), np.random.default_rng(one_whole("pools", "seed", seed))
    heads = len(owned_heads(kv_heads, tp, 0))
    pooled = tp * kinds * layers * 2 * needed * page * heads * head_dim
    _check.whole("pools", "number of elements", pooled, maximum=MOST_POOLED)
    pools = []
    for _ in range(tp):
        inner = (page, heads) if layout == "NHD" else (heads, page)
        shape = (kinds, layers, 2 * needed, *inner, head_dim)
        pages = noise.integers(0, 2**16, shape, dtype="uint16")
        table = noise.permutation(2 * needed)[:needed]
        pools.append(Pool(pages=pages, table=table, layout=layout))
    return tuple(pools)


def full_pools(
    cache: Any, tp: int, page: int, layout: str = "NHD", *, seed: int
) -> tuple[Pool, ...]:
    """Return the pools of `tp` ranks, each of which holds its heads of the cache.

    Raises as `empty_pools` does.
    """
    page = one_whole("pools", "page", page, minimum=1)
    pools = empty_pools(cache, tp, page, layout, seed=seed)
    for rank, pool in enumerate(pools):
        mine = owned_heads(cache.shape[3], tp, rank)
        for position in range(cache.shape[2]):
            at = pool.table[position // page], position % page
            pool.view()[:, :, at[0], at[1]] = cache[:, :, position, mine.start : mine.stop]
    return pools


def _shape(call: str, cache: Any) -> tuple[int, ...]:
    """Return the five sizes of a cache. Raises TypeError or ValueError for anything else."""
    rule = "K and V of 16 bits, as random_cache returns them"
    if not _check.is_array(cache):
        raise TypeError(_check.wrong_type(call, "cache", rule, cache))
    if cache.dtype.name != "uint16" or cache.ndim != 5 or cache.shape[0] != 2 or not cache.size:
        found = f"{cache.dtype} of shape {cache.shape}"
        raise ValueError(f"{call}: cache must be {rule}, got {found}")
    return cache.shape


def _fits(move: Move, sources: Sequence[Pool], destinations: Sequence[Pool]) -> None:
    """Raise TypeError or ValueError for a move that these pools cannot carry out."""
    _check.kind("deliver", "moves", move, Move, "moves, as those of a plan")
    if move.heads is None:
        raise ValueError("deliver: moves must be of K and V heads, got one of a whole state")
    sides = (("source", sources), ("destination", destinations))
    for end, pools in sides:
        rank = one_whole("deliver", end, getattr(move, end), maximum=len(pools) - 1)
        _, layers, _, _, heads, _ = pools[rank].view().shape
        slot = one_whole("deliver", f"{end}_slot", getattr(move, f"{end}_slot"), maximum=heads - 1)
        if slot + len(move.heads) > heads or move.layers.stop > layers:
            rule = f"within {layers} layers and {heads} heads of {end} rank {rank}"
            got = f"layers to {move.layers.stop} and heads to {slot + len(move.heads)}"
            raise ValueError(f"deliver: moves must be {rule}, got {got}")
    ours, theirs = (pools[getattr(move, end)] for end, pools in sides)
    if (len(ours.table), ours.view().shape[3]) != (len(theirs.table), theirs.view().shape[3]):
        raise ValueError("deliver: sources and destinations must have pages of the same size")


def deliver(moves: Iterable[Move], sources: Sequence[Pool], destinations: Sequence[Pool]) -> int:
    """Carry out the moves and return the bytes that crossed the wire.

    Raises TypeError or ValueError for a move that the pools have no rank, layer or head for.
    """
    import numpy as np

    wire_bytes = 0
    for move in _check.kind("deliver", "moves", moves, Iterable, "moves, as those of a plan"):
        _fits(move, sources, destinations)
        source, destination = sources[move.source], destinations[move.destination]
        rows = slice(move.layers.start, move.layers.stop)
        ours = slice(move.source_slot, move.source_slot + len(move.heads))
        theirs = slice(move.destination_slot, move.destination_slot + len(move.heads))
        gathered = np.ascontiguousarray(source.view()[:, rows][:, :, source.table][..., ours, :])
        wire = gathered.tobytes()
        piece = np.frombuffer(wire, dtype=gathered.dtype).reshape(gathered.shape)
        layers = destination.view()[:, rows]
        layers[:, :, destination.table, :, theirs] = piece
        wire_bytes += len(wire)
    return wire_bytes


def heads_in(pool: Pool, cache: Any) -> list[int | None]:
    """Return which head of the cache each head of a pool holds, bit for bit; None for no head."""
    import numpy as np

    tokens, kv_heads = _shape("heads_in", cache)[2:4]
    held = pool.view()[:, :, pool.table]
    kinds, layers, pages, page, heads, head_dim = held.shape
    held = held.reshape(kinds, layers, pages * page, heads, head_dim)[:, :, :tokens]
    found: list[int | None] = []
    for slot in range(heads):
        same = (h for h in range(kv_heads) if np.array_equal(held[..., slot, :], cache[..., h, :]))
        found.append(next(same, None))
    return found


def carry_out(
    cache: Any,
    moves: Iterable[Move],
    prefill_tp: int,
    decode_tp: int,
    page: int = 1,
    layout: str = "NHD",
    *,
    seed: int,
) -> tuple[int, list[list[int | None]]]:
    """Return the bytes that moved, and which heads of the cache each decode rank then holds.

    Raises TypeError or ValueError for what is no cache or no count, and for moves between more
    ranks, layers or heads than these sizes have.
    """
    prefill_tp = one_whole("carry_out", "prefill_tp", prefill_tp, minimum=1, maximum=MOST_TP)
    decode_tp = one_whole("carry_out", "decode_tp", decode_tp, minimum=1, maximum=MOST_TP)
    seed = one_whole("carry_out", "seed", seed)
    sources = full_pools(cache, prefill_tp, page, layout, seed=seed)
    targets = empty_pools(cache, decode_tp, page, layout, seed=seed + 1)
    n_bytes = deliver(moves, sources, targets)
    return n_bytes, [heads_in(pool, cache) for pool in targets]
