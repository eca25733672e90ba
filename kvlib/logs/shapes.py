"""Shapes: how a log line is described: what marks it, and which numbers stand in it.

A slot is one number: the text right before it, the unit that the log prints, and the unit that
the engine's code divides by. The two differ more often than not.
"""

from dataclasses import dataclass
from functools import cached_property

from kvlib import _check
from kvlib.units import UNITS

__all__ = ["Format", "Slot"]


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One number of a line. Raises TypeError or ValueError for a unit that there is none of."""

    name: str  # as a sentence calls it
    labels: tuple[str, ...]  # the text right before the number, in any of its spellings
    printed: str = ""  # the unit as the log prints it, in the label or after the number
    unit: str = ""  # the unit that is meant, a key of UNITS; empty for a plain count
    needed: bool = False  # whether there is no reading without it
    note: str = ""  # what the number counts, where its name does not say it
    over: str = ""  # what sums it up over many lines: sum, median, most or last; empty: nothing

    def __post_init__(self) -> None:
        _check.one_of("Slot", "over", self.over, ("", "sum", "median", "most", "last"))
        for label in self.labels:
            _check.kind("Slot", "labels", label, str, "a tuple of texts")
        if self.unit:
            _check.one_of("Slot", "unit", self.unit, UNITS)

    @cached_property
    def scale(self) -> tuple[int, int, str]:
        """What the unit is worth in its base unit, over and under the line, and what it measures.

        Kept, as are the properties of every slot: a long log asks for them thousands of times.
        """
        if not self.unit:
            return 1, 1, ""
        unit = UNITS[self.unit]
        return unit.size.numerator, unit.size.denominator, unit.kind

    @cached_property
    def renamed(self) -> bool:
        """Whether the log prints one unit and means another: GB for GiB, gb for GiB."""
        return bool(self.unit) and self.printed in MISLEADING and self.printed != self.unit


MISLEADING = {"GB": "GB", "gb": "GB", "MB": "MB", "GB/s": "GB/s", "MB/s": "MB/s", "gb_s": "GB/s"}
MISLEADING |= {"mb": "MB"}  # the unit, a key of UNITS, that such a name says if it is believed


@dataclass(frozen=True, kw_only=True)
class Format:
    """One kind of log line of one engine, and where in its source it was read."""

    engine: str
    # pool, memory, tokens, concurrency, blocks, batch, interval, state, transfer, rate, metric
    what: str
    says: str  # what the line is, in words
    marker: str  # the text that such a line holds; its first number may follow at once
    slots: tuple[Slot, ...]
    source: str
    together: tuple[str, ...] = ()  # slots of which at least one must be there
    note: str = ""
    crosses: str = ""  # of a transfer: what the bytes cross, if not the link of a hand-off
