"""Boosted trees of libraries that need not be installed, at their own defaults on one thread."""

from importlib import import_module
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from studies.defaults.folds import MISSING, Categories, Codes

Array = NDArray[np.float64]


def lightgbm() -> Pipeline:
    """LightGBM on raw columns, text as pandas' categories; missing cells are its own affair."""
    model = _made("lightgbm", "LGBMClassifier", n_jobs=1, verbose=-1, deterministic=True)
    return make_pipeline(Categories(), FunctionTransformer(_numbered), model)


def catboost() -> "CatBoost":
    """CatBoost on raw columns, told which are text."""
    return CatBoost()


def explainable() -> Pipeline:
    """The explainable boosting machine on raw columns, text as pandas' categories."""
    model = _made("interpret.glassbox", "ExplainableBoostingClassifier", n_jobs=1)
    return make_pipeline(Categories(), model)


class CatBoost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """``CatBoostClassifier``, which wants the names of text columns, and text in all their cells.

    Labels that training lacks, and missing numbers, it handles itself; missing text is a label.
    """

    def fit(self, X: pd.DataFrame, y: Codes) -> Self:  # noqa: N803  scikit-learn's name
        """Find which columns are text, and boost."""
        self.classes_ = np.unique(y)
        self.texts_ = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
        self.model_ = _made(
            "catboost",
            "CatBoostClassifier",
            cat_features=self.texts_,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        )
        self.model_.fit(self._filled(X), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> Array:  # noqa: N803
        """Return P(class | row)."""
        found: Array = self.model_.predict_proba(self._filled(X))
        return found

    def _filled(self, X: pd.DataFrame) -> pd.DataFrame:  # noqa: N803
        texts = X[self.texts_].astype(object).fillna(MISSING)
        return X.assign(**{str(name): texts[name] for name in texts})


def _made(module: str, name: str, **options: Any) -> Any:
    """A classifier by name, for its library is optional; its seed is 0."""
    return getattr(import_module(module), name)(random_state=0, **options)


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Names that LightGBM takes: it refuses punctuation."""
    return frame.set_axis([f"x{k}" for k in range(frame.shape[1])], axis=1)
