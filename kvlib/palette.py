"""Palette: how each stage looks through the whole book, as data for figures and pictures.

Every colour has a second cue, so that nothing is told by colour alone. Grey means waiting and
nothing else. Source: M. Okabe and K. Ito, Color Universal Design (2002), but for the grey.
"""

from dataclasses import dataclass

__all__ = ["STAGES", "Look"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """Colour, dash of a line, hatch of an area; dash and hatch as matplotlib spells them."""

    colour: str
    dash: str
    hatch: str


STAGES = {
    "prefill": Look(colour="#0072B2", dash="-", hatch=""),
    "memory": Look(colour="#CC79A7", dash=":", hatch="xx"),
    "network": Look(colour="#009E73", dash="--", hatch="//"),
    "decode": Look(colour="#D55E00", dash="-.", hatch=".."),
    "waiting": Look(colour="#888888", dash=":", hatch="--"),
}
