"""Every number of the source text that chapters 1 to 7 stand on, one row each.

A row holds what the number means in our words, the expression that gives it, the value worked out
by hand, and the way it is printed. Source: The cost of moving KV; sources checked 2026-09-24.
"""

from dataclasses import replace

import pytest

from kvlib.bandwidth import Link, transfer_seconds
from kvlib.budget import Service, backlog_growth, capacity
from kvlib.engines import VLLM
from kvlib.hits import MOVES_SUFFIX, hand_off
from kvlib.layout import Side, compatible, handoff
from kvlib.models import load
from kvlib.overlap import (
    SGLANG,
    contended,
    even_ready_seconds,
    layerwise,
    pieces_under,
    serial,
    timeline,
)
from kvlib.payload import Geometry, payload_bytes
from kvlib.quantization import FORMATS, stored_bytes
from kvlib.units import GB, GB_s, Gbit_s, GiB, format_as

MODEL = Geometry(layers=32, kv_heads=8, head_dim=128)
SERVICE = Service()
HIT = hand_off(MODEL, 8_192, source=8_000)
BOUNDS = capacity(SERVICE)
PREFILL = SERVICE.prompt_tokens / SERVICE.prefill_rate  # seconds of the prompt on one worker
WHOLE = timeline(serial(PREFILL, SERVICE.payload_bytes), SERVICE.network_rate)
LAYERS = layerwise(PREFILL, SERVICE.payload_bytes, MODEL.layers)
BY_LAYER = timeline(LAYERS, SERVICE.network_rate)
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
    "3: tokens of the prompt": (HIT.tokens, 8_192, "8,192 tokens", "tokens"),
    "3: those cached at the source": (HIT.source_hit, 8_000, "8,000 tokens", "tokens"),
    "3: the suffix that it computes": (HIT.computed_tokens, 192, "192 tokens", "tokens"),
    "3: what moves to a fresh destination": (HIT.moved_bytes, 2**30, "1 GiB", "GiB"),
    "4: one prompt, handed off once": (
        handoff(MODEL, 8_192, 2, 4).wire_bytes,
        1_073_741_824,
        "1 GiB",
        "GiB",
    ),
    "4: a prompt four times as long": (
        handoff(MODEL, 32_768, 2, 4).wire_bytes,
        4 * 2**30,
        "4 GiB",
        "GiB",
    ),
    "4: its least time at 25 GB/s, from one rank to one": (
        transfer_seconds(handoff(MODEL, 8_192).busiest_bytes, 25 * GB_s),
        0.04294967296,
        "42.95 ms",
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
    "6: the prompt's prefill": (PREFILL, 1.024, "1,024.00 ms", "ms 2"),
    "6: prefill and transfer add": (
        WHOLE.ready_seconds,
        1.024 + 0.04294967296,
        "1,066.95 ms",
        "ms 2",
    ),
    "6: a layer's part of the payload": (LAYERS[0].n_bytes, 33_554_432, "33.55 MB", "MB 2"),
    "6: what its last layer leaves exposed": (
        round(BY_LAYER.exposed_seconds, 12),
        0.00134217728,
        "1.34 ms",
        "ms 2",
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
    "3: compute saved scales with the cached part": HIT.compute_saved == 8_000 / 8_192,
    "3: a source hit takes nothing off the network": HIT.moved_bytes == HIT.payload_bytes,
    "3: a destination prefix does, where the protocol can use it": (
        hand_off(MODEL, 8_192, destination=8_000, convention=MOVES_SUFFIX).moved_bytes
        == payload_bytes(MODEL, 192)
        < hand_off(MODEL, 8_192, destination=8_000).moved_bytes
    ),
    "4: values are partitioned up to the heads, replicated beyond": (
        [handoff(MODEL, 8_192, n, n).held_bytes // 2**30 for n in (1, 8, 16)] == [1, 1, 2]
    ),
    "4: dividing by the number of GPUs is no rule": (
        handoff(MODEL, 8_192, 16, 16).receives[0] == 2 * 2**30 // 16
    ),
    "4: it is never one for multi-head latent attention": (
        handoff(load("deepseek-v3"), 8_192, 8, 8).receives[0]
        == payload_bytes(load("deepseek-v3"), 8_192)
    ),
    "4: what is contiguous between equal sizes is in pieces between unequal ones": (
        handoff(MODEL, 8_192, 2, 2).descriptors < handoff(MODEL, 8_192, 2, 4).descriptors
    ),
    "4: staging gathers the same bytes into one piece a pair": (
        handoff(MODEL, 8_192, 2, 4, staged_tokens=8_192).descriptors == 4
        and handoff(MODEL, 8_192, 2, 4, staged_tokens=8_192).wire_bytes == 2**30
    ),
    "4: sliding windows and recurrent state can rule unequal sizes out": not (
        compatible(load("gpt-oss-20b"), Side(tp=2), Side(tp=4)).possible
        or compatible(load("qwen3-next-80b-a3b"), Side(tp=2), Side(tp=4), VLLM).possible
    ),
    "6: sent at the end, prefill and transfer add": (
        WHOLE.ready_seconds == PREFILL + transfer_seconds(GiB, 25 * GB_s)
    ),
    "6: pipelined, pieces move while later ones are computed": (
        BY_LAYER.steps[0].sent < BY_LAYER.prefill_end_seconds < WHOLE.ready_seconds
    ),
    "6: and still the destination waits for the last of them": (
        PREFILL < BY_LAYER.ready_seconds == BY_LAYER.steps[-1].sent
    ),
    "6: smaller pieces start sooner": (
        BY_LAYER.steps[0].send_start < WHOLE.steps[0].send_start / 30
    ),
    "6: and cost more bookkeeping: 32 are worse than one for a short prompt": (
        even_ready_seconds(32, 0.008, 0.0003, 0.0005) > even_ready_seconds(1, 0.008, 0.0003, 0.0005)
    ),
    "6: contention takes from both": (
        contended(
            LAYERS, SERVICE.network_rate, compute_slowdown=1.1, transfer_slowdown=1.5
        ).ready_seconds
        > BY_LAYER.ready_seconds
    ),
    "6: not every deployment overlaps all layers": (
        pieces_under(SGLANG, PREFILL, GiB, SERVICE.prompt_tokens, MODEL.layers)
        == serial(PREFILL, GiB)
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
