"""What is measured: bnlr's learners and, where it does the job, scikit-learn.

A job is made ready on a point's data, which is not measured, and then called. Ours starts from a
Dataset that remembers nothing. scikit-learn's matrices are ready, one column a state, as its models
take them; its logistic regression stops at the loosest tolerance that reaches bnlr's objective to
one part in a million.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OneHotEncoder

import bnlr
from benchmarks import literal, ours, race
from benchmarks.designs import codes_of
from benchmarks.generated import CLASS
from benchmarks.growth.points import Problem
from benchmarks.peers import PEERS, Entry
from benchmarks.problem import PeerProblem
from benchmarks.workloads import FitTask

OURS, PEER = "bnlr", "scikit-learn"
_EM_HOLES = 0.1

Prepare = Callable[[Problem], Callable[[], object]]


@dataclass(frozen=True)
class Job:
    """``families`` says whose cells it passes, those of naive Bayes or of the given structure."""

    prepare: Prepare
    contender: str = OURS
    families: str = "given"
    learns_structure: bool = False
    skips: tuple[str, ...] = ()
    """The axes that make no difference to it, or that it cannot take."""


def _data(problem: Problem) -> bnlr.Dataset:
    return ours.fresh(problem.data)


def _frame(problem: Problem) -> Any:
    return problem.data.to_frame().astype(object)


def _read_frame(problem: Problem) -> Callable[[], object]:
    frame = _frame(problem)
    return lambda: bnlr.Dataset.from_frame(frame, CLASS)


def _csv(problem: Problem) -> Path:
    """Write the rows into the current folder."""
    path = Path("rows.csv").resolve()
    problem.data.to_frame().to_csv(path, index=False)
    return path


def _read_file(problem: Problem) -> Callable[[], object]:
    path = _csv(problem)
    return lambda: bnlr.Dataset.from_frame(bnlr.read_frame(path, CLASS), CLASS)


def _encode_frame(problem: Problem) -> Callable[[], object]:
    frame = _frame(problem)
    return lambda: OneHotEncoder().fit_transform(frame)


def _encode_file(problem: Problem) -> Callable[[], object]:
    path = _csv(problem)
    return lambda: OneHotEncoder().fit_transform(pd.read_csv(path, dtype=object))


def _fit(structure: str, problem: Problem, **options: Any) -> Callable[[], object]:
    graph = getattr(problem, structure)
    return lambda: bnlr.fit(graph, _data(problem), n_threads=1, **options)


def _em(problem: Problem) -> Callable[[], object]:
    data = problem.data if problem.point.holes else problem.holed(_EM_HOLES)
    return lambda: bnlr.fit(problem.given, ours.fresh(data), learner="em", n_threads=1)


def _learn(method: str, problem: Problem) -> Callable[[], object]:
    return lambda: bnlr.learn_structure(_data(problem), method)


def _predict(structure: str, problem: Problem) -> Callable[[], object]:
    graph = getattr(problem, structure)
    fitted = bnlr.fit(graph, problem.complete, learner="frequencies", n_threads=1).network
    return lambda: bnlr.BayesianNetwork(graph, fitted.states, fitted.cpts).predict_proba(
        _data(problem)
    )


def _classifier(problem: Problem) -> Callable[[], object]:
    frame = problem.data.to_frame()
    x, y = frame.drop(columns=CLASS), frame[CLASS]
    return lambda: bnlr.BNClassifier(random_state=0).fit(x, y)


def _categorical_nb(problem: Problem) -> Callable[[], object]:
    x, y = problem.complete.codes[:, 1:].astype(np.int64), problem.complete.class_codes
    return lambda: CategoricalNB(min_categories=problem.point.states).fit(x, y)


def _predict_nb(problem: Problem) -> Callable[[], object]:
    model: Any = _categorical_nb(problem)()
    x = problem.complete.codes[:, 1:].astype(np.int64)
    return lambda: model.predict_proba(x)


def _logistic_regression(problem: Problem) -> Callable[[], object]:
    task = FitTask("growth", problem.complete, problem.naive, penalty=1.0)
    seen = PeerProblem(task)
    entry = Entry(PEERS["lbfgs"], seen, "csr", seen.plan.sparse(codes_of(task.data)))
    own = ours.cold(task, 1)
    optimum = literal.objective(task, own.tables(own.run(1e-9)))
    judge = race.Judge(
        lambda fitted: literal.objective(task, entry.tables(fitted)),
        lambda value: literal.gap(value, optimum),
    )
    finish = race.loosest(entry.run, judge)
    return partial(entry.run, finish.tolerance)


_NO_PARENTS = ("parents",)
_COMPLETE = ("holes",)
_BOTH = ("parents", "holes")
_NAIVE: dict[str, Any] = {"families": "naive", "skips": _NO_PARENTS}
_PEER: dict[str, Any] = {"contender": PEER, "families": "naive"}
_SEARCH: dict[str, Any] = {"learns_structure": True}

READ_FRAME, READ_FILE = "read a frame", "read a CSV file"
FREQUENCIES, FIT_PENALISED, PREDICT = "frequencies, NB", "fit NB, penalty 1", "predict, NB"

JOBS: dict[tuple[str, str], Job] = {
    (READ_FRAME, OURS): Job(_read_frame, **_NAIVE),
    (READ_FRAME, PEER): Job(_encode_frame, **_PEER, skips=_NO_PARENTS),
    (READ_FILE, OURS): Job(_read_file, **_NAIVE),
    (READ_FILE, PEER): Job(_encode_file, **_PEER, skips=_NO_PARENTS),
    (FREQUENCIES, OURS): Job(partial(_fit, "naive", learner="frequencies"), **_NAIVE),
    (FREQUENCIES, PEER): Job(_categorical_nb, **_PEER, skips=_BOTH),
    ("frequencies, k-DB", OURS): Job(partial(_fit, "given", learner="frequencies")),
    (PREDICT, OURS): Job(partial(_predict, "naive"), **_NAIVE),
    (PREDICT, PEER): Job(_predict_nb, **_PEER, skips=_BOTH),
    ("predict, k-DB", OURS): Job(partial(_predict, "given")),
    ("fit NB", OURS): Job(partial(_fit, "naive"), **_NAIVE),
    (FIT_PENALISED, OURS): Job(partial(_fit, "naive", penalty=1.0), **_NAIVE),
    (FIT_PENALISED, PEER): Job(_logistic_regression, **_PEER, skips=_BOTH),
    ("fit k-DB", OURS): Job(partial(_fit, "given")),
    ("fit k-DB, penalty 1", OURS): Job(partial(_fit, "given", penalty=1.0)),
    ("ELR", OURS): Job(partial(_fit, "given", learner="elr")),
    ("EM", OURS): Job(_em),
    ("TAN", OURS): Job(partial(_learn, "tan"), **_SEARCH),
    ("HGC", OURS): Job(partial(_learn, "hgc"), **_SEARCH, skips=_COMPLETE),
    ("cll", OURS): Job(partial(_learn, "cll"), **_SEARCH, skips=_COMPLETE),
    ("BNClassifier()", OURS): Job(_classifier, **_SEARCH),
}
NAMES = tuple(dict.fromkeys(name for name, _ in JOBS))
_READING, _FITS = 6, 12
PANELS = {
    "reading, counting, predicting": NAMES[:_READING],
    "fits": NAMES[_READING:_FITS],
    "structures, classifier": NAMES[_FITS:],
}


def told(result: object) -> dict[str, Any]:
    """What a fit says of itself: convergence, iterations, and passes over the rows."""
    if isinstance(result, bnlr.FitResult):
        n_products = sum((ours.evaluations(result) or {}).values())
        return {"converged": result.converged, "iterations": result.n_iter, "passes": n_products}
    iterations = getattr(result, "n_iter_", None)
    if isinstance(iterations, np.ndarray):
        return {"iterations": int(iterations.max())}
    return {}
