"""Fit: the bytes that a logged pool spends on a token, beside the bytes that a model needs.

    bytes a token = pool's bytes / pool's tokens        of one rank

The quotient settles the unit: read as 10^9 bytes instead of 2^30, the same line would be 7 % short.
Compared within the rounding of what is printed; SGLang's pool has one page more than its tokens,
vLLM's memory is that of one rank and its tokens those of the smallest, so it may be 5 % above.
Every way to fit is named, up to three: half the bytes an element and half the ranks look alike.

Not modelled: a draft model's own pool, and what `rows` leaves out.
"""

from collections.abc import Sequence
from fractions import Fraction

from kvlib.logs.digits import times
from kvlib.logs.findings import Finding
from kvlib.logs.pools import Pool
from kvlib.logs.rows import Row, in_bytes, parts_of, rows_of, within
from kvlib.logs.storage import Storage, candidates
from kvlib.payload import Geometry, Group, Model, Recurrent, groups_of, width_of
from kvlib.units import UNITS, both
from kvlib.wording import joined, sentence

__all__ = ["called", "compare_pool"]

NAMELESS = "this geometry"
MOST_NAMED = 3  # ways to fit that are named
GB_PER_GIB = UNITS["GB"].size / UNITS["GiB"].size


def called(model: Model | Group) -> str:
    """Return what a sentence calls a model."""
    return model.name if isinstance(model, Model) else NAMELESS


def compare_pool(
    pool: Pool, model: Model | Group, stated: Storage | None = None, tp: int | None = None
) -> Finding:
    """Return whether a logged pool fits a model, at which tensor parallelism, and in which unit.

    Arguments as in `compare`, checked there; `stated` is how the model is said to be stored.
    """
    name, groups = called(model), groups_of(model, "compare")
    first = sentence(name) if name == NAMELESS else name
    n_bytes = in_bytes(_implied(pool))
    intro = f"{pool.tokens:,} tokens in {both(pool.n_bytes)} are {n_bytes} a token a rank."
    if not parts_of(groups):
        return _finding(pool, "open", (intro, f"{first} keeps no K and V to compare this with."))
    if pool.engine == "vLLM" and (kinds := _mixed(groups)):
        text = f"{first} has layers with {kinds}: vLLM's tokens are no capacity of it."
        return _finding(pool, "open", (intro, text))
    width = width_of(model, None, "compare")
    storages, note = candidates(pool.dtype, width, groups, stated)
    intros = (intro, note) if note else (intro,)
    rows = rows_of(groups, storages, tp)
    if not rows:
        return _finding(pool, "open", (*intros, f"{tp} ranks cannot share the heads of {name}."))
    fits = within(rows, pool.bounds())
    if not fits:
        every, _ = candidates(pool.dtype, width, groups, None)
        others = within(rows_of(groups, every, None), pool.bounds())
        tried = () if pool.dtype or stated else storages
        said = (_apart(pool, name, first, rows, tp), *_instead(others, tried))
        return _finding(pool, "disagrees", (*intros, *said))
    if len({row.n_bytes for row in fits}) > 1:
        needs = _few([row.needs for row in fits])
        why = "the line is rounded too coarsely"
        if pool.engine == "vLLM":
            why = "too close for a line that may hold 5 % more than its tokens need"
        return _finding(pool, "open", (*intros, f"{first} needs {needs}: {why}."), fits)
    needs = f"{first} needs {in_bytes(fits[0].n_bytes)} {_few([row.where for row in fits])}"
    more = ", and the line does not say which" if len(fits) > 1 else ""
    sentences = [*intros, f"{needs}: they agree{more}."]
    if pool.engine != "vLLM":
        sentences.append(_unit(pool, rows))
    return _finding(pool, "agrees", tuple(sentences), fits)


def _implied(pool: Pool) -> Fraction:
    return Fraction(pool.n_bytes, pool.tokens)


def _mixed(groups: Sequence[Group]) -> str:
    """Return what keeps vLLM's tokens from being a capacity: layers that do not grow as others do.

    An indexer grows with the layers that it serves.
    """
    states = any(isinstance(group, Recurrent) for group in groups)
    limits = [g.kept_tokens if isinstance(g, Geometry) else None for g in groups]
    window = any(limits) and not all(limits)
    return joined(["a window"] * window + ["a state"] * states or [""])


def _few(ways: Sequence[str]) -> str:
    """Return the first ways as a list, and how many more there are."""
    more = len(ways) - MOST_NAMED
    named = list(ways[:MOST_NAMED])
    if more > 0:
        named.append(f"in {more:,} more ways" if more > 1 else "in one more way")
    if len(named) < 3:
        return ", or ".join(named)
    return f"{'; '.join(named[:-1])}; or {named[-1]}"


def _unit(pool: Pool, rows: Sequence[Row]) -> str:
    text = f"Read as GB of 10^9 bytes it would be {in_bytes(_implied(pool) * GB_PER_GIB)}"
    if within(rows, pool.bounds(GB_PER_GIB)):
        return f"{text}, which fits another size: the unit rests on the engine's code alone."
    return f"{text}, which no size explains: the unit of the line is GiB."


def _apart(pool: Pool, name: str, first: str, rows: Sequence[Row], tp: int | None) -> str:
    """Return the sentence on a pool that no row explains, beside the row that comes closest."""
    said = float(_implied(pool))
    near = min(rows, key=lambda row: max(said / row.n_bytes, row.n_bytes / said))
    ratio = f"{times(said / near.n_bytes)} that"
    claim = f"{first} does not fit at TP {tp}" if tp else f"No TP makes {name} fit"
    closest = f"the closest is {near}" if len(rows) > 1 else f"it needs {near}"
    return f"{claim}: {closest}, and the line says {in_bytes(_implied(pool))}, {ratio}."


def _instead(others: Sequence[Row], tried: Sequence[Storage]) -> tuple[str, ...]:
    """Return what else explains a pool, or could, and what was tried without being told."""
    if others:
        return (f"It would fit otherwise: {_few([row.needs for row in others])}.",)
    told = "Another model, another width, pipeline stages or a draft model's pool could explain it."
    if not tried:
        return (told,)
    plain = [storage.said for storage in tried if storage.width]
    packed = [storage.said.removeprefix("packed as ") for storage in tried if not storage.width]
    said = f"{', '.join(plain)}, and packed as {joined(packed, 'or')}"
    return (f"The line prints no dtype; tried were {said}.", told)


def _finding(
    pool: Pool, verdict: str, sentences: tuple[str, ...], fits: Sequence[Row] = ()
) -> Finding:
    return Finding(
        engine=pool.engine,
        lines=pool.lines,
        about="a pool",
        verdict=verdict,
        sentences=sentences,
        logged=pool.n_bytes / pool.tokens,
        expected=float(fits[0].n_bytes) if fits and verdict == "agrees" else None,
        sizes=tuple(sorted({n for row in fits for n in row.sizes})),
    )
