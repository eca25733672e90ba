"""Chapter 2: what its prose and its questions state."""

from kvlib.bandwidth import (
    LINKS,
    MOONCAKE_VLLM,
    ROCE_OVERHEAD,
    Flow,
    Link,
    fair_rates,
    fit,
    framing_efficiency,
    seconds_with_startup,
    transfer_rate,
    transfer_seconds,
)
from kvlib.exercises import bandwidth as asked
from kvlib.payload import Geometry, payload_bytes
from kvlib.units import GB, MB, GB_s, Gbit_s, GiB, MiB, ms

TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)
CARD = LINKS["200 Gb/s Ethernet"].rate
FAST = LINKS["400 Gb/s Ethernet"].rate
SLOT = LINKS["PCIe Gen4 x16"]
OLD_SLOT = LINKS["PCIe Gen3 x16"]
MEASURED = fit([h.n_bytes for h in MOONCAKE_VLLM], [h.seconds for h in MOONCAKE_VLLM])
LABEL = 8 * CARD  # eight ports of each node
DYNAMO = 5_000 * payload_bytes(TEXT, 1)
FIFTH = Link(name="card", rate=CARD, users=5).effective_rate
QUARTER = fair_rates([Flow(links=("card",))] * 4, [Link(name="card", rate=CARD)])[0]
WANTED = {text: 4 * GiB / seconds for text, seconds in (("slow", 0.060), ("fast", 0.030))}


def over_bound(handoff):
    """How many times the bound of the label a measured hand-off took."""
    return handoff.seconds / transfer_seconds(handoff.n_bytes, LABEL)


def best():
    """The rate of the largest measured hand-off."""
    return transfer_rate(MOONCAKE_VLLM[-1].n_bytes, MOONCAKE_VLLM[-1].seconds)


