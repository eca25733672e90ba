"""vLLM's lines: GiB is printed where GiB is meant; "MB" of its connectors is 2^20 bytes.

The pool stands on two lines: the memory of one rank, and the tokens of the smallest rank. Tokens
are rounded down to whole blocks, so their quotient is an upper bound of the bytes a token costs.
"""

from kvlib.logs.shapes import Format, Slot

__all__ = ["VLLM_FORMATS"]

_READ = "vllm-project/vllm: "
_UTILS = _READ + "vllm/v1/core/kv_cache_utils.py at bbf906a"
_STATS = _READ + "vllm/distributed/kv_transfer/kv_connector/v1/nixl/stats.py at bd33ba3, / 2**20"


def _ms(name: str, label: str, needed: bool = False) -> Slot:
    return Slot(name=name, labels=(label,), printed="ms", unit="ms", needed=needed)


VLLM_FORMATS = (
    Format(
        engine="vLLM",
        what="memory",
        says="the memory that one rank has for its KV cache",
        marker="Available KV cache memory: ",
        slots=(Slot(name="KV", labels=("",), printed="GiB", unit="GiB", needed=True),),
        source=_READ + "vllm/v1/worker/gpu_worker.py at 35d5cda",
    ),
    Format(
        engine="vLLM",
        what="memory",
        says="the memory that one rank has for its KV cache",
        marker="kv_cache_size=",
        slots=(Slot(name="KV", labels=("",), printed="GiB", unit="GiB", needed=True),),
        source=_READ + "vllm/worker/worker.py of December 2024, memory profiling results",
    ),
    Format(
        engine="vLLM",
        what="tokens",
        says="the tokens that the pool of the smallest rank holds",
        marker="GPU KV cache size: ",
        slots=(Slot(name="tokens", labels=("",), printed="tokens", unit="tokens", needed=True),),
        source=_UTILS,
        note="later versions print concurrency times the longest context; of a model with "
        "windows or states it is no capacity (issue 51041)",
    ),
    Format(
        engine="vLLM",
        what="concurrency",
        says="how many requests of the longest context fit at once",
        marker="Maximum concurrency for ",
        slots=(
            Slot(name="context", labels=("",), printed="tokens", unit="tokens", needed=True),
            Slot(name="requests", labels=("per request: ",), printed="x", unit="×", needed=True),
        ),
        source=_UTILS,
    ),
    Format(
        engine="vLLM",
        what="blocks",
        says="the blocks that the pool of the smallest rank holds",
        marker="# GPU blocks: ",
        slots=(
            Slot(name="GPU blocks", labels=("",), needed=True),
            Slot(name="CPU blocks", labels=("# CPU blocks: ",)),
        ),
        source=_READ + "vllm/executor/gpu_executor.py, and kv_cache_utils.py of January 2025",
        note="tokens are blocks times the block size, 16 unless it was set",
    ),
    Format(
        engine="vLLM",
        what="transfer",
        says="the hand-offs of the last interval, all ranks together",
        marker="KV Transfer metrics: ",
        slots=(
            Slot(name="transfers", labels=("Num successful transfers=",)),
            _ms("time", "Avg xfer time (ms)=", needed=True),
            _ms("90 of 100 within", "P90 xfer time (ms)="),
            _ms("time to post", "Avg post time (ms)="),
            Slot(
                name="size",
                labels=("Avg MB per transfer=",),
                printed="MB",
                unit="MiB",
                needed=True,
                note="of one rank's transfer",
            ),
            Slot(name="rate", labels=("Throughput (MB/s)=",), printed="MB/s", unit="MiB/s"),
            Slot(name="descriptors", labels=("Avg number of descriptors=",)),
        ),
        source=_STATS,
        note="sizes over times, each summed: transfers that overlap make it lower than what the "
        "path carried (issue 48224)",
    ),
)
