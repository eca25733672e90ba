"""Chapter 7, its second half: how long requests wait. Runs are seeded, as those of the page are."""

from dataclasses import replace
from functools import cache

from claims.chapter import made, slip
from kvlib.apps.queueing import REQUESTS, SEED
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, Traffic, backlog_growth, capacity, highest_rate, serve
from kvlib.budget.rates import NEAREST
from kvlib.budget.traffic import BURST
from kvlib.exercises import find
from kvlib.exercises.queueing import BUSY, FULL, ONE_LINK, PLANNED, PREFILL, SPREAD
from kvlib.hits import PUBLISHED
from kvlib.queueing import attainment, goodput, mean, mg1_wait, percentile, waiting, waiting_steps
from kvlib.units import GB_s, Gbit_s

PAGE = "7_service_budget"
TEXT = Service()
SLOW = replace(TEXT, network_rate=0.2 * GB_s)
AZURE = PUBLISHED["azure conversation"].input_spread
MOONCAKE = PUBLISHED["mooncake conversation"].input_spread
TRIED = "given: a value to try"
LONG = (3, 7)  # seeds of exercise 7.9
EACH = 2 / 3  # requests/s that one of three prefill workers gets


@cache
def run(service=TEXT, seed=SEED, requests=REQUESTS, rate=2.0, **traffic):
    """Return a run of the chapter's service, or of another."""
    how = Traffic(arrival_rate=rate, requests=requests, **traffic)
    return serve(service, how, seed=seed)


def figure(rate):
    """Return the run of the figure at a rate: ten minutes of arrivals."""
    return run(requests=int(600 * rate), rate=rate)


def idle():
    """Return the part of ten minutes at 2 requests/s in which nobody waits for prefill."""
    steps = waiting_steps(figure(2.0), "prefill", 10**6)
    ends = [min(moment, 600) for moment, _ in steps[1:]] + [600]
    pairs = zip(steps, ends, strict=True)
    return sum(end - min(moment, 600) for (moment, count), end in pairs if not count) / 600


def alone(rate, spread=1):
    """Return the mean wait before one prefill worker with a queue of its own."""
    return mg1_wait(rate, PREFILL, spread)


def within(seconds, arrivals="poisson", spread=1.0):
    """Return the rate that a target leaves, the mean of four seeds."""
    how = Traffic(arrival_rate=1.0, arrivals=arrivals, prompt_spread=spread)
    return mean([highest_rate(TEXT, how, ttft=seconds, seed=seed) for seed in range(4)])


def row(service=TEXT, **traffic):
    """Return the expressions of a row of the explorer's table."""
    return [
        lambda: mean(run(service, **traffic).prefill_waits),
        lambda: mean(run(service, **traffic).network_waits),
        lambda: mean(run(service, **traffic).ttft),
        lambda: percentile(run(service, **traffic).ttft, 0.95),
    ]


def link(rate):
    """Return the chapter's service with another link."""
    return replace(TEXT, network_rate=rate)


@cache
def full(service=TEXT, **changed):
    """Return the 95th percentile of exercise 7.9, the mean of two runs.

    Of eight runs of 200,000 requests it is 23.4 s; random 10.8 s, equal 18.8 s, worker 5.5 s.
    These two seeds come near them in a fifteenth of the time.
    """
    how = replace(FULL, **changed)
    return mean([percentile(serve(service, how, seed=s).ttft, 0.95) for s in LONG])


@cache
def short(**changed):
    """Return the 95th percentiles of exercise 7.9 in runs as long as the explorer's, by seed."""
    how = replace(FULL, requests=REQUESTS, **changed)
    return [percentile(serve(TEXT, how, seed=s).ttft, 0.95) for s in range(8)]


def uneven(arrivals, spread):
    """Return how uneven it is by the chapter's formula, with c² of the arrivals for its 1."""
    return (arrivals + spread - 1) / 2


def one_more():
    """Return the service of exercise 7.9 with a decode worker moved to prefill."""
    return replace(TEXT, prefill_workers=4)


WIDER = link(20 * Gbit_s)
ODDS = BUSY / (1 - BUSY)

