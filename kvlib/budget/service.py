"""Service: the workers, rates and lengths that a budget starts from.

Decode memory is considered only if it is given. A request then holds its memory for
`decode_seconds`, from the reservation before its hand-off to its last token, and for all that
time it holds its full length, prompt and output: what a worker must have free to finish it
without eviction. Where memory is handed out as the output grows, prompt + output / 2 is nearer
to the mean, and the true bound is higher.

Three fields take what a prompt and its logical payload leave out: a cache hit that prefill need not
compute, the bytes that a hand-off really puts on the link (copies, pages, scales, hits), and the
bytes that a request really takes of decode's memory.
"""

from dataclasses import dataclass
from typing import Any

from kvlib import _check
from kvlib.bandwidth.checks import MOST_BYTES, link_rate_of, rate_of, seconds_of
from kvlib.payload import Geometry, Model, groups_of, payload_bytes, width_of
from kvlib.units import GB_s

__all__ = ["Service"]

MOST_WORKERS, MOST_TOKENS = 10_000, 1_000_000_000
EXAMPLE = Geometry(layers=32, kv_heads=8, head_dim=128)  # the book's running example


@dataclass(frozen=True, kw_only=True)
class Service:
    """Workers, rates and lengths; the defaults are the running example of the book.

    Numbers may be arrays that broadcast, for a sweep in one call; they are copied. A service of
    numbers can be compared and hashed, one that holds arrays cannot. Raises TypeError or
    ValueError for a count that is not whole, a rate that is not positive and finite, a split that
    leaves no worker on a side, a payload beyond counting, and a memory that holds no request.

    >>> Service().decode_workers, Service().payload_bytes
    (5, 1073741824)
    """

    workers: int = 8
    prefill_workers: int = 3  # the others decode
    prompt_tokens: int = 8_192
    output_tokens: int = 512
    prefill_rate: float = 8_000.0  # tokens/s of one prefill worker
    decode_rate: float = 800.0  # tokens/s of one decode worker, all its requests together
    network_rate: float = 25.0 * GB_s  # B/s, shared by all hand-offs
    model: Model | Geometry = EXAMPLE
    element_bytes: int | None = None  # of the cache; None: as the model's file states, else 2
    decode_memory: int | None = None  # bytes for caches on one decode worker
    decode_seconds: float | None = None  # how long a request holds its memory
    computed_tokens: int | None = None  # of the prompt; None: all of them
    wire_bytes: int | None = None  # of one hand-off; None: its logical payload
    slot_bytes: int | None = None  # of a request in decode_memory; None: logical, full length

    def __post_init__(self) -> None:
        groups_of(self.model, "Service")
        self._count("workers", 2, MOST_WORKERS)
        self._count("prefill_workers", 1, MOST_WORKERS)
        self._count("prompt_tokens", 1, MOST_TOKENS)
        self._count("output_tokens", 1, MOST_TOKENS)
        width = width_of(self.model, self.element_bytes, "Service")
        object.__setattr__(self, "element_bytes", width)
        self._rate("prefill_rate", "tokens/s")
        self._rate("decode_rate", "tokens/s")
        network_rate = link_rate_of("Service", "network_rate", self.network_rate)
        object.__setattr__(self, "network_rate", network_rate)
        if self.decode_memory is not None or self.decode_seconds is not None:
            for name in ("decode_memory", "decode_seconds"):
                if getattr(self, name) is None:
                    rule = "given, as both bound the requests held"
                    raise ValueError(_check.wrong("Service", name, rule, None))
            self._count("decode_memory", 1, MOST_BYTES, "in bytes, as in 60 * GB")
            held = seconds_of("Service", "decode_seconds", self.decode_seconds)
            object.__setattr__(self, "decode_seconds", held)
        for name in ("computed_tokens", "wire_bytes", "slot_bytes"):
            if getattr(self, name) is not None:
                most = MOST_TOKENS if name == "computed_tokens" else MOST_BYTES
                self._count(name, 1, most)
        names = [name for name in self.__dataclass_fields__ if name != "model"]
        _check.together("Service", {name: getattr(self, name) for name in names})
        self._leaves_decode_workers()
        self._computes_its_prompt()
        self._payload_can_be_counted()
        if self.decode_memory is not None:
            self._holds_a_request()

    def _count(self, name: str, least: int, most: int, hint: str = "") -> None:
        hint = hint if isinstance(getattr(self, name), str | float) else ""
        value = _check.whole("Service", name, getattr(self, name), least, most, hint)
        object.__setattr__(self, name, value)

    def _rate(self, name: str, unit: str) -> None:
        object.__setattr__(self, name, rate_of("Service", name, getattr(self, name), unit))

    def _leaves_decode_workers(self) -> None:
        left = self.decode_workers
        if _lowest(left) >= 1:
            return
        if _check.is_array(left):
            rule = "leave at least one worker for decode everywhere"
            raise ValueError(f"Service: prefill_workers must {rule}, got {left.min()} left")
        rule = f"leave at least one of workers={self.workers} for decode"
        message = f"Service: prefill_workers must {rule}, got {self.prefill_workers}"
        raise ValueError(f"{message}; give {self.workers - 1} or fewer")

    def _computes_its_prompt(self) -> None:
        if self.computed_tokens is None or _lowest(self.prompt_tokens - self.computed_tokens) >= 0:
            return
        rule = "a part of the prompt's tokens" + " everywhere" * _check.is_array(self.prompt_tokens)
        raise ValueError(_check.wrong("Service", "computed_tokens", rule, self.computed_tokens))

    def _payload_can_be_counted(self) -> None:
        tokens = _highest(self.prompt_tokens) + _highest(self.output_tokens)
        most = payload_bytes(self.model, tokens, _highest(self.element_bytes))
        if most > MOST_BYTES:
            rule = f"so small that a request has at most {MOST_BYTES:,} B"
            raise ValueError(f"Service: model must be {rule}, got {_grouped(most)}")

    def _holds_a_request(self) -> None:
        if _lowest(self.slots) >= 1:
            return
        memory, least = _lowest(self.decode_memory), _highest(self.reserved_bytes)
        rule = f"at least one request's prompt and output, {least:,} B"
        raise ValueError(f"Service: decode_memory must be {rule}, got {_grouped(memory)}")

    @property
    def decode_workers(self) -> int:
        """The workers that do not prefill."""
        return self.workers - self.prefill_workers

    @property
    def payload_bytes(self) -> int:
        """The logical bytes of one hand-off: the cache of the prompt, once."""
        return payload_bytes(self.model, self.prompt_tokens, self.element_bytes)

    @property
    def prefill_tokens(self) -> int:
        """The tokens that prefill computes for one request."""
        return self.prompt_tokens if self.computed_tokens is None else self.computed_tokens

    @property
    def link_bytes(self) -> int:
        """The bytes that one hand-off puts on the link."""
        return self.payload_bytes if self.wire_bytes is None else self.wire_bytes

    @property
    def request_bytes(self) -> int:
        """The bytes that a request has cached at its last token: prompt and output."""
        tokens = self.prompt_tokens + self.output_tokens
        return payload_bytes(self.model, tokens, self.element_bytes)

    @property
    def reserved_bytes(self) -> int:
        """The bytes that a request takes of a decode worker's memory, at its full length."""
        return self.request_bytes if self.slot_bytes is None else self.slot_bytes

    @property
    def slots(self) -> int | None:
        """How many requests one decode worker holds at full length; None without a memory."""
        return None if self.decode_memory is None else self.decode_memory // self.reserved_bytes


def _grouped(count: int) -> str:
    return f"{count:,}" if count < 10**30 else _check.shown(count)


def _lowest(value: Any) -> Any:
    if not _check.is_array(value):
        return value
    return int(value.min()) if value.size else 1


def _highest(value: Any) -> Any:
    if not _check.is_array(value):
        return value
    return int(value.max()) if value.size else 1
