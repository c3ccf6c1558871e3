"""Shared set-up of the suite: how hard hypothesis tries."""

import os

from hypothesis import HealthCheck, settings

# Reproducible by default; `HYPOTHESIS_PROFILE=thorough` searches on, with fresh examples.
settings.register_profile(
    "quick",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=500,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
