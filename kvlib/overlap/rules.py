"""Rules: how engines cut a hand-off, as data; no engine has code of its own.

An engine that cuts by chunk sends what a prefill chunk has left once the chunk is done: a prompt
of one chunk is one piece, and nothing of it overlaps. Versions differ; read the rule of yours.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES
from kvlib.overlap.checks import one_count, one_time
from kvlib.overlap.pieces import MOST_TOKENS, chunkwise, layerwise, serial
from kvlib.overlap.timeline import MOST_PIECES, Piece

__all__ = ["SGLANG", "SPLITWISE", "VLLM_NIXL", "Rule", "pieces_under"]

CUTS = ("whole", "chunk", "layer")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How one version of an engine cuts; prompts below `least_tokens` go in one piece.

    Raises TypeError or ValueError for an unknown cut or what is no count.
    """

    name: str
    version: str
    source: str
    cut: str  # one of CUTS
    chunk_tokens: int | None = None  # of a chunk; given where the cut is by chunk
    page_tokens: int = 1  # only whole pages leave before the last chunk
    least_tokens: int = 0

    def __post_init__(self) -> None:
        for name in ("name", "version", "source"):
            _check.kind("Rule", name, getattr(self, name), str, "text")
        _check.one_of("Rule", "cut", self.cut, CUTS)
        if (self.cut == "chunk") != (self.chunk_tokens is not None):
            rule = "given where the cut is by chunk, and only there"
            raise ValueError(_check.wrong("Rule", "chunk_tokens", rule, self.chunk_tokens))
        for name, least in (("chunk_tokens", 1), ("page_tokens", 1), ("least_tokens", 0)):
            if getattr(self, name) is not None or name != "chunk_tokens":
                count = one_count("Rule", name, getattr(self, name), minimum=least)
                object.__setattr__(self, name, count)


SGLANG = Rule(
    name="SGLang",
    version="000c2b9",
    source="python/sglang/srt/disaggregation/prefill.py: a send after each chunk, state with the "
    "last; server_args.py: chunks of 8,192 tokens on cards of 60 to 160 GiB",
    cut="chunk",
    chunk_tokens=8_192,
)
VLLM_NIXL = Rule(
    name="vLLM, NIXL connector",
    version="0a5110e",
    source="docs/features/nixl_connector_compatibility.md: decode reads after prefill",
    cut="whole",
)
SPLITWISE = Rule(
    name="Splitwise",
    version="arXiv 2311.18677",
    source="section 6.1: by layer; in one piece below 512 prompt tokens on H100",
    cut="layer",
    least_tokens=512,
)


def pieces_under(
    rule: Rule,
    prefill_seconds: float,
    n_bytes: int,
    tokens: int,
    layers: int,
    state_bytes: int = 0,
) -> tuple[Piece, ...]:
    """Return the pieces in which an engine sends a prompt of `tokens` through `layers`.

    Raises TypeError or ValueError for no Rule, time or count.

    >>> [len(pieces_under(SGLANG, 1.0, 2**30, tokens, layers=32)) for tokens in (8_192, 32_768)]
    [1, 4]
    """
    call = "pieces_under"
    _check.kind(call, "rule", rule, Rule, "a Rule, as SGLANG")
    one_time(call, "prefill_seconds", prefill_seconds)
    one_count(call, "n_bytes", n_bytes, maximum=MOST_BYTES // 2)
    tokens = one_count(call, "tokens", tokens, minimum=1, maximum=MOST_TOKENS)
    one_count(call, "layers", layers, minimum=1, maximum=MOST_PIECES)  # where unused, too
    one_count(call, "state_bytes", state_bytes, maximum=MOST_BYTES // 2)
    cut = "whole" if tokens < rule.least_tokens else rule.cut
    match cut:
        case "whole":
            return serial(prefill_seconds, n_bytes, state_bytes)
        case "layer":
            return layerwise(prefill_seconds, n_bytes, layers, state_bytes)
        case _:
            return chunkwise(
                prefill_seconds,
                n_bytes,
                tokens,
                rule.chunk_tokens,
                state_bytes=state_bytes,
                page_tokens=rule.page_tokens,
            )
