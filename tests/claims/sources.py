"""The list of sources: the figures that its tables and its prose state."""

from kvlib.bandwidth import LINKS, MOONCAKE_VLLM, ROCE_OVERHEAD, TCP_OVERHEAD
from kvlib.models import load
from kvlib.payload import Latent, payload_bytes
from kvlib.quantization import FORMATS, stored_bytes
from kvlib.units import Gbit_s

ROW = Latent(layers=1, latent_dim=512, rope_dim=64)
PCIE = "PCI Express Base Specification: 128b/130b encoding"


def lane(generation):
    """Return the gigatransfers a second of one PCIe lane."""
    return LINKS[f"PCIe {generation} x16"].rate / 16 / Gbit_s


def extra_tokens():
    """Return how many tokens more than the prompt the first measured hand-off moved."""
    first = MOONCAKE_VLLM[0]
    return first.n_bytes / payload_bytes(load("qwen3-8b"), 1) - first.tokens


CLAIMS = [
    # Links and measurements
    (
        "PCI Express Base Specification 3.0 to 5.0 ({8}, {16} and {32} GT/s a lane",
        lambda: lane("Gen3"),
        lambda: lane("Gen4"),
        lambda: lane("Gen5"),
    ),
    (
        "GT/s a lane, of every {130} bits {128} data)",
        lambda: 128 / LINKS["PCIe Gen4 x16"].efficiency,
        PCIE,
    ),
    (
        "Framing: {82 bytes} a packet for RDMA over Ethernet (preamble",
        lambda: ROCE_OVERHEAD,
    ),
    (
        "(preamble, header, checksum and gap {38}, IPv4 20, UDP 8, BTH 12, ICRC {4}; RoCEv2",
        lambda: 8 + 14 + 4 + 12,
        lambda: ROCE_OVERHEAD - (8 + 14 + 4 + 12) - 20 - 8 - 12,
    ),
    (
        "annex A17) and {78} for TCP without options.",
        lambda: TCP_OVERHEAD,
    ),
    (
        "it sends {16} tokens more than the prompt has.",
        extra_tokens,
    ),
    (
        "The row of {656 bytes}: vLLM",
        lambda: stored_bytes(ROW, 1, FORMATS["fp8_e4m3_g128"], FORMATS["bf16"]),
    ),
    # Threads
    (
        "| a 6.9 held against a label of {100 Gb/s}: bits or bytes?",
        "kvcache-ai/Mooncake issue 49: the card of the post",
    ),
    (
        "| one card: {47 GB/s} from host memory, {15 GB/s} from GPU memory |",
        "kvcache-ai/Mooncake issue 1459: host memory",
        "kvcache-ai/Mooncake issue 1459: GPU memory",
    ),
    (
        "| more than {20 s} to register {256 GB} |",
        "ofiwg/libfabric issue 4738: the time of the call",
        "ofiwg/libfabric issue 4738: the size of the region",
    ),
    (
        "with {32} requests in flight; the +{18 %} is of prompts that were not cut",
        "sgl-project/sglang pull request 23515: the concurrency of the table",
        "sgl-project/sglang pull request 23515: the row of 256 tokens and its note",
    ),
]
