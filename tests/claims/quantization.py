"""Chapter 5: what its prose and its questions state."""

from dataclasses import replace

from claims.chapter import practice
from kvlib.bandwidth import transfer_seconds
from kvlib.budget import Service, capacity
from kvlib.exercises import find
from kvlib.exercises import quantization as asked
from kvlib.models import load
from kvlib.payload import payload_bytes
from kvlib.quantization import (
    FLOATS,
    FORMATS,
    bits_per_element,
    break_even_rate,
    conversion_seconds,
    run_bytes,
    stored_bytes,
    tail_tokens,
)
from kvlib.quantization.error import errors, sample
from kvlib.units import GB_s, Gbit_s, GiB

LLAMA, DEEPSEEK, SPARSE = load("llama-3.1-8b"), load("deepseek-v3"), load("deepseek-v3.2")
INDEXER = SPARSE.groups[1]
LINK = 200 * Gbit_s
SERVICE = Service()
POOLS = (389_872, 779_760)  # tokens

GIVEN = "given: the prompt and the link of the book's example"
ASSUMED = "given: what the chapter assumes of memories"
GGML = "llama.cpp, ggml-common.h: blocks of 32, codes and an fp16 scale"
KIVI = "jy-yuan/KIVI, example.py: group size and residual length"
MLA = "vLLM and SGLang, fp8_ds_mla: the parts of a row"
VLLM_42058 = "vllm-project/vllm issue 42058, comment of 2026-08-01"
SGLANG_22671 = "sgl-project/sglang issue 22671"
SGLANG_DOC = "SGLang, quantized_kv_cache.md at 03cd2ec: table of scores or of formats"


def held(key, value=None, tokens=8_192, model=LLAMA):
    """Return the bytes of a model in formats by name."""
    return stored_bytes(model, tokens, FORMATS[key], FORMATS[value or key])


def bits(name):
    """Return the bits an element of a format, in rows of 128."""
    return bits_per_element(FORMATS[name])


def part(key, value=None, tokens=8_192, model=LLAMA):
    """Return the share of bf16 that formats by name take."""
    return held(key, value, tokens, model) / held("bf16", tokens=tokens, model=model)


def bound(key, value=None, model=LLAMA):
    """Return the least time of 8,192 tokens on the book's link."""
    return transfer_seconds(held(key, value, model=model), LINK)


def wrong(name, outliers):
    """Return the errors of a format for K, V in bf16, as the chapter's cell computes them."""
    return errors(sample(seed=5, outliers=outliers), FORMATS[name], FORMATS["bf16"])


def at(rate, size):
    """Return the capacity of the book's service at a link rate and a width, in requests/s."""
    return capacity(replace(SERVICE, network_rate=rate, element_bytes=size))


def row(model, key, value):
    """Return the expressions of a row of the explorer's table."""
    found = load(model)
    return [
        lambda: held(key, value, model=found) / 2**20,
        lambda: 100 * part(key, value, model=found),
        lambda: 1_000 * bound(key, value, found),
    ]


