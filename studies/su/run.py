"""The kinds of tasks: cross-validation, accuracy by epoch, learning curves, DFE's ingredients."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

import bnlr
from studies.common import Task, Timed
from studies.common.sources import CLASS
from studies.su.datasets import Raw
from studies.su.ingredients import WITHOUT
from studies.su.learners import METHODS, Predict, after_epochs, discriminative, structure_of, train
from studies.su.paper import COLUMNS, MOST_IN_CURVES
from studies.su.preprocess import Split, split

Find = Callable[[str], Raw]
Rows = NDArray[np.int64]

ACCURACY, EPOCHS, CURVE = "accuracy", "epochs", "curve"
LONG, INGREDIENTS = "long epochs", "ingredients"
N_FOLDS = 10
MOST_EPOCHS = 10
SNAPSHOTS = (1, 2, 3, *(2**k for k in range(2, 12)))
"""Epochs after which the long runs are judged, up to the paper's last one."""
SIZES = tuple(range(5, MOST_IN_CURVES + 1, 5))
CURVE_METHODS = ("FE", "DFE", "ELR")

_DIGITS = 9


def run_task(task: Task, find: Find) -> Timed:
    """Do a task.

    Parameters
    ----------
    task
        With ``kind`` and ``data``, and "repetition" (accuracy), "run" (curve) or "structure" (long
        epochs).
    find
        Gives the rows of a data set; picklable.

    Returns
    -------
    Timed
        accuracy: ``correct`` {learner: right test rows of each fold}, ``tested`` test rows of each
        fold; seconds of a training, mean over the folds, "LEARNER structure" and "… parameters".
        epochs: ``train`` and ``test``, shares right after 1, 2, … epochs of NB+DFE.
        long epochs: the same after each of the ``epochs`` of `SNAPSHOTS`, NB+DFE or HGC+DFE.
        ingredients: ``correct`` and ``tested`` of FE, DFE, and DFE without equation 2 or 3.
        curve: {method: share of the other rows right after training on each of `SIZES`}.
    """
    raw = find(str(task["data"]))
    if task["kind"] == ACCURACY:
        return _cross_validated(task, raw)
    act = {
        EPOCHS: _by_epoch,
        CURVE: _curve,
        LONG: _long,
        INGREDIENTS: _ingredients,
    }[str(task["kind"])]
    return Timed(act(task, raw), {})


def folds(raw: Raw, which: Task) -> list[tuple[Rows, Rows]]:
    """Training and test rows of ten stratified folds, which depend on ``which`` alone.

    The training rows are in random order, for DFE, whose result depends on it: many files are
    sorted by class.
    """
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=which.seed % 2**32)
    rng = np.random.default_rng(which.seed)
    parts = splitter.split(raw.classes, raw.classes)
    return [(rng.permutation(rows), held_out) for rows, held_out in parts]


def _cross_validated(task: Task, raw: Raw) -> Timed:
    _warm_up()
    correct: dict[str, list[int]] = {name: [] for name in COLUMNS}
    seconds: dict[str, float] = {}
    tested = []
    for rows, held_out in folds(raw, task.part("data", "repetition")):
        parts = split(raw, rows, held_out)
        tested.append(len(held_out))
        for name, trained in train(parts.train, COLUMNS).items():
            correct[name].append(_n_right(trained.predict, parts.test))
            for what, taken in trained.seconds.items():
                key = f"{name} {what}"
                seconds[key] = seconds.get(key, 0.0) + taken / N_FOLDS
    return Timed({"correct": correct, "tested": tested}, seconds)


def _by_epoch(task: Task, raw: Raw) -> dict[str, list[float]]:
    shares: NDArray[np.float64] = np.zeros((2, MOST_EPOCHS))
    for rows, held_out in folds(raw, task.part("data")):
        parts = split(raw, rows, held_out)
        structure = bnlr.learn_structure(parts.train, "naive-bayes")
        for k in range(MOST_EPOCHS):
            predict = discriminative(structure, parts.train, epochs=k + 1)
            shares[0, k] += _n_right(predict, parts.train) / len(rows)
            shares[1, k] += _n_right(predict, parts.test) / len(held_out)
    first, second = np.round(shares / N_FOLDS, _DIGITS).tolist()
    return {"train": first, "test": second}


def _long(task: Task, raw: Raw) -> dict[str, list[Any]]:
    shares: NDArray[np.float64] = np.zeros((2, len(SNAPSHOTS)))
    for rows, held_out in folds(raw, task.part("data")):
        parts = split(raw, rows, held_out)
        structure = structure_of(str(task["structure"]), parts.train)
        for k, predict in enumerate(after_epochs(structure, parts.train, SNAPSHOTS)):
            shares[0, k] += _n_right(predict, parts.train) / len(rows)
            shares[1, k] += _n_right(predict, parts.test) / len(held_out)
    first, second = np.round(shares / N_FOLDS, _DIGITS).tolist()
    return {"epochs": list(SNAPSHOTS), "train": first, "test": second}


def _ingredients(task: Task, raw: Raw) -> dict[str, Any]:
    correct: dict[str, list[int]] = {name: [] for name in WITHOUT}
    tested = []
    for rows, held_out in folds(raw, task.part("data")):
        parts = split(raw, rows, held_out)
        structure = structure_of("NB", parts.train)
        tested.append(len(held_out))
        for name, learn in WITHOUT.items():
            correct[name].append(_n_right(learn(structure, parts.train), parts.test))
    return {"correct": correct, "tested": tested}


def _curve(task: Task, raw: Raw) -> dict[str, list[float]]:
    order = np.random.default_rng(task.seed).permutation(raw.n_rows)
    shares: dict[str, list[float]] = {name: [] for name in CURVE_METHODS}
    for size in SIZES:
        parts = split(raw, order[:size], order[size:])
        for name, n_right in _right_after(parts).items():
            shares[name].append(round(n_right / parts.test.n_rows, _DIGITS))
    return shares


def _right_after(parts: Split) -> dict[str, int]:
    """Right test rows of each method; a single class in training is what all predict."""
    seen = np.unique(parts.train.class_codes)
    if len(seen) < 2:
        n_right = int((parts.test.class_codes == seen[0]).sum())
        return dict.fromkeys(CURVE_METHODS, n_right)
    structure = bnlr.learn_structure(parts.train, "naive-bayes")
    return {
        name: _n_right(METHODS[name](structure, parts.train), parts.test) for name in CURVE_METHODS
    }


def _n_right(predict: Predict, rows: bnlr.Dataset) -> int:
    return int((predict(rows) == rows.class_codes).sum())


@cache
def _warm_up() -> None:
    """Let compiled code be loaded before the first time is taken."""
    data: Any = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), CLASS)
    for trained in train(data, COLUMNS).values():
        trained.predict(data)
