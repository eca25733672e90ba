"""Traces: requests that others recorded, read from their files.

Two forms are read. JSON lines: `timestamp` in ms, `input_length`, `output_length` and `hash_ids`,
one for every block of 512 tokens; the last block may be partial and counts with its real tokens.
CSV with a header: arrival (seconds, or a date and time, UTC unless it names its offset), input and
output tokens; such a trace says nothing of what prompts share.

A file is never trusted: its size, its lines and every number in them are bounded.
Sources of the forms: Mooncake, FAST25-release/traces; Azure LLM inference traces 2023.
"""

import csv
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any, NoReturn

from kvlib import _check
from kvlib.hits.requests import BLOCK, MOST_ARRIVAL, MOST_REQUESTS, Request, Trace, whole_blocks
from kvlib.units import MiB, ms

__all__ = ["read_trace"]

MOST_BYTES, MOST_LINE, MOST_BLOCKS = 512 * MiB, 1 * MiB, 50_000_000
FIELDS = ("timestamp", "input_length", "output_length", "hash_ids")
COLUMNS = {  # of a CSV header, in small letters without blanks and underscores
    "arrival": ("arrival", "timestamp", "arrivaltime"),
    "input tokens": ("inputtokens", "contexttokens", "inputlength"),
    "output tokens": ("outputtokens", "generatedtokens", "outputlength"),
}
START = datetime(1970, 1, 1, tzinfo=UTC)
Row = tuple[int, float, Any, Any, tuple[int, ...]]  # line, seconds, input, output, hashes
Lines = Iterator[tuple[int, str]]


def read_trace(path: str | PathLike) -> Trace:
    """Return the trace in a file, in order of arrival; the first line shows its form.

    Time starts at the first arrival. A session is named by the first block after those that all
    requests share. Raises OSError if the file cannot be read, TypeError or ValueError naming the
    line for what is no trace.
    """
    lines = _lines(path)
    number, first = next(lines, (1, ""))
    if not first.strip():
        _refuse(1, "a request or a header", first)
    json_lines = first.lstrip().startswith("{")
    rows = _json_rows(number, first, lines) if json_lines else _csv_rows(first, lines)
    found, blocks = [], 0
    for row in rows:
        found.append(_request(*row))
        blocks += len(row[-1])
        _check.whole("read_trace", "number of requests", len(found), maximum=MOST_REQUESTS)
        _check.whole("read_trace", "number of blocks", blocks, maximum=MOST_BLOCKS)
    if not found:
        _refuse(2, "a request", "")
    found.sort(key=lambda request: request.arrival)
    start, shared = found[0].arrival, _shared([request.blocks for request in found])
    return Trace(requests=tuple(_placed(request, start, shared) for request in found))


def _request(line: int, seconds: float, inputs: int, outputs: int, hashes: tuple) -> Request:
    """Return the request in a line, with its errors about that line."""
    values = {"arrival": seconds, "input_tokens": inputs, "output_tokens": outputs}
    try:
        request = Request(**values, blocks=hashes)
    except (TypeError, ValueError) as error:
        said = str(error).removeprefix("Request: ")
        raise type(error)(f"read_trace: line {line}: {said}") from None
    whole_blocks("read_trace", f"number of hash_ids in line {line}", request, BLOCK)
    return request


def _placed(request: Request, start: float, shared: int) -> Request:
    """Return a request with its time since the first and its session."""
    row = request.blocks
    session = row[min(shared, len(row) - 1)] if row else None
    return replace(request, arrival=request.arrival - start, session=session)


def _shared(rows: list[tuple[int, ...]]) -> int:
    """Return how many first blocks all rows have in common."""
    low, high = min(rows), max(rows)
    return next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))


def _lines(path: str | PathLike) -> Lines:
    """Yield the number and the text of each line of a plain file."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("read_trace: path must name a plain file, got something else")
    _check.whole("read_trace", "bytes of the file", status.st_size, maximum=MOST_BYTES)
    with open(path, "rb") as file:
        for number in range(1, MOST_BYTES):
            line = file.readline(MOST_LINE + 1)
            if not line:
                return
            _check.whole("read_trace", f"bytes of line {number}", len(line), maximum=MOST_LINE)
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                _refuse(number, "UTF-8", line)


def _json_rows(number: int, line: str, lines: Lines) -> Iterator[Row]:
    """Yield what each line of the public form says."""
    while number:
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict) or any(name not in row for name in FIELDS):
                _refuse(number, f"a JSON object with {', '.join(FIELDS)}", line)
            time, inputs, outputs, hashes = (row[name] for name in FIELDS)
            what = f"timestamp in line {number}"
            most = MOST_ARRIVAL / ms
            _check.number("read_trace", what, time, unit="ms", minimum=0, maximum=most)
            what = f"hash_ids in line {number}"
            _check.kind("read_trace", what, hashes, list, "a list of whole numbers")
            yield number, time * ms, inputs, outputs, tuple(hashes)
        number, line = next(lines, (0, ""))


def _csv_rows(header: str, lines: Lines) -> Iterator[Row]:
    """Yield what each line of a CSV says; its hashes are empty."""
    names = [c.lower().replace("_", "").replace(" ", "") for c in _cells(1, header)]
    places = []
    for what, spellings in COLUMNS.items():
        place = next((names.index(name) for name in spellings if name in names), None)
        if place is None:
            rule = f"a header that names {what}, as in arrival,input_tokens,output_tokens"
            _refuse(1, rule, header)
        places.append(place)
    for number, line in lines:
        if line.strip():
            cells = _cells(number, line)
            if len(cells) != len(names):
                _refuse(number, f"{len(names)} cells, as many as the header has", line)
            time, *counts = (cells[place] for place in places)
            yield number, _seconds(number, time), *map(_count, counts), ()


def _cells(number: int, line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error:
        _refuse(number, "CSV", line)


def _count(text: str) -> int | str:
    """Return text as an int if it is a plain one, else as it is."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def _seconds(number: int, text: str) -> float:
    """Return a number of seconds, or those of a date and time since 1970."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        time = datetime.fromisoformat(text)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return (time - START).total_seconds()
    except ValueError:
        rule = "one that arrives after some seconds, or on a date as 2023-11-16 18:17:03.98"
        _refuse(number, rule, text)


def _refuse(line: int, rule: str, got: str | bytes) -> NoReturn:
    got = got.strip() if isinstance(got, str) else got
    raise ValueError(_check.wrong("read_trace", f"line {line}", rule, got))
