"""One task of the study: one learner on one sample of one P_m."""

from typing import Any

import numpy as np

import bnlr
from studies.common import Task
from studies.wrong_structure.truth import Truth

N_ROWS, HOLE_RATE = 400, 0.5
MOST_ITERATIONS = 30
"""Of each ascent that cross tuning watches."""

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "ofe": ("frequencies", {}),
    "em": ("em", {}),
    "apn": ("apn", {}),
    "elr": ("elr", {"solver": "l-bfgs"}),
    "elr-tuned": ("elr", {"cross_tuning": "error", "max_iter": MOST_ITERATIONS}),
}
"""A curve's name → learner of bnlr and its options."""

LABELS = {
    "ofe": "OFE",
    "em": "EM",
    "apn": "APN",
    "elr": "ELR, not tuned",
    "elr-tuned": "ELR",
}
"""A curve's name → what pages call it; the paper's ELR is the cross-tuned one."""

CURVES = {"complete": ("ofe", "elr", "elr-tuned"), "incomplete": ("em", "apn", "elr", "elr-tuned")}
"""Which learners meet which data: figure 8 (a) and (b)."""

TUNED = "elr-tuned"
LIMIT = 0
"""The seed that stands for infinitely many rows."""


def run_task(task: Task) -> dict[str, Any]:
    """Fit naive Bayes to a sample and enumerate its error.

    Parameters
    ----------
    task
        With the fields rows ("complete" or "incomplete"), m, seed and learner. All learners of a
        seed see the same sample; seed 0 is the whole population, each possible row weighted by its
        probability.

    Returns
    -------
    dict
        ``error`` (exact, under P_m), ``iterations`` and ``converged``.
    """
    truth = Truth(int(str(task["m"])))
    learner, options = LEARNERS[str(task["learner"])]
    data, added = _rows(task, truth)
    result = bnlr.fit(
        truth.naive_bayes,
        data,
        learner=learner,
        n_threads=1,
        random_state=0,
        pseudocount=added,
        **options,
    )
    return {
        "error": truth.error(result.network),
        "iterations": result.n_iter,
        "converged": result.converged,
    }


def _rows(task: Task, truth: Truth) -> tuple[bnlr.Dataset, float]:
    """The training rows, and what the frequency estimates add to every count."""
    hole_rate = HOLE_RATE if task["rows"] == "incomplete" else 0.0
    if task["seed"] == LIMIT:
        return truth.population(hole_rate), 0.0
    rng = np.random.default_rng(task.part("rows", "seed").seed)
    return truth.sample(N_ROWS, hole_rate, rng), 1.0
