"""The explorer of chapter 7: which stage of a service gives way first, and what would move it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kvlib.apps.app import App, Result
from kvlib.apps.controls import Amount, Slider, Whole
from kvlib.apps.payload import MODEL
from kvlib.apps.picture import bars
from kvlib.budget import Capacity, Service, Split, backlog, capacity, splits, utilisation
from kvlib.models import load
from kvlib.units import both
from kvlib.wording import SAME, apart, share
from kvlib.workbench.sentences import first_to_give_way, named, under_load

__all__ = ["APPS", "explore"]

WORKERS = 8
SECONDS = 600  # how long an overload lasts in the explorer's answer


def explore(values: Mapping[str, Any]) -> Result:
    """Return what a service of eight workers sustains, and what its arrivals do to it."""
    arrivals = float(values["arrivals"])
    service = Service(
        workers=WORKERS,
        prefill_workers=values["prefill_workers"],
        prompt_tokens=values["prompt"],
        output_tokens=values["output"],
        prefill_rate=values["prefill_rate"],
        decode_rate=values["decode_rate"],
        network_rate=values["link"],
        model=load(values["model"]),
    )
    found, best = capacity(service), _best(service)
    doubled = _doubled(found)
    stages = dict(found.given())
    printed = apart([*stages.values(), arrivals, doubled.limit, best[0].capacity.limit])
    over = arrivals > found.limit * (1 + SAME)
    load_name = "offered load" if over else "utilisation"  # what reaches a stage may be less
    numbers = [("payload of one request", both(service.payload_bytes))]
    for name, used in utilisation(service, arrivals).given():
        numbers.append((f"{name} sustains", f"{printed[stages[name]]}, {load_name} {share(used)}"))
    rows = [(name, [(bound, name)], printed[bound]) for name, bound in stages.items()]
    return Result(
        headline=first_to_give_way(found, printed),
        sentences=(
            _change(found, doubled, printed),
            under_load(found, arrivals, backlog(service, arrivals, SECONDS), printed),
            _splits(best, service.prefill_workers, printed[best[0].capacity.limit]),
        ),
        numbers=tuple(numbers),
        picture=bars(rows, "What each stage sustains", (arrivals, f"arrivals {printed[arrivals]}")),
    )


def _doubled(found: Capacity) -> Capacity:
    """Return the bounds after the first stage to give way is doubled."""
    return replace(found, **{found.first: 2 * found.limit})


def _best(service: Service) -> list[Split]:
    """Return all splits with the largest limit, fewest prefill workers first: they are adjacent."""
    found = splits(service)
    most = max(split.capacity.limit for split in found)
    return [split for split in found if split.capacity.limit >= most * (1 - SAME)]


def _splits(best: list[Split], present: int, limit: str) -> str:
    """Say which splits sustain the most, and whether the present one does."""
    names = {
        split.prefill_workers: f"{split.prefill_workers}:{split.decode_workers}" for split in best
    }
    first, last = names[min(names)], names[max(names)]
    if len(best) == 1:
        if present in names:
            return f"The present split, {first}, is already the best of eight workers."
        return f"The best split, prefill to decode, is {first}: {limit}."
    if "network" in best[0].capacity.tied:
        who = f"Every split from {first} to {last} sustains"
        why = "the network limits them"
    else:
        who = f"The splits {first} and {last} both sustain"
        why = "prefill limits the one, decode the other"
    among = " The present split is one of them." if present in names else ""
    return f"{who} the most, {limit}: {why}.{among}"


def _change(found: Capacity, doubled: Capacity, printed: Mapping[float, str]) -> str:
    """Say what doubling a stage would and would not do."""
    if len(found.tied) > 1:
        return f"Doubling {named(found.tied, 'or')} alone does not raise the rate."
    others = tuple(name for name, _ in found.given() if name != found.first)
    if doubled.tied == found.tied:
        then = f"{named(found.tied)} is still first"
    elif len(doubled.tied) > 1:
        then = f"{named(doubled.tied)} then give way together"
    else:
        then = f"{named(doubled.tied)} is then first"
    return (
        f"Doubling {named(others, 'or')} does not raise the rate. "
        f"Doubling {named(found.tied)} gives {printed[doubled.limit]}; {then}."
    )


APPS = (
    App(
        key="7.explore",
        title="The first stage to give way, of a service of eight workers",
        controls=(
            Slider(
                key="prefill_workers",
                label="Prefill workers, of eight",
                default=3,
                minimum=1,
                maximum=WORKERS - 1,
            ),
            Whole(
                key="prompt",
                label="Prompt",
                default=8_192,
                minimum=1,
                maximum=10_485_760,
                unit="tokens",
            ),
            Whole(
                key="output",
                label="Output",
                default=512,
                minimum=1,
                maximum=1_048_576,
                unit="tokens",
            ),
            Amount(
                key="link",
                label="Link shared by all hand-offs",
                default="200 Gb/s",
                kind="rate",
                minimum="1 Mb/s",
                maximum="100 Tb/s",
            ),
            Amount(
                key="prefill_rate",
                label="Rate of a prefill worker",
                default="8,000 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            Amount(
                key="decode_rate",
                label="Rate of a decode worker, all its requests",
                default="800 tokens/s",
                kind="token rate",
                minimum="1 tokens/s",
                maximum="10,000,000 tokens/s",
            ),
            MODEL,
            Amount(
                key="arrivals",
                label="Arrivals",
                default="2 requests/s",
                kind="requests",
                minimum="0.001 requests/s",
                maximum="100,000 requests/s",
            ),
        ),
        answer=explore,
    ),
)
