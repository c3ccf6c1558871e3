"""Scores against scikit-learn and statsmodels."""

import numpy as np
import pytest
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from bnlr.report.scores import (
    base_rate_scores,
    brier_score,
    confusion,
    log_loss,
    ranking,
    scores,
    wilson_interval,
)


def drawn_rows(n, n_classes, seed=0):
    """Probabilities and classes that come about as often as these say."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(n_classes), n)
    return np.array([rng.choice(n_classes, p=row) for row in shares]), shares


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_scores_are_scikit_learn_s(n_classes):
    codes, shares = drawn_rows(300, n_classes, seed=n_classes)
    labels = list(range(n_classes))
    assert log_loss(codes, shares) == pytest.approx(metrics.log_loss(codes, shares, labels=labels))
    wanted = (
        metrics.brier_score_loss(codes, shares[:, 1])
        if n_classes == 2
        else metrics.brier_score_loss(codes, shares, labels=labels)
    )
    assert brier_score(codes, shares) == pytest.approx(wanted)
    predicted = shares.argmax(axis=1)
    assert scores(codes, shares).accuracy == pytest.approx(metrics.accuracy_score(codes, predicted))
    counts = confusion(codes, predicted, n_classes)
    np.testing.assert_array_equal(counts, metrics.confusion_matrix(codes, predicted, labels=labels))
    for c in labels:
        assert ranking(codes, shares, c) == pytest.approx(
            metrics.roc_auc_score(codes == c, shares[:, c])
        )


def test_ranking_counts_ties_half_and_needs_both_sides():
    shares = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8]])
    codes = np.array([0, 1, 1])
    assert ranking(codes, shares, 1) == metrics.roc_auc_score(codes, shares[:, 1]) == 0.75
    assert ranking(np.ones(3, int), shares, 1) is None


def test_base_rates_are_the_best_constant():
    codes = np.array([0, 0, 0, 1, 2, 2])
    base = base_rate_scores(codes, 4)
    entropy = -sum(p * np.log(p) for p in (1 / 2, 1 / 6, 1 / 3))
    assert base.log_loss == pytest.approx(entropy)
    assert base.accuracy == 0.5


def test_a_probability_of_zero_that_came_costs_infinitely_much():
    assert log_loss(np.array([0, 1]), np.array([[0.0, 1.0], [0.5, 0.5]])) == np.inf


def test_wilson_interval_is_statsmodels():
    for hits, n in ((0, 5), (5, 5), (3, 11)):
        expected = proportion_confint(hits, n, method="wilson")
        assert wilson_interval(hits, n) == pytest.approx(expected, abs=1e-12)
