"""Savings: what a hit at either end of a hand-off spares, counted apart.

    computed = N - pages(min(h, N - 1))      h tokens matched at the source
    moved    = payload(N) - payload that the destination holds of pages(q)

A source hit spares prefill and no bytes; a destination hit of q tokens spares bytes and no
prefill. Both count in whole pages. The prompt's last token is computed in any case: its output is
the first token of the answer. Group by group: growing K and V, latents and indexer keys lie token
by token, so the part that is held can stay out. A window that the destination kept overlaps the
prompt's window as far as the hit reaches. Recurrent state is one state: the one after q tokens is
no part of the one after N.

Counted: logical bytes, once. Not counted: padding of pages, replicas, time to look a prefix up.
"""

from dataclasses import dataclass
from typing import Any

from kvlib import _check
from kvlib.bandwidth import transfer_seconds
from kvlib.bandwidth.checks import link_rate_of, rate_of
from kvlib.hits.conventions import MOVES_ALL, Convention, page_of
from kvlib.payload import (
    Geometry,
    Group,
    Model,
    Recurrent,
    group_bytes,
    groups_of,
    kept,
    payload_bytes,
    width_of,
)

__all__ = ["HandOff", "destination_hit", "hand_off", "moved_bytes", "source_hit"]


@dataclass(frozen=True, kw_only=True)
class HandOff:
    """What one request computes and moves; the hits are the parts that can be used.

    Records of numbers can be compared and hashed, records that hold arrays cannot.
    """

    tokens: int
    source_hit: int  # tokens that the source need not compute
    destination_hit: int  # tokens whose growing state need not move
    payload_bytes: int
    moved_bytes: int

    @property
    def computed_tokens(self) -> int:
        """The tokens that the source computes."""
        return self.tokens - self.source_hit

    @property
    def compute_saved(self) -> float:
        """The share of the prompt's tokens that the source need not compute."""
        return self.source_hit / self.tokens

    @property
    def bytes_saved(self) -> float:
        """The share of the payload that need not move."""
        return (self.payload_bytes - self.moved_bytes) / self.payload_bytes

    def seconds_saved(self, prefill_rate: float, link_rate: float) -> tuple[float, float]:
        """Return what the source hit and what the destination hit save, in seconds.

        `prefill_rate` in tokens/s is taken as steady, `link_rate` is in B/s. Arrays broadcast.
        Raises TypeError or ValueError if either is no rate.
        """
        per_second = rate_of("seconds_saved", "prefill_rate", prefill_rate, "tokens/s")
        link_rate = link_rate_of("seconds_saved", "link_rate", link_rate)
        spared = transfer_seconds(self.payload_bytes - self.moved_bytes, link_rate)
        return self.source_hit / per_second, spared


def source_pages(matched: int, tokens: int, page: int) -> int:
    """Return the whole pages, in tokens, in front of a prompt's last token; nothing is checked."""
    return kept(matched, tokens - 1) // page * page


def destination_pages(matched: int, convention: Convention) -> int:
    """Return the whole pages, in tokens, that may stay out of a transfer; nothing is checked."""
    pages = matched // convention.page * convention.page
    return pages if convention.destination_hits else 0 * pages


def source_hit(matched: int, tokens: int, page: int = 1) -> int:
    """Return how many of `tokens` the source need not compute when it holds the first `matched`.

    Whole pages, and never the last token. Arrays broadcast. Raises TypeError or ValueError for
    what is no count, or for a hit longer than its prompt.

    >>> source_hit(8_000, 8_192), source_hit(8_192, 8_192), source_hit(8_000, 8_192, page=128)
    (8000, 8191, 7936)
    """
    matched, tokens = _matched("source_hit", matched, tokens)
    return source_pages(matched, tokens, page_of("source_hit", page))


