"""Setup: everything that a reader states of a service, in one record.

A worker is one running instance of the engine: `prefill_tp` ranks on the prefill side, `decode_tp`
on the decode side, which share one request's attention. Rates, memory and the batch are those of
a whole worker. The link is one for all hand-offs of the service: its rate, times the `share` that
hand-offs get of it, times the `efficiency` that a transfer reaches. What each rank's own card
carries is chapter 4's question (`layout.handoff`), not this one.

Hits count in the engine's pages. Pieces are equal parts of a request's compute and of its bytes.
"""

from dataclasses import dataclass, replace

from kvlib import _check
from kvlib.bandwidth.checks import MOST_SECONDS, link_rate_of, rate_of, seconds_of
from kvlib.budget.service import EXAMPLE
from kvlib.engines import SGLANG, Engine
from kvlib.hits import MOVES_ALL, Convention, source_hit
from kvlib.layout import Side, compatible
from kvlib.overlap.timeline import MOST_PIECES
from kvlib.payload import Geometry, Group, Indexer, Model, Recurrent, groups_of
from kvlib.quantization import Format
from kvlib.units import GB_s

__all__ = ["Setup"]

MOST_WORKERS, MOST_TOKENS, MOST_TP = 256, 1_000_000_000, 256
MOST_MEMORY = _check.LARGEST
COUNTS = {  # name: the least and the most
    "prompt_tokens": (1, MOST_TOKENS),
    "output_tokens": (1, MOST_TOKENS),
    "source_hit": (0, MOST_TOKENS),
    "destination_hit": (0, MOST_TOKENS),
    "prefill_tp": (1, MOST_TP),
    "decode_tp": (1, MOST_TP),
    "pieces": (1, MOST_PIECES),
    "workers": (2, MOST_WORKERS),
    "prefill_workers": (1, MOST_WORKERS),
    "decode_memory": (1, MOST_MEMORY),
    "batch": (1, MOST_TOKENS),
}


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A model, a prompt, two ends, a link, workers and a load: the defaults are the book's example.

    Raises TypeError or ValueError, in one sentence that names the field, for what is no such
    thing and for what cannot be counted together.

    >>> Setup().decode_workers, Setup(source_hit=8_000).computed_tokens
    (5, 192)
    """

    model: Model | Group = EXAMPLE
    prompt_tokens: int = 8_192
    output_tokens: int = 512
    key_format: Format | None = None  # of K (of MLA: the latent); None: as the model states
    value_format: Format | None = None  # of V (of MLA: the rotary key); None: as K
    source_hit: int = 0  # tokens of the prompt that the prefill worker holds already
    destination_hit: int = 0  # tokens of it that the decode worker holds already
    protocol: Convention = MOVES_ALL  # what the two ends make of the second
    prefill_tp: int = 1
    decode_tp: int = 1
    engine: Engine = SGLANG
    link_rate: float = 25.0 * GB_s  # B/s, shared by all hand-offs
    share: float = 1.0  # of the link, that hand-offs get
    efficiency: float = 1.0  # of that, that a transfer reaches
    pieces: int = 1
    piece_seconds: float = 0.0  # what each piece costs beside its bytes
    overlap: bool = True  # whether a piece leaves while later ones compute
    workers: int = 8
    prefill_workers: int = 3  # the others decode
    prefill_rate: float = 8_000.0  # tokens/s of one prefill worker
    decode_rate: float = 800.0  # tokens/s of one decode worker, all its requests together
    decode_memory: int | None = None  # bytes for caches on one decode worker, all its ranks
    batch: int | None = None  # requests that a decode worker runs at once, to reach decode_rate
    arrival_rate: float = 2.0  # requests/s
    target_seconds: float | None = None  # to the first token

    def __post_init__(self) -> None:
        groups_of(self.model, "Setup")
        _check.kind("Setup", "engine", self.engine, Engine, "an Engine, as SGLANG or VLLM")
        _check.kind("Setup", "overlap", self.overlap, bool, "True or False")
        for name, (least, most) in COUNTS.items():
            value = getattr(self, name)
            if value is not None or name not in ("decode_memory", "batch"):
                self._set(name, _check.one_whole("Setup", name, value, least, most))
        self._rates()
        self._protocol()
        self._formats()
        if (self.decode_memory is None) != (self.batch is None):
            name = "batch" if self.batch is None else "decode_memory"
            rule = "given, as both say how many requests memory must hold"
            raise ValueError(_check.wrong("Setup", name, rule, None))
        if self.decode_workers < 1:
            rule = f"leave at least one of workers={self.workers} for decode"
            message = f"Setup: prefill_workers must {rule}, got {self.prefill_workers}"
            raise ValueError(f"{message}; give {self.workers - 1} or fewer")
        sides = Side(tp=self.prefill_tp), Side(tp=self.decode_tp)
        answer = compatible(self.model, *sides, self.engine)
        for reason in answer.reasons + answer.unplanned:
            raise ValueError(f"Setup: {reason}")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _rates(self) -> None:
        for name in ("link_rate", "share", "efficiency", "prefill_rate", "decode_rate",
                     "arrival_rate", "piece_seconds", "target_seconds"):  # fmt: skip
            value = getattr(self, name)
            if _check.is_array(value):
                raise TypeError(_check.wrong_type("Setup", name, "one number", value))
        self._set("link_rate", link_rate_of("Setup", "link_rate", self.link_rate))
        for name in ("share", "efficiency"):
            hint = "a fraction, as in 0.8"
            value = _check.wide(getattr(self, name))
            value = _check.number("Setup", name, value, above=0, maximum=1, hint=hint)
            self._set(name, float(value))
        if self.network_rate < 1_000:
            rule = "so large that hand-offs get at least 1,000 B/s of the link"
            raise ValueError(_check.wrong("Setup", "share", rule, self.share))
        for name, unit, least in (("prefill_rate", "tokens/s", 1e-6),
                                  ("decode_rate", "tokens/s", 1e-6),
                                  ("arrival_rate", "requests/s", 0)):  # fmt: skip
            self._set(name, rate_of("Setup", name, getattr(self, name), unit, least))
        self._set("piece_seconds", seconds_of("Setup", "piece_seconds", self.piece_seconds, 0))
        if self.target_seconds is not None:
            target = seconds_of("Setup", "target_seconds", self.target_seconds)
            self._set("target_seconds", target)
        if self.prompt_tokens / self.prefill_rate > MOST_SECONDS / 4:
            rule = "so large that a prompt takes less than 80 years"
            raise ValueError(_check.wrong("Setup", "prefill_rate", rule, self.prefill_rate))
        if self.pieces * self.piece_seconds > MOST_SECONDS / 4:
            rule = "so small that all pieces together cost less than 80 years"
            raise ValueError(_check.wrong("Setup", "piece_seconds", rule, self.piece_seconds))

    def _protocol(self) -> None:
        """Check the hits and what the protocol makes of them."""
        _check.kind("Setup", "protocol", self.protocol, Convention, "a Convention, as MOVES_SUFFIX")
        if self.protocol.page not in (1, self.engine.page):
            rule = f"in pages of 1 token or of {self.engine.name}'s {self.engine.page}"
            raise ValueError(_check.wrong("Setup", "protocol", rule, self.protocol.page))
        for name in ("source_hit", "destination_hit"):
            if getattr(self, name) > self.prompt_tokens:
                got = f"{getattr(self, name):,} of {self.prompt_tokens:,}"
                raise ValueError(f"Setup: {name} must be a part of the prompt's tokens, got {got}")
        if not (self.destination_hit and self.protocol.destination_hits):
            return
        for group in groups_of(self.model, "Setup"):
            if not isinstance(group, Geometry) or group.kept_tokens is None:
                continue
            extra = self.engine.window_extra if group.window else self.engine.chunk_extra
            if extra is None and not self.protocol.window_hits:
                kind = "sliding" if group.window else "chunked"
                why = f"{self.engine.name} keeps {kind} layers in full, the protocol moves a part"
                rule = f"0, as {why}"
                raise ValueError(
                    _check.wrong("Setup", "destination_hit", rule, self.destination_hit)
                )

    def _formats(self) -> None:
        if self.value_format is not None and self.key_format is None:
            raise ValueError(_check.wrong("Setup", "key_format", "given with value_format", None))
        groups = groups_of(self.model, "Setup")
        for name, form in (("key_format", self.key_format), ("value_format", self.value_format)):
            if form is None:
                continue
            _check.kind("Setup", name, form, Format, "a Format, as FORMATS['fp8_e4m3']")
            if form.along != "token" or form.tail:
                rule = (
                    "one that packs each token by itself, since pages and hits cut between tokens"
                )
                raise ValueError(_check.wrong("Setup", name, rule, form.name))
            kept = self.engine.indexer_dtype, self.engine.conv_dtype, self.engine.state_dtype
            if "cache" in kept and any(isinstance(g, Indexer | Recurrent) for g in groups):
                rule = "None for an engine that keeps state in the width of the cache"
                raise ValueError(_check.wrong("Setup", name, rule, form.name))
        if self.value_format in (None, self.key_format):
            return
        if any(isinstance(group, Geometry) for group in groups):
            rule = f"that of K, {self.key_format.name}: {self.engine.name} keeps both in one format"
            raise ValueError(_check.wrong("Setup", "value_format", rule, self.value_format.name))

    @property
    def decode_workers(self) -> int:
        """The workers that do not prefill."""
        return self.workers - self.prefill_workers

    @property
    def convention(self) -> Convention:
        """The protocol, in the engine's pages."""
        return replace(self.protocol, page=self.engine.page)

    @property
    def computed_tokens(self) -> int:
        """The tokens of the prompt that prefill computes: at least the last one."""
        hit = source_hit(self.source_hit, self.prompt_tokens, self.engine.page)
        return self.prompt_tokens - hit

    @property
    def network_rate(self) -> float:
        """The rate in B/s that all hand-offs together reach."""
        return self.link_rate * self.share * self.efficiency