CLAIMS = [
    ("14 minutes to read, {25} to practise.", lambda: practice("5")),
    # What half the bits leave
    (
        "The prompt of chapter 1 holds {1 GiB} in bf16.",
        lambda: held("bf16"),
    ),
    (
        "{8}-bit codes, and one {16}-bit scale for every {32} of them. Choose",
        lambda: FORMATS["q8_0"].element_bits,
        lambda: 8 * FORMATS["q8_0"].group_bytes,
        lambda: FORMATS["q8_0"].group,
    ),
    (
        "two bytes become one: {1 GiB} falls to {512 MiB}, and {42.95 ms} at {25 GB/s} to "
        "{21.47 ms}.",
        lambda: held("bf16"),
        lambda: held("fp8_e4m3"),
        lambda: bound("bf16"),
        GIVEN,
        lambda: bound("fp8_e4m3"),
    ),
    (
        "In q8_0 it is {8} + {16}/{32} = {8.5} bits: {544 MiB}.",
        lambda: FORMATS["q8_0"].element_bits,
        lambda: 8 * FORMATS["q8_0"].group_bytes,
        lambda: FORMATS["q8_0"].group,
        lambda: bits("q8_0"),
        lambda: held("q8_0"),
    ),
    (
        "in groups of {64}, scale and zero point add half a bit: {4.5}, not {4}.",
        lambda: FORMATS["int4_g64"].group,
        lambda: bits("int4_g64"),
        lambda: FORMATS["int4_g64"].element_bits,
    ),
    # Formats
    ("| fp8_e4m3, fp8_e5m2 | 8 | K or V of a layer | {8} | no |", lambda: bits("fp8_e5m2")),
    ("| fp8_e4m3_row, int8_row | 8 | token and head | {8.25} |", lambda: bits("int8_row")),
    ("| mxfp8 | 8 | 32 | {8.25} |", lambda: bits("mxfp8")),
    ("| q8_0 | 8 | 32 | {8.5} |", lambda: bits("q8_0")),
    ("| q5_1 | 5 | 32, with zero point | {6} |", lambda: bits("q5_1")),
    (
        "| 4 | 32 or 64, with zero point | {5}, {4.5} |",
        lambda: bits("int4_g32"),
        lambda: bits("int4_g64"),
    ),
    ("| q4_0 | 4 | 32 | {4.5} |", lambda: bits("q4_0")),
    ("| nvfp4 | 4 | 16 | {4.5} |", lambda: bits("nvfp4")),
    ("| mxfp4 | 4 | 32 | {4.25} |", lambda: bits("mxfp4")),
    ("| kivi2 | 2 | 32, with zero point | {3} |", lambda: bits("kivi2_value")),
    (
        "A channel's group needs {32} tokens, so newer ones wait in {16} bits",
        KIVI,
        lambda: FORMATS["bf16"].element_bits,
    ),
    (
        "V keeps {32} plain, too, so 100 tokens ({4} of K plain) take",
        lambda: tail_tokens(FORMATS["kivi2_value"], 100),
        lambda: tail_tokens(FORMATS["kivi2_key"], 100),
    ),
    (
        "(4 of K plain) take {33.4 %} of bf16, not 3/16, or {18.75 %}.",
        lambda: part("kivi2_key", "kivi2_value", 100),
        lambda: bits("kivi2_key") / 16,
    ),
    # The explorer
    (
        "for the rotary key. Why is the share not {50 %}?",
        lambda: part("fp8_e4m3", model=DEEPSEEK.groups[0]),
    ),
    ("lower the memory to {60 GB/s}. Below", ASSUMED),
    ("Some of its results, at 8,192 tokens, {200 Gb/s} and {2 TB/s}, with", GIVEN, ASSUMED),
    (
        "| llama-3.1-8b | fp8_e4m3, fp8_e4m3 | {512.0} | {50.0} | {21.47} |",
        *row("llama-3.1-8b", "fp8_e4m3", "fp8_e4m3"),
    ),
    (
        "| llama-3.1-8b | q8_0, q4_0 | {416.0} | {40.6} | {17.45} |",
        *row("llama-3.1-8b", "q8_0", "q4_0"),
    ),
    (
        "| llama-3.1-8b | nvfp4, nvfp4 | {288.0} | {28.1} | {12.08} |",
        *row("llama-3.1-8b", "nvfp4", "nvfp4"),
    ),
    (
        "| deepseek-v3.2 | fp8_e4m3_g128, bf16 | {375.5} | {61.4} | {15.75} |",
        *row("deepseek-v3.2", "fp8_e4m3_g128", "bf16"),
    ),
    (
        "the latent has four scales: {656 bytes} a row in place of {1,152}. Indexer keys stay at "
        "{132 bytes}.",
        lambda: held("fp8_e4m3_g128", "bf16", 1, DEEPSEEK) / 61,
        lambda: held("bf16", tokens=1, model=DEEPSEEK) / 61,
        lambda: INDEXER.bytes_per_token / 61,
    ),
    (
        "At {60 GB/s} packing pays below {10 GB/s}, and the link has {25 GB/s}: it loses.",
        ASSUMED,
        lambda: break_even_rate(GiB, GiB // 2, (60 * GB_s, 60 * GB_s)),
        lambda: LINK,
    ),
    # Errors
    (
        "the error of K grows from {7.8 %} to {11.1 %}.",
        lambda: wrong("int4_g32", 0).key,
        lambda: wrong("int4_g32", 4).key,
    ),
    (
        "the error of the scores grows from {7.8 %} to {34.0 %}, and about half",
        lambda: wrong("int4_g32", 0).scores,
        lambda: wrong("int4_g32", 4).scores,
    ),
    # Where it pays
    (
        "In bf16 the hand-off takes {42.95 ms}. On a GPU with {2 TB/s} of memory, "
        "packing costs {0.81 ms} an end and saves {21.47 ms}.",
        lambda: bound("bf16"),
        ASSUMED,
        lambda: conversion_seconds(GiB, GiB // 2, 2_000 * GB_s),
        lambda: bound("bf16") - bound("fp8_e4m3"),
    ),
    (
        "On hosts with {60 GB/s} it costs {26.84 ms} an end and loses",
        ASSUMED,
        lambda: conversion_seconds(GiB, GiB // 2, 60 * GB_s),
    ),
    (
        "The network could carry {46.57 requests/s} instead of {23.28}. Prefill still gives way "
        "first, at {2.93 requests/s}",
        lambda: at(LINK, 1).network,
        lambda: at(LINK, 2).network,
        lambda: at(LINK, 1).limit,
    ),
    # A common mistake
    (
        '"An MLA row has {576} elements. In fp8 that is {576 bytes} instead of {1,152}, so',
        lambda: DEEPSEEK.groups[0].elements_per_token / 61,
        lambda: held("fp8_e4m3", tokens=1, model=DEEPSEEK) / 61,
        lambda: held("bf16", tokens=1, model=DEEPSEEK) / 61,
    ),
    (
        "another: {512 bytes} of latent, four fp32 scales of {16 bytes} together, and the rotary "
        "key in bf16, {128 bytes}.",
        MLA,
        lambda: run_bytes(FORMATS["fp8_e4m3_g128"], 512) - 512,
        lambda: run_bytes(FORMATS["bf16"], 64),
    ),
    (
        "That is {656 bytes}. The indexer's key has {132 bytes} either way. So a layer falls from "
        "{1,284 bytes} to {788 bytes}, which is {61.4 %}. At 8,192 tokens the model holds "
        "{375.5 MiB}, not half of {611.9 MiB}.",
        lambda: held("fp8_e4m3_g128", "bf16", 1, DEEPSEEK) / 61,
        lambda: INDEXER.bytes_per_token / 61,
        lambda: held("bf16", tokens=1, model=SPARSE) / 61,
        lambda: held("fp8_e4m3_g128", "bf16", 1, SPARSE) / 61,
        lambda: part("fp8_e4m3_g128", "bf16", model=SPARSE),
        lambda: held("fp8_e4m3_g128", "bf16", model=SPARSE),
        lambda: held("bf16", model=SPARSE),
    ),
    # Seen in the wild
    (
        "With fp8 the pool grew from {389,872} to {779,760} tokens, a factor of {2.00}.",
        VLLM_42058,
        VLLM_42058,
        lambda: POOLS[1] / POOLS[0],
    ),
    (
        "throughput changed by a factor of {0.997} to {1.032}. The rate of prefill fell by "
        "{2.4 %} to {4.9 %}.",
        *[VLLM_42058] * 4,
    ),
    ("| Qwen3-235B-A22B | gsm8k | {0.9168} | {0.9181} | {0.9186} |", *[SGLANG_DOC] * 3),
    ("| Qwen3-235B-A22B | aime25 | {0.7733} | {0.7333} | {0.6000} |", *[SGLANG_DOC] * 3),
    ("| DeepSeek-R1-0528 | aime25 | {0.5067} | {0.4934} | {0.4000} |", *[SGLANG_DOC] * 3),
    ("| DeepSeek-R1-0528 | gpqa | {0.7707} | {0.7697} | {0.7273} |", *[SGLANG_DOC] * 3),
    ("| GPT-OSS-120B | gsm8k | {0.9161} | {0.9163} | {0.9152} |", *[SGLANG_DOC] * 3),
    ("| GPT-OSS-120B | aime25 | {0.7533} | {0.7667} | {0.3533} |", *[SGLANG_DOC] * 3),
    ("| GPT-OSS-120B | gpqa | {0.5081} | {0.5434} | {0.3202} |", *[SGLANG_DOC] * 3),
    (
        "aime26 at {76.7} instead of {95.3} and gpqa at {71.2} instead of {86.2}, and bf16",
        *[SGLANG_22671] * 4,
    ),
    (
        "gives e4m3 a range of ±{240}. The format that engines use, e4m3fn, reaches {448};",
        SGLANG_DOC,
        lambda: FLOATS["float8_e4m3fn"].largest,
    ),
    # Exercises
    (
        "A prompt of {32,768} tokens takes {4 GiB} in bf16. How much",
        lambda: asked.LONG,
        lambda: asked.PLAIN,
    ),
    (
        "4 + 32/32 = {5} bits an element. {4 GiB} × 5/16 = {1.25 GiB}.",
        lambda: bits("int4_g32"),
        lambda: asked.PLAIN,
        lambda: find("5.1").answer,
    ),
    (
        "A row is 512 + 4 × 4 + 64 × 2 = {656 bytes}. 61 × 656 × 8,192 = {327,811,072 B}, which "
        "is {312.6 MiB}.",
        lambda: held("fp8_e4m3_g128", "bf16", 1, DEEPSEEK) / 61,
        lambda: find("5.2").answer,
        lambda: find("5.2").answer,
    ),
    (
        "blocks of {34} and {18 bytes} for 32 elements. In bf16 it holds {4 GiB}. What is the "
        "least time at {100 Gb/s}?",
        lambda: run_bytes(FORMATS["q8_0"], 32),
        lambda: run_bytes(FORMATS["q4_0"], 32),
        lambda: asked.PLAIN,
        lambda: asked.SLOW,
    ),
    (
        "K takes {8.5} bits and V {4.5}, on average {6.5}. {4 GiB} × 6.5/16 = {1.625 GiB}, and "
        "at {12.5 GB/s} that is {139.59 ms}.",
        lambda: bits("q8_0"),
        lambda: bits("q4_0"),
        lambda: 8 * asked.MIXED / payload_bytes(LLAMA, asked.LONG, 1),
        lambda: asked.PLAIN,
        lambda: asked.MIXED,
        lambda: asked.SLOW,
        lambda: find("5.3").answer,
    ),
    ("Two hosts hold bf16 and convert at {100 GB/s} each.", lambda: asked.HOST),
    (
        "For {64 bytes} of bf16 the link is spared {30}, and each end moves 64 + 34 = {98}. So "
        "30 / B = 2 × 98 / {100 GB/s}, and B is {15.31 GB/s}, or {122.4 Gb/s}. A link of "
        "{200 Gb/s} is",
        lambda: run_bytes(FORMATS["bf16"], 32),
        lambda: 64 - run_bytes(FORMATS["q8_0"], 32),
        lambda: 64 + run_bytes(FORMATS["q8_0"], 32),
        lambda: asked.HOST,
        lambda: find("5.4").answer,
        lambda: find("5.4").answer,
        GIVEN,
    ),
    (
        "On {10 Gb/s} the link sustains {1.16 requests/s}, less than prefill and decode. At "
        "half the bytes it sustains {2.33 requests/s}.",
        "given: the slow link of the exercise",
        lambda: at(10 * Gbit_s, 2).limit,
        lambda: at(10 * Gbit_s, 1).limit,
    ),
    (
        "With them, 8,192 tokens of Llama-3.1-8B should need less than {20 ms} on {200 Gb/s}.",
        lambda: asked.SOON,
        lambda: asked.LINK,
    ),
    (
        "{20 ms} are {500 MB}, {7.45} bits an element on average. K in q8_0 takes {8.5}, so V may "
        "take {6.4}: q5_1",
        lambda: asked.SOON,
        lambda: asked.SOON * asked.LINK,
        lambda: 8 * asked.SOON * asked.LINK / payload_bytes(LLAMA, 8_192, 1),
        lambda: bits("q8_0"),
        lambda: 16 * asked.SOON * asked.LINK / payload_bytes(LLAMA, 8_192, 1) - bits("q8_0"),
    ),
    ("With q8_0/q5_1 the bound is {19.46 ms}.", lambda: bound("q8_0", "q5_1")),
    # Key points
    (
        "q8_0 takes {8.5}, int4 in groups of {64} takes {4.5}.",
        lambda: bits("q8_0"),
        lambda: FORMATS["int4_g64"].group,
        lambda: bits("int4_g64"),
    ),
    (
        "**If you remember one number:** {544 MiB}, not {512}: the scales",
        lambda: held("q8_0"),
        lambda: held("fp8_e4m3") / 2**20,
    ),
    # Questions
    ("{512 MiB}: half the bits, half the bytes", lambda: held("fp8_e4m3")),
    ("{544 MiB}: the codes and their scales", lambda: held("q8_0")),
    (
        "A block is {32 bytes} of codes and {2 bytes} of scale: {34 bytes} in place of {64}.",
        GGML,
        lambda: FORMATS["q8_0"].group_bytes,
        lambda: run_bytes(FORMATS["q8_0"], 32),
        lambda: run_bytes(FORMATS["bf16"], 32),
    ),
    ("{1 GiB}: values are unpacked before they leave", lambda: held("bf16")),
    ("{256 MiB}: K and V halve, each of them", lambda: held("bf16") // 4),
    ("A cache of {4 GiB} in bf16, stored as", lambda: asked.PLAIN),
    (
        "That leaves the scales out: four of {4 bytes} in each row.",
        lambda: FORMATS["fp8_e4m3_g128"].group_bytes,
    ),
    ("A row is 512 + 4 × 4 + 64 × {2 bytes}. There", lambda: FORMATS["bf16"].element_bits / 8),
    ("The least time at {100 Gb/s} for K in q8_0 and V in q4_0.", lambda: asked.SLOW),
    ("Each block of 32 has a scale of {2 bytes}.", lambda: FORMATS["q8_0"].group_bytes),
    (
        "Blocks are {34} and {18 bytes} in place of 64. The link carries {12.5 GB/s}.",
        lambda: run_bytes(FORMATS["q8_0"], 32),
        lambda: run_bytes(FORMATS["q4_0"], 32),
        lambda: asked.SLOW,
    ),
    (
        "q8_0 is {34 bytes} for {64}.",
        lambda: run_bytes(FORMATS["q8_0"], 32),
        lambda: run_bytes(FORMATS["bf16"], 32),
    ),
    (
        "For every {64 bytes} the link is spared {30}, and each",
        lambda: run_bytes(FORMATS["bf16"], 32),
        lambda: run_bytes(FORMATS["bf16"], 32) - run_bytes(FORMATS["q8_0"], 32),
    ),
    ("in the book's service: {200 Gb/s}, three of eight workers prefill", lambda: LINK),
    (
        "Prefill gives way first there, at {2.93 requests/s}. The link could carry "
        "{23.28 requests/s} already.",
        lambda: at(LINK, 2).limit,
        lambda: at(LINK, 2).network,
    ),
    ("in the same service on a link of {10 Gb/s}", "given: the slow link of the exercise"),
    (
        "There the link is the limit, at {1.16 requests/s}. Half the bytes make it "
        "{2.33 requests/s}, still below prefill.",
        lambda: at(10 * Gbit_s, 2).limit,
        lambda: at(10 * Gbit_s, 1).limit,
    ),
    ("on {10 Gb/s}, with fp8 at the decode workers", "given: the slow link of the exercise"),
    (
        "in the same service with {200 Gb/s} and answers of {2,048} tokens",
        lambda: LINK,
        "given: the longer answers of the exercise",
    ),
    (
        "Decode gives way first there, at {1.95 requests/s}.",
        lambda: capacity(replace(SERVICE, output_tokens=2_048)).limit,
    ),
    (
        "as K/V, that move 8,192 tokens in less than {20 ms}.",
        lambda: asked.SOON,
    ),
    (
        "{20 ms} at {25 GB/s} are {500 MB}. How many",
        lambda: asked.SOON,
        lambda: asked.LINK,
        lambda: asked.SOON * asked.LINK,
    ),
]
