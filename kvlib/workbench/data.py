"""Data: a report as a dict that JSON can hold, inputs included, units in the names of its keys."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kvlib._check import kind
from kvlib.payload import groups_of, width_of
from kvlib.quantization import Format
from kvlib.workbench.measure import next_measurement
from kvlib.workbench.reports import Report
from kvlib.workbench.setup import Setup
from kvlib.workbench.text import called, conclusions
from kvlib.workbench.uncounted import not_counted

__all__ = ["as_json"]

UNITS = {  # the suffix of a field's key, where its name does not say the unit
    "link_rate": "_bytes_per_second",
    "prefill_rate": "_tokens_per_second",
    "decode_rate": "_tokens_per_second",
    "arrival_rate": "_requests_per_second",
    "decode_memory": "_bytes",
    "source_hit": "_tokens",
    "destination_hit": "_tokens",
    "share": "_of_link",
    "efficiency": "_of_share",
    "batch": "_requests",
    "pieces": "",
}


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as a dict of numbers, text and lists; sizes are exact ints in bytes.

    Raises TypeError for anything else than a Report.

    >>> from kvlib.workbench import Setup, report
    >>> found = as_json(report(Setup()))
    >>> found["wire_bytes"], found["first"], found["prefill_requests_per_second"]
    (1073741824, ['prefill'], 2.9296875)
    """
    kind("as_json", "report", report, Report, "a Report, as report(Setup())")
    sizes, advice = asdict(report.sizes), next_measurement(report)
    spared, descriptors = sizes.pop("spared_tokens"), sizes.pop("descriptors")
    found = {
        "conclusions": list(conclusions(report)),
        "setup": _setup(report.setup),
        **sizes,
        "copies": report.sizes.copies,
        "spared_tokens": spared,
        "descriptors_at_best": descriptors,
        "computed_tokens": report.computed_tokens,
        "prefill_seconds": report.prefill_seconds,
        "bound_seconds": report.bound_seconds,
        "attainable_seconds": report.attainable_seconds,
        "exposed_seconds": report.exposed_seconds,
        "first_token_seconds": report.first_token_seconds,
        "hold_seconds": report.hold_seconds,
        "spare_seconds": report.spare_seconds,
        **_rates("", report.capacity),
        "limit_requests_per_second": report.capacity.limit,
        "first": list(report.first),
        "doubling_does_not_help": list(report.no_help),
        "doubled": [
            {
                "stage": name,
                "limit_requests_per_second": doubled.limit,
                "first": list(doubled.tied),
            }
            for name, doubled in report.alone
        ],
        **{f"{name}_utilisation": value for name, value in report.utilisation.given()},
        **_rates("_growth", report.growth),
        "growth_requests_per_second": report.growth.total,
        "backlog_after_600_seconds_requests": report.backlog_requests,
        "best_prefill_workers": [split.prefill_workers for split in report.best_splits],
        "splits": [
            {
                "prefill_workers": split.prefill_workers,
                "decode_workers": split.decode_workers,
                "limit_requests_per_second": split.capacity.limit,
                "first": list(split.capacity.tied),
            }
            for split in report.splits
        ],
        "measure_next": {
            **asdict(advice.measurement),
            "because": advice.because,
            "counters": [
                {key: value for key, value in asdict(counter).items() if key != "answers"}
                for counter in advice.measurement.counters(report.setup.engine.name)
            ],
            "then": advice.then and {**asdict(advice.then), "because": advice.then_because},
        },
        "not_counted": list(not_counted(report.setup)),
    }
    return found


def _rates(what: str, stages: Any) -> dict[str, float]:
    return {f"{name}{what}_requests_per_second": value for name, value in stages.given()}


def _setup(s: Setup) -> dict[str, Any]:
    """Return every field of a set-up under a name with its unit."""
    groups = [
        {"kind": type(group).__name__, **asdict(group)} for group in groups_of(s.model, "as_json")
    ]
    model = {"name": called(s.model), "element_bytes": width_of(s.model, None, "as_json")}
    found: dict[str, Any] = {"model": {**model, "groups": groups}}
    for name in s.__dataclass_fields__:
        value = getattr(s, name)
        if name == "protocol":
            found[name] = asdict(s.convention)
        elif name == "engine":
            found[name] = {"name": value.name, "version": value.version, "page_tokens": value.page}
        elif isinstance(value, Format):
            found[name] = value.name
        elif name != "model":
            found[name + UNITS.get(name, "")] = value
    return found
