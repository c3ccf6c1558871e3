"""The page of a pool: its networks, and figures that are the pool's."""

import numpy as np
import pytest
from sklearn import metrics

import bnlr
from bnlr.classifier.reporting import evaluation_of
from bnlr.report.model import report_page
from bnlr.report.model.importance import losses_without
from bnlr.report.model.pool import pool_section
from tests.classifier.pool.makers import pool_of_four
from tests.classifier.test_estimator import mixed_frame
from tests.report.model.test_report_page import check_stands_alone, plain


@pytest.fixture(scope="module")
def rows():
    return mixed_frame(90, seed=4)


@pytest.fixture(scope="module")
def pool():
    return pool_of_four(*mixed_frame(160))


@pytest.fixture(scope="module")
def evaluation(pool, rows):
    return evaluation_of(pool, *rows)


@pytest.fixture(scope="module")
def text(evaluation):
    return report_page(evaluation, rows=[3])


def test_the_networks_are_listed_and_the_others_drawn(pool, evaluation, text):
    check_stands_alone(text)
    shown = plain(text)
    assert "The pool" in shown
    for member in pool.pool_.members:
        assert f"{member.weight:.3f}" in shown
        assert member.label in shown
    assert text.count("Structure: ") == 3
    assert "A pool of 4 Bayesian networks to predict" in shown
    assert "Learning its first network is convex" in shown
    assert "They are of the pool's first network alone" in shown


def test_scores_are_the_pools(pool, rows, evaluation, text):
    X, y = rows
    shares = pool.predict_proba(X)
    np.testing.assert_array_equal(evaluation.probabilities, shares)
    loss = metrics.log_loss(y, shares)
    assert f"log-loss{loss:.4f}" in plain(text).replace(" ", "")
    alone = metrics.log_loss(y, pool.network_.predict_proba(evaluation.data))
    assert f"{alone:.4f}" != f"{loss:.4f}"
    hits = np.mean(pool.predict(X) == y)
    assert f"{hits:.1%}" in plain(text)


@pytest.mark.slow
def test_what_matters_is_what_the_pool_loses(pool, rows, evaluation):
    X, y = rows
    pool._has_warned = True
    before = metrics.log_loss(y, pool.predict_proba(X))
    for node, rise in losses_without(evaluation.opinions).items():
        blind = X.assign(**{node: None})
        if node in ("length", "count"):
            blind[node] = np.nan
        assert metrics.log_loss(y, pool.predict_proba(blind)) - before == pytest.approx(rise)


def test_single_rows_are_explained_by_the_pool(pool, rows, evaluation, text):
    X, _ = rows
    assert str(evaluation.explain(2)) == str(pool.explain(X[2:3]))
    shares = pool.predict_proba(X[2:3])[0]
    assert f"with the probability {shares.max():.4f}" in plain(text)


def test_rows_of_the_fit_are_known_by_the_first_networks_likelihood(pool):
    assert evaluation_of(pool, *mixed_frame(160)).is_training
    assert not evaluation_of(pool, *mixed_frame(160, seed=5)).is_training


def test_one_network_has_no_such_section(rows):
    X, y = rows
    alone = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    assert pool_section(evaluation_of(alone, X, y)) is None
