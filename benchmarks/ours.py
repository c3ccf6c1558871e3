"""bnlr's side of the races: public calls only, apart from `reused` and what `fresh` forgets."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import bnlr
from benchmarks.designs import Floats
from benchmarks.literal import Stack, Tables
from benchmarks.rooms import (
    ConditionalObjective,
    Design,
    Penalty,
    TableLayout,
    find_minimum,
    forget,
    one_blas_thread,
)
from benchmarks.workloads import FitTask

NAME = "bnlr"


@dataclass(frozen=True)
class Ours:
    """A way to fit with bnlr: ``run`` takes a tolerance, ``stacked`` reads the tables off."""

    name: str
    task: FitTask
    run: Callable[[float], Any]
    stacked: Callable[[Any], Floats]
    form: str = "codes"

    def tables(self, fitted: Any) -> Tables:
        """Family tables of what `run` returned."""
        return Stack.of(self.task).by_scope(self.stacked(fitted))


def fresh(data: bnlr.Dataset) -> bnlr.Dataset:
    """Return the same codes in a Dataset that remembers nothing of earlier calls, nor does bnlr."""
    forget()
    return bnlr.Dataset(data.codes, data.states, data.class_name, data.row_weights)


def fit(task: FitTask, data: bnlr.Dataset, tol: float, n_threads: int) -> bnlr.FitResult:
    """All of ``fit`` from a Dataset: packing, counting, solve, proof, the way back to CPTs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(task.structure, data, penalty=task.penalty, n_threads=n_threads, tol=tol)


def cold(task: FitTask, n_threads: int) -> Ours:
    """Fit from a Dataset whose codes are ready."""
    return Ours(NAME, task, lambda tol: fit(task, fresh(task.data), tol, n_threads), stacked_tables)


def from_frame(task: FitTask, frame: Any, n_threads: int) -> Ours:
    """Fit from a data frame, encoding included."""

    def run(tol: float) -> bnlr.FitResult:
        data = bnlr.Dataset.from_frame(frame, class_name=task.data.class_name)
        return fit(task, data, tol, n_threads)

    return Ours(NAME, task, run, stacked_tables, form="frame")


def reused(task: FitTask, n_threads: int) -> Ours:
    """Fit to packed rows that are there already from frequencies, as a structure search does."""
    layout = TableLayout.of(task.structure, task.data.cards)
    design = Design.of(layout, task.data, n_threads)
    space = bnlr.Roos(task.structure, task.data.states)
    zero = np.zeros((layout.n_cells, layout.n_classes - 1))
    penalty = Penalty(layout, task.penalty, zero) if task.penalty else None
    start = space.from_network(bnlr.fit(task.structure, task.data, learner="frequencies").network)

    def run(tol: float) -> Floats:
        objective = ConditionalObjective(design, space, penalty)
        with one_blas_thread():
            return find_minimum(objective, start, solver="newton", tol=tol).x

    return Ours(f"{NAME}, packed data reused", task, run, space.to_tables, form="packed")


def stacked_tables(result: bnlr.FitResult) -> Floats:
    """Tables (n_cells, n_classes) of the reported parameters."""
    if result.coordinates is None or result.x is None:
        raise ValueError(f"{result.learner} gave no parameters: {result.message}")
    return result.coordinates.to_tables(result.x)


def evaluations(result: Any) -> dict[str, int] | None:
    """How often the rows were passed: values, gradients, Hessian-vector products."""
    if not isinstance(result, bnlr.FitResult):
        return None
    sums = result.trace[["n_cll", "n_grad", "n_hvp"]].sum()
    return {key: int(number) for key, number in sums.items()}
