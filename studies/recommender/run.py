"""One task of the study: what is foretold of one random network, and the race."""

import warnings
from typing import Any

import numpy as np

import bnlr
from studies.common import Task
from studies.feelders_ivanovs import paper
from studies.feelders_ivanovs.datasets import StudyData, artificial
from studies.feelders_ivanovs.run import run_task as run_solver
from studies.feelders_ivanovs.tables import Race

FIT, JUDGE = "fit", "judge"
"""Problems that rates are fitted to, and others that they are judged by."""

N_ROWS = (100, 200, 500, 1000)
DOMAINS = {1: ("2", "2-3", "3", "2-5", "5"), 2: ("2", "2-3", "3", "4"), 3: ("2", "2-3", "3")}
"""By number of parents: BFGS pays for the square of the parameters, and this is to be cheap."""
MOST_ATTRIBUTES = 10

_N_CLL, _FLOPS = 2, 4


def run_task(task: Task) -> dict[str, Any]:
    """Foretell, then race the paper's nine.

    Parameters
    ----------
    task
        With the fields use and problem, which alone decide the network and its rows.

    Returns
    -------
    dict
        The problem's ``name``, ``classes``, and ``columns``: for each space and solver ``space``,
        ``solver``, ``steps``, the ``expected`` flops, and, to the paper's threshold,
        ``iterations``, ``evaluations`` of the CLL and ``flops`` spent; None where never reached.
    """
    study = problem(task)
    told = bnlr.recommend(study.structure, study.data).table
    race, runs = raced(study)
    iterations, flops = race.iterations(), race.flops()
    columns = []
    shown = told[["space", "solver", "steps", "flops"]].to_numpy().tolist()
    for space, solver, steps, expected in shown:
        column = space, solver
        reached = iterations[column]
        spent = [] if reached is None else runs[column]["rows"][1 : int(reached) + 1]
        columns.append(
            {
                "space": space,
                "solver": solver,
                "steps": steps,
                "expected": expected,
                "iterations": reached,
                "evaluations": float(sum(one[_N_CLL] for one in spent)),
                "flops": flops[column],
            }
        )
    return {
        "name": study.name,
        "classes": study.data.cards[study.data.class_name],
        "columns": columns,
    }


def raced(study: StudyData) -> tuple[Race, dict[paper.Column, Any]]:
    """The paper's nine on one problem."""
    runs = {
        (space, solver): run_solver(
            Task(data=study.name, seed=0, space=space, solver=solver), lambda _: study
        ).result
        for space, solver in paper.COLUMNS
    }
    return Race(study.name, 0, runs), runs


def problem(task: Task) -> StudyData:
    """A random network of the paper's kind, and rows from it that show two classes or more."""
    rng = np.random.default_rng(task.part("use", "problem").seed)
    n_parents = int(rng.integers(1, 4))
    domain = str(rng.choice(DOMAINS[n_parents]))
    n_attributes = int(rng.integers(4, MOST_ATTRIBUTES // n_parents + 3))
    name = f"{n_parents}.{n_attributes}.{domain}.{rng.choice(N_ROWS)}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        while True:
            study = artificial(name, int(rng.integers(2**31)))
            if len(np.unique(study.data.class_codes)) > 1:
                return study
