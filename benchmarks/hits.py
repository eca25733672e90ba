"""A trace of 25,000 requests through source and destination caches, on one core.

Run `python benchmarks/hits.py`. Prints the seconds of each route on the clock and of the processor
(they differ where others use the machine), the blocks looked up in a second of the processor, and
what the route saves. The trace has the moments of Mooncake's conversations.
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
    print(f"{'route':15}{'clock':>9}{'processor':>11}{'× target':>10}{'blocks/s':>12}", end="")
    print(f"{'compute':>10}{'bytes':>8}")
    for route in ROUTES:
        start, used = time.perf_counter(), time.process_time()
        found = replay(
            trace,
            route,
            seed=1,
            destinations=DESTINATIONS,
            source_blocks=SOURCE_BLOCKS,
            destination_blocks=DESTINATION_BLOCKS,
        )
        seconds, used = time.perf_counter() - start, time.process_time() - used
        rate = 2 * blocks / used
        shares = f"{found.compute_saved:>10.1%}{found.transfer_saved:>8.1%}"
        times = f"{seconds:9.2f}{used:11.2f}{seconds / TARGET:10.2f}"
        print(f"{route:15}{times}{rate:12,.0f}{shares}")


if __name__ == "__main__":
    main()
