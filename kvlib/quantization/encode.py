"""Encode: an array of K or V into the packed bytes of a format.

Each group finds its scale, each element its code, and both are packed into real bytes: the size
of the result is the stored size that `sizes` counts, to the byte. Small floats are rounded by
`ml_dtypes`. Values beyond a format's largest are held at it, as in the engines.

Integers take their codes from the exact scale and least value, which are then stored rounded
(as llama.cpp does): so a second round trip changes nothing. Small floats are divided by the scale
as it is stored. nvfp4 has no second scale for the tensor here: groups whose values stay below
6 · 2^-6 have scales of fewer digits, and nothing lies beyond 6 · 448.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from kvlib import _check
from kvlib.quantization.floats import FLOATS
from kvlib.quantization.formats import INTEGERS, Format
from kvlib.quantization.pack import pack
from kvlib.quantization.sizes import format_of, run_bytes, tail_tokens

__all__ = ["Packed", "checked", "dtype_of", "encode", "in_runs"]


@dataclass(frozen=True, kw_only=True)
class Packed:
    """Packed K or V of shape (..., tokens, head_dim): bytes of its runs, and the plain tail."""

    form: Format
    shape: tuple[int, ...]
    data: np.ndarray  # uint8 of shape (runs, bytes): codes, scales, zero points, padding
    tail: np.ndarray  # float16 of shape (..., tail, head_dim)
    tensor_scale: float  # known before any token; not among the bytes

    @property
    def nbytes(self) -> int:
        """The bytes that are stored and that cross the link."""
        return self.data.nbytes + self.tail.nbytes


def encode(values: np.ndarray, form: Format, tensor_scale: float | None = None) -> Packed:
    """Return `values` of shape (..., tokens, head_dim) packed in a format.

    `tensor_scale` is the scale of the whole tensor where the format has one: left out, it is
    fitted to the largest value. Raises TypeError or ValueError for what is no array of finite
    numbers with at least two axes, or too large for the format's fp16 scales.

    >>> from kvlib.quantization import FORMATS
    >>> found = encode(np.ones((8, 100, 128)), FORMATS["q4_0"])
    >>> found.nbytes, 8 * 100 * 4 * 18
    (57600, 57600)
    """
    form = format_of("encode", "form", form)
    values = checked("encode", values, form)
    tail = tail_tokens(form, values.shape[-2])
    cut = values.shape[-2] - tail
    runs = in_runs(values[..., :cut, :], form)
    scale = _tensor_scale(runs, form, tensor_scale)
    data = np.zeros((len(runs), run_bytes(form, runs.shape[1])), dtype=np.uint8)
    if data.size:
        filled = np.concatenate(_fields(runs / scale, form), axis=1)
        data[:, : filled.shape[1]] = filled
    plain = values[..., cut:, :].astype(np.float16)
    return Packed(form=form, shape=values.shape, data=data, tail=plain, tensor_scale=scale)


def checked(call: str, values: np.ndarray, form: Format) -> np.ndarray:
    """Return `values` as float64 if a format can hold them. Raises TypeError or ValueError."""
    dtype = getattr(values, "dtype", None)
    if (
        getattr(dtype, "kind", "") not in ("i", "u", "f")
        and getattr(dtype, "name", "") not in FLOATS
    ):
        raise TypeError(_check.wrong_type(call, "values", "an array of numbers", values))
    if values.ndim < 2:
        rule = "an array of at least two axes, tokens and head_dim"
        raise ValueError(_check.wrong(call, "values", rule, values.shape))
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"{call}: values must be finite everywhere, got some that are not")
    worst = float(np.abs(values).max(initial=0))
    half = form.tail or "float16" in (form.scale, form.zero, form.element)
    if half and worst > FLOATS["float16"].largest:
        rule = "at most 65,504 in size for a format that stores fp16"
        raise ValueError(_check.wrong(call, "values", rule, worst))
    if worst > FLOATS["float32"].largest:
        rule = f"at most {FLOATS['float32'].largest:.2e} in size, as fp32 is"
        raise ValueError(_check.wrong(call, "values", rule, worst))
    return values


def in_runs(values: np.ndarray, form: Format) -> np.ndarray:
    """Return (..., tokens, head_dim) as (runs, length): one row for each run of codes."""
    if form.along == "layer":
        return values.reshape(1, -1)
    if form.along == "channel":
        values = np.swapaxes(values, -1, -2)
    return values.reshape(int(np.prod(values.shape[:-1])), values.shape[-1])


def _tensor_scale(runs: np.ndarray, form: Format, given: float | None) -> float:
    if form.group != "tensor":
        if given is not None:
            rule = "left out for a format without a scale of the tensor"
            raise ValueError(_check.wrong("encode", "tensor_scale", rule, given))
        return 1.0
    if given is not None:
        return _check.one_number("encode", "tensor_scale", given, 1e-30, 1e30)
    largest = np.abs(runs).max(initial=0)
    return float(np.float32(largest / _top(form))) or 1.0


def _top(form: Format) -> float:
    """Return the largest size that a code stands for before it is scaled."""
    if form.element in INTEGERS:
        return 2.0 ** (form.element_bits - 1) - 1
    return FLOATS[form.element].largest


def _fields(runs: np.ndarray, form: Format) -> list[np.ndarray]:
    """Return the bytes of codes, scales and zero points: arrays of shape (runs, bytes)."""
    count = runs.shape[1]
    group = form.group if isinstance(form.group, int) else count
    whole = -(-count // group) * group
    # the last group is filled up with its last element, which moves neither end of its range
    groups = np.pad(runs, ((0, 0), (0, whole - count)), mode="edge")
    groups = groups.reshape(len(runs), -1, group)
    if form.element in INTEGERS:
        codes, scale, zero = _integers(groups, form)
    else:
        codes, scale, zero = _floats(groups, form)
    codes = codes.reshape(len(runs), -1)[:, :count]
    parts = [pack(codes.astype(np.uint32), form)]
    if form.group != "tensor":
        parts += [_as_bytes(scale, form.scale)] if form.scale else []
        parts += [_as_bytes(zero, form.zero)] if form.zero else []
    return parts


def _integers(groups: np.ndarray, form: Format) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unsigned codes, and for each group its exact scale and least value."""
    low, high = groups.min(axis=-1), groups.max(axis=-1)
    half = 2 ** (form.element_bits - 1)
    if form.group == "tensor":  # already divided by the scale of all
        scale, offset, zero, ends = 1 + 0 * low, half, 0 * low, (1 - half, half - 1)
    elif form.zero:
        scale, offset, zero, ends = (high - low) / (2 * half - 1), 0, low, (0, 2 * half - 1)
    elif form.lopsided:
        extreme = np.where(high > -low, high, low)
        scale, offset, zero, ends = extreme / -half, half, 0 * low, (-half, half - 1)
    else:
        size = np.maximum(high, -low)
        scale, offset, zero, ends = size / (half - 1), half, 0 * low, (1 - half, half - 1)
    steps = _divided(groups - zero[..., None], scale[..., None])
    return np.clip(np.rint(steps), *ends) + offset, scale, zero


