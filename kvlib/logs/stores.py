"""The lines of LMCache and Mooncake: "gb" and "GB/s" are GiB, "MB/s" is 2^20 bytes a second."""

from kvlib.logs.shapes import Format, Slot

__all__ = ["STORE_FORMATS"]

_LMCACHE = "LMCache/LMCache: lmcache/v1/cache_engine.py at 3bafe17, / 1024**3"
_MOONCAKE = (
    "kvcache-ai/Mooncake: mooncake-transfer-engine/src/, kBytesPerMegabyte = 1024.0 * 1024.0"
)
_STORE = "between the GPU and LMCache's store, host memory unless it was set otherwise"


def _moved(marker: str, says: str) -> Format:
    return Format(
        engine="LMCache",
        what="transfer",
        says=says,
        marker=marker,
        slots=(
            Slot(name="tokens", labels=("",), unit="tokens", needed=True),
            Slot(name="size", labels=("size: ",), printed="gb", unit="GiB", needed=True),
            Slot(name="time", labels=("cost ",), printed="ms", unit="ms", needed=True),
            Slot(name="rate", labels=("throughput: ",), printed="GB/s", unit="GiB/s"),
        ),
        source=_LMCACHE,
        note="the time is what Python waited; a copy that is still under way is not in it",
        crosses=_STORE,
    )


def _timed(marker: str, says: str) -> Format:
    return Format(
        engine="LMCache",
        what="transfer",
        says=says,
        marker=marker,
        slots=(
            Slot(name="tokens", labels=("",), printed="tokens", unit="tokens", needed=True),
            Slot(name="time", labels=("tokens in ",), printed="seconds", unit="s", needed=True),
        ),
        source="LMCache/LMCache, multiprocess mode, as in pull requests 3968 and 5138",
        crosses=_STORE,
    )


_STORED, _RETRIEVED = "one store of one rank", "one retrieval of one rank"
_RATE = Slot(name="rate", labels=("Throughput: ",), printed="MB/s", unit="MiB/s", needed=True)
_OLD_RATE = Slot(name="rate", labels=("",), printed="MB/s", unit="MiB/s", needed=True)
_OVER = Slot(name="interval", labels=("(over last ", ""), printed="s", unit="s")
_TASKS = Slot(name="tasks completed", labels=("Latency Distribution (count=",))
_IDLE = (
    "an average over the interval, idle time included, of one process: hand-offs and Mooncake's "
    "store alike"
)

STORE_FORMATS = (
    _timed("Stored ", _STORED),  # first, as its tokens tell the two apart at once
    _timed("Retrieved ", _RETRIEVED),
    _moved("Stored ", _STORED),
    _moved("Retrieved ", _RETRIEVED),
    Format(
        engine="Mooncake",
        what="rate",
        says="the bytes that one transfer engine has moved a second",
        marker="Transfer Engine Throughput: ",
        slots=(_OLD_RATE, _OVER),
        source=_MOONCAKE + ", transfer_engine.cpp of June 2025",
        note=_IDLE,
    ),
    Format(
        engine="Mooncake",
        what="rate",
        says="the bytes that one transfer engine has moved a second",
        marker="Transfer Engine Stats (over last ",
        slots=(_OVER, _RATE, _TASKS),
        source=_MOONCAKE + ", transfer_engine_impl.cpp; the count came in pull request 1310",
        note=_IDLE,
    ),
)
