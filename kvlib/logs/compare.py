"""Compare: all that readings say, beside a model's arithmetic and a link's label."""

from collections.abc import Iterable
from dataclasses import replace

from kvlib import _check
from kvlib.bandwidth import Link, Path
from kvlib.logs.findings import Finding
from kvlib.logs.fit import compare_pool
from kvlib.logs.pools import pools_of
from kvlib.logs.readings import Reading
from kvlib.logs.rows import MOST_TP
from kvlib.logs.storage import Storage, as_formats, as_width
from kvlib.logs.transfers import compare_transfer, in_tokens, transfers_of
from kvlib.payload import Group, Model, groups_of
from kvlib.quantization import Format

__all__ = ["compare"]


def compare(
    readings: Reading | Iterable[Reading],
    model: Model | Group,
    *,
    link: Link | Path | None = None,
    element_bytes: int | None = None,
    key_format: Format | None = None,
    value_format: Format | None = None,
    tp: int | None = None,
    tokens: int | None = None,
    most: int | None = None,
) -> tuple[Finding, ...]:
    """Return what readings and a model, and a link if there is one, have to say to each other.

    Pools come first, then transfers, each in the order of the text; `most` bounds how many of
    them. How K and V are stored is what the line's dtype says, else what is stated: whole
    `element_bytes`, or the format of K (of MLA: the latent) and of V (of MLA: the rotary key; as K
    if left out). Where neither says it, all that engines store is tried, and for transfers the
    model's width assumed. `tp` left out is found among all up to 64, for transfers it is 1.
    `tokens` are those of one transfer, where its line does not say. Raises TypeError or ValueError
    for what is no reading, model, link, width, format or count.

    >>> from kvlib.logs import read_log
    >>> from kvlib.payload import Geometry
    >>> line = "KV Cache is allocated. #tokens: 871371, K size: 53.18 GB, V size: 53.18 GB"
    >>> (found,) = compare(read_log(line), Geometry(layers=32, kv_heads=8, head_dim=128))
    >>> found.verdict, round(found.logged), found.expected, found.sizes
    ('agrees', 131061, 131072.0, (1,))
    """
    readings = (readings,) if isinstance(readings, Reading) else readings
    _check.kind("compare", "readings", readings, Iterable, "readings, as read_log returns them")
    readings = tuple(readings)
    for reading in readings:
        _check.kind("compare", "readings", reading, Reading, "readings, as read_log returns them")
    groups_of(model, "compare")
    if link is not None:
        _check.kind("compare", "link", link, Link | Path, "a Link or a Path")
    stated = _stated(element_bytes, key_format, value_format)
    if tp is not None:
        tp = _check.one_whole("compare", "tp", tp, minimum=1, maximum=MOST_TP)
    if tokens is not None:
        tokens = _check.one_whole("compare", "tokens", tokens, minimum=1)
    if most is not None:
        most = _check.one_whole("compare", "most", most)
    pools = [compare_pool(pool, model, stated, tp) for pool in pools_of(readings, most)]
    moves = []
    for transfer in transfers_of(readings)[: None if most is None else most - len(pools)]:
        found = compare_transfer(transfer, link)
        said = in_tokens(transfer, model, tokens, stated, tp)
        moves.append(replace(found, sentences=(*found.sentences, said)) if said else found)
    return (*pools, *moves)


def _stated(width: int | None, key: Format | None, value: Format | None) -> Storage | None:
    """Return how K and V are said to be stored, None if it is not said."""
    for name, form in (("key_format", key), ("value_format", value)):
        if form is not None:
            _check.kind("compare", name, form, Format, "a Format, as FORMATS['fp8_e4m3']")
            if form.along != "token" or form.tail:
                rule = "one that packs each token by itself"
                raise ValueError(_check.wrong("compare", name, rule, form.name))
    if value is not None and key is None:
        raise ValueError(_check.wrong("compare", "key_format", "given with value_format", None))
    if width is None:
        return as_formats(key, value) if key is not None else None
    width = _check.one_whole("compare", "element_bytes", width, 1, 16)
    if key is not None:
        rule = "left out where key_format is given"
        raise ValueError(_check.wrong("compare", "element_bytes", rule, width))
    return as_width(width)
