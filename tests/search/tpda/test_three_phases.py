"""TPDA: networks found again from large samples, properties on any data, known structures."""

import itertools
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.tpda.dependence import Dependence
from bnlr.search.tpda.three_phases import Skeleton, tpda
from bnlr.structure.bits import members
from tests.oracles.dependence import conditional_information
from tests.strategies import problems, structures
from tests.width import examples, in_full

BINARY = ("0", "1")


def links(structure):
    return {frozenset(arc) for arc in structure.edges}


def colliders(structure):
    joined = links(structure)
    return {
        (node, frozenset(pair))
        for node in structure.nodes
        for pair in itertools.combinations(structure.parents(node), 2)
        if frozenset(pair) not in joined
    }


def random_network(seed):
    """Six nodes of two or three states, at most three parents, strong dependences."""
    rng = np.random.default_rng(seed)
    names = [f"n{k}" for k in range(6)]
    order = list(rng.permutation(names))
    arcs = []
    for k, node in enumerate(order):
        above = [other for other in order[:k] if rng.random() < 0.35]
        arcs += [(other, node) for other in above[:3]]
    structure = bnlr.Structure(arcs, "n0", nodes=names)
    states = {node: tuple(range(int(rng.integers(2, 4)))) for node in names}
    cpts = {}
    for node in names:
        above = tuple(len(states[parent]) for parent in structure.parents(node))
        card = len(states[node])
        cpts[node] = 0.96 * rng.dirichlet(np.full(card, 0.35), size=above) + 0.04 / card
    return bnlr.BayesianNetwork(structure, states, cpts)


def sampled(network, n_rows, seed=0):
    frame = network.sample(n_rows, random_state=seed)
    return bnlr.Dataset.from_frame(frame, network.structure.class_name, states=network.states)


# Thinning acts in 16, 37 and 59.
@pytest.mark.parametrize("seed", [0, 1, 16, 37, *in_full(2, 3, 4, 59)])
def test_finds_edges_and_colliders_of_random_networks_again(seed):
    network = random_network(seed)
    found = tpda(sampled(network, 200_000, seed), threshold=0.0)
    assert links(found) == links(network.structure)
    assert colliders(found) == colliders(network.structure)


def test_the_draft_is_a_forest_of_the_strongest_dependences(monkeypatch):
    for phase in ("_thicken", "_thin"):
        monkeypatch.setattr(Skeleton, phase, lambda *_: None)
    for seed in range(5):
        tests = Dependence(sampled(random_network(seed), 2_000, seed))
        pairs = itertools.combinations(range(6), 2)
        values = {pair: tests.excess(*pair) for pair in pairs}
        graph = nx.Graph((x, y, {"weight": v}) for (x, y), v in values.items() if v > 0)
        forest = {frozenset(edge) for edge in nx.maximum_spanning_edges(graph, data=False)}
        near = Skeleton(tests).near
        assert {frozenset((x, y)) for x in range(6) for y in members(near[x])} == forest


def test_edges_on_circles_are_tried_by_both_searches(monkeypatch):
    data = sampled(small_network([("a", "b"), ("a", "c"), ("b", "c")], "c"), 20_000)
    assert len(tpda(data).edges) == 3
    for name in ("separate_by_neighbours", "separate_by_two_steps"):
        with monkeypatch.context() as patch:
            patch.setattr(f"bnlr.search.tpda.three_phases.{name}", lambda *_: 0)
            assert len(tpda(data).edges) == 2


def test_what_a_collider_implies_comes_before_pointing_away_from_the_class():
    structure = bnlr.Structure([("a", "b"), ("c", "b"), ("b", "class")], "class")
    both = [[[0.95, 0.05], [0.4, 0.6]], [[0.3, 0.7], [0.1, 0.9]]]
    cpts = {"a": [0.6, 0.4], "c": [0.5, 0.5], "b": both, "class": [[0.9, 0.1], [0.2, 0.8]]}
    states = dict.fromkeys(structure.nodes, BINARY)
    network = bnlr.BayesianNetwork(structure, states, {k: np.array(v) for k, v in cpts.items()})
    assert set(tpda(sampled(network, 20_000)).edges) == set(structure.edges)


def small_network(arcs, class_name):
    """Three binary nodes: noisy copies, and a noisy exclusive-or-like sum for two parents."""
    structure = bnlr.Structure(arcs, class_name, nodes=["a", "b", "c"])
    copy = [[0.9, 0.1], [0.2, 0.8]]
    tables = {0: [0.6, 0.4], 1: copy, 2: [[[0.95, 0.05], [0.4, 0.6]], [[0.3, 0.7], [0.1, 0.9]]]}
    cpts = {node: np.array(tables[len(structure.parents(node))]) for node in structure.nodes}
    return bnlr.BayesianNetwork(structure, dict.fromkeys("abc", BINARY), cpts)


