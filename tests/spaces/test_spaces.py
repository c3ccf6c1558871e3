"""The three charts: same model, same start, exact derivatives, and back to CPTs."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

import bnlr
from bnlr.design.packed_rows import Design
from bnlr.learn.frequencies import frequency_network
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.spaces.l_model import Free
from tests.oracles import designs, joint, lmodel
from tests.oracles.backmap import back_map
from tests.oracles.model import Model
from tests.strategies import (
    cpts_of,
    generators,
    perfect_structures,
    problems,
    states_of,
    structures,
    tables_of,
)
from tests.width import examples

SPACES = (bnlr.LogLinear, bnlr.Roos, bnlr.Softmax)


def _states(structure, data):
    return {node: data.states[node] for node in structure.nodes}


@given(problems(), st.sampled_from(SPACES), st.integers(0, 2**31), st.sampled_from([0.0, 0.7]))
def test_gradient_curvature_and_line_agree_with_differences(problem, kind, seed, strength):
    structure, data = problem
    space, rng = kind(structure, data.states), np.random.default_rng(seed)
    centre = rng.standard_normal((space.layout.n_cells, space.layout.n_classes - 1))
    penalty = Penalty(space.layout, strength, centre) if strength else None
    objective = ConditionalObjective(Design.of(space.layout, data), space, penalty)
    x, v, h = rng.standard_normal(space.size), rng.standard_normal(space.size), 1e-5
    scale = max(1.0, float(data.weights.sum())) * max(1.0, float(v @ v))
    value, gradient = objective.value_and_gradient(x)
    above, below = objective.value_and_gradient(x + h * v), objective.value_and_gradient(x - h * v)
    assert value == pytest.approx(objective.value(x), rel=1e-12, abs=1e-12)
    assert (above[0] - below[0]) / (2 * h) == pytest.approx(gradient @ v, abs=1e-7 * scale)
    change = (above[1] - below[1]) / (2 * h)
    np.testing.assert_allclose(objective.hessian(x)(v), change, rtol=0, atol=1e-7 * scale)
    at, slope = objective.along(x, v)(0.3)
    expected, moved = objective.value_and_gradient(x + 0.3 * v)
    assert at == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert slope == pytest.approx(moved @ v, abs=1e-9 * scale)


@given(problems(weighted=False), st.data())
def test_all_spaces_start_at_the_literal_cll_of_the_frequency_estimates(problem, data_strategy):
    structure, data = problem
    network = frequency_network(structure, data)
    model = Model.of(structure, _states(structure, data))
    rows = np.column_stack([data.column(node) for node in model.nodes])
    literal = joint.cll(model, dict(network.cpts), rows)
    reference = {
        node: data_strategy.draw(st.sampled_from(data.states[node]))
        for node in structure.attributes
    }
    for space in (
        bnlr.LogLinear(structure, data.states),
        bnlr.LogLinear(structure, data.states, reference),
        bnlr.Roos(structure, data.states),
        bnlr.Softmax(structure, data.states),
    ):
        start = space.from_network(network)
        assert space.cll(start, data) == pytest.approx(literal, rel=1e-10, abs=1e-10)


@pytest.mark.slow
@given(problems(), st.data())
def test_networks_and_tables_survive_the_round_trip(problem, draw):
    structure, data = problem
    states = _states(structure, data)
    model = Model.of(structure, states)
    network = bnlr.BayesianNetwork(structure, states, draw.draw(cpts_of(structure, states)))
    rows = np.array(list(itertools.product(*(range(len(states[n])) for n in model.nodes))))[:200]
    literal = joint.posteriors(model, dict(network.cpts), rows)
    grid = bnlr.Dataset.from_codes(rows, states, structure.class_name)
    tables = draw.draw(tables_of(structure, states))
    of_tables = lmodel.posteriors_of_tables(model, tables, rows)
    for kind in SPACES:
        space = kind(structure, states)
        for like in (None, network):
            back = space.to_network(space.from_network(network), like=like)
            np.testing.assert_allclose(back.predict_proba(grid), literal, rtol=0, atol=1e-12)
            if kind is bnlr.Softmax:
                continue
            mapped = space.to_network(space.from_tables(tables), like=like)
            np.testing.assert_allclose(mapped.predict_proba(grid), of_tables, rtol=0, atol=1e-12)
            for cpt in mapped.cpts.values():
                np.testing.assert_allclose(cpt.sum(axis=-1), 1.0, atol=1e-12)


@given(problems(), st.data())
def test_backmap_agrees_with_equations_11_to_14(problem, draw):
    structure, data = problem
    states = _states(structure, data)
    model = Model.of(structure, states)
    tables = draw.draw(tables_of(structure, states))
    centred = {
        node: table - table.mean(axis=_class_axis(structure, node), keepdims=True)
        for node, table in tables.items()
    }
    literal = back_map(model, centred)
    space = bnlr.Roos(structure, states)
    found = space.to_network(space.from_tables(tables)).cpts
    for node, cpt in literal.items():
        np.testing.assert_allclose(found[node], cpt, rtol=1e-10, atol=1e-12)


def _class_axis(structure, node):
    return (*structure.parents(node), node).index(structure.class_name)


@given(problems(n_rows=(1, 12)), st.data())
def test_design_matrices_are_the_papers(problem, draw):
    structure, data = problem
    states = _states(structure, data)
    model = Model.of(structure, states)
    rows = np.column_stack([data.column(node) for node in model.nodes])
    codes = {n: draw.draw(st.integers(0, len(states[n]) - 1)) for n in structure.attributes}
    reference = {node: states[node][code] for node, code in codes.items()}
    loglinear = bnlr.LogLinear(structure, states, reference)
    _same_columns(loglinear.design(data), designs.loglinear_design(model, rows, codes)[1])
    _same_columns(bnlr.Roos(structure, states).design(data), designs.roos_design(model, rows)[1])
    for space in (loglinear, bnlr.Roos(structure, states)):
        x = draw.draw(st.integers(0, 99))
        w = np.random.default_rng(x).standard_normal(space.size)
        k = space.layout.n_classes - 1
        eta = np.zeros((data.n_rows, k + 1))
        eta[:, 1:] = space.design(data) @ w.reshape(-1, k)
        logs = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        cll = data.weights @ logs[np.arange(data.n_rows), data.class_codes]
        assert space.cll(w, data) == pytest.approx(cll, rel=1e-11, abs=1e-11)
        assert len(set(space.names)) == len(space.names) == space.size
        frame = space.design_frame(data)
        assert tuple(frame.columns) == space.predictor_names
        assert np.array_equal(frame.to_numpy(), space.design(data).toarray())


def _same_columns(found, literal):
    dense = found.toarray()
    assert set(np.unique(dense)) <= {0.0, 1.0}
    assert sorted(map(tuple, dense.T)) == sorted(map(tuple, literal.T))


@given(perfect_structures(), st.data())
def test_sizes_are_the_papers_counts(structure, draw):
    cards = {node: draw.draw(st.integers(1, 4)) for node in structure.nodes}
    cards[structure.class_name] = max(2, cards[structure.class_name])
    states = {node: tuple(range(card)) for node, card in cards.items()}
    counts = bnlr.analyze(structure, cards).parameter_counts
    k = cards[structure.class_name] - 1
    assert bnlr.LogLinear(structure, states).size == counts["loglinear"] * k
    assert bnlr.Roos(structure, states).size == counts["roos"] * k
    assert bnlr.Softmax(structure, states).size == counts["beta"]


@given(structures(max_nodes=6))
def test_logistic_spaces_refuse_exactly_the_imperfect_graphs(structure):
    states = dict.fromkeys(structure.nodes, (0, 1))
    report = bnlr.analyze(structure)
    for kind in (bnlr.LogLinear, bnlr.Roos):
        if report.is_perfect:
            kind(structure, states)
            continue
        with pytest.raises(bnlr.NotPerfectError) as caught:
            kind(structure, states)
        assert caught.value.violations == report.violations
        assert caught.value.embedding == report.embedding
        assert all(repr(name) in str(caught.value) for name in report.violations[0])


def test_the_gauge_of_like_recovers_its_own_cpts():
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b"), ("z", "a2")], class_name="c")
    states = {"c": (0, 1, 2), "a": (0, 1), "b": (0, 1, 2), "z": (0, 1), "a2": (0, 1)}
    rng = np.random.default_rng(3)
    cpts = {
        n: rng.dirichlet(np.ones(len(states[n])), [len(states[p]) for p in structure.parents(n)])
        for n in structure.nodes
    }
    network = bnlr.BayesianNetwork(structure, states, cpts)
    for kind in SPACES:
        space = kind(structure, states)
        back = space.to_network(space.from_network(network), like=network)
        np.testing.assert_allclose(back.cpts["z"], cpts["z"])
        if kind is not bnlr.LogLinear:  # there, families share subsets, and cells move between them
            for node in structure.nodes:
                np.testing.assert_allclose(back.cpts[node], cpts[node], atol=1e-12)


def test_free_space_accepts_any_graph_but_cannot_promise_cpts():
    structure = bnlr.Structure([("c", "x"), ("y", "x")], class_name="c")
    free = Free(structure, {"c": (0, 1), "x": (0, 1), "y": (0, 1)})
    assert free.size == 5
    with pytest.raises(bnlr.NotPerfectError, match="Condition 1"):
        free.to_network(np.zeros(5))


def test_wrong_lengths_zeros_and_references_are_refused():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    states = {"c": ("n", "y"), "a": ("0", "1")}
    roos = bnlr.Roos(structure, states)
    data = bnlr.Dataset.from_codes(np.array([[0, 0], [1, 1]]), states, "c")
    with pytest.raises(bnlr.ParameterError, match="expected 3 parameters"):
        roos.cll(np.zeros(2), data)
    sure = bnlr.BayesianNetwork(
        structure, states, {"c": np.array([0.5, 0.5]), "a": np.array([[1.0, 0.0], [0.5, 0.5]])}
    )
    with pytest.raises(bnlr.ParameterError, match=r"'a' holds a probability of 0"):
        roos.from_network(sure)
    with pytest.raises(bnlr.StateError, match=r"'2' is no state of 'a'"):
        bnlr.LogLinear(structure, states, {"a": "2"})
    assert bnlr.LogLinear(structure, states, {"c": "y", "a": "1"}).reference == {"a": "1"}
    with pytest.raises(bnlr.ParameterError, match="finite"):
        roos.cll(np.full(3, np.nan), data)
    other = bnlr.Dataset.from_codes(
        np.array([[0, 0], [1, 1]]), {"c": ("n", "y"), "a": ("x", "y")}, "c"
    )
    with pytest.raises(bnlr.StateError, match="column 'a' has states"):
        roos.cll(np.zeros(3), other)


@examples(30)
@given(structures(), st.data())
def test_tables_of_beta_are_log_softmax_by_column_however_large(structure, draw):
    states = draw.draw(states_of(structure))
    space = bnlr.Softmax(structure, states)
    size = draw.draw(st.sampled_from([1.0, 100.0, 299.0, 301.0, 1e4, 1e300]))
    x = size * draw.draw(generators()).uniform(-1, 1, space.size)
    tables, start = space.layout.unstack(space.to_tables(x)), 0
    for family in space.layout.families:
        own = tables[family.node]
        beta = x[start : start + own.size].reshape(own.shape)
        np.testing.assert_allclose(own, log_softmax(beta, axis=-1), rtol=1e-12, atol=1e-13 * size)
        start += own.size
    assert start == space.size


def test_cpts_kept_of_one_point_are_not_taken_for_those_of_another():
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c", ["c", "a", "b"])
    states = {"c": (0, 1), "a": (0, 1, 2), "b": (0, 1)}
    space, rng = bnlr.Softmax(structure, states), np.random.default_rng(0)
    points = rng.standard_normal((2, space.size))
    v, gradient = rng.standard_normal(space.size), rng.standard_normal((space.layout.n_cells, 2))
    for k in (0, 1, 0, 0, 1):
        fresh, x = bnlr.Softmax(structure, states), points[k].copy()
        np.testing.assert_array_equal(space.push(x, v), fresh.push(x, v))
        np.testing.assert_array_equal(space.pullback(x, gradient), fresh.pullback(x, gradient))
        x += 1.0  # the caller's own
    assert len(pickle.dumps(space)) == len(pickle.dumps(bnlr.Softmax(structure, states)))
