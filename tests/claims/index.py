"""The front page: what its table and its prose state."""

from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.payload import Geometry, payload_bytes
from kvlib.units import Gbit_s

TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)
CLAIMS = {
    "1 GiB": lambda: payload_bytes(TEXT, 8_192),
    "200 Gb/s": lambda: Service().network_rate,
    "42.95 ms": lambda: transfer_seconds(payload_bytes(TEXT, 8_192), 200 * Gbit_s),
    "2.93 requests/s": lambda: capacity(Service()).prefill,
    "7.81 requests/s": lambda: capacity(Service()).decode,
    "23.28 requests/s": lambda: capacity(Service()).network,
}
