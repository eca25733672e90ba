"""Notes: what of the form is not used, or still the book's example and not the reader's."""

from collections.abc import Iterator, Mapping
from typing import Any

from kvlib.apps.workbench.controls import CONTROLS
from kvlib.workbench import Report

__all__ = ["notes"]

DEFAULT = {control.key: control.read(str(control.default)) for control in CONTROLS}
SHAPE = ("layers", "kv_heads", "head_dim")
RATES = ("prefill_rate", "decode_rate")
MANY = 1.5  # copies on the wire from which it is asked whose link carries them


def notes(report: Report, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each thing that a reader may take for something else."""

    def typed(*keys: str) -> bool:
        return any(values[key] != DEFAULT[key] for key in keys)

    if values["config"].strip() and values["model"] != "config":
        yield "The pasted config.json is not used: under Model, choose the one pasted below."
    if typed(*SHAPE) and values["model"] != "geometry":
        yield "The layers and heads that are typed are not used: choose them under Model."
    if values["link"] != "own" and typed("link_rate"):
        yield "The rate that is typed is not used: the link is a named one."
    if typed("model", "prefill_tp", "decode_tp") and not typed(*RATES):
        yield "The token rates are still the book's example, not yours: measure them first."
    if values["cards"] == 1 and report.sizes.copies >= MANY:
        yield "All copies cross one link: if each rank has a card, type how many work side by side."
    if values["destination_hit"] and not report.sizes.spared_tokens:
        why = "the protocol moves the whole prompt"
        if report.setup.protocol.destination_hits:
            why = "it fills no page"
        yield f"What the destination holds spares nothing: {why}."
