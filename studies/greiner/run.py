"""One task of the study, of whichever part."""

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import bnlr
from studies.common import Task, Timed
from studies.common.sources import RawSet
from studies.greiner import datasets
from studies.greiner.artificial import CopyTruth, linked
from studies.greiner.learners import (
    COMPLETE,
    INCOMPLETE,
    UNTUNED,
    LearntNetwork,
    general,
    learn,
    n_wrong,
    structure_of,
)
from studies.wrong_structure.run import run_task as run_wrong_structure
from studies.wrong_structure.truth import Truth

Find = Callable[[str], RawSet]

HOLE_RATES = {"complete": 0.0, "incomplete": datasets.HOLE_RATE}
LEARNERS = {"complete": COMPLETE, "incomplete": INCOMPLETE}
COMPLEX_LEARNERS = {rows: (*learners, UNTUNED) for rows, learners in LEARNERS.items()}
"""Those of the artificial distributions."""

COMPLEX_HOLE_RATE = 0.2
"""Share of the cells that section 5.3 removes."""

COMPLEX_ROWS = 400
"""Rows where the model links E1 to Em, as in section 5.1.4."""

CUT_STRUCTURES = ("naive-bayes", "tan")
"""Those of which OFE must be close to table II."""

LAST_ITERATION = 20
"""Of figure 1."""


