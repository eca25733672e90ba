"""The catalogue: well-known models by name, as the fields of their `config.json` that count.

`catalogue.json` holds, per name, the repository on Hugging Face, where the values were read and
when, and those fields; `from_config`'s readers do the rest, so no formula exists twice.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from kvlib import _check
from kvlib.models.reader import read_model
from kvlib.payload import Model


@cache
def _entries() -> dict[str, dict[str, Any]]:
    text = files("kvlib.models").joinpath("catalogue.json").read_text(encoding="utf-8")
    return json.loads(text)["models"]


def names() -> list[str]:
    """Return the names that `load` knows, in alphabetical order.

    >>> "llama-3.1-8b" in names(), len(names()) >= 30
    (True, True)
    """
    return sorted(_entries())


def load(name: str) -> Model:
    """Return the named model; its `source` says where its numbers were read, and when.

    Raises TypeError if `name` is no text, ValueError naming the closest if it is not known.

    >>> from kvlib.payload import payload_bytes
    >>> payload_bytes(load("llama-3.1-8b"), 8_192) == 2**30
    True
    """
    entry = _entries()[_check.one_of("load", "name", name, names())]
    source = f"{entry['repository']}: {entry['source']}, {entry['date']}"
    return read_model(entry["config"], name=name, source=source)
