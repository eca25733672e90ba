"""Bandwidth: how fast a path moves bytes at the very best. Chapter 2.

    T ≥ payload / B        B is the rate of the slowest hop, as it is shared
    T ≈ α + payload / B    with a start-up time α, fitted to measurements

| file       | what it answers                                                     |
|------------|---------------------------------------------------------------------|
| `paths`    | links, the path as its slowest hop, the least time for a size       |
| `reports`  | whether a reported time can be true                                 |
| `known`    | nominal rates of well-known links, one direction, with their source |
| `fits`     | start-up and rate from measured sizes and times                     |
| `measured` | published hand-offs: bytes and seconds, with their source           |
| `sharing`  | what several flows get on links that they share (max-min fair)      |
| `checks`   | what counts as a rate and as a time                                 |

Counted: the bytes of the payload, the encoding and framing of a link where its efficiency says
so, and concurrent users. Not counted: allocation, registration, posting, staging, waiting,
conversion; a fit sees their sum as start-up.
"""

from kvlib.bandwidth.fits import Fit, fit, seconds_with_startup
from kvlib.bandwidth.known import LINKS
from kvlib.bandwidth.measured import MOONCAKE_SGLANG, MOONCAKE_VLLM, Handoff
from kvlib.bandwidth.paths import (
    ROCE_OVERHEAD,
    TCP_OVERHEAD,
    Link,
    Path,
    framing_efficiency,
    transfer_rate,
    transfer_seconds,
)
from kvlib.bandwidth.reports import Report, plausible
from kvlib.bandwidth.sharing import Flow, fair_rates

__all__ = [
    "LINKS",
    "MOONCAKE_SGLANG",
    "MOONCAKE_VLLM",
    "ROCE_OVERHEAD",
    "TCP_OVERHEAD",
    "Fit",
    "Flow",
    "Handoff",
    "Link",
    "Path",
    "Report",
    "fair_rates",
    "fit",
    "framing_efficiency",
    "plausible",
    "seconds_with_startup",
    "transfer_rate",
    "transfer_seconds",
]
