"""Transfers: the rate that a logged size and time make, and whether a link allows it.

    rate = size / time

A line may hold its own rate: it is checked against the quotient. What a link is compared with is
one rank's transfer; a line that sums or averages over ranks says so in its note.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from kvlib.bandwidth import Link, Path, plausible
from kvlib.logs.findings import Finding
from kvlib.logs.readings import Field, Reading
from kvlib.units import format_as

__all__ = ["Transfer", "compare_transfer", "transfers_of"]

SLACK = 1.02  # times the rounding: what the mean of a quotient may differ from its quotient


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """A logged movement of bytes: its size, its time or its rate, whichever are there."""

    engine: str
    lines: tuple[int, ...]
    size: Field | None = None
    time: Field | None = None
    rate: Field | None = None
    tokens: Field | None = None
    note: str = ""


def transfers_of(readings: Iterable[Reading]) -> tuple[Transfer, ...]:
    """Return the transfers that readings speak of; the samples of one histogram make one."""
    found, sums = [], {}
    for reading in readings:
        if reading.what in ("transfer", "rate") or reading.get("rate"):
            named = {n: reading.get(n) for n in ("size", "time", "rate", "tokens")}
            found.append(
                Transfer(engine=reading.engine, lines=(reading.line,), note=reading.note, **named)
            )
        elif reading.what == "metric":
            for name in ("size", "time"):
                if total := reading.get(f"sum of {name}s"):
                    sums[name] = (total, reading)
    if len(sums) == 2:
        (size, first), (time, second) = sums["size"], sums["time"]
        lines = (first.line, second.line)
        note = first.note
        found.append(Transfer(engine="SGLang", lines=lines, size=size, time=time, note=note))
    return tuple(t for t in found if _says_a_rate(t))


def _says_a_rate(transfer: Transfer) -> bool:
    timed = transfer.size and transfer.time and transfer.time.value > 0
    return bool(timed or (transfer.rate and transfer.rate.value > 0))


def compare_transfer(transfer: Transfer, link: Link | Path | None = None) -> Finding:
    """Return the rate of a logged transfer, and what a link says to it.

    Without a link the finding is about the line's own numbers. Raises TypeError for what is no
    link or path.
    """
    if transfer.size and transfer.time and transfer.time.value > 0:
        n_bytes, seconds = transfer.size.value, transfer.time.value
        sentences = [_quotient(transfer)]
        verdict = "open"
        if transfer.rate and transfer.rate.value > 0:
            same = _same(transfer)
            verdict = "agrees" if same else "disagrees"
            said = (
                "is the same rate" if same else "is another rate: the two were not taken together"
            )
            sentences.append(f"The line's own {transfer.rate.printed} {said}.")
    else:
        n_bytes, seconds, verdict = round(transfer.rate.value), 1.0, "open"
        sentences = [f"Printed {transfer.rate.printed}, meant {transfer.rate.meant}."]
    rate = n_bytes / seconds
    expected = None
    if link is not None and n_bytes > 0:
        report = plausible(n_bytes, seconds, link)
        expected = rate / report.fraction
        verdict = "impossible" if report.impossible else verdict
        sentences.append(report.sentence)
    if transfer.note:
        sentences.append(f"{transfer.note[0].upper()}{transfer.note[1:]}.")
    return Finding(
        engine=transfer.engine,
        lines=transfer.lines,
        about="a transfer",
        verdict=verdict,
        sentences=tuple(sentences),
        logged=rate,
        expected=expected,
    )


def _quotient(transfer: Transfer) -> str:
    rate = Fraction(transfer.size.value) / Fraction(transfer.time.value)
    return (
        f"{transfer.size.meant} in {transfer.time.meant} are {format_as(rate, 'GB/s')} "
        f"({format_as(rate, 'GiB/s')})."
    )


def _same(transfer: Transfer) -> bool:
    """Return whether a line's rate is its size over its time, within what rounding hides."""
    size, time, rate = transfer.size, transfer.time, transfer.rate
    quotient = size.value / time.value
    hidden = size.half / max(size.value, 1) + time.half / time.value + rate.half / rate.value
    return abs(quotient - rate.value) <= rate.value * (SLACK * hidden + 1e-9)
