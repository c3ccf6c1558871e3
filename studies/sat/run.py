"""One task of the study: ELR from one start on the sample of one formula."""

import warnings
from collections.abc import Mapping
from typing import Any

import bnlr
from studies.common import Task
from studies.sat.formula import Formula, holds
from studies.sat.reduction import STATES, random_network, sample_of, structure_of

_MAX_ITER = 2000


def run_task(task: Task, formulas: Mapping[str, Formula]) -> dict[str, Any]:
    """Raise the CLL of a formula's sample by ELR from random CPTs.

    Parameters
    ----------
    task
        With the fields formula and start; the start alone decides the CPTs to begin with.
    formulas
        {name: formula}.

    Returns
    -------
    dict
        ``cll`` reached, ``iterations``, and ``n_false``: how many clauses the most probable values
        of the X_i leave false.
    """
    formula = formulas[str(task["formula"])]
    start = random_network(formula, int(str(task["start"])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)  # a CLL of 0 is what is looked for
        result = bnlr.fit(
            structure_of(formula),
            sample_of(formula),
            learner="elr",
            solver="l-bfgs",
            start=start,
            max_iter=_MAX_ITER,
            n_threads=1,
        )
    assignment = read_off(formula, result.network)
    return {
        "cll": result.cll,
        "iterations": result.n_iter,
        "n_false": sum(not holds(clause, assignment) for clause in formula.clauses),
    }


def read_off(formula: Formula, network: bnlr.BayesianNetwork) -> tuple[bool, ...]:
    """The value that each X_i has most probably where the class is true."""
    own = {network.structure.class_name: STATES[1]}
    return tuple(
        bool(network.query([f"X{i}"], own)[1] > 0.5) for i in range(1, formula.n_variables + 1)
    )
