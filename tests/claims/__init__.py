"""Every quantity that the prose states, and the expression that gives it.

One module per page: the text as printed, and either a function that recomputes it in base units or
the source of a figure that is quoted from outside. `test_claims` holds pages and tables together.
"""

from claims import bandwidth, budget, bytes_, index

CLAIMS = {
    "1_bytes": bytes_.CLAIMS,
    "2_bandwidth": bandwidth.CLAIMS,
    "7_service_budget": budget.CLAIMS,
    "index": index.CLAIMS,
}
