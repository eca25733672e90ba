"""Cache: which blocks of a prompt's start an end still holds.

A prompt is a row of blocks. A block's hash covers the blocks before it too, as in engines and in
public traces, so one hash stands for a whole start of a prompt. The blocks form a tree, and one
can be reached only if all before it are there. What is evicted is therefore always the end of a
row: the leaf that was used longest ago.

Counted: blocks, each once however many prompts share it. Not counted: requests that hold their
blocks while they run, copies in host memory or on disk.
"""

from collections import OrderedDict, deque
from collections.abc import Hashable, Sequence
from itertools import takewhile

from kvlib import _check
from kvlib._check import one_whole as count

__all__ = ["PrefixCache"]

MOST_BLOCKS = 1_000_000_000


class PrefixCache:
    """A tree of blocks with room for `capacity` of them, None for no limit.

    The blocks of a prompt are used together, its first block last. So every block is older than
    the one before it in its row, and the oldest block of all is a leaf. Raises TypeError or
    ValueError for a capacity that is no count.

    >>> cache = PrefixCache(capacity=3)
    >>> cache.use([1, 2]), cache.use([1, 2, 3]), cache.use([1, 9]), cache.match([1, 2, 3])
    (0, 2, 1, 2)
    """

    def __init__(self, capacity: int | None = None) -> None:
        if capacity is not None:
            capacity = count("PrefixCache", "capacity", capacity, maximum=MOST_BLOCKS)
        self.capacity = capacity
        self._held: OrderedDict[Hashable, None] = OrderedDict()  # the oldest first

    def __len__(self) -> int:
        """Return how many blocks are held."""
        return len(self._held)

    def match(self, blocks: Sequence[Hashable]) -> int:
        """Return how many of the first `blocks` are held, without using them.

        Raises TypeError for what is no list or tuple of hashes.
        """
        return self._found("match", blocks)

    def use(self, blocks: Sequence[Hashable]) -> int:
        """Return how many of the first `blocks` are held; then hold all that there is room for.

        Raises TypeError for what is no list or tuple of hashes.
        """
        found, held = self._found("use", blocks), self._held
        row = blocks[: self.capacity]
        try:
            held.update(dict.fromkeys(row[found:]))
        except TypeError:
            raise TypeError(_check.wrong_type("use", "blocks", "hashes", blocks)) from None
        if self.capacity is not None:
            deque(map(held.move_to_end, reversed(row)), maxlen=0)
            while len(held) > self.capacity:
                held.popitem(last=False)
        return found

    def _found(self, call: str, blocks: Sequence[Hashable]) -> int:
        _check.kind(call, "blocks", blocks, list | tuple, "a list of hashes")
        try:
            return sum(1 for _ in takewhile(self._held.__contains__, blocks))
        except TypeError:
            raise TypeError(_check.wrong_type(call, "blocks", "hashes", blocks)) from None
