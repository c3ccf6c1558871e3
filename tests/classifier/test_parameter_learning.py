"""The road that a smooth penalty takes, and what is said of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import bnlr
from bnlr import BNClassifier
from tests.width import in_full


@pytest.fixture(scope="module")
def numbers():
    """A class that rises and falls with x, and columns that say little."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("xuvw"))
    y = np.where(rng.random(400) < 0.5 + 0.45 * np.sin(2 * X["x"]), "yes", "no")
    return X, y


def held_out(classifier, X, y):
    fitted = classifier.fit(X[:200], y[:200])
    return log_loss(y[200:], fitted.predict_proba(X[200:]))


@pytest.mark.slow
def test_many_intervals_predict_better_where_they_are_smooth(numbers):
    losses = {
        center: held_out(
            BNClassifier("naive-bayes", discretize="quantile-20", penalty_center=center), *numbers
        )
        for center in ("smooth", "zero", "scaled")
    }
    assert losses["smooth"] < 0.93 * min(losses["zero"], losses["scaled"])


@pytest.mark.slow
def test_a_structure_that_is_not_perfect_has_free_tables(numbers):
    X, y = numbers
    options = {"discretize": "quantile-4", "penalty": 3.0, "penalty_center": "smooth"}
    graph = bnlr.Structure(
        [*(("class", x) for x in "xuvw"), ("x", "w"), ("u", "w")], class_name="class"
    )
    found = BNClassifier(graph, **options).fit(X, y)
    assert found.result_.space == "free"
    assert found.result_.converged
    assert "1 arc added, which carry the tables as CPTs" in found.result_.message
    embedded = BNClassifier(graph, nonperfect="embed", **options).fit(X, y)
    assert embedded.result_.space == "roos"
    assert np.abs(found.predict_proba(X) - embedded.predict_proba(X)).max() > 1e-4
    assert BNClassifier(graph, learner="elr", **options).fit(X, y).result_.space == "softmax"


@pytest.mark.slow
def test_it_is_told_and_kept_in_a_file(numbers, tmp_path):
    X, y = numbers
    classifier = BNClassifier("tan", penalty_center="smooth").fit(X, y)
    assert "on differences of neighbours" in classifier.summary()
    assert "on differences of neighbours, of 3000 to" in classifier.result_.message
    classifier.save(tmp_path / "model.json")
    loaded = BNClassifier.load(tmp_path / "model.json")
    assert loaded.penalty_center == "smooth"
    np.testing.assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize("options", [*in_full({}, {"missing": "state"}), {"expect_missing": 0.2}])
@pytest.mark.parametrize("structure", ["auto", "tan"])
def test_holes_are_states_or_summed_out(numbers, structure, options):
    X, y = numbers
    holed = X.mask(np.random.default_rng(1).random(X.shape) < 0.1)
    fitted = BNClassifier(structure, penalty_center="smooth", penalty=3.0, **options).fit(holed, y)
    assert fitted.result_.converged
    assert log_loss(y, fitted.predict_proba(holed)) < 0.67
