"""The six learners of the paper and one of ours: a structure, then its parameters, each timed."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import StratifiedKFold

import bnlr
from studies.su.paper import LEARNERS

EPOCHS = 4
SMOOTHING = 1.0
"""Added to each count when counts become probabilities, by FE and DFE alike."""
N_BOOSTED = 20
MAX_PARENTS = 2
SCORE = "k2"
MOST_ITERATIONS = 50
"""Of ELR, in each fold of its cross tuning and on all rows."""
PENALTIES = (1.0, 10.0)
"""Among these LR chooses how strongly it is held to the frequency estimates."""
N_INNER_FOLDS = 3
TOL = 1e-4
"""LR stops when so near the maximum, relative to the CLL; to choose a class takes no more."""

SETTINGS: Mapping[str, Any] = {
    "dfe_epochs": EPOCHS,
    "smoothing": SMOOTHING,
    "boosted": N_BOOSTED,
    "hgc": [SCORE, MAX_PARENTS],
    "elr": MOST_ITERATIONS,
    "lr": [list(PENALTIES), N_INNER_FOLDS, TOL],
}
"""What their results depend on, for the journal."""

T = TypeVar("T")
Codes = NDArray[np.int64]
Predict = Callable[[bnlr.Dataset], Codes]
"""Rows ↦ codes of their most probable classes."""


@dataclass
class Trained:
    """What predicts, and the seconds that learning took: "structure" and "parameters"."""

    predict: Predict
    seconds: Mapping[str, float]


def train(data: bnlr.Dataset, learners: Sequence[str] = LEARNERS) -> dict[str, Trained]:
    """Learn some of `COLUMNS` from complete rows; learners of one structure share it."""
    trained: dict[str, Trained] = {}
    structures: dict[str, tuple[bnlr.Structure, float]] = {}
    for learner in learners:
        kind, _, method = learner.partition("+")
        if kind not in structures:
            structures[kind] = _timed(partial(structure_of, kind, data))
        structure, before = structures[kind]
        predict, after = _timed(partial(METHODS[method], structure, data))
        trained[learner] = Trained(predict, {"structure": before, "parameters": after})
    return trained


def structure_of(kind: str, data: bnlr.Dataset) -> bnlr.Structure:
    """Learn "NB", naive Bayes, or "HGC", what hill climbing finds."""
    if kind == "NB":
        return bnlr.learn_structure(data, "naive-bayes")
    return bnlr.learn_structure(
        data, "hgc", max_parents=MAX_PARENTS, score=SCORE, start="naive-bayes"
    )


def frequencies(structure: bnlr.Structure, data: bnlr.Dataset) -> Predict:
    """FE: one count of all rows, add-one smoothing as in WEKA's naive Bayes."""
    return _of(
        bnlr.fit(structure, data, learner="frequencies", pseudocount=SMOOTHING, n_threads=1).network
    )


def discriminative(structure: bnlr.Structure, data: bnlr.Dataset, epochs: int = EPOCHS) -> Predict:
    """DFE: the rows in their order, as many times as there are ``epochs``."""
    result = bnlr.fit(
        structure, data, learner="dfe", max_iter=epochs, pseudocount=SMOOTHING, n_threads=1
    )
    return _of(result.network)


def after_epochs(
    structure: bnlr.Structure, data: bnlr.Dataset, epochs: Sequence[int]
) -> list[Predict]:
    """DFE after each of some numbers of epochs, increasing, in one run to the last.

    What a row was counted for in all is its weight in the frequencies.
    """
    weights: dict[int, Any] = {}

    def keep(state: Any) -> None:
        if state.iteration in epochs:
            weights[state.iteration] = state.x.copy()

    bnlr.fit(
        structure,
        data,
        learner="dfe",
        max_iter=max(epochs),
        pseudocount=SMOOTHING,
        n_threads=1,
        callback=keep,
    )
    rows = {
        k: bnlr.Dataset.from_codes(data.codes, data.states, data.class_name, weights[k])
        for k in epochs
    }
    return [frequencies(structure, rows[k]) for k in epochs]


def elr(structure: bnlr.Structure, data: bnlr.Dataset) -> Predict:
    """ELR as the paper ran it: ascent in β from the frequency estimates, cross-tuned by error.

    Where a class has a single row there is nothing to tune by, and the start stays.
    """
    if int(np.bincount(data.class_codes).min()) < 2:
        return frequencies(structure, data)
    result = bnlr.fit(
        structure,
        data,
        learner="elr",
        cross_tuning="error",
        max_iter=MOST_ITERATIONS,
        pseudocount=SMOOTHING,
        n_threads=1,
        random_state=0,
    )
    return _of(result.network)


