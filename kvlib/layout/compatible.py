"""Compatible: whether two sides can hand off at all, as an answer and not as a crash.

Neither engine converts a cache on its way: pages and elements must be alike. One size of tensor
parallelism must divide the other, so that every decode rank reads from whole ranks. What an engine
cannot slice needs equal sizes. Sources: SGLang 0.5.23, disaggregation/common/conn.py; vLLM, NIXL
connector compatibility (its document at 0a5110e).
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib.engines import SGLANG, Engine
from kvlib.layout.ownership import MOST_TP, unshareable
from kvlib.payload import Geometry, Group, Model, Recurrent, groups_of

__all__ = ["Answer", "Side", "compatible", "reasons_against"]


@dataclass(frozen=True, kw_only=True)
class Side:
    """How one side of a hand-off runs. Raises TypeError or ValueError for what is no count."""

    tp: int = 1  # ranks that share attention: tp / dp under data-parallel attention
    stages: int = 1  # of a pipeline
    page: int | None = None  # tokens; None: as the engine has it
    cache_dtype: str = "auto"

    def __post_init__(self) -> None:
        for name in ("tp", "stages"):
            _check.whole("Side", name, getattr(self, name), minimum=1, maximum=MOST_TP)
        if self.page is not None:
            _check.whole("Side", "page", self.page, minimum=1)
        _check.kind("Side", "cache_dtype", self.cache_dtype, str, "text")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Whether two sides can hand off, and each reason why not."""

    possible: bool
    reasons: tuple[str, ...]


def compatible(
    model: Model | Group, prefill: Side, decode: Side, engine: Engine = SGLANG
) -> Answer:
    """Return whether `prefill` can hand a model's state off to `decode`, and why not.

    Raises TypeError for what is no model, no Side or no engine.

    >>> from kvlib.payload import Geometry
    >>> ten = Geometry(layers=40, kv_heads=10, head_dim=128)
    >>> compatible(ten, Side(tp=1), Side(tp=4)).reasons[0]
    'decode_tp must be a divisor or a multiple of 10 KV heads, got 4; 1, 2, 5, 10, 20 and 30 work'
    """
    groups = groups_of(model, "compatible")
    for name, side in (("prefill", prefill), ("decode", decode)):
        _check.kind("compatible", name, side, Side, "a Side, as Side(tp=2)")
    _check.kind("compatible", "engine", engine, Engine, "an Engine, as SGLANG")
    found = [*reasons_against(groups, prefill, decode, engine)]
    return Answer(possible=not found, reasons=tuple(found))


def reasons_against(
    groups: tuple[Group, ...], prefill: Side, decode: Side, engine: Engine
) -> list[str]:
    """Return each reason why the sides cannot hand off, the most basic first."""
    found = []
    if engine.moves == "none":
        found.append(f"engine must be one that hands off, as SGLANG or VLLM, got {engine.name!r}")
    found += _formats(prefill, decode, engine)
    for name, tp in (("prefill_tp", prefill.tp), ("decode_tp", decode.tp)):
        against = [unshareable(name, group, tp) for group in groups]
        found += dict.fromkeys(reason for reason in against if reason)
    larger, smaller = max(prefill.tp, decode.tp), min(prefill.tp, decode.tp)
    if larger % smaller:
        rule = "a divisor or a multiple of prefill_tp"
        found.append(f"decode_tp must be {rule}, got {decode.tp} for {prefill.tp}")
    if larger != smaller:
        found += _slices(groups, prefill.tp, decode.tp, engine)
    return found + _stages(groups, prefill, decode)


def _formats(prefill: Side, decode: Side, engine: Engine) -> list[str]:
    """Return what speaks against the pages and the elements of two sides."""
    found = []
    pages = [engine.page if side.page is None else side.page for side in (prefill, decode)]
    if pages[0] != pages[1]:
        found.append(f"page must be equal on both sides, got {pages[0]} and {pages[1]} tokens")
    kinds = [side.cache_dtype for side in (prefill, decode)]
    if kinds[0] != kinds[1]:
        shown = " and ".join(map(_check.shown, kinds))
        found.append(f"cache_dtype must be equal on both sides, got {shown}; nothing converts it")
    return found


def _slices(groups: tuple[Group, ...], prefill: int, decode: int, engine: Engine) -> list[str]:
    """Return what speaks against sides of unequal size."""
    found, reasons = [], dict(engine.equal_tp_only)
    sizes = f"equal to prefill_tp, got {decode} for {prefill}"
    windowed = any(isinstance(g, Geometry) and g.window is not None for g in groups)
    if windowed and "window" in reasons:
        found.append(f"decode_tp must be {sizes}; {reasons['window']}")
    if any(isinstance(g, Recurrent) for g in groups) and "state" in reasons:
        found.append(f"decode_tp must be {sizes}: there is recurrent state; {reasons['state']}")
    if any(isinstance(g, Geometry) for g in groups) and engine.layout not in engine.slices:
        rule = f"{' or '.join(engine.slices)} for unequal sizes"
        found.append(f"layout must be {rule}, got {engine.layout!r}")
    return found


def _stages(groups: tuple[Group, ...], prefill: Side, decode: Side) -> list[str]:
    """Return what speaks against the pipeline stages of two sides."""
    found = []
    if decode.stages not in (1, prefill.stages):
        rule = "1" if prefill.stages == 1 else f"1 or the {prefill.stages} of prefill"
        found.append(f"decode_stages must be {rule}, got {decode.stages}")
    most = max(prefill.stages, decode.stages)
    if most > 1 and len(groups) > 1:
        rule = "1 for layers of several kinds, whose order a model does not keep"
        found.append(f"stages must be {rule}, got {most}")
    elif most > groups[0].layers:
        found.append(f"stages must be at most {groups[0].layers} layers, got {most}")
    return found
