"""One task of the study: one solver in one space on one data set."""

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import bnlr
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
"""The paper's nine reach the threshold within 200 on its data."""

_ROW = ["iteration", "cll", "n_cll", "n_grad", "flops"]

Find = Callable[[Task], StudyData]


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
    study = _study(task.part("data", "seed"), find)
    solver, options = SOLVERS[str(task["solver"])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of separation and of the iteration limit: the rows tell
        result = bnlr.fit(
            study.structure,
            study.data,
            space=str(task["space"]),
            solver=solver,
            max_iter=MOST_ITERATIONS,
            n_threads=1,
            **options,
        )
    trace = result.trace.astype({"flops": int})
    rows = [list(row) for row in trace[_ROW].itertuples(index=False)]
    return Timed(
        {
            "start_cll": rows[0][1],
            "cll": rows[-1][1],
            "iterations": rows[-1][0],
            "parameters": 0 if result.x is None else result.x.size,
            "status": "converged" if result.converged else "not converged",
            "rows": rows,
        },
        {"solve": float(trace["seconds"].iloc[-1])},
    )


@lru_cache(maxsize=2)  # a worker is given the tasks of one data set one after another
def _study(which: Task, find: Find) -> StudyData:
    return find(which)
