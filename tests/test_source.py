"""Every number of the source text that chapters 1, 2, 5 and 7 stand on, one row each.

A row holds what the number means in our words, the expression that gives it, the value worked out
by hand, and the way it is printed. Source: The cost of moving KV; sources checked 2026-09-24.
"""

from dataclasses import replace

import pytest

from kvlib.bandwidth import Link, transfer_seconds
from kvlib.budget import Service, backlog_growth, capacity
from kvlib.payload import Geometry, payload_bytes
from kvlib.quantization import FORMATS, stored_bytes
from kvlib.units import GB, GB_s, Gbit_s, GiB, format_as

MODEL = Geometry(layers=32, kv_heads=8, head_dim=128)
SERVICE = Service()
BOUNDS = capacity(SERVICE)
ONE_BYTE = capacity(replace(SERVICE, element_bytes=1))

NUMBERS = {  # chapter and meaning: (expression, by hand, printed, how it is printed)
    "1: layers of the example": (SERVICE.model.layers, 32, "32", "{}"),
    "1: its KV heads": (SERVICE.model.kv_heads, 8, "8", "{}"),
    "1: its head dimension": (SERVICE.model.head_dim, 128, "128", "{}"),
    "1: bytes of a stored element": (SERVICE.element_bytes, 2, "2", "{}"),
    "1: K and V are two": (MODEL.elements_per_token, 2 * 32 * 8 * 128, "65,536", "{:,}"),
    "1: one cached token": (payload_bytes(MODEL, 1), 131_072, "131,072 B", "B"),
    "1: the prompt in full": (payload_bytes(MODEL, 8_192), 1_073_741_824, "1,073,741,824 B", "B"),
    "1: the prompt in GiB": (payload_bytes(MODEL, 8_192), 2**30, "1 GiB", "GiB"),
    "1: a prompt four times as long": (payload_bytes(MODEL, 32_768), 4 * 2**30, "4 GiB", "GiB"),
    "2: a gigabyte is decimal": (GB, 1_000_000_000, "1,000,000,000 B", "B"),
    "2: a gibibyte is binary": (GiB, 1_073_741_824, "1,073,741,824 B", "B"),
    "2: bits in a byte": (GB_s / Gbit_s, 8, "8", "{:.0f}"),
    "2: the label of the link": (
        Link(name="NIC", rate=200 * Gbit_s).rate,
        25_000_000_000,
        "200 Gb/s",
        "Gb/s",
    ),
    "2: its ceiling in bytes": (200 * Gbit_s, 25_000_000_000, "25 GB/s", "GB/s"),
    "2: the least time at 25 GB/s": (
        transfer_seconds(GiB, 25 * GB_s),
        0.04294967296,
        "42.95 ms",
        "ms 2",
    ),
    "2: the least time at 5 GB/s": (
        transfer_seconds(GiB, 5 * GB_s),
        0.2147483648,
        "214.75 ms",
        "ms 2",
    ),
    "5: an element of two bytes": (FORMATS["bf16"].element_bits // 8, 2, "2", "{}"),
    "5: an element of one byte": (FORMATS["fp8_e4m3"].element_bits // 8, 1, "1", "{}"),
    "5: the prompt at one byte": (
        stored_bytes(MODEL, 8_192, FORMATS["fp8_e4m3"]),
        536_870_912,
        "512 MiB",
        "MiB",
    ),
    "7: workers": (SERVICE.workers, 8, "8", "{}"),
    "7: those that prefill": (SERVICE.prefill_workers, 3, "3", "{}"),
    "7: those that decode": (SERVICE.decode_workers, 5, "5", "{}"),
    "7: what one prefill worker reads": (SERVICE.prefill_rate, 8_000, "8,000 tokens/s", "tokens/s"),
    "7: what one decode worker writes": (SERVICE.decode_rate, 800, "800 tokens/s", "tokens/s"),
    "7: tokens in": (SERVICE.prompt_tokens, 8_192, "8,192 tokens", "tokens"),
    "7: tokens out": (SERVICE.output_tokens, 512, "512 tokens", "tokens"),
    "7: the link that all share": (SERVICE.network_rate, 25e9, "25 GB/s", "GB/s"),
    "7: bytes of a hand-off": (SERVICE.payload_bytes, 2**30, "1 GiB", "GiB"),
    "7: prefill sustains": (BOUNDS.prefill, 2.9296875, "2.93 requests/s", "requests/s 2"),
    "7: decode sustains": (BOUNDS.decode, 7.8125, "7.81 requests/s", "requests/s 2"),
    "7: the network sustains": (
        BOUNDS.network,
        23.283064365386963,
        "23.28 requests/s",
        "requests/s 2",
    ),
}


@pytest.mark.parametrize(("found", "by_hand", "printed", "how"), NUMBERS.values(), ids=NUMBERS)
def test_number(found, by_hand, printed, how):
    assert found == by_hand
    if "{" in how:
        assert how.format(found) == printed
    else:
        unit, _, digits = how.partition(" ")
        assert format_as(found, unit, int(digits or 0)) == printed


STATEMENTS = {
    "1: time grows with bytes, bytes with every cached token": (
        payload_bytes(MODEL, 8_192 + 1) - payload_bytes(MODEL, 8_192) == payload_bytes(MODEL, 1)
    ),
    "2: a path is shared: five users leave each 5 GB/s of 25": (
        Link(name="NIC", rate=25 * GB_s, users=5).effective_rate == 5 * GB_s
    ),
    "5: from two bytes to one the ideal payload halves": (
        2 * stored_bytes(MODEL, 8_192, FORMATS["fp8_e4m3"]) == payload_bytes(MODEL, 8_192)
    ),
    "5: scales take some of it back": (
        2 * stored_bytes(MODEL, 8_192, FORMATS["fp8_e4m3_row"]) > payload_bytes(MODEL, 8_192)
    ),
    "5: the one-byte option changes the payload and no rate of the workers": (
        (ONE_BYTE.prefill, ONE_BYTE.decode, ONE_BYTE.network)
        == (BOUNDS.prefill, BOUNDS.decode, 2 * BOUNDS.network)
    ),
    "7: prefill gives way first": BOUNDS.first == "prefill",
    "7: the smallest bound is the limit": BOUNDS.limit == min(2.9296875, 7.8125, BOUNDS.network),
    "7: a faster network removes no bottleneck": (
        capacity(replace(SERVICE, network_rate=50 * GB_s)).limit == BOUNDS.limit
    ),
    "7: longer outputs move the limit to decode": (
        capacity(replace(SERVICE, output_tokens=2_048)).first == "decode"
    ),
    "7: more prefill workers move the limit to decode": (
        capacity(replace(SERVICE, prefill_workers=5)).first == "decode"
    ),
    "7: above the limit a queue grows without end": (
        backlog_growth(SERVICE, BOUNDS.limit * 1.01).total > 0
    ),
    "7: at the limit and below none does": (
        backlog_growth(SERVICE, BOUNDS.limit).total == backlog_growth(SERVICE, 2.0).total == 0
    ),
}


@pytest.mark.parametrize("holds", STATEMENTS.values(), ids=STATEMENTS)
def test_statement(holds):
    assert holds
