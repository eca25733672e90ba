"""Savings: what a hit at either end of a hand-off spares, counted apart.

    computed = N - pages(min(h, N - 1))      h tokens matched at the source
    moved    = payload(N) - payload that the destination holds of pages(q), if that counts

A source hit spares prefill and no bytes; a destination hit of q tokens spares bytes and no
prefill. Both count in whole pages. The prompt's last token is computed in any case: its output is
the first token of the answer. Group by group: growing K and V, latents and indexer keys lie token
by token, so the part that is held can stay out. A window that the destination kept overlaps the
prompt's window as far as the hit reaches; where none is kept, the hit ends at the prompt's window
and that moves whole. Recurrent state is one state: the one after q tokens is no part of the one
after N.

Counted: logical bytes, once. Not counted: padding of pages, replicas, time to look a prefix up.
"""

from dataclasses import dataclass
from typing import Any

from kvlib import _check
from kvlib.bandwidth import transfer_seconds
from kvlib.bandwidth.checks import link_rate_of, rate_of
from kvlib.hits.conventions import MOVES_ALL, Convention, page_of
from kvlib.hits.held import destination_pages, held_bytes, usable_hit
from kvlib.payload import Group, Model, groups_of, kept, payload_bytes, width_of

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
        named = {"source_hit": self.source_hit, "prefill_rate": per_second}
        _check.together("seconds_saved", named)
        spared = transfer_seconds(self.payload_bytes - self.moved_bytes, link_rate)
        return self.source_hit / per_second, spared


def source_pages(matched: int, tokens: int, page: int) -> int:
    """Return the whole pages, in tokens, in front of a prompt's last token; nothing is checked."""
    return kept(matched, tokens - 1) // page * page


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
    protocol can use it; whole pages otherwise. In a model with windows fewer may count, as
    `hand_off` says. Arrays broadcast. Raises TypeError or ValueError for what is no count, or for
    a hit longer than its prompt.

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
    destination: int = 0,
    convention: Convention = MOVES_ALL,
    element_bytes: int | None = None,
) -> int:
    """Return the bytes that move for `tokens`, the first `destination` of them matched there.

    An exact int. By default the whole prompt moves, whatever is matched: another `convention`
    leaves out what counts. Arrays broadcast as in `payload_bytes`. Raises TypeError or ValueError
    for what `payload_bytes` refuses, or for a hit longer than its prompt.

    >>> from kvlib.hits.conventions import MOVES_SUFFIX
    >>> from kvlib.payload import Geometry
    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> moved_bytes(toy, 8_192, 8_000), moved_bytes(toy, 8_192, 8_000, MOVES_SUFFIX)
    (1073741824, 25165824)
    """
    matched, tokens = _matched("moved_bytes", destination, tokens, "destination")
    _convention("moved_bytes", convention)
    return _moved("moved_bytes", model, tokens, matched, convention, element_bytes)[1]


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

    >>> from kvlib.payload import Geometry
    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> found = hand_off(toy, 8_192, source=8_000)
    >>> found.computed_tokens, found.moved_bytes, round(found.compute_saved, 3), found.bytes_saved
    (192, 1073741824, 0.977, 0.0)
    """
    _convention("hand_off", convention)
    matched, count = _matched("hand_off", destination, tokens, "destination")
    here, _ = _matched("hand_off", source, tokens, "source")
    _check.together("hand_off", {"source": here, "destination": matched, "tokens": count})
    hit, moved = _moved("hand_off", model, count, matched, convention, element_bytes)
    return HandOff(
        tokens=count,
        source_hit=source_pages(here, count, convention.page),
        destination_hit=hit,
        payload_bytes=payload_bytes(model, count, element_bytes),
        moved_bytes=moved,
    )


def _moved(
    call: str, model: Model | Group, tokens: int, matched: int, convention: Convention, width: Any
) -> tuple[int, int]:
    """Return the hit that counts and the bytes that move; the counts are checked already."""
    groups, element = groups_of(model, call), width_of(model, width, call)
    payload = payload_bytes(model, tokens + 0 * matched, width)
    hit = usable_hit(groups, matched, tokens, convention)
    return hit, payload - sum(held_bytes(g, tokens, hit, convention, element) for g in groups)


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