def _floats(groups: np.ndarray, form: Format) -> tuple[np.ndarray, np.ndarray, None]:
    """Return bit patterns, and for each group the scale that is stored."""
    top, size = _top(form), np.abs(groups).max(axis=-1)
    if form.scale == "float8_e8m0fnu":  # OCP: the power of two under the largest, less the top's
        power = np.frexp(size)[1] - np.frexp(top)[1]
        scale = np.ldexp(1.0, np.clip(power, -127, 127))
    elif form.scale and form.group != "tensor":
        held = np.minimum(size / top, FLOATS[form.scale].largest)
        scale = held.astype(dtype_of(form.scale)).astype(np.float64)
    else:
        scale = np.ones_like(size)
    codes = np.clip(_divided(groups, scale[..., None]), -top, top)
    codes = codes.astype(np.float32).astype(dtype_of(form.element))
    return codes.view(f"u{codes.itemsize}"), scale, None


def _divided(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return values over scale, 0 where the scale is 0 or too small to divide by."""
    safe = np.where(np.abs(scale) > 1e-300, scale, 1.0)
    return np.where(np.abs(scale) > 1e-300, values / safe, 0.0)


def _as_bytes(numbers: np.ndarray, name: str) -> np.ndarray:
    stored = np.ascontiguousarray(numbers.astype(dtype_of(name)))
    return stored.view(np.uint8).reshape(len(numbers), -1)


def dtype_of(name: str) -> np.dtype:
    """Return the NumPy dtype called `name`, from NumPy or from ml_dtypes."""
    return np.dtype(getattr(ml_dtypes, name, name))
