"""joblib's backend "dask": folds, grids and candidates on the workers of a cluster, to the bit."""

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import bnlr
from bnlr.design.packed_rows import kernels
from tests.cluster.clusters import two_workers

# NumPy's own sums depend in the last bit on where in memory an array begins.
RTOL = 0 if kernels().IS_COMPILED else 1e-9

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def grid(X, y):
    how = {"cv": KFold(3, shuffle=True, random_state=0), "scoring": "neg_log_loss"}
    tan = bnlr.BNClassifier("tan")
    search = GridSearchCV(tan, {"penalty": [0.5, 50.0]}, error_score="raise", **how).fit(X, y)
    return search.cv_results_["mean_test_score"], search.predict_proba(X)


def candidates_within_folds(X, y):
    folds = KFold(2, shuffle=True, random_state=0)
    return (cross_val_score(bnlr.BNClassifier(), X, y, cv=folds, scoring="neg_log_loss"),)


def pool(X, y):
    model = bnlr.BNClassifier("pool").fit(X, y)
    return model.predict_proba(X), model.selection_["log_loss"].to_numpy()


def test_results_are_those_of_this_machine(iris):
    asked = (grid, candidates_within_folds, pool)
    here = [ask(*iris) for ask in asked]
    with two_workers(), joblib.parallel_config(backend="dask"):
        there = [ask(*iris) for ask in asked]
    for one, other in zip(here, there, strict=True):
        for wanted, found in zip(one, other, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=RTOL, atol=0)
