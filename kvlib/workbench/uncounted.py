"""Uncounted: what a report leaves out, as sentences that depend on the set-up.

Those that hold for every set-up come last; before them stands what this one brings with it.
"""

from collections.abc import Iterator

from kvlib import _check
from kvlib.payload import Geometry, Indexer, Latent, Recurrent, groups_of
from kvlib.workbench.setup import Setup
from kvlib.workbench.sizes import sizes

__all__ = ["not_counted"]

ALWAYS = (
    "Agreement before a hand-off, allocation, registration and completion: they are start-up.",
    "The first decode step, which some engines need before they show a token.",
    "Other hand-offs on the link at the same time: the times are those of one alone.",
    "Bursts and spread: arrivals and lengths are taken as even, so no time includes waiting.",
    "Framing, retransmission and congestion, as far as the efficiency does not hold them.",
    "Metadata of a hand-off: tokens, sampling state, page tables; kilobytes a request.",
    "Memory of prefill workers, where a prompt stays until its hand-off is done.",
    "Batching: rates are taken as steady, whatever runs together and however long the prompts.",
    "Context parallelism, pipeline stages and ranks that share attention data-parallel.",
    "The card of each rank: the link is one for all, the layout of chapter 4 says who sends what.",
    "Draft models and speculative tokens, unless the model was given with its draft.",
)


def not_counted(setup: Setup) -> tuple[str, ...]:
    """Return everything that a report of `setup` leaves out, one sentence each.

    Raises TypeError for anything else than a Setup.

    >>> not_counted(Setup())[0]
    'Decode memory: no size is given, so it bounds nothing here.'
    """
    _check.kind("not_counted", "setup", setup, Setup, "a Setup, as Setup()")
    return (*_of_this(setup), *ALWAYS)


def _of_this(s: Setup) -> Iterator[str]:
    groups, engine = groups_of(s.model, "not_counted"), s.engine.name
    if s.decode_memory is None:
        yield "Decode memory: no size is given, so it bounds nothing here."
    else:
        yield "Prefixes that decode keeps for later: memory holds running requests only."
        yield "That an engine may reserve less than prompt and output and grow as tokens come."
    if s.efficiency == 1:
        yield "What transfers reach of the link: an efficiency of 1 is the line rate, a bound."
    if s.destination_hit and not s.protocol.destination_hits:
        held = f"{s.destination_hit:,} tokens that decode holds"
        yield f"The {held}: this protocol leaves nothing out, all of the prompt moves."
    if s.source_hit and s.pieces > 1 and s.overlap:
        yield (
            "That a prefix held at the source could leave before anything is computed: pieces are "
            "equal parts here."
        )
    if s.piece_seconds:
        yield (
            "The cost of pieces in what the network sustains: other hand-offs can move bytes "
            "meanwhile."
        )
    if s.pieces > 1 and s.overlap:
        yield "What compute and transfer take from each other while both run (chapter 6)."
        if engine == "vLLM":
            yield "That vLLM's NIXL connector reads after prefill, so that nothing overlaps."
    if s.key_format is not None:
        yield f"Whether {engine} has kernels for {s.key_format.name}, and what it costs in quality."
        yield "Time to convert: both ends are taken to keep the cache in the format that moves."
    if s.key_format is not None and s.key_format.group == "tensor":
        yield "Scales of a whole tensor: they belong to the model and are at both ends before."
    if s.prefill_tp != s.decode_tp and any(isinstance(g, Geometry) for g in groups):
        count = sizes(s).descriptors
        yield (
            f"Posting, gathering and scattering of slices between unequal sizes: the whole prompt "
            f"falls into {count:,} pieces of memory at best."
        )
    if any(isinstance(g, Latent) for g in groups):
        yield "Work to expand a latent, which the decode worker does whenever it reads it."
    if any(isinstance(g, Indexer) for g in groups):
        yield "That sparse attention reads few positions: all of them are kept and move."
    if any(isinstance(g, Geometry) and g.kept_tokens for g in groups):
        yield "Positions behind a window that an engine keeps while it reads a prompt by chunks."
    if any(isinstance(g, Recurrent) for g in groups):
        yield "States that an engine keeps besides the last one, to continue a prefix from them."
