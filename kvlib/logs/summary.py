"""Summary: what many lines of one kind say together.

    hit rate = tokens from the cache / (tokens from the cache + tokens computed)
    rate     = sum of sizes / sum of times

A mean of rates is no rate, and a mean of hit rates no hit rate: small batches would count as much
as large ones. So tokens, bytes and times are summed first. What is a state at one moment (a usage,
a queue) has no sum: of it the median is told, or the most. Pools and memory are not summed.
"""

from collections.abc import Iterable, Sequence

from kvlib import _check
from kvlib.logs.digits import shown
from kvlib.logs.readings import Field, Reading
from kvlib.units import both
from kvlib.wording import share, time, token_rate
from kvlib.wording import tokens as counted

__all__ = ["median", "summary"]

MOVED = ("transfer", "rate")  # what a reading is whose bytes and times are summed
CACHED, COMPUTED = "tokens from the cache", "tokens computed"


def summary(readings: Iterable[Reading]) -> tuple[str, ...]:
    """Return one sentence for each kind of line that stands more than once and can be summed up.

    Every line counts, the same text twice as two lines. Empty if there is nothing to sum up.
    Raises TypeError for what is no reading.

    >>> from kvlib.logs import read_log
    >>> line = "Prefill batch, #new-token: {}, #cached-token: {}, token usage: 0.{}\\n"
    >>> print(*summary(read_log(line.format(8192, 0, 10) + line.format(0, 8192, 30))))
    Over 2 lines of SGLang (one prefill batch): tokens computed, 8,192 in all; tokens from the \
cache, 8,192 in all, a hit rate of 50.0 %; share of the pool in use, median 0.20.
    """
    _check.kind("summary", "readings", readings, Iterable, "readings, as read_log returns them")
    alike: dict[tuple[str, str, str], list[Reading]] = {}
    for reading in readings:
        _check.kind("summary", "readings", reading, Reading, "readings, as read_log returns them")
        alike.setdefault((reading.engine, reading.says, reading.source), []).append(reading)
    found = []
    for (engine, says, _), lines in alike.items():
        if len(lines) > 1 and (said := _together(lines)):
            found.append(f"Over {len(lines):,} lines of {engine} ({says}): {'; '.join(said)}.")
    return tuple(found)


def median(values: Sequence[float]) -> float:
    """Return the median: the middle value, or the mean of the two in the middle.

    >>> median([3, 1, 2]), median([4, 1, 2, 3])
    (2, 2.5)
    """
    ranked, half = sorted(values), len(values) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def _together(lines: Sequence[Reading]) -> list[str]:
    """Return what lines of one kind say together, in parts of a sentence."""
    said = _moved(lines) if lines[0].what in MOVED else []
    fields: dict[str, list[Field]] = {}
    for reading in lines:
        for field in reading.fields:
            if field.over:
                fields.setdefault(field.name, []).append(field)
    for name, found in fields.items():
        text = f"{name}, {_over(found)}"
        if name == CACHED:
            text += _hits(lines)
        said.append(text)
    return said


def _over(found: Sequence[Field]) -> str:
    """Return the sum, the median, the most or the last of one number over its lines."""
    values, first = [field.value for field in found], found[0]
    digits = max(field.digits for field in found)
    match first.over:
        case "sum":
            total = _text(sum(values), first.unit, digits)
            return f"{total.removesuffix(' tokens') if 'tokens' in first.name else total} in all"
        case "median":
            middle = median(values)
            more = not digits and middle != int(middle)
            return f"median {_text(middle, first.unit, digits + more)}"
        case "most":
            return f"at most {_text(max(values), first.unit, digits)}"
    return f"printed last {_text(values[-1], first.unit, digits)}"


def _text(value: float, unit: str, digits: int) -> str:
    digits = digits if value else 0
    return shown(value, unit, digits) if unit else f"{value:,.{digits}f}"


def _hits(lines: Sequence[Reading]) -> str:
    """Return the hit rate of the lines that print both of its numbers."""
    pairs = [(reading.get(CACHED), reading.get(COMPUTED)) for reading in lines]
    cached = sum(c.value for c, n in pairs if c and n)
    every = cached + sum(n.value for c, n in pairs if c and n)
    return f", a hit rate of {share(cached / every)}" if every else ""


def _moved(lines: Sequence[Reading]) -> list[str]:
    """Return the total size over the total time of transfers, and what has but one of them."""
    n_bytes = n_tokens = 0
    seconds = token_seconds = 0.0
    rates, idle = [], 0
    for reading in lines:
        value = {field.name: field.value for field in reading.fields}.get
        size, span, rate = value("size"), value("time"), value("rate")
        tokens, interval = value("tokens"), value("interval")
        times = value("transfers", 1)  # sizes and times are means of so many
        if size and (span or rate):
            n_bytes += round(size * times)
            seconds += (span or size / rate) * times
        elif rate and interval:
            n_bytes += round(rate * interval)
            seconds += interval
        elif tokens and span:
            n_tokens += tokens
            token_seconds += span
        elif rate:
            rates.append(rate)
        else:
            idle += 1
    said = []
    if n_bytes and seconds:
        rate = both(round(n_bytes / seconds))
        said.append(f"{both(n_bytes)} in {time(seconds)}, times summed, are {rate} a second")
    if n_tokens:
        rate = token_rate(n_tokens / token_seconds)
        said.append(f"{counted(n_tokens)} in {time(token_seconds)}, times summed, are {rate}")
    if rates:
        middle = both(round(median(rates)))
        said.append(f"median rate of {len(rates):,} without a size, {middle} a second")
    if idle and said:
        said.append(f"nothing moved on {idle:,} of them")
    return said
