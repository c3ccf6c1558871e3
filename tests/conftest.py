"""Set-up of the suite: what is slow, how far searches go, that interrupts are heard, litter."""

import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.width import choose, narrowed

# Before NumPy is imported, and handed on to xdist's workers: each with a thread of BLAS for every
# core, they take twice the CPU time, much of it in waiting for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

FULL = 25  # examples of a property that names no number of its own
for name, max_examples in {"narrow": narrowed(FULL), "full": FULL}.items():
    settings.register_profile(
        name,
        max_examples=max_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
# Those are reproducible; `HYPOTHESIS_PROFILE=thorough` searches on, with fresh examples.
settings.register_profile(
    "thorough",
    max_examples=500,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def is_full(config):
    """Whether slow tests are asked for, and searches in full with them."""
    return "not slow" not in config.option.markexpr


def pytest_configure(config):
    choose(is_full=is_full(config))
    default = "full" if is_full(config) else "narrow"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", default))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """A search in full is a slow test."""
    if not is_full(config):
        return
    for item in items:
        is_property = is_hypothesis_test(getattr(item, "obj", None))
        if is_property or item.get_closest_marker("wide"):
            item.add_marker("slow")


# A shell's background jobs ignore Ctrl-C, and so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def passing_files(tmp_path_factory):
    """pyAgrum does not delete the files through which it reads frames; pytest does."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("passing"))
    yield
    tempfile.tempdir = before
