"""Errors under a penalty: against numerical Hessians, closed forms, and what is known of them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.learn.statistics.laplace import penalty_of
from tests.learn.statistics.test_standard_errors import NB, STATES, TAN, _fit, _full
from tests.strategies import perfect_structures, problems
from tests.width import examples, in_full


def hessian(function, x, step=1e-4):
    """Central second differences, (n, n)."""
    found = np.empty((len(x), len(x)))
    units = step * np.eye(len(x))
    for i, j in itertools.product(range(len(x)), repeat=2):
        found[i, j] = (
            function(x + units[i] + units[j]) - function(x + units[i] - units[j])
            - function(x - units[i] + units[j]) + function(x - units[i] - units[j])
        ) / (4 * step * step)  # fmt: skip
    return found


def covariance_of(result, data, strength, ordered=None):
    """The inverse of the numerical Hessian of −CLL + penalty, in the fit's own coordinates."""
    space = result.coordinates
    design = Design.of(TableLayout.of(result.network.structure, data.cards), data)
    penalty = penalty_of(space, strength, ordered)
    return np.linalg.inv(
        hessian(
            lambda x: penalty.value(space.differences(x)) - design.cll(space.differences(x)),
            result.x,
        )
    )


@pytest.mark.parametrize("structure", [NB, *in_full(TAN)])
@pytest.mark.parametrize("classes", [("n", "y"), ("n", "y", "z")])
@pytest.mark.parametrize("strength", [0.3, 3.0])
def test_the_inverse_of_a_numerical_hessian(structure, classes, strength):
    data = _full(structure, {**STATES, "c": classes})
    by_space = {}
    for space in ("roos", "loglinear"):
        result = _fit(structure, data, space=space, penalty=strength, tol=1e-12)
        own = {} if space == "roos" else {"reference": result.coordinates.reference}
        found = result.significance(data, space=space, **own)
        expected = covariance_of(result, data, strength)
        np.testing.assert_allclose(found.covariance, expected, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(found.table["estimate"], result.x, atol=1e-9)
        by_space[space] = result, expected
    # From Roos's space to the log-linear one: the same linear map of estimates and errors.
    result, expected = by_space["roos"]
    found = result.significance(data)
    space = found.maximum.space
    chart = result.coordinates
    turned = np.column_stack(
        [
            space.from_tables(chart.layout.unstack(chart.to_tables(unit)))  # noqa: PD010
            for unit in np.eye(len(result.x))
        ]
    )
    expected = turned @ expected @ turned.T
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found.table["estimate"], turned @ result.x, atol=1e-9)


def test_neighbours_under_a_smooth_penalty():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    size = pd.Categorical.from_codes(np.clip(rng.poisson(1 + y), 0, 3), list("abcd"), ordered=True)
    data = bnlr.Dataset.from_frame(pd.DataFrame({"y": y, "size": size}), "y")
    s = bnlr.Structure.naive_bayes(["size"], "y")
    result = bnlr.fit(s, data, "lr", penalty=2.0, penalty_center="smooth", tol=1e-12)
    expected = covariance_of(result, data, 2.0, data.ordered)
    found = result.significance(data, space="roos")
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-3, atol=1e-5)
    # What the fit has held together is no matter of the data that are handed over.
    text = pd.DataFrame({"y": y, "size": size.astype(str)})
    unordered = bnlr.Dataset.from_frame(text, "y", result.network.states)
    assert ("size" in data.ordered, "size" in unordered.ordered) == (True, False)
    again = result.significance(unordered, space="roos")
    np.testing.assert_array_equal(again.covariance, found.covariance)
    plain = bnlr.fit(s, data, "lr", penalty=2.0).significance(data, space="roos")
    assert not np.allclose(found.covariance, plain.covariance, rtol=0.05)


def test_shares_of_two_classes_and_one_attribute_in_closed_form():
    """Two cells of one table, prior free: the Hessian is 2 × 2 but for the prior, by hand."""
    n = np.array([[30, 10], [5, 40]])  # rows by state and class
    rows = [(a, c) for a in (0, 1) for c in (0, 1) for _ in range(n[a, c])]
    data = bnlr.Dataset.from_frame(pd.DataFrame(rows, columns=["a", "c"]), "c")
    s = bnlr.Structure.naive_bayes(["a"], "c")
    result = bnlr.fit(s, data, "lr", space="roos", penalty=4.0, tol=1e-12)
    p = result.network.predict_proba(pd.DataFrame({"a": [0, 1]}))[:, 1]
    v = n.sum(axis=1) * p * (1 - p)
    # Log-odds of the two states: own + T_a; T_a cost ½·4·½·T².
    curvature = np.array([[v.sum(), v[0], v[1]], [v[0], v[0] + 2, 0], [v[1], 0, v[1] + 2]])
    found = result.significance(data, space="roos")
    np.testing.assert_allclose(found.covariance, np.linalg.inv(curvature), rtol=1e-6)
    assert found.df == pytest.approx(
        3 - np.trace(np.diag([0.0, 2, 2]) @ np.linalg.inv(curvature)), rel=1e-6
    )


@examples(15)
@given(problems(perfect_structures(max_nodes=4, min_attributes=1), n_rows=(10, 40)))
def test_rows_of_any_kind_have_finite_errors(problem):
    structure, data = problem
    result = _fit(structure, data, penalty=1.0)
    if not result.converged or len(data.states[data.class_name]) < 2:
        return
    found = result.significance(data)
    assert np.isfinite(found.table[["estimate", "std err", "lower", "upper"]].to_numpy()).all()
    assert found.estimable.all()
    values = np.linalg.eigvalsh(found.covariance)
    assert values.min() > -1e-9 * values.max()
    assert 0 < found.df <= found.maximum.space.size + 1e-9
    assert "Laplace" in str(found)


def test_a_weak_penalty_leaves_the_errors_of_the_maximum():
    data = _full(TAN, n=30)
    free = _fit(TAN, data).significance(data)
    weak = _fit(TAN, data, penalty=1e-6, tol=1e-12).significance(data)
    np.testing.assert_allclose(weak.covariance, free.covariance, rtol=1e-4)
    assert weak.df == pytest.approx(free.df, rel=1e-5)
    assert weak.aic == pytest.approx(free.aic, rel=1e-6)
    strong = _fit(TAN, data, penalty=1e4).significance(data)
    assert (np.diagonal(strong.covariance) < np.diagonal(free.covariance)).all()


@pytest.mark.slow
def test_the_default_classifier_has_intervals():
    frame = bnlr.load_dataset("tic-tac-toe")
    X, y = frame.drop(columns="class"), frame["class"]
    fitted = bnlr.BNClassifier("fan").fit(X, y)
    data = bnlr.Dataset.from_frame(frame, "class", fitted.network_.states)
    found = fitted.result_.significance(data)
    assert found.penalty == fitted.result_.penalty > 0
    assert np.isfinite(found.table["upper"]).all()
    shrunk = fitted.result_.penalty_center
    assert shrunk in {"scaled", "zero"}
    with pytest.raises(bnlr.ParameterError, match="penalty of"):
        found.against_prior.p  # noqa: B018  it raises


def test_wrong_rows_and_structures_that_are_not_perfect_are_refused():
    data = _full(TAN)
    result = _fit(TAN, data, penalty=2.0)
    with pytest.raises(bnlr.DataError, match="not the rows that were fitted"):
        result.significance(data.take(np.arange(data.n_rows - 1)))
    with pytest.raises(bnlr.ParameterError, match="learner 'elr'"):
        bnlr.fit(TAN, data, "elr", penalty=1.0).significance(data)
