"""Moves: who sends which heads of which layers to whom, in closed form per pair of ranks.

If D ≥ P, decode rank r takes from prefill rank r // (D / P), else from the P / D ranks from
r · P / D on. Where those hold copies, SGLang has each of them send, vLLM reads the first that has
the head. A latent comes whole from the first. Ranks of a pipeline are counted stage by stage.
Sources: SGLang 0.5.23, _resolve_rank_mapping; vLLM 0.33.0, nixl/tp_mapping.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kvlib.layout.ownership import owned_heads

__all__ = ["Move", "head_routes", "shared_layers", "state_routes", "whole_routes"]

Route = tuple[int, int, range | None]  # source, destination, heads


@dataclass(frozen=True, kw_only=True)
class Move:
    """One range of heads of one range of layers, from one prefill rank to one decode rank."""

    source: int
    destination: int
    group: int  # place of the layer group in its model; layers are counted within it
    layers: range
    heads: range | None  # of the model; None: whole, or all of a rank's state
    source_slot: int = 0  # where the first of these heads lies among the rank's own
    destination_slot: int = 0
    n_bytes: int
    descriptors: int


def head_routes(kv_heads: int, prefill: int, decode: int, replicas: bool) -> Iterator[Route]:
    """Yield the routes of K and V heads between `prefill` and `decode` ranks.

    With `replicas` every rank that holds a copy sends it.

    >>> [(s, d, list(heads)) for s, d, heads in head_routes(2, 4, 1, replicas=False)]
    [(0, 0, [0]), (2, 0, [1])]
    """
    if decode >= prefill:
        for d in range(decode):
            yield d // (decode // prefill), d, owned_heads(kv_heads, decode, d)
        return
    fan = prefill // decode
    for s in range(prefill):
        mine = owned_heads(kv_heads, prefill, s)
        first = s % fan == 0 or owned_heads(kv_heads, prefill, s - 1) != mine
        if replicas or first:
            yield s, s // fan, mine


def whole_routes(prefill: int, decode: int) -> Iterator[Route]:
    """Yield the routes of what every rank holds whole: one for each decode rank."""
    for d in range(decode):
        yield d * prefill // decode, d, None


def state_routes(ranks: int) -> Iterator[Route]:
    """Yield the routes of recurrent state between equal sides."""
    for r in range(ranks):
        yield r, r, None


def shared_layers(
    sources: tuple[range, ...], destinations: tuple[range, ...]
) -> Iterator[tuple[int, int, range]]:
    """Yield source stage, destination stage and the layers that they have in common."""
    for s, ours in enumerate(sources):
        for d, theirs in enumerate(destinations):
            both = range(max(ours.start, theirs.start), min(ours.stop, theirs.stop))
            if both:
                yield s, d, both
