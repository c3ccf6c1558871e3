"""One task of the study: one learner on the five folds of a set under one seed."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from studies.common import Task, Timed
from studies.defaults.datasets import Rows, load
from studies.defaults.folds import CodedFold, Codes, folds
from studies.defaults.learners import LEARNERS

Find = Callable[[str], Rows]
Array = NDArray[np.float64]

FLOOR = 1e-15
"""What stands for a probability of exactly 0."""

_DIGITS = 9


def run_task(task: Task, find: Find) -> Timed:
    """Fit a learner to the training rows of five folds and predict their test rows.

    Parameters
    ----------
    task
        With the fields data, seed and learner.
    find
        Gives the rows of a data set; picklable.

    Returns
    -------
    Timed
        Of each fold, means over its test rows: ``log_loss``, natural logarithm; ``brier``, the
        squared distance of the probabilities from the class, summed over classes; ``error``, the
        share whose most probable class is another one. ``zeros``: test rows of all folds whose
        class has probability 0, which counts as `FLOOR`; ``unconverged``: folds whose solver
        stopped early. Processor seconds of "fit" and "predict", mean over the folds.
        If the learner of a peer raises an error, ``failed`` alone, its text.
    """
    learner = LEARNERS[str(task["learner"])]
    warm_up(learner.make)
    parts = folds(find(str(task["data"])), int(str(task["seed"])))
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            measured = [_one(learner.make(), part) for part in parts]
    except Exception as error:
        if learner.is_ours or isinstance(error, ImportError):  # a library's own is no result
            raise
        return Timed({"failed": f"{type(error).__name__}: {error}"[:300]}, {})
    return _together(measured)


def _one(model: Any, fold: CodedFold) -> dict[str, float]:
    start = process_time()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(fold.train, fold.train_classes)
    fitted = process_time()
    logs = log_probabilities(model, fold)
    predicted = process_time()
    early = any(issubclass(warning.category, ConvergenceWarning) for warning in heard)
    seconds = {"fit": fitted - start, "predict": predicted - fitted}
    return {**scores(logs, fold.test_classes), "unconverged": int(early), **seconds}


def log_probabilities(model: Any, fold: CodedFold) -> Array:
    """Return log P(class | row), −inf where the probability is 0."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            return np.asarray(model.predict_log_proba(fold.test), dtype=np.float64)
        return np.log(np.asarray(model.predict_proba(fold.test), dtype=np.float64))


def scores(logs: Array, classes: Codes) -> dict[str, float]:
    """Return the measures of a fold.

    Parameters
    ----------
    logs : (n_rows, n_classes)
    classes : (n_rows,)
    """
    own = logs[np.arange(len(classes)), classes]
    truth = np.eye(logs.shape[1])[classes]
    return {
        "log_loss": float(-np.where(np.isneginf(own), np.log(FLOOR), own).mean()),
        "brier": float(((np.exp(logs) - truth) ** 2).sum(axis=1).mean()),
        "error": float((logs.argmax(axis=1) != classes).mean()),
        "zeros": int(np.isneginf(own).sum()),
    }


def _together(measured: list[dict[str, float]]) -> Timed:
    lists = {name: [round(own[name], _DIGITS) for own in measured] for name in measured[0]}
    result: dict[str, Any] = {name: lists[name] for name in ("log_loss", "brier", "error")}
    result |= {name: int(sum(lists[name])) for name in ("zeros", "unconverged")}
    seconds = {name: float(np.mean(lists[name])) for name in ("fit", "predict")}
    return Timed(result, seconds)


@cache
def warm_up(make: Callable[[], Any]) -> None:
    """Let compiled code and libraries be loaded before the first time is taken, once a process."""
    # Not of labels without noise, which explainable boosting learns for minutes.
    part = folds(load(["iris"], only_builtin=True).sets["iris"], 0)[0]
    with warnings.catch_warnings(), suppress(Exception):  # the task itself will say so
        warnings.simplefilter("ignore")
        log_probabilities(make().fit(part.train, part.train_classes), part)
