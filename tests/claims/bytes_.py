"""Chapter 1: what its prose and its questions state."""

from claims.chapter import made, practice, slip
from kvlib.exercises import find
from kvlib.models import load
from kvlib.payload import Geometry, Indexer, payload_bytes
from kvlib.units import GB, GiB

LLAMA = load("llama-3.1-8b").groups[0]
TEXT = Geometry(layers=32, kv_heads=8, head_dim=128)  # its shape
SMALL = load("llama-3.2-1b").groups[0]
DEEPSEEK = load("deepseek-v3").groups[0]
QWEN = load("qwen3-235b-a22b").groups[0]
QUERY_HEADS = {"llama-3.1-8b": 32, "llama-3.1-70b": 64}  # num_attention_heads of config.json
LOGGED = {"size": 8.23, "tokens": 367_404}  # vllm issue 21348: K of one GPU
WEIGHTS = "about: the weights that the model's name and card state, in billions"


def held(name, tokens, width=2):
    """Return the bytes of a model of the catalogue."""
    return payload_bytes(load(name), tokens, width)


def marginal(name, tokens=32_768):
    """Return the bytes that the next token adds."""
    return held(name, tokens + 1) - held(name, tokens)


def full(name):
    """Return the group of layers that keep every token."""
    return next(g for g in load(name).groups if g.kept_tokens is None)


def slides(name):
    """Return the group of layers that keep a window."""
    return next(g for g in load(name).groups if g.kept_tokens is not None)


def by_hidden_size(name):
    """Return the bytes a token that hidden size in place of KV heads gives."""
    hidden_size = QUERY_HEADS[name] * load(name).groups[0].head_dim
    return 2 * load(name).groups[0].layers * hidden_size * 2


