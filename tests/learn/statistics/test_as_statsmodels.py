"""A fit as statsmodels' results equals what statsmodels fits itself; the rest is refused."""

import itertools
import sys
import warnings

import numpy as np
import pytest

import bnlr

discrete = pytest.importorskip("statsmodels.discrete.discrete_model")

STATES = {"c": ("n", "y"), "a": (0, 1), "b": ("p", "q", "r")}
THREE = {**STATES, "c": ("n", "y", "z")}
NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
TAN = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")


def full(states, seed=0, n=6):
    """Every configuration of every class a few times."""
    rng = np.random.default_rng(seed)
    rows = np.array(list(itertools.product(*(range(len(s)) for s in states.values()))))
    return bnlr.Dataset.from_codes(
        np.repeat(rows, rng.integers(1, n, len(rows)), axis=0), states, "c"
    )


def both(structure, states, seed):
    """Ours, and statsmodels' own fit of the same design."""
    data = full(states, seed)
    ours = bnlr.fit(structure, data, learner="lr").to_statsmodels(data)
    kind = discrete.Logit if len(states["c"]) == 2 else discrete.MNLogit
    model = kind(data.class_codes, np.asarray(ours.model.exog))
    return ours, model.fit(method="newton", tol=1e-12, maxiter=100, disp=0)


@pytest.mark.parametrize("states", [STATES, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("structure", [NB, TAN], ids=["nb", "tan"])
@pytest.mark.parametrize("seed", range(3))
def test_it_equals_statsmodels_own_fit(structure, states, seed):
    ours, theirs = both(structure, states, seed)
    close = {"rtol": 1e-6, "atol": 1e-8}
    np.testing.assert_allclose(ours.params, theirs.params, **close)
    np.testing.assert_allclose(ours.bse, theirs.bse, **close)
    np.testing.assert_allclose(ours.cov_params(), theirs.cov_params(), **close)
    np.testing.assert_allclose(ours.pvalues, theirs.pvalues, **close)
    np.testing.assert_allclose(ours.predict(), theirs.predict(), **close)
    mine, own = ours.get_margeff(), theirs.get_margeff()
    np.testing.assert_allclose(mine.margeff, own.margeff, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(mine.margeff_se, own.margeff_se, rtol=1e-6, atol=1e-7)
    for name in ("llf", "llnull", "llr", "aic", "bic", "df_model", "df_resid", "prsquared", "nobs"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-9), name
    contrast = np.eye(ours.cov_params().shape[0])[:2]
    tests = (fit.wald_test(contrast, scalar=True).pvalue for fit in (ours, theirs))
    assert next(tests) == pytest.approx(next(tests), rel=1e-6)


@pytest.mark.parametrize("states", [STATES, THREE], ids=["two classes", "three"])
def test_it_is_bnlrs_own_significance_and_has_names(states):
    data = full(states, 4)
    result = bnlr.fit(TAN, data, learner="lr")
    ours, table = result.to_statsmodels(data), result.significance(data).table
    width = len(states["c"]) - 1
    assert ours.llf == pytest.approx(result.cll, rel=1e-12)
    shape = (-1, width)
    found = np.asarray(ours.params).reshape(shape)
    np.testing.assert_allclose(found, table["estimate"].to_numpy().reshape(shape), rtol=1e-12)
    errors = np.asarray(ours.bse).reshape(shape)
    np.testing.assert_allclose(errors, table["std err"].to_numpy().reshape(shape), rtol=1e-9)
    assert list(ours.params.index) == list(table["parameter"])[::width]
    assert "a=" in str(ours.summary())


def test_the_reference_is_ours_to_choose():
    data = full(STATES, 5)
    ours = bnlr.fit(NB, data, learner="lr").to_statsmodels(data, reference={"a": 1, "b": "r"})
    assert set(ours.params.index) == {"intercept", "a=0", "b=p", "b=q"}


def test_rows_without_a_class_are_left_out():
    data = full(STATES, 6)
    codes = np.vstack([data.codes, data.codes[:3]])
    codes[-3:, data.nodes.index("c")] = -1
    more = bnlr.Dataset.from_codes(codes, STATES, "c")
    reference = {"a": 1, "b": "r"}
    ours = bnlr.fit(NB, more, learner="lr").to_statsmodels(more, reference)
    assert ours.nobs == data.n_rows
    same = bnlr.fit(NB, data, learner="lr").to_statsmodels(data, reference)
    np.testing.assert_allclose(ours.params, same.params, rtol=1e-9)


def refused(data, error, words, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        result = bnlr.fit(NB, data, **{"learner": "lr", **options})
    with pytest.raises(error, match=words):
        result.to_statsmodels(data)


def test_refusals_are_in_words():
    data = full(STATES, 7)
    weighted = bnlr.Dataset.from_codes(data.codes, STATES, "c", np.full(data.n_rows, 2.0))
    refused(weighted, bnlr.ParameterError, "have weights")
    refused(data, bnlr.ParameterError, "penalty of 1", penalty=1.0)
    refused(data, bnlr.ParameterError, "learner 'elr'", learner="elr")
    separated = data.take(np.flatnonzero((data.codes[:, 0] == 1) == (data.codes[:, 1] == 1)))
    refused(separated, bnlr.DataError, "separation")
    unseen = data.take(np.flatnonzero(data.codes[:, 2] != 2))
    refused(unseen, bnlr.DataError, "determine no value of b=r")
    more = {**STATES, "c": ("n", "y", "never")}
    refused(bnlr.Dataset.from_codes(data.codes, more, "c"), bnlr.DataError, "separation|no row")
    result = bnlr.fit(NB, data, learner="lr")
    with pytest.raises(bnlr.DataError, match="not the rows"):
        result.to_statsmodels(full(STATES, 8))


def test_without_statsmodels(monkeypatch):
    data = full(STATES, 7)
    result = bnlr.fit(NB, data, learner="lr")
    monkeypatch.setitem(sys.modules, "statsmodels.discrete", None)
    with pytest.raises(bnlr.InteropExtraError, match=r"bnlr\[stats\]"):
        result.to_statsmodels(data)
