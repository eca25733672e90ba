"""Counters: which counter or log line of SGLang or vLLM shows what, and in which unit it really is.

Read in the sources named beside each, 2026-11-30. Where a name says MB or GB and the code divides
by 2^20 or 2^30, the meaning says so: names follow a habit, bytes do not.
"""

from dataclasses import dataclass

__all__ = ["COUNTERS", "Counter"]

_SGLANG = "sgl-project/sglang, python/sglang/srt/observability/"
COLLECTOR = _SGLANG + "metrics_collector.py at 016d860"
STATS = _SGLANG + "req_time_stats.py at 00ce49e"
LOGS = _SGLANG + "scheduler_metrics_mixin.py at 44cedc2"
LOGGERS = "vllm-project/vllm, vllm/v1/metrics/loggers.py at 005a810"
NIXL = "vllm-project/vllm, docs/features/nixl_connector_metrics.md at ec176bf"
PREFILL, DECODE = "a prefill worker", "a decode worker"
RANKS = "each rank's transfer is a sample of its own: add the ranks up"


@dataclass(frozen=True, kw_only=True)
class Counter:
    """One counter or log line, where it is read, what it means and which questions it answers."""

    engine: str
    name: str
    kind: str  # gauge, counter, histogram or log line
    where: str
    means: str
    answers: tuple[tuple[str, str], ...]  # stage and cause
    source: str


def _of(
    engine: str, name: str, kind: str, where: str, means: str, source: str, *answers: str
) -> Counter:
    pairs = tuple(tuple(answer.split()) for answer in answers)
    return Counter(engine=engine, name=name, kind=kind, where=where, means=means,
                   answers=pairs, source=source)  # fmt: skip


