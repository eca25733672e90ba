"""Reader: log text into readings; what is no known line gives nothing.

Work grows in proportion to the text. One pass finds the markers, each a fixed text; a line's part
from one marker to the next is looked at once per slot of its formats; and no pattern repeats
without a bound. Timestamps, levels, ranks and colours may stand before a marker.
"""

import re
from itertools import pairwise

from kvlib import _check
from kvlib.logs.readings import Field, Reading
from kvlib.logs.sglang import SGLANG_FORMATS
from kvlib.logs.shapes import Format, Slot
from kvlib.logs.stores import STORE_FORMATS
from kvlib.logs.vllm import VLLM_FORMATS

__all__ = ["FORMATS", "LONGEST", "MOST", "read_log"]

FORMATS = SGLANG_FORMATS + VLLM_FORMATS + STORE_FORMATS
LONGEST = 100_000  # characters of a text that are read
MOST = 1_000  # readings of one text
REACH = 1_000  # characters after a marker that belong to it
LEAST, LARGEST = 10**-15, 10**18  # in base units; beyond them it is no log's number
SLOWEST = 10**9  # seconds
MOST_HIDDEN = 0.5  # bytes: less than half of one is no size

_OF_MARKER = {f.marker: [g for g in FORMATS if g.marker == f.marker] for f in FORMATS}
_LONGER_FIRST = sorted(_OF_MARKER, key=lambda marker: (-len(marker), marker))
_MARKERS = re.compile("|".join(map(re.escape, _LONGER_FIRST)))
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")
_NUMBER = re.compile(
    r"(?P<whole>[0-9]{1,15}(?:,[0-9]{3}(?![0-9])){0,5})(?:\.(?P<part>[0-9]{1,20}))?"
    r"(?:[eE](?P<power>[+-]?[0-9]{1,2}))?(?![0-9])"
)
_LABELS = re.compile(r"\{[^{}\n]{0,400}\} {0,4}| {1,4}")  # of a Prometheus sample
_DTYPE = re.compile(r"dtype: (?:torch\.)?([a-z0-9_]{1,20})")


def read_log(text: str) -> tuple[Reading, ...]:
    """Return what the known lines in `text` say, in order; unknown text gives nothing.

    Reads the first 100,000 characters and at most 1,000 lines that it knows; text alone never
    makes it fail. Raises TypeError if `text` is no text.

    >>> line = "[TP0] KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"
    >>> (reading,) = read_log(line)
    >>> reading["tokens"].value, reading["K"].meant
    (871371, '53.18 GiB (57.10 GB)')
    """
    _check.kind("read_log", "text", text, str, "text")
    text = _COLOUR.sub("", text[:LONGEST])
    found, line, counted = [], 1, 0
    marks = [(m.start(), m[0]) for m in _MARKERS.finditer(text)]
    for (start, marker), (end, _) in pairwise([*marks, (len(text), "")]):
        line += text.count("\n", counted, start)
        counted = start
        after = text[start + len(marker) : min(end, start + len(marker) + REACH)]
        reading = _read(marker, after.partition("\n")[0], line)
        if reading is not None:
            found.append(reading)
            if len(found) == MOST:
                break
    return tuple(found)


def _read(marker: str, after: str, line: int) -> Reading | None:
    """Return the reading of one part of a line, by the first format that it satisfies."""
    for form in _OF_MARKER[marker]:
        if form.what == "metric":
            sample = _LABELS.match(after)
            after = after[sample.end() :] if sample else ""
        fields = _fields(form, after)
        if fields is not None:
            dtype = _DTYPE.search(after) if form.what == "pool" else None
            return Reading(
                engine=form.engine,
                what=form.what,
                says=form.says,
                line=line,
                fields=fields,
                dtype=dtype[1] if dtype else "",
                note=form.note,
                crosses=form.crosses,
                source=form.source,
            )
    return None


def _fields(form: Format, after: str) -> tuple[Field, ...] | None:
    """Return the numbers of a format; None at once if one is missing that there must be."""
    found = []
    for slot in form.slots:
        field = _field(slot, after, form.marker)
        if field is not None:
            found.append(field)
        elif slot.needed:
            return None
    if form.together and not any(field.name in form.together for field in found):
        return None
    return tuple(found)


def _field(slot: Slot, after: str, marker: str) -> Field | None:
    """Return the number behind a slot's label, if its unit follows where it should."""
    for label in slot.labels:
        start = _behind(label, after)
        match = _NUMBER.match(after, start) if start is not None else None
        unit = "" if slot.printed in (label or marker) else slot.printed
        if match and (end := _ended(after, match.end(), unit)):
            whole, part, power = match.groups(default="")
            digits = int(whole.replace(",", "") + part)
            printed = after[start:end] if unit else f"{match[0]} {slot.printed}".strip()
            return _made(slot, digits, int(power or 0) - len(part), printed)
    return None


def _made(slot: Slot, digits: int, power: int, printed: str) -> Field | None:
    """Return the field of digits times 10^power; None for a size that no log prints."""
    up, down, kind = slot.scale  # whole numbers, as fractions of each number are slow
    if power > 0:
        up *= 10**power
    elif power:
        down *= 10**-power
    value = digits * up / down
    if value and not LEAST <= value <= (SLOWEST if kind == "seconds" else LARGEST):
        return None
    whole, left = divmod(digits * up, down)
    if (kind == "tokens" and left) or (kind == "bytes" and value and value < MOST_HIDDEN):
        return None
    if kind == "bytes":
        whole, left = whole + (2 * left >= down), 0
    return Field(
        name=slot.name,
        printed=printed,
        unit=slot.unit,
        value=value if left else whole,
        half=up / down / 2,
        digits=min(6, max(0, -power)),
        renamed=slot.renamed,
        note=slot.note,
        over=slot.over,
    )


def _behind(label: str, after: str) -> int | None:
    """Return where `label` ends, if it stands there as a word of its own: no K in KV."""
    if not label:
        return 0
    start = after.find(label)
    while start > 0 and after[start - 1].isalnum():
        start = after.find(label, start + len(label))
    return start + len(label) if start >= 0 else None


def _ended(after: str, end: int, unit: str) -> int | None:
    """Return where the number and its unit end; None if another unit follows."""
    if not unit:
        return end
    spaced = end + (after[end : end + 1] == " ")
    stop = spaced + len(unit)
    ended = after.startswith(unit, spaced) and not (after[stop : stop + 1].isalnum())
    return stop if ended and after[stop : stop + 1] != "/" else None
