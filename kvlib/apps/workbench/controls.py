"""Controls: what a reader sets on the workbench, in groups. Keys are the fields of a Setup.

The defaults are the book's running example.
"""

from kvlib.apps.app import Group
from kvlib.apps.controls import Amount, Control, Kept, Select, Text, Whole
from kvlib.apps.hits import PROTOCOL
from kvlib.apps.queueing import COMES, LINK, SPREADS
from kvlib.bandwidth import LINKS
from kvlib.models import names
from kvlib.quantization import FORMATS
from kvlib.wording import rate

__all__ = ["CONTROLS", "GROUPS", "OWN"]

OWN = {"config": "the config.json pasted below", "geometry": "the numbers typed below"}
MOST_CONFIG, MOST_LOG = 200_000, 20_000  # characters


def _pick(key: str, label: str, options: dict[str, str], default: str) -> Select:
    return Select(key=key, label=label, options=tuple(options.items()), default=default)


def _count(key: str, label: str, default: int, most: int, unit: str = "", least: int = 1) -> Whole:
    return Whole(key=key, label=label, default=default, minimum=least, maximum=most, unit=unit)


def _amount(key: str, label: str, default: str, kind: str, least: str, most: str) -> Amount:
    return Amount(key=key, label=label, default=default, kind=kind, minimum=least, maximum=most)


def _packs_tokens(name: str) -> bool:
    form = FORMATS[name]
    return form.along == "token" and not form.tail


_NAMED_LINKS = {
    name: name if "b/s" in name else f"{name}, {rate(link.payload_rate, 'b/s')}"
    for name, link in LINKS.items()
}
CONTROLS: tuple[Control, ...] = (
    _pick("model", "Model", OWN | {name: name for name in names()}, "llama-3.1-8b"),
    _count("prompt_tokens", "Prompt", 8_192, 10_485_760, "tokens"),
    _count("output_tokens", "Output", 512, 1_048_576, "tokens"),
    _count("workers", "Workers, all together", 8, 256, least=2),
    _count("prefill_workers", "Prefill workers, of all", 3, 255),
    _amount("prefill_rate", "Rate of a prefill worker", "8,000 tokens/s", "token rate",
            "1 tokens/s", "10,000,000 tokens/s"),
    _amount("decode_rate", "Rate of a decode worker, all its requests", "800 tokens/s",
            "token rate", "1 tokens/s", "10,000,000 tokens/s"),
    _amount("arrival_rate", "Arrivals", "2 requests/s", "requests", "0.001 requests/s",
            "100,000 requests/s"),
    _pick("link", "Link of all hand-offs", {"own": "the rate typed here"}
          | _NAMED_LINKS, "own"),
    _amount("link_rate", "Its rate", "200 Gb/s", "rate", "1 Mb/s", "100 Tb/s"),
    _count("cards", "Cards side by side", 1, 1_024),
    _amount("share", "Share that hand-offs get", "100 %", "ratio", "1 %", "100 %"),
    _amount("efficiency", "Efficiency that transfers reach", "100 %", "ratio", "1 %", "100 %"),
    _count("pieces", "Pieces of a hand-off", 1, 1_024),
    _amount("piece_seconds", "Cost of each piece", "0 ms", "seconds", "0 ms", "10 s"),
    _pick("overlap", "A piece leaves", {"yes": "while later ones compute", "no": "after prefill"},
          "yes"),
    Text(key="config", label="A config.json", limit=MOST_CONFIG),
    _count("layers", "Layers", 32, 10_000),
    _count("kv_heads", "KV heads", 8, 10_000),
    _count("head_dim", "Head dimension", 128, 100_000),
    _pick("key_format", "Format of the cache", {"": "as the model states"}
          | {name: name for name in FORMATS if _packs_tokens(name)}, ""),
    _count("source_hit", "Cached at the source", 0, 10_485_760, "tokens", least=0),
    _count("destination_hit", "Held at the destination", 0, 10_485_760, "tokens", least=0),
    PROTOCOL,
    _count("prefill_tp", "Prefill TP", 1, 256),
    _count("decode_tp", "Decode TP", 1, 256),
    _pick("engine", "Engine", {"sglang": "SGLang", "vllm": "vLLM"}, "sglang"),
    _amount("target_seconds", "First token of 95 % within", "2 s", "seconds", "1 ms", "10,000 s"),
    _pick("arrivals", "Requests come", COMES, "poisson"),
    _pick("spread", "Prompts and outputs", SPREADS, "1"),
    _pick("sharing", "The link serves", LINK, "one at a time"),
    _count("batch", "Requests a decode worker runs", 32, 10_000),
    Amount(key="decode_memory", label="Its memory for caches", default="", example="80 GB",
           kind="bytes", minimum="1 MB", maximum="100 TB"),
    Text(key="log", label="Lines of a log", limit=MOST_LOG),
    Kept(key="kept", label="The set-up kept to compare"),
)  # fmt: skip
GROUPS = (
    Group(title="Model and request", first="model"),
    Group(title="Workers and load", first="workers"),
    Group(title="Link", first="link"),
    Group(title="A model that is not in the list", first="config", folded=True),
    Group(title="Format and cache hits", first="key_format", folded=True),
    Group(title="Ranks and engine", first="prefill_tp", folded=True),
    Group(title="Queue, target and memory", first="target_seconds", folded=True),
    Group(title="A line of your log", first="log", folded=True),
    Group(title="Compare", first="kept"),
)
