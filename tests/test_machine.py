"""How many threads are taken where no number is given, and what becomes of them in a fork."""

import os
import signal
import warnings

import joblib
import pytest

from bnlr import machine
from bnlr.errors import ParameterError

CPUS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.fixture(autouse=True)
def counted_anew(monkeypatch):
    machine._n_cpus.cache_clear()
    yield
    monkeypatch.undo()
    machine._n_cpus.cache_clear()


@pytest.mark.parametrize(
    ("share", "threads"),
    [(None, CPUS), ("", CPUS), ("1", 1), (" 1 , 2", 1), ("0", 1), ("9999", CPUS), ("many", CPUS)],
)
def test_the_environment_may_ask_for_fewer(monkeypatch, share, threads):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if share is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", share)
    assert machine.n_workers(None) == threads


def test_a_number_that_is_given_holds(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert machine.n_workers(3) == 3
    with pytest.raises(ParameterError, match="n_threads is 0"):
        machine.n_workers(0)


@pytest.mark.slow
def test_workers_of_joblib_take_their_share(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        shares = joblib.Parallel(n_jobs=2)(joblib.delayed(machine.n_workers)(None) for _ in "ab")
    assert shares == [1, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_a_pool_of_its_own():
    """It inherits none of the threads, and would wait for them until the alarm."""
    before = list(machine.in_order(abs, [-1, -2, -3], workers=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(list(machine.in_order(abs, [-1, -2, -3], workers=2)) != before)
    assert os.waitpid(child, 0)[1] == 0
    assert list(machine.in_order(abs, [-1, -2, -3], workers=2)) == before


def test_linear_algebra_keeps_to_one_thread_while_the_context_lasts():
    def threads():
        return [library.num_threads for library in machine._blas().lib_controllers]

    with machine._blas().limit(limits=2):
        before = threads()
        with machine.one_blas_thread():
            assert set(threads()) == {1}
            with machine.one_blas_thread():
                assert set(threads()) == {1}
            assert set(threads()) == {1}
        assert threads() == before
