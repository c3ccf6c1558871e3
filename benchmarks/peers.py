"""The other packages, each with its fastest input and its own tolerance as the knob."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from benchmarks.designs import Columns, Floats, codes_of
from benchmarks.literal import Tables
from benchmarks.problem import PeerProblem

MAX_ITER = 100_000
_HESSIAN_FLOPS = 5e10
_PROBED_ITERATIONS = 5
_FAR_BEHIND = 4.0
FAILURES = (np.linalg.LinAlgError, ValueError, FloatingPointError)

Solution = tuple[Floats, Floats]
"""Weights (n_columns, n_classes) and intercepts (n_classes,)."""


class Peer(Protocol):
    """One package and solver."""

    name: str

    def excuse(self, problem: PeerProblem) -> str | None:
        """Why this peer is left out of ``problem``; None if it is not."""

    def forms(self, problem: PeerProblem) -> list[str]:
        """Forms of the design that it takes."""

    def fit(self, problem: PeerProblem, matrix: Any, tol: float, max_iter: int = MAX_ITER) -> Any:
        """Run the package; this is what is timed."""

    def solution(self, problem: PeerProblem, fitted: Any) -> Solution:
        """Weights of what `fit` returned."""


@dataclass(frozen=True)
class ScikitLearn:
    """LogisticRegression with one of its solvers; ``tol`` is the knob."""

    solver: str

    @property
    def name(self) -> str:
        """Solver and package."""
        return f"scikit-learn {self.solver}"

    def excuse(self, problem: PeerProblem) -> str | None:
        """newton-cholesky builds the whole Hessian; not where that takes minutes."""
        n_rows, n_columns = problem.shape
        k = problem.task.n_classes
        blocks = 1 if k == 2 else k * (k + 1) // 2
        flops = n_rows * n_columns**2 * blocks
        if self.solver == "newton-cholesky" and flops > _HESSIAN_FLOPS:
            return f"each of its Hessians would cost {flops:.0e} multiplications"
        return None

    def forms(self, problem: PeerProblem) -> list[str]:
        """CSR, and dense where that fits."""
        return ["csr", "dense"] if problem.dense_fits else ["csr"]

    def fit(self, problem: PeerProblem, matrix: Any, tol: float, max_iter: int = MAX_ITER) -> Any:
        """Fit a LogisticRegression."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  a peer

        inverse = 1 / problem.strength if problem.strength else np.inf
        model = LogisticRegression(C=inverse, tol=tol, max_iter=max_iter, solver=self.solver)
        return model.fit(matrix, problem.classes)

    def solution(self, problem: PeerProblem, fitted: Any) -> Solution:
        """Weights of both classes where scikit-learn keeps their difference only."""
        coef, intercept = fitted.coef_.T, fitted.intercept_
        return (
            _with_reference(coef, intercept) if problem.task.n_classes == 2 else (coef, intercept)
        )


@dataclass(frozen=True)
class Glum:
    """glum's GeneralizedLinearRegressor, binomial; ``gradient_tol`` is the knob."""

    name: str = "glum"

    def excuse(self, problem: PeerProblem) -> str | None:
        """It has no multinomial model."""
        if find_spec("glum") is None:
            return "it is not installed"
        return None if problem.task.n_classes == 2 else "it is for two classes only"

    def forms(self, problem: PeerProblem) -> list[str]:
        """Its own categorical matrices too."""
        return ["categorical", "csr", *(["dense"] if problem.dense_fits else [])]

    def fit(self, problem: PeerProblem, matrix: Any, tol: float, max_iter: int = MAX_ITER) -> Any:
        """Fit; its penalty is per row."""
        from glum import GeneralizedLinearRegressor  # noqa: PLC0415  a peer

        alpha = problem.strength / len(problem.classes)
        model = GeneralizedLinearRegressor(
            family="binomial", alpha=alpha, gradient_tol=tol, max_iter=max_iter
        )
        return model.fit(matrix, problem.classes.astype(np.float64))

    def solution(self, problem: PeerProblem, fitted: Any) -> Solution:  # noqa: ARG002  one signature
        """Weights of both classes."""
        return _with_reference(fitted.coef_[:, None], np.array([fitted.intercept_]))


