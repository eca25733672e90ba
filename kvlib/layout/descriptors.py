"""Descriptors: into how many pieces a move falls, in closed form, never by enumeration.

A descriptor names one piece that is contiguous at both ends. K and V of each layer are buffers of
their own, an MLA latent and an indexer's key are one each.

    equal sizes, or nothing to slice    per run of pages that both ends share, or per page
    unequal sizes, pages HND            per page: in it, head after head lies contiguous
    unequal sizes, pages NHD            per token: it has the heads of the rank side by side
    unequal sizes, staged               one per writer and chunk: gathered, sent, scattered
    recurrent state                     one per state and per convolution

each times layers and buffers, but for the staged: one piece holds all layers, of whatever kind, so
the plan counts it for one group alone. SGLang slices between unequal sizes even where the slice is
all that a rank has. Sources: SGLang 0.5.23, mooncake/conn.py (send_kvcache, send_kvcache_slice)
and staging_buffer.py; vLLM 0.33.0, NIXL connector.
"""

from kvlib.engines import Engine
from kvlib.payload import Geometry, Group, Recurrent

__all__ = ["count"]


def count(
    group: Group,
    positions: int,
    engine: Engine,
    *,
    sliced: bool,
    runs: int | None,
    chunk: int | None,
) -> int:
    """Return the descriptors of one move: all layers of `group`, the heads that move.

    `positions` are whole pages; `sliced`: K and V between unequal sizes; `runs` of contiguous
    pages, None for every page by itself; `chunk`: tokens staged at a time, None without staging.
    """
    if isinstance(group, Recurrent):
        return group.layers * (2 if group.conv_channels and group.conv_width > 1 else 1)
    pages = positions // engine.page
    if sliced and chunk is not None:
        return -(-positions // chunk)
    if sliced:
        pieces = pages if engine.layout == "HND" else positions
    elif engine.merges_pages and runs is not None:
        pieces = min(runs, pages)
    else:
        pieces = pages
    return pieces * group.layers * (2 if isinstance(group, Geometry) else 1)
