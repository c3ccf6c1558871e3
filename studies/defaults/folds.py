"""The folds of a set, and its columns as labels for learners that take nothing else."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import StratifiedKFold

import bnlr
from bnlr.classifier.input.undiscretized import continuous_columns
from studies.defaults.datasets import N_FOLDS, Rows

Codes = NDArray[np.int64]

MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class CodedFold:
    """Training and test rows; classes are codes from 0, all of which occur in training."""

    train: pd.DataFrame
    train_classes: Codes
    test: pd.DataFrame
    test_classes: Codes


def folds(rows: Rows, seed: int) -> list[CodedFold]:
    """Return five stratified folds, the same for every learner.

    Columns without any value in the training rows are left out of the fold.
    """
    codes = np.unique(rows.classes, return_inverse=True)[1].astype(np.int64)
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(codes, codes)
    return [_fold(rows.attributes, codes, train, test) for train, test in splits]


def _fold(frame: pd.DataFrame, codes: Codes, train: Codes, test: Codes) -> CodedFold:
    known = frame.columns[frame.iloc[train].notna().any()]
    part, rest = (frame.iloc[places][known].reset_index(drop=True) for places in (train, test))
    return CodedFold(part, codes[train], rest, codes[test])


class Labels(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Cut numbers as `bnlr.BNClassifier` does, and make missing a label of its own."""

    def fit(self, X: pd.DataFrame, y: Codes) -> Self:  # noqa: N803  scikit-learn's name
        """Find the intervals."""
        self.columns_ = continuous_columns(X)
        if self.columns_:
            self.discretizer_ = bnlr.MDLDiscretizer().fit(X[self.columns_], y)
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:  # noqa: N803  scikit-learn's name
        """Return text in every cell."""
        if self.columns_:
            X = X.assign(**self.discretizer_.transform(X[self.columns_]))  # noqa: N806
        return X.astype(object).where(X.notna(), MISSING).astype("str")


class Categories(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Leave numbers, and make text categorical; labels that training lacks become missing."""

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:  # noqa: ARG002, N803
        """Note the labels."""
        texts = [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]
        self.categories_ = {name: sorted(X[name].dropna().unique()) for name in texts}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:  # noqa: N803
        """Return numbers and categoricals."""
        columns = {
            name: pd.Categorical(X[name].where(X[name].isin(labels)), categories=labels)
            for name, labels in self.categories_.items()
        }
        return X.assign(**columns)
