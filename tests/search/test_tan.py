"""TAN against networkx, enumeration of all trees, and pyAgrum; `learn_structure`'s door."""

import itertools
import tracemalloc

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

import bnlr
from bnlr.search.tan import spanning_pairs, spanning_tree

TIC_TAC_TOE = "tic-tac-toe"


def weights(seed, n, ties):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(0, 3, (n, n)) if ties else rng.random((n, n)), k=1)
    return (upper + upper.T).astype(float)


def total(matrix, above):
    return sum(matrix[i, p] for i, p in enumerate(above) if p >= 0)


def frame_with_a_chain(n_rows=400, seed=1):
    rng = np.random.default_rng(seed)
    columns = {"class": rng.choice(["no", "yes"], n_rows), "a": rng.integers(0, 3, n_rows)}
    for above, node in itertools.pairwise("abcd"):
        noise = rng.integers(0, 3, n_rows)
        columns[node] = np.where(rng.random(n_rows) < 0.8, columns[above], noise)
    return pd.DataFrame(columns)


@given(st.integers(0, 10_000), st.integers(2, 9), st.booleans())
def test_weighs_as_much_as_networkx_maximum_spanning_tree(seed, n, ties):
    matrix = weights(seed, n, ties)
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (i, j, matrix[i, j]) for i, j in itertools.combinations(range(n), 2)
    )
    best = nx.maximum_spanning_tree(graph).size(weight="weight")
    for root in (0, n - 1):
        above = spanning_tree(matrix, root)
        assert total(matrix, above) == pytest.approx(best, abs=1e-12)
        assert [i for i, p in enumerate(above) if p < 0] == [root]
        assert nx.is_arborescence(nx.DiGraph((p, i) for i, p in enumerate(above) if p >= 0))


@given(st.integers(0, 10_000), st.integers(0, 12), st.booleans())
def test_the_pairs_are_those_that_kruskal_takes_in_his_order(seed, n, ties):
    matrix = weights(seed, n, ties)
    tree_of, taken = list(range(n)), []
    for i, j in sorted(itertools.combinations(range(n), 2), key=lambda pair: -matrix[pair]):
        if tree_of[i] != tree_of[j]:
            taken.append((i, j))
            tree_of = [tree_of[i] if tree == tree_of[j] else tree for tree in tree_of]
    assert spanning_pairs(matrix) == taken


@pytest.mark.slow
def test_memory_is_that_of_the_pairs_information():
    rng = np.random.default_rng(4)
    states = {f"x{k}": (0, 1, 2) for k in range(701)}
    data = bnlr.Dataset.from_codes(rng.integers(0, 3, (60, 701)), states, "x0")
    tracemalloc.start()
    try:
        bnlr.learn_structure(data, "tan")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    information, batches = 8 * 700**2, 2**26
    assert peak < 2 * information + batches


def test_the_tree_does_not_depend_on_the_root():
    matrix = weights(3, 8, ties=True)
    trees = {
        frozenset(frozenset((i, p)) for i, p in enumerate(spanning_tree(matrix, root)) if p >= 0)
        for root in range(8)
    }
    assert len(trees) == 1


def test_equal_weights_are_taken_in_node_order():
    np.testing.assert_array_equal(spanning_tree(np.zeros((5, 5)), 0), [-1, 0, 0, 0, 0])
    nearly = 0.1 + 1e-15 * np.triu(np.arange(16).reshape(4, 4), 1)
    np.testing.assert_array_equal(spanning_tree(nearly + nearly.T, 2), [2, 0, -1, 0])


@pytest.mark.slow
def test_no_tree_has_a_larger_likelihood():
    """Enumerates the 125 trees on five attributes; frequency estimates without pseudocounts."""
    frame = bnlr.load_dataset(TIC_TAC_TOE)
    attributes = [c for c in frame.columns if c != "class"][2:7]
    data = bnlr.Dataset.from_frame(frame[[*attributes, "class"]], "class")

    def likelihood(structure):
        result = bnlr.fit(structure, data, learner="frequencies", pseudocount=0.0)
        return result.network.log_likelihood(data)

    best = -np.inf
    for code in itertools.product(range(5), repeat=3):
        tree = nx.from_prufer_sequence(list(code))
        arcs = [(attributes[i], attributes[j]) for i, j in nx.bfs_edges(tree, 0)]
        naive = bnlr.Structure.naive_bayes(attributes, "class")
        best = max(best, likelihood(naive.with_arcs(arcs)))
    assert likelihood(bnlr.learn_structure(data)) == pytest.approx(best, rel=1e-12)


