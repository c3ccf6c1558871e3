"""One task of the study: one solver in one space on one data set."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.tables import Design
from bnlr.learn.runs.run import evaluation_costs
from bnlr.machine import one_blas_thread
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.optimize.base import minimise
from bnlr.optimize.trace import CountingObjective, Trace
from bnlr.spaces.base import Space
from studies.common import Task, Timed
from studies.feelders_ivanovs.datasets import StudyData

SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "cg": ("cg", {}),
    "cg-brent": ("cg-brent", {}),
    "bfgs": ("bfgs", {}),
    "cg-half": ("cg", {"parabola": "half"}),
    "newton": ("newton", {}),
    "l-bfgs": ("l-bfgs", {}),
    "scipy-cg": ("scipy-cg", {}),
    "scipy-bfgs": ("scipy-bfgs", {}),
}
"""A column's name → solver of bnlr and its options; the paper's three come first."""

MOST_ITERATIONS = 1000
"""The paper's nine reach the threshold within 200 on its data; some of ours take 290."""

Find = Callable[[Task], StudyData]


class Packed(NamedTuple):
    """A data set ready to be fitted, with the start of all solvers."""

    data: bnlr.Dataset
    design: Design
    start: bnlr.BayesianNetwork


def run_task(task: Task, find: Find) -> Timed:
    """Run the solver of a task from the frequency estimates.

    Parameters
    ----------
    task
        With the fields data, seed, space and solver, a key of ``SOLVERS``.
    find
        Gives the data of a task; picklable.

    Returns
    -------
    Timed
        ``rows`` hold, for each iteration from the start on, its number, the CLL (natural log, sum
        over rows), CLL evaluations, gradients, and flops since the start.
    """
    packed = _packed(task.part("data", "seed"), find)
    space = make_space(str(task["space"]), packed)
    solver, options = SOLVERS[str(task["solver"])]
    costs = evaluation_costs(packed.design, space, solver)
    counted = CountingObjective(ConditionalObjective(packed.design, space), costs)
    trace = Trace(counted)
    with one_blas_thread():
        result = minimise(
            counted,
            space.from_network(packed.start),
            solver=solver,
            max_iter=MOST_ITERATIONS,
            on_iteration=trace,
            **options,
        )
    rows = [
        [row.iteration, -row.value, row.n_cll, row.n_grad, int(row.flops)] for row in trace.rows
    ]
    return Timed(
        {
            "start_cll": rows[0][1],
            "cll": -result.value,
            "iterations": result.n_iter,
            "parameters": space.size,
            "status": result.status.name.lower().replace("_", " "),
            "rows": rows,
        },
        {"solve": trace.rows[-1].seconds},
    )


def make_space(name: str, packed: Packed) -> Space:
    """The space of that name; the log-linear one codes the most frequent states 0, as the paper."""
    structure, states = packed.start.structure, packed.start.states
    if name == "loglinear":
        frequent: Mapping[str, Any] = packed.data.most_frequent
        return bnlr.LogLinear(structure, states, frequent)
    return bnlr.Roos(structure, states) if name == "roos" else bnlr.Softmax(structure, states)


@lru_cache(maxsize=2)  # a worker is given the tasks of one data set one after another
def _packed(which: Task, find: Find) -> Packed:
    study = find(which)
    start = bnlr.fit(study.structure, study.data, learner="frequencies", n_threads=1).network
    layout = TableLayout.of(study.structure, study.data.cards)
    return Packed(study.data, Design.of(layout, study.data, n_threads=1), start)
