"""The judge of question 8.5: which split, link and format of the cache sustain a target.

A link in bytes for one in bits is eight times what was meant, and would sustain anything. So links
end where cards do, and what is faster is said in Gb/s.
"""

import re
from dataclasses import replace

from kvlib.exercises.question import Verdict, unwrapped
from kvlib.models import load
from kvlib.quantization import FORMATS
from kvlib.units import Gbit_s, Quantity, Unreadable, read
from kvlib.workbench import Setup, conclusions, report

__all__ = ["FASTEST", "GIVEN", "TARGET", "bought"]

GIVEN = Setup(  # the chapter's worked set-up
    model=load("qwen3-235b-a22b"),
    prefill_tp=8,
    decode_tp=8,
    prompt_tokens=32_768,
    source_hit=24_576,
    link_rate=400 * Gbit_s,
    efficiency=0.8,
)
TARGET = 3.5  # requests/s
KEPT = {"bf16": None, "fp8": FORMATS["fp8_e4m3"]}
LEAST_LINK, FASTEST, MOST_LINK = 1 * Gbit_s, 800 * Gbit_s, 10_000 * Gbit_s
_ANSWER = re.compile(
    r"([0-9]{1,3})\s*:\s*([0-9]{1,3})\s*[,;]\s*([^,;]+?)\s*[,;]\s*(bf16|fp8)", re.I
)


def bought(text: str) -> Verdict:
    """Judge question 8.5: any split, link and format that together sustain the target."""
    typed = _ANSWER.fullmatch(unwrapped(text))
    link = _link(typed[3]) if typed else None
    if link is None:
        hint = "Type split, link and format with commas between them, as in 3:5, 400 Gb/s, bf16."
        return Verdict(state="unreadable", message=hint)
    prefill, decode = int(typed[1]), int(typed[2])
    if prefill + decode != GIVEN.workers:
        rule = f"{prefill} + {decode} is {prefill + decode}, not {GIVEN.workers}"
        return Verdict(state="slip", message=f"Not yet. {rule}.")
    if 0 in (prefill, decode):
        return Verdict(state="slip", message="Not yet. Both sides need a worker.")
    rate = float(link.number * link.unit.size)
    if rate > FASTEST:
        return Verdict(state="slip", message=f"Not yet. {_too_fast(link, rate)}.")
    changed = {"prefill_workers": prefill, "link_rate": rate, "key_format": KEPT[typed[4].lower()]}
    found = report(replace(GIVEN, **changed))
    said = conclusions(found)[0].removesuffix(".")
    if found.capacity.limit >= TARGET:
        return Verdict(state="right", message=f"Correct. {said}.")
    return Verdict(state="slip", message=f"Not yet. {said}, which is too little.")


def _link(text: str) -> Quantity | None:
    """Return the link that was typed, None for what is none or is beyond all links."""
    try:
        typed = read(text, "rate")
    except Unreadable:
        return None
    if typed.unit is None or typed.unit.kind != "rate":
        return None
    return typed if LEAST_LINK <= typed.number * typed.unit.size <= MOST_LINK else None


def _too_fast(link: Quantity, rate: float) -> str:
    """Say what a link is in Gb/s, as bytes may have been typed for bits."""
    bits = f"{rate / Gbit_s:,.6g} Gb/s"
    most = f"{FASTEST / Gbit_s:.0f} Gb/s is the most here"
    if "b" in link.unit.name:
        return f"That link has {bits}, and {most}"
    typed = f"{float(link.number):,.6g} {link.unit.name}"
    return f"{typed} are {bits}, and {most}: B counts bytes, b counts bits"