def destination_hit(matched: int, tokens: int, convention: Convention = MOVES_ALL) -> int:
    """Return how many of `tokens` can stay out of a transfer when the destination holds `matched`.

    `matched` counts compatible state alone: the same weights, dtype and page. 0 unless the
    protocol can use it; whole pages otherwise. Arrays broadcast. Raises TypeError or ValueError
    for what is no count, or for a hit longer than its prompt.

    >>> from kvlib.hits.conventions import MOVES_SUFFIX
    >>> destination_hit(8_000, 8_192), destination_hit(8_000, 8_192, MOVES_SUFFIX)
    (0, 8000)
    """
    matched, tokens = _matched("destination_hit", matched, tokens)
    _convention("destination_hit", convention)
    return destination_pages(matched, convention)


def moved_bytes(
    model: Model | Group,
    tokens: int,
    hit: int = 0,
    convention: Convention = MOVES_ALL,
    element_bytes: int | None = None,
) -> int:
    """Return the bytes that move for `tokens` when `hit` of them may stay out: an exact int.

    `hit` is what `destination_hit` returns. Arrays broadcast as in `payload_bytes`. Raises
    TypeError or ValueError for what `payload_bytes` refuses, or for a hit longer than its prompt.

    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> moved_bytes(toy, 8_192), moved_bytes(toy, 8_192, hit=8_000)
    (1073741824, 25165824)
    """
    hit, tokens = _matched("moved_bytes", hit, tokens, "hit")
    _convention("moved_bytes", convention)
    payload = payload_bytes(model, tokens + 0 * hit, element_bytes)
    width = width_of(model, element_bytes, "moved_bytes")
    groups = groups_of(model, "moved_bytes")
    return payload - sum(held_bytes(group, tokens, hit, convention, width) for group in groups)


def held_bytes(group: Group, tokens: int, hit: int, convention: Convention, width: int) -> int:
    """Return the bytes of one group's state after `tokens` that a hit of `hit` tokens covers."""
    match group:
        case Recurrent():
            return convention.state_hits * (hit == tokens) * group_bytes(group, tokens, width)
        case Geometry() if group.kept_tokens is not None:
            before = tokens - kept(tokens, group.kept_tokens)  # positions that nobody keeps
            overlap = hit - kept(hit, before)
            return convention.window_hits * overlap * group.elements_per_token * width
        case _:
            return group_bytes(group, hit, width)


def hand_off(
    model: Model | Group,
    tokens: int,
    source: int = 0,
    destination: int = 0,
    convention: Convention = MOVES_ALL,
    element_bytes: int | None = None,
) -> HandOff:
    """Return what a prompt of `tokens` computes and moves when each end holds a part of it.

    `source` and `destination` are the tokens matched at either end. Arrays broadcast. Raises
    TypeError or ValueError for what the functions above refuse, or for a prompt of no tokens.

    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> found = hand_off(toy, 8_192, source=8_000)
    >>> found.computed_tokens, found.moved_bytes, round(found.compute_saved, 3), found.bytes_saved
    (192, 1073741824, 0.977, 0.0)
    """
    hit = destination_hit(destination, tokens, convention)
    return HandOff(
        tokens=tokens,
        source_hit=source_hit(source, tokens, convention.page),
        destination_hit=hit,
        payload_bytes=payload_bytes(model, tokens, element_bytes),
        moved_bytes=moved_bytes(model, tokens, hit, convention, element_bytes),
    )


def _convention(call: str, convention: Convention) -> None:
    _check.kind(call, "convention", convention, Convention, "a Convention, as MOVES_SUFFIX")


def _matched(call: str, matched: Any, tokens: Any, name: str = "matched") -> tuple[Any, Any]:
    """Return a hit and its prompt as counts, the hit no longer than the prompt."""
    tokens = _check.whole(call, "tokens", tokens, minimum=1)
    matched = _check.whole(call, name, matched)
    _check.together(call, {name: matched, "tokens": tokens})
    over = matched > tokens
    if over.any() if _check.is_array(over) else over:
        got = "an array with more" if _check.is_array(over) else f"{matched:,} of {tokens:,}"
        raise ValueError(f"{call}: {name} must be a part of the prompt's tokens, got {got}")
    return matched, tokens
