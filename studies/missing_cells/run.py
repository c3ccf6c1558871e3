"""One task of the study: one learner on one fold, asked with all shares of cells missing."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr
from studies.common import Task, Timed
from studies.common.sources import CLASS, RawSet
from studies.missing_cells.datasets import fold, with_holes
from studies.missing_cells.learners import RATES, FittedNetwork, learn

Find = Callable[[str], RawSet]

_DIGITS = 7


def run_task(task: Task, find: Find) -> Timed:
    """Fit a learner and predict the test rows of a fold.

    Parameters
    ----------
    task
        With the fields data, structure, fold and learner.
    find
        Gives the rows of a data set; picklable.

    Returns
    -------
    Timed
        ``losses``: for each of `RATES`, −log P(class | what is left of the row), natural log, one
        a test row, to seven decimals; ``errors``: how many rows' most probable class is wrong;
        ``iterations`` and ``converged``.
    """
    rows = fold(find(str(task["data"])).frame, int(str(task["fold"])))
    begin = perf_counter()
    fitted = learn(str(task["learner"]), str(task["structure"]), rows)
    seconds = perf_counter() - begin
    which = task.part("data", "fold")
    asked = [_asked(fitted, with_holes(rows.test, rate, which)) for rate in RATES]
    result = {
        "losses": [np.round(losses, _DIGITS).tolist() for losses, _ in asked],
        "errors": [n_wrong for _, n_wrong in asked],
        "iterations": fitted.iterations,
        "converged": fitted.converged,
    }
    return Timed(result, {"fit": seconds})


def _asked(fitted: FittedNetwork, test: pd.DataFrame) -> tuple[NDArray[Any], int]:
    """Losses of the rows and the number of wrong classes."""
    network = fitted.network
    data = bnlr.Dataset.from_frame(test, CLASS, states=network.states)
    logs = network.predict_log_proba(data)
    truth = data.class_codes
    losses: NDArray[Any] = -logs[np.arange(len(truth)), truth]
    return losses, int((logs.argmax(axis=1) != truth).sum())
