"""What a reader has typed on the workbench, as a Setup, a Service and its Traffic."""

import re
from collections.abc import Mapping
from typing import Any

from kvlib.apps.app import Refused
from kvlib.apps.queueing import REQUESTS
from kvlib.apps.workbench.controls import CONTROLS, OWN
from kvlib.bandwidth import LINKS
from kvlib.budget import Traffic
from kvlib.engines import ENGINES
from kvlib.hits import PROTOCOLS
from kvlib.models import from_config, load
from kvlib.payload import Geometry, Model
from kvlib.quantization import FORMATS
from kvlib.workbench import Report, Setup, report

__all__ = ["report_of", "traffic_of"]

SAME_NAME = (
    "prompt_tokens", "output_tokens", "source_hit", "destination_hit", "prefill_tp", "decode_tp",
    "share", "efficiency",
    "pieces", "piece_seconds", "workers", "prefill_workers", "prefill_rate", "decode_rate",
    "decode_memory", "arrival_rate", "target_seconds",
)  # fmt: skip
PYTHON = re.compile(r"write Geometry\(.*\)")  # what a message tells who writes Python
TYPED = "choose the numbers typed below"
LABELS = {control.key: control.label for control in CONTROLS}
LONG = "|".join(name for name in SAME_NAME if "_" in name)  # no word of English is like these
NAMED = re.compile(rf"\b({LONG}|workers(?==))\b(=\d+)?")  # fields, as a message names them
FIELD = re.compile(r"^\w+: (\w+) (.*)$", re.DOTALL)


def report_of(values: Mapping[str, Any]) -> Report:
    """Return the report of what is typed. Raises Refused for what does not go together."""
    model = _model(values)
    link = LINKS.get(values["link"])
    try:
        return report(
            Setup(
                model=model,
                link_rate=(link.payload_rate if link else values["link_rate"]) * values["cards"],
                overlap=values["overlap"] == "yes",
                key_format=FORMATS[values["key_format"]] if values["key_format"] else None,
                protocol=PROTOCOLS[values["protocol"]],
                engine=ENGINES[values["engine"]],
                batch=values["batch"] if values["decode_memory"] is not None else None,
                **{name: values[name] for name in SAME_NAME},
            )
        )
    except (TypeError, ValueError) as error:
        raise _refused(str(error), values) from None


def traffic_of(values: Mapping[str, Any]) -> Traffic:
    """Return how requests come, as typed."""
    spread = float(values["spread"])
    return Traffic(
        arrival_rate=values["arrival_rate"],
        requests=REQUESTS,
        arrivals=values["arrivals"],
        prompt_spread=spread,
        output_spread=spread,
        link=values["sharing"],
        batch=values["batch"],
    )


def _model(values: Mapping[str, Any]) -> Model | Geometry:
    """Return the model that is chosen, pasted or typed."""
    match values["model"]:
        case "geometry":
            sizes = {name: values[name] for name in ("layers", "kv_heads", "head_dim")}
            return Geometry(**sizes)
        case "config":
            text = values["config"].strip()
            if not text.startswith("{"):
                raise Refused(config="paste the text of a config.json, which begins with {")
            try:
                return from_config(text)
            except (TypeError, ValueError) as error:
                why = str(error).partition(": ")[2]
                raise Refused(config=PYTHON.sub(TYPED, why)) from None
        case name:
            return load(name)


def _refused(message: str, values: Mapping[str, Any]) -> Refused:
    """Return what is wrong, at the control that the message names."""
    found = FIELD.match(message)
    name, rest = found.groups() if found else ("model", message)
    if name == "model":
        key = values["model"] if values["model"] in OWN else "model"
        return Refused(**{"layers" if key == "geometry" else key: rest})
    if name == "link_rate" and values["link"] != "own":
        name = "link"
    rest = NAMED.sub(_labelled, rest)
    return Refused(**{name: rest} if name in values else {"model": f"{name} {rest}"})


def _labelled(found: re.Match) -> str:
    """Return a field by the label of its control, and its value if the message has it."""
    value = f" ({found[2][1:]})" if found[2] else ""
    return f"“{LABELS[found[1]]}”{value}"