def run_task(task: Task, find: Find) -> Any:
    """Do a task; rows that a network holds for impossible get the class's prior without a warning.

    Parameters
    ----------
    task
        Its field ``part`` says which of the functions below has it.
    find
        Gives the rows of a data set; picklable.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        return _PARTS[str(task["part"])](task, find)


def tables(task: Task, find: Find) -> Timed:
    """Tables II and III: a learner and a structure on one fold.

    Returns
    -------
    Timed
        ``errors`` of ``n`` test rows, which have holes as the training rows have; ``errors_whole``
        the same without holes in the test rows; ``iterations`` and ``converged``.
    """
    rows = _fold(task, find)
    begin = perf_counter()
    structure = structure_of(str(task["structure"]), rows.train, rows.train_whole)
    searched = perf_counter()
    fitted = learn(str(task["learner"]), structure, rows.train)
    seconds = {"structure": searched - begin, "fit": perf_counter() - searched}
    errors = n_wrong(fitted.network, rows.test)
    whole = errors if rows.test is rows.test_whole else n_wrong(fitted.network, rows.test_whole)
    result = {
        "n": rows.test.n_rows,
        "errors": errors,
        "errors_whole": whole,
        "iterations": fitted.iterations,
        "converged": fitted.converged,
    }
    return Timed(result, seconds)


def cuts(task: Task, find: Find) -> dict[str, Any]:
    """OFE on a fold whose numbers are cut less: {structure: errors} of ``n`` test rows."""
    name, number, cost = str(task["data"]), int(str(task["fold"])), float(str(task["cost"]))
    rows = datasets.fold(name, find(name).frame, number, cost=cost)
    graphs = {kind: structure_of(kind, rows.train, rows.train) for kind in CUT_STRUCTURES}
    errors = {
        kind: n_wrong(learn("OFE", graph, rows.train).network, rows.test)
        for kind, graph in graphs.items()
    }
    return {"n": rows.test.n_rows, "errors": errors}


def tpda(task: Task, find: Find) -> dict[str, Any]:
    """GBN+OFE on a fold, its structure by a variant of TPDA; ``arcs`` of that structure."""
    rows = _fold(task, find)
    graph = general(rows.train_whole, str(task["variant"]))
    errors = n_wrong(learn("OFE", graph, rows.train).network, rows.test)
    return {"n": rows.test.n_rows, "errors": errors, "arcs": len(graph.edges)}


def natural_holes(task: Task, find: Find) -> dict[str, Any]:
    """Section 5.1.3: a learner and a structure on a fold of a set with holes of its own."""
    rows = _fold(task, find)
    structure = structure_of(str(task["structure"]), rows.train, rows.train)
    fitted = learn(str(task["learner"]), structure, rows.train)
    return {"n": rows.test.n_rows, "errors": n_wrong(fitted.network, rows.test)}


def iterations(task: Task, find: Find) -> dict[str, Any]:
    """Figure 1: training and test errors after 0, 1, … `LAST_ITERATION` iterations of ELR."""
    rows = _fold(task, find)
    structure = structure_of(str(task["structure"]), rows.train, rows.train_whole)
    space = bnlr.Softmax(structure, rows.train.states)
    start = learn("OFE", structure, rows.train).network
    points: list[Any] = []
    bnlr.fit(
        structure,
        rows.train,
        learner="elr",
        solver="cg-brent",
        max_iter=LAST_ITERATION,
        n_threads=1,
        callback=lambda state: points.append(state.x.copy()),
    )
    points += points[-1:] * (LAST_ITERATION + 1 - len(points))  # it had converged
    networks = [space.to_network(x, like=start) for x in points]
    return {
        "n_train": rows.train.n_rows,
        "n_test": rows.test.n_rows,
        "train": [n_wrong(network, rows.train) for network in networks],
        "test": [n_wrong(network, rows.test) for network in networks],
    }


def curve(task: Task, find: Find) -> dict[str, Any]:
    """Figure 3: errors of all learners after training on ``size`` of the training rows.

    A structure that is learnt is learnt from all training rows; the rows of a seed are among those
    of every larger size.
    """
    rows = _fold(task, find, number=0)
    structure = structure_of(str(task["structure"]), rows.train, rows.train_whole)
    rng = np.random.default_rng(task.part("data", "seed").seed)
    chosen = rng.permutation(rows.train.n_rows)[: int(str(task["size"]))]
    train = rows.train.take(chosen)
    learners = LEARNERS[str(task["rows"])]
    errors = {name: n_wrong(learn(name, structure, train).network, rows.test) for name in learners}
    return {"n": rows.test.n_rows, "errors": errors}


def irrelevant(task: Task, find: Find) -> dict[str, Any]:
    """Figures 11 (a) and 12 (a): naive Bayes where one attribute is the class, up to noise."""
    del find
    truth = CopyTruth(k=int(str(task["k"])), agreement=float(str(task["agreement"])))
    rng = np.random.default_rng(task.seed)
    data = truth.sample(int(str(task["size"])), _complex_hole_rate(task), rng)
    return _exact(truth, truth.naive_bayes, data, str(task["rows"]))


def superfluous(task: Task, find: Find) -> dict[str, Any]:
    """Figures 11 (b) and 12 (b): links between attributes where there is no dependence."""
    del find
    truth = Truth(0)
    rng = np.random.default_rng(task.part("rows", "seed").seed)
    data = truth.sample(COMPLEX_ROWS, _complex_hole_rate(task), rng)
    return _exact(truth, linked(truth, int(str(task["m"]))), data, str(task["rows"]))


def wrong_structure(task: Task, find: Find) -> dict[str, Any]:
    """Figure 8; see `studies.wrong_structure`."""
    del find
    return run_wrong_structure(task)


_PARTS: dict[str, Callable[[Task, Find], Any]] = {
    "tables": tables,
    "cuts": cuts,
    "tpda": tpda,
    "natural holes": natural_holes,
    "iterations": iterations,
    "curve": curve,
    "wrong structure": wrong_structure,
    "irrelevant attributes": irrelevant,
    "superfluous links": superfluous,
}


def _fold(task: Task, find: Find, number: int | None = None) -> datasets.DiscreteFold:
    name = str(task["data"])
    rate = HOLE_RATES[str(task.get("rows", "complete"))]  # holes of their own stay in any case
    chosen = int(str(task["fold"])) if number is None else number
    partition = int(str(task.get("partition", datasets.FIRST)))
    return datasets.fold(name, find(name).frame, chosen, rate, partition)


def _complex_hole_rate(task: Task) -> float:
    return COMPLEX_HOLE_RATE if task["rows"] == "incomplete" else 0.0


def _exact(
    truth: Truth, structure: bnlr.Structure, data: bnlr.Dataset, rows: str
) -> dict[str, Any]:
    fits: dict[str, LearntNetwork] = {
        name: learn(name, structure, data) for name in COMPLEX_LEARNERS[rows]
    }
    return {
        "errors": {name: truth.error(fitted.network) for name, fitted in fits.items()},
        "iterations": {name: fitted.iterations for name, fitted in fits.items()},
    }
