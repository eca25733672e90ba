"""Text: a report as plain text and as Markdown, from the same rows.

A size is printed in GiB and in GB, a time in the unit in which it is easiest to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kvlib.payload import Geometry, Model
from kvlib.units import both, format_as
from kvlib.wording import joined, rate, requests, sentence, share, time, token_rate, tokens
from kvlib.workbench import sentences
from kvlib.workbench.measure import Advice, next_measurement
from kvlib.workbench.uncounted import not_counted

if TYPE_CHECKING:
    from kvlib.workbench.reports import Report
    from kvlib.workbench.setup import Setup

__all__ = ["as_markdown", "as_text", "called", "conclusions", "protocol_name", "tables"]

Rows = list[tuple[str, str]]
STAGES = {"memory": "decode memory"}


def as_text(report: Report) -> str:
    """Return the report as plain text, its first line what gives way first.

    >>> from kvlib.workbench import Setup, report
    >>> as_text(report(Setup())).splitlines()[0]
    'Prefill gives way first, at 2.93 requests/s.'
    """
    lines = [*conclusions(report)]
    for title, rows in tables(report):
        wide = max(len(label) for label, _ in rows)
        lines += ["", title, *(f"  {label:<{wide}}  {value}" for label, value in rows)]
    lines += ["", "Measure next", *(f"  {line}" for line in _advice(report))]
    lines += ["", "Not counted", *(f"  - {line}" for line in not_counted(report.setup))]
    return "\n".join(lines)


def as_markdown(report: Report, more: Sequence[tuple[str, str, Rows]] = ()) -> str:
    """Return the report as Markdown: the conclusion in bold, one table a part.

    `more` parts, each a title, a paragraph and rows, follow those of the report.

    >>> from kvlib.workbench import Setup, report
    >>> as_markdown(report(Setup())).splitlines()[0]
    '**Prefill gives way first, at 2.93 requests/s.**'
    """
    first, *others = conclusions(report)
    lines = [f"**{first}**", "", " ".join(others)]
    for title, said, rows in [*((title, "", rows) for title, rows in tables(report)), *more]:
        lines += ["", f"## {title}", "", *([said, ""] if said else ())]
        lines += ["| what | value |", "|---|---|"]
        lines += [f"| {_cell(label)} | {_cell(value)} |" for label, value in rows]
    lines += ["", "## Measure next", "", *(f"- {_plain(line)}" for line in _advice(report))]
    lines += [
        "",
        "## Not counted",
        "",
        *(f"- {_plain(line)}" for line in not_counted(report.setup)),
    ]
    return "\n".join(lines)


def conclusions(report: Report) -> tuple[str, ...]:
    """Return what a report says, in sentences, the most important first."""
    said = (
        sentences.headline(report),
        sentences.change(report),
        sentences.load(report),
        sentences.split(report),
        sentences.target(report),
    )
    return tuple(line for line in said if line)


def tables(report: Report) -> list[tuple[str, Rows]]:
    """Return the parts of a report: a title, and rows of a label and a value."""
    return [
        ("Bytes of one hand-off", _bytes(report)),
        ("Time of one request, nothing waiting", _times(report)),
        ("What each stage sustains", _stages(report)),
        ("Set-up", _stated(report.setup)),
    ]


def _bytes(report: Report) -> Rows:
    found, s = report.sizes, report.setup
    rows = [("payload, logical", both(found.payload_bytes))]
    if s.key_format is not None:
        rows.append((f"in {_format(s)}", both(found.stored_bytes)))
    if s.destination_hit and not found.spared_tokens:
        rows.append(("held at the destination", f"{tokens(s.destination_hit)}, moved all the same"))
    rows += [
        ("to move, each byte once", both(found.moved_bytes)),
        ("on the wire, pages and copies", f"{both(found.wire_bytes)}, {_times_of(found.copies)}"),
        ("held by a decode worker", both(found.held_bytes)),
    ]
    if s.decode_memory is not None:
        count = s.decode_memory // found.slot_bytes
        rows.append(("reserved with its output", f"{both(found.slot_bytes)}, room for {count:,}"))
    return rows


def _times_of(factor: float) -> str:
    return format_as(factor, "×", 2) if round(factor, 2) != 1 else "1×"


def _times(report: Report) -> Rows:
    s = report.setup
    pieces = f" in {s.pieces:,} pieces" if s.pieces > 1 else ""
    rows = [
        ("link, as hand-offs reach it", _link(s.network_rate)),
        ("prefill", f"{time(report.prefill_seconds)} for {tokens(report.computed_tokens)}"),
        ("hand-off, bound at the line rate", f"at least {time(report.bound_seconds)}"),
        (f"hand-off{pieces}, attainable", time(report.attainable_seconds)),
        ("of it exposed after prefill", time(report.exposed_seconds)),
        ("first token", f"at least {time(report.first_token_seconds)}"),
    ]
    if report.hold_seconds is not None:
        rows.append(("decode memory is held for", time(report.hold_seconds)))
    return rows


def _stages(report: Report) -> Rows:
    printed = report.printed
    load = dict(report.utilisation.given())
    growth = dict(report.growth.given())
    rows = []
    for name, bound in report.capacity.given():
        grows = f", queue grows by {requests(growth[name])}" if growth[name] > 0 else ""
        value = f"{printed[bound]}, offered {share(load[name])} of it{grows}"
        rows.append((STAGES.get(name, name), value))
    return rows


def _stated(s: Setup) -> Rows:
    rows = [
        ("model", called(s.model)),
        ("prompt, output", f"{tokens(s.prompt_tokens)}, {tokens(s.output_tokens)}"),
        ("cache format", _format(s)),
        ("hit at the source", tokens(s.source_hit)),
        ("hit at the destination", f"{tokens(s.destination_hit)}, {protocol_name(s)}"),
        ("engine", f"{s.engine.name}, pages of {tokens(s.engine.page)}"),
        ("TP, prefill and decode", f"{s.prefill_tp} and {s.decode_tp}"),
        ("link, all hand-offs", _link(s.link_rate)),
        ("share, efficiency", f"{share(s.share)}, {share(s.efficiency)}"),
        ("pieces", _pieces(s)),
        ("workers, prefill and decode", f"{s.prefill_workers} and {s.decode_workers}"),
        ("a prefill worker", token_rate(s.prefill_rate)),
        ("a decode worker", token_rate(s.decode_rate)),
        ("arrivals", requests(s.arrival_rate)),
    ]
    if s.decode_memory is not None:
        rows.insert(-1, ("its memory, its batch", f"{both(s.decode_memory)}, {s.batch:,} requests"))
    if s.target_seconds is not None:
        rows.append(("target, first token", time(s.target_seconds)))
    return rows


def _link(per_second: float) -> str:
    return f"{rate(per_second, 'b/s')} ({rate(per_second, 'B/s')})"


def _pieces(s: Setup) -> str:
    when = "while prefill computes" if s.overlap else "after prefill"
    sent = f"{s.pieces:,} pieces, sent {when}" if s.pieces > 1 else "1 piece"
    return f"{sent}, {time(s.piece_seconds)} each beside its bytes" if s.piece_seconds else sent


def protocol_name(setup: Setup) -> str:
    """Return in words what the protocol makes of a destination hit."""
    protocol = setup.protocol
    if not protocol.destination_hits:
        return "all of the prompt moves"
    return "what is missing moves" if protocol.window_hits else "the suffix moves"


def called(model: Model | Geometry) -> str:
    """Return a model's name, or the numbers of a bare group of layers."""
    if isinstance(model, Model):
        return model.name
    if isinstance(model, Geometry):
        width = f"{model.layers:,} layers, {model.kv_heads:,} KV heads of {model.head_dim:,}"
        return f"a geometry of {width}"
    return f"{type(model).__name__} of {model.layers:,} layers"


def _format(s: Setup) -> str:
    if s.key_format is None:
        width = s.model.element_bytes if isinstance(s.model, Model) else 2
        return (
            f"as the model states, {width} bytes an element" if width > 1 else "1 byte an element"
        )
    names = [form.name for form in (s.key_format, s.value_format) if form is not None]
    return joined(list(dict.fromkeys(names)))


def _advice(report: Report) -> list[str]:
    advice: Advice = next_measurement(report)
    chosen, engine = advice.measurement, report.setup.engine.name
    lines = [f"{chosen.question} {advice.because}", chosen.how]
    for counter in chosen.counters(engine):
        lines.append(f"{counter.name} ({counter.kind}, {counter.where}): {counter.means}.")
    sources = dict.fromkeys(counter.source for counter in chosen.counters(engine))
    if sources:
        lines.append(f"Counters as in {joined(list(sources))}; other versions may differ.")
    if advice.then is not None:
        lines.append(sentence(f"then: {advice.then.question} {advice.then_because}"))
    return lines


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is: a model's name may hold anything."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())


_cell = _plain
