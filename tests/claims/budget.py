"""Chapter 7: what its prose and its questions state."""

from dataclasses import replace

from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, backlog, backlog_growth, best_split, capacity, utilisation
from kvlib.exercises.budget import LARGER, LEASE, OVER, POOL, SIXTEEN, TARGET, TWO
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import GB, Gbit_s

TEXT = Service()


def bounds(**changed):
    return capacity(replace(TEXT, **changed))


def sixteen(prefill_workers):
    return capacity(replace(SIXTEEN, prefill_workers=prefill_workers)).limit


def wait(arrival_rate, seconds):
    return backlog(TEXT, arrival_rate, seconds) / capacity(TEXT).limit


DOUBLE = bounds(network_rate=400 * Gbit_s)
LONGER = bounds(output_tokens=2_048)
TIGHT = replace(TEXT, prefill_workers=5, decode_memory=16 * GB, decode_seconds=512 / 40)
DYNAMO = payload_bytes(load("deepseek-v3"), 1_000)
ROADMAP = "sglang-omni issue 1760, measured on three H200 cards"
SGLANG = "sglang issue 6411, benchmark result of the first post"
GIVEN = "a value that the chapter supposes"

CLAIMS = {
    "8,000 tokens/s": lambda: TEXT.prefill_rate,
    "800 tokens/s": lambda: TEXT.decode_rate,
    "24,000 tokens/s": lambda: TEXT.prefill_workers * TEXT.prefill_rate,
    "4,000 tokens/s": lambda: TEXT.decode_workers * TEXT.decode_rate,
    "200 Gb/s": lambda: TEXT.network_rate,
    "400 Gb/s": lambda: 2 * TEXT.network_rate,
    "25 GB/s": lambda: TEXT.network_rate,
    "1 GiB": lambda: TEXT.payload_bytes,
    "2.93 requests/s": lambda: capacity(TEXT).prefill,
    "7.81 requests/s": lambda: capacity(TEXT).decode,
    "23.28 requests/s": lambda: capacity(TEXT).network,
    "46.57 requests/s": lambda: DOUBLE.network,
    "1.95 requests/s": lambda: LONGER.decode,
    "3.12 requests/s": lambda: bounds(prefill_workers=6).decode,
    "5.86 requests/s": lambda: bounds(prefill_workers=6).prefill,
    "25 Gb/s": GIVEN,
    "2.91 requests/s": lambda: bounds(network_rate=25 * Gbit_s).network,
    "10 Gb/s": GIVEN,
    "23.44 requests/s": lambda: bounds(prompt_tokens=1_024).prefill,
    "186.26 requests/s": lambda: bounds(prompt_tokens=1_024).network,
    "2 requests/s": GIVEN,
    "68.3 %": lambda: utilisation(TEXT, 2.0).prefill,
    "25.6 %": lambda: utilisation(TEXT, 2.0).decode,
    "8.6 %": lambda: utilisation(TEXT, 2.0).network,
    # The split
    "1.024 s": lambda: TEXT.prompt_tokens / TEXT.prefill_rate,
    "0.64 s": lambda: TEXT.output_tokens / TEXT.decode_rate,
    "4.69 requests/s": lambda: best_split(TEXT).capacity.limit,
    "60 %": lambda: best_split(TEXT).capacity.limit / capacity(TEXT).limit - 1,
    "3.91 requests/s": lambda: best_split(TIGHT).capacity.limit,
    "6.25 requests/s": lambda: bounds(prefill_workers=4).decode,
    # Load
    "4 requests/s": GIVEN,
    "1.07 requests/s": lambda: backlog_growth(TEXT, 4.0).total,
    "219 s": lambda: wait(4.0, 600),
    "42.95 ms": lambda: transfer_seconds(TEXT.payload_bytes, TEXT.network_rate),
    "21.47 ms": lambda: transfer_seconds(TEXT.payload_bytes, 2 * TEXT.network_rate),
    # Memory
    "40 tokens/s": GIVEN,
    "12.8 s": lambda: TIGHT.decode_seconds,
    "16 GB": lambda: TIGHT.decode_memory,
    "3.28 requests/s": lambda: capacity(TIGHT).memory,
    # Public figures
    "10 s": "dynamo issue 4425, time to first token with 100 requests in flight",
    "25 s": "dynamo issue 4425, time to first token with 250 requests in flight",
    "10 requests/s": lambda: 250 / 25,
    "70.27 MB": lambda: DYNAMO,
    "2.8 %": lambda: 10 * DYNAMO / TEXT.network_rate,
    "22.5 %": lambda: 8 * 10 * DYNAMO / TEXT.network_rate,
    "66 %": ROADMAP,
    "46 %": ROADMAP,
    "0.3 %": ROADMAP,
    "100 %": ROADMAP,
    "7.94×": lambda: 8_128 / 1_024,
    "2.56 requests/s": SGLANG,
    "24.8 s": SGLANG,
    # Exercises
    "9,000 tokens/s": lambda: TWO.prefill_rate,
    "18,000 tokens/s": lambda: TWO.prefill_workers * TWO.prefill_rate,
    "3.60 requests/s": lambda: capacity(TWO).prefill,
    "100 Gb/s": lambda: LARGER.network_rate,
    "12.5 GB/s": lambda: LARGER.network_rate,
    "2.5 GiB": lambda: LARGER.payload_bytes,
    "2.5 GB": "a slip: the payload in GiB, read as GB",
    "2.5×": lambda: LARGER.payload_bytes / TEXT.payload_bytes,
    "4.66 requests/s": lambda: capacity(LARGER).network,
    "3.5 requests/s": lambda: OVER,
    "0.57 requests/s": lambda: backlog_growth(TEXT, OVER).total,
    "900 s": lambda: 15 * 60,
    "175 s": lambda: wait(OVER, 15 * 60),
    "1,000 tokens/s": GIVEN,
    "2.34 requests/s": lambda: bounds(output_tokens=2_048, prefill_workers=2).decode,
    "1.56 requests/s": lambda: bounds(output_tokens=2_048, prefill_workers=4).decode,
    "2.44 requests/s": lambda: bounds(output_tokens=2_048, decode_rate=1_000).decode,
    "5 requests/s": GIVEN,
    "11.2 s": lambda: (POOL // LEASE) / 5,
    "7.5 requests/s": lambda: TARGET,
    "9.38 requests/s": lambda: sixteen(10),
    "8.79 requests/s": lambda: sixteen(9),
}