CLAIMS = [
    # Above the bound
    (
        "At {4 requests/s} the run ends with {644}, arithmetic with {642}.",
        "given: the arrivals of the section",
        lambda: waiting(figure(4.0), "prefill", 600),
        lambda: backlog_growth(TEXT, 4.0).total * 600,
    ),
    (
        "At {2 requests/s} the queue comes and goes: at most {7} wait, and for {76 %} of the time",
        "given: the arrivals of the section",
        lambda: max(count for _, count in waiting_steps(figure(2.0), "prefill")),
        idle,
    ),
    # Below it
    (
        "At {2 requests/s} no queue grows, and yet some wait",
        "given: the arrivals of the section",
    ),
    (
        "In four public traces, Azure's and Mooncake's, it is {1.92} to {2.72}",
        lambda: min(trace.input_spread for trace in PUBLISHED.values()),
        lambda: max(trace.input_spread for trace in PUBLISHED.values()),
    ),
    (
        "Each gets {0.67 requests/s}, at {1.024 s} each, and is busy for {68.3 %}: busy over idle "
        "is {2.15}. Times a half and {1.024 s}: equal prompts wait {1.10 s}.",
        lambda: 2 / TEXT.prefill_workers,
        lambda: PREFILL,
        lambda: EACH * PREFILL,
        lambda: EACH * PREFILL / (1 - EACH * PREFILL),
        lambda: PREFILL,
        lambda: alone(EACH),
    ),
    (
        "At {90 %} that ratio is {9}, and they wait {4.61 s}.",
        TRIED,
        lambda: 0.9 / (1 - 0.9),
        lambda: alone(0.9 / PREFILL),
    ),
    (
        "Spread {2.72} multiplies each of these waits by {2.72}.",
        lambda: MOONCAKE,
        lambda: alone(EACH, MOONCAKE) / alone(EACH),
    ),
    (
        "beside a run of {50,000} requests:",
        lambda: len(made(PAGE)["worker_run"].arrivals),
    ),
    (
        "With equal prompts a run of {50,000} gives {0.26 s}, not {1.10 s}.",
        "given: as long as the run before",
        lambda: mean(run(requests=50_000).prefill_waits),
        lambda: alone(EACH),
    ),
    # The explorer of waiting
    (
        "2. On a link of {20 Gb/s}, should hand-offs",
        TRIED,
    ),
    (
        "at {2.64 requests/s}, eight seeds put the {95}th percentile at {9.8} to {24.5 s}.",
        lambda: FULL.arrival_rate,
        "given: the share of the section on targets",
        lambda: min(short()),
        lambda: max(short()),
    ),
    (
        "| nothing | {0.24} | {0.001} | {1.31} | {2.14} |",
        *row(),
    ),
    (
        "| evenly | {0.00} | {0.000} | {1.07} | {1.07} |",
        *row(arrivals="steady"),
    ),
    (
        "| in bursts | {0.89} | {0.001} | {1.95} | {3.85} |",
        *row(arrivals="bursty"),
    ),
    (
        "| Azure's spread | {0.42} | {0.004} | {1.49} | {4.01} |",
        *row(prompt_spread=AZURE),
    ),
    (
        "| Mooncake's spread | {0.51} | {0.004} | {1.58} | {4.70} |",
        *row(prompt_spread=MOONCAKE),
    ),
    (
        "| 4 prefill workers | {0.06} | {0.001} | {1.13} | {1.56} |",
        *row(one_more()),
    ),
    (
        "| {4 requests/s} | {46.65} | {0.010} | {47.73} | {91.02} |",
        TRIED,
        *row(rate=4.0),
    ),
    (
        "| link of {20 Gb/s} | {0.24} | {0.752} | {2.45} | {4.45} |",
        TRIED,
        *row(WIDER),
    ),
    (
        "| the same, shared | {0.24} | {0.000} | {3.20} | {6.67} |",
        *row(WIDER, link="shared"),
    ),
    (
        "| link of {1.6 Gb/s} | {0.24} | {2,490} | {2,496} | {4,741} |",
        TRIED,
        *row(SLOW),
    ),
    (
        "in bursts the wait is {3.7} times that of random arrivals",
        lambda: mean(run(arrivals="bursty").prefill_waits) / mean(run().prefill_waits),
    ),
    (
        "the first token comes after {2.45 s} in place of {3.20 s}, as sharing",
        lambda: mean(run(WIDER).ttft),
        lambda: mean(run(WIDER, link="shared").ttft),
    ),
    (
        "shared, the mean falls from {4.92 s} to {3.98 s}, and the 95th percentile rises from "
        "{10.68 s} to {13.87 s}.",
        lambda: mean(run(WIDER, prompt_spread=MOONCAKE).ttft),
        lambda: mean(run(WIDER, prompt_spread=MOONCAKE, link="shared").ttft),
        lambda: percentile(run(WIDER, prompt_spread=MOONCAKE).ttft, 0.95),
        lambda: percentile(run(WIDER, prompt_spread=MOONCAKE, link="shared").ttft, 0.95),
    ),
    # A target
    (
        "Let {95 %} of requests have their first token within a target.",
        "given: the share of the section",
    ),
    (
        "In requests/s for {2 s}, {5 s} and {8 s}, each the mean of four seeds:",
        TRIED,
        TRIED,
        TRIED,
    ),
    (
        "For equal prompts, {2 s} leave {1.83 requests/s}: {62 %} of the bound.",
        TRIED,
        lambda: within(2),
        lambda: within(2) / capacity(TEXT).limit,
    ),
    (
        "In bursts they leave {1.22 requests/s}.",
        lambda: within(2, "bursty"),
    ),
    (
        "alone, its longest prompts take more than {2 s}.",
        TRIED,
    ),
    (
        "One seed is off by {4} to {9 %}. No run seeks above {95 %} of the bound.",
        "the documentation of kvlib.budget.rates: a standard deviation, by seeds",
        "the documentation of kvlib.budget.rates: a standard deviation, by seeds",
        lambda: NEAREST,
    ),
    (
        "At {2 requests/s} with Azure's spread {74 %} have their token within {2 s}: a goodput of "
        "{1.48 requests/s}.",
        "given: the arrivals of the section",
        lambda: attainment(run(requests=20_000, prompt_spread=AZURE), ttft=2.0),
        "given: the target of the section",
        lambda: goodput(run(requests=20_000, prompt_spread=AZURE), ttft=2.0),
    ),
    (
        "Give the first half's tight service {3 requests/s}, {91.4 %} of its memory bound:",
        lambda: made(PAGE)["memory_traffic"].arrival_rate,
        lambda: 3 / capacity(made(PAGE)["tight"]).memory,
    ),
    (
        "Requests wait {0.87 s} for memory, and hardly elsewhere.",
        lambda: mean(made(PAGE)["held_up"].memory_waits),
    ),
    # Planners
    (
        "Let {2 requests/s} of {1 GiB} cross one link of {0.2 GB/s}. Alone, a hand-off takes "
        "{5.37 s}; so the link sustains {0.186 requests/s}.",
        "given: the arrivals of the section",
        lambda: SLOW.payload_bytes,
        lambda: SLOW.network_rate,
        lambda: transfer_seconds(SLOW.payload_bytes, SLOW.network_rate),
        lambda: capacity(SLOW).network,
    ),
    (
        "It is given away {10.74} times over, and its queue grows by {1.81 requests/s}.",
        lambda: 2 / capacity(SLOW).network,
        lambda: backlog_growth(SLOW, 2.0).network,
    ),
    (
        "sees {5.37 s} each and no queue, at any rate.",
        lambda: transfer_seconds(SLOW.payload_bytes, SLOW.network_rate),
    ),
    (
        "at {25 GB/s} the explorer shows a wait of {0.91 ms}.",
        lambda: TEXT.network_rate,
        lambda: mean(run().network_waits),
    ),
    # Exercises
    (
        "A prefill worker with its own queue needs {1.024 s} for a prompt in the mean. It is "
        "{80 %} busy, arrivals are at random, and the spread is {2.72}.",
        lambda: PREFILL,
        lambda: BUSY,
        lambda: SPREAD,
    ),
    (
        "{0.8} / {0.2} is {4}, half the spread is {1.36}: 4 × 1.36 × {1.024 s} = {5.57 s}. Equal "
        "prompts would wait {2.05 s} at the same bound.",
        lambda: BUSY,
        lambda: 1 - BUSY,
        lambda: ODDS,
        lambda: SPREAD / 2,
        lambda: PREFILL,
        lambda: find("7.7").answer,
        lambda: slip("7.7", "among equal prompts"),
    ),
    (
        "the whole of one link of {10 Gb/s}. It finds no trouble with {1.5 requests/s} of "
        "Llama-3.1-70B, {8,192} tokens each.",
        lambda: ONE_LINK.network_rate,
        lambda: PLANNED,
        lambda: ONE_LINK.prompt_tokens,
    ),
    (
        "A hand-off of {2.5 GiB} takes {2.15 s} of a link that moves {1.25 GB/s}. Times "
        "{1.5 requests/s}: {3.22×}. The link sustains {0.47 requests/s}, and",
        lambda: ONE_LINK.payload_bytes,
        lambda: slip("7.8", "one hand-off's time"),
        lambda: ONE_LINK.network_rate,
        lambda: PLANNED,
        lambda: find("7.8").answer,
        lambda: capacity(ONE_LINK).network,
    ),
    (
        "At {2.64 requests/s} prefill is {90 %} busy. Requests come in bursts, with Azure's "
        "spread, and {95 %} have their first token within {24 s}: the mean of two runs of "
        "{30,000} requests.",
        lambda: FULL.arrival_rate,
        lambda: FULL.arrival_rate / capacity(TEXT).prefill,
        "given: the share of the section on targets",
        full,
        lambda: FULL.requests,
    ),
    (
        "A fourth prefill worker: {6 s}. Arrivals at random bring {11 s}, equal prompts {19 s}, "
        "the link nothing.",
        lambda: full(one_more()),
        lambda: full(arrivals="poisson"),
        lambda: full(prompt_spread=1.0),
    ),
    (
        "if c² of the gaps, {4} in these bursts, stands for the {1} of random arrivals. Busy over "
        "idle falls from {9.1} to {2.1}; the other factor falls from {2.46} to {0.96} without "
        "bursts, to {2.00} with equal prompts.",
        lambda: BURST,
        "given: c² of the gaps of random arrivals",
        lambda: 1 / (capacity(TEXT).prefill / FULL.arrival_rate - 1),
        lambda: 1 / (capacity(one_more()).prefill / FULL.arrival_rate - 1),
        lambda: uneven(BURST, AZURE),
        lambda: uneven(1, AZURE),
        lambda: uneven(BURST, 1),
    ),
    (
        "Eight of {1,024} requests, as in the explorer, give {9.8} to {24.5 s} before any "
        "change, by the seed. In {3} of the eight, equal prompts come out worse.",
        lambda: REQUESTS,
        lambda: min(short()),
        lambda: max(short()),
        lambda: sum(a < b for a, b in zip(short(), short(prompt_spread=1.0), strict=True)),
    ),
    (
        "here its bound is {6.25 requests/s}.",
        lambda: capacity(one_more()).decode,
    ),
    # Key points
    (
        "how full, times how uneven, times how long: {2.15} × {0.5} × {1.024 s}.",
        lambda: EACH * PREFILL / (1 - EACH * PREFILL),
        lambda: 1 / 2,
        lambda: PREFILL,
    ),
    # Questions
    (
        "Mean wait before one prefill worker: {80 %} busy, spread {2.72}.",
        lambda: BUSY,
        lambda: SPREAD,
    ),
    (
        "That multiplies by {80 %} alone.",
        lambda: slip("7.7", "multiplies by") / (SPREAD / 2 * PREFILL),
    ),
    (
        "The first is {0.8} / {0.2}, the second half the spread, the third {1.024 s}.",
        lambda: BUSY,
        lambda: 1 - BUSY,
        lambda: PREFILL,
    ),
    (
        "does the planner give the link of {10 Gb/s} away?",
        lambda: ONE_LINK.network_rate,
    ),
    (
        "Gb/s counts bits: the link moves {1.25 GB/s}.",
        lambda: ONE_LINK.network_rate,
    ),
    (
        "That counts {2.5 GiB} as {2.5 GB}.",
        lambda: ONE_LINK.payload_bytes,
        lambda: slip("7.8", "powers of ten") * ONE_LINK.network_rate / PLANNED,
    ),
    (
        "The book's example has {32} layers, this model has {80}.",
        lambda: TEXT.model.layers,
        lambda: ONE_LINK.model.groups[0].layers,
    ),
    (
        "{2.5 GiB} at {1.25 GB/s} is {2.15 s} of the link, and {1.5 requests/s} ask for it.",
        lambda: ONE_LINK.payload_bytes,
        lambda: ONE_LINK.network_rate,
        lambda: ONE_LINK.payload_bytes / ONE_LINK.network_rate,
        lambda: PLANNED,
    ),
    (
        "Prefill is {90 %} busy. Which change",
        lambda: FULL.arrival_rate / capacity(TEXT).prefill,
    ),
    (
        "From {24 s} to {11 s}. A burst",
        full,
        lambda: full(arrivals="poisson"),
    ),
    (
        "From {24 s} to {19 s}. The bursts",
        full,
        lambda: full(prompt_spread=1.0),
    ),
    (
        "From {24 s} to {6 s}. Prefill is then {68 %} busy: busy over idle falls from {9.1} to "
        "{2.1}, and",
        full,
        lambda: full(one_more()),
        lambda: FULL.arrival_rate / capacity(one_more()).prefill,
        lambda: 1 / (capacity(TEXT).prefill / FULL.arrival_rate - 1),
        lambda: 1 / (capacity(one_more()).prefill / FULL.arrival_rate - 1),
    ),
    (
        "a link of {400 Gb/s} Half of {42.95 ms} is nothing",
        "given: a choice of exercise 7.9",
        lambda: transfer_seconds(TEXT.payload_bytes, TEXT.network_rate),
    ),
    (
        "Busy over idle is {9.1}; work it out for four workers. In bursts a {4} stands where "
        "random arrivals have the {1} of 1 + c², and Azure's c² is {0.92}.",
        lambda: 1 / (capacity(TEXT).prefill / FULL.arrival_rate - 1),
        lambda: BURST,
        "given: c² of the gaps of random arrivals",
        lambda: AZURE - 1,
    ),
]