def test_agrees_with_pyagrum():
    skbn = pytest.importorskip("pyagrum.skbn")
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor

    frame = frame_with_a_chain().astype(str)
    classifier = skbn.BNClassifier(type_processor=DiscreteTypeProcessor(), learningMethod="TAN")
    net = classifier.fit(frame.drop(columns="class"), frame["class"]).bn_
    arcs = {frozenset(net.variable(node).name() for node in arc) for arc in net.arcs()}
    ours = bnlr.learn_structure(bnlr.Dataset.from_frame(frame, class_name="class"))
    assert {frozenset(arc) for arc in ours.edges} == arcs


def test_arcs_point_away_from_the_root_and_the_class_is_above_all():
    data = bnlr.Dataset.from_frame(frame_with_a_chain(), class_name="class")
    first = bnlr.learn_structure(data)
    assert first.nodes == ("class", "a", "b", "c", "d")
    assert [first.parents(n) for n in "abcd"] == [
        ("class",), ("class", "a"), ("class", "b"), ("class", "c"),
    ]  # fmt: skip
    other = bnlr.learn_structure(data, "tan", root="c")
    assert [other.parents(n)[1:] for n in "abcd"] == [("b",), ("c",), (), ("c",)]
    assert bnlr.analyze(other).is_perfect


@pytest.mark.parametrize("attributes", [[], ["a"], ["a", "b"]])
def test_few_attributes(attributes):
    data = bnlr.Dataset.from_frame(frame_with_a_chain()[[*attributes, "class"]], "class")
    learnt = bnlr.learn_structure(data)
    assert learnt.attributes == tuple(attributes)
    assert len(learnt.edges) == len(attributes) + max(len(attributes) - 1, 0)


def test_constant_attributes_are_in_the_tree():
    frame = frame_with_a_chain().assign(b="same", d=7)
    learnt = bnlr.learn_structure(bnlr.Dataset.from_frame(frame, "class"))
    assert nx.is_arborescence(learnt.to_networkx().subgraph("abcd"))


def test_naive_bayes_looks_at_no_row():
    frame = frame_with_a_chain(4)
    frame["b"] = [None, "x", None, "y"]
    data = bnlr.Dataset.from_frame(frame, "class")
    assert bnlr.learn_structure(data, "naive-bayes") == bnlr.Structure.naive_bayes(
        list("abcd"), "class"
    )


@pytest.mark.parametrize("seed", range(4))
def test_with_holes_no_tree_weighs_more_by_the_rows_that_show_each_pair(seed):
    """The information of every pair by scikit-learn on the rows with both; all 16 trees on four."""
    frame = frame_with_a_chain(200, seed)
    rng = np.random.default_rng(seed)
    holed = frame.mask(rng.random(frame.shape) < [0.0, 0.4, 0.1, 0.6, 0.2])

    def information(one, other):
        seen = holed.dropna(subset=[one, other])
        parts = [(len(g), mutual_info_score(g[one], g[other])) for _, g in seen.groupby("class")]
        return sum(n * value for n, value in parts) / len(seen)

    weight = {frozenset(p): information(*p) for p in itertools.combinations("abcd", 2)}
    trees = [nx.from_prufer_sequence(list(c)) for c in itertools.product(range(4), repeat=2)]
    best = max(sum(weight[frozenset("abcd"[k] for k in e)] for e in t.edges) for t in trees)
    learnt = bnlr.learn_structure(bnlr.Dataset.from_frame(holed, "class"), "tan")
    arcs = [frozenset(arc) for arc in learnt.edges if "class" not in arc]
    assert sum(weight[arc] for arc in arcs) == pytest.approx(best, rel=1e-12)


def test_errors_name_what_is_known():
    data = bnlr.Dataset.from_frame(frame_with_a_chain(20), "class")
    cases = [
        (
            {"method": "tna"},
            "method is 'tna'; choose one of naive-bayes, tan, .*; did you mean 'tan'",
        ),
        ({"method": ["tan"]}, "choose one of naive-bayes, tan"),
        ({"method": "naive-bayes", "root": "a"}, "no option 'root'; it has none"),
        ({"rot": "a"}, "no option 'rot'; it has root"),
        ({"root": "z"}, r"root 'z' is no attribute; choose one of 'a', 'b', 'c', 'd'"),
        ({"root": "class"}, "root 'class' is no attribute"),
    ]
    for options, message in cases:
        with pytest.raises(bnlr.ParameterError, match=message):
            bnlr.learn_structure(data, **options)
    with pytest.raises(bnlr.ParameterError, match=r"DataFrame; .*Dataset\.from_frame"):
        bnlr.learn_structure(frame_with_a_chain())
