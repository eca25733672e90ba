"""Plan: what one hand-off holds, sends and receives, and the moves that it is made of.

Bytes are whole pages, as the engine keeps them. Time follows the busiest endpoint: ranks send and
receive side by side, each through a card of its own, and the last of them ends the hand-off.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvlib import _check
from kvlib._check import one_whole
from kvlib.engines import SGLANG, Engine, group_held_bytes, held_positions
from kvlib.layout import descriptors
from kvlib.layout.compatible import Side, reasons_against, unplanned
from kvlib.layout.moves import Move, Route, head_routes, shared_layers, state_routes, whole_routes
from kvlib.layout.ownership import MOST_TP, owned_heads, share, stage_layers
from kvlib.payload import (
    Geometry,
    Group,
    Latent,
    Model,
    Recurrent,
    groups_of,
    payload_bytes,
    width_of,
)

__all__ = ["Plan", "handoff"]

MOST_TOKENS, MOST_STAGES = 1_000_000_000, 64


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One hand-off in numbers. Sizes in bytes; tuples have one entry a rank, in order."""

    unique_bytes: int  # the payload: every position of every head once
    prefill_held_bytes: int  # by all prefill ranks together, pages and copies included
    held_bytes: int  # by all decode ranks together, when the hand-off is done
    wire_bytes: int
    sends: tuple[int, ...]  # bytes, by prefill rank
    receives: tuple[int, ...]  # bytes, by decode rank
    descriptors: int
    sent_descriptors: tuple[int, ...]
    received_descriptors: tuple[int, ...]
    moves: tuple[Move, ...]

    @property
    def busiest_bytes(self) -> int:
        """The bytes of the rank that sends or receives the most."""
        return max(*self.sends, *self.receives)

    @property
    def copies(self) -> float:
        """Wire bytes over unique bytes; 0 if nothing moves."""
        return self.wire_bytes / self.unique_bytes if self.unique_bytes else 0.0


def handoff(
    model: Model | Group,
    tokens: int,
    prefill_tp: int = 1,
    decode_tp: int = 1,
    engine: Engine = SGLANG,
    *,
    element_bytes: int | None = None,
    prefill_stages: int = 1,
    decode_stages: int = 1,
    runs: int | None = 1,
    staged_tokens: int | None = None,
) -> Plan:
    """Return the plan of one hand-off of `tokens` positions between two groups of ranks.

    A size is of the ranks that share attention (`attention_tp`). `runs` are the contiguous runs of
    pages that both ends share: 1 at best, None for every page by itself. `staged_tokens` are
    gathered into one piece at a time where ranks exchange some of their heads; left out, nothing is
    staged. Raises TypeError or ValueError, in its words, for what `compatible` refuses or finds
    not planned.

    >>> from kvlib.engines import VLLM
    >>> qwen = Geometry(layers=94, kv_heads=4, head_dim=128)
    >>> plan = handoff(qwen, 8_192, prefill_tp=8, decode_tp=8)
    >>> plan.unique_bytes, plan.wire_bytes, plan.copies
    (1577058304, 3154116608, 2.0)
    >>> [handoff(qwen, 8_192, 8, 4, engine).copies for engine in (SGLANG, VLLM)]
    [2.0, 1.0]
    """
    groups = groups_of(model, "handoff")
    _check.kind("handoff", "engine", engine, Engine, "an Engine, as SGLANG")
    tokens = one_whole("handoff", "tokens", tokens, maximum=MOST_TOKENS)
    if _check.is_array(element_bytes):
        raise TypeError(_check.wrong("handoff", "element_bytes", "one whole number", element_bytes))
    width = width_of(model, element_bytes, "handoff")
    if runs is not None:
        runs = one_whole("handoff", "runs", runs, minimum=1)
    if staged_tokens is not None:
        staged_tokens = one_whole("handoff", "staged_tokens", staged_tokens, minimum=1)
    sizes = {"prefill_tp": prefill_tp, "decode_tp": decode_tp}
    sizes |= {"prefill_stages": prefill_stages, "decode_stages": decode_stages}
    for name, size in sizes.items():
        most = MOST_TP if name.endswith("tp") else MOST_STAGES
        sizes[name] = one_whole("handoff", name, size, minimum=1, maximum=most)
    prefill = Side(tp=sizes["prefill_tp"], stages=sizes["prefill_stages"])
    decode = Side(tp=sizes["decode_tp"], stages=sizes["decode_stages"])
    reasons = reasons_against(groups, prefill, decode, engine)
    if staged_tokens is not None:
        reasons += _against_staging(groups, engine)
    reasons += unplanned(groups, prefill, decode, engine)
    if reasons:
        raise ValueError(f"handoff: {reasons[0]}")
    how = _How(engine=engine, width=width, runs=runs, chunk=staged_tokens,
               carrier=_longest(groups, tokens, engine))  # fmt: skip
    moves = [
        move
        for place, group in enumerate(groups)
        for move in _moves(place, group, tokens, prefill, decode, how)
    ]
    sends = _by_rank(moves, "source", "n_bytes", prefill.tp * prefill.stages)
    receives = _by_rank(moves, "destination", "n_bytes", decode.tp * decode.stages)
    sent = _by_rank(moves, "source", "descriptors", prefill.tp * prefill.stages)
    return Plan(
        unique_bytes=payload_bytes(model, tokens, width),
        prefill_held_bytes=_held(groups, tokens, prefill.tp, engine, width),
        held_bytes=_held(groups, tokens, decode.tp, engine, width),
        wire_bytes=sum(sends),
        sends=sends,
        receives=receives,
        descriptors=sum(sent),
        sent_descriptors=sent,
        received_descriptors=_by_rank(moves, "destination", "descriptors", len(receives)),
        moves=tuple(moves),
    )


