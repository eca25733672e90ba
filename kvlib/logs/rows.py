"""Rows: what a model would spend on a token of one rank, of each kind of its layers, stored so.

    rank's share = max(1, H_KV / TP) heads              MLA: the whole latent, on every rank

Sizes at which the bytes are the same stand in one row. Not modelled: pipeline stages, context
parallelism.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from kvlib.layout import share
from kvlib.logs.storage import Storage, as_width
from kvlib.payload import Geometry, Group, Indexer, Recurrent

__all__ = ["MOST_TP", "Row", "in_bytes", "parts_of", "rank_token_bytes", "rows_of", "within"]

MOST_TP = 64  # ranks that are tried


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a model would spend on a token of one rank: some of its layers, stored so."""

    n_bytes: int
    storage: Storage
    layers: str  # "" where it is all layers that keep K and V
    sizes: tuple[int, ...]  # the TPs at which it is so many
    every: bool  # whether they are all that there are

    def __str__(self) -> str:
        """The bytes at the least TP, as the row that comes closest."""
        which = f" for {self.layers}" if self.layers else ""
        return f"{in_bytes(self.n_bytes)}{which} at TP {self.sizes[0]} and {self.storage.said}"

    @property
    def where(self) -> str:
        """Which layers, at which TPs and stored how."""
        which = f"for {self.layers} " if self.layers else ""
        more = " or more" if len(self.sizes) > 1 else ""
        at = "any TP" if self.every else f"TP {self.sizes[0]}{more}"
        return f"{which}at {at}, {self.storage.said}"

    @property
    def needs(self) -> str:
        """The bytes, and where."""
        return f"{in_bytes(self.n_bytes)} {self.where}"


def rank_token_bytes(groups: Sequence[Group], tp: int, storage: Storage | int) -> int | None:
    """Return the bytes of one token on one rank of `tp`; None if that many cannot share the heads.

    Every layer counts as growing: a pool has a place per token for each of its layers. None of the
    groups is recurrent.

    >>> rank_token_bytes([Geometry(layers=94, kv_heads=4, head_dim=128)], 8, 2)
    48128
    """
    mine = _shares(groups, tp)
    storage = as_width(storage) if isinstance(storage, int) else storage
    return sum(storage.n_bytes(group, 1) for group in mine) if mine else None


def parts_of(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Return the layers that may share a pool: all, those that grow, those with a window.

    SGLang gives layers with a window a pool of their own; its line of a model with an indexer may
    leave the indexer's keys out.
    """
    kept = [g for g in groups if not isinstance(g, Recurrent)]
    windowed = [g for g in kept if isinstance(g, Geometry) and g.kept_tokens]
    parts = {
        "": kept,
        "its layers without a window": [g for g in kept if g not in windowed],
        "its layers with a window": windowed,
        "its layers without their indexer": [g for g in kept if not isinstance(g, Indexer)],
    }
    return {said: part for said, part in parts.items() if part and (not said or part != kept)}


@lru_cache(maxsize=16)
def rows_of(
    groups: tuple[Group, ...], storages: tuple[Storage, ...], tp: int | None
) -> tuple[Row, ...]:
    """Return all that a model may spend on a token of one rank, of `tp` ranks or of any number.

    In the order of the storages.
    """
    found: dict[tuple[Storage, str, int], list[int]] = {}
    tried = {}
    for layers, part in parts_of(groups).items():
        sizes: dict[tuple[Group, ...], list[int]] = {}
        for n in [tp] if tp else range(1, MOST_TP + 1):
            sizes.setdefault(_shares(part, n), []).append(n)
        sizes.pop((), None)
        tried[layers] = sum(map(len, sizes.values()))
        for mine, alike in sizes.items():
            for storage in storages:
                spent = sum(storage.n_bytes(group, 1) for group in mine)
                found.setdefault((storage, layers, spent), []).extend(alike)
    rows = [
        Row(n_bytes=spent, storage=storage, layers=layers, sizes=tuple(sizes),
            every=len(sizes) == tried[layers] > 1)
        for (storage, layers, spent), sizes in found.items()
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: storages.index(row.storage)))


def _shares(groups: Sequence[Group], tp: int) -> tuple[Group, ...]:
    """Return what one rank of `tp` has of each group; nothing if it cannot be shared out."""
    heads = {group.kv_heads for group in groups if isinstance(group, Geometry)}
    if any(max(h, tp) % min(h, tp) for h in heads):
        return ()  # `share` would raise, at length
    return tuple(share(group, tp) for group in groups)


def within(rows: Sequence[Row], bounds: tuple[Fraction, Fraction]) -> list[Row]:
    """Return the rows within bounds, in bytes a token."""
    least, most = math.ceil(bounds[0]), math.floor(bounds[1])
    return [row for row in rows if least <= row.n_bytes <= most]


def in_bytes(value: Fraction | int) -> str:
    """Return bytes a token as text."""
    return f"{round(value):,} B" if value >= 1 or not value else f"{float(value):.3g} B"