@pytest.mark.parametrize(
    ("arcs", "class_name", "expected"),
    [
        ([("a", "b"), ("b", "c")], "a", {("a", "b"), ("b", "c")}),
        ([("a", "b"), ("b", "c")], "b", {("b", "a"), ("b", "c")}),
        ([("b", "a"), ("b", "c")], "c", {("c", "b"), ("b", "a")}),
        ([("a", "b"), ("c", "b")], "a", {("a", "b"), ("c", "b")}),
        ([("a", "b"), ("c", "b")], "b", {("a", "b"), ("c", "b")}),
        ([("a", "b")], "c", {("a", "b")}),
        ([("a", "b"), ("a", "c"), ("b", "c")], "c", {("c", "a"), ("c", "b"), ("a", "b")}),
    ],
)
def test_chain_fork_collider_lone_class_and_triangle(arcs, class_name, expected):
    found = tpda(sampled(small_network(arcs, class_name), 20_000))
    assert set(found.edges) == expected


def test_the_class_of_corral_has_its_four_parents():
    """Class = (A0 and A1) or (B0 and B1): the attributes are independent."""
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    found = tpda(data)
    names = [node for node in found.attributes if node not in found.children("class")]
    assert set(found.parents("class")) == {"A0", "A1", "B0", "B1"}
    assert set(names) >= set(found.parents("class"))


def test_attributes_that_only_the_class_joins_are_its_children():
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 5_000)
    frame = pd.DataFrame({"class": classes})
    for name in "abcd":
        frame[name] = np.where(rng.random(5_000) < 0.75, classes, 1 - classes)
    found = tpda(bnlr.Dataset.from_frame(frame, "class"))
    assert found == bnlr.Structure.naive_bayes(list("abcd"), "class")


def independent(n_rows=500, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, (n_rows, 5)), columns=["class", *"abcd"])
    return bnlr.Dataset.from_frame(frame, "class")


def test_a_class_without_neighbour_is_predicted_by_its_share():
    data = independent()
    found = tpda(data)
    assert found.edges == ()
    assert found.nodes == ("class", "a", "b", "c", "d")
    network = bnlr.fit(found, data, learner="frequencies", pseudocount=0.0).network
    shares = np.bincount(data.class_codes) / data.n_rows
    np.testing.assert_allclose(network.predict_proba(data)[0], shares, rtol=1e-12)


def test_a_threshold_leaves_out_what_is_weaker():
    network = small_network([("a", "b"), ("b", "c")], "a")
    data = sampled(network, 20_000)
    tests = Dependence(data)
    a, b, c = range(3)
    weak, strong = sorted([tests.excess(a, b), tests.excess(b, c)])
    assert len(tpda(data, threshold=weak - 1e-6).edges) == 2
    assert len(tpda(data, threshold=(weak + strong) / 2).edges) == 1
    assert tpda(data, threshold=strong).edges == ()


# Any data


@st.composite
def awkward(draw):
    """Data with constant and doubled columns, holes, weights, down to two rows."""
    structure, data = draw(
        problems(structures(max_nodes=6), n_rows=(2, 60), missing=draw(st.booleans()))
    )
    frame = data.to_frame().astype(object)
    if draw(st.booleans()):
        frame["constant"] = "k"
    if draw(st.booleans()):
        frame["twice"] = frame[frame.columns[0]]
    name = structure.class_name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)  # what is doubled may be the class
        return bnlr.Dataset.from_frame(frame, name, weights=data.row_weights)


@given(awkward(), st.sampled_from([0.0, 0.005, 0.2]))
def test_any_data_give_an_acyclic_graph_whose_gaps_are_separated(data, threshold):
    if data.cards[data.class_name] < 2:
        with pytest.raises(bnlr.DataError):
            tpda(data)
        return
    found = tpda(data, threshold=threshold)
    assert found.nodes[0] == data.class_name
    assert set(found.nodes) == set(data.nodes)
    assert nx.is_directed_acyclic_graph(found.to_networkx())
    skeleton = Skeleton(Dependence(data, threshold))
    nodes = skeleton.tests.nodes
    joined = {frozenset(nodes[k] for k in (x, y)) for x, near in enumerate(skeleton.near)
              for y in members(near)}  # fmt: skip
    assert joined == links(found)
    for x, y in itertools.combinations(range(len(nodes)), 2):
        if frozenset((nodes[x], nodes[y])) not in joined:
            assert _is_separated(data, nodes, x, y, skeleton.cuts[x, y], threshold)


