"""Threads are limited for all, memory is told, and no form of a design pays for an import."""

import os
from dataclasses import dataclass, field

import numpy as np
import pytest

from benchmarks import memory, peers, targets
from benchmarks.problem import PeerProblem
from benchmarks.threads import limited
from benchmarks.workloads import FitTask, dataset, naive, sample


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="CPUs cannot be bound here")
def test_one_thread_is_one_cpu_and_only_for_a_while():
    before = os.sched_getaffinity(0)
    with limited(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
    with pytest.raises(KeyError), limited(1):
        raise KeyError
    assert os.sched_getaffinity(0) == before


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux")  # noqa: PTH110
def test_memory_that_is_freed_again_counts():
    size = 64 * 2**20
    added = memory.peak_added(lambda: np.ones(size // 8).sum())
    assert size * 0.9 < added < size * 1.5


@dataclass
class SlowToImport:
    """A peer whose first call takes long and whose CSR form is the faster one."""

    name: str = "toy"
    calls: list[str] = field(default_factory=list)

    def excuse(self, _problem):
        return None

    def forms(self, _problem):
        return ["csr", "dense"]

    def fit(self, _problem, matrix, _tol, _max_iter=0):
        self.calls.append("dense" if isinstance(matrix, np.ndarray) else "csr")
        return 100.0 if len(self.calls) == 1 else {"csr": 1.0, "dense": 3.0}[self.calls[-1]]


def test_a_first_call_does_not_count_against_a_form(monkeypatch):
    codes, cards, _ = sample(50, 3, 0, seed=0)
    data = dataset(codes, cards)
    problem = PeerProblem(FitTask("toy", data, naive(data)))
    monkeypatch.setitem(peers.PEERS, "toy", SlowToImport())
    (forms,) = peers.entries(problem, ["toy"], lambda call: call())
    assert [entry.form for entry in forms] == ["csr", "dense"]


def test_targets_compare_the_right_way():
    record = {
        "race": "fit", "contender": "bnlr", "threads": 1, "passes": 20.0, "seconds": 1.0,
        "times_best_peer": 16.0, "evaluations": None,
    }  # fmt: skip
    sheet = {"task": "W1 TAN", "records": [record], "memory_added": None, "dataset_bytes": 1}
    rows = targets.judged({"tasks": [sheet]})
    assert [(row["wanted"], row["reached"]) for row in rows] == [
        ("≤ 19 C", False),
        ("≥ 15 × the best peer", True),
    ]
