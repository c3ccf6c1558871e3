"""AdaBoost.M1 by scikit-learn over the classifier: weights that sum to 1, whatever X holds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier

from bnlr import BNClassifier, UnseenStateWarning
from tests.oracles import dfe as oracle
from tests.oracles import normalised
from tests.oracles.model import Model

N_ROWS = 150


def rows(kind):
    rng = np.random.default_rng(7)
    y = rng.integers(3, size=N_ROWS)
    cells = np.where(rng.random((N_ROWS, 4)) < 0.4, y[:, None], rng.integers(3, size=(N_ROWS, 4)))
    if kind == "integers":
        return cells, y
    return pd.DataFrame(np.array(["low", "mid", "high"])[cells], columns=list("abde")), y


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["integers", "text"])
@pytest.mark.parametrize("learner", ["frequencies", "dfe"])
def test_twenty_rounds(kind, learner):
    X, y = rows(kind)
    base = BNClassifier("naive-bayes", learner=learner, pseudocount=1 / N_ROWS)
    boosted = AdaBoostClassifier(base, n_estimators=20).fit(X, y)
    # The rounds end where a classifier is no better than guessing on its weighted rows.
    assert len(boosted.estimators_) == (20 if learner == "frequencies" else 4)
    weights = [estimator.network_.cpts["class"] for estimator in boosted.estimators_]
    assert not np.allclose(weights[0], weights[1])  # the second round saw other weights
    first = base.fit(X, y).score(X, y)
    assert boosted.score(X, y) > first - 0.05
    new = X[:2].copy()
    if kind == "integers":
        new[0, 0] = 9
    else:
        new.iloc[0, 0] = "never"
    with pytest.warns(UnseenStateWarning, match="'x0' has .* in 1 cell"):
        assert set(boosted.predict(new)) <= set(y)


@pytest.mark.parametrize("learner", ["frequencies", "dfe"])
def test_weights_that_sum_to_one_want_a_pseudocount_of_one_row(learner):
    X, y = rows("text")
    whole = BNClassifier("naive-bayes", learner=learner, pseudocount=1.0).fit(X, y)
    shared = BNClassifier("naive-bayes", learner=learner, pseudocount=1 / N_ROWS)
    shared.fit(X, y, np.full(N_ROWS, 1 / N_ROWS))
    for node, cpt in whole.network_.cpts.items():
        np.testing.assert_allclose(shared.network_.cpts[node], cpt, rtol=1e-10)


@pytest.mark.slow
def test_a_round_is_the_literal_loop_on_weighted_rows():
    X, y = rows("integers")
    weights = np.random.default_rng(1).dirichlet(np.ones(N_ROWS))
    classifier = BNClassifier("naive-bayes", learner="dfe").fit(X, y, weights)
    network = classifier.network_
    nodes = ("class", "x0", "x1", "x2", "x3")
    parents = {"class": (), **dict.fromkeys(nodes[1:], ("class",))}
    model = Model(nodes, dict.fromkeys(nodes, 3), parents, "class")
    counts, losses = oracle.learn(model, np.column_stack([y, X]).tolist(), weights)
    for node, cpt in normalised(counts, 0.0).items():
        np.testing.assert_allclose(network.cpts[node], cpt, rtol=1e-8)
    np.testing.assert_allclose(classifier.result_.trace["loss"][1:], losses @ weights)
