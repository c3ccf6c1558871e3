"""No learner that climbs ends below the start it was given, however and wherever it is stopped."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.cli import main
from bnlr.learn.runs.lowest import Lowest
from bnlr.optimize.base import Result, State, Status
from tests.objectives.test_minimum_norm import scores_of, without_prior
from tests.oracles import joint
from tests.oracles.model import Model
from tests.strategies import cpts_of, generators, perfect_structures, structures
from tests.width import examples

SOLVERS = ("newton", "l-bfgs", "cg", "cg-brent", "bfgs", "scipy-cg", "scipy-bfgs")
FIRST_ORDER = SOLVERS[1:]
LIMITS = st.sampled_from([0, 1, 2, 5])
STARTS = ("uniform", "uniform", "frequencies", "drawn", "extreme")


@st.composite
def parities(draw, structure, hidden=False):
    """All configurations, the class a sum of attributes: alone, none of them tells of it.

    A uniform network is then flat for most structures. `hidden`: no row shows one of the nodes.
    """
    rng, own = draw(generators()), structure.class_name
    cards = {node: int(rng.choice([2, 2, 3])) for node in structure.nodes}
    others = [node for node in structure.nodes if node != own]
    rows = np.array(list(product(*(range(cards[node]) for node in others))), dtype=int)
    rows = rows.reshape(-1, len(others))
    classes = rows.sum(axis=1) if len(others) > 1 else np.arange(len(rows))
    if len(rows) < 2 * cards[own]:
        rows = np.repeat(rows, 2 * cards[own], axis=0)
        classes = np.arange(len(rows))
    codes = np.column_stack([rows, classes % cards[own]])
    if draw(st.booleans()):
        codes = np.vstack([codes, codes[rng.integers(0, len(codes), 3)]])
    if hidden and others:
        codes[:, rng.integers(len(others))] = -1
    states = {node: tuple(range(cards[node])) for node in [*others, own]}
    return bnlr.Dataset.from_codes(codes, states, own)


def start_of(kind, structure, data, draw):
    states = {node: data.states[node] for node in structure.nodes}
    if kind == "frequencies":
        return bnlr.fit(structure, data, learner="frequencies").network
    if kind == "uniform":
        shapes = {
            node: [len(states[axis]) for axis in (*structure.parents(node), node)]
            for node in structure.nodes
        }
        cpts = {node: np.full(shape, 1.0 / shape[-1]) for node, shape in shapes.items()}
    else:
        cpts = draw(cpts_of(structure, states))
    if kind == "extreme":
        powers = {node: cpt**40 for node, cpt in cpts.items()}
        cpts = {node: cpt / cpt.sum(axis=-1, keepdims=True) for node, cpt in powers.items()}
    return bnlr.BayesianNetwork(structure, states, cpts)


def literal(function, network, data):
    model = Model.of(network.structure, network.states)
    rows = [
        [None if data.column(n)[i] < 0 else int(data.column(n)[i]) for n in model.nodes]
        for i in range(data.n_rows)
    ]
    return function(model, dict(network.cpts), rows, data.weights)


def least_penalty(network, strength):
    """½ · strength · the squares of the least tables with the network's P(class | x)."""
    layout = bnlr.Softmax(network.structure, network.states).layout
    logs = np.log(layout.stack(network.cpts))
    tables, squares = logs - logs.mean(axis=1, keepdims=True), without_prior(layout)
    _, lengths, right = np.linalg.svd(scores_of(layout))
    silent = right[int((lengths > 1e-9).sum()) :].T
    best = np.linalg.lstsq(squares @ silent, -squares @ tables, rcond=None)[0]
    return 0.5 * strength * np.square(squares @ (tables + silent @ best)).sum()


