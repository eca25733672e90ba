"""Sizes: the bytes of one hand-off, in four meanings that are kept apart.

    payload   what the prompt's state logically is, in the width that the model states
    moved     what of it must arrive: in the format, without what a destination hit spares; once
    wire      what really crosses: whole pages, and a copy for each rank that receives one
    held      what one decode worker then keeps, all its ranks together: pages and copies

Composed group by group. A hit spares positions, tensor parallelism decides who sends how many
copies of a position, a page rounds positions up, a format says what a position weighs; the four
multiply, since each position of a rank's share is as heavy as the next:

    wire = Σ over groups  sends · bytes of a position in a rank's share · positions that move
    positions that move = min(kept by the engine, pages(N) - hit)

Recurrent state has no positions: it moves whole. Formats are of K and V or of a latent; an
indexer's keys and recurrent state keep their own widths. Not counted: metadata, page tables,
scales of a whole tensor.
"""

from collections import Counter
from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES
from kvlib.engines import group_held_bytes, held_positions, paged
from kvlib.hits import hand_off, moved_bytes
from kvlib.layout import handoff, share
from kvlib.payload import (
    Geometry,
    Group,
    Indexer,
    Latent,
    Recurrent,
    groups_of,
    payload_bytes,
    width_of,
)
from kvlib.quantization import run_bytes
from kvlib.workbench.setup import Setup

__all__ = ["Sizes", "sizes"]


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The bytes of one request's hand-off, and the tokens that its hits spare."""

    payload_bytes: int
    stored_bytes: int  # the payload in the format: equal to it where none is given
    moved_bytes: int
    wire_bytes: int
    late_bytes: int  # the part of the wire bytes that is complete only at the prompt's end
    held_bytes: int  # by a decode worker, of the prompt
    slot_bytes: int  # by a decode worker, of prompt and output
    spared_tokens: int  # of growing state, that the destination hit keeps off the wire
    descriptors: int  # pieces of memory that the plan posts, at best; of the whole prompt

    @property
    def copies(self) -> float:
        """Wire bytes over moved bytes: pages and copies together."""
        return self.wire_bytes / self.moved_bytes


def sizes(setup: Setup) -> Sizes:
    """Return the bytes of one hand-off.

    Raises ValueError if the destination hit leaves nothing to move (such a hand-off has no time)
    and for a request beyond counting.

    >>> found = sizes(Setup())
    >>> found.payload_bytes == found.moved_bytes == found.wire_bytes == found.held_bytes == 2**30
    True
    >>> qwen = Geometry(layers=94, kv_heads=4, head_dim=128)
    >>> sizes(Setup(model=qwen, prefill_tp=8, decode_tp=8)).copies
    2.0
    """
    s, groups = setup, groups_of(setup.model, "sizes")
    hits = hand_off(s.model, s.prompt_tokens, s.source_hit, s.destination_hit, s.convention)
    hit = hits.destination_hit
    plan = handoff(s.model, s.prompt_tokens, s.prefill_tp, s.decode_tp, s.engine)
    sends = Counter(move.group for move in plan.moves)
    moved = wire = late = stored = 0
    for place, group in enumerate(groups):
        stored += _logical(group, s, 0)
        moved += _logical(group, s, hit)
        part = share(group, max(s.prefill_tp, s.decode_tp))
        crossing = sends[place] * _kept(part, s, s.prompt_tokens, hit)
        wire += crossing
        late += crossing * _is_late(group)
    if wire == 0:
        rule = "so small that something moves"
        got = f"{s.destination_hit:,} of {s.prompt_tokens:,}"
        raise ValueError(f"Setup: destination_hit must be {rule}, got {got}")
    slot = _worker(groups, s, s.prompt_tokens + s.output_tokens)
    largest = max(slot, wire, _worker(groups, s, s.prompt_tokens))
    if largest > MOST_BYTES:
        rule = f"so small that a request has at most {MOST_BYTES:,} B"
        raise ValueError(_check.wrong("Setup", "model", rule, largest))
    return Sizes(
        payload_bytes=payload_bytes(s.model, s.prompt_tokens),
        stored_bytes=stored,
        moved_bytes=moved,
        wire_bytes=wire,
        late_bytes=late,
        held_bytes=_worker(groups, s, s.prompt_tokens),
        slot_bytes=slot,
        spared_tokens=hit,
        descriptors=plan.descriptors,
    )


def _worker(groups: tuple[Group, ...], s: Setup, tokens: int) -> int:
    """Return the bytes that a decode worker holds for `tokens`, all its ranks together."""
    return s.decode_tp * sum(_kept(share(group, s.decode_tp), s, tokens) for group in groups)


def _kept(part: Group, s: Setup, tokens: int, hit: int = 0) -> int:
    """Return the bytes of a rank's share that the engine keeps of `tokens` from `hit` on."""
    if isinstance(part, Recurrent):
        spared = s.convention.state_hits and hit == tokens
        return 0 if spared else group_held_bytes(part, tokens, s.engine, _width(s))
    positions = held_positions(part, tokens, s.engine)
    positions = min(positions, paged(tokens, None, s.engine.page) - hit)
    return positions * _position_bytes(part, s)


def _position_bytes(part: Group, s: Setup) -> int:
    """Return the bytes of one position of a group that grows, all its layers together."""
    key, value = s.key_format, s.value_format or s.key_format
    match part:
        case Geometry() if key is not None:
            wide = part.value_dim or part.head_dim
            head = run_bytes(key, part.head_dim) + run_bytes(value, wide)
            return part.layers * part.kv_heads * head
        case Latent() if key is not None:
            return part.layers * (run_bytes(key, part.latent_dim) + run_bytes(value, part.rope_dim))
        case Indexer():
            return group_held_bytes(part, s.engine.page, s.engine, _width(s)) // s.engine.page
    return part.elements_per_token * _width(s)


def _logical(group: Group, s: Setup, hit: int) -> int:
    """Return the logical bytes of a group that are not spared by a usable hit, in the format."""
    if isinstance(group, Indexer | Recurrent):
        return moved_bytes(group, s.prompt_tokens, hit, s.convention)
    positions = moved_bytes(group, s.prompt_tokens, hit, s.convention, element_bytes=1)
    return positions // group.elements_per_token * _position_bytes(group, s)


def _is_late(group: Group) -> bool:
    """Return whether a group's state leaves with the last piece, as in SGLang."""
    return isinstance(group, Indexer | Recurrent) or getattr(group, "window", None) is not None


def _width(s: Setup) -> int:
    """Return the bytes of an element as the model states them."""
    return width_of(s.model, None, "sizes")
