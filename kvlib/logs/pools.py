"""Pools: tokens and the bytes that hold them on one rank, as one line or two say it.

SGLang prints both on one line, in older versions the tokens on a later one. vLLM prints the memory
of one rank and the tokens of the smallest. LMCache's stores and retrievals are pools in small.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from kvlib.logs.readings import Field, Reading

__all__ = ["Pool", "pools_of"]

SPARE = 256  # tokens: SGLang allocates a page more than it counts
SMALLER = Fraction(1, 20)  # of vLLM's memory: what the smallest rank may lack


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Tokens and the bytes that hold them on one rank, with what rounding hides."""

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


def pools_of(readings: Iterable[Reading], most: int | None = None) -> tuple[Pool, ...]:
    """Return the pools that readings speak of, at most so many; ranks that say the same make one.

    Of several ranks' memory lines the smallest counts, as it does for vLLM.
    """
    lines: dict[Pool, list[int]] = {}
    for pool in _each(readings):
        alike = replace(pool, lines=())
        if len(lines) == most and alike not in lines:
            break
        lines.setdefault(alike, []).extend(pool.lines)
    return tuple(replace(pool, lines=tuple(dict.fromkeys(found))) for pool, found in lines.items())


def _each(readings: Iterable[Reading]) -> Iterator[Pool]:
    """Yield the pool of each line that has one, with the line that its tokens came from."""
    waiting: dict[str, list[Reading]] = {"vLLM": [], "SGLang": []}  # bytes without their tokens
    for reading in readings:
        tokens, parts = reading.get("tokens"), _parts(reading)
        if parts and tokens and tokens.value > 0:
            yield _pool(reading, tokens.value)
        elif parts and not tokens and reading.engine in waiting:
            waiting[reading.engine].append(reading)
        elif reading.what == "tokens":
            held = waiting[reading.engine]
            waiting[reading.engine] = []
            if held and tokens.value > 0:
                least = min(held, key=lambda one: sum(part.value for part in _parts(one)))
                yield _pool(least, tokens.value, reading.line)


def _parts(reading: Reading) -> list[Field]:
    """Return the fields whose bytes add up to a pool; none if there are no bytes."""
    if reading.what == "transfer":
        parts = [reading.get("size")] if reading.engine == "LMCache" else []
    elif reading.what in ("pool", "memory") and reading.get("KV"):
        parts = [reading.get("KV")]
    else:
        parts = [reading.get("K"), reading.get("V")] if reading.what == "pool" else []
    whole = all(parts) and any(part.value > 0 for part in parts)
    return parts if whole else []


def _pool(reading: Reading, tokens: int, *lines: int) -> Pool:
    parts = _parts(reading)
    return Pool(
        engine=reading.engine,
        lines=(reading.line, *lines),
        tokens=tokens,
        n_bytes=sum(part.value for part in parts),
        half=sum(part.half for part in parts),
        dtype=reading.dtype,
    )
