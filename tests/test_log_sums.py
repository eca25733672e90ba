"""Sums over the lines of a log: beside the standard library's own median and plain arithmetic.

The lines are printed here from numbers that the test draws, and what is said is read again.
"""

import re
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlib.logs import FORMATS, Slot, explain, in_short, known, read_log, summary
from kvlib.logs.summary import median
from kvlib.units import parse

PREFILL = "[TP0] Prefill batch, #new-seq: 1, #new-token: {}, #cached-token: {}, token usage: 0.50"
DECODE = (
    "Decode batch, #running-req: 9, #token: 5, token usage: {:.2f}, #prealloc-req: {}, "
    "gen throughput (token/s): {:.2f}, #queue-req: {}"
)
INTERVAL = (
    "Engine 000: Avg prompt throughput: {:.1f} tokens/s, Avg generation throughput: {:.1f} "
    "tokens/s, Running: 3 reqs, Waiting: {} reqs, GPU KV cache usage: {:.1f}%, Prefix cache hit "
    "rate: {:.1f}%"
)
NIXL = (
    "KV Transfer metrics: Num successful transfers={}, Avg xfer time (ms)={:.3f}, Avg MB per "
    "transfer={:.3f}, Throughput (MB/s)=5.0, Num failed transfers={}"
)


def said(form, rows):
    (one,) = summary(read_log("\n".join(form.format(*row) for row in rows)))
    return one


def number(pattern, text):
    return float(re.search(pattern, text)[1].replace(",", ""))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_the_median_is_that_of_the_standard_library(values):
    assert median(values) == statistics.median(values)


@given(st.lists(st.tuples(st.integers(1, 9_999), st.integers(0, 9_999)), min_size=2, max_size=30))
def test_a_hit_rate_is_of_all_tokens_and_no_mean_of_hit_rates(rows):
    text = said(PREFILL, rows)
    new, cached = (sum(row[n] for row in rows) for n in (0, 1))
    assert text.startswith(f"Over {len(rows)} lines of SGLang (one prefill batch): ")
    assert f"tokens computed, {new:,} in all; tokens from the cache, {cached:,} in all" in text
    rate = cached / (cached + new)
    if 0.001 < rate < 0.999:
        assert number(r"hit rate of ([0-9.]+) %", text) == pytest.approx(100 * rate, abs=0.0501)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 100).map(lambda n: n / 100),
            st.integers(0, 99),
            st.integers(0, 999_999).map(lambda n: n / 100),
            st.integers(0, 99),
        ),
        min_size=2,
        max_size=12,
    )
)
def test_of_decode_batches_the_median_and_the_longest_queue_are_told(rows):
    text = said(DECODE, rows)
    usages, rooms, rates, queues = zip(*rows, strict=True)
    assert number(r"in use, median ([0-9.]+)", text) == pytest.approx(
        statistics.median(usages), abs=0.00501
    )
    assert number(r"decode rate, median ([0-9.,]+) tokens/s", text) == pytest.approx(
        statistics.median(rates), abs=0.00501
    )
    assert f"requests queued, at most {max(queues)}" in text
    assert f"requests that wait for room, at most {max(rooms)}" in text


def test_the_whole_sentence_of_vllms_intervals():
    rows = [(1523.4, 812.0, 5, 63.2, 41.2), (0, 800, 7, 98.2, 41.9), (0, 640.5, 0, 70, 42.6)]
    assert said(INTERVAL, rows) == (
        "Over 3 lines of vLLM (an engine over the last interval, 10 s unless it was set): prefill "
        "rate, median 0 tokens/s; decode rate, median 800.0 tokens/s; requests waiting, at most 7; "
        "share of the pool in use, median 70.0 %; hit rate, printed last 42.6 %."
    )


@given(
    st.lists(
        st.tuples(
            st.integers(1, 50),
            st.integers(1_000, 10**6).map(lambda n: n / 1_000),
            st.integers(10_000, 10**7).map(lambda n: n / 1_000),
            st.integers(0, 3),
        ),
        min_size=2,
        max_size=12,
    )
)
def test_transfers_weigh_by_their_bytes_and_by_how_many_a_line_stands_for(rows):
    text = said(NIXL, rows)
    n_bytes = sum(count * mb * 2**20 for count, _, mb, _ in rows)
    seconds = sum(count * ms / 1e3 for count, ms, _, _ in rows)
    found = parse(re.search(r"times summed, are ([0-9.,]+ [MGT]iB) ", text)[1].replace(",", ""))
    assert found == pytest.approx(n_bytes / seconds, rel=0.006)
    assert f"transfers that failed, {sum(row[3] for row in rows)} in all" in text


