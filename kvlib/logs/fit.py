"""Fit: the bytes that a logged pool spends on a token, beside the bytes that a model needs.

    bytes a token = pool's bytes / pool's tokens        of one rank
    rank's share  = max(1, H_KV / TP) heads             MLA: the whole latent, on every rank

The quotient settles the unit: read as 10^9 bytes instead of 2^30, the same line would be 7 % short.
Compared within the rounding of what is printed; SGLang's pool has one page more than its tokens,
vLLM's memory is that of one rank and its tokens those of the smallest, so it may be 5 % above.

Not modelled: pipeline stages, context parallelism, a draft model's own pool, scales beside K and V.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from kvlib.layout import share
from kvlib.logs.findings import Finding
from kvlib.logs.pools import Pool
from kvlib.payload import Geometry, Group, Indexer, Model, Recurrent, groups_of, width_of
from kvlib.units import UNITS, both

__all__ = ["compare_pool", "rank_token_bytes"]

WIDTHS = {"bfloat16": 2, "float16": 2, "half": 2, "float32": 4}  # bytes of an element
WIDTHS |= {"float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1}
MOST_TP = 64  # ranks that are tried
GB_PER_GIB = UNITS["GB"].size / UNITS["GiB"].size


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a model would spend on a token of one rank: some of its layers, a width, a TP."""

    n_bytes: int
    width: int
    layers: str  # "" where it is all layers that keep K and V
    tp: int

    def __str__(self) -> str:
        which = f" for {self.layers}" if self.layers else ""
        return f"{_bytes(self.n_bytes)}{which} at TP {self.tp} and {_wide(self.width)} an element"


def rank_token_bytes(groups: Sequence[Group], tp: int, width: int) -> int | None:
    """Return the bytes of one token on one rank of `tp`; None if that many cannot share the heads.

    Every layer counts as growing: a pool has a place per token for each of its layers.

    >>> rank_token_bytes([Geometry(layers=94, kv_heads=4, head_dim=128)], 8, 2)
    48128
    """
    total = 0
    for group in groups:
        try:
            mine = share(group, tp)
        except ValueError:
            return None
        own = isinstance(mine, Indexer)
        total += mine.bytes_per_token if own else mine.elements_per_token * width
    return total


def compare_pool(
    pool: Pool, model: Model | Group, element_bytes: int | None = None, tp: int | None = None
) -> Finding:
    """Return whether a logged pool fits a model, at which tensor parallelism, and in which unit.

    Arguments as in `compare`, checked there.
    """
    name = model.name if isinstance(model, Model) else "this geometry"
    implied = Fraction(pool.n_bytes, pool.tokens)
    intro = f"{pool.tokens:,} tokens in {both(pool.n_bytes)} are {_bytes(implied)} a token a rank."
    parts = _parts(groups_of(model, "compare"))
    states = any(isinstance(g, Recurrent) for g in groups_of(model, "compare"))
    if not parts:
        return _finding(pool, "open", (intro, f"{name} keeps no K and V to compare this with."))
    if pool.engine == "vLLM" and len(parts) + states > 1:
        text = f"{name} has layers with a window or a state: vLLM's tokens are no capacity of it."
        return _finding(pool, "open", (intro, text))
    rows = _rows(groups_of(model, "compare"), _widths(pool, model, element_bytes), tp)
    if not rows:
        return _finding(pool, "open", (intro, f"{tp} ranks cannot share the heads of {name}."))
    fits = _within(rows, pool.bounds())
    if not fits:
        return _finding(pool, "disagrees", (intro, *_apart(implied, name, rows, bool(tp))))
    least, most = min(r.n_bytes for r in fits), max(r.n_bytes for r in fits)
    if least != most:
        text = f"{name} needs {_bytes(most)} or {_bytes(least)}: the line is rounded too coarsely."
        return _finding(pool, "open", (intro, text), fits)
    sentences = [intro, _agreed(name, fits, rows)]
    if pool.engine != "vLLM":
        sentences.append(_unit(pool, rows))
    return _finding(pool, "agrees", tuple(sentences), fits)


