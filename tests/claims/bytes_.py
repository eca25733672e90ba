"""Chapter 1: what its prose and its questions state."""

from kvlib.models import load
from kvlib.payload import Geometry, payload_bytes
from kvlib.units import GB, GiB

TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)


def held(name, tokens, width=2):
    return payload_bytes(load(name), tokens, width)


def grows(name, tokens=32_768):
    return held(name, tokens + 1) - held(name, tokens)


SGLANG_6753 = 2 * 53.18 / 871_371  # two pools of 53.18 "GB" over 871,371 tokens
BY_HIDDEN_SIZE = 2 * 32 * 4096 * 2  # Llama-3.1-8B, hidden size in place of KV heads x head dim
GPT_OSS_IN_FULL = Geometry(layers=24, kv_heads=8, head_dim=64)

CLAIMS = {
    "131,072 B": lambda: payload_bytes(TEXT, 1),
    "128 KiB": lambda: payload_bytes(TEXT, 1),
    "1,073,741,824 B": lambda: payload_bytes(TEXT, 8_192),
    "1 GiB": lambda: payload_bytes(TEXT, 8_192),
    "1.00 GiB": lambda: held("llama-3.1-8b", 8_192),
    "1.07 GB": lambda: payload_bytes(TEXT, 8_192),
    "4 GiB": lambda: payload_bytes(TEXT, 32_768),
    "4.00 GiB": lambda: held("llama-3.1-8b", 32_768),
    "7.37 %": lambda: GiB / GB - 1,
    "70,272 B": lambda: held("deepseek-v3", 1),
    "70,272 bytes": lambda: held("deepseek-v3", 1),
    "0.54 GiB": lambda: held("deepseek-v3", 8_192),
    "2.14 GiB": lambda: held("deepseek-v3", 32_768),
    "507,904 B": lambda: held("gemma-3-27b", 1),
    "507,904 bytes": lambda: held("gemma-3-27b", 1),
    "1.03 GiB": lambda: held("gemma-3-27b", 8_192),
    "2.91 GiB": lambda: held("gemma-3-27b", 32_768),
    "49,152 B": lambda: held("gpt-oss-20b", 1),
    "0.19 GiB": lambda: held("gpt-oss-20b", 8_192),
    "0.75 GiB": lambda: held("gpt-oss-20b", 32_768),
    "132 B": lambda: grows("deepseek-v3.2") / 61 - grows("deepseek-v3") / 61,
    "81,920 B": lambda: grows("gemma-3-27b"),
    "81,920 bytes": lambda: grows("gemma-3-27b"),
    "524,288 B": lambda: BY_HIDDEN_SIZE,
    "4×": lambda: BY_HIDDEN_SIZE / payload_bytes(TEXT, 1),
    "8×": lambda: 2 * 80 * 8192 * 2 / held("llama-3.1-70b", 1),
    "131,061 B": lambda: SGLANG_6753 * GiB,
    "122,061 B": lambda: SGLANG_6753 * GB,
    "32,768 B": lambda: held("llama-3.2-1b", 1),
    "32,768 bytes": lambda: held("llama-3.2-1b", 1),
    "131,072 bytes": lambda: payload_bytes(TEXT, 1),
    "274.5 MiB": lambda: held("deepseek-v3", 4_096),
    "24,576 B": lambda: grows("gpt-oss-20b"),
    "24,576 bytes": lambda: grows("gpt-oss-20b"),
    "204,472,320 B": lambda: held("gpt-oss-20b", 8_192),
    "6.09 GiB": lambda: 32 * held("gpt-oss-20b", 8_192),
    "12 GiB": lambda: 32 * payload_bytes(GPT_OSS_IN_FULL, 8_192),
    "16 GB": "a wrong choice: about 8 billion weights of two bytes",
    "32 KB": "a wrong choice: about four bytes of text a token",
}
