"""`BNClassifier.sample`: the network's rows in the user's columns, intervals and labels."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.exceptions import NotFittedError

import bnlr
from tests.classifier.pool.makers import pool_of_four
from tests.classifier.test_estimator import mixed_frame
from tests.classifier.test_latent_nodes import fitted as fitted_with_latent
from tests.classifier.test_latent_nodes import rows as rows_of_latent


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame(300)


@pytest.fixture(scope="module")
def counted(mixed):
    return bnlr.BNClassifier("naive-bayes", learner="frequencies", penalty=0).fit(*mixed)


def test_rows_are_the_networks_with_columns_and_types_of_the_fit(mixed, counted):
    X, y = mixed
    drawn = counted.sample(50, random_state=3)
    own = counted.network_.sample(50, random_state=3)
    assert drawn.columns.tolist() == [*X.columns, "kind"]
    for name in drawn:
        assert drawn[name].tolist() == own[name].tolist(), name
    for name in ("text", "flag", "grade"):
        assert drawn[name].dtype == X[name].dtype, name
    assert drawn["kind"].dtype == y.dtype
    cut = counted.discretizer_.transform(X[["length", "count"]])
    for name in cut:
        assert drawn[name].dtype == cut[name].dtype, name
    assert len(counted.sample(0)) == 0


def test_values_are_as_frequent_as_counts_say(mixed, counted):
    """Frequencies of a class and a value, with a pseudocount of 1 a cell, by hand."""
    X, y = mixed
    n_rows = 20_000
    drawn = counted.sample(n_rows, random_state=0)
    table = pd.crosstab(y, X["text"]) + 1
    prior = (y.value_counts().sort_index() + 1) / (len(y) + 3)
    expected = n_rows * table.div(table.sum(axis=1), axis=0).mul(prior, axis=0)
    seen = pd.crosstab(drawn["kind"], drawn["text"])
    assert chisquare(seen.to_numpy().ravel(), expected.to_numpy().ravel()).pvalue > 1e-3


def test_classes_of_rows_drawn_are_those_that_are_predicted(mixed):
    """Where no column is cut the rows are some of X, and P(class | row) is right on average."""
    X, y = mixed
    labels = X.drop(columns=["length", "count"])
    classifier = bnlr.BNClassifier("tan", penalty=1.0).fit(labels, y)
    n_rows = 20_000
    drawn = classifier.sample(n_rows, random_state=1)
    shares = classifier.predict_proba(drawn.drop(columns="kind"))
    for place, label in enumerate(classifier.classes_):
        error = (drawn["kind"] == label) - shares[:, place]
        spread = np.sqrt((shares[:, place] * (1 - shares[:, place])).sum())
        assert abs(error.sum()) < 4 * spread


@pytest.mark.parametrize("labels", [[3, 7], [True, False], [1.0, 2.0], ["a", "b"]])
def test_the_class_has_its_type(labels):
    y = pd.Series(np.resize(labels, 40), name="k")
    X = pd.DataFrame({"a": np.resize(["u", "v", "w"], 40)})
    drawn = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y).sample(9, 0)
    assert drawn["k"].dtype == y.dtype
    assert set(drawn["k"]) <= set(labels)


@pytest.mark.slow
def test_a_hole_that_is_a_state_is_a_hole(mixed):
    X, y = mixed
    holed = X.astype({"text": object}).mask(np.random.default_rng(5).random(X.shape) < 0.25)
    classifier = bnlr.BNClassifier("naive-bayes", missing="state", penalty=1.0).fit(holed, y)
    drawn, own = classifier.sample(400, 0), classifier.network_.sample(400, 0)
    for name, label in classifier.missing_states_.items():
        is_hole = own[name] == label
        assert is_hole.any(), name
        np.testing.assert_array_equal(drawn[name].isna(), is_hole, err_msg=name)
    assert set(classifier.missing_states_) == set(X.columns)
    labels = [name for name in X if name not in ("length", "count")]
    # Rows drawn are read as rows of X: each label means what it meant in `fit`.
    rows = bnlr.BNClassifier("naive-bayes", missing="state", penalty=1.0).fit(holed[labels], y)
    found = rows.sample(100, 1).drop(columns="kind")
    expected = rows.network_.predict_proba(rows.network_.sample(100, 1))
    np.testing.assert_allclose(rows.predict_proba(found), expected, atol=1e-12)


@pytest.mark.slow
def test_columns_that_the_network_lacks_and_latent_nodes_are_not_drawn():
    X, y = rows_of_latent()
    latent = fitted_with_latent(X, y)
    assert latent.sample(5, 0).columns.tolist() == ["a", "b", "z", "kind"]
    own = bnlr.Structure([("kind", "b")], "kind")
    assert bnlr.BNClassifier(own).fit(X, y).sample(5, 0).columns.tolist() == ["b", "kind"]
    array = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X.to_numpy(), np.array(y))
    assert array.sample(5, 0).columns.tolist() == ["x0", "x1", "x2", "class"]


@pytest.mark.slow
def test_a_pool_refuses_and_names_its_first_network(mixed):
    X, y = mixed
    pool = pool_of_four(X, y)
    with pytest.raises(bnlr.ParameterError, match=r"pool_\.members\[0\]\.network\.sample\(7\)"):
        pool.sample(7)
    assert len(pool.pool_.members[0].network.sample(7)) == 7


def test_bad_numbers_of_rows_and_unfitted_ones_are_refused(counted):
    with pytest.raises(bnlr.ParameterError, match=r"n is -1; it must be a whole number"):
        counted.sample(-1)
    with pytest.raises(bnlr.ParameterError, match=r"random_state is 'a'; give a whole number"):
        counted.sample(3, "a")
    with pytest.raises(NotFittedError):
        bnlr.BNClassifier().sample(3)
