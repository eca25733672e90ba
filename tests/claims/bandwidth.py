"""Not written yet."""

CLAIMS = {}
