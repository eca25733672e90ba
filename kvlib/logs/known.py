"""Known: the kinds of lines that are known, by engine and by the text that marks them."""

from kvlib.logs.reader import FORMATS
from kvlib.wording import joined

__all__ = ["known"]


def known() -> tuple[str, ...]:
    """Return one sentence for each kind of line: its engine, what marks it and what it says.

    >>> known()[4]
    'SGLang, "Prefill batch": one prefill batch.'
    """
    marks: dict[tuple[str, str], list[str]] = {}
    for form in FORMATS:
        mark = f'"{form.marker.strip()}"'
        found = marks.setdefault((form.engine, form.says), [])
        if mark not in found:
            found.append(mark)
    return tuple(f"{kind[0]}, {joined(m, 'or')}: {kind[1]}." for kind, m in marks.items())