@dataclass(frozen=True)
class Statsmodels:
    """statsmodels' Logit and MNLogit by Newton; ``tol``, on the change of weights, is the knob."""

    name: str = "statsmodels"

    def excuse(self, problem: PeerProblem) -> str | None:
        """It has no L2 penalty and takes dense designs only."""
        if find_spec("statsmodels") is None:
            return "it is not installed"
        if problem.task.penalty:
            return "it has no L2 penalty"
        return None if problem.dense_fits else "it takes dense designs only"

    def forms(self, problem: PeerProblem) -> list[str]:  # noqa: ARG002  one signature
        """Dense."""
        return ["dense"]

    def fit(self, problem: PeerProblem, matrix: Any, tol: float, max_iter: int = MAX_ITER) -> Any:
        """Fit without covariances; they are no part of the optimum."""
        from statsmodels.discrete.discrete_model import Logit, MNLogit  # noqa: PLC0415  a peer

        design = np.column_stack([np.ones(len(matrix)), matrix])
        model = (Logit if problem.task.n_classes == 2 else MNLogit)(problem.classes, design)
        options = {"disp": 0, "skip_hessian": True, "warn_convergence": False}
        return model.fit(method="newton", tol=tol, maxiter=min(max_iter, 200), **options)

    def solution(self, problem: PeerProblem, fitted: Any) -> Solution:  # noqa: ARG002  one signature
        """Weights of all classes, the first ones 0."""
        weights = np.asarray(fitted.params).reshape(fitted.model.exog.shape[1], -1)
        return _with_reference(weights[1:], weights[0])


PEERS: dict[str, Peer] = {
    "lbfgs": ScikitLearn("lbfgs"),
    "newton-cg": ScikitLearn("newton-cg"),
    "newton-cholesky": ScikitLearn("newton-cholesky"),
    "glum": Glum(),
    "statsmodels": Statsmodels(),
}


@dataclass(frozen=True)
class Entry:
    """A peer with the form of the design it is fastest with, built."""

    peer: Peer
    problem: PeerProblem
    form: str
    matrix: Any

    @property
    def name(self) -> str:
        """The peer's."""
        return self.peer.name

    def run(self, tol: float) -> Any:
        """Fit to a tolerance."""
        return _quietly(lambda: self.peer.fit(self.problem, self.matrix, tol))

    def tables(self, fitted: Any) -> Tables:
        """Family tables of what `run` returned."""
        return self.problem.plan.tables(*self.peer.solution(self.problem, fitted))


def entries(
    problem: PeerProblem, names: list[str], timed: Callable[[Callable[[], Any]], float]
) -> Iterator[list[Entry] | str]:
    """Yield each peer's likely fastest forms, ready to run, the first first; or why there is none.

    ``timed`` gives the seconds of one call.
    """
    for name in names:
        peer = PEERS[name]
        excuse = peer.excuse(problem)
        yield f"{peer.name} is left out: {excuse}" if excuse else _forms(peer, problem, timed)


def _forms(
    peer: Peer, problem: PeerProblem, timed: Callable[[Callable[[], Any]], float]
) -> list[Entry] | str:
    """Try a few iterations with each form; those far behind are not tried again."""
    tried: list[tuple[float, Entry]] = []
    for form in peer.forms(problem):
        matrix = problem.builders(form)[0](codes_of(problem.task.data))
        few = partial(peer.fit, problem, matrix, 1e-12, _PROBED_ITERATIONS)
        try:
            _quietly(few)  # the first call imports the package, which is not the form's fault
            seconds = timed(partial(_quietly, few))
        except FAILURES as error:
            return f"{peer.name} is left out: it fails ({str(error).splitlines()[0]})"
        tried.append((seconds, Entry(peer, problem, form, matrix)))
    tried.sort(key=lambda pair: pair[0])
    return [entry for seconds, entry in tried if seconds <= _FAR_BEHIND * tried[0][0]]


def encoded(entry: Entry) -> list[Callable[[Columns], Any]]:
    """Ways to the entry's matrix from columns of codes, for the race with encoding."""
    return entry.problem.builders(entry.form)


def _with_reference(weights: Floats, intercepts: Floats) -> Solution:
    """Put the first class's zeros before the other classes' weights."""
    zeros = np.zeros((len(weights), 1))
    return np.hstack([zeros, weights]), np.concatenate([[0.0], np.ravel(intercepts)])


def _quietly(run: Callable[[], Any]) -> Any:
    """Peers warn of tolerances not reached; the gap to the optimum is judged here instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run()
