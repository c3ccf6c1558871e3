"""Shared set-up of the suite: how hard hypothesis tries, that interrupts are heard, litter."""

import os
import signal
import tempfile

import pytest
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

# A shell's background jobs ignore Ctrl-C, and so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def passing_files(tmp_path_factory):
    """pyAgrum does not delete the files through which it reads frames; pytest does."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("passing"))
    yield
    tempfile.tempdir = before
