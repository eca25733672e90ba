"""The explorer of chapter 7's second half: how long requests wait, and before which stage.

What it shares with the workbench stands first: the choices, the words and the picture of a run.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Select, Slider
from kvlib.apps.picture import curve
from kvlib.budget import Capacity, Service, Traffic, capacity, serve
from kvlib.hits import PUBLISHED
from kvlib.queueing import Run, mean, mg1_wait, percentile, present_steps, waiting_steps
from kvlib.wording import joined, requests, sentence, share, time

__all__ = [
    "APPS", "COMES", "LINK", "QUANTILE", "REQUESTS", "SEED", "SPREADS",
    "explore", "mean_waits", "picture", "queue_before", "simulated", "times",
]  # fmt: skip

SEED, QUANTILE, POINTS = 1, 0.95, 120
REQUESTS = 1_024  # of one run: every length is as frequent as any other
WORKERS = 8
PATH = ("prefill", "network", "decode")
NAMES = {"prefill": "prefill", "memory": "memory", "network": "the link", "decode": "decode"}
COMES = {
    "poisson": "at random (Poisson)",
    "bursty": "in bursts, twice the deviation",
    "steady": "evenly",
}
SPREADS = {
    "1": "all as long as given",
    **{
        str(PUBLISHED[name].input_spread): f"as spread as {words}"
        for name, words in (
            ("azure conversation", "Azure's conversations"),
            ("mooncake conversation", "Mooncake's conversations"),
        )
    },
}
LINK = {"one at a time": "one hand-off at a time", "shared": "all at once, rate shared"}
EVEN = 1e-9  # relative: a transfer this much longer than alone is as long


def simulated(run: Run, comes: str) -> str:
    """Say what is simulated."""
    how = {"poisson": "at random", "bursty": "in bursts", "steady": "evenly"}[comes]
    return (
        f"Simulated, not measured: {len(run.arrivals):,} requests that come {how}, from an empty "
        f"service on, over {time(run.arrivals[-1])}."
    )


def mean_waits(run: Run, stages: Sequence[str]) -> dict[str, float]:
    """Return the mean wait in seconds before each of some stages."""
    return {stage: mean(run.waits(stage)) for stage in stages}


def times(run: Run, waits: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return mean waits and quantiles of the time to first token, as a result prints them."""
    rows = [(f"mean wait before {NAMES[stage]}", time(wait)) for stage, wait in waits.items()]
    return [
        *rows,
        ("first token, half of them within", time(percentile(run.ttft, 0.5))),
        ("first token, 95 % within", time(percentile(run.ttft, QUANTILE))),
    ]


def queue_before(run: Run, waits: Mapping[str, float]) -> str:
    """Return the picture of the queue in which requests wait longest in the mean."""
    longest = max(waits, key=waits.__getitem__)
    stage = longest if waits[longest] else "prefill"
    return picture(run, waiting_steps(run, stage, POINTS), f"before {NAMES[stage]}")


def picture(run: Run, steps: Sequence[tuple[float, int]], where: str) -> str:
    """Return how many requests are somewhere over time, until the last one arrives, as SVG."""
    end = run.arrivals[-1]
    points = [(0.0, 0.0)]
    for moment, count in steps:
        points += [(moment, points[-1][1]), (moment, count)]
    points = [point for point in points if point[0] <= end]
    points.append((end, points[-1][1]))
    most = max(points, key=lambda point: point[1])
    words = f"{most[1]:,.0f} at most" if most[1] else "none waits"
    return curve(
        points,
        most,
        f"Requests {where} over {time(end)}: {words}",
        ("time since the start", f"requests {where}"),
        (time(end), f"{most[1]:,.0f}", words),
        stage="waiting",
    )


