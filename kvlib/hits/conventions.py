"""Conventions: what the two ends of a hand-off make of a hit.

A hit at the source always counts, since prefill reads its own cache. A hit at the destination
counts only where the protocol can leave out what is there. SGLang's decode workers keep no
prefixes unless started with --disaggregation-decode-enable-radix-cache; then the prefill side sends
the pages behind the decode side's prefix. vLLM's NIXL connectors request the blocks that the decode
side lacks. Sources: sgl-project/sglang pull request 19746; vllm-project/vllm pull request 48758.
"""

from dataclasses import dataclass

from kvlib import _check

__all__ = ["MOVES_ALL", "MOVES_SUFFIX", "Convention"]

MOST_PAGE = 1_000_000  # tokens


@dataclass(frozen=True, kw_only=True)
class Convention:
    """What two ends of a hand-off make of a hit; the defaults move the whole prompt.

    `page` is the same at both ends. Raises TypeError or ValueError for another kind of value.
    """

    page: int = 1  # tokens; hits count in whole pages
    destination_hits: bool = False  # whether what the destination holds stays out of the transfer
    window_hits: bool = False  # whether it keeps K and V behind a window (or in a chunk) for that
    state_hits: bool = False  # whether it keeps recurrent state at the end of a prompt for that

    def __post_init__(self) -> None:
        object.__setattr__(self, "page", page_of("Convention", self.page))
        for name in ("destination_hits", "window_hits", "state_hits"):
            _check.kind("Convention", name, getattr(self, name), bool, "True or False")


def page_of(call: str, page: int) -> int:
    """Return `page` as a count of tokens. Raises TypeError or ValueError."""
    return _check.whole(call, "page", page, minimum=1, maximum=MOST_PAGE)


MOVES_ALL = Convention()  # SGLang unless its decode workers are started with a radix cache
MOVES_SUFFIX = Convention(destination_hits=True)
