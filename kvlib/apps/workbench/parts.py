"""The parts of the workbench's answer that are no queue: bars, splits, a log, what comes next."""

from kvlib.apps.app import Part
from kvlib.apps.picture import bars
from kvlib.bandwidth import Link
from kvlib.logs import compare, explain, read_log
from kvlib.quantization import run_bytes
from kvlib.wording import requests, sentence
from kvlib.workbench import Report, Setup, next_measurement, not_counted
from kvlib.workbench.sentences import printed_rates

__all__ = ["capacities", "log", "measure", "splits", "uncounted"]

MOST_SPLITS, MOST_LINES = 15, 40


def capacities(report: Report) -> str:
    """Return the bounds of the stages as bars, the arrivals across them."""
    printed, arrivals = printed_rates(report), report.setup.arrival_rate
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
        said = "No line that is known here: see chapter 8 for those of SGLang and vLLM that are."
        return Part(title="Your log", sentences=(said,))
    said = [line for reading in readings for line in explain(reading)]
    s = report.setup
    tp = s.prefill_tp if s.prefill_tp == s.decode_tp > 1 else None
    for found in compare(readings, s.model, link=link, tp=tp, element_bytes=_width(s)):
        said += found.sentences
    said = list(dict.fromkeys(said))
    more = len(said) - MOST_LINES
    if more > 0:
        said = [*said[:MOST_LINES], f"{more:,} sentences more are left out: paste fewer lines."]
    return Part(title="Your log, beside this model and link", sentences=tuple(said))


def _width(setup: Setup) -> int | None:
    """Return the whole bytes of an element in the format of the set-up, None if not so stated."""
    form, many = setup.key_format, 1_000
    if form is None or run_bytes(form, many) % many:
        return None
    return run_bytes(form, many) // many


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
