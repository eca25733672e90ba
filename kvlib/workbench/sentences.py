"""Sentences: what a report says in words, one function a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kvlib.wording import SAME, apart, joined, requests, sentence, share, time, tokens

if TYPE_CHECKING:
    from kvlib.budget import Capacity
    from kvlib.workbench.reports import Report

__all__ = [
    "change",
    "first_to_give_way",
    "headline",
    "load",
    "named",
    "printed_rates",
    "split",
    "target",
    "under_load",
]


LITTLE = 0.05  # a gain below this share is said in percent


def printed_rates(report: Report) -> Mapping[float, str]:
    """Return each rate of a report as text, unequal ones with digits enough to differ."""
    bounds = [value for _, value in report.capacity.given()]
    enough = report.capacity.limit * (1 + LITTLE)
    more = [more.limit for _, more in report.alone if more.limit >= enough]
    more.append(report.together.limit)
    best = report.best_splits[0].capacity.limit
    return apart([*bounds, report.setup.arrival_rate, *more, best])


def named(stages: tuple[str, ...], word: str = "and") -> str:
    """Return stages as prose: prefill and the network; memory is decode's."""
    words = {"network": "the network", "memory": "decode memory"}
    return joined([words.get(stage, stage) for stage in stages], word)


def headline(report: Report) -> str:
    """Return which stage gives way first, and at which rate."""
    return first_to_give_way(report.capacity, report.printed)


def first_to_give_way(bounds: Capacity, printed: Mapping[float, str]) -> str:
    """Return which stage of some bounds gives way first; rates as `printed`."""
    how = "give way together" if len(bounds.tied) > 1 else "gives way first"
    return sentence(f"{named(bounds.tied)} {how}, at {printed[bounds.limit]}.")


def change(report: Report) -> str:
    """Return what doubling a stage would do, and what it would not."""
    printed, none = report.printed, report.no_help
    said = []
    if none:
        alone = " alone" if len(report.first) > 1 else ""
        said.append(f"Doubling {named(none, 'or')}{alone} does not raise the rate.")
    for stage, more in sorted(report.alone, key=lambda pair: pair[0] not in report.first):
        what = named((stage,)) + " and its memory" * _brings_memory(report, stage)
        gain = more.limit / report.capacity.limit - 1
        if stage not in none and gain < LITTLE:
            said.append(f"Doubling {what} raises it by {share(gain)}.")
        elif stage not in none:
            said.append(f"Doubling {what} gives {printed[more.limit]}; {_then(report, more)}.")
    if all(stage in none for stage in report.first):
        limit = printed[report.together.limit]
        said.append(f"Doubling {named(report.first)} together gives {limit}.")
    return " ".join(said)


def _brings_memory(report: Report, stage: str) -> bool:
    return stage == "decode" and report.capacity.memory is not None


def _then(report: Report, doubled: Capacity) -> str:
    """Return which stage is first after a change, as the end of a sentence."""
    then = doubled.tied
    if then == report.first:
        return f"{named(then)} {'are' if len(then) > 1 else 'is'} still first"
    return f"{named(then)} {'then give way together' if len(then) > 1 else 'is then first'}"


def load(report: Report) -> str:
    """Return what the arrival rate does."""
    rate, waiting = report.setup.arrival_rate, report.backlog_requests
    return under_load(report.capacity, rate, waiting, report.printed)


def under_load(bounds: Capacity, rate: float, waiting: float, printed: Mapping[float, str]) -> str:
    """Return what a rate does to stages; `waiting` is the backlog after ten minutes of it."""
    first, limit = bounds.tied, bounds.limit
    at, verb = f"At {printed[rate]}", "have" if len(first) > 1 else "has"
    if abs(rate - limit) <= SAME * limit:
        return f"{at} {named(first)} {verb} no time left: any burst leaves a queue for good."
    if rate < limit:
        busy, verb = share(rate / limit), "are" if len(first) > 1 else "is"
        calm = f"{at} nothing is ruled out: {named(first)} {verb} {busy} busy."
        return f"{calm} A burst can still make requests wait."
    growth = requests(rate - limit)
    if waiting < 1:
        return (
            f"{at} the backlog grows slowly, by {growth}: after ten minutes not even one request "
            "waits, yet it never stops growing."
        )
    who = "request waits" if round(waiting) == 1 else "requests wait"
    return (
        f"{at} the backlog grows by {growth}: after ten minutes {waiting:,.0f} {who}, if none is "
        "rejected."
    )


def split(report: Report) -> str:
    """Return which division of the workers sustains the most."""
    best, present = report.best_splits, report.setup.prefill_workers
    limit = report.printed[best[0].capacity.limit]
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
    after = time(report.first_token_seconds)
    least = f"A prompt of {tokens(report.setup.prompt_tokens)} has its first token after {after}"
    if spare < 0:
        late = f"{time(-spare)} past the target"
        return f"{least} at best, {late}: no load, however light, meets it."
    return f"{least} at best: of {time(wanted)} {time(spare)} are left for waiting."
