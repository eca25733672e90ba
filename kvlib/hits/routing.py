"""Routing: one trace through a source cache and the caches of several destinations.

| route           | where a hand-off goes                                                   |
|-----------------|-------------------------------------------------------------------------|
| `fresh`         | to the least loaded, which holds nothing: its cache is empty each time  |
| `random`        | to any of them                                                          |
| `sticky`        | to where its session went before; a new session to the least loaded     |
| `most-matching` | to the one that holds most of the prompt; of equals to the least loaded |

The source is one pool, so no route changes what it computes. A route changes what moves, and how
evenly destinations are loaded; load is the prompt tokens sent there so far. Where all prompts
share a start, whoever held it first would match best for ever: a match below `least_match` of
the prompt counts as none.

Counted: hits in the order of the trace, each request done before the next. Not counted: time,
requests that run together, the memory they hold, the answers that a destination has written.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from kvlib import _check
from kvlib._check import one_whole as count_of
from kvlib.hits.cache import MOST_BLOCKS, PrefixCache
from kvlib.hits.checks import real
from kvlib.hits.conventions import MOVES_SUFFIX, Convention
from kvlib.hits.held import destination_pages
from kvlib.hits.requests import Request, Trace
from kvlib.hits.savings import moved_bytes, source_pages
from kvlib.payload import Group, Model, payload_bytes

__all__ = ["ROUTES", "Replay", "replay"]

ROUTES = ("fresh", "random", "sticky", "most-matching")
MOST_DESTINATIONS = 1_000


@dataclass(frozen=True, kw_only=True)
class Replay:
    """What each request of a trace hit, and where it went; in the order of the trace."""

    route: str
    convention: Convention
    tokens: tuple[int, ...]  # of each prompt
    source_hits: tuple[int, ...]  # tokens that need not be computed
    destination_hits: tuple[int, ...]  # tokens whose growing state need not move
    destinations: tuple[int, ...]

    @property
    def asked_tokens(self) -> int:
        """The tokens of all prompts."""
        return sum(self.tokens)

    @property
    def computed_tokens(self) -> int:
        """The tokens that the source computed."""
        return self.asked_tokens - sum(self.source_hits)

    @property
    def moved_tokens(self) -> int:
        """The tokens whose growing state moved."""
        return self.asked_tokens - sum(self.destination_hits)

    @property
    def compute_saved(self) -> float:
        """The share of all tokens that the source did not compute."""
        return sum(self.source_hits) / self.asked_tokens

    @property
    def transfer_saved(self) -> float:
        """The share of all tokens that did not move: of the bytes too, where all state grows."""
        return sum(self.destination_hits) / self.asked_tokens

    @property
    def busiest(self) -> float:
        """The share of all tokens that the most loaded destination received."""
        load: dict[int, int] = {}
        for place, tokens in zip(self.destinations, self.tokens, strict=True):
            load[place] = load.get(place, 0) + tokens
        return max(load.values()) / self.asked_tokens

    def payload_and_moved(
        self, model: Model | Group, element_bytes: int | None = None
    ) -> tuple[int, int]:
        """Return the bytes of all prompts and those that moved, exactly.

        Raises TypeError or ValueError for what `payload_bytes` refuses.
        """
        pairs = zip(self.tokens, self.destination_hits, strict=True)
        moved = sum(moved_bytes(model, n, q, self.convention, element_bytes) for n, q in pairs)
        return sum(payload_bytes(model, n, element_bytes) for n in self.tokens), moved


def replay(
    trace: Trace,
    route: str,
    *,
    seed: int,
    destinations: int = 4,
    source_blocks: int | None = None,
    destination_blocks: int | None = None,
    least_match: float = 0.1,
    convention: Convention = MOVES_SUFFIX,
) -> Replay:
    """Return what a trace hits at its source and at its destinations under a route.

    `source_blocks` is the room of the source pool and `destination_blocks` that of each
    destination, None for no limit. Raises TypeError or ValueError for anything else than a trace,
    a route, counts and a share.

    >>> from kvlib.hits.synthetic import handbook
    >>> found = replay(handbook(200, seed=1), "fresh", seed=1)
    >>> round(found.compute_saved, 2), found.transfer_saved
    (0.93, 0.0)
    """
    _check.kind("replay", "trace", trace, Trace, "a Trace")
    _check.one_of("replay", "route", route, ROUTES)
    _check.kind("replay", "convention", convention, Convention, "a Convention, as MOVES_SUFFIX")
    seed = count_of("replay", "seed", seed)
    count = count_of("replay", "destinations", destinations, 1, MOST_DESTINATIONS)
    least_match = real("replay", "least_match", least_match, minimum=0, maximum=1)
    source = PrefixCache(_room("source_blocks", source_blocks))
    room = _room("destination_blocks", destination_blocks)
    room = 0 if route == "fresh" else room
    caches = [PrefixCache(room) for _ in range(count)]
    load = [0] * count
    place_of = _chooser(route, trace.block, caches, load, least_match, seed)
    rows = []
    for request in trace.requests:
        tokens, place = request.input_tokens, place_of(request)
        here = min(source.use(request.blocks) * trace.block, tokens)
        there = min(caches[place].use(request.blocks) * trace.block, tokens)
        load[place] += tokens
        spared = source_pages(here, tokens, convention.page)
        rows.append((tokens, spared, destination_pages(there, convention), place))
    tokens, source_hits, destination_hits, places = zip(*rows, strict=True)
    return Replay(
        route=route,
        convention=convention,
        tokens=tokens,
        source_hits=source_hits,
        destination_hits=destination_hits,
        destinations=places,
    )


def _room(name: str, blocks: int | None) -> int | None:
    """Return the room of a cache, None for no limit. Raises TypeError or ValueError."""
    return None if blocks is None else count_of("replay", name, blocks, maximum=MOST_BLOCKS)


def _chooser(
    route: str,
    block: int,
    caches: list[PrefixCache],
    load: list[int],
    least_match: float,
    seed: int,
) -> Callable[[Request], int]:
    """Return the function that picks a destination for a request."""
    draw, homes = random.Random(seed), {}

    def least_loaded(_: Request) -> int:
        return load.index(min(load))

    def anywhere(_: Request) -> int:
        return draw.randrange(len(load))

    def home(request: Request) -> int:
        if request.session is None:
            return least_loaded(request)
        if request.session not in homes:
            homes[request.session] = least_loaded(request)
        return homes[request.session]

    def matching(request: Request) -> int:
        found = [cache.match(request.blocks) for cache in caches]
        most = max(found)
        if most * block < least_match * request.input_tokens:
            return least_loaded(request)
        return min((load[i], i) for i, match in enumerate(found) if match == most)[1]

    return dict(zip(ROUTES, (least_loaded, anywhere, home, matching), strict=True))[route]
