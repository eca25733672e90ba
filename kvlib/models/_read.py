"""Reading: a path, JSON text or a mapping, into one mapping. Nothing is evaluated or fetched.

A file is looked at before it is opened: it must be a regular one of at most 8 MB (the longest
`config.json` we know, of a quantized model, has 3.1 MB).
"""

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kvlib import _check

CALL = "from_config"
LARGEST_FILE = 8 * 10**6  # bytes
RULE = "a config.json (a path, its text or a mapping)"


def label(key: str) -> str:
    """Return a field's name as messages show it: on one line, not too long.

    >>> label("head_dim"), label("head\\ndim")
    ('head_dim', "'head\\\\ndim'")
    """
    return key if key.isprintable() and len(key) <= 60 else _check.shown(key)


def _plain(name: str) -> str:
    """Return a file's name on one line: what cannot be printed is escaped."""
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return "".join(shown)


def mapping_of(config: Mapping | str | Path) -> tuple[Mapping[str, Any], str, str]:
    """Return the mapping, a name for it ("" if it has none) and where it came from, printable.

    Raises TypeError for another kind of thing, OSError for a file that cannot be read, ValueError
    for one that is no JSON object.
    """
    if isinstance(config, Mapping):
        return config, "", "a mapping"
    if isinstance(config, str) and config.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return _parsed(config), "", "JSON text"
    if not isinstance(config, str | Path):
        raise TypeError(_check.wrong_type(CALL, "config", RULE, config))
    if isinstance(config, str) and not config.strip():
        raise ValueError(_check.wrong(CALL, "config", RULE, config))
    path, text = _text_of(Path(config))
    if path.name == "config.json":
        name = path.parent.resolve().name
    else:
        name = path.stem.removesuffix("_config")
    return _parsed(text), _plain(name), f"the file {_plain(path.name)}"


def _text_of(path: Path) -> tuple[Path, str]:
    """Return the file that `path` means (a directory means its config.json) and its text."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            path = path / "config.json"
            status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(_check.wrong(CALL, "config", "a regular file", str(path)))
        if status.st_size <= LARGEST_FILE:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
        else:
            data = b" " * (LARGEST_FILE + 1)
    except FileNotFoundError:
        hint = "give a path, the text of a config.json or a mapping"
        message = _check.wrong(CALL, "config", "an existing file", str(path), hint)
        raise FileNotFoundError(message) from None
    except OSError as problem:
        hint = problem.strerror or type(problem).__name__
        message = _check.wrong(CALL, "config", "a readable file", str(path), hint.lower())
        raise OSError(message) from None
    except ValueError as problem:
        if str(problem).startswith(CALL):
            raise
        raise ValueError(_check.wrong(CALL, "config", "a path", str(path))) from None
    if len(data) > LARGEST_FILE:
        raise ValueError(_too_long("a longer file"))
    try:
        return path, data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(_check.wrong(CALL, "config", "UTF-8 text", str(path))) from None


def _too_long(what: str) -> str:
    return f"{CALL}: config must be at most {LARGEST_FILE:,} bytes, got {what}"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of one JSON object; of a key that stands twice nobody knows which counts."""
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"{CALL}: {label(twice)} must be given once, got it twice")
    return values


def _parsed(text: str) -> Mapping[str, Any]:
    """Return the JSON object in `text`."""
    if len(text) > LARGEST_FILE:
        raise ValueError(_too_long("a longer text"))
    try:
        values = json.loads(text.lstrip("\ufeff"), object_pairs_hook=_once)
    except json.JSONDecodeError as problem:
        where = f"an error at line {problem.lineno}, column {problem.colno}"
        raise ValueError(f"{CALL}: config must be valid JSON, got {where}; is it whole?") from None
    except ValueError as problem:
        if str(problem).startswith(CALL):
            raise
        # Python refuses to read a number of more than 4,300 digits
        raise ValueError(f"{CALL}: config must be valid JSON, got an endless number") from None
    if not isinstance(values, dict):
        raise TypeError(_check.wrong_type(CALL, "config", "a JSON object", values))
    return values
