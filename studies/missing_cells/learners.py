"""The learners that meet: how each makes a network from the training rows of a fold."""

import warnings
from typing import Any, NamedTuple

import pandas as pd
from sklearn.exceptions import ConvergenceWarning

import bnlr
from studies.common.sources import CLASS
from studies.missing_cells.datasets import CategoricalFold, filled

RATES = (0.0, 0.25, 0.5)
"""Shares of the test cells that are removed."""

FIXED_RATE = 0.25
"""What ELR expects when it is trained once for all rates."""

LEARNERS = ("frequencies", "em", "lr", *(f"elr-{rate:g}" for rate in RATES))
"""Those of the tasks; "elr-0.25" is ELR trained for 25 % of the cells missing."""


class FittedNetwork(NamedTuple):
    """A network, and how its fit went."""

    network: bnlr.BayesianNetwork
    iterations: int
    converged: bool


def learn(learner: str, structure: str, fold: CategoricalFold) -> FittedNetwork:
    """Fit one of `LEARNERS` to the training rows of a fold.

    Parameters
    ----------
    learner
    structure
        "naive-bayes" or "tan", learnt from the rows as they are, with their holes.
    fold
    """
    data = bnlr.Dataset.from_frame(fold.train, CLASS)
    graph = bnlr.learn_structure(data, structure)
    if learner == "frequencies":
        return _of(bnlr.fit(graph, data, learner="frequencies", n_threads=1))
    if learner == "em":
        return _of(bnlr.fit(graph, data, learner="em", m_step_pseudocount=1.0, n_threads=1))
    if learner == "lr":
        return _classifier(graph, filled(fold.train), learner="lr")
    rate = float(learner.removeprefix("elr-"))
    return _classifier(graph, fold.train, expect_missing=expected(rate, fold), random_state=0)


def expected(rate: float, fold: CategoricalFold) -> "float | dict[str, float] | str":
    """What ``expect_missing`` is told: the share of each attribute that will be missing in all.

    A cell that is there is removed with probability ``rate``, so that seen + rate · (1 − seen) are
    missing.
    """
    if rate == 0.0:
        return "as seen"
    seen = fold.shares_missing
    if not any(seen.values()):
        return rate
    return {name: share + rate * (1.0 - share) for name, share in seen.items()}


def _of(result: bnlr.FitResult) -> FittedNetwork:
    return FittedNetwork(result.network, result.n_iter, result.converged)


def _classifier(graph: bnlr.Structure, train: pd.DataFrame, **options: Any) -> FittedNetwork:
    classifier = bnlr.BNClassifier(graph, **options)
    y = train[CLASS].astype(object).to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the record says so
        return _of(classifier.fit(train.drop(columns=CLASS), y).result_)
