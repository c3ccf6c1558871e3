"""P_m against the printed errors, against tables written by hand, and by loops over the cells."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bnlr
from studies.common import StudyError
from studies.wrong_structure.truth import CLASS, NO, YES, Truth

BAYES = (0.03232, 0.03232, 0.04256, 0.056, 0.072, 0.1)
IN_THE_LIMIT = (0.03232, 0.03232, 0.04704, 0.088, 0.2, 0.2)


def probability(m, k, c, es):
    """P_m(c, e) cell by cell, as the text has it."""
    p = 0.9 if c == YES else 0.1
    for i, e in enumerate(es):
        if 0 < i < m:
            p *= e == es[0]
        else:
            is_likely = (e == YES) == (c == NO)
            p *= 0.8 if is_likely else 0.2
    return p


@pytest.mark.parametrize("m", range(6))
def test_errors_of_the_paper_s_distributions(m):
    truth = Truth(m)
    assert truth.bayes_error == pytest.approx(BAYES[m], abs=1e-12)
    assert truth.error(truth.limit()) == pytest.approx(IN_THE_LIMIT[m], abs=1e-12)


@pytest.mark.parametrize(("m", "k"), [(0, 1), (1, 3), (2, 3), (3, 3), (2, 4)])
def test_the_joint_is_that_of_the_text(m, k):
    truth = Truth(m, k)
    instances = [tuple(row) for row in truth.instances.to_numpy()]
    assert instances == list(itertools.product((YES, NO), repeat=k))
    expected = [[probability(m, k, c, es) for c in (YES, NO)] for es in instances]
    np.testing.assert_allclose(truth.joint, expected, atol=1e-15)
    assert truth.joint.sum() == pytest.approx(1)


def test_a_tie_is_a_coin():
    truth = Truth(1, 1)
    even, sure = [0.5, 0.5], [1.0, 0.0]
    # P(+c, +e) = .18, P(-c, +e) = .08, P(-c, -e) = .02
    assert truth.error_of(np.array([even, sure])) == pytest.approx(0.13 + 0.02)


@pytest.mark.parametrize("m", [0, 2, 4])
def test_samples_follow_the_distribution(m):
    truth = Truth(m, 4)
    rows = truth.sample(60_000, 0.0, np.random.default_rng(1)).to_frame()
    counts = rows[[*truth.attributes, CLASS]].value_counts(normalize=True)
    for c in (YES, NO):
        for es in itertools.product((YES, NO), repeat=4):
            assert counts.get((*es, c), 0.0) == pytest.approx(probability(m, 4, c, es), abs=0.01)


def test_holes_are_as_many_as_asked_and_never_in_the_class():
    data = Truth(3).sample(20_000, 0.5, np.random.default_rng(2))
    assert CLASS not in data.missing_counts
    for name in Truth(3).attributes:
        assert data.missing_counts[name] / data.n_rows == pytest.approx(0.5, abs=0.02)


def test_samples_of_a_seed_differ_in_the_copies_only():
    plain, equal = (Truth(m).sample(200, 0.3, np.random.default_rng(3)).to_frame() for m in (0, 3))
    for name in (CLASS, "E1", "E4", "E5"):
        pd.testing.assert_series_equal(plain[name], equal[name])
    both = equal.dropna(subset=["E1", "E2"])
    assert (both["E1"] == both["E2"]).all()
    assert not (plain.dropna()["E1"] == plain.dropna()["E2"]).all()


@pytest.mark.parametrize("hole_rate", [0.0, 0.5])
def test_frequencies_of_the_population_are_the_true_cpts(hole_rate):
    truth = Truth(3, 4)
    data = truth.population(hole_rate)
    assert data.weights.sum() == pytest.approx(1)
    fitted = bnlr.fit(truth.naive_bayes, data, learner="frequencies", pseudocount=0.0).network
    for node, cpt in truth.limit().cpts.items():
        np.testing.assert_allclose(fitted.cpts[node], cpt, atol=1e-12)


@pytest.mark.parametrize(("m", "k"), [(-1, 5), (6, 5), (0, 0)])
def test_distributions_that_do_not_exist(m, k):
    with pytest.raises(StudyError, match="P_m needs"):
        Truth(m, k)
