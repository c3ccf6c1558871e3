"""The learners that are not bnlr's, as their libraries' users would set them up."""

from importlib import import_module
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder

from studies.defaults.folds import MISSING, Categories, Codes, Labels

STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
N_INNER_FOLDS = 3
_ITERATIONS = 5000


def logistic() -> Pipeline:
    """Logistic regression on one-hot columns of `Labels`, C = 1."""
    return make_pipeline(Labels(), _one_hot(), LogisticRegression(C=1.0, max_iter=_ITERATIONS))


def logistic_cv() -> Pipeline:
    """The same, C of least log-loss in three inner folds."""
    inner = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=0)
    model = LogisticRegressionCV(
        Cs=list(STRENGTHS),
        cv=inner,
        scoring="neg_log_loss",
        max_iter=_ITERATIONS,
        l1_ratios=(0.0,),
        use_legacy_attributes=False,
    )
    return make_pipeline(Labels(), _one_hot(), model)


def boosting() -> Pipeline:
    """Histogram gradient boosting with early stopping on raw columns, text as categories."""
    model = HistGradientBoostingClassifier(
        early_stopping=True, categorical_features="from_dtype", random_state=0
    )
    return make_pipeline(Categories(), model)


def forest() -> Pipeline:
    """A random forest on raw numbers and one-hot columns of text, missing as a label."""
    # Dense, for forests take no missing numbers from a sparse table.
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    text = make_pipeline(SimpleImputer(strategy="constant", fill_value=MISSING), one_hot)
    columns = make_column_transformer(
        (text, make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    return make_pipeline(
        FunctionTransformer(_objects), columns, RandomForestClassifier(random_state=0)
    )


def categorical_nb() -> Pipeline:
    """scikit-learn's naive Bayes of counts on `Labels`, add-one smoothing."""
    return make_pipeline(Labels(), _codes(), FunctionTransformer(_from_zero), CategoricalNB())


def pyagrum_tan() -> Pipeline:
    """pyAgrum's tree-augmented naive Bayes on `Labels`, add-one smoothing."""
    return make_pipeline(Labels(), _codes(), PyAgrumTAN())


class PyAgrumTAN(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """``pyagrum.skbn.BNClassifier`` on codes; a code that it has not seen is the most frequent.

    It would refuse a row with such a code. Probabilities are the network's posterior: those of
    its ``predict_proba`` are bent, for two classes, so that a threshold from the training rows'
    ROC curve becomes ½.
    """

    def fit(self, X: Codes, y: Codes) -> Self:  # noqa: N803  scikit-learn's name
        """Learn structure and tables."""
        # By name, for it is an optional peer without types.
        classifiers: Any = import_module("pyagrum.skbn")
        processors: Any = import_module("pyagrum.lib.discreteTypeProcessor")
        self.classes_ = np.unique(y)
        self.frequent_ = [int(np.bincount(column[column >= 0]).argmax()) for column in X.T]
        self.model_ = classifiers.BNClassifier(
            type_processor=processors.DiscreteTypeProcessor(discretizationThreshold=10**6),
            learningMethod="TAN",
            prior="Smoothing",
            priorWeight=1.0,
            significant_digit=17,
        )
        self.model_.fit(self._frame(X), y)
        self.model_.threshold_ = 0.5
        return self

    def predict_proba(self, X: Codes) -> NDArray[np.float64]:  # noqa: N803
        """Return P(class | row)."""
        found: NDArray[np.float64] = np.asarray(self.model_.predict_proba(self._frame(X)))
        return found

    def _frame(self, X: Codes) -> pd.DataFrame:  # noqa: N803
        known = np.where(X < 0, self.frequent_, X).astype(np.int64)
        return pd.DataFrame(known, columns=[f"x{k}" for k in range(known.shape[1])])


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore")


def _codes() -> OrdinalEncoder:
    return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.int64)


def _from_zero(codes: Codes) -> Codes:
    """Make −1, a label that training lacks, a code as any other."""
    return codes + 1


def _objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Make text objects with NaN where missing, as the imputer wants them."""
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    objects: dict[str, Any] = {
        str(name): frame[name].astype(object).where(frame[name].notna(), np.nan) for name in texts
    }
    return frame.assign(**objects)