def _parts(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Return the layers that may share a pool: all, those that grow, those with a window.

    SGLang gives layers with a window a pool of their own.
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
def _rows(groups: tuple[Group, ...], widths: tuple[int, ...], tp: int | None) -> tuple[Row, ...]:
    """Return all that a model may spend on a token of one rank, of `tp` ranks or of any number."""
    return tuple(
        Row(n_bytes=found, width=width, layers=layers, tp=n)
        for width in widths
        for layers, part in _parts(groups).items()
        for n in ([tp] if tp else range(1, MOST_TP + 1))
        if (found := rank_token_bytes(part, n, width))
    )


def _widths(pool: Pool, model: Model | Group, element_bytes: int | None) -> tuple[int, ...]:
    """Return the widths to try: as asked for, as printed, else the model's and then fp8's."""
    if element_bytes is not None:
        return (element_bytes,)
    if pool.dtype in WIDTHS:
        return (WIDTHS[pool.dtype],)
    return tuple(dict.fromkeys((width_of(model, None, "compare"), 2, 1)))


def _within(rows: Sequence[Row], bounds: tuple[Fraction, Fraction]) -> list[Row]:
    """Return the rows within bounds, of the first width that has any."""
    least, most = math.ceil(bounds[0]), math.floor(bounds[1])
    fits = [row for row in rows if least <= row.n_bytes <= most]
    return [row for row in fits if row.width == fits[0].width]


def _agreed(name: str, fits: list[Row], rows: Sequence[Row]) -> str:
    first = fits[0]
    alike = [r for r in rows if (r.width, r.layers) == (first.width, first.layers)]
    sizes = [row.tp for row in fits if row.layers == first.layers]
    where = f"at TP {sizes[0]}" + (" or more" if len(sizes) > 1 else "")
    if len(sizes) == len(alike) > 1:
        where = "at any TP"
    which = f" for {first.layers}" if first.layers else ""
    needs = f"{name} needs {_bytes(first.n_bytes)}{which} {where}"
    return f"{needs}, {_wide(first.width)} an element: they agree."


def _unit(pool: Pool, rows: Sequence[Row]) -> str:
    decimal = pool.bounds(GB_PER_GIB)
    short = _bytes(Fraction(pool.n_bytes, pool.tokens) * GB_PER_GIB)
    text = f"Read as GB of 10^9 bytes it would be {short}"
    if _within(rows, decimal):
        return f"{text}, which fits another size: the unit rests on the engine's code alone."
    return f"{text}, which no size explains: the unit of the line is GiB."


def _apart(implied: Fraction, name: str, rows: Sequence[Row], fixed: bool) -> tuple[str, ...]:
    """Return the sentences for a pool that no row explains."""
    said = float(implied)
    near = min(rows, key=lambda row: max(said / row.n_bytes, row.n_bytes / said))
    ratio = f"{said / near.n_bytes:.3g} times that"
    first = f"{name} does not fit at TP {rows[0].tp}" if fixed else f"No TP makes {name} fit"
    closest = f"the closest is {near}" if len(rows) > 1 else f"it needs {near}"
    return (
        f"{first}: {closest}, and the line says {_bytes(implied)}, {ratio}.",
        "Another model, another width, pipeline stages or a draft model's pool could explain it.",
    )


def _bytes(value: Fraction | int) -> str:
    return f"{round(value):,} B"


def _wide(width: int) -> str:
    return "1 byte" if width == 1 else f"{width} bytes"


def _finding(pool: Pool, verdict: str, sentences: tuple[str, ...], fits: list = ()) -> Finding:
    return Finding(
        engine=pool.engine,
        lines=pool.lines,
        about="a pool",
        verdict=verdict,
        sentences=sentences,
        logged=pool.n_bytes / pool.tokens,
        expected=float(fits[0].n_bytes) if fits and verdict == "agrees" else None,
        sizes=tuple(sorted({row.tp for row in fits})),
    )
