"""Checks: columns of times, one number a request, and one number where a law takes one."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from kvlib import _check

__all__ = ["MOST_REQUESTS", "MOST_SECONDS", "column", "count_of", "positive", "whole_column"]

MOST_REQUESTS = 2_000_000  # what a laptop simulates within seconds
MOST_SECONDS = 10**24  # of one time in a run: what is longer is a mistake


def column(
    call: str, name: str, values: Sequence[float], least: float = 0, most: float = MOST_SECONDS
) -> list[float]:
    """Return `values` as a list of floats. Raises TypeError or ValueError naming the entry."""
    rows = _rows(call, name, values)
    if not set(map(type, rows)) <= {float, int}:
        for i, value in enumerate(rows):
            _check.number(call, f"{name}[{i}]", value)
    lowest, highest = min(rows), max(rows)
    if not (least <= lowest and highest <= most and all(map(isfinite, rows))):
        for i, value in enumerate(rows):
            _check.number(call, f"{name}[{i}]", value, minimum=least, maximum=most)
    return list(map(float, rows))


def whole_column(
    call: str, name: str, values: Sequence[int], least: int, most: int, hint: str = ""
) -> list[int]:
    """Return `values` as a list of ints. Raises TypeError or ValueError naming the entry."""
    rows = _rows(call, name, values)
    if not (set(map(type, rows)) == {int} and least <= min(rows) and max(rows) <= most):
        named = enumerate(rows)
        rows = [_check.one_whole(call, f"{name}[{i}]", v, least, most, hint) for i, v in named]
    return rows


def _rows(call: str, name: str, values: Any) -> list:
    """Return the entries of a column, one to MOST_REQUESTS of them."""
    if _check.is_array(values):
        values = values.tolist()
    _check.kind(call, name, values, list | tuple, "a list, one entry a request")
    hint = "simulate a part, or several seeds"
    _check.one_whole(call, f"number of {name}", len(values), 1, MOST_REQUESTS, hint)
    return list(values)


def count_of(call: str, requests: int) -> int:
    """Return how many requests are asked for. Raises TypeError or ValueError."""
    hint = "simulate fewer, or several seeds"
    return _check.one_whole(call, "requests", requests, 1, MOST_REQUESTS, hint)


def positive(call: str, name: str, value: float, maximum: float = 10**11) -> float:
    """Return `value` as a float above 0. Raises TypeError or ValueError."""
    return _check.one_number(call, name, value, 1 / maximum, maximum)
