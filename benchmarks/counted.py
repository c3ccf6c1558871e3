"""The races without an optimum: frequency estimates and TAN structures."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import bnlr
from benchmarks import ours
from benchmarks.bench import Bench
from benchmarks.threads import limited
from benchmarks.workloads import naive

_PEER = "scikit-learn CategoricalNB"


def frequencies(bench: Bench) -> None:
    """Frequency estimates from ready codes, naive Bayes and TAN."""
    task, options = bench.task, bench.options
    for name, structure in (("naive Bayes", naive(task.data)), ("TAN", task.structure)):
        for n in options.threads:
            call = partial(_estimate, structure, task.data, n)
            _race(bench, f"frequencies, {name}", ours.NAME, n, call)
    if options.peers:
        _race(bench, "frequencies, naive Bayes", _PEER, 1, _categorical_nb(task.data))


def structure(bench: Bench) -> None:
    """Learn a TAN structure, packing included."""
    data = bench.task.data
    for n in bench.options.threads:
        _race(
            bench,
            "TAN structure",
            ours.NAME,
            n,
            lambda: bnlr.learn_structure(ours.fresh(data), "tan"),
        )


def _estimate(structure: bnlr.Structure, data: bnlr.Dataset, n_threads: int) -> bnlr.FitResult:
    return bnlr.fit(structure, ours.fresh(data), learner="frequencies", n_threads=n_threads)


def _categorical_nb(data: bnlr.Dataset) -> Callable[[], Any]:
    from sklearn.naive_bayes import CategoricalNB  # noqa: PLC0415  a peer

    own = data.nodes.index(data.class_name)
    x = np.ascontiguousarray(np.delete(data.codes, own, axis=1), dtype=np.intp)
    return lambda: CategoricalNB().fit(x, data.class_codes)


def _race(bench: Bench, name: str, contender: str, n_threads: int, call: Callable[[], Any]) -> None:
    bench.tell(f"{name}, {contender}, {n_threads} threads")
    with limited(n_threads):
        call()
        bench.keep(bench.record(name, contender, n_threads, bench.best(call)))
