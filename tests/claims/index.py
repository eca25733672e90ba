"""The front page: what its table and its prose state."""

from claims.chapter import practice
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.units import Gbit_s

TEXT = Service()
CLAIMS = [
    (
        "each is assumed to read {8,000 tokens/s} or to write {800 tokens/s}; answers have {512} "
        "tokens.",
        lambda: TEXT.prefill_rate,
        lambda: TEXT.decode_rate,
        lambda: TEXT.output_tokens,
    ),
    (
        "| one prompt of {8,192} tokens holds | {1 GiB} |",
        lambda: TEXT.prompt_tokens,
        lambda: payload_bytes(load("llama-3.1-8b"), 8_192),
    ),
    (
        "| on a link of {200 Gb/s} it needs at least | {42.95 ms} |",
        lambda: TEXT.network_rate,
        lambda: transfer_seconds(payload_bytes(load("llama-3.1-8b"), 8_192), 200 * Gbit_s),
    ),
    (
        "| three of eight workers can prefill | {2.93 requests/s} |",
        lambda: capacity(TEXT).prefill,
    ),
    (
        "| the other five can decode | {7.81 requests/s} |",
        lambda: capacity(TEXT).decode,
    ),
    (
        "| the link can carry | {23.28 requests/s} |",
        lambda: capacity(TEXT).network,
    ),
    (
        "A chapter takes 12 to 15 minutes to read and {20} to {30} to practise; chapter 7 has two "
        "halves, and takes 20 and {40}.",
        lambda: 10 * (min(practice(c) for c in "1234568") // 10),
        lambda: 10 * -(-max(practice(c) for c in "1234568") // 10),
        lambda: practice("7"),
    ),
]
