"""Sentences: what a report says in words, one function a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kvlib.wording import SAME, apart, joined, requests, sentence, share, time

if TYPE_CHECKING:
    from kvlib.workbench.reports import Report

__all__ = ["change", "headline", "load", "named", "printed_rates", "split", "target"]


def printed_rates(report: Report) -> Mapping[float, str]:
    """Return each rate of a report as text, unequal ones with digits enough to differ."""
    bounds = [value for _, value in report.capacity.given()]
    best = report.best_splits[0].capacity.limit
    return apart([*bounds, report.setup.arrival_rate, report.doubled.limit, best])


def named(stages: tuple[str, ...], word: str = "and") -> str:
    """Return stages as prose: prefill and the network; memory is decode's."""
    words = {"network": "the network", "memory": "decode memory"}
    return joined([words.get(stage, stage) for stage in stages], word)


def headline(report: Report) -> str:
    """Return which stage gives way first, and at which rate."""
    first = report.first
    how = "give way together" if len(first) > 1 else "gives way first"
    limit = printed_rates(report)[report.capacity.limit]
    return sentence(f"{named(first)} {how}, at {limit}.")


def change(report: Report) -> str:
    """Return what doubling a stage would do, and what it would not."""
    first, then = report.first, report.doubled.tied
    limit = printed_rates(report)[report.doubled.limit]
    if len(first) > 1:
        none = f"Doubling {named(first, 'or')} alone does not raise the rate"
        return f"{none}; doubling {named(first)} together gives {limit}."
    if then == first:
        who = f"{named(first)} is still first"
    else:
        who = f"{named(then)} {'then give way together' if len(then) > 1 else 'is then first'}"
    none = f"Doubling {named(report.no_help, 'or')} does not raise the rate."
    return f"{none} Doubling {named(first)} gives {limit}; {who}."


def load(report: Report) -> str:
    """Return what the arrival rate does."""
    rate, limit, first = report.setup.arrival_rate, report.capacity.limit, report.first
    at, verb = f"At {printed_rates(report)[rate]}", "have" if len(first) > 1 else "has"
    if abs(rate - limit) <= SAME * limit:
        return f"{at} {named(first)} {verb} no time left: any burst leaves a queue for good."
    if rate < limit:
        busy, verb = share(rate / limit), "are" if len(first) > 1 else "is"
        calm = f"{at} nothing is ruled out: {named(first)} {verb} {busy} busy."
        return f"{calm} A burst can still make requests wait."
    waiting = report.backlog_requests
    grows = f"{at} the backlog grows by {requests(report.growth.total)}"
    if waiting < 1:
        return f"{grows}: after ten minutes not even one request waits, yet it never stops."
    who = "request waits" if round(waiting) == 1 else "requests wait"
    return f"{grows}: after ten minutes {waiting:,.0f} {who}, if none is rejected."


def split(report: Report) -> str:
    """Return which division of the workers sustains the most."""
    best, present = report.best_splits, report.setup.prefill_workers
    limit = printed_rates(report)[best[0].capacity.limit]
    texts = [f"{s.prefill_workers}:{s.decode_workers}" for s in best]
    ours = any(s.prefill_workers == present for s in best)
    if len(best) == 1:
        if ours:
            return f"The present split, {texts[0]} prefill to decode, is the best."
        return f"The best split, prefill to decode, is {texts[0]}: {limit}."
    among = " The present one is among them." if ours else ""
    return f"The splits from {texts[0]} to {texts[-1]} all sustain the most, {limit}.{among}"


def target(report: Report) -> str:
    """Return what the target leaves for waiting; empty without a target."""
    spare, wanted = report.spare_seconds, report.setup.target_seconds
    if spare is None:
        return ""
    least = f"The first token takes at least {time(report.first_token_seconds)}"
    if spare < 0:
        return f"{least}: no load, however light, meets {time(wanted)}."
    return f"{least}: {time(wanted)} leave {time(spare)} for waiting."