def _is_separated(data, nodes, x, y, cut, threshold):
    places = [data.nodes.index(node) for node in nodes]
    assert not cut >> x & 1
    assert not cut >> y & 1
    inside = [places[k] for k in members(cut)]
    rows, weights = data.codes.tolist(), data.weights.tolist()
    information, df, n = conditional_information(rows, places[x], places[y], inside, weights)
    penalty = df * np.log(max(n, 1.0)) / (2 * n) if n else 0.0
    return information - penalty <= threshold + 1e-9


@examples(30)
@given(awkward(), st.integers(0, 10_000))
def test_orders_of_columns_and_rows_change_no_arc(data, seed):
    if data.cards[data.class_name] < 2:
        return
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(len(data.nodes)), rng.permutation(data.n_rows)
    states = {data.nodes[k]: data.states[data.nodes[k]] for k in columns}
    weights = None if data.row_weights is None else data.row_weights[rows]
    turned = bnlr.Dataset.from_codes(data.codes[rows][:, columns], states, data.class_name, weights)
    found, other = tpda(data), tpda(turned)
    assert set(found.edges) == set(other.edges)
    assert other.attributes == tuple(node for node in turned.nodes if node != data.class_name)


@pytest.mark.parametrize("attributes", [[], ["a"], ["a", "b"]])
def test_few_attributes(attributes):
    frame = sampled(small_network([("a", "b"), ("c", "b")], "c"), 3_000).to_frame()
    found = tpda(bnlr.Dataset.from_frame(frame[[*attributes, "c"]], "c"))
    assert found.attributes == tuple(attributes)
    assert len(found.edges) == (2 if len(attributes) == 2 else 0)


def test_doubled_columns_are_one_link():
    data = sampled(small_network([("a", "b"), ("b", "c")], "a"), 3_000)
    frame = data.to_frame().assign(twin=lambda f: f["b"])
    found = tpda(bnlr.Dataset.from_frame(frame, "a"))
    assert frozenset(("b", "twin")) in links(found)
    assert len(found.edges) == 3


def test_rows_without_a_class_are_left_out_and_holes_cost_their_own_tests_only():
    network = small_network([("a", "b"), ("b", "c")], "a")
    frame = sampled(network, 20_000).to_frame()
    rng = np.random.default_rng(1)
    holed = frame.mask(rng.random(frame.shape) < [0.0, 0.3, 0.3])
    found = tpda(bnlr.Dataset.from_frame(holed, "a"))
    assert set(found.edges) == {("a", "b"), ("b", "c")}
    unlabelled = frame.assign(a=frame["a"].where(np.arange(20_000) < 9_000))
    assert tpda(bnlr.Dataset.from_frame(unlabelled, "a")) == tpda(
        bnlr.Dataset.from_frame(frame[:9_000], "a")
    )


@pytest.mark.parametrize("threshold", [-0.1, float("nan"), float("inf"), "0.1", None, True])
def test_a_threshold_that_is_none(threshold):
    with pytest.raises(bnlr.ParameterError, match=r"threshold is .*0 or more"):
        tpda(independent(20), threshold=threshold)


def test_one_class_is_refused():
    data = independent(50)
    with pytest.raises(bnlr.DataError, match="class"):
        tpda(data.take(data.class_codes == 0))


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "5", None, True])
def test_rows_per_df_that_are_none(value):
    with pytest.raises(bnlr.ParameterError, match=r"rows_per_df is .*0 or more"):
        tpda(independent(20), rows_per_df=value)


@pytest.mark.parametrize("option", ["penalty", "colliders"])
def test_texts_that_are_no_choice(option):
    with pytest.raises(bnlr.ParameterError, match=option):
        tpda(independent(20), **{option: "bix"})


def test_without_a_penalty_many_states_depend_by_chance():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (120, 3))
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys("abc", tuple(range(6))), "c")
    assert not tpda(data).edges
    assert tpda(data, penalty="none").edges


def weak_chain():
    """x → w → y, whose ends look independent without w: all rows in their shares, as weights."""
    near = np.array([[0.56, 0.44], [0.44, 0.56]])
    cells = np.array(list(np.ndindex(2, 2, 2)))
    shares = [0.5 * near[x, w] * near[w, y] for x, w, y in cells]
    states = dict.fromkeys(("x", "w", "y"), (0, 1))
    return bnlr.Dataset.from_codes(cells, states, "w", 2000 * np.array(shares))


def test_the_papers_rule_makes_a_collider_of_a_weak_chain():
    def parents(**options):
        return set(tpda(weak_chain(), **options).parents("w"))

    assert parents() == set()
    assert parents(colliders="absent") == {"x", "y"}


def test_sets_are_not_cut_down_where_any_number_of_rows_is_enough():
    data = independent(30)
    tests = Dependence(data), Dependence(data, rows_per_df=0)
    last = len(tests[0].nodes) - 1
    everything = sum(1 << k for k in range(1, last))
    assert [one.is_supported(0, last, everything) for one in tests] == [False, True]
