"""Compare: all that readings say, beside a model's arithmetic and a link's label."""

from collections.abc import Iterable
from dataclasses import replace

from kvlib import _check
from kvlib.bandwidth import Link, Path
from kvlib.logs.findings import Finding
from kvlib.logs.fit import MOST_TP, compare_pool
from kvlib.logs.pools import pools_of
from kvlib.logs.readings import Reading
from kvlib.logs.transfers import compare_transfer, in_tokens, transfers_of
from kvlib.payload import Group, Model, groups_of, width_of

__all__ = ["compare"]


def compare(
    readings: Reading | Iterable[Reading],
    model: Model | Group,
    *,
    link: Link | Path | None = None,
    element_bytes: int | None = None,
    tp: int | None = None,
    tokens: int | None = None,
) -> tuple[Finding, ...]:
    """Return what readings and a model, and a link if there is one, have to say to each other.

    Pools come first, then transfers, each in the order of the text. `element_bytes` and `tp`, left
    out, are found: the dtype that the line prints, else the model's width, else fp8; and every
    tensor parallelism up to 64. `tokens` are those of one transfer, where its line does not say.
    Raises TypeError or ValueError for what is no reading, model,
    link, width or count.

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
    if element_bytes is not None:
        element_bytes = _check.one_whole("compare", "element_bytes", element_bytes, 1, 16)
        width_of(model, element_bytes, "compare")
    if tp is not None:
        tp = _check.one_whole("compare", "tp", tp, minimum=1, maximum=MOST_TP)
    if tokens is not None:
        tokens = _check.one_whole("compare", "tokens", tokens, minimum=1)
    pools = [compare_pool(pool, model, element_bytes, tp) for pool in pools_of(readings)]
    moves = []
    for transfer in transfers_of(readings):
        found = compare_transfer(transfer, link)
        said = in_tokens(transfer, model, tokens, element_bytes, tp)
        moves.append(replace(found, sentences=(*found.sentences, said)) if said else found)
    return (*pools, *moves)