COUNTERS: tuple[Counter, ...] = (
    _of("SGLang", "input throughput (token/s)", "log line", PREFILL,
        "in the line 'Prefill batch': new tokens of the batch before, over the time between two "
        "lines; idle time counts", LOGS, "prefill rate"),
    _of("SGLang", "sglang:num_queue_reqs", "gauge", PREFILL,
        "requests in the waiting queue: the rate is the worker's only while this is above 0",
        COLLECTOR, "prefill rate", "latency wait"),
    _of("SGLang", "#new-token, #cached-token", "log line", PREFILL,
        "in the line 'Prefill batch': tokens computed and tokens spared; sums over many lines give "
        "the hit rate", LOGS, "prefill hits", "prefill rate"),
    _of("SGLang", "sglang:cache_hit_rate", "gauge", PREFILL,
        "spared over all tokens of the last prefill batch alone", LOGS, "prefill hits"),
    _of("SGLang", "sglang:cached_tokens_total", "counter", PREFILL,
        "spared tokens, by where they lay; divide its growth by that of "
        "sglang:prompt_tokens_total", COLLECTOR, "prefill hits"),
    _of("SGLang", "sglang:kv_transfer_speed_gb_s", "histogram", PREFILL,
        "GiB/s in spite of its name (bytes / 2^30); its time runs from the end of prefill's "
        "forward pass to the request's completion, so waiting counts and earlier chunks' bytes "
        "flatter it; newer versions let a backend time itself, as NIXL's does", STATS,
        "network rate"),
    _of("SGLang", "sglang:kv_transfer_latency_ms", "histogram", PREFILL,
        "ms from the end of prefill's forward pass to the request's completion", STATS,
        "network rate", "latency exposed"),
    _of("SGLang", "sglang:kv_transfer_total_mb", "histogram", PREFILL,
        "MiB in spite of its name (bytes / 2^20); pages times the bytes of a page, worked out and "
        "not counted on the wire", STATS, "network bytes", "network rate"),
    _of("SGLang", "sglang:num_prefill_inflight_queue_reqs", "gauge", PREFILL,
        "requests whose hand-off is under way: it grows where the network gives way", COLLECTOR,
        "network rate", "latency exposed"),
    _of("SGLang", "sglang:num_decode_transfer_queue_reqs", "gauge", DECODE,
        "requests that have room and wait for their bytes; #transfer-req in the line 'Decode "
        "batch'", COLLECTOR, "network rate"),
    _of("SGLang", "sglang:num_decode_prealloc_queue_reqs", "gauge", DECODE,
        "requests that wait for room: it grows where memory gives way; #prealloc-req in the line "
        "'Decode batch'", COLLECTOR, "memory held"),
    _of("SGLang", "sglang:token_usage", "gauge", DECODE,
        "the used fraction of the cache's token slots", COLLECTOR, "memory held"),
    _of("SGLang", "sglang:num_retracted_requests_total", "counter", DECODE,
        "requests that lost their room again", COLLECTOR, "memory held"),
    _of("SGLang", "sglang:gen_throughput", "gauge", DECODE, "output tokens per second", COLLECTOR,
        "decode rate"),
    _of("SGLang", "sglang:num_running_reqs", "gauge", DECODE, "running requests: the batch",
        COLLECTOR, "decode rate"),
    _of("SGLang", "sglang:kv_transfer_bootstrap_ms", "histogram", PREFILL,
        "ms of agreement before a hand-off", STATS, "latency exposed"),
    _of("SGLang", "sglang:queue_time_seconds", "histogram", PREFILL, "seconds in the queue",
        COLLECTOR, "latency wait"),
    _of("SGLang", "sglang:time_to_first_token_seconds", "histogram", DECODE,
        "seconds to the first token, as the worker that answers sees it", COLLECTOR,
        "latency wait"),
    _of("vLLM", "vllm:prompt_tokens", "counter", PREFILL,
        "prompt tokens processed (shown as vllm:prompt_tokens_total): its growth over a time, "
        "less the hits, is the rate", LOGGERS, "prefill rate"),
    _of("vLLM", "vllm:request_prefill_time_seconds", "histogram", PREFILL,
        "seconds of a request in its prefill phase", LOGGERS, "prefill rate"),
    _of("vLLM", "vllm:num_requests_waiting", "gauge", PREFILL,
        "requests that wait: the rate is the worker's only while this is above 0", LOGGERS,
        "prefill rate"),
    _of("vLLM", "vllm:prefix_cache_hits", "counter", PREFILL,
        "hit tokens; divide its growth by that of vllm:prefix_cache_queries", LOGGERS,
        "prefill hits"),
    _of("vLLM", "vllm:nixl_xfer_time_seconds", "histogram", DECODE,
        f"seconds of one transfer; {RANKS}", NIXL, "network rate", "latency exposed"),
    _of("vLLM", "vllm:nixl_bytes_transferred", "histogram", DECODE,
        f"bytes of one transfer; {RANKS}", NIXL, "network bytes", "network rate"),
    _of("vLLM", "vllm:nixl_num_descriptors", "histogram", DECODE,
        "pieces of memory of one transfer: many small ones, and bytes are not what takes time",
        NIXL, "network rate"),
    _of("vLLM", "KV Transfer metrics: Throughput (MB/s)", "log line", DECODE,
        "MiB/s in spite of its name (bytes / 2^20), over the sum of all ranks' times: one rank's "
        "rate, not the link's", NIXL, "network rate"),
    _of("vLLM", "vllm:kv_cache_usage_perc", "gauge", DECODE,
        "the used fraction of the cache: 1 is full, in spite of its name", LOGGERS, "memory held"),
    _of("vLLM", "vllm:num_preemptions", "counter", DECODE,
        "requests that lost their room again (shown as vllm:num_preemptions_total)", LOGGERS,
        "memory held"),
    _of("vLLM", "vllm:generation_tokens", "counter", DECODE,
        "output tokens (shown as vllm:generation_tokens_total): its growth over a time is the rate",
        LOGGERS, "decode rate"),
    _of("vLLM", "vllm:num_requests_running", "gauge", DECODE, "running requests: the batch",
        LOGGERS, "decode rate"),
    _of("vLLM", "vllm:nixl_post_time_seconds", "histogram", DECODE,
        f"seconds to submit one transfer, before its bytes move; {RANKS}", NIXL,
        "latency exposed"),
    _of("vLLM", "vllm:request_queue_time_seconds", "histogram", PREFILL,
        "seconds of a request in the waiting phase", LOGGERS, "latency wait"),
    _of("vLLM", "vllm:time_to_first_token_seconds", "histogram", DECODE,
        "seconds to the first token, as the worker that answers sees it", LOGGERS,
        "latency wait"),
)  # fmt: skip
