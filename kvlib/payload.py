"""Bytes: what a request's state logically holds after N tokens. Chapter 1.

    payload = 2 · L · H_KV · d_h · N · b        dense K and V; the 2 counts K and V

A model is a few groups of layers of one kind. Each kind has its own line of arithmetic: growing
K and V, K and V behind a window or inside a chunk, one latent per layer (MLA), the keys of a
sparse-attention indexer, recurrent state that does not grow. Layers that keep no cache of their
own are in no group.

Counted: the last N positions of a growing layer, the last `window` of a sliding one, at most one
chunk of a chunked one, each once. Not counted: page padding, quantization scales, replicas under
tensor parallelism, allocator reserve: an engine's business (`engines`).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

from kvlib import _check

__all__ = ["Geometry", "Indexer", "Latent", "Model", "Recurrent", "payload_bytes", "with_draft"]

MOST = 10**7  # an upper bound on every field: above it a configuration is a mistake


class _Group:
    """The checks that all groups share: every field is a count, or None where it may be."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            least, call = 0 if field.default == 0 else 1, type(self).__name__
            if _check.is_array(value):
                raise TypeError(_check.wrong(call, field.name, "one whole number", value))
            count = _check.whole(call, field.name, value, minimum=least, maximum=MOST)
            object.__setattr__(self, field.name, count)  # a NumPy int would overflow


@dataclass(frozen=True, kw_only=True)
class Geometry(_Group):
    """Layers that cache K and V: each (layers, kv_heads, tokens, head_dim).

    With a `window` only the last `window` positions are kept. With a `chunk` (chunked-local
    attention) at most one chunk is. V is as wide as K unless `value_dim` says otherwise.
    """

    layers: int  # L     layers that keep a cache of their own
    kv_heads: int  # H_KV  KV heads, not query heads
    head_dim: int  # d_h   elements of one head's key
    value_dim: int | None = None  # elements of one head's value
    window: int | None = None
    chunk: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.window is not None and self.chunk is not None:
            raise ValueError("Geometry: window and chunk must not both be given")

    @property
    def elements_per_token(self) -> int:
        """Numbers stored per cached token, K and V of all layers together."""
        key_dim, value_dim = self.head_dim, self.value_dim or self.head_dim
        return self.layers * self.kv_heads * (key_dim + value_dim)

    @property
    def kept_tokens(self) -> int | None:
        """The most positions a layer keeps; None if it keeps them all."""
        return self.window or self.chunk


@dataclass(frozen=True, kw_only=True)
class Latent(_Group):
    """Layers that cache one latent and one rotary key per token (MLA), whatever the head count.

    There is no factor two: K and V are both made from the same latent.
    """

    layers: int
    latent_dim: int  # kv_lora_rank
    rope_dim: int = 0  # qk_rope_head_dim

    @property
    def elements_per_token(self) -> int:
        """Numbers stored per cached token, all layers together."""
        return self.layers * (self.latent_dim + self.rope_dim)


