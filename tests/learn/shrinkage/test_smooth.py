"""Fits under the smooth penalty: against SciPy and scikit-learn, invariances, limits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

import bnlr
from bnlr.learn.supergraph import Shrinkage, fit_carried
from bnlr.objectives.roughness import NEIGHBOURS
from tests.strategies import generators, seeds
from tests.width import examples, in_full

CARDS = {"a": 6, "b": 5, "t": 3}
NB = bnlr.Structure.naive_bayes(list(CARDS), class_name="c")
TREE = bnlr.Structure([*NB.edges, ("a", "b"), ("b", "t")], class_name="c")
IMPERFECT = bnlr.Structure([*NB.edges, ("a", "t"), ("b", "t")], class_name="c")
SMOOTH = {"penalty_center": "smooth"}


def drawn(rng, n_rows=80, n_classes=3, weights=None):
    """Two ordered attributes that follow the class, and one of text without an order."""
    c = rng.integers(0, n_classes, n_rows)
    lean = {
        name: np.clip(np.round(c * card / n_classes + rng.normal(0, 1, n_rows)), 0, card - 1)
        for name, card in CARDS.items()
    }
    c[:n_classes] = range(n_classes)
    states = {name: tuple(f"{name}{k}" for k in range(card)) for name, card in CARDS.items()}
    states["c"] = tuple("xyz"[:n_classes])
    codes = np.column_stack([*lean.values(), c]).astype(int)
    return bnlr.Dataset.from_codes(codes, states, "c", weights, ordered=["a", "b"])


def path(n):
    laplacian = np.zeros((n, n))
    for j in range(n - 1):
        laplacian[np.ix_([j, j + 1], [j, j + 1])] += [[1, -1], [-1, 1]]
    return laplacian


def literal_matrix(structure, data):
    """The quadratic form over all families' cells by explicit Kronecker products; a list."""
    cards, blocks = data.cards, []
    for node in structure.attributes:
        scope = [*(p for p in structure.parents(node) if p != "c"), node]
        level = 1 / np.prod([cards[x] for x in scope if x in data.order], initial=1.0)
        block = level * np.eye(int(np.prod([cards[x] for x in scope])))
        for axis in scope:
            if axis in data.order:
                along = np.ones((1, 1))
                for x in scope:
                    along = np.kron(
                        along, NEIGHBOURS * path(cards[x]) if x == axis else np.eye(cards[x])
                    )
                block = block + along
        blocks.append((scope, block))
    return blocks


def one_hot(structure, data):
    parts = []
    for scope, block in literal_matrix(structure, data):
        cell = np.zeros(data.n_rows, int)
        for x in scope:
            cell = cell * data.cards[x] + data.column(x)
        parts.append(np.eye(len(block))[cell])
    return parts


def literal_posterior(structure, data, strength):
    """P(class | attributes) at the optimum of L-BFGS over tables of all classes and a prior."""
    parts, weights, n_classes = one_hot(structure, data), data.weights, data.cards["c"]
    blocks = [block for _, block in literal_matrix(structure, data)]
    # In coordinates of R's factor the penalty is a plain ridge.
    z = np.column_stack(
        [p @ np.linalg.inv(np.linalg.cholesky(b)).T for p, b in zip(parts, blocks, strict=True)]
    )
    y = np.eye(n_classes)[data.class_codes]

    def loss(x):
        w = x.reshape(-1, n_classes)
        scores = w[0] + z @ w[1:]
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        slope = weights[:, None] * (np.exp(logs) - y)
        gradient = np.vstack([slope.sum(axis=0), z.T @ slope + strength * w[1:]])
        value = -(weights[:, None] * y * logs).sum() + 0.5 * strength * (w[1:] ** 2).sum()
        return value, gradient.ravel()

    start = np.zeros((z.shape[1] + 1) * n_classes)
    options = {"maxiter": 5_000, "gtol": 1e-9, "ftol": 1e-15, "maxfun": 50_000}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    w = found.x.reshape(-1, n_classes)
    scores = w[0] + z @ w[1:]
    return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))


