"""Measure: the measurement to take next, and which counter or log line of an engine gives it.

What gives way first decides what to measure, and within it the number that was assumed rather
than measured: an efficiency of 1, a hit, a copy. What is closest behind comes second, since a small
error swaps the two. Names and units of counters were read in the engines' sources; versions differ.

SGLang shows its counters at /metrics when started with --enable-metrics, vLLM by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kvlib.wording import sentence, share
from kvlib.workbench.counters import COUNTERS, Counter
from kvlib.workbench.sentences import named

if TYPE_CHECKING:
    from kvlib.workbench.reports import Report

__all__ = ["CLOSE", "MEASUREMENTS", "Advice", "Measurement", "next_measurement"]

MANY = 1.5  # copies on the wire of each byte that must move: the more, the more rests on them
CLOSE = 2.0  # a bound within this factor of the limit is worth measuring, too
SWAPPED = 1.25  # within this one an error of the inputs may have swapped the two


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What to find out, and how; one for each stage and cause."""

    stage: str
    cause: str
    question: str
    how: str

    def counters(self, engine: str) -> tuple[Counter, ...]:
        """Return the counters of an engine that answer it; none for an engine not known here."""
        mine = (self.stage, self.cause)
        return tuple(c for c in COUNTERS if c.engine == engine and mine in c.answers)


@dataclass(frozen=True, kw_only=True)
class Advice:
    """The measurement to take next and why, and the one after it, None if nothing is close."""

    measurement: Measurement
    because: str
    then: Measurement | None = None
    then_because: str = ""


MEASUREMENTS = (
    Measurement(
        stage="prefill",
        cause="rate",
        question="How many tokens per second does one prefill worker compute while requests wait?",
        how="Keep its queue filled for some minutes; divide the tokens computed, hits left out, by "
        "the time. A rate seen with an empty queue is the load's and not the worker's.",
    ),
    Measurement(
        stage="prefill",
        cause="hits",
        question="Which share of the prompts' tokens does the prefill cache really spare?",
        how="Divide hit tokens by prompt tokens over an hour of your own traffic; a mean over "
        "requests weighs short prompts as much as long ones.",
    ),
    Measurement(
        stage="network",
        cause="rate",
        question="Which rate does one hand-off reach on an idle link?",
        how="Hand off prompts of several lengths, one at a time, and fit seconds against bytes "
        "(bandwidth.fit): the slope is the rate, the rest is start-up.",
    ),
    Measurement(
        stage="network",
        cause="bytes",
        question="How many bytes does one hand-off put on the wire, all ranks together?",
        how="Send one prompt of known length and add up all ranks; compare with the wire bytes "
        "above, or read the card's own byte counters before and after.",
    ),
    Measurement(
        stage="memory",
        cause="held",
        question="How full is decode's cache, and do requests wait for room in it?",
        how="Read usage and the queue before decode's reservation together: a full cache with a "
        "queue is this bound, a full cache without one is only well used.",
    ),
    Measurement(
        stage="decode",
        cause="rate",
        question="How many tokens per second does one decode worker make, and at which batch?",
        how="Read throughput and running requests together while requests wait: the rate belongs "
        "to that batch.",
    ),
    Measurement(
        stage="latency",
        cause="exposed",
        question="How long does a request wait between the end of prefill and decode's start?",
        how="Send one request at a time to an idle service; what exceeds the exposed time above is "
        "agreement, allocation and posting, not bytes.",
    ),
    Measurement(
        stage="latency",
        cause="wait",
        question="How long do requests wait before prefill, at this load?",
        how="Read the waiting time and the time to the first token as distributions, at the "
        "percentile of your target.",
    ),
)
_BY_CAUSE = {(m.stage, m.cause): m for m in MEASUREMENTS}


def next_measurement(report: Report) -> Advice:
    """Return the measurement to take next, and the one after it.

    >>> from kvlib.workbench import Setup, report
    >>> advice = next_measurement(report(Setup()))
    >>> advice.measurement.stage, advice.measurement.cause, advice.then
    ('prefill', 'rate', None)
    """
    spare, limit = report.spare_seconds, report.capacity.limit
    first = report.first[0]
    missed = spare is not None and spare < 0
    if missed and report.setup.arrival_rate <= limit:
        slow = report.exposed_seconds > report.prefill_seconds
        cause = ("latency", "exposed") if slow else _cause(report, "prefill")
        longest = "the exposed hand-off" if slow else "prefill"
        because = f"Even without load the target is missed, and {longest} takes the most of it."
        return Advice(
            measurement=_BY_CAUSE[cause], because=because, **_second(report, first, cause)
        )
    cause = _cause(report, first)
    because = sentence(f"{named(report.first)} {_verb(report.first)} first{_assumed(cause)}.")
    return Advice(measurement=_BY_CAUSE[cause], because=because, **_second(report, "", cause))


def _verb(stages: tuple[str, ...]) -> str:
    return "give way" if len(stages) > 1 else "gives way"


def _cause(report: Report, stage: str) -> tuple[str, str]:
    """Return what is least sure about a stage's bound."""
    s, found = report.setup, report.sizes
    match stage:
        case "prefill":
            return stage, "hits" if report.computed_tokens < s.prompt_tokens else "rate"
        case "network":
            counted = found.wire_bytes != found.moved_bytes or found.spared_tokens > 0
            doubtful = found.copies >= MANY or (counted and s.efficiency < 1)
            return stage, "bytes" if doubtful else "rate"
        case "memory":
            return stage, "held"
    return stage, "rate"


def _assumed(cause: tuple[str, str]) -> str:
    """Return what the bound rests on, as the end of a sentence."""
    return {
        ("prefill", "hits"): ", and its bound rests on the hit",
        ("network", "bytes"): ", and its bound rests on the bytes that cross",
        ("network", "rate"): ", and its bound rests on a rate that transfers may not reach",
    }.get(cause, "")


def _second(report: Report, first: str, taken: tuple[str, str]) -> dict[str, object]:
    """Return the measurement after the first: of what is closest, or of the waiting."""
    bounds = dict(report.capacity.given())
    if first and _cause(report, first) != taken:
        return {
            "then": _BY_CAUSE[_cause(report, first)],
            "then_because": sentence(f"{named((first,))} gives way first as load grows."),
        }
    others = sorted((value, name) for name, value in bounds.items() if name != report.first[0])
    value, name = others[0]
    if value <= CLOSE * report.capacity.limit and _cause(report, name) != taken:
        above = share(value / report.capacity.limit - 1)
        if name in report.first:
            why = f"{named((name,))} gives way at the same rate."
        elif value <= SWAPPED * report.capacity.limit:
            why = f"{named((name,))} lies {above} above the limit: a small error swaps the two."
        else:
            why = f"{named((name,))} is next, {above} above the limit."
        why = sentence(why)
        return {"then": _BY_CAUSE[_cause(report, name)], "then_because": why}
    met = report.spare_seconds is not None and report.spare_seconds >= 0
    if met and taken != ("latency", "wait"):
        why = "A bound says nothing about waiting, and there is a target."
        return {"then": _BY_CAUSE["latency", "wait"], "then_because": why}
    return {}