@dataclass(frozen=True, kw_only=True)
class Indexer(_Group):
    """Layers whose sparse attention keeps one small key per token to choose what it reads.

    The key is stored as fp8 with one 4-byte scale per 128 elements, whatever the cache's dtype:
    132 bytes at the usual 128. Source: DeepSeek-V3.2 reference implementation.
    """

    layers: int
    key_dim: int = 128

    @property
    def bytes_per_token(self) -> int:
        """Bytes stored per cached token, all layers together."""
        return self.layers * (self.key_dim + 4 * -(-self.key_dim // 128))


@dataclass(frozen=True, kw_only=True)
class Recurrent(_Group):
    """Layers whose state does not grow: Mamba, gated delta net, KDA, lightning attention.

    A convolution of width K keeps its last K - 1 columns. Widths in bytes are the model's, not the
    KV cache's; `fixed_state_bytes` binds engines only. The last three fields say how ranks divide.
    """

    layers: int
    state_elements: int  # recurrent state of one layer
    conv_channels: int = 0
    conv_width: int = 1  # K
    state_element_bytes: int = 2
    conv_element_bytes: int = 2
    fixed_state_bytes: int | None = None  # of a state element, if its file or kernel fixes it
    heads: int | None = None  # what ranks share out: heads, or channels where there are none
    conv_groups: int = 0  # Mamba-2: its B and C run through the convolution, a pair a group
    group_channels: int = 0  # channels of one such pair, counted in conv_channels

    @property
    def request_bytes(self) -> int:
        """Bytes per request, all layers together, at any number of tokens."""
        convolution = self.conv_channels * (self.conv_width - 1) * self.conv_element_bytes
        return self.layers * (self.state_elements * self.state_element_bytes + convolution)


Group = Geometry | Latent | Indexer | Recurrent


@dataclass(frozen=True, kw_only=True)
class Model:
    """A named model: groups of layers, and where its numbers come from."""

    name: str
    groups: tuple[Group, ...]
    source: str = ""
    element_bytes: int = 2  # of its KV cache: 2, unless its file states another

    def __post_init__(self) -> None:
        _check.kind("Model", "name", self.name, str, "text")
        _check.kind("Model", "groups", self.groups, tuple, "a tuple of layer groups")
        for group in self.groups:
            _check.kind("Model", "groups", group, Group, "a tuple of layer groups")
        if not self.groups:
            raise ValueError("Model: groups must hold at least one group, got none")
        _check.whole("Model", "element_bytes", self.element_bytes, minimum=1, maximum=16)


def groups_of(model: Model | Group, call: str) -> tuple[Group, ...]:
    """Return the layer groups of a model; a bare group is a model of one.

    Raises TypeError for anything else.
    """
    if isinstance(model, Group):
        return (model,)
    if not isinstance(model, Model):
        rule, hint = "a Model or a group of layers", "write load('llama-3.1-8b') or a Geometry"
        raise TypeError(_check.wrong_type(call, "model", rule, model, hint))
    return model.groups


def payload_bytes(model: Model | Group, tokens: int, element_bytes: int | None = None) -> int:
    """Return the bytes that `tokens` cached positions occupy: an exact int, 0 for no tokens.

    `element_bytes` is the width of the KV cache's elements: 2 for bf16, 1 for fp8 without its
    scales. Left out, it is what the model's own file states, else 2. Recurrent state and indexer
    keys keep widths of their own. An int array of tokens, of any shape, gives an int64 array of
    that shape; an array of widths broadcasts with it. Raises TypeError or ValueError for a count
    that is not whole, is negative, or whose bytes do not fit the array.

    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> payload_bytes(toy, 1), payload_bytes(toy, 8_192)
    (131072, 1073741824)
    """
    return total_bytes("payload_bytes", model, tokens, element_bytes, group_bytes)


def total_bytes(
    call: str, model: Model | Group, tokens: int, width: int | None, of_group: Callable[..., int]
) -> int:
    """Return the sum of `of_group(group, tokens, width)` over a model's groups, in bytes.

    Raises TypeError or ValueError, in the name of `call`, for what `payload_bytes` refuses.
    """
    groups = groups_of(model, call)
    tokens = _check.whole(call, "tokens", tokens)
    width = width_of(model, width, call)
    if not (_check.is_array(tokens) or _check.is_array(width)):
        return sum(of_group(g, tokens, width) for g in groups)
    _check.together(call, {"tokens": tokens, "element_bytes": width})
    longest, widest = largest(tokens), largest(width)
    if sum(of_group(g, longest, widest) for g in groups) > _check.LARGEST:
        raise ValueError(_check.wrong(call, "tokens", "few enough for 64-bit bytes", longest))
    return sum(of_group(g, tokens, width) for g in groups) + 0 * tokens * width


def width_of(model: Model | Group, element_bytes: int | None, call: str) -> int:
    """Return the bytes of one cached element: as asked for, else as the model's file states.

    Raises TypeError or ValueError for a width that is no count from 1 to 16.
    """
    if element_bytes is None:
        return model.element_bytes if isinstance(model, Model) else 2
    return _check.whole(call, "element_bytes", element_bytes, minimum=1, maximum=16)


def largest(counts: int) -> int:
    """Return the largest of an int or of an int array, at least 1: what an overflow check needs."""
    if _check.is_array(counts):
        counts = int(counts.max()) if counts.size else 1
    return max(counts, 1)


def group_bytes(group: Group, tokens: int, element_bytes: int) -> int:
    """Return the bytes of one group; `tokens` (an int or an int64 array) is checked already."""
    match group:
        case Geometry():
            positions = kept(tokens, group.kept_tokens)
            return group.elements_per_token * element_bytes * positions
        case Latent():
            return group.elements_per_token * element_bytes * tokens
        case Indexer():
            return group.bytes_per_token * tokens
        case Recurrent():
            return group.request_bytes * (tokens > 0)


def kept(tokens: int, limit: int | None) -> int:
    """Return min(tokens, limit), for an int or an array; all tokens if there is no limit."""
    if limit is None:
        return tokens
    return tokens - (tokens > limit) * (tokens - limit)


def with_draft(model: Model | Group, draft: Model | Group) -> Model:
    """Return the target and its draft model as one: a hand-off carries the caches of both.

    A bare group as draft is as wide as the target's cache. Raises ValueError for a draft model
    whose file states another width, TypeError for what is neither model nor group.

    >>> toy = Geometry(layers=32, kv_heads=8, head_dim=128)
    >>> payload_bytes(with_draft(toy, Geometry(layers=1, kv_heads=8, head_dim=128)), 1)
    135168
    """
    groups = groups_of(model, "with_draft") + groups_of(draft, "with_draft")
    width = width_of(model, None, "with_draft")
    if isinstance(draft, Model) and draft.element_bytes != width:
        rule = f"as wide as the target's cache, {width} bytes an element"
        raise ValueError(_check.wrong("with_draft", "draft", rule, draft.element_bytes))
    named = [m.name if isinstance(m, Model) else "a geometry" for m in (model, draft)]
    return Model(name=" with draft ".join(named), groups=groups, element_bytes=width)
