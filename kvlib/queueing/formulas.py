"""Formulas: mean times of queues that have a closed form, for a simulation to agree with.

    M/G/1    wait = λ · E[S²] / (2 · (1 - ρ))      ρ = λ · E[S]       Pollaczek-Khinchine
    M/M/1    spread 2       M/D/1    spread 1      of E[S²] / E[S]²
    M/M/c    wait = C(c, a) · E[S] / (c - a)       a = λ · E[S]       Erlang C
    M/G/1-PS time = E[S] / (1 - ρ)                 whatever the law of S
    Little   number = rate · time                  whatever the queue

λ arrivals a second, Poisson; S the seconds of service. At a utilisation of 1 or more there is no
mean: the queue grows without end. Arrays broadcast, except for the number of servers.
Source: Kleinrock, Queueing Systems, volume 1 (1975) and, for PS, volume 2 (1976).
"""

from typing import Any

from kvlib import _check

__all__ = ["erlang_c", "little", "md1_wait", "mg1_wait", "mm1_wait", "mmc_wait", "ps_time"]

MOST_SERVERS = 1_000_000
MOST = 10**13


def mg1_wait(arrival_rate: float, service_seconds: float, spread: float) -> float:
    """Return the mean wait in seconds for one server; `spread` is E[S²] / E[S]², 1 or more.

    Raises TypeError or ValueError for what is no rate, time or spread, and at utilisation 1.

    >>> [round(mg1_wait(2.0, 0.3, spread), 3) for spread in (1, 2, 2.72)]
    [0.225, 0.45, 0.612]
    """
    _check.number("mg1_wait", "spread", spread, minimum=1, maximum=MOST)
    used = _utilisation("mg1_wait", arrival_rate, service_seconds)
    return used * _check.wide(service_seconds) * _check.wide(spread) / (2 * (1 - used))


def mm1_wait(arrival_rate: float, service_seconds: float) -> float:
    """Return the mean wait in seconds for one server with exponential service.

    Raises TypeError or ValueError for what is no rate or time, and at utilisation 1.
    """
    used = _utilisation("mm1_wait", arrival_rate, service_seconds)
    return used * _check.wide(service_seconds) / (1 - used)


def md1_wait(arrival_rate: float, service_seconds: float) -> float:
    """Return the mean wait in seconds for one server whose service is always as long.

    Raises TypeError or ValueError for what is no rate or time, and at utilisation 1.

    >>> round(md1_wait(20.0, 2**30 / 25e9) / 1e-3, 1)  # 1 GiB at 25 GB/s, 20 a second
    130.8
    """
    used = _utilisation("md1_wait", arrival_rate, service_seconds)
    return used * _check.wide(service_seconds) / (2 * (1 - used))


def ps_time(arrival_rate: float, service_seconds: float) -> float:
    """Return the mean seconds in a server that all present share, waiting there is none.

    Only the mean of the service counts. A request that alone takes x stays x / (1 - ρ) in the
    mean. Raises TypeError or ValueError for what is no rate or time, and at utilisation 1.
    """
    used = _utilisation("ps_time", arrival_rate, service_seconds)
    return _check.wide(service_seconds) / (1 - used)


def erlang_c(servers: int, load: float) -> float:
    """Return the probability to wait for one of `servers`, with `load` busy in the mean.

    Raises TypeError or ValueError for what is no count or no load below the servers.

    >>> erlang_c(1, 0.75), round(erlang_c(3, 2.25), 4)
    (0.75, 0.5678)
    """
    return _waits("erlang_c", servers, load)


def mmc_wait(arrival_rate: float, service_seconds: float, servers: int) -> float:
    """Return the mean wait in seconds for one of `servers` with exponential service.

    Raises TypeError or ValueError for what is no rate, time or count, and at utilisation 1.
    """
    rate, seconds = _two("mmc_wait", arrival_rate, service_seconds)
    load = rate * seconds
    return _waits("mmc_wait", servers, load) * seconds / (servers - load)


def little(arrival_rate: float, seconds: float) -> float:
    """Return how many are present in the mean, if each stays so many seconds.

    Raises TypeError or ValueError for what is no rate or time.

    >>> little(2.0, 20.48)
    40.96
    """
    rate, seconds = _two("little", arrival_rate, seconds)
    return rate * seconds


def _two(call: str, arrival_rate: float, seconds: float) -> tuple[Any, Any]:
    _check.number(call, "arrival_rate", arrival_rate, minimum=0, maximum=MOST)
    _check.number(call, "seconds", seconds, minimum=0, maximum=MOST)
    _check.together(call, {"arrival_rate": arrival_rate, "seconds": seconds})
    return _check.wide(arrival_rate), _check.wide(seconds)


def _utilisation(call: str, arrival_rate: float, seconds: float) -> Any:
    rate, seconds = _two(call, arrival_rate, seconds)
    return _below(call, "utilisation", rate * seconds, 1)


def _below(call: str, name: str, load: Any, most: int) -> Any:
    highest = load.max() if _check.is_array(load) and load.size else load
    if not _check.is_array(highest) and not highest < most:
        raise ValueError(
            _check.wrong(call, name, f"below {most:,}", highest, "the queue grows without end")
        )
    return load


def _waits(call: str, servers: int, load: Any) -> Any:
    """Return Erlang's C by his B, the share that is lost where nobody may wait."""
    servers = _check.one_whole(call, "servers", servers, 1, MOST_SERVERS)
    _check.number(call, "load", load, minimum=0, maximum=MOST)
    load = _below(call, "load", _check.wide(load), servers)
    lost = 1.0 + 0 * load
    for k in range(1, servers + 1):
        lost = load * lost / (k + load * lost)
    return lost / (1 - load / servers * (1 - lost))
