"""How long a hand-off's plan takes, by its sizes; it should not depend on tokens.

Run `python benchmarks/layout.py`. Prints milliseconds, and the time as a multiple of that for the
smallest plan, which changes less from machine to machine.
"""

import time
from collections.abc import Callable

from kvlib.apps import defaults, find, run
from kvlib.layout import handoff
from kvlib.models import load

REPEATS = 20
TARGET_MS = 10  # 32,768 tokens, TP 16 to TP 8


def best_ms(call: Callable[[], object]) -> float:
    """Return the shortest of several runs in milliseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Print one line a plan."""
    text, app = load("llama-3.1-8b"), find("4.explore")
    widest = defaults(app) | {"prefill": "16", "decode": "16", "model": "gpt-oss-20b"}
    cases = {
        "8,192 tokens, TP 1 to 1": lambda: handoff(text, 8_192),
        "32,768 tokens, TP 16 to 8": lambda: handoff(text, 32_768, 16, 8),
        "1,000,000,000 tokens, TP 16 to 8": lambda: handoff(text, 1_000_000_000, 16, 8),
        "32,768 tokens, TP 1,024 to 1,024": lambda: handoff(text, 32_768, 1_024, 1_024),
        "the explorer, TP 16 to 16": lambda: run(app, widest),
    }
    first = best_ms(cases["8,192 tokens, TP 1 to 1"])
    for name, call in cases.items():
        took = best_ms(call)
        print(f"{name:34} {took:7.3f} ms {took / first:7.1f}×")
    print(f"target for TP 16 to 8: {TARGET_MS} ms")


if __name__ == "__main__":
    main()
