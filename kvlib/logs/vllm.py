"""vLLM's lines: GiB is printed where GiB is meant; "MB" of its connectors is 2^20 bytes.

The pool stands on two lines: the memory of one rank, and the tokens of the smallest rank. Tokens
are rounded down to whole blocks, so their quotient is an upper bound of the bytes a token costs.
The line of every interval prints a usage in percent; the gauge of the same number is a fraction.
"""

from kvlib.logs.shapes import Format, Slot

__all__ = ["VLLM_FORMATS"]

_READ = "vllm-project/vllm: "
_UTILS = _READ + "vllm/v1/core/kv_cache_utils.py at bbf906a"
_LOGGERS = (
    _READ + "vllm/v1/metrics/loggers.py at 005a810 and later, LoggingStatLogger; before 2025 "
    "vllm/engine/metrics.py"
)
_STATS = _READ + "vllm/distributed/kv_transfer/kv_connector/v1/nixl/stats.py at bd33ba3, / 2**20"


def _ms(name: str, label: str, needed: bool = False) -> Slot:
    return Slot(name=name, labels=(label,), printed="ms", unit="ms", needed=needed)


def _mean(name: str, label: str, needed: bool = False, note: str = "") -> Slot:
    text = f"the mean of the interval{note}"
    unit = "tokens/s"
    return Slot(
        name=name,
        labels=(label,),
        printed=unit,
        unit=unit,
        needed=needed,
        note=text,
        over="median",
    )


def _percent(name: str, label: str, note: str, over: str) -> Slot:
    return Slot(name=name, labels=(label,), printed="%", unit="%", note=note, over=over)


VLLM_FORMATS = (
    Format(
        engine="vLLM",
        what="interval",
        says="an engine over the last interval, 10 s unless it was set",
        marker="Avg prompt throughput: ",
        slots=(
            _mean("prefill rate", "", True, "; later versions leave out tokens cached or received"),
            _mean("decode rate", "Avg generation throughput: "),
            Slot(name="requests running", labels=("Running: ",), note="at its end"),
            Slot(name="requests waiting", labels=("Waiting: ", "Pending: "), over="most"),
            Slot(name="deferred", labels=("Deferred: ",), note="of those that wait"),
            Slot(name="requests preempted", labels=("Preemptions: ",), over="sum"),
            _percent(
                "share of the pool in use",
                "GPU KV cache usage: ",
                "at its end; the gauge vllm:kv_cache_usage_perc says it as a fraction, 1 if full",
                "median",
            ),
            _percent(
                "hit rate",
                "Prefix cache hit rate: ",
                "of the tokens of the last 1,000 requests, not of the interval",
                "last",
            ),
            _percent(
                "hit rate of the connector",
                "External prefix cache hit rate: ",
                "of the tokens of those requests that the GPU's own cache did not have",
                "last",
            ),
        ),
        source=_LOGGERS,
        note="a line for several engines sums their rates and requests, and averages their usage",
    ),
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
            Slot(
                name="descriptors",
                labels=("Avg number of descriptors=",),
                note="of one transfer, a mean",
            ),
            Slot(name="transfers that failed", labels=("Num failed transfers=",), over="sum"),
            Slot(name="requests expired", labels=("Num KV expired reqs=",), over="sum"),
        ),
        source=_STATS,
        note="sizes over times, each summed: transfers that overlap make it lower than what the "
        "path carried (issue 48224)",
    ),
)
