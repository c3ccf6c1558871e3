"""`BNClassifier.explain`: the network's explanation, in the user's columns, numbers and labels."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import bnlr
from tests.classifier.test_estimator import mixed_frame


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame(120)


DIAGNOSTIC = bnlr.Structure([("text", "kind"), ("length", "kind"), ("kind", "size")], "kind")
NOT_PERFECT = bnlr.Structure(
    [
        ("kind", "text"),
        ("kind", "size"),
        ("kind", "length"),
        ("text", "length"),
        ("size", "length"),
    ],
    "kind",
)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"structure": "naive-bayes", "learner": "frequencies"}, {"structure": "fan"},
        {"structure": "kdb", "structure_options": {"k": 2}, "penalty": 1.0},
        {"structure": DIAGNOSTIC, "penalty": 1.0}, {"structure": NOT_PERFECT, "penalty": 1.0},
    ],
)  # fmt: skip
def test_terms_sum_to_the_classifiers_log_odds(mixed, options):
    X, y = mixed
    fitted = bnlr.BNClassifier(**options).fit(X, y)
    holed = X.mask(np.random.default_rng(2).random(X.shape) < 0.3, None)
    rows = pd.concat([X[:12], holed[:12]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        logs = fitted.predict_log_proba(rows)
        for k in range(len(rows)):
            explanation = fitted.explain(rows[k : k + 1])
            terms = explanation.contributions[list(explanation.classes)]
            np.testing.assert_allclose(
                explanation.prior + terms.sum().to_numpy(), logs[k] - logs[k, 0], atol=1e-12
            )
            shares = fitted.predict_proba(rows[k : k + 1])[0]
            np.testing.assert_array_equal(explanation.probabilities, shares)
            assert explanation.classes == tuple(fitted.classes_)
            assert explanation.class_name == "kind"


def test_numbers_are_shown_with_their_interval():
    X, y = load_iris(return_X_y=True, as_frame=True)
    explanation = bnlr.BNClassifier("naive-bayes").fit(X, y).explain(X[77:78])
    assert explanation.contributions["value"].to_dict() == {
        "sepal length (cm) | target": "sepal length (cm) = 6.7 in (6.15, inf)",
        "sepal width (cm) | target": "sepal width (cm) = 3 in (2.95, 3.35]",
        "petal length (cm) | target": "petal length (cm) = 5 in (4.75, inf)",
        "petal width (cm) | target": "petal width (cm) = 1.7 in (0.8, 1.75]",
    }
    assert explanation.classes == (0, 1, 2)


def test_a_row_comes_in_many_forms(mixed):
    X, y = mixed
    fitted = bnlr.BNClassifier("tan", penalty=1.0).fit(X, y)
    expected = str(fitted.explain(X[3:4]))
    row = X.iloc[3]
    for form in (row, row[::-1], row.to_dict(), dict(row[::-1])):
        assert str(fitted.explain(form)) == expected
    with pytest.warns(UserWarning, match="feature names"):
        assert str(fitted.explain(list(row))) == expected
    unnamed = bnlr.BNClassifier("tan", penalty=1.0).fit(X.to_numpy(dtype=object), y)
    cells = X.to_numpy(dtype=object)[3]
    expected = str(unnamed.explain(cells[None]))
    for form in (cells, list(cells), tuple(cells), [list(cells)], pd.Series(cells)):
        assert str(unnamed.explain(form)) == expected
    assert "x0" in expected


def test_what_was_never_seen_is_missing(mixed):
    X, y = mixed
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    row = X.iloc[0].to_dict()
    with pytest.warns(bnlr.UnseenStateWarning, match="'text' has 'pink'") as caught:
        explanation = fitted.explain(row | {"text": "pink"})
    assert caught[0].filename == __file__
    assert "text | kind" not in explanation.contributions.index
    with pytest.raises(bnlr.StateError, match="pink"):
        fitted.set_params(unseen="error").explain(row | {"text": "pink"})
    with pytest.warns(bnlr.UnexpectedMissingWarning) as caught:
        fitted.explain(row | {"text": None})
    assert caught[0].filename == __file__


def test_holes_that_are_a_state_are_cells_like_others(mixed):
    X, y = mixed
    holes = X.assign(text=X["text"].mask(y == "z", None), length=X["length"].mask(y == "x"))
    fitted = bnlr.BNClassifier("naive-bayes", missing="state", penalty=1.0).fit(holes, y)
    explanation = fitted.explain(holes[y == "z"][:1])
    assert explanation.contributions.loc["text | kind", "z"] > 1
    assert explanation.probabilities.argmax() == 2
    assert len(explanation.contributions) == 6


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_what_is_no_row_is_refused(mixed):
    X, y = mixed
    with pytest.raises(NotFittedError):
        bnlr.BNClassifier().explain(X[:1])
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    row = X.iloc[0]
    for rows, words in (
        (X[:2], "one row, but was given 2"), (X[:0], "0 sample"), ([], "the row is empty"),
        (X[:1].drop(columns="flag"), "flag"), ({"text": "red"}, "flag"), ({}, "the row is empty"),
        (row.drop("flag"), "flag"), (row.to_dict() | {"extra": 1}, "extra"), (None, "table"),
        (3, "table"), ("red", "table"), ([1, 2], "features"), (X[:1].assign(length=np.inf), "inf"),
        (np.array(3), "array|table"), ([[1], [2, 3]], "rows|lengths|array|shape"),
    ):  # fmt: skip
        with pytest.raises(bnlr.DataError, match=words):
            fitted.explain(rows)


@pytest.mark.parametrize("labels", [[False, True], [1.0, 2.0], ["value", "prior"], [3, 1]])
def test_classes_of_any_type_are_found_again(labels):
    y = np.array(labels * 9 + labels[::-1])
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit([["a"], ["b"]] * 10, y)
    explanation = fitted.explain(["a"])
    for place, label in enumerate(fitted.classes_):
        against = explanation.against(label)
        assert (against.iloc[:, 1 + place] == 0).all()
        assert (against.iloc[:, 2 - place] != 0).any()
