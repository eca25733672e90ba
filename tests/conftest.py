"""One profile for every property test: the same examples on every machine, no deadline."""

from hypothesis import settings

settings.register_profile("repository", derandomize=True, deadline=None)
settings.load_profile("repository")
