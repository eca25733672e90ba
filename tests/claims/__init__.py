"""Every quantity that the prose states, and the expression that gives it.

One module per page, two for the two halves of chapter 7, its claims in the order of the page. A
claim is a piece of the page with its numbers in braces and, for each number, a function that
recomputes it in base units or the source of a figure that is quoted from outside ("given: ..." for
an input of the problem). A claim holds enough of its sentence to say what its numbers are numbers
of, and stands at one place. `test_claims` holds pages and tables together.
"""

from claims import (
    bandwidth,
    budget,
    bytes_,
    hits,
    index,
    layout,
    overlap,
    quantization,
    queueing,
    sources,
    workbench,
)

CLAIMS = {
    "1_bytes": bytes_.CLAIMS,
    "2_bandwidth": bandwidth.CLAIMS,
    "3_cache_hits": hits.CLAIMS,
    "4_tp_layout": layout.CLAIMS,
    "5_quantization": quantization.CLAIMS,
    "6_overlap": overlap.CLAIMS,
    "7_service_budget": [*budget.CLAIMS, *queueing.CLAIMS],
    "8_workbench": workbench.CLAIMS,
    "index": index.CLAIMS,
    "sources": sources.CLAIMS,
}
