"""Requests per second through the simulated stages, on one core, beside simpy on the same work.

Run `python benchmarks/queueing.py`. Prints each way through the stages in requests/s, as a multiple
of the target and of simpy, and then how long a page waits for a run and for a highest rate. simpy
stands in requirements.txt; without it its column stays empty: `pip install simpy==4.1.2`.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kvlib.budget import Service, Traffic, highest_rate, serve
from kvlib.queueing import Requests, Stations, exponential, lognormal, poisson, simulate
from kvlib.units import GB, ms

REQUESTS, FEW, REPEATS = 200_000, 10_000, 5
TARGET = 200_000  # requests/s


def best_seconds(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def columns(count: int) -> dict[str, list]:
    """Return drawn work that uses every stage to about nine tenths."""
    return {
        "arrivals": poisson(count, 0.9, seed=1),
        "prefill": lognormal(count, 3.0, spread=2.72, seed=2),
        "transfer": lognormal(count, 1.0, spread=2.72, seed=3),
        "decode": exponential(count, 160.0, seed=4),
        "held": [1] * count,
    }


def main() -> None:
    """Print one line a way through the stages, then one a case of a page."""
    ways = {
        "one at a time": Stations(prefill_servers=3, decode_servers=160),
        "shared link": Stations(prefill_servers=3, decode_servers=160, link="shared"),
        "memory for 200": Stations(prefill_servers=3, decode_servers=160, memory=200),
        "both": Stations(prefill_servers=3, decode_servers=160, link="shared", memory=200),
    }
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    simpy = importlib.util.find_spec("simpy")
    print(f"{'way':16}{'requests/s':>12}{'× target':>10}{'simpy, requests/s':>19}{'× simpy':>9}")
    many, few = columns(REQUESTS), columns(FEW)
    requests = Requests(**many)
    for name, stations in ways.items():
        rate = REQUESTS / best_seconds(lambda s=stations: simulate(requests, s))
        print(f"{name:16}{rate:12,.0f}{rate / TARGET:10.1f}", end="")
        if simpy:
            from simulated import simulated

            other = FEW / best_seconds(lambda s=stations: simulated(**few, stations=s), 1)
            print(f"{other:19,.0f}{rate / other:9.1f}")
        else:
            print(f"{'pip install simpy==4.1.2':>28}")
    drawn = REQUESTS / best_seconds(lambda: Requests(**columns(REQUESTS)), 3)
    print(f"{'drawn, checked':16}{drawn:12,.0f}{drawn / TARGET:10.1f}")

    uneven = {"arrival_rate": 2.0, "prompt_spread": 2.72, "output_spread": 2.0}
    bounded = Service(decode_memory=60 * GB, decode_seconds=20.0)
    cases = {
        "equal lengths": (Service(), Traffic(arrival_rate=2.0)),
        "spread lengths": (Service(), Traffic(**uneven)),
        "and a shared link": (Service(), Traffic(**uneven, link="shared")),
        "and a memory": (bounded, Traffic(**uneven)),
        "and both": (bounded, Traffic(**uneven, link="shared")),
    }
    print(f"\n{'2,000 requests':20}{'serve, ms':>11}{'highest_rate, ms':>18}")
    for name, (service, traffic) in cases.items():
        run = best_seconds(lambda s=service, t=traffic: serve(s, t, seed=1))
        rate = best_seconds(lambda s=service, t=traffic: highest_rate(s, t, ttft=4.0, seed=1))
        print(f"{name:20}{run / ms:11.1f}{rate / ms:18.1f}")


if __name__ == "__main__":
    main()