def test_a_rate_and_a_size_give_the_time_and_what_has_no_size_is_told():
    text = said(
        "transfer_speed={} GB/s{}",
        [
            ("4.00", ", transfer_total=1024.00 MB"),
            ("1.00", ", transfer_total=1024.00 MB"),
            ("3.00", ""),
            ("0.00", ", transfer_total=0.00 MB"),
        ],
    )
    assert text.endswith(
        ": 2.00 GiB (2.15 GB) in 1.25 s, times summed, are 1.60 GiB (1.72 GB) a second; median "
        "rate of 1 without a size, 3.00 GiB (3.22 GB) a second; nothing moved on 1 of them."
    )
    stores = said("Stored {} tokens in {} seconds", [(1000, "0.100"), (3000, "0.100")])
    assert stores.endswith(": 4,000 tokens in 200.00 ms, times summed, are 20,000 tokens/s.")
    engine = "[Metrics] Transfer Engine Stats (over last {}s): Throughput: {} MB/s"
    assert said(engine, [(5, "10.00"), (15, "30.00")]).endswith(
        ": 500.00 MiB (524.29 MB) in 20.00 s, times summed, are 25.00 MiB (26.21 MB) a second."
    )


def test_one_line_has_no_sum_and_pools_are_not_summed():
    pool = "KV Cache is allocated. #tokens: 8713{}, K size: 53.18 GB, V size: 53.18 GB\n"
    assert summary(read_log(PREFILL.format(1, 2))) == ()
    assert summary(read_log(pool.format(1) + pool.format(2))) == ()
    assert summary(()) == ()


def test_kinds_are_summed_apart_in_the_order_of_the_text():
    text = "\n".join([PREFILL.format(1, 2), DECODE.format(0.5, 0, 9, 1)] * 2)
    assert [one.split(" (")[1].split(")")[0] for one in summary(read_log(text))] == [
        "one prefill batch",
        "one decode batch",
    ]


def test_a_usage_is_a_percentage_on_the_line_and_a_fraction_inside():
    (reading,) = read_log(INTERVAL.format(1523.4, 812, 5, 63.2, 41.2))
    assert reading["share of the pool in use"].value == pytest.approx(0.632)
    assert explain(reading)[5] == (
        "share of the pool in use: 63.2 %; at its end; the gauge vllm:kv_cache_usage_perc says it "
        "as a fraction, 1 if full."
    )
    assert in_short(reading) == (
        "Line 1, vLLM: prefill rate 1,523.4 tokens/s, decode rate 812.0 tokens/s, requests running "
        "3, requests waiting 5, share of the pool in use 63.2 %, hit rate 41.2 %."
    )


def test_an_external_hit_rate_is_not_taken_for_the_engines_own():
    line = "Avg prompt throughput: 1.0 tokens/s, External prefix cache hit rate: 12.5%"
    (reading,) = read_log(line)
    assert [field.name for field in reading.fields] == ["prefill rate", "hit rate of the connector"]


def test_every_format_is_among_those_that_are_known():
    listed = known()
    assert len(listed) == len({(form.engine, form.says) for form in FORMATS})
    for form in FORMATS:
        (one,) = [s for s in listed if f'"{form.marker.strip()}"' in s and form.says in s]
        assert one.startswith(form.engine)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: summary(5),
            TypeError,
            "summary: readings must be readings, as read_log returns them, got 5 (int)",
        ),
        (
            lambda: summary("a"),
            TypeError,
            "summary: readings must be readings, as read_log returns them, got 'a' (str)",
        ),
    ],
)
def test_a_wrong_argument_is_answered_in_one_sentence(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_a_slot_is_summed_up_in_a_known_way():
    with pytest.raises(ValueError, match="Slot: over must be"):
        Slot(name="K", labels=("K",), over="mean")
