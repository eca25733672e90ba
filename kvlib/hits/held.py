"""Held: what a destination's hit covers, by group of layers; checked already, scalars or arrays."""

from kvlib.hits.conventions import Convention
from kvlib.payload import Geometry, Group, Recurrent, group_bytes, kept

__all__ = ["destination_pages", "held_bytes", "usable_hit"]


def destination_pages(matched: int, convention: Convention) -> int:
    """Return the whole pages, in tokens, that stay out of a transfer; nothing is checked."""
    pages = matched // convention.page * convention.page
    return pages if convention.destination_hits else 0 * pages


def usable_hit(groups: tuple[Group, ...], matched: int, tokens: int, convention: Convention) -> int:
    """Return the whole pages, in tokens, that stay out of a transfer of these groups.

    Nothing is checked. Where the destination keeps no windows, a hit ends where the prompt's
    widest window begins.
    """
    hit = destination_pages(matched, convention)
    windows = [g.kept_tokens for g in groups if isinstance(g, Geometry) and g.kept_tokens]
    if convention.window_hits or not windows:
        return hit
    begins = tokens - kept(tokens, max(windows))
    return kept(hit, begins // convention.page * convention.page)


def held_bytes(group: Group, tokens: int, hit: int, convention: Convention, width: int) -> int:
    """Return the bytes of one group's state after `tokens` that a usable hit covers."""
    match group:
        case Recurrent():
            return convention.state_hits * (hit == tokens) * group_bytes(group, tokens, width)
        case Geometry() if group.kept_tokens is not None:
            before = tokens - kept(tokens, group.kept_tokens)  # positions that nobody keeps
            overlap = hit - kept(hit, before)
            return overlap * group.elements_per_token * width
        case _:
            return group_bytes(group, hit, width)