@pytest.mark.slow
@examples(24)
@given(generators(), st.sampled_from([0.05, 1.0, 20.0]), st.sampled_from([2, 3]), st.booleans())
def test_it_is_the_optimum_that_scipy_finds(rng, strength, n_classes, is_tree):
    structure = TREE if is_tree else NB
    data = drawn(rng, n_classes=n_classes, weights=rng.uniform(0.5, 2.0, 80))
    result = bnlr.fit(structure, data, penalty=strength, **SMOOTH)
    assert result.converged
    expected = literal_posterior(structure, data, strength)
    np.testing.assert_allclose(result.network.predict_proba(data), expected, atol=2e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_scikit_learns_ridge_on_thermometer_codes(n_classes):
    """Of one ordered attribute, the level in a column of its own, as R's factor has it."""
    rng, strength = np.random.default_rng(3), 0.7
    data = drawn(rng, 300, n_classes)
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    steps = np.vstack(
        [NEIGHBOURS**0.5 * np.diff(np.eye(6), axis=0), np.eye(6) / np.sqrt(6)]
    )  # R = steps'·steps
    root = np.linalg.cholesky(steps.T @ steps)
    codes = np.eye(6)[data.column("a")] @ np.linalg.inv(root).T
    halved = 2 if n_classes == 2 else 1
    model = LogisticRegression(C=halved / strength, tol=1e-10, max_iter=10_000)
    model.fit(codes, data.class_codes)
    result = bnlr.fit(structure, data, penalty=strength, **SMOOTH)
    found = result.network.predict_proba(data)
    np.testing.assert_allclose(found, model.predict_proba(codes), atol=1e-6)


@examples(10)
@given(seeds, st.sampled_from([0.1, 3.0]))
def test_weights_are_repeated_rows_and_scale_with_the_penalty(seed, strength):
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, 80)
    data = drawn(rng, weights=times.astype(float))
    repeated = data.take(np.repeat(np.arange(80), times))
    plain = bnlr.Dataset(repeated.codes, data.states, "c", None, data.order)
    tenfold = bnlr.Dataset(data.codes, data.states, "c", 10.0 * times, data.order)
    one = bnlr.fit(TREE, data, penalty=strength, **SMOOTH)
    for rows, k in ((plain, 1), (tenfold, 10)):
        other = bnlr.fit(TREE, rows, penalty=k * strength, **SMOOTH)
        assert other.cll == pytest.approx(k * one.cll, rel=1e-7)
        found, expected = other.network.predict_proba(data), one.network.predict_proba(data)
        np.testing.assert_allclose(found, expected, atol=1e-5)


@examples(10)
@given(generators())
def test_only_the_order_of_ordered_states_counts_and_not_its_sense(rng):
    data = drawn(rng)
    expected = bnlr.fit(TREE, data, penalty=1.0, **SMOOTH).network.predict_proba(data)
    turns = {
        "t": np.array([2, 0, 1]),
        "a": np.arange(6)[::-1],
        "b": np.arange(5)[::-1],
    }
    for name, turn in turns.items():
        codes = np.array(data.codes)
        place = data.nodes.index(name)
        codes[:, place] = np.argsort(turn)[data.column(name)]
        states = {**data.states, name: tuple(data.states[name][k] for k in turn)}
        turned = bnlr.Dataset(np.asfortranarray(codes), states, "c", None, data.order)
        found = bnlr.fit(TREE, turned, penalty=1.0, **SMOOTH).network.predict_proba(turned)
        np.testing.assert_allclose(found, expected, atol=1e-6)
    shuffled = {**data.states, "a": tuple(data.states["a"][k] for k in (3, 0, 4, 1, 5, 2))}
    codes = np.array(data.codes)
    codes[:, 0] = np.argsort((3, 0, 4, 1, 5, 2))[data.column("a")]
    other = bnlr.Dataset(np.asfortranarray(codes), shuffled, "c", None, data.order)
    found = bnlr.fit(TREE, other, penalty=1.0, **SMOOTH).network.predict_proba(other)
    assert np.abs(found - expected).max() > 1e-3


def test_the_strongest_penalty_leaves_the_shares_of_the_classes():
    data = drawn(np.random.default_rng(0))
    result = bnlr.fit(TREE, data, penalty=1e9, **SMOOTH)
    shares = np.bincount(data.class_codes) / data.n_rows
    np.testing.assert_allclose(result.network.predict_proba(data), [shares] * 80, atol=1e-6)


@pytest.mark.parametrize("strength", [1e-3, 10.0])
def test_as_many_intervals_as_rows_are_no_trouble(strength):
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * x))).astype(int)
    order = np.argsort(np.argsort(x))
    data = bnlr.Dataset.from_codes(
        np.column_stack([order, y]), {"x": tuple(range(300)), "y": (0, 1)}, "y"
    )
    structure = bnlr.Structure.naive_bayes(["x"], class_name="y")
    result = bnlr.fit(structure, data, penalty=strength, **SMOOTH)
    assert result.converged
    p = result.network.predict_proba(data)[np.argsort(order), 1]
    if strength == 10.0:
        truth = 1 / (1 + np.exp(-2 * np.sort(x)))
        assert np.abs(p - truth).mean() < 0.05
        assert np.abs(np.diff(p)).max() < 0.1


