"""Requests: what a trace says of each, and what makes a row of them a trace."""

from dataclasses import dataclass
from itertools import pairwise

from kvlib import _check
from kvlib._check import one_whole as count
from kvlib.hits.checks import integer, real, store

__all__ = ["BLOCK", "Request", "Trace"]

BLOCK = 512  # tokens of a block in the public form
MOST_REQUESTS = 1_000_000
MOST_TOKENS, MOST_ARRIVAL = 10_000_000, 10**10  # of one request; seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request: when it arrived, its lengths, its prompt's blocks and its conversation.

    A block's hash covers the blocks before it too, so two requests share state as far as their
    `blocks` are equal; the last may be partial. None are known if the row is empty. Raises
    TypeError or ValueError for what is no time, count or tuple of whole numbers.
    """

    arrival: float  # seconds
    input_tokens: int
    output_tokens: int = 0
    blocks: tuple[int, ...] = ()
    session: int | None = None  # requests of one conversation have the same

    def __post_init__(self) -> None:
        blocks = _check.kind("Request", "blocks", self.blocks, tuple, "a tuple of whole numbers")
        store(
            self,
            arrival=real("Request", "arrival", self.arrival, minimum=0, maximum=MOST_ARRIVAL),
            input_tokens=count("Request", "input_tokens", self.input_tokens, 1, MOST_TOKENS),
            output_tokens=count("Request", "output_tokens", self.output_tokens, 0, MOST_TOKENS),
        )
        if any(type(block) is not int for block in blocks):
            store(self, blocks=tuple(integer("Request", "block", block) for block in blocks))
        if self.session is not None:
            store(self, session=integer("Request", "session", self.session))


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Requests in the order of their arrival, and how many tokens a block has.

    Raises TypeError or ValueError for an empty trace, for one out of order, for a request whose
    blocks do not cover its prompt, and for a hash that stands behind two different ones.

    >>> Trace(requests=(Request(arrival=0, input_tokens=600, blocks=(7, 8)),)).input_tokens
    600
    """

    requests: tuple[Request, ...]
    block: int = BLOCK

    def __post_init__(self) -> None:
        store(self, block=count("Trace", "block", self.block, minimum=1, maximum=MOST_TOKENS))
        _check.kind("Trace", "requests", self.requests, tuple, "a tuple of Requests")
        _check.whole("Trace", "number of requests", len(self.requests), 1, MOST_REQUESTS)
        before, parents = 0.0, {}
        for i, request in enumerate(self.requests):
            _check.kind("Trace", f"request {i}", request, Request, "a Request")
            if request.arrival < before:
                rule = f"no earlier than the one before it, at {before:g} s"
                raise ValueError(_check.wrong("Trace", f"request {i}", rule, request.arrival))
            before = request.arrival
            whole_blocks("Trace", f"blocks of request {i}", request, self.block)
            for parent, block in pairwise((None, *request.blocks)):
                if parents.setdefault(block, parent) != parent:
                    rule = "hashes that cover the blocks before them too"
                    raise ValueError(_check.wrong("Trace", f"blocks of request {i}", rule, block))

    @property
    def input_tokens(self) -> int:
        """The tokens of all prompts together."""
        return sum(request.input_tokens for request in self.requests)

    @property
    def seconds(self) -> float:
        """The time from the first arrival to the last."""
        return self.requests[-1].arrival - self.requests[0].arrival


def whole_blocks(call: str, name: str, request: Request, block: int) -> None:
    """Return nothing if the blocks of a request cover its prompt, or if none are known.

    Raises ValueError otherwise.
    """
    wanted, got = -(-request.input_tokens // block), len(request.blocks)
    if got not in (0, wanted):
        rule = f"{wanted:,}, one for every {block:,} of {request.input_tokens:,} tokens"
        raise ValueError(_check.wrong(call, name, rule, got))
