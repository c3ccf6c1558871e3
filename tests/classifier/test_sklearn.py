"""scikit-learn's own checks of the estimator in three settings, and its tools around it."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import bnlr

SETTINGS = [
    bnlr.BNClassifier(structure="naive-bayes"),
    bnlr.BNClassifier(structure="tan", penalty=0.0),
    bnlr.BNClassifier(structure="tan", penalty=3.0, penalty_center="frequencies", solver="l-bfgs"),
]


@parametrize_with_checks(SETTINGS)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        check(estimator)


@pytest.fixture(scope="module")
def monks():
    frame = bnlr.load_dataset("monks-1")
    return frame.drop(columns="class"), frame["class"]


def test_clone_keeps_a_structure_and_every_parameter(monks):
    X, _ = monks
    s = bnlr.Structure.naive_bayes(list(X.columns), "class")
    original = bnlr.BNClassifier(s, learner="frequencies", tol=1e-6, random_state=3)
    assert clone(original).get_params() == original.get_params()
    assert bnlr.BNClassifier().set_params(penalty=2.0).penalty == 2.0


def test_model_selection_and_pipelines(monks):
    X, y = monks
    keep_all = FunctionTransformer()
    pipeline = make_pipeline(keep_all, bnlr.BNClassifier("naive-bayes"))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    losses = cross_val_score(pipeline, X, y, cv=folds, scoring="neg_log_loss", error_score="raise")
    assert np.isfinite(losses).all()
    grid = {"structure": ["naive-bayes", "tan"], "penalty": [0.1, 10.0]}
    search = GridSearchCV(bnlr.BNClassifier(), grid, cv=folds, error_score="raise").fit(X, y)
    assert set(search.best_params_) == {"structure", "penalty"}
    assert search.best_estimator_.predict(X).dtype == y.to_numpy().dtype


def test_pickle_predicts_the_same_bits(monks):
    X, y = monks
    fitted = bnlr.BNClassifier("tan").fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301  written by this line
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.summary() == fitted.summary()


def test_pickle_holds_no_training_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (4000, 12)), rng.integers(0, 2, 4000)
    sizes = [
        len(pickle.dumps(bnlr.BNClassifier("naive-bayes").fit(X[:n], y[:n]))) for n in (1000, 4000)
    ]
    assert sizes[1] < 1.05 * sizes[0]
