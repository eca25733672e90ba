"""Error: what a format gets wrong, on seeded arrays, and the most that it can get wrong.

Keys of real models have a few channels that are much larger than the rest, in every token (KIVI).
`sample` makes such keys: it multiplies some channels of K by a factor and divides those of the
query by it, so the exact scores stay what they were and only the storage changes.

Errors are root mean squares relative to the exact array. They say how far numbers are off. They
do not say what a model answers; that takes a model and an evaluation.
"""

from dataclasses import dataclass

import numpy as np

from kvlib import _check
from kvlib._check import one_whole
from kvlib.quantization.decode import decode
from kvlib.quantization.encode import checked, encode, in_runs
from kvlib.quantization.floats import FLOATS
from kvlib.quantization.formats import INTEGERS, Format
from kvlib.quantization.sizes import format_of, tail_tokens

__all__ = ["Errors", "Sample", "attend", "error_bound", "errors", "sample"]

MOST = 10_000_000  # elements of a sample


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Queries of shape (queries, head_dim), keys and values of shape (tokens, head_dim).

    Raises TypeError or ValueError for what are no such arrays.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray

    def __post_init__(self) -> None:
        _fitting("Sample", self.query, self.key, self.value)


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Relative errors, and the share of queries that keep their top key."""

    key: float
    value: float
    scores: float
    output: float
    top_key: float


def sample(
    *,
    seed: int,
    tokens: int = 512,
    head_dim: int = 128,
    queries: int = 256,
    outliers: int = 0,
    factor: float = 16.0,
) -> Sample:
    """Return normal queries, keys and values; `outliers` channels of K are `factor` times larger.

    The channels are spread evenly, and the query is smaller there by the same factor. Raises
    TypeError or ValueError for what is no count or no factor.
    """
    counts = {"tokens": tokens, "head_dim": head_dim, "queries": queries}
    tokens, head_dim, queries = (one_whole("sample", n, c, 1, MOST) for n, c in counts.items())
    if max(tokens, queries) * head_dim > MOST or queries * tokens > MOST:
        raise ValueError(f"sample: arrays must have at most {MOST:,} elements, got more")
    outliers = one_whole("sample", "outliers", outliers, maximum=head_dim)
    factor = _check.one_number("sample", "factor", factor, 1e-4, 1e4)
    random = np.random.default_rng(one_whole("sample", "seed", seed))
    query, key, value = (
        random.standard_normal((count, head_dim)) for count in (queries, tokens, tokens)
    )
    large = [i * head_dim // outliers for i in range(outliers)]
    key[:, large] *= factor
    query[:, large] /= factor
    return Sample(query=query, key=key, value=value)


def attend(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return scores (queries, tokens) and outputs (queries, head_dim) of softmax attention.

    Raises TypeError or ValueError for arrays that do not fit each other.
    """
    _fitting("attend", query, key, value)
    scores = query @ key.T / np.sqrt(key.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores, weights @ value / weights.sum(axis=1, keepdims=True)


def errors(exact: Sample, key: Format, value: Format | None = None) -> Errors:
    """Return the errors that storing K and V in these formats makes; V as K if left out.

    Raises TypeError or ValueError for what is no format or cannot be packed.

    >>> from kvlib.quantization import FORMATS
    >>> found = errors(sample(seed=5), FORMATS["q8_0"])
    >>> round(found.key, 4), found.top_key > 0.95
    (0.0053, True)
    """
    _check.kind("errors", "exact", exact, Sample, "what sample returns")
    key = format_of("errors", "key", key)
    value = key if value is None else format_of("errors", "value", value)
    near_key = decode(encode(exact.key, key))
    near_value = decode(encode(exact.value, value))
    scores, output = attend(exact.query, exact.key, exact.value)
    near_scores, near_output = attend(exact.query, near_key, near_value)
    return Errors(
        key=_relative(near_key, exact.key),
        value=_relative(near_value, exact.value),
        scores=_relative(near_scores, scores),
        output=_relative(near_output, output),
        top_key=float(np.mean(near_scores.argmax(axis=1) == scores.argmax(axis=1))),
    )


def _relative(near: np.ndarray, exact: np.ndarray) -> float:
    off, size = (float(np.linalg.norm(array)) for array in (near - exact, exact))
    return off / size if size else 0.0  # what is 0 everywhere is stored as 0


def _fitting(call: str, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    for name, array in (("query", query), ("key", key), ("value", value)):
        if getattr(getattr(array, "dtype", None), "kind", "") not in ("i", "u", "f"):
            raise TypeError(_check.wrong_type(call, name, "an array of numbers", array))
        if array.ndim != 2 or not array.size:
            raise ValueError(_check.wrong(call, name, "an array of two axes", array.shape))
    if query.shape[1] != key.shape[1]:
        rule = f"of a head_dim of {key.shape[1]}, as key is"
        raise ValueError(_check.wrong(call, "query", rule, query.shape))
    if value.shape[0] != key.shape[0]:
        rule = f"of {key.shape[0]} tokens, as key is"
        raise ValueError(_check.wrong(call, "value", rule, value.shape))


def error_bound(values: np.ndarray, form: Format) -> np.ndarray:
    """Return, element by element, the most that packing `values` can change them.

    Integers: half a step, or a whole one at the short end of a lopsided range, and what the
    rounding of scale and zero point adds. Floats: half a unit in the last place, half the
    smallest number near zero, and what lies beyond the largest. Scales are fitted, not given.
    Raises TypeError or ValueError as `encode` does.
    """
    form = format_of("error_bound", "form", form)
    values = checked("error_bound", values, form)
    cut = values.shape[-2] - tail_tokens(form, values.shape[-2])
    body = values[..., :cut, :]
    runs = in_runs(body, form)
    bound = _run_bound(runs, form) if runs.size else runs
    shape = body.shape if form.along != "channel" else np.swapaxes(body, -1, -2).shape
    bound = bound.reshape(shape)
    bound = np.swapaxes(bound, -1, -2) if form.along == "channel" else bound
    plain = _rounding(values[..., cut:, :], "float16")
    return np.concatenate([bound, plain], axis=-2)


def _rounding(numbers: np.ndarray, name: str) -> np.ndarray:
    """Return the most that rounding to a float of this name changes each number."""
    kind = FLOATS[name]
    return np.maximum(np.abs(numbers) * 2.0 ** -(kind.mantissa_bits + 1), kind.smallest / 2)


def _run_bound(runs: np.ndarray, form: Format) -> np.ndarray:
    count = runs.shape[1]
    group = form.group if isinstance(form.group, int) else count
    whole = -(-count // group) * group
    groups = np.pad(runs, ((0, 0), (0, whole - count)), mode="edge").reshape(len(runs), -1, group)
    if form.group == "tensor":
        groups = groups.reshape(1, 1, -1)
    low, high = groups.min(axis=-1, keepdims=True), groups.max(axis=-1, keepdims=True)
    size = np.maximum(high, -low)
    if form.element in INTEGERS:
        bound = _integer_bound(low, high, size, form) + 0 * groups
    else:
        bound = _float_bound(groups, size, form)
    return bound.reshape(len(runs), -1)[:, :count]


def _integer_bound(low: np.ndarray, high: np.ndarray, size: np.ndarray, form: Format) -> np.ndarray:
    half = 2 ** (form.element_bits - 1)
    if form.zero:
        step = (high - low) / (2 * half - 1)
        drift = (2 * half - 1) * _rounding(step, form.scale) + _rounding(low, form.zero)
        return step / 2 + drift
    step = size / (half if form.lopsided else half - 1)
    return step * (1 if form.lopsided else 0.5) + half * _rounding(step, form.scale)


def _float_bound(groups: np.ndarray, size: np.ndarray, form: Format) -> np.ndarray:
    kind = FLOATS[form.element]
    if form.scale == "float8_e8m0fnu":
        scale = np.ldexp(1.0, np.frexp(size)[1] - np.frexp(kind.largest)[1])
        beyond = np.maximum(0, np.abs(groups) - kind.largest * scale)
    elif form.scale:
        exact = np.minimum(size / kind.largest, FLOATS[form.scale].largest)
        drift = _rounding(exact, form.scale)
        scale = exact + drift
        # a scale that was rounded down, or to nothing, or held at its own largest
        beyond = np.maximum(kind.largest * drift, np.abs(groups) - kind.largest * exact)
    else:
        scale, beyond = 1.0, 0.0
    near = np.maximum(np.abs(groups) * 2.0 ** -(kind.mantissa_bits + 1), scale * kind.smallest / 2)
    return np.maximum(near, beyond)