def logistic(structure: bnlr.Structure, data: bnlr.Dataset) -> Predict:
    """LR: the conditional likelihood's penalised maximum, the penalty by cross tuning."""
    return _of(_logistic(structure, data, tuned_penalty(structure, data)))


def boosted(structure: bnlr.Structure, data: bnlr.Dataset) -> Predict:
    """AdaBoost.M1: twenty networks of frequency estimates on reweighted rows."""
    attributes = [node for node in data.nodes if node != data.class_name]
    base = FrequencyClassifier(structure, dict(data.states))
    ensemble = AdaBoostClassifier(base, n_estimators=N_BOOSTED, random_state=0)
    ensemble.fit(_table(data, attributes), data.class_codes)

    def predict(rows: bnlr.Dataset) -> Codes:
        codes: Codes = ensemble.predict(_table(rows, attributes)).astype(np.int64)
        return codes

    return predict


METHODS: Mapping[str, Callable[[bnlr.Structure, bnlr.Dataset], Predict]] = {
    "FE": frequencies,
    "DFE": discriminative,
    "ELR": elr,
    "LR": logistic,
    "Ada": boosted,
}


def tuned_penalty(structure: bnlr.Structure, data: bnlr.Dataset) -> float:
    """Return the penalty that misclassifies least in stratified folds of the rows.

    Of several the largest, which is nearest to the start. Where a class has too few rows for a
    fold with both classes, the largest too.
    """
    n_folds = min(N_INNER_FOLDS, int(np.bincount(data.class_codes).min()))
    if n_folds < 2:
        return max(PENALTIES)
    wrong = dict.fromkeys(sorted(PENALTIES, reverse=True), 0)
    for rows, held_out in StratifiedKFold(n_folds).split(data.codes, data.class_codes):
        part, rest = data.take(rows), data.take(held_out)
        for penalty in wrong:
            found = _of(_logistic(structure, part, penalty))(rest)
            wrong[penalty] += int((found != rest.class_codes).sum())
    return min(wrong, key=wrong.__getitem__)


def _logistic(
    structure: bnlr.Structure, data: bnlr.Dataset, penalty: float
) -> bnlr.BayesianNetwork:
    return bnlr.fit(
        structure,
        data,
        learner="lr",
        penalty=penalty,
        penalty_center="frequencies",
        tol=TOL,
        n_threads=1,
    ).network


class FrequencyClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Frequency estimates of a fixed structure as scikit-learn wants them, rows as codes.

    Row weights are scaled to sum to the number of rows, as WEKA's boosting does: to weights that
    sum to 1, as scikit-learn gives them, add-one smoothing would leave nothing of the data.
    """

    def __init__(self, structure: bnlr.Structure, states: Mapping[str, Sequence[Any]]) -> None:
        self.structure, self.states = structure, states

    def __sklearn_clone__(self) -> "FrequencyClassifier":
        # Structure and states never change; a deep copy a round would take longer than a count.
        return FrequencyClassifier(self.structure, self.states)

    def fit(self, X: Codes, y: Codes, sample_weight: Any = None) -> "FrequencyClassifier":  # noqa: N803
        """Count the rows."""
        self.classes_ = np.unique(y)
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        data = self._data(X, y, weights * (len(y) / weights.sum()))
        fitted = bnlr.fit(
            self.structure, data, learner="frequencies", pseudocount=SMOOTHING, n_threads=1
        )
        self.network_ = fitted.network
        return self

    def predict(self, X: Codes) -> Codes:  # noqa: N803
        """Codes of the most probable classes."""
        return _of(self.network_)(self._data(X, np.zeros(len(X), dtype=np.int64)))

    def _data(self, table: Codes, classes: Codes, weights: Any = None) -> bnlr.Dataset:
        name = self.structure.class_name
        place = list(self.states).index(name)
        codes = np.insert(table, place, classes, axis=1)
        return bnlr.Dataset.from_codes(codes, self.states, name, weights)


def _of(network: bnlr.BayesianNetwork) -> Predict:
    return lambda rows: network.predict_log_proba(rows).argmax(axis=1)


def _table(data: bnlr.Dataset, attributes: list[str]) -> Codes:
    return np.column_stack([data.column(name) for name in attributes]).astype(np.int64)


def _timed(act: Callable[[], T]) -> tuple[T, float]:
    """Return what ``act`` returns, and its processor seconds: others may share the machine."""
    begin = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        result = act()
    return result, process_time() - begin
