"""Hits: what a source hit spares (compute) and what a destination hit spares (bytes). Chapter 3.

    computed = N - pages(min(h, N - 1))      h tokens of the prompt matched at the source
    moved    = payload(N) - payload(pages(q))      q matched at the destination, if it counts

| file          | what it answers                                                      |
|---------------|----------------------------------------------------------------------|
| `conventions` | whether a destination hit counts, and in which pages                 |
| `savings`     | tokens computed and bytes moved of one request, by state group       |
| `held`        | what a destination's hit covers of each group of layers              |
| `cache`       | which blocks of a prompt an end still holds: a tree, oldest leaf out |
| `requests`    | what a request and a trace are                                       |
| `traces`      | traces from files: JSON lines with block hashes, CSV                 |
| `moments`     | a trace in a few numbers; those of four public ones                  |
| `synthetic`   | seeded traces with given moments: a handbook, chat, agents           |
| `routing`     | one trace through a source and several destinations                  |
| `loading`     | whether loading a prefix beats computing it again                    |
| `checks`      | one number as Python has it, for the records of this package         |

Counted: logical bytes and whole pages. Not counted: time, memory of running requests, replicas,
padding; a lookup costs nothing and a hit is never wrong.
"""

from kvlib.hits.cache import PrefixCache
from kvlib.hits.conventions import (
    MOVES_ALL,
    MOVES_MISSING,
    MOVES_SUFFIX,
    PROTOCOLS,
    Convention,
)
from kvlib.hits.loading import Work, break_even_rate, load_seconds, recompute_seconds
from kvlib.hits.moments import PUBLISHED, Moments, ideal_hit, moments
from kvlib.hits.requests import BLOCK, Request, Trace
from kvlib.hits.routing import ROUTES, Replay, replay
from kvlib.hits.savings import HandOff, destination_hit, hand_off, moved_bytes, source_hit
from kvlib.hits.synthetic import agents, chat, handbook
from kvlib.hits.traces import read_trace

__all__ = [
    "BLOCK",
    "MOVES_ALL",
    "MOVES_MISSING",
    "MOVES_SUFFIX",
    "PROTOCOLS",
    "PUBLISHED",
    "ROUTES",
    "Convention",
    "HandOff",
    "Moments",
    "PrefixCache",
    "Replay",
    "Request",
    "Trace",
    "Work",
    "agents",
    "break_even_rate",
    "chat",
    "destination_hit",
    "hand_off",
    "handbook",
    "ideal_hit",
    "load_seconds",
    "moments",
    "moved_bytes",
    "read_trace",
    "recompute_seconds",
    "replay",
    "source_hit",
]
