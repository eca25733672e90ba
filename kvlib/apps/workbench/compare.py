"""Two set-ups side by side: what differs, and what each of them gives."""

from kvlib.apps.app import Part
from kvlib.apps.picture import bars
from kvlib.apps.queueing import QUANTILE
from kvlib.apps.workbench.queue import Waiting, most
from kvlib.queueing import percentile
from kvlib.units import both
from kvlib.wording import rate, requests, time
from kvlib.workbench import Report
from kvlib.workbench.sentences import named

__all__ = ["side_by_side"]

HERE, THERE = "this one", "the kept one"


def side_by_side(here: Waiting, there: Waiting, changed: list[tuple[str, str, str]]) -> Part:
    """Return the two beside each other; `changed` has label, this text and the kept text."""
    rows = [("set-up", HERE, THERE), *changed]
    now, kept = here.report, there.report
    if now.setup.link_rate != kept.setup.link_rate:
        rows.append(("Link", *(rate(r.setup.link_rate, "b/s") for r in (now, kept))))
    for name, of in (
        ("on the wire", lambda r: both(r.sizes.wire_bytes)),
        ("hand-off, at least", lambda r: time(r.bound_seconds)),
        ("exposed after prefill", lambda r: time(r.exposed_seconds)),
        ("sustains", lambda r: r.printed[r.capacity.limit]),
        ("gives way first", lambda r: named(r.first)),
        ("its best split", _best),
        ("first token, at best", lambda r: time(r.first_token_seconds)),
    ):
        rows.append((name, of(now), of(kept)))
    for name, told in (
        ("95 % have it within", lambda w: time(percentile(w.run.ttft, QUANTILE))),
        ("target met up to", most),
    ):
        rows.append((name, told(here), told(there)))
    bounds = [
        (f"{name}, {which}", [(bound, name)], requests(bound))
        for name in ("prefill", "memory", "network", "decode")
        for which, report in ((HERE, now), (THERE, kept))
        if (bound := getattr(report.capacity, name)) is not None
    ]
    return Part(
        title="Side by side",
        sentences=(_verdict(now, kept),),
        table=tuple(rows),
        picture=bars(bounds, "What each stage sustains in the two set-ups"),
    )


def _best(report: Report) -> str:
    best = report.best_splits[0]
    return f"{best.prefill_workers}:{best.decode_workers}, {requests(best.capacity.limit)}"


def _verdict(now: Report, kept: Report) -> str:
    """Say which of the two sustains more."""
    mine, other = now.capacity.limit, kept.capacity.limit
    if abs(mine - other) <= 1e-12 * other:
        return f"Both sustain {requests(mine)}."
    if abs(mine - other) < other / 1_000:
        return "What the two sustain differs by less than 0.1 %."
    more = mine / other if mine > other else other / mine
    who = HERE if mine > other else THERE
    by = f"{more:,.2f}×" if more < 100 else f"{more:,.0f}×"
    by = f"{100 * (more - 1):.3g} % more" if more < 1.1 else f"{by} as much"
    return f"{who[0].upper()}{who[1:]} sustains {by}."
