"""Bandwidth. Oracles: published transfers, plain division, the bottleneck property of max-min
fairness with a bisection that never divides a link, and perturbed fits.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kvlib.bandwidth import (
    LINKS,
    ROCE_OVERHEAD,
    TCP_OVERHEAD,
    Fit,
    Flow,
    Link,
    Path,
    fair_rates,
    fit,
    framing_efficiency,
    plausible,
    seconds_with_startup,
    transfer_rate,
    transfer_seconds,
)
from kvlib.units import GB, MB, GB_s, Gbit_s, GiB, ms, us

# ---------------------------------------------------------------- numbers the chapter states

# Mooncake, docs/source/performance/vllm/vllm-v1-pd-performance.md: Qwen3-8B over 8 NICs of
# 200 Gb/s. Bytes: 147,456 a token and one more block of 16 tokens. Milliseconds as printed.
MOONCAKE_VLLM = [0.54, 0.61, 0.92, 1.50, 2.51, 4.75, 8.84, 16.43, 31.65]
# Mooncake, docs/source/performance/sglang/sglang-benchmark-results-v1.md: Qwen3-235B-A22B, TP 8,
# over 4 NICs of 400 Gb/s. Bytes: 192,512 a token, sent twice (4 KV heads on 8 ranks).
MOONCAKE_SGLANG = [2.07, 2.58, 2.98, 3.96, 6.43, 10.95, 20.31, 39.14, 76.78]
LENGTHS = [128 * 2**i for i in range(9)]


def test_one_gibibyte_takes_43_milliseconds_at_25_gigabytes_a_second():
    assert transfer_seconds(GiB, 25 * GB_s) == GiB / 25e9
    assert round(transfer_seconds(GiB, 25 * GB_s) / ms, 2) == 42.95
    assert round(transfer_seconds(GiB, 5 * GB_s) / ms, 2) == 214.75


def test_fits_the_published_transfers_of_vllm():
    sizes = [(n + 16) * 147_456 for n in LENGTHS]
    found = fit(sizes, [t * ms for t in MOONCAKE_VLLM])
    assert round(found.startup / ms, 3) == 0.378
    assert round(found.rate / GB_s, 1) == 146.1
    assert round(found.worst_error, 2) == 0.07
    assert round(found.half_size / MB) == 55


def test_fits_the_published_transfers_of_sglang():
    sizes = [2 * 192_512 * n for n in LENGTHS]
    found = fit(sizes, [t * ms for t in MOONCAKE_SGLANG])
    assert round(found.startup / ms, 2) == 1.83
    assert round(found.rate / GB_s) == 171
    assert round(found.worst_error, 3) == 0.065
    assert round(found.half_size / MB) == 314


FRAMINGS = {  # payload and overhead of a packet, fraction
    "TCP in 1,500-byte frames": (1460, TCP_OVERHEAD, 0.9493),
    "TCP in 9,000-byte frames": (8960, TCP_OVERHEAD, 0.9914),
    "TCP with timestamps": (1448, TCP_OVERHEAD + 12, 0.9415),
    "RoCE, MTU 1,024": (1024, ROCE_OVERHEAD, 0.9259),
    "RoCE, MTU 2,048": (2048, ROCE_OVERHEAD, 0.9615),
    "RoCE, MTU 4,096": (4096, ROCE_OVERHEAD, 0.9804),
}


@pytest.mark.parametrize(("payload", "overhead", "expected"), FRAMINGS.values(), ids=FRAMINGS)
def test_framing_takes_its_share(payload, overhead, expected):
    assert round(framing_efficiency(payload, overhead), 4) == expected


def test_roce_framing_agrees_with_a_measurement():
    # PMC7842203, table 2: 94.5-95.2 and 97.5-97.6 of 100 Gb/s at MTU 2,048 and 4,096
    assert 95.2 <= 100 * framing_efficiency(2048, ROCE_OVERHEAD) < 96.2
    assert 97.6 <= 100 * framing_efficiency(4096, ROCE_OVERHEAD) < 98.1


KNOWN = {  # payload rate of one direction in GB/s
    "PCIe Gen3 x16": 15.75,
    "PCIe Gen4 x16": 31.51,
    "PCIe Gen5 x16": 63.02,
    "100 Gb/s Ethernet": 12.5,
    "200 Gb/s Ethernet": 25,
    "400 Gb/s Ethernet": 50,
    "800 Gb/s Ethernet": 100,
    "InfiniBand HDR": 25,
    "InfiniBand NDR": 50,
    "InfiniBand XDR": 100,
    "NVLink 3": 300,
    "NVLink 4": 450,
    "NVLink 5": 900,
}


def test_known_links_have_their_rate_of_one_direction_and_a_source():
    assert {name: round(link.payload_rate / GB_s, 2) for name, link in LINKS.items()} == KNOWN
    assert all(link.source and link.name == name for name, link in LINKS.items())


def test_a_gen4_slot_cannot_feed_a_400_gigabit_port():
    path = Path(hops=(LINKS["400 Gb/s Ethernet"], LINKS["PCIe Gen4 x16"]))
    assert path.slowest == "PCIe Gen4 x16"
    assert path.effective_rate < 50 * GB_s
    wider = Path(hops=(LINKS["400 Gb/s Ethernet"], LINKS["PCIe Gen5 x16"]))
    assert wider.slowest == "400 Gb/s Ethernet"


def test_sharing_can_make_the_widest_hop_the_slowest():
    nic, fabric = Link(name="NIC", rate=25 * GB_s), Link(name="fabric", rate=100 * GB_s, users=8)
    path = Path(hops=(nic, fabric))
    assert (path.slowest, path.effective_rate, path.nominal_rate) == ("fabric", 12.5e9, 25e9)
    assert path.payload_rate == 25e9


def test_a_posting_time_is_not_a_transfer():
    # ai-dynamo/dynamo#1314: 5,000 tokens of Llama-3.1-8B, "total for write" 1,803.43 and 3.08 ms
    report = plausible(655_360_000, 3.08 * ms, LINKS["400 Gb/s Ethernet"])
    assert report.impossible
    assert report.rate == pytest.approx(655_360_000 / 3.08e-3)
    assert report.sentence == "Impossible: 212.78 GB/s is 4.26× the label of 400 Gb/s Ethernet."
    before = plausible(655_360_000, 1803.43 * ms, LINKS["400 Gb/s Ethernet"])
    assert not before.impossible
    assert before.sentence == "Possible: 0.36 GB/s is 0.7 % of the label of 400 Gb/s Ethernet."


NARROW = Path(hops=(LINKS["PCIe Gen5 x16"], LINKS["200 Gb/s Ethernet"]))
WORDS = {  # bytes, seconds: what is said of them on a path of 200 Gb/s
    "on time": (25 * GB, 1.0, "Possible: 25.00 GB/s is 100 % of"),
    "slow": (4096, 0.6 * us, "Possible: 6.83 GB/s is 27.3 % of"),
    "hardly moving": (10**6, 1.0, "Possible: 1.00 MB/s is less than 0.1 % of"),
    "nothing": (0, 1.0, "Possible: 0.00 B/s is less than 0.1 % of"),
    "almost too fast": (25 * GB, 1 + 1e-6, "Possible: 25.00 GB/s is 99.9999 % of"),
    "a little too fast": (25 * GB, 1 - 1e-6, "Impossible: 25.00 GB/s is 1.000001×"),
    "far too fast": (25 * GB, 1e-6, "Impossible: 25,000.00 TB/s is 1,000,000×"),
}


@pytest.mark.parametrize(("n_bytes", "seconds", "said"), WORDS.values(), ids=WORDS)
def test_a_verdict_comes_first_and_names_the_narrowest_label(n_bytes, seconds, said):
    report = plausible(n_bytes, seconds, NARROW)
    assert report.sentence == f"{said} the label of 200 Gb/s Ethernet."
    assert report.impossible == said.startswith("Impossible") == (report.fraction > 1)
    assert len(report.sentence) <= 76


# ---------------------------------------------------------------- laws

SIZES = st.integers(0, 10**13)
RATES = st.floats(1e3, 1e13)
SECONDS = st.floats(1e-9, 1e4)


@given(SIZES, RATES)
def test_time_and_rate_are_inverse(n_bytes, rate):
    seconds = transfer_seconds(n_bytes, rate)
    assert seconds == n_bytes / rate
    if seconds >= 1e-12:
        assert transfer_rate(n_bytes, seconds) == pytest.approx(rate)


@given(SIZES.filter(bool), RATES)
def test_the_bound_itself_is_possible_and_less_is_not(n_bytes, rate):
    link, least = Link(name="link", rate=rate), transfer_seconds(n_bytes, rate)
    assert not plausible(n_bytes, least, link).impossible
    assert not plausible(n_bytes, least * (1 - 1e-10), link).impossible
    assert plausible(n_bytes, least * (1 - 1e-8), link).impossible
    assert plausible(n_bytes, least, link).fraction == pytest.approx(1, rel=1e-12)


@given(SIZES, SECONDS, RATES)
def test_start_up_only_adds(n_bytes, startup, rate):
    total = seconds_with_startup(n_bytes, startup, rate)
    assert total == startup + transfer_seconds(n_bytes, rate)
    half = Fit(startup=startup, rate=rate, worst_error=0.0).half_size
    if half > 1000:
        halved = half / seconds_with_startup(half, startup, rate)
        assert halved == pytest.approx(rate / 2, rel=1e-3)


@given(st.lists(SIZES, min_size=1, max_size=5), st.lists(RATES, min_size=1, max_size=5))
def test_arrays_give_what_numbers_give(sizes, rates):
    column, row = np.array(sizes)[:, None], np.array(rates)
    times = transfer_seconds(column, row)
    started = seconds_with_startup(column, 0.5, row)
    for i, n_bytes in enumerate(sizes):
        for j, rate in enumerate(rates):
            assert times[i, j] == transfer_seconds(n_bytes, rate)
            assert started[i, j] == seconds_with_startup(n_bytes, 0.5, rate)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "float16", "float32"])
def test_narrow_numbers_are_rates_too(kind):
    fifty = np.array([50], dtype=kind)
    assert seconds_with_startup(np.array([100]), 0, fifty).tolist() == [2.0]
    assert seconds_with_startup(10**15, 0, fifty).tolist() == [2e13]
    assert seconds_with_startup(100, 0, fifty[0]) == 2.0
    assert seconds_with_startup(100, fifty, fifty).tolist() == [52.0]
    assert transfer_rate(10**15, fifty).tolist() == [2e13]


@pytest.mark.parametrize("kind", ["int16", "uint16", "int64", "float16", "float32"])
def test_narrow_numbers_are_rates_of_links_too(kind):
    rates = np.array([8_000, 16_000], dtype=kind)
    assert transfer_seconds(np.array([32_000]), rates).tolist() == [4.0, 2.0]
    assert transfer_seconds(16 * 10**15, rates).tolist() == [2e12, 1e12]
    assert transfer_seconds(16_000, rates[0]) == 2.0
    assert Link(name="NIC", rate=rates[0]).rate == 8_000.0


def test_a_rate_is_a_float_whatever_the_time_is():
    assert type(transfer_rate(6, 3)) is type(transfer_rate(6, Fraction(3))) is float
    assert transfer_seconds(np.int32(10_000), 5_000) == 2.0
    assert framing_efficiency(np.array([1, 3]), 1).tolist() == [0.5, 0.75]
    assert transfer_rate(1, transfer_seconds(1, 1e18)) == pytest.approx(1e18)


LINK = st.builds(
    Link,
    name=st.sampled_from("abcdef"),
    rate=RATES,
    efficiency=st.floats(0.01, 1),
    users=st.integers(1, 100),
)


@given(st.lists(LINK, min_size=1, max_size=6))
def test_a_path_is_no_faster_than_any_of_its_hops(hops):
    path = Path(hops=tuple(hops))
    assert path.effective_rate <= path.payload_rate <= path.nominal_rate
    assert path.slowest in {h.name for h in hops if h.effective_rate == path.effective_rate}
    for hop in hops:
        assert path.effective_rate <= hop.effective_rate
        assert Path(hops=(*hops, hop)).effective_rate == path.effective_rate


def relative_squares(sizes, seconds, startup, rate):
    return sum(((startup + n / rate) / t - 1) ** 2 for n, t in zip(sizes, seconds, strict=True))


@given(
    st.lists(st.integers(1, 10**11), min_size=2, max_size=9, unique=True),
    st.floats(1e-6, 1),
    st.floats(1e6, 1e12),
)
def test_a_fit_recovers_what_made_the_times(sizes, startup, rate):
    times = [startup + n / rate for n in sizes]
    worst = 1e-15 * max(times) * rate / (max(sizes) - min(sizes))  # what a float time can hold
    assume(worst <= 1e-7)
    found = fit(sizes, times)
    assert found.rate == pytest.approx(rate, rel=1e-6)
    assert found.startup == pytest.approx(startup, rel=1e-6, abs=1e-6 * max(times))
    assert found.worst_error < 1e-6
    assert found.seconds(sizes[0]) == pytest.approx(times[0])


NOISE = st.lists(st.floats(0.7, 1.4), min_size=5, max_size=5)


@given(st.floats(0, 1e-2), NOISE, st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
def test_no_other_start_up_and_rate_fit_better(startup, noise, more, faster):
    sizes = [2**20, 2**23, 2**26, 2**29, 2**32]
    times = [(startup + n / 25e9) * x for n, x in zip(sizes, noise, strict=True)]
    found = fit(sizes, times)
    assert found.startup >= 0
    least = relative_squares(sizes, times, found.startup, found.rate)
    for step in (1, 1e-2, 1e-4):
        other_startup = max(0.0, found.startup + more * step * max(found.startup, 1e-4))
        other_rate = found.rate * (1 + faster * step)
        other = relative_squares(sizes, times, other_startup, other_rate)
        assert least <= other * (1 + 1e-9) + 1e-15


def test_a_start_up_below_zero_is_refitted_as_none():
    sizes, times = [100, 200, 400], [0.9, 2.0, 4.4]  # steeper than in proportion
    found = fit(sizes, times)
    assert found.startup == 0 and found.half_size == 0
    ratios = [n / t for n, t in zip(sizes, times, strict=True)]
    assert found.rate == pytest.approx(sum(r * r for r in ratios) / sum(ratios))


def test_a_fit_reads_arrays_and_generators():
    sizes = np.array([10**6, 10**9])
    assert fit(sizes, sizes / 1e9) == fit((n for n in (10**6, 10**9)), [1e-3, 1.0])


def test_flows_with_demands_of_their_own_are_shared_out_in_one_pass():
    demands = [float(n) for n in range(1, 2_001)]
    flows = [Flow(links=("link",), demand=demand) for demand in demands]
    rates = fair_rates(flows, [Link(name="link", rate=1e6)])
    assert sum(rates) == pytest.approx(1e6)
    level = max(rates)
    assert rates == tuple(min(demand, level) for demand in demands)


def bisected(flows, capacities):
    """Max-min rates by bisection on the common level: no link is ever divided by a count."""
    rates, frozen = [0.0] * len(flows), set()

    def fits(level):
        trial = [rates[i] if i in frozen else min(level, d or level) for i, (_, d) in rows]
        return all(
            sum(trial[i] for i, (names, _) in rows if name in names) <= rate * (1 + 1e-13)
            for name, rate in capacities.items()
        )

    rows = list(enumerate(flows))
    while len(frozen) < len(flows):
        low, high = 0.0, 2 * max(capacities.values())
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        trial = [rates[i] if i in frozen else min(low, d or low) for i, (_, d) in rows]
        full = {
            name
            for name, rate in capacities.items()
            if sum(trial[i] for i, (names, _) in rows if name in names) >= rate * (1 - 1e-9)
        }
        for i, (names, demand) in rows:
            if i not in frozen and (full & set(names) or (demand and demand <= low)):
                rates[i] = trial[i]
                frozen.add(i)
    return rates


NAMES = "abcd"
FLOWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True).map(tuple),
        st.none() | st.floats(1e9, 50e9),
    ),
    min_size=1,
    max_size=7,
)
CAPACITIES = st.fixed_dictionaries({name: st.floats(1e9, 100e9) for name in NAMES})


@given(FLOWS, CAPACITIES)
def test_shares_are_max_min_fair(flows, capacities):
    links = [Link(name=name, rate=rate) for name, rate in capacities.items()]
    rates = fair_rates([Flow(links=names, demand=d) for names, d in flows], links)
    load = {
        name: sum(Fraction(r) for r, (names, _) in zip(rates, flows, strict=True) if name in names)
        for name in NAMES
    }
    for name in NAMES:
        assert load[name] <= Fraction(capacities[name]) * (1 + Fraction(1, 10**15))
    for rate, (names, demand) in zip(rates, flows, strict=True):
        assert rate > 0 and (demand is None or rate <= demand)
        held_back = demand is not None and rate == demand
        for name in names:  # a bottleneck: a full link on which nobody gets more
            full = load[name] >= Fraction(capacities[name]) * (1 - Fraction(1, 10**15))
            others = [r for r, (n, _) in zip(rates, flows, strict=True) if name in n]
            held_back |= full and rate >= max(others)
        assert held_back
    assert list(rates) == pytest.approx(bisected(flows, capacities), rel=1e-6)


@given(st.integers(1, 60), RATES)
def test_equal_flows_on_one_link_get_equal_parts(count, rate):
    link = Link(name="link", rate=rate)
    assert fair_rates([Flow(links=("link",))] * count, [link]) == (rate / count,) * count
    assert replace(link, users=count).effective_rate == rate / count


def test_a_link_is_free_again_when_its_flows_are_done():
    links = [Link(name="a", rate=10 * GB_s, efficiency=0.5), Link(name="b", rate=100 * GB_s)]
    flows = [Flow(links=("a", "b")), Flow(links=("b",)), Flow(links=("b",), demand=1 * GB_s)]
    assert fair_rates(flows, links) == (5e9, 94e9, 1e9)
    assert fair_rates(flows[:1], links) == (5e9,)
    assert fair_rates([], links) == ()


# ---------------------------------------------------------------- bad input

NIC = Link(name="NIC", rate=25 * GB_s)
WRONG_TYPE = {
    "a rate in words": (
        lambda: transfer_seconds(GiB, "200 Gb/s"),
        "transfer_seconds: rate must be a number of B/s, got '200 Gb/s' (str); "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "half a byte": (
        lambda: transfer_seconds(0.5, 1.0),
        "transfer_seconds: n_bytes must be a whole number, got 0.5 (float)",
    ),
    "float sizes": (
        lambda: transfer_seconds(np.array([1.5]), 1.0),
        "transfer_seconds: n_bytes must be a whole number or an integer array, "
        "got an array of float64",
    ),
    "a truth as a rate": (
        lambda: transfer_seconds(1, True),
        "transfer_seconds: rate must be a number of B/s, got True (bool)",
    ),
    "a link in words": (
        lambda: Link(name="NIC", rate="400G"),
        "Link: rate must be a number of B/s, got '400G' (str); "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "a link of many rates": (
        lambda: Link(name="NIC", rate=np.ones(3)),
        "Link: rate must be one number, got an array of float64 (ndarray); "
        "for a sweep give transfer_seconds an array of rates",
    ),
    "a nameless link": (
        lambda: Link(name=None, rate=1.0),
        "Link: name must be text, got None (NoneType)",
    ),
    "hops in a list": (
        lambda: Path(hops=["NIC"]),
        "Path: hops must be a tuple of links, got ['NIC'] (list)",
    ),
    "hops by name": (
        lambda: Path(hops=("NIC",)),
        "Path: hops must be a tuple of links, got 'NIC' (str)",
    ),
    "a path by name": (
        lambda: plausible(1, 1.0, "NIC"),
        "plausible: path must be a Path or a Link, got 'NIC' (str)",
    ),
    "many reports at once": (
        lambda: plausible(1, np.ones(2), NIC),
        "plausible: seconds must be one number, got an array of float64 (ndarray)",
    ),
    "a link's name alone": (
        lambda: Flow(links="NIC"),
        "Flow: links must be a tuple of link names, got 'NIC' (str)",
    ),
    "links for names": (
        lambda: Flow(links=(1,)),
        "Flow: links must be a tuple of link names, got 1 (int)",
    ),
    "one flow": (
        lambda: fair_rates(Flow(links=("NIC",)), [NIC]),
        "fair_rates: flows must be a list of Flows, got Flow(links=('NIC',), demand=None) (Flow)",
    ),
    "names for flows": (
        lambda: fair_rates(["NIC"], [NIC]),
        "fair_rates: flows must be a list of Flows, got 'NIC' (str)",
    ),
    "rates for links": (
        lambda: fair_rates([], [25e9]),
        "fair_rates: links must be a list of Links, got 25000000000.0 (float)",
    ),
    "no sizes": (
        lambda: fit(5, [1.0]),
        "fit: sizes must be a sequence of numbers, got 5 (int)",
    ),
    "times in words": (
        lambda: fit([1, 2], ["1 ms", "2 ms"]),
        "fit: seconds[0] must be a number of seconds, got '1 ms' (str)",
    ),
    "a table of sizes": (
        lambda: fit(np.ones((2, 2), dtype=int), [1.0, 2.0]),
        "fit: sizes[0] must be one number, got an array of int64 (ndarray)",
    ),
    "times by size": (
        lambda: fit({1: 1.0, 2: 2.0}, [1.0, 2.0]),
        "fit: sizes must be a sequence of numbers, got {1: 1.0, 2: 2.0} (dict)",
    ),
    "sizes in no order": (
        lambda: fit([1, 2], {1.0}),
        "fit: seconds must be a sequence of numbers, got {1.0} (set)",
    ),
    "a source that is no text": (
        lambda: Link(name="NIC", rate=GB_s, source=3),
        "Link: source must be text, got 3 (int)",
    ),
    "demands of many": (
        lambda: Flow(links=("NIC",), demand=np.ones(2)),
        "Flow: demand must be one number of B/s, got an array of float64 (ndarray)",
    ),
}
WRONG_VALUE = {
    "no rate": (
        lambda: transfer_seconds(1, 0),
        "transfer_seconds: rate must be more than 0, got 0",
    ),
    "nan": (
        lambda: transfer_seconds(1, float("nan")),
        "transfer_seconds: rate must be finite, got nan",
    ),
    "infinity": (
        lambda: transfer_seconds(1, np.array([1.0, np.inf])),
        "transfer_seconds: rate must be finite, got inf",
    ),
    "a rate beyond sense": (
        lambda: transfer_seconds(1, 10**400),
        "transfer_seconds: rate must be at most 1e+18, got a whole number of about 401 digits",
    ),
    "a rate next to nothing": (
        lambda: transfer_seconds(1, 5e-324),
        "transfer_seconds: rate must be at least 1,000 B/s, got 5e-324; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "a rate without its unit": (
        lambda: Link(name="NIC", rate=200),
        "Link: rate must be at least 1,000 B/s, got 200; for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "one such rate of many": (
        lambda: transfer_seconds(1, np.array([25.0, 25e9])),
        "transfer_seconds: rate must be at least 1,000 B/s, got 25.0; "
        "for a 200 Gb/s link write 200 * Gbit_s",
    ),
    "fewer bytes than none": (
        lambda: transfer_seconds(-1, 1.0),
        "transfer_seconds: n_bytes must be from 0 to 9,223,372,036,854,775,807, got -1",
    ),
    "shapes that do not meet": (
        lambda: transfer_seconds(np.array([1, 2]), np.ones(3) * GB_s),
        "transfer_seconds: rate must be of a shape that broadcasts with (2,), got shape (3,)",
    ),
    "no time": (
        lambda: transfer_rate(1, 0.0),
        "transfer_rate: seconds must be more than 0, got 0.0",
    ),
    "a start-up below zero": (
        lambda: seconds_with_startup(1, -1e-3, 1.0),
        "seconds_with_startup: startup must be at least 0, got -0.001",
    ),
    "an empty packet": (
        lambda: framing_efficiency(0, 82),
        "framing_efficiency: packet_payload_bytes must be from 1 to 1,000,000,000, got 0",
    ),
    "more than all of a link": (
        lambda: Link(name="NIC", rate=GB_s, efficiency=1.1),
        "Link: efficiency must be at most 1, got 1.1",
    ),
    "percent": (
        lambda: Link(name="NIC", rate=GB_s, efficiency=95),
        "Link: efficiency must be at most 1, got 95",
    ),
    "nobody": (
        lambda: Link(name="NIC", rate=GB_s, users=0),
        "Link: users must be from 1 to 1,000,000, got 0",
    ),
    "no hops": (lambda: Path(hops=()), "Path: hops must hold at least one link, got none"),
    "a flow nowhere": (lambda: Flow(links=()), "Flow: links must hold at least one link, got none"),
    "there and back": (
        lambda: Flow(links=("NIC", "NIC")),
        "Flow: links must be distinct, got ('NIC', 'NIC'); "
        "the two directions of a link are two links",
    ),
    "no demand": (
        lambda: Flow(links=("NIC",), demand=0),
        "Flow: demand must be more than 0, got 0",
    ),
    "a link unknown": (
        lambda: fair_rates([Flow(links=("NICs",))], [NIC]),
        "fair_rates: link must be a known name, got 'NICs'; did you mean 'NIC'?",
    ),
    "a link twice": (
        lambda: fair_rates([], [NIC, NIC]),
        "fair_rates: links must be distinct by name, got 'NIC'",
    ),
    "users twice": (
        lambda: fair_rates([], [replace(NIC, users=4)]),
        "fair_rates: users of 'NIC' must be 1, got 4; every user is a flow here",
    ),
    "one size": (
        lambda: fit([5, 5], [1.0, 2.0]),
        "fit: sizes must hold at least two distinct sizes, got 1",
    ),
    "nothing measured": (
        lambda: fit([], []),
        "fit: sizes must hold at least two distinct sizes, got 0",
    ),
    "a time missing": (
        lambda: fit([1, 2, 3], [1.0, 2.0]),
        "fit: sizes and seconds must be equally many, got 3 and 2",
    ),
    "times that fall": (
        lambda: fit([10, 20], [2.0, 1.0]),
        "fit: seconds must grow with sizes, got times that do not; "
        "measure sizes further apart or more repeats",
    ),
    "times that stand still": (
        lambda: fit([10, 20], [1.0, 1.0]),
        "fit: seconds must grow with sizes, got times that do not; "
        "measure sizes further apart or more repeats",
    ),
    "a rate that nothing has": (
        lambda: fit([0, 2**62], [1.0, 1.0 + 2.0**-52]),
        "fit: the rate must be at most 1e+18, got 2.076918743413931e+34; "
        "measure sizes further apart or more repeats",
    ),
    "more flows than can be shared out": (
        lambda: fair_rates([Flow(links=("NIC",))] * 2_001, [NIC]),
        "fair_rates: number of flows must be from 0 to 2,000, got 2001",
    ),
    "a time of nothing": (
        lambda: fit([1, 2], [0.0, 1.0]),
        "fit: seconds[0] must be more than 0, got 0.0",
    ),
    "a size below zero": (
        lambda: fit([1, -2], [1.0, 1.0]),
        "fit: sizes[1] must be from 0 to 9,223,372,036,854,775,807, got -2",
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


def test_a_link_is_written_as_the_label_says():
    assert Link(name="NIC", rate=200 * Gbit_s).effective_rate == 25 * GB_s
