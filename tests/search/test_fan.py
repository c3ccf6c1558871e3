"""FAN against its definition by a literal loop over TAN's arcs."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import bnlr
from tests.search.test_kdb import chained, information
from tests.strategies import problems
from tests.width import in_full


def is_kept(data, one, other):
    """2N·I(one; other | class) > d_0 (d_1 − 1)(d_2 − 1) ln N, by the rows that show all three."""
    seen = data.take((data.class_codes >= 0) & (data.column(one) >= 0) & (data.column(other) >= 0))
    n = float(seen.weights.sum())
    cards = data.cards
    price = cards[data.class_name] * (cards[one] - 1) * (cards[other] - 1) * math.log(max(n, 1))
    # An attribute of one state has no information and no price; a loop finds 1e-17.
    return 2 * n * round(information(data, one, other, data.class_name), 10) > price


def undirected(structure):
    own = structure.class_name
    return {frozenset(arc) for arc in structure.edges if own not in arc}


@pytest.mark.parametrize("missing", [False, True])
def test_is_the_tan_tree_less_the_arcs_that_do_not_pay(missing):
    @given(problems(n_rows=(2, 60), missing=missing))
    def check(problem):
        _, data = problem
        learnt = bnlr.learn_structure(data, "fan")
        tree = undirected(bnlr.learn_structure(data, "tan"))
        assert undirected(learnt) == {pair for pair in tree if is_kept(data, *sorted(pair))}
        assert all(learnt.parents(node)[0] == data.class_name for node in learnt.attributes)
        assert all(len(learnt.parents(node)) <= 2 for node in learnt.attributes)
        assert bnlr.analyze(learnt).is_perfect

    check()


@pytest.mark.parametrize("seed", range(4))
def test_some_arcs_stay_and_some_go(seed):
    """A chain of four attributes and three of pure noise: the tree spans all, the forest four."""
    data = chained(seed, n_noise=3)
    learnt = bnlr.learn_structure(data, "fan")
    assert undirected(learnt) == {frozenset(pair) for pair in ("ab", "bd", "de")}
    assert len(undirected(bnlr.learn_structure(data, "tan"))) == 6


@pytest.mark.slow
def test_the_smallest_paying_information():
    """Two binary attributes: from 2N·I just below the price to just above it, by more rows."""
    kept = []
    for n in range(1, 40):
        rows = [[c, a, b] for c in (0, 1) for a in (0, 1) for b in [a] * (n + 4) + [1 - a] * n]
        data = bnlr.Dataset.from_codes(rows, {"c": (0, 1), "a": (0, 1), "b": (0, 1)}, "c")
        assert (("a", "b") in bnlr.learn_structure(data, "fan").edges) == is_kept(data, "a", "b")
        kept.append(is_kept(data, "a", "b"))
    assert len(set(kept)) == 2


def test_arcs_point_away_from_the_root_or_from_each_tree_s_first_attribute():
    data = chained(0, n_noise=1)
    learnt = bnlr.learn_structure(data, "fan")
    assert [learnt.parents(node) for node in "abde"] == [("c",), ("c", "a"), ("c", "b"), ("c", "d")]
    turned = bnlr.learn_structure(data, "fan", root="d")
    assert [turned.parents(node)[1:] for node in "abde"] == [("b",), ("d",), (), ("d",)]
    elsewhere = bnlr.learn_structure(data, "fan", root="n0")
    assert set(elsewhere.edges) == set(learnt.edges)
    assert nx.is_branching(learnt.to_networkx().subgraph(learnt.attributes))


@pytest.mark.parametrize(
    "method", ["tan", "fan", "kdb", *in_full("score-tan", "score-fan", "score-kdb")]
)
def test_the_order_of_the_columns_does_not_matter(method):
    """Twin columns give exact ties, which the names decide."""
    data = chained(3, n_noise=2)
    frame = data.to_frame().assign(f=lambda f: f["b"], aa=lambda f: f["a"])
    rng, found = np.random.default_rng(0), set()
    for _ in range(8):
        turned = bnlr.Dataset.from_frame(frame[rng.permutation(frame.columns)], "c")
        learnt = bnlr.learn_structure(turned, method)
        assert learnt.attributes == tuple(node for node in turned.nodes if node != "c")
        found.add(tuple((node, learnt.parents(node)) for node in sorted(learnt.nodes)))
    assert len(found) == 1


def test_weights_that_sum_to_less_than_one():
    rows = [[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]]
    for b, kept in ((2, True), (1, False)):
        codes = np.array(rows)
        codes[:, 2] = codes[:, b] if kept else [0, 0, 1, 1]
        codes[:, 2] = [0, 1, 1, 0] if kept else [0, 0, 0, 0]
        states = {"c": (0, 1), "a": (0, 1), "b": (0, 1)}
        data = bnlr.Dataset.from_codes(codes, states, "c", weights=[0.1] * 4)
        assert (("a", "b") in bnlr.learn_structure(data, "fan").edges) is kept


def test_errors():
    data = chained(1)
    with pytest.raises(bnlr.ParameterError, match="root 'z' is no attribute"):
        bnlr.learn_structure(data, "fan", root="z")
    with pytest.raises(bnlr.ParameterError, match="no option 'k'; it has root"):
        bnlr.learn_structure(data, "fan", k=1)
    one_class = bnlr.Dataset.from_codes([[0, 0], [0, 1]], {"c": (0, 1), "a": (0, 1)}, "c")
    with pytest.raises(bnlr.DataError, match="class"):
        bnlr.learn_structure(one_class, "fan")


@pytest.mark.parametrize("nodes", [("c",), ("c", "a"), ("c", "a", "b")])
def test_few_attributes(nodes):
    data = bnlr.Dataset.from_frame(chained(2).to_frame()[list(nodes)], "c")
    learnt = bnlr.learn_structure(data, "fan")
    assert learnt.nodes == nodes
    assert len(learnt.edges) == {1: 0, 2: 1, 3: 3}[len(nodes)]
