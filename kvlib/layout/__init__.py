"""Layout: which rank holds which KV heads, and who sends what to whom. Chapter 4.

    heads of a rank   = max(1, H / TP)                 neighbours hold copies of the same
    bytes on the wire = payload · max(H, P, D) / H     K and V, SGLang
                      = payload · max(H, D) / H        K and V, vLLM
                      = payload · D                    MLA, both

| file          | what it answers                                                        |
|---------------|------------------------------------------------------------------------|
| `ownership`   | the heads of a rank, its share of a group, the layers of a stage       |
| `compatible`  | whether two sides can hand off, why not, and what is not planned here  |
| `moves`       | the list of (source, destination, layers, heads)                       |
| `descriptors` | how many pieces a move falls into, in closed form                      |
| `plan`        | `handoff`: bytes held, sent and received, descriptors, the moves       |
| `execute`     | the moves on real arrays; the only file that needs NumPy               |

P and D are the ranks that share attention: tp / dp under data-parallel attention. Counted: one
request's state, in whole pages. Not counted: metadata, weights, a prefix that decode holds already,
context parallelism.
"""

from kvlib.layout.compatible import Answer, Side, compatible
from kvlib.layout.execute import (
    Pool,
    carry_out,
    deliver,
    empty_pools,
    full_pools,
    heads_in,
    random_cache,
)
from kvlib.layout.moves import Move
from kvlib.layout.ownership import attention_tp, copies, owned_heads, share, stage_layers
from kvlib.layout.plan import Plan, handoff

__all__ = [
    "Answer",
    "Move",
    "Plan",
    "Pool",
    "Side",
    "attention_tp",
    "carry_out",
    "compatible",
    "copies",
    "deliver",
    "empty_pools",
    "full_pools",
    "handoff",
    "heads_in",
    "owned_heads",
    "random_cache",
    "share",
    "stage_layers",
]
