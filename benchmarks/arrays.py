"""Points per second of the closed forms over NumPy arrays, on one core.

Run `python benchmarks/arrays.py`. Prints each formula's rate, and its time as a multiple of one
plain multiplication of the same array, which changes less from machine to machine.
"""

import time
from collections.abc import Callable

import numpy as np

from kvlib.budget import Service, capacity
from kvlib.payload import Geometry, Model, payload_bytes

POINTS, REPEATS = 2_000_000, 7
TARGET = 10_000_000  # points/s


def best_seconds(call: Callable[[], object]) -> float:
    """Return the shortest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line a formula."""
    tokens = np.random.default_rng(1).integers(1, 131_072, POINTS)
    dense = Geometry(layers=32, kv_heads=8, head_dim=128)
    window = Geometry(layers=12, kv_heads=8, head_dim=64, window=128)
    full = Geometry(layers=12, kv_heads=8, head_dim=64)
    sliding = Model(name="half sliding, half full", groups=(window, full))
    cases = {
        "payload_bytes, dense": lambda: payload_bytes(dense, tokens),
        "payload_bytes, sliding and full": lambda: payload_bytes(sliding, tokens),
        "capacity over prompt lengths": lambda: capacity(Service(prompt_tokens=tokens)),
        "the same and its limit": lambda: capacity(Service(prompt_tokens=tokens)).limit,
        "the same and its first stage": lambda: capacity(Service(prompt_tokens=tokens)).first_index,
    }
    plain = best_seconds(lambda: tokens * 131_072)
    print(f"{'formula':34}{'million points/s':>18}{'× one multiply':>16}{'× target':>10}")
    for name, call in cases.items():
        seconds = best_seconds(call)
        rate = POINTS / seconds
        print(f"{name:34}{rate / 1e6:18.1f}{seconds / plain:16.1f}{rate / TARGET:10.1f}")


if __name__ == "__main__":
    main()
