"""Synthetic: traces of three kinds, made from a seed to given moments.

| kind       | what prompts share                                                          |
|------------|-----------------------------------------------------------------------------|
| `handbook` | one long text, then a question of their own                                 |
| `chat`     | the earlier turns of their conversation                                     |
| `agents`   | tools and instructions, then the earlier calls of their task                |

A prompt is the prompt that it continues (or the shared text) and an addition. Additions are
log-normal, stretched until the sample has the asked mean and spread, but for rounding. Arrivals
are Poisson. An addition holds the answer of the turn before it; no cache has seen that yet.
"""

import math
import random
from collections.abc import Sequence

from kvlib import _check
from kvlib._check import one_whole as count_of
from kvlib.hits.checks import real
from kvlib.hits.moments import PUBLISHED, Moments
from kvlib.hits.requests import BLOCK, MOST_REQUESTS, MOST_TOKENS, Request, Trace

__all__ = ["agents", "chat", "handbook"]

OPEN = 64  # conversations that may go on at a time
WIDEST = 4.0  # of the logarithm of an addition
MOST_BLOCKS = 20_000_000
QUESTIONS = Moments(rate=2.0, input_mean=8_192, input_spread=1.0005, output_mean=512)


def handbook(
    requests: int,
    *,
    seed: int,
    shared_tokens: int = 8_000,
    like: Moments = QUESTIONS,
    block: int = BLOCK,
) -> Trace:
    """Return a trace of questions about one text of `shared_tokens`.

    Raises TypeError or ValueError for what is no count or no moments, or for moments that such
    prompts cannot have.

    >>> trace = handbook(100, seed=1)
    >>> len(trace.requests), round(trace.input_tokens / 100, -1)
    (100, 8190.0)
    """
    return _trace("handbook", requests, 0.0, shared_tokens, like, block, seed)


def chat(
    requests: int,
    *,
    seed: int,
    again: float = 0.5,
    shared_tokens: int = 0,
    like: Moments = PUBLISHED["azure conversation"],
    block: int = BLOCK,
) -> Trace:
    """Return a trace of conversations; a request continues one with probability `again`.

    Raises TypeError or ValueError as `handbook` does.
    """
    return _trace("chat", requests, again, shared_tokens, like, block, seed)


def agents(
    requests: int,
    *,
    seed: int,
    again: float = 0.9,
    shared_tokens: int = 2_048,
    like: Moments = PUBLISHED["mooncake conversation"],
    block: int = BLOCK,
) -> Trace:
    """Return a trace of tasks with many tool calls, all behind `shared_tokens` of instructions.

    Raises TypeError or ValueError as `handbook` does.
    """
    return _trace("agents", requests, again, shared_tokens, like, block, seed)


def _trace(
    call: str, count: int, again: float, shared: int, like: Moments, block: int, seed: int
) -> Trace:
    count = count_of(call, "requests", count, minimum=2, maximum=MOST_REQUESTS)
    seed = count_of(call, "seed", seed)
    again = real(call, "again", again, minimum=0, maximum=0.99)
    _check.kind(call, "like", like, Moments, "Moments")
    shared = count_of(call, "shared_tokens", shared, maximum=int(like.input_mean))
    block = count_of(call, "block", block, minimum=1, maximum=MOST_TOKENS)
    blocks = math.ceil(count * like.input_mean / block)
    _check.whole(call, "number of blocks", blocks, maximum=MOST_BLOCKS)
    draw = random.Random(seed)
    before = _continued(count, again, draw)
    lengths = _lengths(call, before, shared, like, draw)
    rows, sessions = _rows(before, lengths, shared, block)
    outputs = _scaled([draw.expovariate(1.0) for _ in range(count)], like.output_mean)
    gaps = _scaled([draw.expovariate(1.0) for _ in range(count)], 1 / like.rate)
    found, now = [], -gaps[0]
    for i in range(count):
        now += gaps[i]
        found.append(
            Request(
                arrival=max(now, 0.0),
                input_tokens=lengths[i],
                output_tokens=max(1, round(outputs[i])),
                blocks=rows[i],
                session=sessions[i],
            )
        )
    return Trace(requests=tuple(found), block=block)


def _scaled(values: Sequence[float], mean: float) -> list[float]:
    factor = mean * len(values) / sum(values)
    return [value * factor for value in values]


def _continued(count: int, again: float, draw: random.Random) -> list[int]:
    """Return for each request the one that it continues, -1 for none."""
    before: list[int] = []
    last: list[int] = []  # the newest request of each open conversation
    for i in range(count):
        if last and draw.random() < again:
            place = draw.randrange(len(last))
            before.append(last[place])
            last[place] = i
        else:
            before.append(-1)
            last.append(i)
            if len(last) > OPEN:
                del last[0]
    return before


def _lengths(
    call: str, before: list[int], shared: int, like: Moments, draw: random.Random
) -> list[int]:
    """Return the tokens of each prompt: mean and spread as asked, by bisection of one width."""
    normal = [draw.gauss(0.0, 1.0) for _ in before]

    def sums(width: float) -> list[float]:
        found: list[float] = []
        for i, parent in enumerate(before):
            addition = math.exp(width * normal[i])
            found.append(addition if parent < 0 else found[parent] + addition)
        return [shared + own for own in _scaled(found, like.input_mean - shared)]

    def spread(values: list[float]) -> float:
        return sum(value * value for value in values) / len(values) / like.input_mean**2

    low, high = 0.0, WIDEST
    least, most = spread(sums(low)), spread(sums(high))
    if not least <= like.input_spread <= most:
        rule = f"from {least:.4g} to {most:.4g} for such prompts"
        raise ValueError(_check.wrong(call, "input_spread of like", rule, like.input_spread))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if spread(sums(middle)) < like.input_spread else (low, middle)
    lengths: list[int] = []
    for value, parent in zip(sums(high), before, strict=True):
        least_tokens = 1 + (shared if parent < 0 else lengths[parent])
        lengths.append(max(round(value), least_tokens))
    return lengths


def _rows(
    before: list[int], lengths: list[int], shared: int, block: int
) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the blocks and the session of each request; a block that is not full is its own."""
    start = tuple(range(shared // block))
    fresh, rows, sessions = len(start), [], []
    for i, parent in enumerate(before):
        head = start if parent < 0 else rows[parent][: lengths[parent] // block]
        need = -(-lengths[i] // block) - len(head)
        rows.append((*head, *range(fresh, fresh + need)))
        sessions.append(i if parent < 0 else sessions[parent])
        fresh += need
    return rows, sessions
