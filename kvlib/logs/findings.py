"""Findings: what comes of a line and the arithmetic beside each other, as data and sentences."""

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a comparison found: a verdict, sentences to show, and the two numbers behind it.

    The verdict is agrees, disagrees, impossible (faster than the link) or open (nothing follows).
    """

    engine: str
    lines: tuple[int, ...]  # of the text, from 1
    about: str  # what is compared: "a pool" or "a transfer"
    verdict: str
    sentences: tuple[str, ...]
    logged: float  # what the line says: bytes a token, or B/s
    expected: float | None = None  # what the model or the link says, where there is one number
    sizes: tuple[int, ...] = ()  # the tensor parallelism that would explain it
