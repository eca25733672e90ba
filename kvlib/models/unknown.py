"""Unknown: what to write instead, for a `model_type` that no reader knows or that is not there."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["hint_for_file", "hint_for_type"]

GEOMETRY = "write Geometry(layers=..., kv_heads=..., head_dim=...)"
DENSE = f"if every layer keeps K and V of every token, {GEOMETRY}"
# Families of transformers 5.24.0 that are spelled almost like one that a reader knows.
OTHERS = ("glm4v", "glm4v_moe", "ministral", "nemotron", "olmoe")

FILES = {  # the keys that tell a file which is often taken for a config.json
    ("producer", "quantization"): (
        "this is no config.json: give the one beside hf_quant_config.json"
    ),
    ("peft_type", "base_model_name_or_path"): (
        "this is an adapter's config: give the base model's config.json"
    ),
    ("dim", "n_layers", "n_heads"): (
        "this is a params.json: give the Hugging Face config.json"
    ),
    ("d_model", "n_layer", "ssm_cfg"): (
        "this is a config of mamba_ssm: give the Hugging Face config.json"
    ),
}  # fmt: skip


def hint_for_file(values: Mapping[str, Any]) -> str:
    """Return what to give instead of a file that is no `config.json`; "" if it is not recognised.

    >>> hint_for_file({"dim": 4096, "n_layers": 32, "n_heads": 32})
    'this is a params.json: give the Hugging Face config.json'
    """
    found = (hint for keys, hint in FILES.items() if all(key in values for key in keys))
    return next(found, "")


def hint_for_type(model_type: str, known: Iterable[str]) -> str:
    """Return the family that `model_type` misspells, else the way to count without a reader.

    A misspelling is at most two letters away and has the same digits: another number is another
    model.

    >>> hint_for_type("lama", ["llama"]), hint_for_type("qwen33", ["qwen3"]) == DENSE
    ("did you mean 'llama'?", True)
    """
    near = [name for name in known if _misspelled(model_type.lower(), name)]
    if not near or model_type in OTHERS:
        return DENSE
    return f"did you mean {min(near, key=lambda name: _edits(model_type.lower(), name))!r}?"


def _misspelled(written: str, name: str) -> bool:
    if abs(len(written) - len(name)) > 2 or written[:1] != name[:1]:
        return False
    digits = ["".join(c for c in text if c.isdigit()) for text in (written, name)]
    alike = difflib.SequenceMatcher(None, written, name).ratio() >= 0.85
    return digits[0] == digits[1] and alike and _edits(written, name) <= 2


def _edits(a: str, b: str) -> int:
    """Return the fewest letters to insert, delete or replace that turn `a` into `b`."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (left != right)))
    return row[-1]