def k_bytes(gpus=4):
    """Return the bytes of K that one of several GPUs keeps of a token of Qwen3-235B."""
    return QWEN.layers * (QWEN.kv_heads // gpus) * QWEN.head_dim * 2


def logged(unit):
    """Return the bytes a token that the log gives if its sizes are in `unit`."""
    return LOGGED["size"] * unit / LOGGED["tokens"]


def row(name):
    """Return the expressions of a model's row: one token, and two prompts."""
    return [lambda n=n: held(name, n) for n in (1, 8_192, 32_768)]


CLAIMS = [
    ("12 minutes to read, {21} to practise.", lambda: practice("1")),
    # What has to move
    (
        "1 · Bytes: a prompt leaves {1 GiB} behind",
        lambda: payload_bytes(TEXT, 8_192),
    ),
    (
        "A prefill worker has read {8,192} tokens.",
        "given: the prompt of the book's example",
    ),
    (
        "A worker prefills a handbook of {8,192} tokens and a question",
        "given: the prompt of the book's example",
    ),
    # The formula
    (
        "Take the shape of Llama-3.1-8B: {32} layers, {8} KV heads, $d_h = {128}$, two bytes",
        lambda: LLAMA.layers,
        lambda: LLAMA.kv_heads,
        lambda: LLAMA.head_dim,
    ),
    (
        "two bytes an element. One token costs {131,072 B}, which is {128 KiB}.",
        lambda: payload_bytes(TEXT, 1),
        lambda: payload_bytes(TEXT, 1),
    ),
    (
        "The prompt of 8,192 tokens costs {1,073,741,824 B}: {1 GiB} to the byte.",
        lambda: payload_bytes(TEXT, 8_192),
        lambda: payload_bytes(TEXT, 8_192),
    ),
    (
        "At 32,768 tokens the same model holds {4 GiB}.",
        lambda: payload_bytes(TEXT, 32_768),
    ),
    (
        "a GiB is 2³⁰ bytes, {7.37 %} more. So the prompt above is {1 GiB} and also {1.07 GB}.",
        lambda: GiB / GB - 1,
        lambda: made("1_bytes")["prompt"],
        lambda: made("1_bytes")["prompt"],
    ),
    # The explorer
    ("| llama-3.1-8b | {131,072 B} | {1.00 GiB} | {4.00 GiB} |", *row("llama-3.1-8b")),
    ("| deepseek-v3 | {70,272 B} | {0.54 GiB} | {2.14 GiB} |", *row("deepseek-v3")),
    ("| gemma-3-27b | {507,904 B} | {1.03 GiB} | {2.91 GiB} |", *row("gemma-3-27b")),
    ("| gpt-oss-20b | {49,152 B} | {0.19 GiB} | {0.75 GiB} |", *row("gpt-oss-20b")),
    (
        "| model | 1 token | {8,192} tokens | {32,768} tokens |",
        lambda: made("1_bytes")["prompt"] / payload_bytes(TEXT, 1),
        "given: the longer of two prompts",
    ),
    (
        "The curve bends at {1,024} tokens, where the window of {52} layers is full; ten",
        lambda: slides("gemma-3-27b").window,
        lambda: slides("gemma-3-27b").layers,
    ),
    (
        "DeepSeek-V3 holds {0.54 GiB} at 8,192 tokens, with {671} billion parameters.",
        lambda: held("deepseek-v3", 8_192),
        WEIGHTS,
    ),
    # The configuration decides
    (
        "| an [indexer]'s key (sparse attention) | {132 B} for each token | always |",
        lambda: Indexer(layers=1).bytes_per_token,
    ),
    (
        "DeepSeek-V3 keeps ${512} + {64}$ numbers per layer and token, whatever its {128} heads do",
        lambda: DEEPSEEK.latent_dim,
        lambda: DEEPSEEK.rope_dim,
        "num_attention_heads in DeepSeek-V3's config.json",
    ),
    (
        "heads do: {70,272 B} a token over {61} layers.",
        lambda: held("deepseek-v3", 1),
        lambda: DEEPSEEK.layers,
    ),
    (
        "Gemma-3-27B pays {507,904 B} for its first token",
        lambda: held("gemma-3-27b", 1),
    ),
    (
        "for its first token, but {52} of its {62} layers forget all but the last {1,024}.",
        lambda: slides("gemma-3-27b").layers,
        lambda: sum(g.layers for g in load("gemma-3-27b").groups),
        lambda: slides("gemma-3-27b").window,
    ),
    (
        "only {10} layers of Gemma-3-27B still grow, so a further token adds {81,920 B}.",
        lambda: full("gemma-3-27b").layers,
        lambda: marginal("gemma-3-27b", 1_024),
    ),
    (
        "with {671} billion parameters hands over half of what the model with {8} billion does.",
        WEIGHTS,
        WEIGHTS,
    ),
    # A common mistake
    (
        "For Llama-3.1-8B that gives 2 × {32} × {4,096} × 2 = {524,288 B} a token",
        lambda: LLAMA.layers,
        lambda: QUERY_HEADS["llama-3.1-8b"] * LLAMA.head_dim,
        lambda: by_hidden_size("llama-3.1-8b"),
    ),
    (
        "= 524,288 B a token and {4 GiB} for our prompt.",
        lambda: by_hidden_size("llama-3.1-8b") * 8_192,
    ),
    (
        "The hidden size counts all {32} query heads; only {8} KV heads are stored.",
        "num_attention_heads in Llama-3.1-8B's config.json",
        lambda: LLAMA.kv_heads,
    ),
    (
        "The estimate is {4×} too large here and {8×} for Llama-3.1-70B.",
        lambda: by_hidden_size("llama-3.1-8b") / held("llama-3.1-8b", 1),
        lambda: by_hidden_size("llama-3.1-70b") / held("llama-3.1-70b", 1),
    ),
    (
        "A script proposed for vLLM counted so until its reviewer named the {4×} ([vllm pull",
        "vllm pull request 29736: the review",
    ),
    # Seen in the wild
    (
        'a pool of {367,404} tokens with K {8.23} "GB" and V the same ([vllm issue 21348])',
        "vllm issue 21348: the start-up log",
        "vllm issue 21348: the start-up log",
    ),
    (
        "The model has {94} layers and four KV heads of {128} elements, so each GPU keeps one head",
        lambda: QWEN.layers,
        lambda: QWEN.head_dim,
    ),
    (
        "so each GPU keeps one head: {94} × {128} × 2 = {24,064 B} of K a token.",
        lambda: QWEN.layers,
        lambda: QWEN.head_dim,
        k_bytes,
    ),
    (
        "Read as GiB, the log gives {24,052 B}, the geometry's number to within",
        lambda: logged(GiB),
    ),
    (
        "Read as GB it gives {22,400 B}: that would be {87.5} layers.",
        lambda: logged(GB),
        lambda: logged(GB) / (k_bytes() / QWEN.layers),
    ),
    # Exercises
    (
        "Llama-3.2-1B has {16} layers, {32} query heads, {8} KV heads and head dimension {64}, in",
        lambda: SMALL.layers,
        "num_attention_heads in Llama-3.2-1B's config.json",
        lambda: SMALL.kv_heads,
        lambda: SMALL.head_dim,
    ),
    (
        "How large is the payload of {32,768} tokens?",
        lambda: find("1.1").answer / payload_bytes(SMALL, 1),
    ),
    (
        "2 × {16} × {8} × {64} × 2 = {32,768 B} a token. That is 2¹⁵, and so is",
        lambda: SMALL.layers,
        lambda: SMALL.kv_heads,
        lambda: SMALL.head_dim,
        lambda: held("llama-3.2-1b", 1),
    ),
    (
        "2³⁰ B, exactly {1 GiB}. In decimal units it is {1.07 GB}.",
        lambda: held("llama-3.2-1b", 32_768),
        lambda: held("llama-3.2-1b", 32_768),
    ),
    (
        "DeepSeek-V3 has {61} layers, a latent of {512} and a rotary key of {64} elements.",
        lambda: DEEPSEEK.layers,
        lambda: DEEPSEEK.latent_dim,
        lambda: DEEPSEEK.rope_dim,
    ),
    (
        "How many MiB do {4,096} tokens hold in two-byte elements?",
        lambda: find("1.2").answer / held("deepseek-v3", 1),
    ),
    (
        "{61} × ({512} + {64}) × 2 = {70,272 B} a token, and 4,096 of them are {274.5 MiB}.",
        lambda: DEEPSEEK.layers,
        lambda: DEEPSEEK.latent_dim,
        lambda: DEEPSEEK.rope_dim,
        lambda: held("deepseek-v3", 1),
        lambda: held("deepseek-v3", 4_096),
    ),
    (
        "gpt-oss-20b has {24} layers of {8} KV heads and head dimension {64}.",
        lambda: sum(g.layers for g in load("gpt-oss-20b").groups),
        lambda: full("gpt-oss-20b").kv_heads,
        lambda: full("gpt-oss-20b").head_dim,
    ),
    (
        "Every second layer keeps the last {128} tokens only.",
        lambda: slides("gpt-oss-20b").window,
    ),
    (
        "How many GiB do {32} requests of 8,192 tokens hold together?",
        lambda: find("1.3").answer / held("gpt-oss-20b", 8_192),
    ),
    (
        "Each half of the layers costs {12} × 2 × {8} × {64} × 2 = {24,576 B} a token.",
        lambda: full("gpt-oss-20b").layers,
        lambda: full("gpt-oss-20b").kv_heads,
        lambda: full("gpt-oss-20b").head_dim,
        lambda: payload_bytes(full("gpt-oss-20b"), 1),
    ),
    (
        "One request holds {24,576} × 8,192 + {24,576} × {128} = {204,472,320 B}",
        lambda: payload_bytes(full("gpt-oss-20b"), 1),
        lambda: payload_bytes(slides("gpt-oss-20b"), 1),
        lambda: slides("gpt-oss-20b").window,
        lambda: held("gpt-oss-20b", 8_192),
    ),
    (
        "= 204,472,320 B, and 32 of them {6.09 GiB}.",
        lambda: 32 * held("gpt-oss-20b", 8_192),
    ),
    (
        "With every layer billed in full it is {12 GiB}, which is what an engine reserves",
        lambda: 32 * payload_bytes(Geometry(layers=24, kv_heads=8, head_dim=64), 8_192),
    ),
    (
        "Prompts of {32,768} tokens are about to grow by {1,000} tokens each.",
        "given: the length that question 1.4 asks about",
        "given: the growth that question 1.4 asks about",
    ),
    (
        "Only layers that keep everything still grow at 32,768 tokens: "
        "Llama-3.1-8B adds {131,072 B} a token, Gemma-3-27B {81,920 B}, DeepSeek-V3 {70,272 B} "
        "and gpt-oss-20b {24,576 B}.",
        lambda: marginal("llama-3.1-8b"),
        lambda: marginal("gemma-3-27b"),
        lambda: marginal("deepseek-v3"),
        lambda: marginal("gpt-oss-20b"),
    ),
    (
        "at most a quarter of what Llama-3.1-8B holds at {32,768} tokens. Type its name.",
        "given: the length that question 1.5 asks about",
    ),
    (
        "very few KV heads. gpt-oss-20b with {0.75 GiB} is one.",
        lambda: held("gpt-oss-20b", 32_768),
    ),
    # Key points
    (
        "bytes per element: {131,072 B} a token for the shape of Llama-3.1-8B.",
        lambda: payload_bytes(TEXT, 1),
    ),
    (
        "**Convert.** {8,192} of those tokens are {1 GiB}, which is {1.07 GB}.",
        lambda: made("1_bytes")["prompt"] / payload_bytes(TEXT, 1),
        lambda: payload_bytes(TEXT, 8_192),
        lambda: payload_bytes(TEXT, 8_192),
    ),
    (
        "**If you remember one number:** {128 KiB} a token, so a prompt of {8,192} tokens "
        "leaves {1 GiB}.",
        lambda: payload_bytes(TEXT, 1),
        lambda: made("1_bytes")["prompt"] / payload_bytes(TEXT, 1),
        lambda: payload_bytes(TEXT, 8_192),
    ),
    # Questions
    (
        "An {8,192}-token handbook is prefilled, then a question",
        "given: the prompt of the book's example",
    ),
    (
        "about {32 KB}: the text of the prompt",
        "a wrong choice, roughly: 8,192 tokens of four letters",
    ),
    (
        "about {1 GiB}: keys and values of every token",
        lambda: payload_bytes(TEXT, 8_192),
    ),
    (
        "about {16 GB}: it goes with the model's weights",
        "a wrong choice, roughly: 8 billion weights of two bytes",
    ),
    (
        "Bytes of {32,768} tokens in Llama-3.2-1B.",
        lambda: find("1.1").answer / held("llama-3.2-1b", 1),
    ),
    (
        "One token is {32,768 bytes}, which is 2^15. Multiply by {32,768} tokens, also 2^15.",
        lambda: held("llama-3.2-1b", 1),
        lambda: 2**15,
    ),
    (
        "That is one token. The prompt has {32,768} of them.",
        lambda: find("1.1").answer / slip("1.1", "one token"),
    ),
    (
        "That counts {32} query heads. The cache keeps KV heads, and there are {8}.",
        lambda: slip("1.1", "query heads") / held("llama-3.2-1b", 32_768) * SMALL.kv_heads,
        lambda: SMALL.kv_heads,
    ),
    (
        "That is one layer. Each of the {16} layers keeps its own keys and values.",
        lambda: held("llama-3.2-1b", 32_768) / slip("1.1", "one layer"),
    ),
    (
        "Bytes of {4,096} tokens in DeepSeek-V3.",
        lambda: find("1.2").answer / held("deepseek-v3", 1),
    ),
    (
        "Each layer keeps {512} + {64} elements per token, whatever",
        lambda: DEEPSEEK.latent_dim,
        lambda: DEEPSEEK.rope_dim,
    ),
    (
        "One token is {61} × {576} × 2 = {70,272 bytes}. A MiB is 2^20 bytes.",
        lambda: DEEPSEEK.layers,
        lambda: DEEPSEEK.latent_dim + DEEPSEEK.rope_dim,
        lambda: held("deepseek-v3", 1),
    ),
    (
        "That is one token. The question asks about {4,096} of them.",
        lambda: find("1.2").answer / slip("1.2", "one token"),
    ),
    (
        "That stores K and V of all {128} heads.",
        "num_attention_heads in DeepSeek-V3's config.json",
    ),
    (
        "That leaves out the rotary key: {64} more elements in every layer.",
        lambda: (find("1.2").answer - slip("1.2", "rotary key")) / (4_096 * 61 * 2),
    ),
    (
        "Bytes of {32} requests of {8,192} tokens in gpt-oss-20b.",
        lambda: find("1.3").answer / held("gpt-oss-20b", 8_192),
        "given: the length that question 1.3 asks about",
    ),
    (
        "Count two groups of {12} layers: one keeps every token, the other the last {128}.",
        lambda: full("gpt-oss-20b").layers,
        lambda: slides("gpt-oss-20b").window,
    ),
    (
        "A token costs each group {24,576 bytes}. How many tokens does each group hold?",
        lambda: payload_bytes(full("gpt-oss-20b"), 1),
    ),
    (
        "That bills all {24} layers for every token. Half of them keep the last {128}.",
        lambda: slip("1.3", "bills all") / 32 / 8_192 / (2 * 8 * 64 * 2),
        lambda: slides("gpt-oss-20b").window,
    ),
    (
        "That is one request. There are {32}.",
        lambda: find("1.3").answer / slip("1.3", "one request. There"),
    ),
    (
        "That is one request, with all {24} layers billed for every token. There are {32}, and "
        "half of the layers keep the last {128} tokens.",
        lambda: slip("1.3", "one request, with") / 8_192 / (2 * 8 * 64 * 2),
        lambda: slip("1.3", "bills all") / slip("1.3", "one request, with"),
        lambda: slides("gpt-oss-20b").window,
    ),
    (
        "That leaves the window layers out. They hold {128} positions each.",
        lambda: (held("gpt-oss-20b", 8_192) - slip("1.3", "leaves the window") / 32) / 24_576,
    ),
    (
        "Prompts of {32,768} tokens grow by {1,000}. Whose hand-off grows most?",
        "given: the length that question 1.4 asks about",
        "given: the growth that question 1.4 asks about",
    ),
    (
        "DeepSeek-V3 ({671} billion parameters) The most parameters, and only {70,272 bytes} for "
        "each further token",
        WEIGHTS,
        lambda: marginal("deepseek-v3"),
    ),
    (
        "Gemma-3-27B ({52} of {62} layers slide) One token alone costs {507,904 bytes}, the most",
        lambda: slides("gemma-3-27b").layers,
        lambda: sum(g.layers for g in load("gemma-3-27b").groups),
        lambda: held("gemma-3-27b", 1),
    ),
    (
        "Past the window of {1,024} only {10} layers still grow: {81,920 bytes} a token.",
        lambda: slides("gemma-3-27b").window,
        lambda: full("gemma-3-27b").layers,
        lambda: marginal("gemma-3-27b"),
    ),
    (
        "Llama-3.1-8B ({8} billion parameters) All its layers keep every token: {131,072 bytes} "
        "each.",
        WEIGHTS,
        lambda: marginal("llama-3.1-8b"),
    ),
    (
        "gpt-oss-20b ({12} of {24} layers slide) Past its window of {128} tokens only {12} layers "
        "grow: {24,576 bytes} a token.",
        lambda: slides("gpt-oss-20b").layers,
        lambda: sum(g.layers for g in load("gpt-oss-20b").groups),
        lambda: slides("gpt-oss-20b").window,
        lambda: full("gpt-oss-20b").layers,
        lambda: marginal("gpt-oss-20b"),
    ),
    (
        "at most a quarter of Llama-3.1-8B at {32,768} tokens.",
        "given: the length that question 1.5 asks about",
    ),
    (
        "Llama-3.1-8B holds {4 GiB} there, so you look for {1 GiB} or less.",
        lambda: held("llama-3.1-8b", 32_768),
        lambda: held("llama-3.1-8b", 32_768) / 4,
    ),
]