def _against_staging(groups: tuple[Group, ...], engine: Engine) -> list[str]:
    """Return what speaks against staging, where it is asked for."""
    if not engine.stages:
        return [f"staged_tokens must be left out for {engine.name}, which has no staging buffer"]
    if any(isinstance(group, Latent) for group in groups):
        return ["staged_tokens must be left out for MLA: a latent travels whole, nothing is sliced"]
    return []


def _longest(groups: tuple[Group, ...], tokens: int, engine: Engine) -> int:
    """Return the place of the K and V that keep the most positions; 0 if there are none.

    A staged piece holds all layers of a chunk: these are the chunks, the other groups add none.
    """
    places = [place for place, group in enumerate(groups) if isinstance(group, Geometry)]
    return max(places, key=lambda p: held_positions(groups[p], tokens, engine), default=0)


def _held(groups: tuple[Group, ...], tokens: int, tp: int, engine: Engine, width: int) -> int:
    """Return the bytes that `tp` ranks hold together."""
    return tp * sum(group_held_bytes(share(g, tp), tokens, engine, width) for g in groups)


@dataclass(frozen=True, kw_only=True)
class _How:
    """How bytes lie and travel: engine, bytes of an element, runs of pages, staged tokens.

    `carrier`: the place of the layer group whose positions make the chunks.
    """

    engine: Engine
    width: int
    runs: int | None
    chunk: int | None
    carrier: int


def _moves(
    place: int, group: Group, tokens: int, prefill: Side, decode: Side, how: _How
) -> Iterator[Move]:
    """Yield the moves of the group at one place of a model."""
    ours, theirs = share(group, prefill.tp), share(group, decode.tp)
    sources = stage_layers(group.layers, prefill.stages)
    destinations = stage_layers(group.layers, decode.stages)
    for stage, into, layers in shared_layers(sources, destinations):
        sliced = isinstance(group, Geometry) and prefill.tp != decode.tp
        moved = replace(theirs if decode.tp >= prefill.tp else ours, layers=len(layers))
        n_bytes = group_held_bytes(moved, tokens, how.engine, how.width)
        pieces = descriptors.count(
            moved,
            held_positions(group, tokens, how.engine),
            how.engine,
            sliced=sliced,
            runs=how.runs,
            chunk=how.chunk,
        )
        if sliced and how.chunk is not None and place != how.carrier:
            pieces = 0  # they travel in the pieces of the carrier
        for source, destination, heads in _routes(group, prefill.tp, decode.tp, how.engine):
            yield Move(
                source=stage * prefill.tp + source,
                destination=into * decode.tp + destination,
                group=place,
                layers=layers,
                heads=heads,
                source_slot=_slot(group, prefill.tp, source, heads),
                destination_slot=_slot(group, decode.tp, destination, heads),
                n_bytes=n_bytes,
                descriptors=pieces if n_bytes else 0,
            )


def _slot(group: Group, tp: int, rank: int, heads: range | None) -> int:
    """Return where the first of some heads lies among a rank's own."""
    return 0 if heads is None else heads.start - owned_heads(group.kv_heads, tp, rank).start


def _routes(group: Group, prefill: int, decode: int, engine: Engine) -> Iterator[Route]:
    """Return the routes of one group between the ranks of a stage."""
    match group:
        case Geometry():
            return head_routes(group.kv_heads, prefill, decode, engine.sends_replicas)
        case Recurrent():
            return state_routes(prefill)
    return whole_routes(prefill, decode)


def _by_rank(moves: list[Move], end: str, what: str, ranks: int) -> tuple[int, ...]:
    """Return the sum of one number of the moves, by the rank at one end."""
    sums = [0] * ranks
    for move in moves:
        sums[getattr(move, end)] += getattr(move, what)
    return tuple(sums)
