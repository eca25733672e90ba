"""Fit: the bytes that a logged pool spends on a token, beside the bytes that a model needs.

    bytes a token = pool's bytes / pool's tokens        of one rank
    rank's share  = max(1, H_KV / TP) heads             MLA: the whole latent, on every rank

The quotient settles the unit: read as 10^9 bytes instead of 2^30, the same line would be 7 % short.
Compared within the rounding of what is printed; SGLang's pool has one page more than its tokens,
vLLM's memory is that of one rank and its tokens those of the smallest, so it may be 5 % above.

Not modelled: pipeline stages, context parallelism, a draft model's own pool.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from kvlib.layout import share
from kvlib.logs.digits import times
from kvlib.logs.findings import Finding
from kvlib.logs.pools import Pool
from kvlib.logs.storage import Storage, as_width, candidates
from kvlib.payload import Geometry, Group, Indexer, Model, Recurrent, groups_of, width_of
from kvlib.units import UNITS, both
from kvlib.wording import joined, sentence

__all__ = ["called", "compare_pool", "rank_token_bytes"]

MOST_TP = 64  # ranks that are tried
MOST_NAMED = 3  # ways to fit that are named
GB_PER_GIB = UNITS["GB"].size / UNITS["GiB"].size


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a model would spend on a token of one rank: some of its layers, stored so, at a TP."""

    n_bytes: int
    storage: Storage
    layers: str  # "" where it is all layers that keep K and V
    tp: int

    def __str__(self) -> str:
        which = f" for {self.layers}" if self.layers else ""
        return f"{_bytes(self.n_bytes)}{which} at TP {self.tp} and {self.storage.said}"


def called(model: Model | Group) -> str:
    """Return what a sentence calls a model."""
    return model.name if isinstance(model, Model) else "this geometry"


def rank_token_bytes(groups: Sequence[Group], tp: int, storage: Storage | int) -> int | None:
    """Return the bytes of one token on one rank of `tp`; None if that many cannot share the heads.

    Every layer counts as growing: a pool has a place per token for each of its layers.

    >>> rank_token_bytes([Geometry(layers=94, kv_heads=4, head_dim=128)], 8, 2)
    48128
    """
    mine = _shares(tuple(groups), tp)
    storage = as_width(storage) if isinstance(storage, int) else storage
    return sum(storage.n_bytes(group, 1) for group in mine) if mine else None


def compare_pool(
    pool: Pool, model: Model | Group, stated: Storage | None = None, tp: int | None = None
) -> Finding:
    """Return whether a logged pool fits a model, at which tensor parallelism, and in which unit.

    Arguments as in `compare`, checked there; `stated` is how the model is said to be stored.
    """
    name, groups = called(model), groups_of(model, "compare")
    implied = Fraction(pool.n_bytes, pool.tokens)
    intro = f"{pool.tokens:,} tokens in {both(pool.n_bytes)} are {_bytes(implied)} a token a rank."
    if not _parts(groups):
        text = f"{sentence(name)} keeps no K and V to compare this with."
        return _finding(pool, "open", (intro, text))
    if pool.engine == "vLLM" and (kinds := _mixed(groups)):
        text = f"{name} has layers with {kinds}: vLLM's tokens are no capacity of it."
        return _finding(pool, "open", (intro, sentence(text)))
    width = width_of(model, None, "compare")
    storages, note = candidates(pool.dtype, width, groups, stated)
    known = stated is not None or bool(pool.dtype)
    intros = (intro, note) if note else (intro,)
    rows = _rows(groups, storages, tp)
    if not rows:
        text = f"{tp} ranks cannot share the heads of {name}."
        return _finding(pool, "open", (*intros, text))
    fits = _within(rows, pool.bounds())
    if not fits:
        said = _apart(implied, name, rows, bool(tp))
        dtype = pool.dtype if note else ""  # where the two contradict, the line alone is asked
        others = _rows(groups, candidates(dtype, width, groups, None)[0], None)
        said += _instead(_within(others, pool.bounds()), others, storages if not known else ())
        return _finding(pool, "disagrees", (*intros, *said))
    ways = _ways(fits, rows)
    if len({row.n_bytes for row in fits}) > 1:
        needs = [f"{_bytes(row.n_bytes)} {where}" for row, where in ways]
        text = f"{name} needs {_few(needs)}: the line is rounded too coarsely."
        return _finding(pool, "open", (*intros, sentence(text)), fits)
    needs = f"{name} needs {_bytes(fits[0].n_bytes)} {_few([where for _, where in ways])}"
    more = ", and the line does not say which" if len(ways) > 1 else ""
    sentences = [*intros, sentence(f"{needs}: they agree{more}.")]
    if pool.engine != "vLLM":
        sentences.append(_unit(pool, rows))
    return _finding(pool, "agrees", tuple(sentences), fits)


