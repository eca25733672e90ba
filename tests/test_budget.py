"""Budget. Oracles: the arithmetic by hand, every split tried, a queue simulated request by
request, and one point at a time against arrays.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.budget import (
    STAGES,
    Capacity,
    Service,
    backlog,
    backlog_growth,
    best_split,
    capacity,
    ideal_ratio,
    splits,
    utilisation,
)
from kvlib.payload import Geometry, Model
from kvlib.units import GB, GB_s, Gbit_s

# ---------------------------------------------------------------- numbers the chapter states


def test_the_example_is_limited_by_prefill():
    found = capacity(Service())
    assert found.prefill == 3 * 8_000 / 8_192
    assert found.decode == 5 * 800 / 512
    assert found.network == 25e9 / 2**30
    assert found.memory is None
    assert [round(x, 2) for _, x in found.given()] == [2.93, 23.28, 7.81]
    assert (found.first, found.limit, found.tied) == ("prefill", found.prefill, ("prefill",))


NEXT_STAGE = {  # what is changed, and the stage that gives way first
    "twice the network": (Service(network_rate=50 * GB_s), "prefill", 2.93),
    "a network of 20 Gb/s": (Service(network_rate=20 * Gbit_s), "network", 2.33),
    "outputs of 2,048 tokens": (Service(output_tokens=2_048), "decode", 1.95),
    "five prefill workers": (Service(prefill_workers=5), "decode", 4.69),
    "one byte an element": (Service(element_bytes=1), "prefill", 2.93),
    "memory for 52 requests, held 100 s": (
        Service(decode_memory=60 * GB, decode_seconds=100.0),
        "memory",
        2.6,
    ),
    "memory for 52 requests, held 10 s": (
        Service(decode_memory=60 * GB, decode_seconds=10.0),
        "prefill",
        2.93,
    ),
}


@pytest.mark.parametrize(("service", "first", "limit"), NEXT_STAGE.values(), ids=NEXT_STAGE)
def test_the_first_stage_depends_on_what_changes(service, first, limit):
    found = capacity(service)
    assert (found.first, round(found.limit, 2)) == (first, limit)


def test_memory_holds_whole_requests_at_full_length():
    service = Service(decode_memory=60 * GB, decode_seconds=10.0)
    assert service.request_bytes == 131_072 * (8_192 + 512) == 1_140_850_688
    assert service.slots == 52
    assert capacity(service).memory == 5 * 52 / 10
    exactly = replace(service, decode_memory=3 * service.request_bytes)
    assert exactly.slots == 3
    assert replace(exactly, decode_memory=exactly.decode_memory - 1).slots == 2


def test_the_best_split_of_eight_is_five_to_three():
    best = best_split(Service())
    assert (best.prefill_workers, best.decode_workers) == (5, 3)
    assert (best.capacity.first, best.capacity.limit) == ("decode", 3 * 800 / 512)
    assert ideal_ratio(Service()) == 1.6
    assert best == splits(Service())[4]
    assert [s.prefill_workers for s in splits(Service())] == [1, 2, 3, 4, 5, 6, 7]


def test_an_overload_grows_where_it_meets_the_first_bound_it_exceeds():
    growth = backlog_growth(Service(), 4.0)
    assert (growth.prefill, growth.network, growth.decode) == (4 - 2.9296875, 0, 0)
    assert backlog(Service(), 4.0, 60.0) == 60 * (4 - 2.9296875)
    assert STAGES[1] == "memory"  # it is reserved before the hand-off
    scarce = Service(decode_memory=60 * GB, decode_seconds=100.0, network_rate=2 * GB_s)
    before = backlog_growth(scarce, 4.0)
    assert (before.prefill, before.memory) == (4 - 2.9296875, 2.9296875 - 2.6)
    assert (before.network, before.decode) == (2.6 - 2e9 / 2**30, 0)
    behind = backlog_growth(Service(output_tokens=2_048), 4.0)
    assert (behind.prefill, behind.decode) == (4 - 2.9296875, 2.9296875 - 1.953125)
    assert backlog_growth(Service(), 2.0).total == backlog(Service(), 2.0, 3600.0) == 0


def test_equal_bounds_are_named_together():
    service = Service(prefill_workers=4, prompt_tokens=512, prefill_rate=800)
    assert capacity(service).tied == ("prefill", "decode")
    assert capacity(service).first == "prefill"
    off = Capacity(prefill=0.1 + 0.2, network=1.0, decode=0.3)  # 0.30000000000000004
    assert (off.tied, off.first, off.first_index) == (("prefill", "decode"), "prefill", 0)
    apart = Capacity(prefill=0.3 + 1e-9, network=1.0, decode=0.3)
    assert apart.tied == ("decode",)
    assert STAGES[apart.first_index] == "decode"
    held = Capacity(prefill=3.0, memory=2.0, network=2.0, decode=3.0)
    assert (held.tied, held.first_index) == (("memory", "network"), 1)


def test_more_workers_than_the_network_can_serve_tie_and_the_fewest_prefill():
    service = Service(workers=100, network_rate=1 * GB_s)
    best = best_split(service)
    assert best.capacity.first == "network"
    assert best.prefill_workers == 1
    assert [s.capacity.limit for s in splits(service)].count(best.capacity.limit) > 90


def test_a_tie_but_for_rounding_goes_to_the_fewest_prefill_workers_too():
    service = Service(prefill_rate=0.7, prompt_tokens=1, network_rate=2.1 * 131_072)
    limits = [split.capacity.limit for split in splits(service)]
    assert limits[2] == 3 * 0.7 < limits[3] == 2.1  # 2.0999999999999996
    assert best_split(service).prefill_workers == 3


# ---------------------------------------------------------------- laws

COUNTS = {
    "prompt_tokens": st.integers(1, 1_000_000),
    "output_tokens": st.integers(1, 100_000),
    "element_bytes": st.integers(1, 4),
}
POSITIVE = {
    "prefill_rate": st.floats(1, 1e6),
    "decode_rate": st.floats(1, 1e6),
    "network_rate": st.floats(1e6, 1e12),
}
SLIDING = Model(
    name="half sliding",
    groups=(
        Geometry(layers=3, kv_heads=2, head_dim=64, window=128),
        Geometry(layers=3, kv_heads=2, head_dim=64),
    ),
)


@st.composite
def services(draw):
    workers = draw(st.integers(2, 40))
    given_ = {name: draw(values) for name, values in {**COUNTS, **POSITIVE}.items()}
    memory = {}
    if draw(st.booleans()):
        memory = {"decode_memory": 10**16, "decode_seconds": draw(st.floats(0.01, 1e4))}
    return Service(
        workers=workers,
        prefill_workers=draw(st.integers(1, workers - 1)),
        model=draw(st.sampled_from([Service().model, SLIDING])),
        **given_,
        **memory,
    )


@given(services())
def test_the_limit_is_the_smallest_bound(service):
    found = capacity(service)
    bounds = dict(found.given())
    assert found.limit == min(bounds.values())
    assert bounds[found.first] == pytest.approx(found.limit, rel=1e-12)
    assert STAGES[found.first_index] == found.first == found.tied[0]
    assert ("memory" in bounds) == (service.decode_memory is not None)


DOUBLED = {"prefill": "prefill_rate", "decode": "decode_rate", "network": "network_rate"}


@given(services(), st.sampled_from(sorted(DOUBLED)))
def test_twice_a_rate_is_twice_its_bound_and_no_other(service, stage):
    name = DOUBLED[stage]
    before = capacity(service)
    after = capacity(replace(service, **{name: 2 * getattr(service, name)}))
    for other, bound in before.given():
        assert getattr(after, other) == (2 * bound if other == stage else bound)


@given(services())
def test_twice_the_workers_are_twice_the_pools_but_the_network_is_shared(service):
    twice = replace(
        service, workers=2 * service.workers, prefill_workers=2 * service.prefill_workers
    )
    before, after = capacity(service), capacity(twice)
    assert after.prefill == 2 * before.prefill
    assert after.decode == 2 * before.decode
    assert after.network == before.network
    if before.memory is not None:
        assert after.memory == 2 * before.memory


@given(services())
def test_only_the_first_stage_can_raise_the_limit(service):
    found = capacity(service)
    for stage, name in DOUBLED.items():
        raised = capacity(replace(service, **{name: 2 * getattr(service, name)})).limit
        assert raised >= found.limit
        if stage not in found.tied:
            assert raised == found.limit
        elif len(found.tied) == 1:
            assert raised > found.limit


@given(services(), st.floats(0, 1e6))
def test_growth_is_what_does_not_get_through(service, arrival_rate):
    found, growth = capacity(service), backlog_growth(service, arrival_rate)
    assert growth.total == pytest.approx(max(0.0, arrival_rate - found.limit), rel=1e-9, abs=1e-9)
    through = arrival_rate
    for name, bound in found.given():
        assert getattr(growth, name) == max(0.0, through - bound)
        through = min(through, bound)
    assert backlog(service, arrival_rate, 10.0) == growth.total * 10.0


@given(services(), st.floats(0, 1e6))
def test_utilisation_is_the_load_over_the_bound(service, arrival_rate):
    found, used = capacity(service), utilisation(service, arrival_rate)
    for name, bound in found.given():
        assert getattr(used, name) == arrival_rate / bound
    overloaded = any(value > 1 for _, value in used.given())
    assert overloaded == (backlog_growth(service, arrival_rate).total > 0)


@given(services())
def test_no_split_beats_the_best(service):
    best = best_split(service)
    limits = {}
    for n in range(1, service.workers):  # by hand, without capacity()
        prefill = n * service.prefill_rate / service.prompt_tokens
        decode = (service.workers - n) * service.decode_rate / service.output_tokens
        limits[n] = min(prefill, decode, service.network_rate / service.payload_bytes)
        if service.slots is not None:
            held = (service.workers - n) * service.slots / service.decode_seconds
            limits[n] = min(limits[n], held)
    most = max(limits.values())
    assert best.capacity.limit == pytest.approx(most, rel=1e-12)
    ties = [n for n, limit in limits.items() if limit >= most * (1 - 1e-12)]
    assert best.prefill_workers == min(ties)
    assert best.decode_workers == service.workers - best.prefill_workers


@given(services())
def test_the_ideal_ratio_stands_between_the_splits_it_separates(service):
    for split in splits(replace(service, decode_memory=None, decode_seconds=None)):
        ratio = split.prefill_workers / split.decode_workers
        if ratio < ideal_ratio(service) * (1 - 1e-9):
            assert split.capacity.prefill < split.capacity.decode
        if ratio > ideal_ratio(service) * (1 + 1e-9):
            assert split.capacity.prefill > split.capacity.decode


def simulated_backlog(service, arrival_rate, seconds):
    """Requests that have come and not left, each stage serving one at a time at its bound."""
    bounds = [bound for _, bound in capacity(service).given()]
    free, left = [0.0] * len(bounds), 0
    arrived = int(arrival_rate * seconds)
    for i in range(arrived):
        now = i / arrival_rate
        for stage, bound in enumerate(bounds):
            free[stage] = now = max(now, free[stage]) + 1 / bound
        left += now <= seconds
    return arrived - left


@pytest.mark.parametrize("arrival_rate", [1.0, 2.5, 4.0, 9.0, 30.0])
@pytest.mark.parametrize("output_tokens", [512, 2_048, 128])
@pytest.mark.parametrize("memory", [None, 60 * GB])
def test_a_simulated_queue_grows_as_predicted(arrival_rate, output_tokens, memory):
    held = None if memory is None else 100.0
    service = Service(output_tokens=output_tokens, decode_memory=memory, decode_seconds=held)
    waiting = simulated_backlog(service, arrival_rate, 600.0)
    in_service = len(STAGES) + 1
    assert abs(waiting - backlog(service, arrival_rate, 600.0)) <= in_service


def at(value, i):
    return value[i].item() if isinstance(value, np.ndarray) else value


@given(st.integers(0, 2**32), st.booleans())
def test_arrays_give_what_numbers_give(seed, with_memory):
    rng = np.random.default_rng(seed)
    fields = {
        "workers": rng.integers(3, 60, 7),
        "prefill_workers": rng.integers(1, 3, 7),
        "prompt_tokens": rng.integers(1, 200_000, 7),
        "output_tokens": rng.integers(1, 4_000, 7).astype("int16"),
        "prefill_rate": rng.uniform(100, 20_000, 7),
        "decode_rate": rng.uniform(100, 5_000, 7),
        "network_rate": rng.integers(1, 50, 7) * GB_s,
        "element_bytes": rng.integers(1, 3, 7),
        "model": SLIDING,
    }
    if with_memory:
        fields |= {
            "decode_memory": rng.integers(10**12, 10**13, 7),
            "decode_seconds": rng.uniform(1, 1_000, 7),
        }
    found = capacity(Service(**fields))
    growth = backlog_growth(Service(**fields), 5.0)
    for i in range(7):
        one = Service(**{name: at(value, i) for name, value in fields.items()})
        point = capacity(one)
        for name, bound in point.given():
            assert getattr(found, name)[i] == bound
            assert getattr(growth, name)[i] == getattr(backlog_growth(one, 5.0), name)
        assert found.limit[i] == point.limit
        assert STAGES[found.first_index[i]] == point.first
        assert ideal_ratio(Service(**fields))[i] == ideal_ratio(one)
        assert at(Service(**fields).payload_bytes, i) == one.payload_bytes


@pytest.mark.parametrize("kind", ["int8", "int16", "float16", "float32"])
def test_narrow_rates_lose_nothing(kind):
    rates = np.array([100, 120], dtype=kind)
    service = Service(prefill_rate=rates, decode_rate=rates)
    assert capacity(service).prefill.tolist() == [300 / 8_192, 360 / 8_192]
    assert capacity(service).decode.tolist() == [500 / 512, 600 / 512]
    used = utilisation(Service(), rates).network
    assert used.tolist() == [rate / capacity(Service()).network for rate in (100, 120)]
    assert backlog(Service(), rates, rates).dtype == float


def test_a_service_keeps_its_own_numbers():
    rates, tokens = np.array([100.0]), np.array([512])
    service = Service(prefill_rate=rates, output_tokens=tokens)
    rates[0], tokens[0] = 1.0, 1
    assert (service.prefill_rate[0], service.output_tokens[0]) == (100.0, 512)
    assert Service() == Service(network_rate=25_000_000_000) and len({Service(), Service()}) == 1


def test_a_sweep_broadcasts_over_two_fields_and_the_load():
    outputs = np.array([128, 512, 2_048])[:, None]
    prefill_workers = np.arange(1, 8)
    service = Service(output_tokens=outputs, prefill_workers=prefill_workers)
    found = capacity(service)
    assert found.limit.shape == found.first_index.shape == (3, 7)
    assert [STAGES[i] for i in found.first_index[1]] == ["prefill"] * 4 + ["decode"] * 3
    assert utilisation(service, np.ones((2, 1, 1))).decode.shape == (2, 3, 7)
    assert backlog(Service(), np.linspace(0, 9, 5), 60.0).shape == (5,)


# ---------------------------------------------------------------- bad input

WRONG_TYPE = {
    "tokens as a float": (
        lambda: Service(prompt_tokens=8192.0),
        "Service: prompt_tokens must be a whole number, got 8192.0 (float)",
    ),
    "a truth": (
        lambda: Service(prefill_workers=True),
        "Service: prefill_workers must be a whole number, got True (bool)",
    ),
    "a rate in words": (
        lambda: Service(network_rate="200 Gb/s"),
        "Service: network_rate must be a number of B/s, got '200 Gb/s' (str); "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "no rate": (
        lambda: Service(decode_rate=None),
        "Service: decode_rate must be a number of tokens/s, got None (NoneType)",
    ),
    "memory as a float": (
        lambda: Service(decode_memory=60e9, decode_seconds=10.0),
        "Service: decode_memory must be a whole number, got 60000000000.0 (float); "
        "in bytes, as in 60 * GB",
    ),
    "lengths as floats": (
        lambda: Service(prompt_tokens=np.linspace(1, 9, 3)),
        "Service: prompt_tokens must be a whole number or an integer array, "
        "got an array of float64",
    ),
    "a service by name": (
        lambda: capacity("default"),
        "capacity: service must be a Service, got 'default' (str)",
    ),
    "a capacity for a service": (
        lambda: utilisation(8, 1.0),
        "utilisation: service must be a Service, got 8 (int)",
    ),
    "a load in words": (
        lambda: backlog_growth(Service(), "4/s"),
        "backlog_growth: arrival_rate must be a number of requests/s, got '4/s' (str)",
    ),
    "a backlog of nothing": (
        lambda: backlog("service", 4.0, 1.0),
        "backlog: service must be a Service, got 'service' (str)",
    ),
    "a time in words": (
        lambda: backlog(Service(), 4.0, "1 min"),
        "backlog: seconds must be a number of seconds, got '1 min' (str)",
    ),
    "the first of many": (
        lambda: capacity(Service(output_tokens=np.array([1, 2]))).first,
        "Capacity: bounds must be numbers to name one, got arrays; "
        "first_index is an array into STAGES",
    ),
    "ties of many": (
        lambda: capacity(Service(output_tokens=np.array([1, 2]))).tied,
        "Capacity: bounds must be numbers to name one, got arrays; "
        "first_index is an array into STAGES",
    ),
    "the best of many": (
        lambda: best_split(Service(output_tokens=np.array([1, 2]))),
        "splits: output_tokens must be one number, got an array of int64 (ndarray); "
        "ask for each point by itself",
    ),
}
WRONG_VALUE = {
    "no decode worker": (
        lambda: Service(workers=8, prefill_workers=8),
        "Service: prefill_workers must leave at least one of workers=8 for decode, got 8; "
        "give 7 or fewer",
    ),
    "more prefill workers than workers": (
        lambda: Service(workers=2),
        "Service: prefill_workers must leave at least one of workers=2 for decode, got 3; "
        "give 1 or fewer",
    ),
    "no decode worker somewhere": (
        lambda: Service(prefill_workers=np.array([7, 8])),
        "Service: prefill_workers must leave at least one worker for decode everywhere, got 0 left",
    ),
    "no prefill worker": (
        lambda: Service(prefill_workers=0),
        "Service: prefill_workers must be from 1 to 10,000, got 0",
    ),
    "one worker": (
        lambda: Service(workers=1),
        "Service: workers must be from 2 to 10,000, got 1",
    ),
    "too many workers": (
        lambda: Service(workers=10**9),
        "Service: workers must be from 2 to 10,000, got 1000000000",
    ),
    "an empty prompt": (
        lambda: Service(prompt_tokens=0),
        "Service: prompt_tokens must be from 1 to 1,000,000,000, got 0",
    ),
    "an immense prompt": (
        lambda: Service(prompt_tokens=10**400),
        "Service: prompt_tokens must be from 1 to 1,000,000,000, "
        "got a whole number of about 401 digits",
    ),
    "no output somewhere": (
        lambda: Service(output_tokens=np.array([1, 0])),
        "Service: output_tokens must be from 1 to 1,000,000,000 everywhere, got 0",
    ),
    "no rate": (
        lambda: Service(prefill_rate=0),
        "Service: prefill_rate must be more than 0, got 0",
    ),
    "nan": (
        lambda: Service(decode_rate=float("nan")),
        "Service: decode_rate must be finite, got nan",
    ),
    "infinity": (
        lambda: Service(network_rate=float("inf")),
        "Service: network_rate must be finite, got inf",
    ),
    "memory without a time": (
        lambda: Service(decode_memory=60 * GB),
        "Service: decode_seconds must be given, as both bound the requests held, got None",
    ),
    "a network rate without its unit": (
        lambda: Service(network_rate=25),
        "Service: network_rate must be at least 1,000 B/s, got 25; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "one such rate of a sweep": (
        lambda: Service(network_rate=np.array([200, 25 * GB_s])),
        "Service: network_rate must be at least 1,000 B/s, got 200.0; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "a time without memory": (
        lambda: Service(decode_seconds=10.0),
        "Service: decode_memory must be given, as both bound the requests held, got None",
    ),
    "memory for no request": (
        lambda: Service(decode_memory=1 * GB, decode_seconds=10.0),
        "Service: decode_memory must be at least one request's prompt and output, "
        "1,140,850,688 B, got 1,000,000,000",
    ),
    "a payload beyond counting": (
        lambda: Service(model=Geometry(layers=10**7, kv_heads=10**7, head_dim=10**7)),
        "Service: model must be so small that a request has at most 9,223,372,036,854,775,807 B, "
        "got 34,816,000,000,000,000,000,000,000",
    ),
    "a backlog below zero": (
        lambda: backlog(Service(), -1.0, 1.0),
        "backlog: arrival_rate must be at least 0, got -1.0",
    ),
    "shapes that do not meet": (
        lambda: Service(prompt_tokens=np.array([1, 2]), output_tokens=np.array([1, 2, 3])),
        "Service: output_tokens must be of a shape that broadcasts with (2,), got shape (3,)",
    ),
    "a load below zero": (
        lambda: utilisation(Service(), -1),
        "utilisation: arrival_rate must be at least 0, got -1",
    ),
    "a load that does not meet": (
        lambda: utilisation(Service(output_tokens=np.array([1, 2])), np.ones(3)),
        "utilisation: arrival_rate must be of a shape that broadcasts with (2,), got shape (3,)",
    ),
    "an endless time": (
        lambda: backlog(Service(), 4.0, float("inf")),
        "backlog: seconds must be finite, got inf",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG_TYPE.values(), ids=WRONG_TYPE)
def test_refuses_another_kind(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(("call", "message"), WRONG_VALUE.values(), ids=WRONG_VALUE)
def test_refuses_a_wrong_value(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message


def test_a_model_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=r"^Service: model must be .*, got 'llama' \(str\)"):
        Service(model="llama")


def test_an_empty_sweep_is_an_empty_answer():
    empty = np.zeros(0, dtype=int)
    service = Service(prompt_tokens=empty + 1, decode_memory=60 * GB, decode_seconds=1.0)
    assert capacity(service).limit.shape == (0,)


# ---------------------------------------------------------------- hits, copies and slots


def test_a_service_counts_what_it_is_told_in_place_of_the_logical_payload():
    plain = Service(decode_memory=60 * GB, decode_seconds=10.0)
    told = replace(plain, computed_tokens=192, wire_bytes=2**31, slot_bytes=2 * 1_140_850_688)
    assert told.payload_bytes == plain.payload_bytes == plain.link_bytes == 2**30
    found = capacity(told)
    assert found.prefill == 3 * 8_000 / 192
    assert found.network == 25e9 / 2**31
    assert found.memory == 5 * (60 * 10**9 // (2 * 1_140_850_688)) / 10
    assert found.decode == capacity(plain).decode
    same = replace(plain, computed_tokens=8_192, wire_bytes=2**30, slot_bytes=1_140_850_688)
    assert capacity(same) == capacity(plain) and splits(same) == splits(plain)
    assert ideal_ratio(told) == (192 / 8_000) / 0.64
    for split in splits(told):
        once = capacity(replace(told, prefill_workers=split.prefill_workers))
        assert split.capacity == once


def test_what_a_service_is_told_may_be_an_array():
    computed, wire = np.array([[1], [8_192]]), np.array([2**20, 2**30, 2**40])
    swept = capacity(Service(computed_tokens=computed, wire_bytes=wire))
    for i in range(2):
        for j in range(3):
            one = Service(computed_tokens=int(computed[i, 0]), wire_bytes=int(wire[j]))
            assert swept.prefill[i, 0] == capacity(one).prefill
            assert swept.network[j] == capacity(one).network
            assert swept.first_index[i, j] == STAGES.index(capacity(one).first)


TOLD = {
    "no token": ({"computed_tokens": 0}, "computed_tokens must be from 1 to 1,000,000,000, got 0"),
    "more than the prompt": (
        {"computed_tokens": 8_193},
        "computed_tokens must be a part of the prompt's tokens, got 8193",
    ),
    "more than one of the prompts": (
        {"computed_tokens": 100, "prompt_tokens": np.array([50, 500])},
        "computed_tokens must be a part of the prompt's tokens everywhere, got 100",
    ),
    "nothing on the wire": (
        {"wire_bytes": 0},
        "wire_bytes must be from 1 to 9,223,372,036,854,775,807, got 0",
    ),
    "a slot beyond the memory": (
        {"slot_bytes": 61 * GB, "decode_memory": 60 * GB, "decode_seconds": 1.0},
        "decode_memory must be at least one request's prompt and output, 61,000,000,000 B, "
        "got 60,000,000,000",
    ),
}


@pytest.mark.parametrize(("fields", "message"), TOLD.values(), ids=TOLD)
def test_what_a_service_is_told_is_checked(fields, message):
    with pytest.raises(ValueError) as caught:
        Service(**fields)
    assert str(caught.value) == f"Service: {message}"
