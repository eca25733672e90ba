"""The parts of the workbench's answer that are no queue: bars, splits, a log, what comes next."""

from collections.abc import Sequence

from kvlib.apps.app import Part
from kvlib.apps.picture import bars
from kvlib.bandwidth import Link
from kvlib.logs import Finding, Reading, compare, explain, in_short, known, read_log, summary
from kvlib.wording import joined, requests, sentence
from kvlib.workbench import Report, next_measurement, not_counted

__all__ = ["capacities", "log", "measure", "splits", "uncounted"]

MOST_SPLITS = 15
MOST_READINGS = 12  # of a log, different ones: those that are explained and compared
MOST_FOUND = 2 * MOST_READINGS  # a line may be a pool and a transfer
PAIRED = ("memory", "tokens")  # readings that make a pool only with another, perhaps a later one


def capacities(report: Report) -> str:
    """Return the bounds of the stages as bars, the arrivals across them."""
    printed, arrivals = report.printed, report.setup.arrival_rate
    rows = [(name, [(bound, name)], printed[bound]) for name, bound in report.capacity.given()]
    return bars(rows, "What each stage sustains", (arrivals, f"arrivals {printed[arrivals]}"))


def splits(report: Report) -> Part:
    """Return what every split sustains; of many workers those around the best one."""
    best, present = report.best_splits[0].prefill_workers, report.setup.prefill_workers
    begin = max(0, min(best - 1 - MOST_SPLITS // 2, len(report.splits) - MOST_SPLITS))
    shown = list(report.splits[begin : begin + MOST_SPLITS])
    if not any(split.prefill_workers == present for split in shown):
        shown.append(report.splits[present - 1])
    rows = []
    for split in shown:
        name = f"{split.prefill_workers}:{split.decode_workers}"
        limit, first = split.capacity.limit, split.capacity.first
        mine = " (this one)" if split.prefill_workers == present else ""
        rows.append((f"{name}{mine}", [(limit, first)], f"{requests(limit)}, {first}"))
    some = len(shown) < len(report.splits)
    return Part(
        title="Every split, prefill to decode" if not some else "Splits near the best one",
        sentences=("Each bar ends at the stage that is named with it.",),
        picture=bars(rows, "What each split sustains, and the stage that limits it"),
    )


def log(report: Report, text: str, link: Link) -> Part | None:
    """Return what lines of a log say, beside the set-up; None if there are none."""
    if not text.strip():
        return None
    readings = read_log(text)
    if not readings:
        said = "No line that is known here. A line is known by its engine's words, which are these."
        return Part(title="Your log", sentences=(said,), items=known())
    different = {}
    for reading in readings:
        said = reading.engine, reading.says, reading.dtype, *(f.printed for f in reading.fields)
        different.setdefault(said, reading)
    firsts = _chosen(list(different.values()))
    chosen = {id(reading) for reading in firsts}
    compared = [r for r in readings if r.what in PAIRED or id(r) in chosen]
    s = report.setup
    tp = s.prefill_tp if s.prefill_tp == s.decode_tp > 1 else None
    stored = {"key_format": s.key_format, "value_format": s.value_format}
    findings = compare(compared, s.model, link=link, tp=tp, most=MOST_FOUND, **stored)
    lines = [*summary(readings), *_one_by_one(firsts, findings)]
    others = [reading for reading in different.values() if id(reading) not in chosen]
    lines += _left_out(others, len(readings) - len(different))
    return Part(title="Your log, beside this model and link", sentences=tuple(lines))


def _chosen(readings: Sequence[Reading]) -> list[Reading]:
    """Return a dozen of different readings in their order: one of each kind before a second."""
    kinds: dict[tuple[str, str], int] = {}
    for n, reading in enumerate(readings):
        kinds.setdefault((reading.engine, reading.says), n)
    firsts = list(kinds.values())
    rest = [n for n in range(len(readings)) if n not in set(firsts)]
    return [readings[n] for n in sorted((firsts + rest)[:MOST_READINGS])]


def _one_by_one(readings: list[Reading], findings: Sequence[Finding]) -> list[str]:
    """Return what each line says and, right after it, what it is compared with.

    A kind of line is explained once, then told in short. Nothing is said twice of one line, but
    two lines may say the same. A finding on several lines follows the last of them.
    """
    lines, told = [], {}
    last = {reading.line: n for n, reading in enumerate(readings)}
    after = {}
    for found in findings:
        spots = [last[line] for line in found.lines if line in last]
        after.setdefault(max(spots, default=len(readings) - 1), []).extend(found.sentences)
    for n, reading in enumerate(readings):
        names = {field.name for field in reading.fields}
        known_names = told.setdefault((reading.engine, reading.says), set())
        short = bool(known_names) and names <= known_names
        known_names |= names
        said = [in_short(reading)] if short else [*explain(reading)]
        note = f"{sentence(reading.note)}." if short and reading.note else ""
        said += [text for text in after.get(n, ()) if text != note]
        lines += dict.fromkeys(said)
    return lines


def _left_out(others: Sequence[Reading], same: int) -> list[str]:
    """Return one sentence on the readings that are not explained, none if all are."""
    kinds = {(reading.engine, reading.says): reading for reading in others}
    sums = {kind for kind, reading in kinds.items() if summary((reading, reading))}
    summed = sum((reading.engine, reading.says) in sums for reading in others)
    missing = len(others) - summed
    said = [f"{same:,} more say the same as one before"] * (same > 0)
    said += [f"{summed:,} more are not told one by one, but counted in the sums"] * (summed > 0)
    said += [f"{missing:,} more are left out: paste fewer"] * (missing > 0)
    return [f"Of the known lines {joined(said)}."] if said else []


def measure(report: Report) -> Part:
    """Return the measurement to take next, and the counters that answer it."""
    advice, engine = next_measurement(report), report.setup.engine.name
    counters = advice.measurement.counters(engine)
    said_by = [f"{c.name} ({c.kind}, {c.where}): {c.means}." for c in counters]
    said = [f"{advice.measurement.question} {advice.because}", advice.measurement.how]
    if advice.then is not None:
        said.append(sentence(f"then: {advice.then.question} {advice.then_because}"))
    return Part(
        title="The measurement to take next",
        sentences=tuple(said),
        items=tuple(said_by),
    )


def uncounted(report: Report) -> Part:
    """Return everything that is not counted."""
    title = "Not counted in these bytes, times and bounds"
    return Part(title=title, items=not_counted(report.setup), folded=True)