def fitted(structure, data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bnlr.fit(structure, data, **options)


def assert_not_below(end, start):
    assert end >= start - 1e-9 * max(1.0, abs(start)), (end, start)


def stopping(draw):
    """A limit of iterations, or a callback that stops after as many."""
    limit = draw(LIMITS)
    if draw(st.booleans()):
        return {"max_iter": limit}
    return {"max_iter": 50, "callback": lambda state: state.iteration >= limit}


@pytest.mark.slow
@examples(70)
@given(st.data(), st.sampled_from(SOLVERS), st.sampled_from(STARTS), st.sampled_from([1, 1, 2]))
def test_elr_on_complete_rows(draw, solver, kind, n_starts):
    structure = draw.draw(structures(max_nodes=4, min_nodes=2))
    data = draw.draw(parities(structure))
    start = start_of(kind, structure, data, draw.draw)
    options = {"solver": solver, "n_starts": n_starts, "random_state": 0, **stopping(draw.draw)}
    result = fitted(structure, data, learner="elr", start=start, **options)
    begin = literal(joint.cll, start, data)
    assert result.start_cll == pytest.approx(begin, rel=1e-9, abs=1e-9)
    assert_not_below(literal(joint.cll, result.network, data), begin)


@pytest.mark.slow
@examples(50)
@given(
    st.data(),
    st.sampled_from(["elr", "em", "apn"]),
    st.sampled_from(FIRST_ORDER),
    st.sampled_from(["softmax", "theta"]),
    st.sampled_from(STARTS),
)
def test_learners_that_sum_out_what_is_missing(draw, learner, solver, space, kind):
    structure = draw.draw(structures(max_nodes=4, min_nodes=2))
    data = draw.draw(parities(structure, hidden=True))
    start = start_of(kind, structure, data, draw.draw)
    options = {"space": space, "solver": "auto" if space == "theta" else solver}
    pseudocount = 0.0
    if learner == "em":
        options = {"m_step_pseudocount": draw.draw(st.sampled_from([0.0, 0.5]))}
        pseudocount = options["m_step_pseudocount"]
    options |= {"random_state": 0, **stopping(draw.draw)}
    result = fitted(structure, data, learner=learner, start=start, **options)

    def objective(network):
        value = literal(joint.cll if learner == "elr" else joint.ll, network, data)
        if pseudocount:
            value += pseudocount * sum(np.log(cpt).sum() for cpt in network.cpts.values())
        return value

    assert_not_below(objective(result.network), objective(start))
    if learner != "elr":
        found = literal(joint.ll, result.network, data)
        assert result.log_likelihood == pytest.approx(found, rel=1e-9, abs=1e-9)
        begin = literal(joint.ll, start, data)
        assert result.start_log_likelihood == pytest.approx(begin, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@examples(40)
@given(st.data(), st.sampled_from(["elr", "em", "apn"]), st.booleans())
def test_a_second_call_gives_the_same_bytes(draw, learner, hidden):
    """Without a seed too, where a start without slope or a node never observed is perturbed."""
    structure = draw.draw(structures(max_nodes=4, min_nodes=2))
    data = draw.draw(parities(structure, hidden=hidden))
    start = start_of(draw.draw(st.sampled_from(STARTS)), structure, data, draw.draw)
    options = {"learner": learner, "start": start, "max_iter": 3}
    one, other = (fitted(structure, data, **options).network.cpts for _ in range(2))
    assert all(one[node].tobytes() == other[node].tobytes() for node in structure.nodes)


@examples(50)
@given(
    st.data(),
    st.sampled_from(["roos", "loglinear", "softmax"]),
    st.sampled_from(SOLVERS),
    st.sampled_from(STARTS),
)
def test_logistic_regression(draw, space, solver, kind):
    structure = draw.draw(perfect_structures(max_nodes=4, min_nodes=2))
    data = draw.draw(parities(structure))
    start = start_of(kind, structure, data, draw.draw)
    options = {"space": space, "solver": solver, "random_state": 0, **stopping(draw.draw)}
    result = fitted(structure, data, learner="lr", start=start, **options)
    assert_not_below(literal(joint.cll, result.network, data), literal(joint.cll, start, data))


@examples(40)
@given(
    st.data(),
    st.sampled_from(["lr", "elr"]),
    st.sampled_from(SOLVERS),
    st.sampled_from(STARTS),
    st.sampled_from([0.1, 3.0]),
)
def test_with_a_penalty(draw, learner, solver, kind, strength):
    structure = draw.draw(perfect_structures(max_nodes=4, min_nodes=2, min_attributes=1))
    data = draw.draw(parities(structure))
    start = start_of(kind, structure, data, draw.draw)
    options = {"penalty": strength, "solver": solver, "random_state": 0, **stopping(draw.draw)}
    result = fitted(structure, data, learner=learner, space="softmax", start=start, **options)

    def objective(network):
        return literal(joint.cll, network, data) - least_penalty(network, strength)

    assert_not_below(objective(result.network), objective(start))


def test_a_start_better_than_what_moderate_parameters_reach_is_kept():
    """Separated rows: the end of a path of penalties stands below a start that has run away."""
    rows = np.array([[0, 0], [1, 1]] * 4)
    data = bnlr.Dataset.from_codes(rows, {"a": (0, 1), "c": (0, 1)}, "c")
    for arcs in ([("c", "a")], [("a", "c")]):
        structure = bnlr.Structure(arcs, "c", nodes=["a", "c"])
        sure = np.array([[1.0 - 1e-15, 1e-15], [1e-15, 1.0 - 1e-15]])
        cpts = {node: np.array([0.5, 0.5]) for node in structure.nodes}
        cpts[arcs[0][1]] = sure
        start = bnlr.BayesianNetwork(structure, dict(data.states), cpts)
        for space in ("roos", "softmax"):
            result = fitted(structure, data, learner="lr", space=space, start=start)
            begin = literal(joint.cll, start, data)
            assert literal(joint.cll, result.network, data) >= begin - 1e-15


@pytest.mark.parametrize("solver", FIRST_ORDER)
def test_queries(solver):
    """A network that ignores what the queries ask has no slope there."""
    chain = bnlr.Structure([("a", "x"), ("x", "c")], class_name="c")
    states = dict.fromkeys(chain.nodes, (0, 1))
    asked = [bnlr.Query({"c": 1}, {"a": 1}, p=0.5), bnlr.Query({"c": 1}, {"a": 0}, p=0.5)]
    cpts = {"a": [0.5, 0.5], "x": [[0.5, 0.5]] * 2, "c": [[0.5, 0.5]] * 2}
    start = bnlr.BayesianNetwork(chain, states, cpts)
    for most in (0, 1):
        result = bnlr.fit_queries(
            chain, asked, states, start=start, solver=solver, max_iter=most, random_state=1
        )
        assert result.start_error == result.error == 0.0


@pytest.mark.parametrize("solver", ["cg", "l-bfgs", "scipy-cg"])
@pytest.mark.parametrize("most", [0, 1])
def test_through_the_classifier_and_the_shell(solver, most, tmp_path):
    rows = pd.DataFrame(list(product("ny", repeat=3)), columns=["a", "b", "d"])
    rows["c"] = np.where((rows == "y").sum(axis=1) % 2, "odd", "even")
    flat = 8 * np.log(0.5)
    options = {"learner": "elr", "penalty": 0.0, "solver": solver, "max_iter": most}
    classifier = bnlr.BNClassifier("naive-bayes", random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(rows.drop(columns="c"), rows["c"])
    assert classifier.result_.cll >= flat - 1e-12
    rows.to_csv(tmp_path / "rows.csv", index=False)
    model = tmp_path / "model.json"
    words = ["fit", str(tmp_path / "rows.csv"), "--class", "c", "--structure", "naive-bayes"]
    words += ["--learner", "elr", "--penalty", "0", "--solver", solver, "--max-iter", str(most)]
    assert main([*words, "--out", str(model)]) == 0
    network = bnlr.BNClassifier.load(model).network_
    data = bnlr.Dataset.from_frame(rows, "c", states=dict(network.states))
    assert literal(joint.cll, network, data) >= flat - 1e-12


def test_a_point_seen_on_the_way_is_kept():
    """Whatever a solver returns, or NaN."""
    points = [
        State(k, value, np.full(1, k), np.zeros(1)) for k, value in enumerate([3.0, 1.0, 2.0])
    ]
    seen = Lowest(lambda state: state.iteration == 2)
    assert [seen(point) for point in points] == [False, False, True]
    for value, kept in ((2.0, 1.0), (float("nan"), 1.0), (0.5, 0.5), (1.0 + 1e-15, 1.0 + 1e-15)):
        result = Result(np.full(1, 9.0), value, np.ones(1), Status.CALLBACK, 2, None, "")
        assert seen.of(result).value == kept


@pytest.mark.parametrize("solver", ["bfgs", "cg", "l-bfgs"])
@pytest.mark.parametrize("centre", ["zero", "frequencies"])
def test_a_start_at_the_penalised_optimum_of_tables_is_kept(solver, centre):
    """CPTs write it with other tables, which cost more: they are not where the start stands."""
    states = {"c": (0, 1), "a": (0, 1), "b": (0, 1)}
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c")
    for seed in range(4):
        rows = np.random.default_rng(seed).integers(0, 2, (20, 3))
        data = bnlr.Dataset.from_codes(rows, states, "c")
        options = {"penalty": 1.0, "penalty_center": centre, "space": "roos"}
        best = bnlr.fit(structure, data, **options)
        again = bnlr.fit(structure, data, **options, start=best.network, solver=solver, max_iter=1)
        highest = best.trace["objective"].iloc[-1]
        assert again.trace["objective"].iloc[[0, -1]].tolist() == pytest.approx([highest] * 2)


@pytest.mark.filterwarnings("ignore:No finite optimum:bnlr.errors.SeparationWarning")
def test_zeros_of_a_start_stay_below_its_other_entries():
    states = {"c": (0, 1), "a": (0, 1), "b": (0, 1)}
    structure = bnlr.Structure([("c", "a"), ("c", "b")], "c")
    data = bnlr.Dataset.from_codes(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]]), states, "c")
    cpts = {"c": [0.5, 0.5], "a": [[1.0, 0.0], [1.0, 1e-40]], "b": [[0.5, 0.5], [0.5, 0.5]]}
    start = bnlr.BayesianNetwork(structure, states, {k: np.array(v) for k, v in cpts.items()})
    for options in ({"learner": "lr"}, {"learner": "lr", "space": "softmax"}, {"learner": "elr"}):
        result = bnlr.fit(structure, data, start=start, max_iter=0, **options)
        assert result.cll == pytest.approx(-2 * np.log(2), abs=1e-5)
