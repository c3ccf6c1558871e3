"""Likelihoods of rows with holes against enumeration, their gradients against differences too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.inference.engine import Engine
from bnlr.objectives.evidence import EvidenceRows, log_conditionals
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.softmax_curvature import FEW
from bnlr.spaces.joint import JointSoftmax, JointTheta
from tests.oracles import joint
from tests.oracles.gradients import cll_gradient, ll_gradient
from tests.oracles.model import Model
from tests.strategies import cpts_of, generators, problems, structures

ORACLES = {"cll": (joint.cll, cll_gradient), "ll": (joint.ll, ll_gradient)}


@st.composite
def holed(draw, max_nodes=5):
    """A structure of any shape, CPTs, and rows that lack attributes and classes."""
    structure, data = draw(problems(structures(max_nodes), n_rows=(1, 12), missing=True))
    codes = np.array(data.codes)
    no_class = draw(generators()).random(data.n_rows) < 0.2
    no_class[: data.cards[data.class_name]] = False
    codes[no_class, data.nodes.index(data.class_name)] = -1
    weights = data.weights if data.has_weights else None
    data = bnlr.Dataset.from_codes(codes, data.states, data.class_name, weights)
    states = {node: data.states[node] for node in structure.nodes}
    return structure, data, bnlr.BayesianNetwork(
        structure, states, draw(cpts_of(structure, states))
    )  # fmt: skip


def objective_of(structure, data, kind, chart=JointSoftmax, penalty=None):
    space = chart(structure, data.states)
    engine = Engine(space.flat, structure.index(structure.class_name), 1)
    return EvidenceObjective(engine, space, EvidenceRows.of(structure, data), kind, penalty)


def penalty_of(structure, data, rng):
    layout = TableLayout.of(structure, data.cards)
    centre = relative(rng.standard_normal((layout.n_cells, layout.n_classes)))
    return Penalty(layout, 0.7, centre)


@settings(deadline=None)
@given(holed(), st.sampled_from(["cll", "ll"]))
def test_value_and_gradient_equal_enumeration(problem, kind):
    structure, data, network = problem
    model = Model.of(structure, network.states)
    rows = [[int(data.column(node)[i]) for node in model.nodes] for i in range(data.n_rows)]
    literal, literal_gradient = ORACLES[kind]
    objective = objective_of(structure, data, kind)
    x = objective.space.from_network(network)
    value, gradient = objective.value_and_gradient(x)
    cpts = dict(network.cpts)
    expected = literal(model, cpts, rows, data.weights)
    slopes = literal_gradient(model, cpts, rows, data.weights)
    assert -value == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert objective.value(x) == pytest.approx(value, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(-gradient, objective.space.flat.flatten(slopes), atol=1e-9)


@settings(deadline=None)
@given(
    holed(),
    st.sampled_from(["cll", "ll"]),
    st.sampled_from([JointSoftmax, JointTheta]),
    st.booleans(),
    generators(),
)
def test_gradient_equals_differences(problem, kind, chart, with_penalty, rng):
    structure, data, network = problem
    penalty = penalty_of(structure, data, rng) if with_penalty else None
    objective = objective_of(structure, data, kind, chart, penalty)
    x = objective.space.from_network(network)
    value, gradient = objective.value_and_gradient(x)
    d = rng.standard_normal(x.size)
    if chart is JointTheta:
        d *= x  # stay positive
    step = 1e-5
    up, down = objective.value(x + step * d), objective.value(x - step * d)
    scale = max(1.0, abs(value), float(np.abs(gradient * d).sum()))
    assert (up - down) / (2 * step) == pytest.approx(gradient @ d, abs=1e-7 * scale)
    at, slope = objective.along(x, d)(0.0)
    assert at == value
    assert slope == pytest.approx(gradient @ d, rel=1e-9, abs=1e-9 * scale)


@settings(deadline=None)
@given(holed(), st.booleans(), generators())
def test_products_equal_differences(problem, with_penalty, rng):
    structure, data, network = problem
    penalty = penalty_of(structure, data, rng) if with_penalty else None
    objective = objective_of(structure, data, "cll", JointSoftmax, penalty)
    x = objective.space.from_network(network)
    v, w = rng.standard_normal((2, x.size))
    step = 1e-4
    ahead, behind = (objective.value_and_gradient(x + s * step * v)[1] for s in (1, -1))
    product = objective.hessian(x)
    scale = max(1.0, float(data.weights.sum()))
    np.testing.assert_allclose(product(v), (ahead - behind) / (2 * step), atol=1e-4 * scale)
    assert product(v) @ w == pytest.approx(product(w) @ v, abs=1e-3 * scale)


@pytest.mark.parametrize("arcs", [[], [("a", "b")], [("b", "c")]])
@pytest.mark.parametrize("with_penalty", [False, True])
def test_the_preconditioner_inverts_the_hessian_where_the_network_holds(arcs, with_penalty):
    """Rows as many as the network expects, a third of them with each pattern of holes."""
    structure = bnlr.Structure([("c", "a"), ("c", "d"), ("b", "d"), *arcs], class_name="c")
    states = {"c": (0, 1, 2), "a": (0, 1), "d": (0, 1, 2), "b": (0, 1)}
    rng = np.random.default_rng(len(arcs))
    sizes = {n: [len(states[p]) for p in (*structure.parents(n), n)] for n in structure.nodes}
    cpts = {n: rng.dirichlet(np.full(s[-1], 3.0), s[:-1]) for n, s in sizes.items()}
    network = bnlr.BayesianNetwork(structure, states, cpts)
    whole = np.array(list(np.ndindex(3, 2, 3, 2)))
    kept = [[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 0]]
    codes = np.concatenate([np.where(np.array(mask) > 0, whole, -1) for mask in kept])
    model, every = Model.of(structure, states), list(states)
    place = [every.index(node) for node in model.nodes]
    shares = [np.exp(joint.ll(model, dict(network.cpts), [row[place]], [1.0])) for row in whole]
    data = bnlr.Dataset.from_codes(codes, states, "c", weights=1000 * np.tile(shares, 3))
    layout = TableLayout.of(structure, data.cards)
    tables = relative(np.log(layout.stack(dict(network.cpts))))
    penalty = Penalty(layout, 2.0, tables) if with_penalty else None
    objective = objective_of(structure, data, "cll", JointSoftmax, penalty)
    x = objective.space.from_network(network)
    assert np.abs(objective.value_and_gradient(x)[1]).max() < 1e-9
    theta, flat, rows = np.exp(x), objective.space.flat, objective.rows
    left = -rows.weights * np.expm1(log_conditionals(objective.engine, theta, rows))
    counts, _ = objective.engine.expected_counts(theta, rows.codes, left)
    product, inverse = objective.hessian(x), objective.preconditioner(x)
    for free in rng.standard_normal((3, x.size)):
        v = free - flat.column_sums(free) / np.repeat(flat.column_lengths, flat.column_lengths)
        within = v - flat.column_sums(theta * v)
        added = FEW * (flat.column_sums(counts) * theta * within + 0.5 * v)
        np.testing.assert_allclose(inverse(product(v) + added), v, atol=1e-3)


@given(holed(), st.sampled_from([JointSoftmax, JointTheta]))
def test_coordinates_give_their_network_back(problem, chart):
    structure, data, network = problem
    space = chart(structure, data.states)
    x = space.from_network(network)
    again = space.to_network(x)
    for node, cpt in network.cpts.items():
        np.testing.assert_allclose(again.cpts[node], cpt, rtol=1e-12)
    assert len(set(space.names)) == space.size == len(space.frame(x))
    tables = space.layout.stack({node: np.log(network.cpts[node]) for node in structure.nodes})
    np.testing.assert_allclose(space.to_tables(x), tables, rtol=1e-12, atol=1e-12)


def test_rows_are_merged_and_weigh_what_they_did():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    states = {"c": ("n", "y"), "extra": (0, 1), "a": (0, 1)}
    codes = [[0, 0, 1], [0, 1, 1], [-1, 0, 0], [1, 1, -1], [1, 0, -1], [1, 0, 0]]
    weights = [1.0, 2.0, 0.5, 1.5, 1.0, 0.0]
    data = bnlr.Dataset.from_codes(np.array(codes), states, "c", weights)
    rows = EvidenceRows.of(structure, data)
    found = sorted((*map(int, row), w) for row, w in zip(rows.codes, rows.weights, strict=True))
    assert found == [(-1, 0, 0.5), (0, 1, 3.0), (1, -1, 2.5)]
    assert rows.labelled.weights.sum() == 5.5
    assert (rows.labelled.classes >= 0).all()


def test_rows_far_from_their_class_have_exact_logs():
    """Posteriors below the smallest number: their logarithm comes from log-probabilities."""
    names = [f"a{k}" for k in range(40)]
    structure = bnlr.Structure.naive_bayes(names, class_name="c")
    states = dict.fromkeys(structure.nodes, (0, 1))
    cpts = {"c": np.array([0.5, 0.5])} | {
        name: np.array([[1 - 1e-10, 1e-10], [1e-10, 1 - 1e-10]]) for name in names
    }
    network = bnlr.BayesianNetwork(structure, states, cpts)
    row = np.ones((1, 41), dtype=int)
    row[0, structure.index("c")] = 0
    data = bnlr.Dataset.from_codes(row, {n: states[n] for n in structure.nodes}, "c")
    objective = objective_of(structure, data, "cll")
    x = objective.space.from_network(network)
    expected = 40 * (np.log(1 - 1e-10) - np.log(1e-10))
    assert objective.value(x) == pytest.approx(expected, rel=1e-9)
    assert objective.value_and_gradient(x)[0] == pytest.approx(expected, rel=1e-9)


def test_bad_calls_are_named():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    data = bnlr.Dataset.from_codes(np.array([[0, 1]]), {"c": ("n", "y"), "a": (0, 1)}, "c")
    with pytest.raises(bnlr.ParameterError, match="kind is 'mse'"):
        objective_of(structure, data, "mse")
    objective = objective_of(structure, data, "cll")
    for kind, chart in (("ll", JointSoftmax), ("cll", JointTheta)):
        with pytest.raises(bnlr.ParameterError, match="l-bfgs"):
            objective_of(structure, data, kind, chart).hessian(np.ones(6))
    cpts = {"c": [0.5, 0.5], "a": [[0.0, 1.0], [0.5, 0.5]]}
    network = bnlr.BayesianNetwork(structure, dict(data.states), cpts)
    with pytest.raises(bnlr.ParameterError, match="'a' holds a probability of 0"):
        objective.space.from_network(network)


def test_outside_the_positive_numbers_theta_has_no_value():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    data = bnlr.Dataset.from_codes(np.array([[0, 1]]), {"c": ("n", "y"), "a": (0, 1)}, "c")
    objective = objective_of(structure, data, "ll", JointTheta)
    x = np.array([0.5, 0.5, -0.1, 1.1, 0.5, 0.5])
    assert objective.value(x) == np.inf
    assert objective.value_and_gradient(x)[0] == np.inf