def _mixed(groups: Sequence[Group]) -> str:
    """Return what keeps vLLM's tokens from being a capacity: layers that do not all grow alike."""
    kept = [g for g in groups if isinstance(g, Geometry) and g.kept_tokens]
    grown = [g for g in groups if not isinstance(g, Recurrent) and g not in kept]
    window = ["a window"] if kept and grown else []
    return joined([*window, *["a state"] * any(isinstance(g, Recurrent) for g in groups)] or [""])


def _parts(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Return the layers that may share a pool: all, those that grow, those with a window.

    SGLang gives layers with a window a pool of their own, and counted an indexer's keys late.
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


@lru_cache(maxsize=64)
def _shares(groups: tuple[Group, ...], tp: int) -> tuple[Group, ...]:
    """Return what one rank of `tp` has of each group; nothing if it cannot be shared out."""
    try:
        return tuple(share(group, tp) for group in groups)
    except ValueError:
        return ()


@lru_cache(maxsize=16)
def _rows(
    groups: tuple[Group, ...], storages: tuple[Storage, ...], tp: int | None
) -> tuple[Row, ...]:
    """Return all that a model may spend on a token of one rank, of `tp` ranks or of any number."""
    rows = []
    for layers, part in _parts(groups).items():
        ranks = {n: _shares(tuple(part), n) for n in ([tp] if tp else range(1, MOST_TP + 1))}
        spent = {(mine, s): sum(s.n_bytes(g, 1) for g in mine)
                 for mine in set(ranks.values()) if mine for s in storages}  # fmt: skip
        rows += [
            Row(n_bytes=spent[mine, storage], storage=storage, layers=layers, tp=n)
            for n, mine in ranks.items()
            if mine
            for storage in storages
        ]
    return tuple(sorted(rows, key=lambda row: storages.index(row.storage)))


def _within(rows: Sequence[Row], bounds: tuple[Fraction, Fraction]) -> list[Row]:
    """Return the rows within bounds."""
    least, most = math.ceil(bounds[0]), math.floor(bounds[1])
    return [row for row in rows if least <= row.n_bytes <= most]


def _ways(fits: Sequence[Row], rows: Sequence[Row]) -> list[tuple[Row, str]]:
    """Return the ways in which a pool fits, each with where it does: layers, TPs and storage."""
    ways: dict[tuple, list[Row]] = {}
    for row in fits:
        ways.setdefault((row.n_bytes, row.layers, row.storage), []).append(row)
    found = []
    for (_, layers, storage), alike in ways.items():
        tried = [row for row in rows if (row.layers, row.storage) == (layers, storage)]
        where = f"at TP {alike[0].tp}" + (" or more" if len(alike) > 1 else "")
        if len(alike) == len(tried) > 1:
            where = "at any TP"
        which = f"for {layers} " if layers else ""
        found.append((alike[0], f"{which}{where}, {storage.said}"))
    return found


def _few(ways: Sequence[str]) -> str:
    """Return the first ways as a list, and how many more there are."""
    more = len(ways) - MOST_NAMED
    named = list(ways[:MOST_NAMED]) + [f"in {more:,} ways more"] * (more > 0)
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])}, or {named[-1]}"


def _unit(pool: Pool, rows: Sequence[Row]) -> str:
    decimal = pool.bounds(GB_PER_GIB)
    short = _bytes(Fraction(pool.n_bytes, pool.tokens) * GB_PER_GIB)
    text = f"Read as GB of 10^9 bytes it would be {short}"
    if _within(rows, decimal):
        return f"{text}, which fits another size: the unit rests on the engine's code alone."
    return f"{text}, which no size explains: the unit of the line is GiB."


def _apart(implied: Fraction, name: str, rows: Sequence[Row], fixed: bool) -> tuple[str, ...]:
    """Return the sentence for a pool that no row explains."""
    said = float(implied)
    near = min(rows, key=lambda row: max(said / row.n_bytes, row.n_bytes / max(said, 1e-30)))
    ratio = f"{times(said / near.n_bytes)} that"
    first = (
        f"{sentence(name)} does not fit at TP {rows[0].tp}" if fixed else f"No TP makes {name} fit"
    )
    closest = f"the closest is {near}" if len(rows) > 1 else f"it needs {near}"
    return (f"{first}: {closest}, and the line says {_bytes(implied)}, {ratio}.",)


def _instead(fits: Sequence[Row], rows: Sequence[Row], tried: Sequence[Storage]) -> tuple[str, ...]:
    """Return what would explain a pool that does not fit, and what was tried without being told."""
    if fits:
        ways = [f"{_bytes(row.n_bytes)} {where}" for row, where in _ways(fits, rows)]
        return (f"It would fit otherwise: {_few(ways)}.",)
    told = "Another model, another width, pipeline stages or a draft model's pool could explain it."
    if not tried:
        return (told,)
    said = joined([storage.said for storage in tried])
    return (f"The line prints no dtype; tried were {said}.", told)


def _bytes(value: Fraction | int) -> str:
    return f"{round(value):,} B" if value >= 1 or not value else f"{float(value):.3g} B"


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
