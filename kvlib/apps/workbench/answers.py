"""The workbench's answer: one report, its parts, and the texts to take away."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kvlib.apps.app import App, Part, Refused, Result, defaults, run
from kvlib.apps.controls import Select
from kvlib.apps.queueing import COMES, LINK, SPREADS
from kvlib.apps.workbench import parts
from kvlib.apps.workbench.compare import side_by_side
from kvlib.apps.workbench.controls import CONTROLS, GROUPS
from kvlib.apps.workbench.notes import notes
from kvlib.apps.workbench.queue import Waiting, as_data, queue, waiting
from kvlib.apps.workbench.setup import report_of
from kvlib.bandwidth import Link
from kvlib.units import both
from kvlib.wording import rate, requests, share, time, token_rate
from kvlib.workbench import Report, as_json, as_markdown, conclusions
from kvlib.workbench.text import tables

__all__ = ["APPS", "answer"]

BYTES_AND_TIMES = 2  # the first tables of a report
NOT_COMPARED = ("log", "kept", "link", "link_rate", "cards")  # a link by what it comes to
SHOWN = {  # kind of an amount: how it is printed
    "bytes": both,
    "rate": lambda per_second: rate(per_second, "b/s"),
    "seconds": time,
    "ratio": share,
    "requests": requests,
    "token rate": token_rate,
}


def answer(values: Mapping[str, Any]) -> Result:
    """Return everything that the workbench says of what is typed."""
    report = report_of(values)
    found = waiting(report, values)
    waits = queue(found)
    link = Link(name="the link", rate=report.setup.link_rate)
    shown = [_side(found, values), *_tables(report), parts.splits(report), waits]
    shown += [parts.log(report, values["log"], link), parts.measure(report)]
    shown.append(parts.uncounted(report))
    first, *others = conclusions(report)
    return Result(
        headline=first,
        sentences=(*others, *notes(report, values)),
        picture=parts.capacities(report),
        parts=tuple(part for part in shown if part is not None),
        copies=(("As Markdown", _markdown(found, waits)), ("As JSON", _json(found))),
    )


def _tables(report: Report) -> list[Part]:
    """Return the bytes and the times of one hand-off."""
    return [
        Part(title=title, numbers=tuple(rows)) for title, rows in tables(report)[:BYTES_AND_TIMES]
    ]


def _side(found: Waiting, values: Mapping[str, Any]) -> Part | None:
    """Return the kept set-up beside this one, None if none is kept."""
    if values["kept"] is None:
        return None
    known = {control.key for control in CONTROLS if control.key not in ("log", "kept")}
    texts = {key: text for key, text in values["kept"].items() if key in known}
    kept = _kept(tuple(sorted(texts.items())))
    if isinstance(kept, str):
        raise Refused(kept=f"it cannot be read any more, {kept}")
    other, typed = kept
    changed = [
        (control.label, *_apart(control, values[control.key], typed[control.key]))
        for control in CONTROLS
        if control.key not in NOT_COMPARED and values[control.key] != typed[control.key]
    ]
    return side_by_side(found, other, changed)


@lru_cache(maxsize=4)
def _kept(texts: tuple[tuple[str, str], ...]) -> tuple[Waiting, Mapping[str, Any]] | str:
    """Return what a kept set-up gives and its values, or what is wrong with it."""
    found: dict[str, Any] = {}

    def read(values: Mapping[str, Any]) -> Result:
        found.update(values, found=waiting(report_of(values), values))
        return Result(headline="")

    app = App(key="8.kept", title="", controls=CONTROLS, answer=read)
    outcome = run(app, defaults(app) | dict(texts))
    if outcome.errors:
        return next(iter(outcome.errors.values())).rstrip(".")
    return found.pop("found"), found


def _apart(control: Any, here: Any, there: Any) -> tuple[str, str]:
    """Return two unequal values as texts that differ, where numbers can."""
    texts = _shown(control, here), _shown(control, there)
    if texts[0] == texts[1] and isinstance(here, float):
        return f"{here:.10g}", f"{there:.10g}"
    return texts


def _shown(control: Any, value: Any) -> str:
    """Return the value of a control as a reader would type it."""
    if isinstance(control, Select):
        return dict(control.options)[value]
    if value is None or value == "":
        return "none"
    if isinstance(value, str):
        return f"{len(value):,} characters"
    kind = getattr(control, "kind", "")
    return SHOWN[kind](value) if kind else f"{value:,}"


def _markdown(found: Waiting, part: Part) -> str:
    """Return the report as Markdown, the queue included."""
    traffic = found.traffic
    rows = [
        ("requests come", COMES[traffic.arrivals]),
        ("prompts and outputs", SPREADS[f"{traffic.prompt_spread:g}"]),
        ("the link serves", LINK[traffic.link]),
        ("a decode worker runs", f"{traffic.batch:,} requests"),
        *part.numbers,
    ]
    return as_markdown(found.report, [(part.title, " ".join(part.sentences), rows)]) + "\n"


def _json(found: Waiting) -> str:
    """Return the report as JSON, the queue included."""
    return json.dumps(
        as_json(found.report) | {"queue": as_data(found)}, indent=1, ensure_ascii=False
    )


APPS = (
    App(
        key="8.workbench",
        title="The workbench: your model, your link, your workers",
        controls=CONTROLS,
        answer=answer,
        groups=GROUPS,
    ),
)
