"""Warnings name the line of the user's code, not one of bnlr's."""

import warnings

import numpy as np
import pandas as pd
import pytest

import bnlr

X = pd.DataFrame({"a": list("pqpq") * 5, "b": list("uvvu") * 5})
Y = pd.Series([0, 1, 0, 1] * 5, name="y")


def unseen_in_a_dataset():
    states = {"a": ("p",), "b": ("u", "v"), "y": (0, 1)}
    bnlr.Dataset.from_frame(X.assign(y=Y), "y", states, unseen="missing")


def separation():
    data = bnlr.Dataset.from_frame(X.assign(y=Y), "y")
    bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data)


CALLS = {
    "unseen in a dataset": unseen_in_a_dataset,
    "separation in fit": separation,
    "separation inside the classifier": lambda: bnlr.BNClassifier("fan", penalty=0.0).fit(X, Y),
    "an empty column": lambda: bnlr.BNClassifier("fan").fit(X.assign(c=np.nan), Y),
    "unseen in prediction": lambda: bnlr.BNClassifier("fan").fit(X, Y).predict(X.assign(a="z")),
    "holes in prediction": lambda: bnlr.BNClassifier("fan").fit(X, Y).predict(X.assign(a=None)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_points_at_the_caller(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    own = [one for one in caught if issubclass(one.category, bnlr.BnlrWarning)]
    assert own
    assert {one.filename for one in own} == {__file__}
