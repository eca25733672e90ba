"""Queueing: requests that wait, simulated from a seed, and what must come out. Chapter 7.

    arrival -> prefill pool -> memory -> one link -> decode pool -> completion

| file        | what it answers                                                        |
|-------------|------------------------------------------------------------------------|
| `arrivals`  | when requests come: steady, Poisson, bursty, as recorded               |
| `lengths`   | how much work they bring: equal, exponential, log-normal, as measured  |
| `stages`    | one pool of FIFO servers                                               |
| `admission` | memory that is reserved before the link and given back at completion   |
| `sharing`   | a link that all transfers in flight share                              |
| `simulate`  | all stages, one after the other                                        |
| `run`       | times of each request; percentiles, goodput                            |
| `queues`    | how many wait before a stage as time goes by                           |
| `formulas`  | mean times that have a closed form                                     |
| `checks`    | columns of times, one number a request                                 |

Times are seconds, and work is seconds alone in a stage: what makes a request long is not known
here. One seed gives the same run on every machine and in every Python.
"""

from kvlib.queueing.arrivals import bursty, poisson, replayed, steady
from kvlib.queueing.formulas import (
    erlang_c,
    little,
    md1_wait,
    mg1_wait,
    mm1_wait,
    mmc_wait,
    ps_time,
)
from kvlib.queueing.lengths import equal, exponential, lognormal, resampled, strata
from kvlib.queueing.queues import present, present_steps, waiting, waiting_steps
from kvlib.queueing.run import STAGES, Run, attainment, goodput, mean, percentile
from kvlib.queueing.simulate import LINKS, Requests, Stations, simulate

__all__ = [
    "LINKS",
    "STAGES",
    "Requests",
    "Run",
    "Stations",
    "attainment",
    "bursty",
    "equal",
    "erlang_c",
    "exponential",
    "goodput",
    "little",
    "lognormal",
    "md1_wait",
    "mean",
    "mg1_wait",
    "mm1_wait",
    "mmc_wait",
    "percentile",
    "poisson",
    "present",
    "present_steps",
    "ps_time",
    "replayed",
    "resampled",
    "simulate",
    "steady",
    "strata",
    "waiting",
    "waiting_steps",
]
