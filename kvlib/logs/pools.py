"""Pools: the bytes that a logged pool spends on a token, beside the bytes that a model needs.

    bytes a token = pool's bytes / pool's tokens        of one rank
    rank's share  = H_KV / TP heads, at least one       MLA: the whole latent, on every rank

The quotient settles the unit: read as 10^9 bytes instead of 2^30, the same line would be 7 % short.
Compared within the rounding of what is printed; SGLang's pool has one page more than its tokens,
vLLM's memory is that of one rank and its tokens those of the smallest, so it may be 5 % above.

Not modelled: pipeline stages, context parallelism, a draft model's own pool, scales beside K and V.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kvlib.layout import share
from kvlib.logs.findings import Finding
from kvlib.logs.readings import Reading
from kvlib.payload import Geometry, Group, Indexer, Latent, Model, Recurrent, groups_of
from kvlib.units import UNITS, both

__all__ = ["Pool", "compare_pool", "pools_of", "rank_token_bytes"]

WIDTHS = {"bfloat16": 2, "float16": 2, "half": 2, "float32": 4}  # bytes of an element
WIDTHS |= {"float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "uint8": 1}
SPARE = 256  # tokens: SGLang allocates a page more than it counts
SMALLER = Fraction(1, 20)  # of vLLM's memory: what the smallest rank may lack
MOST_TP = 64  # ranks that are tried
GB_PER_GIB = UNITS["GB"].size / UNITS["GiB"].size


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Tokens and the bytes that hold them on one rank, as one line or two say it."""

    engine: str
    lines: tuple[int, ...]
    tokens: int
    n_bytes: int
    half: float  # bytes that rounding hides
    dtype: str = ""

    def bounds(self, size: Fraction = Fraction(1)) -> tuple[Fraction, Fraction]:
        """Return the least and the most bytes a token; `size` rescales the unit that is meant."""
        half = Fraction(self.half)
        least, most = (self.n_bytes - half) * size, (self.n_bytes + half) * size
        spare = SPARE if self.engine == "SGLang" else 0
        if self.engine == "vLLM":
            least *= 1 - SMALLER
        return least / (self.tokens + spare), most / self.tokens


def pools_of(readings: Iterable[Reading]) -> tuple[Pool, ...]:
    """Return the pools that readings speak of: SGLang's and LMCache's lines, vLLM's pairs of lines.

    Of several ranks' memory lines the smallest counts, as it does for vLLM.
    """
    found, memory = [], []
    for reading in readings:
        size = reading.get("KV") or reading.get("size")
        tokens = reading.get("tokens")
        if reading.engine == "vLLM" and reading.what == "memory":
            memory.append(reading)
        elif reading.engine == "vLLM" and reading.what == "tokens":
            if memory and tokens.value > 0:
                least = min(memory, key=lambda one: one["KV"].value)
                found.append(_pool(least, [least["KV"]], tokens.value, reading.line))
            memory = []
        elif reading.what in ("pool", "transfer") and tokens and tokens.value > 0:
            parts = [reading.get("K"), reading.get("V")]
            parts = [size] if size else parts
            if all(parts) and any(part.value > 0 for part in parts):
                found.append(_pool(reading, parts, tokens.value))
    return tuple(found)


def _pool(reading: Reading, parts: list, tokens: int, *lines: int) -> Pool:
    return Pool(
        engine=reading.engine,
        lines=(reading.line, *lines),
        tokens=tokens,
        n_bytes=sum(part.value for part in parts),
        half=sum(part.half for part in parts),
        dtype=reading.dtype,
    )


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


def _parts(model: Model | Group) -> dict[str, list[Group]]:
    """Return the layers that may share a pool: all, or only those that grow, or those that do not.

    SGLang gives layers with a window a pool of their own.
    """
    kept = [g for g in groups_of(model, "compare") if not isinstance(g, Recurrent)]
    windowed = [g for g in kept if isinstance(g, Geometry) and g.kept_tokens]
    growing = [g for g in kept if g not in windowed]
    parts = {"": kept, "its layers without a window": growing, "its layers with a window": windowed}
    if any(isinstance(g, Indexer) for g in growing):
        parts["its layers without their indexer"] = [g for g in kept if not isinstance(g, Indexer)]
    distinct = {said: part for said, part in parts.items() if part and (not said or part != kept)}
    return distinct


