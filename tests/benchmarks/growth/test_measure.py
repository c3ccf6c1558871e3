"""A call has a process of its own, and a limit ends it and nothing else."""

import os
import signal
import sys

import numpy as np
import pytest

import bnlr
from benchmarks.growth import clock, measure

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
LIMITS = measure.Limits(0.5, 2**30, 0.0)


def measured(call, limits=LIMITS):
    return measure.measured(lambda: call, lambda result: {"told": result}, limits)


def spin():
    while True:
        pass


def test_a_call_is_told_of():
    found = measured(lambda: 5)
    assert found["outcome"] == measure.DONE
    assert found["told"] == 5
    assert found["seconds"] >= 0.0
    assert not found["shown"]


def test_what_a_call_leaves_behind_goes_with_its_process():
    left = []
    measured(lambda: left.append(1))
    assert not left


@pytest.mark.slow
def test_the_time_limit_ends_a_call_that_never_would():
    assert measured(spin) == {"outcome": measure.TIME}


@pytest.mark.slow
def test_the_time_limit_is_one_on_making_ready_too():
    found = measure.measured(spin, dict, measure.Limits(0.05, 2**30))
    assert found == {"outcome": measure.TIME}


@pytest.mark.skipif(sys.platform != "linux", reason="the memory limit is Linux's")
def test_the_memory_limit():
    assert measured(lambda: np.ones(2**28).sum()) == {"outcome": measure.MEMORY}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are Linux's")
def test_memory_is_the_peak():
    found = measured(lambda: float(np.ones(2**23).sum()))
    assert 0.9 * 2**26 < found["memory"] < 1.5 * 2**26


def test_progress_on_a_terminal_is_noticed():
    assert measured(lambda: sys.stderr.write("half of it\n"))["shown"]


def test_a_refusal_is_told_in_its_words():
    def refuse():
        raise bnlr.DataError("too\nwide")

    assert measured(refuse) == {"outcome": measure.REFUSED, "message": "too wide"}


@pytest.mark.parametrize("error", [ValueError("why"), SystemExit(3)])
def test_any_other_error_is_raised(error):
    def fail():
        raise error

    with pytest.raises(RuntimeError, match=type(error).__name__):
        measured(fail)


def test_a_process_that_dies_is_an_error():
    with pytest.raises(RuntimeError, match="ended with status"):
        measured(lambda: os.kill(os.getpid(), signal.SIGTERM))


def test_batches_are_long_enough_and_shared_out(monkeypatch):
    """A clock that counts 0.01 s a call, in steps of 0.05 s."""
    calls = []
    monkeypatch.setattr(clock, "process_time", lambda: len(calls) * 0.01 // 0.05 * 0.05)
    assert clock.seconds(lambda: calls.append(1)) == pytest.approx(0.01, rel=0.3)
    n_calls = len(calls)
    assert n_calls * 0.01 >= clock.BATCHES * clock.LEAST
    clock.seconds(lambda: calls.append(1), first=7.0)
    assert len(calls) == n_calls
