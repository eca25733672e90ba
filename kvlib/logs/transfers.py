"""Transfers: the rate that a logged size and time make, and whether a link allows it.

    rate   = size / time
    tokens = size / bytes of a token on one rank

A line may hold its own rate: it is checked against the quotient. What a link is compared with is
one rank's transfer; a line that sums or averages over ranks says so in its note.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from kvlib.bandwidth import Link, Path, plausible
from kvlib.layout import share
from kvlib.logs.digits import shown, times
from kvlib.logs.findings import Finding
from kvlib.logs.fit import called
from kvlib.logs.readings import Field, Reading
from kvlib.logs.rows import rank_token_bytes
from kvlib.logs.storage import Storage, as_width
from kvlib.payload import Geometry, Group, Model, Recurrent, groups_of, width_of
from kvlib.units import both
from kvlib.wording import sentence
from kvlib.wording import tokens as counted

__all__ = ["Transfer", "compare_transfer", "in_tokens", "transfers_of"]

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
    crosses: str = ""  # what the bytes cross, if not the link between the two sides


def transfers_of(readings: Iterable[Reading]) -> tuple[Transfer, ...]:
    """Return the transfers that readings speak of; the samples of one histogram make one."""
    found, sums = [], {}
    for reading in readings:
        if reading.what in ("transfer", "rate") or reading.get("rate"):
            named = {n: reading.get(n) for n in ("size", "time", "rate", "tokens")}
            named |= {"note": reading.note, "crosses": reading.crosses}
            found.append(Transfer(engine=reading.engine, lines=(reading.line,), **named))
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
        sentences, verdict = _quotient(transfer)
    else:
        n_bytes, seconds, verdict = round(transfer.rate.value), 1.0, "open"
        sentences = []
        if link is None or transfer.crosses:  # a link's sentence says the rate
            sentences = [f"Printed {transfer.rate.printed}, meant {transfer.rate.meant}."]
    expected = None
    if transfer.crosses:
        text = f"the bytes go {transfer.crosses}, not over the link of a hand-off"
        sentences.append(f"{sentence(text)}: no link is compared.")
    elif link is not None:
        report = plausible(n_bytes, seconds, link)
        expected = float((link if isinstance(link, Link) else _slowest(link)).rate)
        verdict = "impossible" if report.impossible else verdict
        sentences.append(report.sentence)
    if transfer.note:
        sentences.append(f"{sentence(transfer.note)}.")
    return Finding(
        engine=transfer.engine,
        lines=transfer.lines,
        about="a transfer",
        verdict=verdict,
        sentences=tuple(sentences),
        logged=n_bytes / seconds,
        expected=expected,
    )


def _slowest(path: Path) -> Link:
    return min(path.hops, key=lambda hop: hop.rate)


def in_tokens(
    transfer: Transfer,
    model: Model | Group,
    tokens: int | None = None,
    stated: Storage | None = None,
    tp: int | None = None,
) -> str:
    """Return a sentence on a transfer's size beside the model's bytes, empty if nothing follows.

    With `tokens` it is the payload of one rank; without, how many tokens the size would be, of
    models all of whose layers grow. What is not stated is assumed, and said: the width of the
    model's file, and one rank.
    """
    if not transfer.size or not transfer.size.value or transfer.tokens:
        return ""
    name, groups, ranks = called(model), groups_of(model, "compare"), tp or 1
    storage = stated or as_width(width_of(model, None, "compare"))
    where = f"on a rank at TP {ranks:,}, {storage.said}"
    assumed = [what for what, known in (("TP", tp), ("width", stated)) if not known]
    if assumed:
        where += f" ({' and '.join(assumed)} assumed)"
    try:
        mine = [share(group, ranks) for group in groups]
    except ValueError:
        return f"{ranks:,} ranks cannot share the heads of {name}."
    if tokens is not None:
        payload = sum(storage.n_bytes(group, tokens) for group in mine)
        if not payload:
            return ""
        ratio = f"{times(transfer.size.value / payload)} that"
        first = f"{counted(tokens)} of {name} are {both(payload)} {where}"
        return f"{first}; the line moved {transfer.size.meant}, {ratio}."
    if any(isinstance(g, Recurrent) or (isinstance(g, Geometry) and g.kept_tokens) for g in groups):
        return ""
    each = rank_token_bytes(groups, ranks, storage)
    count = shown(Fraction(transfer.size.value, each), "tokens", 1)
    return f"{transfer.size.meant} are {count} of {name} {where}."


def _quotient(transfer: Transfer) -> tuple[list[str], str]:
    """Return the sentences on size over time, and whether the line's own rate agrees."""
    rate = Fraction(transfer.size.value) / Fraction(transfer.time.value)
    rates = f"{shown(rate, 'GB/s')} ({shown(rate, 'GiB/s')})"
    first = f"{transfer.size.meant} in {transfer.time.meant} are {rates}."
    if not transfer.rate or not transfer.rate.value:
        return [first], "open"
    same = _same(transfer)
    said = "is the same rate" if same else "is another rate"
    return [first, f"The line's own {transfer.rate.printed} {said}."], (
        "agrees" if same else "disagrees"
    )


def _same(transfer: Transfer) -> bool:
    """Return whether a line's rate is its size over its time, within what rounding hides."""
    size, time, rate = transfer.size, transfer.time, transfer.rate
    quotient = size.value / time.value
    hidden = size.half / max(size.value, 1) + time.half / time.value + rate.half / rate.value
    return abs(quotient - rate.value) <= rate.value * (SLACK * hidden + 1e-9)
