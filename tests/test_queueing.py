"""Queueing. Oracles: closed forms within three standard errors of seeded runs, an independent
simulation request by request (exact, on fractions), areas under the queue, and public traces.
"""

import math
import operator
import os
import statistics
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import simulated

from kvlib.apps import defaults, find
from kvlib.apps import run as run_app
from kvlib.budget import Service, Traffic, backlog, backlog_growth, capacity, highest_rate, serve
from kvlib.budget.traffic import whole_lengths
from kvlib.hits import PUBLISHED, read_trace
from kvlib.payload import payload_bytes
from kvlib.queueing import (
    STAGES,
    Requests,
    Stations,
    attainment,
    bursty,
    equal,
    erlang_c,
    exponential,
    goodput,
    little,
    lognormal,
    md1_wait,
    mean,
    mg1_wait,
    mm1_wait,
    mmc_wait,
    percentile,
    poisson,
    present,
    present_steps,
    ps_time,
    replayed,
    resampled,
    simulate,
    steady,
    strata,
    waiting,
    waiting_steps,
)
from kvlib.queueing.simulate import flow
from kvlib.units import GB, GB_s, Gbit_s, GiB, ms, parse
from kvlib.wording import time as printed
from kvlib.workbench import Setup, report

RUNS, LONG = 12, 3_200


def agrees(samples, wanted, errors=3):
    """Return nothing if the mean of independent samples is within three standard errors."""
    error = statistics.stdev(samples) / math.sqrt(len(samples))
    found = statistics.fmean(samples)
    assert abs(found - wanted) <= errors * error, (found, wanted, error)
    assert error < 0.1 * wanted  # or the test could not fail