CLAIMS = {
    # the bound
    "1 GiB": lambda: payload_bytes(TEXT, 8_192),
    "1,073,741,824 B": lambda: payload_bytes(TEXT, 8_192),
    "1,073,741,824 bytes": lambda: GiB,
    "4 GiB": lambda: payload_bytes(TEXT, 32_768),
    "200 Gb/s": lambda: CARD,
    "25 GB/s": lambda: CARD,
    "125,000,000 bytes": lambda: Gbit_s,
    "5 GB/s": lambda: FIFTH,
    "42.95 ms": lambda: transfer_seconds(GiB, CARD),
    "43 ms": lambda: transfer_seconds(GiB, CARD),
    "214.75 ms": lambda: transfer_seconds(GiB, FIFTH),
    "5 ms": lambda: transfer_seconds(GiB, 200 * GB_s),  # bits read as bytes
    "100 Gb/s": lambda: LINKS["100 Gb/s Ethernet"].rate,
    "12.5 GB/s": lambda: LINKS["100 Gb/s Ethernet"].rate,
    "6.9 GB/s": "kvcache-ai/Mooncake issue 49, where it stands as 6.9Gb",
    "6.9 %": lambda: 6.9 * Gbit_s / (100 * Gbit_s),
    "55.2 %": lambda: 6.9 * GB_s / (100 * Gbit_s),
    # hops, framing, places
    "400 Gb/s": lambda: FAST,
    "50 GB/s": lambda: FAST,
    "21.47 ms": lambda: transfer_seconds(GiB, FAST),
    "16 Gb/s": lambda: SLOT.rate / 16,
    "31.5 GB/s": lambda: SLOT.payload_rate,
    "82 bytes": lambda: ROCE_OVERHEAD,
    "98.04 %": lambda: framing_efficiency(4_096, ROCE_OVERHEAD),
    "92.59 %": lambda: framing_efficiency(1_024, ROCE_OVERHEAD),
    "47 GB/s": "kvcache-ai/Mooncake issue 1459: host memory",
    "15 GB/s": "kvcache-ai/Mooncake issue 1459: GPU memory",
    "94 %": lambda: 47 * GB_s / FAST,
    "30 %": lambda: 15 * GB_s / FAST,
    # the explorer's corners
    "0 ms": lambda: 0,
    "2 ms": lambda: asked.FITTED.startup,  # and the start-up of two corners
    "8 MiB": lambda: 8 * MiB,
    "23.47 ms": lambda: seconds_with_startup(GiB, 2 * ms, FAST),
    "0.17 ms": lambda: transfer_seconds(8 * MiB, FAST),
    "2.17 ms": lambda: seconds_with_startup(8 * MiB, 2 * ms, FAST),
    # measured
    "200 GB/s": lambda: LABEL,
    "0.38 ms": lambda: MEASURED.startup,
    "146 GB/s": lambda: MEASURED.rate,
    "73 %": lambda: MEASURED.rate / LABEL,
    "55 MB": lambda: MEASURED.half_size,
    "5.1×": lambda: over_bound(MOONCAKE_VLLM[0]),
    "1.3×": lambda: over_bound(MOONCAKE_VLLM[-1]),
    "142.25 GB/s": "Mooncake, vllm-v1-pd-performance.md, which counts GiB",
    "71.1 %": "Mooncake, vllm-v1-pd-performance.md: GiB/s over GB/s",
    "152.74 GB/s": best,
    "76.4 %": lambda: best() / LABEL,
    "256 GB": "ofiwg/libfabric issue 4738",
    "20 s": "ofiwg/libfabric issue 4738: more than 20 seconds",
    # the mistake
    "100 GB/s": lambda: 4 * GiB / transfer_seconds(GiB, CARD),
    "6.25 GB/s": lambda: QUARTER,
    "171.80 ms": lambda: transfer_seconds(GiB, QUARTER),
    # in the wild
    "1,803.43 ms": "ai-dynamo/dynamo pull request 1314: before the fix",
    "3.08 ms": "ai-dynamo/dynamo pull request 1314: after the fix",
    "131,072 B": lambda: payload_bytes(TEXT, 1),
    "655 MB": lambda: DYNAMO,
    "13.11 ms": lambda: transfer_seconds(DYNAMO, FAST),
    # exercises
    "343.60 ms": lambda: transfer_seconds(4 * GiB, 100 * Gbit_s),
    "4 GB": lambda: asked.QUESTIONS[1].slips[1].value * 100 * Gbit_s,
    "2 GiB": lambda: 2 * GiB,
    "8 Gb/s": lambda: OLD_SLOT.rate / 16,
    "126.03 Gb/s": lambda: OLD_SLOT.payload_rate,
    "15.75 GB/s": lambda: OLD_SLOT.payload_rate,
    "136.3 ms": lambda: transfer_seconds(2 * GiB, OLD_SLOT.payload_rate),
    "40 Gb/s": lambda: asked.FAR.rate,
    "8.33 GB/s": lambda: CARD / 3,
    "10 GB/s": lambda: asked.SHARES[0],
    "107.37 ms": lambda: transfer_seconds(GiB, asked.SHARES[0]),
    "24 ms": lambda: GiB / (44.74 * GB_s),
    "44.74 GB/s": lambda: transfer_rate(GiB, 24 * ms),
    "40 ms": lambda: 2 * GB / FAST,
    "2 GB": lambda: 40 * ms * FAST,
    "53.69 GB/s": lambda: transfer_rate(2 * GiB, 40 * ms),
    "128 MiB": lambda: GiB / 8,
    "2.24 GB/s": lambda: transfer_rate(128 * MiB, 60 * ms),
    "48 GB": lambda: 48 * GB,
    "1 s": lambda: 48 * GB / (48 * GB_s),
    "48 GB/s": lambda: transfer_rate(48 * GB, 1),
    "96 %": lambda: transfer_rate(48 * GB, 1) / FAST,
    "40 MB": lambda: asked.SIZES[0],
    "240 MB": lambda: asked.SIZES[1],
    "200 MB": lambda: asked.SIZES[1] - asked.SIZES[0],
    "4 ms": lambda: asked.TIMES[0],
    "14 ms": lambda: asked.TIMES[1],
    "10 ms": lambda: asked.TIMES[1] - asked.TIMES[0],
    "20 GB/s": lambda: asked.FITTED.rate,
    "1 GB": lambda: 1_000 * MB,
    "50 ms": lambda: transfer_seconds(1 * GB, asked.FITTED.rate),
    "52.0 ms": lambda: asked.FITTED.seconds(1 * GB),
    "60 ms": lambda: asked.LATEST,
    "30 ms": lambda: asked.SOONEST,
    "45 ms": lambda: (asked.SOONEST + asked.LATEST) / 2,
    "71.58 GB/s": lambda: WANTED["slow"],
    "143.17 GB/s": lambda: WANTED["fast"],
    "573 Gb/s": lambda: WANTED["slow"],
    "1,145 Gb/s": lambda: WANTED["fast"],
    "800 Gb/s": lambda: 4 * CARD,
}
