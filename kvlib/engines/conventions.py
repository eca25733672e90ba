"""Conventions: what one version of an engine keeps and sends, as data.

The first half of a record says what is kept for a request, the second how it is handed off. What
is kept when the prompt has been read is what is handed off; while it is being read an engine may
keep more behind a window. `dataclasses.replace(SGLANG, page=64)` is SGLang with larger pages.
"""

from dataclasses import dataclass, fields

from kvlib import _check
from kvlib._check import one_whole

__all__ = ["ENGINES", "SGLANG", "TRANSFORMERS", "VLLM", "Engine"]

WIDTHS = {"float32": 4, "bfloat16": 2}  # bytes; "model": as the model says; "cache": as K and V
DTYPES = ("model", "cache", *WIDTHS)
LAYOUTS = ("NHD", "HND")  # within a page: token after token, or head after head
MOVES = ("none", "push", "pull")  # no hand-off; prefill writes; decode reads
PAGES = ("equal", "multiple")  # decode's page: prefill's, or a multiple of it
KINDS = ("window", "state")  # of layers that an engine may refuse to slice
MOST_PAGE = 1_000_000  # tokens


@dataclass(frozen=True, kw_only=True)
class Engine:
    """How one version of an engine keeps what a model says; the defaults keep exactly that.

    Raises TypeError or ValueError for a convention that is none.
    """

    name: str
    version: str
    source: str
    page: int = 1  # tokens; K and V come in whole pages
    window_extra: int | None = 0  # positions kept beyond the window; None: all positions
    window_pages: int | None = None  # pages kept beyond those a window fills; None: all it touches
    chunk_extra: int | None = 0  # as window_extra, for a chunk
    conv_extra: int = 0  # columns kept beyond K - 1
    state_dtype: str = "model"
    fixed_state: bool = False  # whether a width that a model fixes goes before state_dtype
    conv_dtype: str = "model"
    indexer_dtype: str = "model"
    moves: str = "none"
    pages: str = "equal"  # "multiple": for layers of one kind that keep K and V or a latent
    layout: str = "NHD"
    slices: tuple[str, ...] = LAYOUTS  # the layouts of which it can send some heads
    stages: bool = False  # whether it can gather slices into a staging buffer first
    sends_replicas: bool = False  # whether every rank that holds a head sends it, or one does
    merges_pages: bool = False  # whether neighbouring pages travel under one descriptor
    equal_tp_only: tuple[tuple[str, str], ...] = ()  # kinds that it refuses to slice, and why

    def __post_init__(self) -> None:
        choices = {"layout": LAYOUTS, "moves": MOVES, "pages": PAGES}
        flags = ("sends_replicas", "merges_pages", "stages", "fixed_state")
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name in ("name", "version", "source"):
                _check.kind("Engine", name, value, str, "text")
            elif name.endswith("_dtype"):
                _check.one_of("Engine", name, value, DTYPES)
            elif name in choices:
                _check.one_of("Engine", name, value, choices[name])
            elif name in flags:
                _check.kind("Engine", name, value, bool, "True or False")
            elif name in ("equal_tp_only", "slices"):
                _check.kind("Engine", name, value, tuple, "a tuple")
                for entry in value:
                    (_layout if name == "slices" else _refusal)(entry)
            elif value is not None or name in ("page", "conv_extra"):
                least = 1 if name == "page" else -1
                count = one_whole("Engine", name, value, minimum=least, maximum=MOST_PAGE)
                object.__setattr__(self, name, count)  # a NumPy int would overflow


def _layout(entry: str) -> None:
    """Return nothing for a layout that can be sliced; raise TypeError or ValueError otherwise."""
    _check.one_of("Engine", "slices", entry, LAYOUTS)


def _refusal(entry: tuple[str, str]) -> None:
    """Return nothing for a kind of layers and why; raise TypeError or ValueError otherwise."""
    if not isinstance(entry, tuple) or len(entry) != 2 or not isinstance(entry[1], str):
        rule = "pairs of a kind of layers and why, as (('window', 'why'),)"
        raise TypeError(_check.wrong_type("Engine", "equal_tp_only", rule, entry))
    _check.one_of("Engine", "equal_tp_only", entry[0], KINDS)


TRANSFORMERS = Engine(
    name="transformers",
    version="5.24.0",
    source="DynamicCache: src/transformers/cache_utils.py, and its tensors measured, 2026-11-29",
    window_extra=-1,  # the position to come completes the window
    chunk_extra=-1,  # chunked layers use the sliding layers' class
    conv_extra=1,  # all K columns
    state_dtype="float32",
    conv_dtype="cache",
    indexer_dtype="cache",
)

SGLANG = Engine(
    name="SGLang",
    version="0.5.23",
    source="srt/mem_cache/memory_pool.py, srt/disaggregation/prefill.py and "
    "common/{conn,staging_buffer}.py, read 2026-11-29; page size 1 unless --page-size says more",
    chunk_extra=None,  # chunked layers are kept in full
    state_dtype="float32",
    fixed_state=True,  # mamba_ssm_dtype of the config, where it has one
    conv_dtype="bfloat16",
    moves="push",
    sends_replicas=True,
    merges_pages=True,
    stages=True,
    equal_tp_only=(("window", "SGLang raises an error for sliding layers (seen in 0.5.16)"),),
)

VLLM = Engine(
    name="vLLM",
    version="0.33.0",
    source="v1/kv_cache_interface.py, layers/mamba/mamba_utils.py, "
    "distributed/kv_transfer/kv_connector/v1/nixl, commit 4ba787ec9, and the NIXL connector's "
    "compatibility matrix at 0a5110e, read 2026-11-29; block size 16",
    page=16,
    window_pages=1,
    chunk_extra=None,
    fixed_state=True,  # float32 for KDA, whatever the model's dtype
    moves="pull",
    pages="multiple",  # as its matrix has it; pull request 26759 reports both directions
    layout="HND",
    slices=("HND",),
    equal_tp_only=(("state", "vLLM hands it off between equal sizes only"),),
)

ENGINES = {"sglang": SGLANG, "vllm": VLLM}  # those that hand off
