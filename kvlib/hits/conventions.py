"""Conventions: what the two ends of a hand-off make of a hit.

A hit at the source always counts, since prefill reads its own cache. A hit at the destination
counts only where the protocol can leave out what is there.

| constant        | growing state | windows and chunks                  | recurrent state |
|-----------------|---------------|-------------------------------------|-----------------|
| `MOVES_ALL`     | moves whole   | move whole                          | moves whole     |
| `MOVES_SUFFIX`  | from the hit  | move whole, and end the hit         | moves whole     |
| `MOVES_MISSING` | from the hit  | from the hit, where that lies later | moves whole     |

SGLang's decode workers keep no prefixes unless started with
--disaggregation-decode-enable-radix-cache: `MOVES_ALL`. Started so, with pages of more than one
token, they take window state fresh for each request. A hit then ends where the prompt's window
begins, so growing layers move from there too: `MOVES_SUFFIX`. vLLM counts a hit that has its
window with it, and its NIXL connectors request the blocks that are not held: `MOVES_MISSING`.
Both move the recurrent state of every request.

Sources: SGLang 0.5.23, srt/disaggregation/{decode,prefill}.py (pull requests 19746 and 27770; its
hits end up to a page and a token before the window); vLLM, v1/nixl/pull_scheduler.py at b36ea89
and pull request 48758.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib._check import one_whole as count
from kvlib.hits.checks import store

__all__ = ["MOVES_ALL", "MOVES_MISSING", "MOVES_SUFFIX", "PROTOCOLS", "Convention"]

MOST_PAGE = 1_000_000  # tokens


@dataclass(frozen=True, kw_only=True)
class Convention:
    """What two ends of a hand-off make of a hit; the defaults move the whole prompt.

    `page` is the same at both ends. Raises TypeError or ValueError for another kind of value.
    """

    page: int = 1  # tokens; hits count in whole pages
    destination_hits: bool = False  # whether what the destination holds stays out of the transfer
    window_hits: bool = False  # whether it keeps the window (or chunk) behind a hit for that
    state_hits: bool = False  # whether it keeps recurrent state at the end of a prompt for that

    def __post_init__(self) -> None:
        store(self, page=page_of("Convention", self.page))
        for name in ("destination_hits", "window_hits", "state_hits"):
            _check.kind("Convention", name, getattr(self, name), bool, "True or False")


def page_of(call: str, page: int) -> int:
    """Return `page` as a count of tokens. Raises TypeError or ValueError."""
    return count(call, "page", page, minimum=1, maximum=MOST_PAGE)


MOVES_ALL = Convention()
MOVES_SUFFIX = Convention(destination_hits=True)
MOVES_MISSING = Convention(destination_hits=True, window_hits=True)
PROTOCOLS = {"all": MOVES_ALL, "suffix": MOVES_SUFFIX, "missing": MOVES_MISSING}