def compare_pool(
    pool: Pool, model: Model | Group, element_bytes: int | None = None, tp: int | None = None
) -> Finding:
    """Return whether a logged pool fits a model, at which tensor parallelism, and in which unit.

    Arguments as in `compare`, checked there.
    """
    name = model.name if isinstance(model, Model) else "the geometry"
    intro = (
        f"{pool.tokens:,} tokens in {both(pool.n_bytes)} are "
        f"{_bytes(Fraction(pool.n_bytes, pool.tokens))} a token on one rank."
    )
    parts = _parts(model)
    if pool.engine == "vLLM" and len(parts) + _states(model) > 1:
        reason = "of layers with a window or a state vLLM's tokens are no capacity"
        return _finding(pool, "open", (intro, f"Not compared with {name}: {reason}."))
    if not parts:
        return _finding(pool, "open", (intro, f"Not compared: {name} keeps no K and V."))
    widths = _widths(pool, model, element_bytes)
    sizes = [tp] if tp else range(1, MOST_TP + 1)
    table = [
        (rank_token_bytes(part, n, width), width, said, n)
        for width in widths
        for said, part in parts.items()
        for n in sizes
    ]
    table = [row for row in table if row[0]]
    if not table:
        return _finding(
            pool, "open", (intro, f"Not compared: {tp} ranks cannot share the heads of {name}.")
        )
    return _judged(pool, name, intro, table, bool(tp))


def _judged(pool: Pool, name: str, intro: str, table: list, fixed: bool) -> Finding:
    fits = _within(table, pool.bounds())
    if not fits:
        return _finding(pool, "disagrees", (intro, *_apart(pool, name, table, fixed)))
    if len({row[0] for row in fits}) > 1:
        most, least = max(fits)[0], min(fits)[0]
        said = f"between {_bytes(least)} and {_bytes(most)}"
        text = f"Too coarsely printed to tell: {name} at several sizes lies within, {said} a token."
        return _finding(pool, "open", (intro, text), fits)
    expected, width, said, _ = fits[0]
    others = [row for row in table if row[1:3] == fits[0][1:3]]
    where = _ranks([row[3] for row in fits if row[1:3] == fits[0][1:3]], others)
    which = f", {said}," if said else ""
    sentences = [
        intro,
        f"{name}{which} needs {_bytes(expected)} a token on a rank {where} at "
        f"{width} {'byte' if width == 1 else 'bytes'} an element: they agree.",
    ]
    if pool.engine == "SGLang" or pool.engine == "LMCache":
        decimal = pool.bounds(GB_PER_GIB)
        short = f"Read as GB (10^9 bytes) it would be {_bytes(sum(decimal) / 2)} a token"
        if _within(table, decimal):
            sentences.append(f"{short}, which fits another size: the unit rests on the code alone.")
        else:
            sentences.append(f"{short}, which fits at no size: the log's unit is GiB.")
    return _finding(pool, "agrees", tuple(sentences), fits)


def _apart(pool: Pool, name: str, table: list, fixed: bool) -> tuple[str, ...]:
    """Return the sentences for a pool that no row of the table explains."""
    implied = Fraction(pool.n_bytes, pool.tokens)
    near = min(table, key=lambda row: max(implied / row[0], row[0] / implied))
    most, least = max(table), min(table)
    spread = f"{_bytes(most[0])} at TP {most[3]}"
    if least[0] != most[0]:
        spread += f" down to {_bytes(least[0])} at TP {least[3]}"
    at = f"TP {table[0][3]}" if fixed else "every TP"
    ratio = float(implied / near[0])
    return (
        f"This does not fit {name} at {at}: it needs {spread}, the line says {_bytes(implied)}.",
        f"The nearest is {_bytes(near[0])} at TP {near[3]}, and the line is {ratio:.3g} times that: "
        "another model, another width of elements, pipeline stages or a draft model's pool.",
    )


def _widths(pool: Pool, model: Model | Group, element_bytes: int | None) -> list[int]:
    """Return the widths to try: as asked for, as printed, else the model's and then fp8's."""
    if element_bytes is not None:
        return [element_bytes]
    if pool.dtype in WIDTHS:
        return [WIDTHS[pool.dtype]]
    own = model.element_bytes if isinstance(model, Model) else 2
    return [own, *(width for width in (2, 1) if width != own)]


def _within(table: list, bounds: tuple[Fraction, Fraction]) -> list:
    """Return the rows within bounds, of the first width that has any."""
    for width in dict.fromkeys(row[1] for row in table):
        rows = [row for row in table if row[1] == width and bounds[0] <= row[0] <= bounds[1]]
        if rows:
            return rows
    return []


def _states(model: Model | Group) -> bool:
    return any(isinstance(g, Recurrent) for g in groups_of(model, "compare"))


def _ranks(found: list[int], table: list) -> str:
    """Return sizes in words: at TP 4, at TP 8 or more, at any TP."""
    if len(found) == len(table) and len(found) > 1:
        return "at any TP"
    return f"at TP {found[0]}" + (" or more" if len(found) > 1 else "")


def _bytes(value: Fraction) -> str:
    return f"{round(value):,} B"


def _finding(pool: Pool, verdict: str, sentences: tuple[str, ...], fits: list = ()) -> Finding:
    return Finding(
        engine=pool.engine,
        lines=pool.lines,
        about="bytes a token",
        verdict=verdict,
        sentences=sentences,
        logged=pool.n_bytes / pool.tokens,
        expected=float(fits[0][0]) if fits and verdict == "agrees" else None,
        sizes=tuple(sorted({row[3] for row in fits})),
    )
