"""A trace of 25,000 requests through source and destination caches, on one core.

Run `python benchmarks/hits.py`. Prints the seconds of each route, the blocks looked up in a
second, and what the route saves. The trace has the moments of Mooncake's conversations.
"""

import time

from kvlib.hits import PUBLISHED, ROUTES, chat, replay

REQUESTS, DESTINATIONS = 25_000, 4
SOURCE_BLOCKS, DESTINATION_BLOCKS = 100_000, 4_000  # of 512 tokens
TARGET = 3.0  # seconds


def main() -> None:
    """Print one line a route."""
    start = time.perf_counter()
    like = PUBLISHED["mooncake conversation"]
    trace = chat(REQUESTS, seed=1, again=0.4, shared_tokens=512, like=like)
    blocks = sum(len(request.blocks) for request in trace.requests)
    print(f"{REQUESTS:,} requests, {blocks:,} blocks, made in {time.perf_counter() - start:.2f} s")
    print(f"{'route':15}{'seconds':>9}{'× target':>10}{'blocks/s':>12}{'compute':>10}{'bytes':>8}")
    for route in ROUTES:
        start = time.perf_counter()
        found = replay(
            trace,
            route,
            seed=1,
            destinations=DESTINATIONS,
            source_blocks=SOURCE_BLOCKS,
            destination_blocks=DESTINATION_BLOCKS,
        )
        seconds = time.perf_counter() - start
        rate = 2 * blocks / seconds
        shares = f"{found.compute_saved:>10.1%}{found.transfer_saved:>8.1%}"
        print(f"{route:15}{seconds:9.2f}{seconds / TARGET:10.2f}{rate:12,.0f}{shares}")


if __name__ == "__main__":
    main()