def settled(values):
    """Return what came after the first quarter, which an empty start makes quicker."""
    return statistics.fmean(values[len(values) // 4 :])


# ---------------------------------------------------------------- closed forms

LAWS = {  # the link's law, how it serves, and its mean wait and time in the link at 0.6 used
    "M/M/1": ("exponential", "one at a time", mm1_wait(0.6, 1.0), 1.0),
    "M/D/1": ("equal", "one at a time", md1_wait(0.6, 1.0), 1.0),
    "M/G/1, spread 2.72": ("lognormal", "one at a time", mg1_wait(0.6, 1.0, 2.72), 1.0),
    "M/D/1-PS": ("equal", "shared", 0.0, ps_time(0.6, 1.0)),
    "M/M/1-PS": ("exponential", "shared", 0.0, ps_time(0.6, 1.0)),
    "M/G/1-PS, spread 2.72": ("lognormal", "shared", 0.0, ps_time(0.6, 1.0)),
}
DRAWS = {
    "exponential": exponential,
    "equal": lambda count, mean, seed: equal(count, mean),
    "lognormal": lambda count, mean, seed: lognormal(count, mean, spread=2.72, seed=seed),
}


@pytest.mark.parametrize(("law", "link", "wait", "stay"), LAWS.values(), ids=LAWS)
def test_the_stages_agree_with_their_closed_forms(law, link, wait, stay):
    found = {"prefill": [], "link wait": [], "transfer": [], "decode": [], "number": []}
    first = 1_000 * (1 + sorted(map(str, LAWS.values())).index(str((law, link, wait, stay))))
    stations = Stations(prefill_servers=3, decode_servers=5, link=link)
    for seed in range(first, first + RUNS):
        requests = Requests(
            arrivals=poisson(LONG, 0.6, seed=seed),
            prefill=exponential(LONG, 3.5, seed=seed + 100),
            transfer=DRAWS[law](LONG, 1.0, seed=seed + 200),
            decode=exponential(LONG, 5.0, seed=seed + 300),
        )
        run = simulate(requests, stations)
        found["prefill"].append(settled(run.prefill_waits))
        found["link wait"].append(settled(run.network_waits))
        found["transfer"].append(settled(run.transfers))
        found["decode"].append(settled(run.decode_waits))
        stays = map(operator.sub, run.prefill_ends, run.arrivals)
        found["number"].append(sum(stays) / run.prefill_ends[-1])  # the area under the queue
    agrees(found["prefill"], mmc_wait(0.6, 3.5, 3))
    agrees(found["number"], little(0.6, 3.5 + mmc_wait(0.6, 3.5, 3)))
    if link == "one at a time":  # Burke: what leaves M/M/c is Poisson, so the link sees Poisson
        agrees(found["link wait"], wait)
    else:
        assert set(found["link wait"]) == {0.0}
        agrees(found["transfer"], stay)
    if law == "exponential" or link == "shared":  # quasi-reversible: so does decode
        agrees(found["decode"], mmc_wait(0.6, 5.0, 5))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_wait_grows_with_the_spread_of_the_published_traces(name):
    spread, ratios = PUBLISHED[name].input_spread, []
    still = [0.0] * LONG
    for seed in range(RUNS):
        arrivals = poisson(LONG, 0.5, seed=seed)
        lengths = lognormal(LONG, 1.0, spread=spread, seed=50 + seed)
        waits = []
        for transfer in (lengths, equal(LONG, 1.0)):
            work = Requests(arrivals=arrivals, prefill=still, transfer=transfer, decode=still)
            waits.append(mean(simulate(work, Stations()).network_waits))
        ratios.append(waits[0] / waits[1])
    agrees(ratios, mg1_wait(0.5, 1.0, spread) / md1_wait(0.5, 1.0))
    assert mg1_wait(0.5, 1.0, spread) / md1_wait(0.5, 1.0) == pytest.approx(spread)


def test_closed_forms_are_one_family():
    for rate in (0.1, 0.5, 0.9, 0.99):
        assert mg1_wait(rate, 1.0, 2) == pytest.approx(mm1_wait(rate, 1.0))
        assert mg1_wait(rate, 1.0, 1) == pytest.approx(md1_wait(rate, 1.0))
        assert mmc_wait(rate, 1.0, 1) == pytest.approx(mm1_wait(rate, 1.0))
        assert ps_time(rate, 1.0) == pytest.approx(1.0 + mm1_wait(rate, 1.0))
    # Erlang's C as he wrote it, with factorials
    for servers, load in ((2, 1.2), (5, 4.5), (10, 2.5)):
        terms = [load**k / math.factorial(k) for k in range(servers)]
        last = load**servers / math.factorial(servers) * servers / (servers - load)
        assert erlang_c(servers, load) == pytest.approx(last / (sum(terms) + last))
    # DistServe's equation 1: TTFT = D + R·D² / (2 · (1 - R·D))
    rate, d = 2.0, 0.3
    assert d + md1_wait(rate, d) == pytest.approx(d + rate * d * d / (2 * (1 - rate * d)))
    assert mmc_wait(0, 1.0, 3) == ps_time(0, 0) == 0
    assert erlang_c(1_000_000, 999_000.0) < 1


def test_closed_forms_take_arrays():
    np = pytest.importorskip("numpy")
    rates = np.array([0.1, 0.5, 0.9])
    for form in (mm1_wait, md1_wait, ps_time, little):
        assert list(form(rates, 1.0)) == [form(float(rate), 1.0) for rate in rates]
    assert list(mg1_wait(rates, 1.0, 2.72)) == [mg1_wait(float(r), 1.0, 2.72) for r in rates]
    assert list(erlang_c(3, rates)) == [erlang_c(3, float(r)) for r in rates]
    with pytest.raises(ValueError, match=r"^mm1_wait: utilisation must be below 1, got 1\.0"):
        mm1_wait(np.array([0.1, 1.0]), 1.0)


# ---------------------------------------------------------------- request by request

whole = st.integers(0, 12)


@st.composite
def small_cases(draw):
    """Columns of fractions, with many ties, and stations."""
    count = draw(st.integers(1, 12))
    gaps = draw(st.lists(st.integers(0, 6), min_size=count, max_size=count))
    arrivals, now = [], Fraction(0)
    for gap in gaps:
        now += gap
        arrivals.append(now)
    columns = [
        [Fraction(n) for n in draw(st.lists(whole, min_size=count, max_size=count))]
        for _ in range(3)
    ]
    early = delay = None
    if draw(st.booleans()):  # of the shorter, how much the hand-off begins before prefill ends
        parts = draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
        works = zip(parts, *columns[:2], strict=True)
        early = [min(a, b) * Fraction(part, 4) for part, a, b in works]
    if draw(st.booleans()):
        delay = [Fraction(n) for n in draw(st.lists(whole, min_size=count, max_size=count))]
    memory = draw(st.none() | st.integers(1, 12))
    held = draw(st.lists(st.integers(1, memory or 9), min_size=count, max_size=count))
    stations = Stations(
        prefill_servers=draw(st.integers(1, 4)),
        decode_servers=draw(st.integers(1, 4)),
        link=draw(st.sampled_from(("one at a time", "shared"))),
        memory=memory,
    )
    return arrivals, *columns, held, stations, early, delay


@settings(max_examples=110)
@given(small_cases())
def test_every_request_fares_as_in_an_independent_simulation(case):
    found = list(zip(*flow(*case), strict=True))
    assert found == [tuple(row) for row in simulated(*case, start=Fraction(0))]


def recorded(case):
    """Return the run of a case whose fractions are floats: halves and quarters are exact."""
    *columns, held, stations, early, delay = case
    names = ("arrivals", "prefill", "transfer", "decode", "early", "delay")
    named = zip(names, (*columns, early, delay), strict=True)
    floats = {name: None if v is None else list(map(float, v)) for name, v in named}
    return simulate(Requests(held=held, **floats), stations)


@settings(max_examples=60)
@given(small_cases())
def test_floats_and_the_record_say_the_same(case):
    columns, stations = case[:4], case[5]
    run, exact = recorded(case), flow(*case)
    assert all(min(run.waits(stage)) >= 0 for stage in STAGES)
    fields = ("prefill_starts", "prefill_ends", "reserved", "network_starts", "network_ends")
    if stations.link == "one at a time":  # whole numbers stay whole
        for name, values in zip((*fields, "decode_starts"), exact, strict=True):
            assert list(getattr(run, name)) == values
        return
    for name, values in zip(fields[:3], exact, strict=False):
        if stations.memory is None:
            assert list(getattr(run, name)) == values
    spent = sum(run.transfers)
    assert spent >= float(sum(columns[2])) * (1 - 1e-9)  # nobody is faster than alone


def test_a_long_random_run_equals_the_independent_simulation():
    count = 400
    columns = (
        bursty(count, 0.5, variation=6, seed=3),
        lognormal(count, 3.0, spread=2.72, seed=4),
        exponential(count, 1.6, seed=5),
        exponential(count, 12.0, seed=6),
    )
    held = [1 + i % 5 for i in range(count)]
    early = [min(a, b) / 2 for a, b in zip(*columns[1:3], strict=True)]
    delay = exponential(count, 2.0, seed=7)
    for link in ("one at a time", "shared"):
        for memory in (None, 24):
            stations = Stations(prefill_servers=2, decode_servers=7, link=link, memory=memory)
            case = (*columns, held, stations, early, delay)
            rows = simulated(*case, start=0.0)
            for values, others in zip(flow(*case), zip(*rows, strict=True), strict=True):
                assert values == pytest.approx(others, rel=1e-9)


# ---------------------------------------------------------------- laws


@settings(max_examples=60)
@given(small_cases())
def test_order_and_work_are_kept(case):
    arrivals, prefill, transfer, decode, held, stations, early, delay = case
    starts, ends, reserved, sending, sent, decoding = flow(*case)
    still = [0] * len(arrivals)
    ready = list(map(operator.sub, ends, early or still))
    there = list(map(operator.add, sent, delay or still))
    for i, arrival in enumerate(arrivals):
        way = (starts[i], ready[i], reserved[i], sending[i], sent[i], there[i], decoding[i])
        assert [arrival, *way] == sorted([arrival, *way])
        assert ends[i] - starts[i] == prefill[i] and ends[i] <= sent[i]
    if stations.link == "one at a time":
        assert all(b - a == s for a, b, s in zip(sending, sent, transfer, strict=True))
    done = [a + b for a, b in zip(decoding, decode, strict=True)]
    for reach, serve_at in (
        (arrivals, starts),
        (ready, reserved),
        (ready, sending),
        (there, decoding),
    ):
        pairs = sorted(zip(reach, serve_at, strict=True))  # of equal ones the first served first
        served = [time for _, time in pairs]
        assert served == sorted(served)  # first come, first served
    busy = (
        (arrivals, starts, ends, stations.prefill_servers),
        (there, decoding, done, stations.decode_servers),
    )
    for reach, begin, end, servers in busy:  # nobody waits while a server is idle
        for i, time in enumerate(begin):
            if time > reach[i]:
                just_before = sum(b < time <= e for b, e in zip(begin, end, strict=True))
                assert just_before == servers
    if stations.memory is not None:
        for time in reserved:
            now = sum(h for h, a, b in zip(held, reserved, done, strict=True) if a <= time < b)
            assert now <= stations.memory


@settings(max_examples=60)
@given(small_cases(), st.integers(1, 5))
def test_a_faster_link_or_later_arrivals_never_end_a_request_later(case, factor):
    arrivals, prefill, transfer, decode, held, stations, early, _ = case
    stations = replace(stations, link="one at a time")
    slow = flow(arrivals, prefill, transfer, decode, held, stations, early)
    faster = [seconds / factor for seconds in transfer]
    fast = flow(arrivals, prefill, faster, decode, held, stations, early)
    assert all(a <= b for a, b in zip(fast[-1], slow[-1], strict=True))
    roomy = flow(arrivals, prefill, transfer, decode, held, replace(stations, memory=None), early)
    assert all(a <= b for a, b in zip(roomy[-1], slow[-1], strict=True))


@settings(max_examples=40)
@given(small_cases(), st.integers(4, 40))
def test_areas_under_the_queues_are_the_sums_of_the_waits(case, points):
    run = recorded(case)

    def area(steps):
        ends = [time for time, _ in steps[1:]] + [steps[-1][0]]
        return sum((end - time) * n for (time, n), end in zip(steps, ends, strict=True))

    for stage in STAGES:  # Little: an identity on a run that ends empty
        steps = waiting_steps(run, stage)
        assert steps[-1][1] == 0 and area(steps) == pytest.approx(sum(run.waits(stage)), abs=1e-6)
        for time, number in steps:
            assert waiting(run, stage, time) == number
    steps = present_steps(run, "system")
    assert area(steps) == pytest.approx(sum(run.latencies), abs=1e-6)
    thin = present_steps(run, "system", points)
    assert len(thin) <= points and set(thin) <= set(steps)
    assert max(n for _, n in thin) == max(n for _, n in steps)
    assert (thin[0], thin[-1]) == (steps[0], steps[-1])


def test_many_steps_are_thinned_and_keep_their_peak():
    run = serve(Service(), Traffic(arrival_rate=2.9, requests=3_000), seed=4)
    steps, thin = present_steps(run, "system", 10_000), present_steps(run, "system", 100)
    assert len(steps) > 4_000 and 50 < len(thin) <= 100
    assert [time for time, _ in thin] == sorted(time for time, _ in thin)
    assert max(n for _, n in thin) == max(n for _, n in steps)
    apart = [b - a for (a, _), (b, _) in pairwise(thin)]
    assert max(apart) < 3 * run.seconds / 49  # spread over the whole run


# ---------------------------------------------------------------- what is drawn


def test_draws_have_the_moments_that_are_asked():
    count = 20_000
    for values, spread in (
        (exponential(count, 3.0, seed=1), 2),
        (lognormal(count, 3.0, spread=1.93, seed=2), 1.93),
        (resampled(count, [1.5, 4.5], seed=3), 1.25),
    ):
        assert mean(values) == pytest.approx(3.0, rel=0.03)
        square = statistics.fmean(value * value for value in values)
        assert square / 9 == pytest.approx(spread, rel=0.08)
    for variation, times in (
        (0, steady(count, 4.0)),
        (1, poisson(count, 4.0, seed=4)),
        (4, bursty(3 * count, 4.0, variation=4, seed=5)),
        (9, bursty(count, 4.0, variation=9, seed=6)),
    ):
        gaps = [b - a for a, b in zip([0.0, *times], times, strict=False)]
        error = math.sqrt(variation / len(gaps))  # of the mean, relative
        assert mean(gaps) == pytest.approx(0.25, rel=3 * error + 1e-9)
        assert statistics.pvariance(gaps) * 16 == pytest.approx(variation, rel=0.12, abs=1e-9)
    assert poisson(50, 1.0, seed=1) != poisson(50, 1.0, seed=2)
    twice = [time / 2 for time in poisson(50, 1.0, seed=1)]
    assert poisson(50, 2.0, seed=1) == pytest.approx(twice)  # the same gaps at another rate


@settings(max_examples=40)
@given(st.integers(4, 64), st.floats(1, 3), st.floats(0.01, 1e6))
def test_strata_have_exactly_their_mean_and_spread(count, spread, wanted):
    values = strata(count, wanted, spread)
    assert math.fsum(values) / count == pytest.approx(wanted, rel=1e-12)
    square = math.fsum(value * value for value in values) / count
    assert square / wanted**2 == pytest.approx(spread, rel=1e-6)
    assert list(values) == sorted(values)


@settings(max_examples=50)
@given(st.integers(1, 10**9), st.floats(1, 8))
def test_whole_lengths_have_exactly_their_mean(wanted, spread):
    lengths = whole_lengths(wanted, spread)
    assert sum(lengths) == wanted * len(lengths) and min(lengths) >= 1
    if wanted >= 500:
        square = sum(n * n for n in lengths) / len(lengths) / wanted**2
        assert square == pytest.approx(spread, rel=0.01)


def test_percentiles_are_values_that_occurred():
    values = [float(n) for n in range(100, 0, -1)]
    for part in range(1, 101):  # 0.07 · 100 is 7.000000000000001
        assert percentile(values, part / 100) == part
    assert percentile(values, 0) == 1 and percentile([5], 1) == 5


# ---------------------------------------------------------------- a service and its traffic


def test_a_link_slower_than_the_load_is_seen():
    service = Service(network_rate=0.2 * GB_s)
    run = serve(service, Traffic(arrival_rate=2.0, requests=1_000), seed=1)
    assert run.throughput <= 0.2e9 / 2**30 < 0.1863
    queue = [waiting(run, "network", seconds) for seconds in (100, 200, 300, 400)]
    assert queue == pytest.approx([181.4, 362.7, 544.1, 725.5], rel=0.12)
    assert queue == sorted(queue)
    # each hand-off with a link of its own: as many servers as requests, and no queue at all
    alone = replace(service, prefill_workers=3)
    work = Requests(
        arrivals=run.arrivals,
        prefill=[payload_bytes(alone.model, 8_192) / alone.network_rate] * 1_000,
        transfer=[0.0] * 1_000,
        decode=[0.0] * 1_000,
    )
    apart = simulate(work, Stations(prefill_servers=1_000))
    assert max(apart.prefill_waits) == 0 and apart.throughput > 1.8
    shared = serve(service, Traffic(arrival_rate=2.0, requests=1_000, link="shared"), seed=1)
    assert shared.throughput <= 0.2e9 / 2**30
    assert present(shared, "network", 400) == pytest.approx(725.5, rel=0.12)


OVERLOADED = {  # a service, the stage that gives way first, and a batch
    "prefill": (Service(), 32),
    "network": (Service(network_rate=2 * GB_s), 32),
    "decode": (Service(output_tokens=2_048), 4),
    "memory": (Service(decode_memory=60 * GB, decode_seconds=99.84), 156),
}


@pytest.mark.parametrize(("stage", "case"), OVERLOADED.items(), ids=OVERLOADED)
def test_over_the_bound_the_queue_grows_as_the_budget_says(stage, case):
    service, batch = case
    bounds, rate = capacity(service), 4.0
    assert bounds.first == stage
    grown = []
    for seed in range(4):
        traffic = Traffic(arrival_rate=rate, requests=3_000, batch=batch)
        run = serve(service, traffic, seed=seed)
        early, late = 300.0, 700.0
        at = [sum(waiting(run, s, t) for s in STAGES) for t in (early, late)]
        grown.append((at[1] - at[0]) / (late - early))
        assert 2_000 / run.completions[1_999] < bounds.limit * 1.03
    agrees(grown, backlog_growth(service, rate).total)


def test_a_steady_overload_meets_the_arithmetic_to_a_request():
    run = serve(Service(), Traffic(arrival_rate=4.0, requests=600, arrivals="steady"), seed=0)
    for seconds in (20.0, 60.0, 120.0):
        wanted = backlog(Service(), 4.0, seconds)
        # the workers fill first, and each takes a whole request at a time
        assert abs(present(run, "prefill", seconds) - wanted - 1.5) <= 3
    assert waiting(run, "network", 60.0) == waiting(run, "decode", 60.0) == 0


def test_memory_is_little_s_law():
    service = Service(decode_memory=60 * GB, decode_seconds=99.84)
    traffic = Traffic(arrival_rate=8.0, arrivals="steady", requests=3_000, batch=156)
    run = serve(replace(service, prefill_workers=4), traffic, seed=1)
    held = present(run, "memory", 500.0) - waiting(run, "memory", 500.0)
    assert held == 4 * 52  # full: not a request more
    rates = [n / run.completions[n - 1] for n in (1_000, 2_000)]
    bound = capacity(replace(service, prefill_workers=4)).memory
    assert all(rate < bound for rate in rates) and rates[1] == pytest.approx(bound, rel=0.1)


def test_one_token_takes_a_slot_its_share_of_the_worker():
    for batch in (1, 8, 32):
        run = serve(Service(), Traffic(arrival_rate=1.0, batch=batch, requests=50), seed=1)
        assert run.per_token == pytest.approx([batch / 800] * 50)


def test_lengths_of_a_run_are_those_of_the_service():
    traffic = Traffic(arrival_rate=1.0, requests=4_000, prompt_spread=2.72, output_spread=1.9)
    run = serve(Service(), traffic, seed=3)
    work = [end - start for start, end in zip(run.prefill_starts, run.prefill_ends, strict=True)]
    lengths = {round(seconds * 8_000) for seconds in work}
    assert lengths == set(whole_lengths(8_192, 2.72)) and len(lengths) <= 64
    for seconds, transfer in zip(work, run.transfers, strict=True):
        tokens = round(seconds * 8_000)
        assert transfer == pytest.approx(payload_bytes(Service().model, tokens) / 25e9)
    assert mean(run.outputs) == pytest.approx(512, rel=0.05)


@pytest.mark.parametrize("link", ["one at a time", "shared"])
def test_the_highest_rate_keeps_the_target_and_is_the_highest(link):
    traffic = Traffic(arrival_rate=1.0, prompt_spread=1.92, link=link)
    service, before = Service(), 0.0
    for ttft in (4.0, 6.0, 12.0):
        found = highest_rate(service, traffic, ttft=ttft, seed=2)
        assert before < found <= 0.95 * capacity(service).limit
        for rate, side in ((found * 0.98, True), (found * 1.03, False)):
            late = replace(traffic, arrival_rate=rate, requests=1_280)
            run = serve(service, late, seed=2)
            assert (percentile(run.ttft[320:], 0.95) <= ttft) is side
        before = found
    strict = highest_rate(service, traffic, ttft=6.0, quantile=0.99, seed=2)
    assert strict < highest_rate(service, traffic, ttft=6.0, quantile=0.5, seed=2)


def test_the_highest_rate_at_its_ends():
    traffic, service = Traffic(arrival_rate=1.0), Service()
    alone = 8_192 / 8_000 + GiB / 25e9
    assert highest_rate(service, traffic, ttft=alone * 0.999, seed=1) == 0
    assert highest_rate(service, traffic, ttft=alone * 1.001, seed=1) > 0
    most = 0.95 * 3 * 8_000 / 8_192
    even = replace(traffic, arrivals="steady")  # nobody waits at any rate below the bound
    assert highest_rate(service, even, ttft=alone * 1.001, seed=1) == pytest.approx(most)
    for per_token, wanted in ((0.039, 0), (0.041, most)):  # 32 / 800 is 0.04 s
        found = highest_rate(service, traffic, ttft=1e9, per_token=per_token, seed=1)
        assert found == pytest.approx(wanted)


BEYOND = {  # what a run at its bound would not notice: lenient targets, a memory with room
    "20 s": (Service(), {}, 20.0),
    "for ever": (Service(), {}, 1e9),
    "memory": (Service(decode_memory=4 * GB, decode_seconds=20.48), {}, 60.0),
    "shared": (Service(network_rate=2e9), {"link": "shared"}, 60.0),
    "wild": (Service(), {"arrivals": "bursty", "prompt_spread": 2.72, "output_spread": 2.72}, 30.0),
}


@pytest.mark.parametrize(("service", "how", "ttft"), BEYOND.values(), ids=BEYOND)
def test_no_run_claims_what_it_is_too_short_to_know(service, how, ttft):
    traffic = Traffic(arrival_rate=1.0, requests=512, **how)
    for seed in (1, 2):
        found = highest_rate(service, traffic, ttft=ttft, seed=seed)
        assert found <= 0.95 * capacity(service).limit * (1 + 1e-9)


@pytest.mark.parametrize("quantile", [0.9, 0.95, 0.99, 1.0])
def test_a_small_answer_is_as_sharp_as_a_large_one(quantile):
    traffic, service = (
        Traffic(arrival_rate=1.0, requests=512),
        Service(workers=2, prefill_workers=1),
    )
    ttft = 1.001 * (8_192 / 8_000 + GiB / 25e9)  # hardly anybody may wait
    found = highest_rate(service, traffic, ttft=ttft, quantile=quantile, seed=3)
    assert 0 < found < 0.2 * capacity(service).limit
    for rate, side in ((found, True), (found * 1.023, False)):
        run = serve(service, replace(traffic, arrival_rate=rate), seed=3)
        assert (percentile(run.ttft[128:], quantile) <= ttft) is side


def test_a_wider_spread_or_burstier_arrivals_cost_rate():
    def found(**changes):
        traffic = Traffic(arrival_rate=1.0, **changes)
        seeds = range(4)
        return mean([highest_rate(Service(), traffic, ttft=8.0, seed=seed) for seed in seeds])

    assert found(arrivals="steady") > found() > found(arrivals="bursty")
    assert found() > found(prompt_spread=1.92) > found(prompt_spread=2.72)


@settings(max_examples=40)
@given(
    st.sampled_from((1e-6, 0.5, 3.0, 1e9)),
    st.sampled_from(("poisson", "steady", "bursty")),
    st.sampled_from(("one at a time", "shared")),
    st.sampled_from((1.0, 2.72, 8.0)),
    st.sampled_from((1, 32, 100_000)),
    st.sampled_from((1, 8_192, 10**9)),
    st.sampled_from((1, 512, 10**9)),
    st.booleans(),
    st.sampled_from((None, 0, 1e-9, 3, 1e11)),
)
def test_every_traffic_that_is_allowed_comes_to_an_end(
    rate, arrivals, link, spread, batch, prompt, output, bounded, exposed
):
    memory = {"decode_memory": 10**16, "decode_seconds": 1.0} if bounded else {}
    service = Service(prompt_tokens=prompt, output_tokens=output, **memory)
    traffic = Traffic(
        arrival_rate=rate,
        requests=40,
        arrivals=arrivals,
        prompt_spread=spread,
        output_spread=spread,
        link=link,
        batch=batch,
        exposed_seconds=exposed,
    )
    run = serve(service, traffic, seed=1)
    assert min(run.latencies) > 0 and math.isfinite(run.seconds)
    assert 0 <= highest_rate(service, traffic, ttft=5.0, seed=1) < math.inf


def test_goodput_counts_what_meets_both_targets():
    requests = Requests(
        arrivals=[0, 0, 0], prefill=[1, 1, 1], transfer=[0] * 3, decode=[4, 2, 1], outputs=[2] * 3
    )
    run = simulate(requests, Stations(decode_servers=3))
    assert (run.ttft, run.per_token, run.seconds) == ((1, 2, 3), (2, 1, 0.5), 5)
    assert run.prefill_ttft == (1, 2, 3)
    assert attainment(run, ttft=2) == 2 / 3 and goodput(run, ttft=2) == 2 / 5
    assert attainment(run, ttft=2, per_token=1) == 1 / 3
    assert goodput(run, ttft=2, per_token=1) == pytest.approx(run.throughput / 3)


@settings(max_examples=30)
@given(
    st.floats(0.2, 30),
    st.floats(0.5, 1_000),
    st.sampled_from((Service(), Service(network_rate=1e9), Service(output_tokens=8_192))),
    st.sampled_from(("one at a time", "shared")),
    st.integers(1, 300),
)
def test_goodput_while_requests_come_is_never_above_the_bound(rate, ttft, service, link, count):
    traffic = Traffic(arrival_rate=rate, requests=count, arrivals="steady", link=link)
    run = serve(service, traffic, seed=1)
    end = run.arrivals[-1]
    found = goodput(run, ttft=ttft, until=end)
    for pool in ("prefill", "network"):  # who decodes at the end has a first token, and is not done
        assert found <= getattr(capacity(service), pool) * (1 + 1e-9)
    good = [t for t, a in zip(run.decode_starts, run.arrivals, strict=True) if t - a <= ttft]
    assert found == sum(t <= end for t in good) / end
    assert found <= attainment(run, ttft=ttft) * rate * (1 + 1e-9)


def test_goodput_until_the_last_arrival_leaves_out_what_is_served_later():
    run = serve(Service(), Traffic(arrival_rate=4.0), seed=1)
    assert attainment(run, ttft=1_000) == 1
    found = goodput(run, ttft=1_000, until=run.arrivals[-1])
    assert 0.97 * capacity(Service()).limit < found <= capacity(Service()).limit


# ---------------------------------------------------------------- a hand-off in pieces

PIECES = {  # of a Setup: exposed less than the link's time, as much, and more
    "whole": {},
    "hidden": {"pieces": 32, "link_rate": 2 * Gbit_s},
    "hidden, at a cost": {"pieces": 16, "piece_seconds": 0.5 * ms, "link_rate": 20 * Gbit_s},
    "all cost": {"pieces": 64, "piece_seconds": 20 * ms},
    "after prefill": {"pieces": 64, "piece_seconds": 2 * ms, "overlap": False},
    "pages and hits": {"pieces": 8, "prompt_tokens": 5_001, "source_hit": 4_096, "share": 0.3},
    "whole, at a cost": {"piece_seconds": 30 * ms, "efficiency": 0.7},
}


@pytest.mark.parametrize("link", ["one at a time", "shared"])
@pytest.mark.parametrize("changes", PIECES.values(), ids=PIECES)
def test_alone_a_request_fares_as_its_report_says(changes, link):
    found = report(Setup(**changes))
    memory = replace(found.service, decode_memory=60 * GB, decode_seconds=30.0)
    traffic = Traffic(arrival_rate=1e-3, requests=3, link=link, arrivals="steady")
    traffic = replace(traffic, exposed_seconds=found.exposed_seconds)
    for service in (found.service, memory):
        run = serve(service, traffic, seed=1)
        wanted = [found.prefill_seconds + found.exposed_seconds] * 3
        assert run.ttft == pytest.approx(wanted, rel=1e-9)
        assert run.transfers == pytest.approx([1 / found.capacity.network] * 3, rel=1e-9)
        assert max(map(max, map(run.waits, STAGES))) < 1e-9
    # many at once: what costs no link time does not slow it, and what is hidden does not speed it
    crowd = replace(traffic, arrival_rate=1e4, requests=400)
    pool = replace(found.service, workers=5_000, prefill_workers=4_000)
    run = serve(pool, crowd, seed=1)
    busy = max(run.network_ends) - min(run.network_starts)
    assert 400 / busy == pytest.approx(found.capacity.network, rel=1e-9)


def test_a_hand_off_in_pieces_goes_with_its_length():
    found = report(Setup(**PIECES["hidden"]))
    exposed, link = found.exposed_seconds, 1 / found.capacity.network
    traffic = Traffic(arrival_rate=1e-3, requests=64, prompt_spread=2.0, arrivals="steady")
    run = serve(found.service, replace(traffic, exposed_seconds=exposed), seed=1)
    for ready, end, start, spent in zip(
        run.ready, run.prefill_ends, run.prefill_starts, run.transfers, strict=True
    ):
        assert end - ready == pytest.approx(
            min(end - start, spent * (1 - exposed / link)), rel=1e-6
        )
    late = serve(found.service, replace(traffic, exposed_seconds=2 * link), seed=1)
    delays = map(operator.sub, late.delivered, late.network_ends)
    assert list(delays) == pytest.approx(late.transfers, rel=1e-6)
    equal = replace(traffic, prompt_spread=1.0)
    for seconds, some in ((0, True), (exposed, True), (None, False), (2 * link, False)):
        how = replace(equal, exposed_seconds=seconds)
        assert (highest_rate(found.service, how, ttft=5.0, seed=1) > 0) is some


# ---------------------------------------------------------------- public traces

FOLDER = Path(os.environ.get("KV_TRACES", Path.home() / "kv-traces"))
FILES = {
    "mooncake conversation": "mooncake_conversation.jsonl",
    "azure code": "azure_code_2023.csv",
    "azure conversation": "azure_conversation_2023.csv",
}


@pytest.mark.parametrize("name", FILES)
def test_the_public_traces_run_through_the_stages(name):
    if not (FOLDER / FILES[name]).is_file():
        pytest.skip(f"{FILES[name]} is not at hand: set KV_TRACES to a folder with it")
    trace, moments = read_trace(FOLDER / FILES[name]), PUBLISHED[name]
    prompts = [request.input_tokens for request in trace.requests]
    times = [request.arrival for request in trace.requests]
    work = mean(prompts) / 0.6  # tokens/s of prefill: 60 % used at the trace's rate of 1 a second
    requests = Requests(
        arrivals=replayed(times, rate=1.0),
        prefill=[tokens / work for tokens in prompts],
        transfer=[tokens * 131_072 / 25e9 for tokens in prompts],
        decode=[request.output_tokens * 0.02 for request in trace.requests],
    )
    run = simulate(requests, Stations(decode_servers=1_000))
    assert len(run.completions) == len(prompts)
    assert sum(run.waits("decode")) == 0
    exact, found = md1_wait(1.0, 0.6), mean(run.prefill_waits)
    assert found > exact * moments.input_spread * 0.9  # burstier than Poisson, not smoother
    if name == "azure code":
        assert found > 10 * exact * moments.input_spread


# ---------------------------------------------------------------- bad input

ONE = {"arrivals": [0], "prefill": [1], "transfer": [1], "decode": [1]}
TRAFFIC = Traffic(arrival_rate=1.0)
GROWS = "the queue grows without end"
REFUSED = {
    "Requests: arrivals must be a list, one entry a request, got 3 (int)": lambda: Requests(
        **ONE | {"arrivals": 3}
    ),
    "Requests: number of arrivals must be from 1 to 2,000,000, got 0; simulate a part, or several "
    "seeds": lambda: Requests(**ONE | {"arrivals": []}),
    "Requests: prefill[0] must be at least 0, got -1": lambda: Requests(**ONE | {"prefill": [-1]}),
    "Requests: decode[0] must be finite, got nan": lambda: Requests(**ONE | {"decode": [math.nan]}),
    "Requests: transfer[0] must be a number, got '1' (str)": lambda: Requests(
        **ONE | {"transfer": ["1"]}
    ),
    "Requests: transfer[0] must be a number, got True (bool)": lambda: Requests(
        **ONE | {"transfer": [True]}
    ),
    "Requests: number of decode must be as long as arrivals, 1, got 2": lambda: Requests(
        **ONE | {"decode": [1, 2]}
    ),
    "Requests: arrivals must be in order, got one before its neighbour; sort the requests": (
        lambda: Requests(arrivals=[1, 0], prefill=[1, 1], transfer=[1, 1], decode=[1, 1])
    ),
    "Requests: outputs[0] must be from 1 to 100,000,000,000, got 0": lambda: Requests(
        **ONE, outputs=[0]
    ),
    "Requests: held[0] must be a whole number, got 1.5 (float)": lambda: Requests(
        **ONE, held=[1.5]
    ),
    "Stations: link must be a known name, got 'share'; did you mean 'shared'?": lambda: Stations(
        link="share"
    ),
    "Stations: prefill_servers must be from 1 to 100,000,000,000, got 0": lambda: Stations(
        prefill_servers=0
    ),
    "Requests: early[1] must be at most prefill[1], 1, got 2.0": lambda: Requests(
        arrivals=[0, 0], prefill=[2, 1], transfer=[2, 2], decode=[0, 0], early=[2, 2]
    ),
    "Requests: early[0] must be at most transfer[0], 1, got 2.0": lambda: Requests(
        **ONE | {"prefill": [3]}, early=[2]
    ),
    "Requests: delay[0] must be at least 0, got -1": lambda: Requests(**ONE, delay=[-1]),
    "Requests: number of early must be as long as arrivals, 1, got 2": lambda: Requests(
        **ONE, early=[1, 1]
    ),
    "simulate: stations must be Stations, got 1 (int)": lambda: simulate(Requests(**ONE), 1),
    "simulate: held must be at most the memory of 3, got 4": lambda: simulate(
        Requests(**ONE, held=[4]), Stations(memory=3)
    ),
    "steady: requests must be from 1 to 2,000,000, got 2000001; simulate fewer, or several seeds": (
        lambda: steady(2_000_001, 1.0)
    ),
    "bursty: variation must be at least 1, got 0.5": lambda: bursty(9, 1.0, variation=0.5, seed=1),
    "replayed: times must last some time, got 0.0; leave rate out": lambda: replayed([1, 1], 1.0),
    "strata: spread must be at most 2 here, got 3.0": lambda: strata(2, 1.0, 3),
    f"mm1_wait: utilisation must be below 1, got 1.2; {GROWS}": lambda: mm1_wait(1.2, 1.0),
    f"md1_wait: utilisation must be below 1, got 1.0; {GROWS}": lambda: md1_wait(1, 1.0),
    f"mg1_wait: utilisation must be below 1, got 2.0; {GROWS}": lambda: mg1_wait(2, 1.0, 2),
    f"ps_time: utilisation must be below 1, got 1.5; {GROWS}": lambda: ps_time(3, 0.5),
    f"mmc_wait: load must be below 3, got 3.0; {GROWS}": lambda: mmc_wait(3, 1.0, 3),
    f"erlang_c: load must be below 1, got 1; {GROWS}": lambda: erlang_c(1, 1),
    "mg1_wait: spread must be at least 1, got 0.5": lambda: mg1_wait(0.1, 1.0, 0.5),
    "little: arrival_rate must be at least 0, got -1": lambda: little(-1, 1.0),
    "waits: stage must be a known name, got 'link'; known are prefill, memory, network, decode": (
        lambda: simulate(Requests(**ONE), Stations()).waits("link")
    ),
    "Run: outputs must be given for a time per token, got None": lambda: (
        simulate(Requests(**ONE), Stations()).per_token
    ),
    "Traffic: arrival_rate must be at least 1e-06, got 0": lambda: Traffic(arrival_rate=0),
    "Traffic: arrivals must be a known name, got 'burst'; did you mean 'bursty'?": lambda: Traffic(
        arrival_rate=1, arrivals="burst"
    ),
    "Traffic: prompt_spread must be at most 8, got 9": lambda: Traffic(
        arrival_rate=1, prompt_spread=9
    ),
    "Traffic: exposed_seconds must be at least 0, got -1": lambda: Traffic(
        arrival_rate=1, exposed_seconds=-1
    ),
    "goodput: until must be at least 0, got -1": lambda: goodput(
        simulate(Requests(**ONE), Stations()), ttft=1, until=-1
    ),
    "Traffic: batch must be from 1 to 100,000, got 0": lambda: Traffic(arrival_rate=1, batch=0),
    "serve: service must be a Service, got 1 (int)": lambda: serve(1, TRAFFIC, seed=1),
    "serve: traffic must be Traffic, got 2.0 (float)": lambda: serve(Service(), 2.0, seed=1),
    "serve: seed must be at least 0, got -1": lambda: serve(Service(), TRAFFIC, seed=-1),
    "highest_rate: quantile must be at most 1, got 95": lambda: highest_rate(
        Service(), TRAFFIC, ttft=1.0, quantile=95, seed=1
    ),
}


@pytest.mark.parametrize(("message", "call"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_has_no_meaning_is_refused_in_one_sentence(message, call):
    with pytest.raises((TypeError, ValueError)) as refused:
        call()
    assert str(refused.value) == message


def test_a_service_of_arrays_is_refused():
    np = pytest.importorskip("numpy")
    service = Service(prompt_tokens=np.array([1, 2]))
    with pytest.raises(TypeError) as refused:
        serve(service, TRAFFIC, seed=1)
    assert str(refused.value) == (
        "serve: prompt_tokens must be one number, got an array of int64 (ndarray); "
        "ask for each point by itself"
    )


# ---------------------------------------------------------------- the explorer


def explored(**typed):
    """Return what the explorer of waiting answers."""
    app = find("7.queue")
    return run_app(app, defaults(app) | typed).result


def test_the_explorer_says_where_requests_wait():
    assert explored(comes="steady").sentences[0] == "No request waits."
    slow = {"link": "20 Gb/s"}
    for typed, longest in (({}, "prefill"), (slow, "the link"), ({"arrivals": "4"}, "prefill")):
        found = explored(**typed)
        waits = [row for row in found.numbers if row[0].startswith("mean wait before")]
        worst = max(waits, key=lambda row: parse(row[1]))
        assert worst == (f"mean wait before {longest}", worst[1])
        assert f"{worst[1]} before {longest}" in found.sentences[0]
        assert f"requests before {longest}, up to" in found.picture
    found = explored(**slow, sharing="shared")
    assert "which makes its transfer" in found.sentences[0]
    assert "requests on the link, up to" in found.picture


def test_the_explorer_names_the_bound_and_what_lies_beyond_it():
    for arrivals in ("2.92", "2.94", "4"):
        over = float(arrivals) > capacity(Service()).limit
        said = explored(arrivals=arrivals).sentences[1]
        assert ("sustains 2.93 requests/s and no more" in said) == over
        assert ("is the busiest" in said) != over


def test_the_explorer_shows_the_formula_where_it_holds_and_there_alone():
    one = {"prefill_workers": "1", "arrivals": "0.5", "spread": "2.72"}
    wait = printed(mg1_wait(0.5, 1.024, 2.72))
    said = f"Over an endless run the formula gives {wait} before one prefill worker."
    assert said in explored(**one).sentences
    for other in ({"prefill_workers": "2"}, {"comes": "bursty"}, {"arrivals": "1"}):
        assert not any("formula" in text for text in explored(**one | other).sentences)