def test_neighbours_speak_for_an_interval_without_rows():
    codes = np.array([[k, int(k > 3)] for k in (0, 1, 2, 4, 5, 6) for _ in range(20)])
    data = bnlr.Dataset.from_codes(codes, {"x": tuple(range(7)), "y": (0, 1)}, "y")
    structure = bnlr.Structure.naive_bayes(["x"], class_name="y")
    network = bnlr.fit(structure, data, penalty=0.1, **SMOOTH).network
    p = network.predict_proba(pd.DataFrame({"x": range(7)}))[:, 1]
    assert (np.diff(p) > 0).all()
    assert p[3] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("structure", [NB, TREE])
def test_the_strength_is_chosen_by_folds(structure):
    data = drawn(np.random.default_rng(5), 400)
    result = bnlr.fit(structure, data, penalty="cv", **SMOOTH)
    assert f"Penalty {result.penalty:g} on differences of neighbours, of 3000" in result.message
    same = bnlr.fit(structure, data, penalty=result.penalty, **SMOOTH)
    assert result.cll == same.cll


@pytest.mark.parametrize("space", [*in_full("roos"), "loglinear"])
def test_every_solver_finds_the_same(space):
    data = drawn(np.random.default_rng(6), 200)
    fits = [
        bnlr.fit(TREE, data, penalty=1.0, space=space, solver=solver, tol=1e-11, **SMOOTH)
        for solver in ("newton", "l-bfgs", "cg")
    ]
    for other in fits[1:]:
        assert other.converged
        assert other.cll == pytest.approx(fits[0].cll, rel=1e-5)


@pytest.mark.slow
def test_free_tables_of_a_structure_that_is_not_perfect():
    data = drawn(np.random.default_rng(7), 200)
    result = fit_carried(IMPERFECT, data, Shrinkage(1.0, "smooth"))
    assert result.converged
    expected = literal_posterior(IMPERFECT, data, 1.0)
    np.testing.assert_allclose(result.network.predict_proba(data), expected, atol=2e-5)
    local = bnlr.fit(IMPERFECT, data, penalty=1.0, **SMOOTH)
    assert local.learner == "elr"
    embedded = bnlr.fit(IMPERFECT, data, penalty=1.0, nonperfect="embed", **SMOOTH)
    assert embedded.learner == "lr"
    assert "1 arc added" in embedded.message
    expected = literal_posterior(IMPERFECT.with_arcs([("a", "b")]), data, 1.0)
    np.testing.assert_allclose(embedded.network.predict_proba(data), expected, atol=2e-5)


@pytest.mark.parametrize("structure", [NB, TREE])
@pytest.mark.parametrize(
    ("learner", "space"), [*in_full(("lr", "softmax"), ("elr", "theta")), ("elr", "auto")]
)
def test_cpts_as_coordinates_have_the_same_optimum(structure, learner, space):
    data = drawn(np.random.default_rng(8), 200)
    free = bnlr.fit(structure, data, penalty=1.0, **SMOOTH)
    cpts = bnlr.fit(structure, data, penalty=1.0, learner=learner, space=space, **SMOOTH)
    assert cpts.converged
    expected, found = (one.network.predict_proba(data) for one in (free, cpts))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def with_holes(data):
    codes = np.array(data.codes)
    codes[3, 0] = -1
    return bnlr.Dataset(np.asfortranarray(codes), data.states, "c", None, data.order)


@pytest.mark.parametrize("penalty", [*in_full(1.0), "cv"])
def test_holes_are_summed_out(penalty):
    data = drawn(np.random.default_rng(9), 200)
    result = bnlr.fit(TREE, with_holes(data), penalty=penalty, **SMOOTH)
    assert result.learner == "elr"
    whole = bnlr.fit(TREE, data, penalty=result.penalty, **SMOOTH)
    found, expected = (one.network.predict_proba(data) for one in (result, whole))
    assert np.abs(found - expected).max() < 0.05
    rough = bnlr.fit(TREE, data, penalty=result.penalty, penalty_center="zero")
    assert np.abs(rough.network.predict_proba(data) - expected).max() > 0.05