def explore(values: Mapping[str, Any]) -> Result:
    """Return how long a first token takes at an arrival rate, and where requests wait."""
    arrivals, spread = float(values["arrivals"]), float(values["spread"])
    service = Service(prefill_workers=values["prefill_workers"], network_rate=values["link"])
    traffic = Traffic(
        arrival_rate=arrivals,
        requests=REQUESTS,
        arrivals=values["comes"],
        prompt_spread=spread,
        link=values["sharing"],
    )
    run, found = serve(service, traffic, seed=SEED), capacity(service)
    waits, alone = mean_waits(run, PATH), 1 / found.network
    sharing = mean(run.transfers) / alone - 1  # what others on the link add to a transfer
    sharing = alone * sharing if sharing > EVEN else 0.0
    numbers = times(run, waits)
    numbers.insert(3, ("mean transfer", time(alone + sharing)))
    numbers.insert(3, ("mean prefill", time(service.prefill_workers / found.prefill)))
    if sharing > max(waits.values()):
        drawn = picture(run, present_steps(run, "network", POINTS), "on the link")
    else:
        drawn = queue_before(run, waits)
    after, within = time(mean(run.ttft)), time(percentile(run.ttft, QUANTILE))
    said = [_where(waits, sharing), _busy(found, arrivals), *_formula(service, traffic)]
    return Result(
        headline=f"The first token comes after {after} in the mean, for 95 % within {within}.",
        sentences=(*said, simulated(run, values["comes"])),
        numbers=tuple(numbers),
        picture=drawn,
    )


def _where(waits: Mapping[str, float], sharing: float) -> str:
    """Say before which stages requests wait, and how the link delays them."""
    found = [f"{time(wait)} before {NAMES[stage]}" for stage, wait in waits.items() if wait]
    if sharing:
        longer = f"shares the link, which makes its transfer {time(sharing)} longer"
        return f"A request {f'waits {joined(found)}' if found else 'never waits'} and {longer}."
    return f"In the mean a request waits {joined(found)}." if found else "No request waits."


def _busy(found: Capacity, arrivals: float) -> str:
    """Say which stage is the busiest, or that its queue grows."""
    names = sentence(joined([NAMES[stage] for stage in found.tied]))
    many, used = len(found.tied) > 1, arrivals / found.limit
    if used < 1:
        return f"{names} {'are' if many else 'is'} the busiest, {share(used)} of the time."
    return (
        f"{names} {'sustain' if many else 'sustains'} {requests(found.limit)} and no more: the "
        "backlog grows, and a longer run has longer times."
    )


def _formula(service: Service, traffic: Traffic) -> tuple[str, ...]:
    """Return what Pollaczek and Khinchine's formula says, where it holds."""
    seconds = service.prompt_tokens / service.prefill_rate
    holds = service.prefill_workers == 1 and traffic.arrivals == "poisson"
    if not holds or traffic.arrival_rate * seconds >= 1:
        return ()
    wait = mg1_wait(traffic.arrival_rate, seconds, traffic.prompt_spread)
    return (f"Over an endless run the formula gives {time(wait)} before one prefill worker.",)


def _select(key: str, label: str, options: Mapping[str, str]) -> Select:
    return Select(key=key, label=label, options=tuple(options.items()), default=next(iter(options)))


APPS = (
    App(
        key="7.queue",
        title="Waiting: the same service of eight workers, over one run of requests",
        controls=(
            Amount(
                key="arrivals",
                label="Arrivals",
                default="2 requests/s",
                kind="requests",
                minimum="0.001 requests/s",
                maximum="100,000 requests/s",
            ),
            Slider(
                key="prefill_workers",
                label="Prefill workers, of eight",
                default=3,
                minimum=1,
                maximum=WORKERS - 1,
            ),
            _select("comes", "Requests come", COMES),
            _select("spread", "Prompts", SPREADS),
            Amount(
                key="link",
                label="Link shared by all hand-offs",
                default="200 Gb/s",
                kind="rate",
                minimum="1 Mb/s",
                maximum="100 Tb/s",
            ),
            _select("sharing", "The link serves", LINK),
        ),
        answer=explore,
    ),
)
