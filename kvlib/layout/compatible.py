"""Compatible: whether two sides can hand off at all, as an answer and not as a crash.

No engine converts elements on their way: they must be alike. Pages must be alike, too, except where
an engine maps several of prefill's to one of decode's. One size of tensor parallelism must divide
the other, so that every decode rank reads from whole ranks. What an engine cannot slice needs equal
sizes. What an engine may do and this module does not plan is said apart. Sources: SGLang 0.5.23,
disaggregation/common/conn.py; vLLM 0.33.0, compatibility matrix of the NIXL connector (at 0a5110e)
and its transfer topology, block_size_ratio.
"""

from dataclasses import dataclass

from kvlib import _check
from kvlib._check import one_whole
from kvlib.engines import SGLANG, Engine
from kvlib.layout.ownership import MOST_TP, unshareable
from kvlib.payload import Geometry, Group, Indexer, Model, Recurrent, groups_of

__all__ = ["Answer", "Side", "compatible", "reasons_against", "unplanned"]


@dataclass(frozen=True, kw_only=True)
class Side:
    """How one side of a hand-off runs. Raises TypeError or ValueError for what is no count."""

    tp: int = 1  # ranks that share attention: tp / dp under data-parallel attention
    stages: int = 1  # of a pipeline
    page: int | None = None  # tokens; None: as the engine has it
    cache_dtype: str = "auto"

    def __post_init__(self) -> None:
        for name, most in (("tp", MOST_TP), ("stages", MOST_TP), ("page", None)):
            value = getattr(self, name)
            if value is not None or name != "page":
                count = one_whole("Side", name, value, minimum=1, maximum=most)
                object.__setattr__(self, name, count)  # a NumPy int would overflow
        _check.kind("Side", "cache_dtype", self.cache_dtype, str, "text")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Whether two sides can hand off, each reason why not, and what is not planned here.

    A hand-off that is possible and not planned is one that an engine may do and `handoff` refuses.
    """

    possible: bool
    reasons: tuple[str, ...]
    unplanned: tuple[str, ...] = ()


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
    found = tuple(reasons_against(groups, prefill, decode, engine))
    left = () if found else tuple(unplanned(groups, prefill, decode, engine))
    return Answer(possible=not found, reasons=found, unplanned=left)


def reasons_against(
    groups: tuple[Group, ...], prefill: Side, decode: Side, engine: Engine
) -> list[str]:
    """Return each reason why the sides cannot hand off, the most basic first."""
    found = []
    if engine.moves == "none":
        found.append(f"engine must be one that hands off, as SGLANG or VLLM, got {engine.name!r}")
    found += _formats(groups, prefill, decode, engine)
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


def unplanned(groups: tuple[Group, ...], prefill: Side, decode: Side, engine: Engine) -> list[str]:
    """Return what `handoff` does not plan, though the engine may do it."""
    found = []
    sizes = f"equal to prefill_tp, got {decode.tp} for {prefill.tp}"
    refused = "state" in dict(engine.equal_tp_only)
    if prefill.tp != decode.tp and _recurrent(groups) and not refused:
        found.append(f"decode_tp must be {sizes}: how {engine.name} divides state is not planned")
    most = max(prefill.stages, decode.stages)
    if most > 1 and len(groups) > 1:
        rule = "1 for layers of several kinds, whose order a model does not keep"
        found.append(f"stages must be {rule}, got {most}")
    return found


def _recurrent(groups: tuple[Group, ...]) -> bool:
    """Return whether there is recurrent state."""
    return any(isinstance(group, Recurrent) for group in groups)


def _formats(groups: tuple[Group, ...], prefill: Side, decode: Side, engine: Engine) -> list[str]:
    """Return what speaks against the pages and the elements of two sides."""
    found = []
    ours, theirs = (engine.page if s.page is None else s.page for s in (prefill, decode))
    kept = {(type(g), getattr(g, "kept_tokens", None)) for g in groups if type(g) is not Indexer}
    maps = engine.pages == "multiple" and len(kept) == 1 and not _recurrent(groups)
    if maps and theirs % ours:
        rule = "prefill's or a multiple of it on the decode side"
        found.append(f"page must be {rule}, got {theirs} for {ours} tokens")
    elif ours != theirs and not maps:
        mixed = engine.pages == "multiple"
        rule = "equal on both sides" + (" for layers of several kinds or with state" * mixed)
        found.append(f"page must be {rule}, got {ours} and {theirs} tokens")
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
    if _recurrent(groups) and "state" in reasons:
        found.append(f"decode_tp must be {sizes}: there is recurrent state; {reasons['state']}")
    if any(isinstance(g, Geometry) for g in groups) and engine.layout not in engine.slices:
        rule = f"{' or '.join(engine.slices)} for unequal sizes"
        refusal = f"layout must be {rule}, got {engine.layout!r}"
        none = f"decode_tp must be {sizes}; {engine.name} slices pages of no layout"
        found.append(refusal if engine.slices else none)
    return found


def _stages(groups: tuple[Group, ...], prefill: Side, decode: Side) -> list[str]:
    """Return what speaks against the pipeline stages of two sides."""
    found = []
    if decode.stages not in (1, prefill.stages):
        rule = "1" if prefill.stages == 1 else f"1 or the {prefill.stages} of prefill"
        found.append(f"decode_stages must be {rule}, got {decode.stages}")
    most, layers = max(prefill.stages, decode.stages), sum(group.layers for group in groups)
    if most > layers:
        found.append(f"stages must be at most {layers} layers, got {most}")
    return found
