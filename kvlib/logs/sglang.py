"""SGLang's lines: "GB" divides by 1024³ and "MB" by 1024² in every one of them.

Spellings changed: the tokens of a pool came in 2025, its dtype in 2026; the requests whose state
is under way are #transferring-req, later #inflight-req, on prefill and #transfer-req on decode.
"""

from dataclasses import replace

from kvlib.logs.shapes import Format, Slot

__all__ = ["SGLANG_FORMATS"]

_READ = "sgl-project/sglang, read 2026-11-29: python/sglang/srt/"
_POOL = _READ + "mem_cache/memory_pool.py at 000ccdb, GB = 1024 * 1024 * 1024"
_FREE = _READ + "utils/common.py, get_available_gpu_memory, which divides by 1 << 30"
_BATCH = _READ + "managers/scheduler_metrics_mixin.py, later observability/"
_STATS = (
    _READ + "observability/req_time_stats.py at 602413b, which divides by 1024 twice, then once"
)
_LAST = (
    "the time may be that of the last chunk alone, and the bytes those of all (pull request 31993)"
)


def _gib(name: str, *labels: str, needed: bool = False) -> Slot:
    return Slot(name=name, labels=labels, printed="GB", unit="GiB", needed=needed)


def _count(
    name: str,
    *labels: str,
    unit: str = "",
    needed: bool = False,
    note: str = "",
    over: str = "",
) -> Slot:
    return Slot(name=name, labels=labels, unit=unit, needed=needed, note=note, over=over)


def _metrics(name: str, says: str, slot: tuple[str, str, str]) -> tuple[Format, ...]:
    """Return the samples of one metric: a gauge, or the sum and the count of a histogram."""
    called, printed, unit = slot
    value = Slot(name=called, labels=("",), printed=printed, unit=unit, needed=True)
    total = replace(value, name=f"sum of {called}s")
    samples = (
        ("", f"{says}, the last one's", value),
        ("_sum", f"{says}, all summed", total),
        ("_count", f"{says}, how many there were", _count("hand-offs", "", needed=True)),
    )
    return tuple(
        Format(
            engine="SGLang",
            what="metric",
            says=said,
            marker=f"sglang:kv_transfer_{name}{ending}",
            slots=(one,),
            source=_STATS,
            note=_LAST,
        )
        for ending, said, one in samples
    )


_USED = _count(
    "share of the pool in use", "token usage: ", note="1.00 is a full pool", over="median"
)
_QUEUED = _count("requests queued", "#queue-req: ", over="most")
_RUNNING = _count("requests running", "#running-req: ")

SGLANG_FORMATS = (
    Format(
        engine="SGLang",
        what="pool",
        says="the KV pool that one rank has allocated",
        marker="KV Cache is allocated.",
        slots=(
            _count("tokens", "#tokens: ", unit="tokens"),
            _gib("K", "K size: "),
            _gib("V", "V size: "),
            _gib("KV", "KV size: "),
        ),
        together=("K", "KV"),
        source=_POOL,
        note="one page more than the tokens is allocated; a draft model's pool has its own line",
    ),
    Format(
        engine="SGLang",
        what="state",
        says="the recurrent state that one rank has allocated",
        marker="Mamba Cache is allocated.",
        slots=(
            _count("requests", "max_mamba_cache_size: "),
            _gib("convolution", "conv_state size: "),
            _gib("state", "ssm_state size: ", needed=True),
        ),
        source=_POOL,
    ),
    Format(
        engine="SGLang",
        what="memory",
        says="the memory that is left on one rank when its pools stand",
        marker="Memory pool end.",
        slots=(_gib("left", "avail mem=", needed=True),),
        source=_FREE,
    ),
    Format(
        engine="SGLang",
        what="tokens",
        says="the tokens that the pool of one rank holds",
        marker="max_total_num_tokens=",
        slots=(
            _count("tokens", "", unit="tokens", needed=True),
            _count("longest context", "context_len=", unit="tokens"),
            _count("requests at once", "max_running_requests="),
            _gib("left", "available_gpu_mem="),
        ),
        source=_FREE,
    ),
    Format(
        engine="SGLang",
        what="batch",
        says="one prefill batch",
        marker="Prefill batch",
        slots=(
            _count("requests in it", "#new-seq: "),
            _count("tokens computed", "#new-token: ", unit="tokens", needed=True, over="sum"),
            _count("tokens from the cache", "#cached-token: ", unit="tokens", over="sum"),
            _USED,
            _RUNNING,
            _QUEUED,
            _count(
                "requests not yet connected",
                "#unbootstrapped-req: ",
                "#bootstrap-req: ",
                "#prealloc-req: ",
            ),
            _count(
                "requests whose state is under way",
                "#transferring-req: ",
                "#inflight-req: ",
                note="prefilled; they hold their pages until decode has them",
                over="most",
            ),
            _count("prefill rate", "input throughput (token/s): ", unit="tokens/s", over="median"),
        ),
        source=_BATCH,
    ),
    Format(
        engine="SGLang",
        what="batch",
        says="one decode batch",
        marker="Decode batch",
        slots=(
            _RUNNING,
            _count("tokens held", "#token: ", "#full token: ", unit="tokens", needed=True),
            _USED,
            _count("share of the pool reserved for arrivals", "pre-allocated usage: "),
            _count("requests that wait for room", "#prealloc-req: ", over="most"),
            _count("requests whose state is under way", "#transfer-req: "),
            _count("requests put back", "#retracted-req: "),
            _count("decode rate", "gen throughput (token/s): ", unit="tokens/s", over="median"),
            _QUEUED,
        ),
        source=_BATCH,
    ),
    Format(
        engine="SGLang",
        what="transfer",
        says="the hand-off of one request, as its prefill rank saw it",
        marker="transfer_speed=",
        slots=(
            Slot(name="rate", labels=("",), printed="GB/s", unit="GiB/s", needed=True),
            Slot(name="size", labels=("transfer_total=",), printed="MB", unit="MiB"),
        ),
        source=_STATS,
        note=_LAST,
    ),
    *_metrics("speed_gb_s", "the rates of hand-offs", ("rate", "gb_s", "GiB/s")),
    *_metrics("total_mb", "the sizes of hand-offs", ("size", "mb", "MiB")),
    *_metrics("latency_ms", "the times of hand-offs", ("time", "ms", "ms")),
)
