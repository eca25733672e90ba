"""Budget: how many requests per second each stage of a service can sustain. Chapter 7.

    prefill = n_P · r_P / N_in      decode = n_D · r_D / N_out      network = B / payload(N_in)
    memory  = n_D · slots / T       slots: whole requests that one decode worker can hold

| file      | what it answers                                                       |
|-----------|-----------------------------------------------------------------------|
| `service` | the workers, rates and lengths that a budget starts from              |
| `bounds`  | the bound of each stage, and the first to give way                    |
| `load`    | what an arrival rate does: utilisation, growing queues                |
| `splits`  | how many workers should prefill                                       |
| `traffic` | how requests come and differ, and what a run of them meets            |
| `rates`   | how far below its bound a latency target keeps a service              |

A request's way is prefill, memory, network, decode; memory is reserved before the hand-off. The
smallest bound names the first stage to give way. r_P and r_D are token rates of one worker,
all its requests together, and B is shared by all hand-offs.

Counted in bounds: fixed lengths, steady rates, the logical payload once per request; hits, copies
and pages where `Service` is given them. Not counted: bursts, batching, variable service times,
weights. A bound rules out; it promises no latency. `traffic` and `rates` simulate what bursts and
spread make of it.
"""

from kvlib.budget.bounds import STAGES, Capacity, Stages, capacity
from kvlib.budget.load import Growth, backlog, backlog_growth, utilisation
from kvlib.budget.rates import highest_rate
from kvlib.budget.service import Service
from kvlib.budget.splits import Split, best_split, ideal_ratio, splits
from kvlib.budget.traffic import Traffic, serve

__all__ = [
    "STAGES",
    "Capacity",
    "Growth",
    "Service",
    "Split",
    "Stages",
    "Traffic",
    "backlog",
    "backlog_growth",
    "best_split",
    "capacity",
    "highest_rate",
    "ideal_ratio",
    "serve",
    "splits",
    "utilisation",
]
