"""Likelihood-ratio tests equal those of statsmodels on nested designs; the rest is refused."""

import itertools
import math
import warnings

import numpy as np
import pytest

import bnlr
from tests.oracles.designs import loglinear_design
from tests.oracles.model import Model

STATES = {"c": ("n", "y", "z"), "a": (0, 1), "b": ("p", "q", "r"), "d": (0, 1)}
ALONE = bnlr.Structure([], class_name="c", nodes=tuple(STATES))
NB = bnlr.Structure([("c", "a"), ("c", "b")], class_name="c", nodes=tuple(STATES))
TAN = NB.with_arcs([("a", "b")])
MORE = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b"), ("d", "c")], class_name="c")
MARRIED = bnlr.Structure([("a", "c"), ("b", "c"), ("d", "c")], class_name="c")
CHAIN = [ALONE, NB, TAN, MARRIED]


def _data(seed=0):
    rng = np.random.default_rng(seed)
    rows = np.array(list(itertools.product(*(range(len(s)) for s in STATES.values()))))
    return bnlr.Dataset.from_codes(np.repeat(rows, rng.integers(1, 6, len(rows)), 0), STATES, "c")


def _fit(structure, data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(structure, data, learner="lr", **options)


def _peer(structure, data):
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    model = Model.of(structure, STATES)
    _, z = loglinear_design(model, data.codes)
    return discrete.MNLogit(data.class_codes, z).fit(tol=1e-12, maxiter=100, disp=0)


@pytest.mark.parametrize(("small", "large"), list(itertools.combinations(range(4), 2)))
def test_nested_structures_equal_statsmodels(small, large):
    data = _data()
    results = [_fit(CHAIN[k], data) for k in (small, large)]
    peers = [_peer(CHAIN[k], data) for k in (small, large)]
    test = bnlr.likelihood_ratio_test(*results, data)
    assert test.statistic == pytest.approx(2 * (peers[1].llf - peers[0].llf), rel=1e-8)
    assert test.df == peers[1].df_model - peers[0].df_model
    if small == 0:
        assert test.statistic == pytest.approx(peers[1].llr, rel=1e-8)
        assert test.p == pytest.approx(peers[1].llr_pvalue, rel=1e-6)
        against = results[1].significance(data).against_prior
        assert (against.statistic, against.df) == pytest.approx((test.statistic, test.df))
    with pytest.raises(bnlr.ParameterError, match=r"not nested.*exchange the two"):
        bnlr.likelihood_ratio_test(*results[::-1], data)


def test_the_p_value_is_that_of_chi_square():
    data = _data()
    test = bnlr.likelihood_ratio_test(_fit(ALONE, data), _fit(NB, data), data)
    half, df = test.statistic / 2, test.df
    assert df == 6
    # χ² of 6 degrees of freedom: e^(−x/2)·(1 + x/2 + (x/2)²/2)
    assert test.p == pytest.approx(math.exp(-half) * (1 + half + half**2 / 2), rel=1e-9)
    assert str(test).startswith("χ²(6) = ")


def test_cells_never_seen_are_no_degrees_of_freedom():
    data = _data()
    seen = data.take((data.column("a") == 0) | (data.column("b") != 2))
    assert bnlr.likelihood_ratio_test(_fit(NB, data), _fit(TAN, data), data).df == 4
    assert bnlr.likelihood_ratio_test(_fit(NB, seen), _fit(TAN, seen), seen).df == 2
    none = data.take((data.column("a") == 0) | (data.column("b") == 0))
    test = bnlr.likelihood_ratio_test(_fit(NB, none), _fit(TAN, none), none)
    assert test.df == 0
    assert test.statistic == pytest.approx(0, abs=1e-9)
    assert math.isnan(test.p)


def test_what_is_not_nested_is_refused_with_the_term():
    data = _data()
    crossing = bnlr.Structure([("c", "a"), ("c", "d"), ("a", "d")], class_name="c", nodes=("b",))
    with pytest.raises(bnlr.ParameterError, match=r"term \{a, d\}.*add its arcs"):
        bnlr.likelihood_ratio_test(_fit(crossing, data), _fit(MORE, data), data)
    turned = bnlr.Structure([("c", "a"), ("c", "b"), ("b", "a")], class_name="c", nodes=("d",))
    with pytest.raises(bnlr.ParameterError, match="same log-linear terms"):
        bnlr.likelihood_ratio_test(_fit(TAN, data), _fit(turned, data), data)
    other = bnlr.Dataset.from_codes(data.codes, STATES, "a")
    about_a = _fit(bnlr.Structure.naive_bayes(["b", "c", "d"], class_name="a"), other)
    with pytest.raises(bnlr.ParameterError, match="the class is 'a' in one structure and 'c'"):
        bnlr.likelihood_ratio_test(about_a, _fit(TAN, data), data)


def test_fits_of_other_rows_or_with_a_penalty_are_refused():
    data = _data()
    less = data.take(slice(1, None))
    with pytest.raises(bnlr.DataError, match="not the rows that were fitted"):
        bnlr.likelihood_ratio_test(_fit(NB, less), _fit(TAN, data), data)
    with pytest.raises(bnlr.DataError, match="not the rows that were fitted"):
        bnlr.likelihood_ratio_test(_fit(NB, data), _fit(TAN, less), data)
    with pytest.raises(bnlr.ParameterError, match="penalty of 1"):
        bnlr.likelihood_ratio_test(_fit(NB, data), _fit(TAN, data, penalty=1.0), data)
    separated = data.take((data.column("a") == 0) | (data.class_codes != 1))
    with pytest.raises(bnlr.DataError, match=r"no finite optimum \(quasi .*a=1 never occurs"):
        bnlr.likelihood_ratio_test(_fit(NB, separated), _fit(TAN, separated), separated)


def test_a_structure_instead_of_a_fit_is_refused_by_name():
    s = bnlr.Structure.naive_bayes(["a"], class_name="y")
    with pytest.raises(bnlr.ParameterError, match=r"small is a Structure; give the result of"):
        bnlr.likelihood_ratio_test(s, s, None)
