"""k-dependence structures by gains: the families that hold what tells the class."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.score_arcs.gains import least_gain, pair_gains
from bnlr.search.score_arcs.residuals import Rows
from tests.search.test_fan import undirected
from tests.strategies import problems


def switched(seed, n_rows=1500, n_noise=3):
    """The class is a ≠ (b and d) but for noise: no pair tells all of it."""
    rng = np.random.default_rng(seed)
    a, b, d = rng.integers(0, 2, (3, n_rows))
    y = np.where(rng.random(n_rows) < 0.1, rng.integers(0, 2, n_rows), a != (b & d))
    noise = rng.integers(0, 2, (n_rows, n_noise))
    states = dict.fromkeys(["c", "a", "b", "d", *(f"n{k}" for k in range(n_noise))], (0, 1))
    return bnlr.Dataset.from_codes(np.column_stack([y, a, b, d, noise]), states, "c")


def families(structure):
    own = structure.class_name
    return {frozenset({node, *structure.parents(node)} - {own}) for node in structure.attributes}


@pytest.mark.parametrize("seed", range(4))
def test_three_attributes_that_tell_the_class_together_are_one_family(seed):
    data = switched(seed)
    two = bnlr.learn_structure(data, "score-kdb", k=2)
    assert any(frozenset("abd") <= family for family in families(two))
    assert bnlr.analyze(two).is_perfect
    assert any(len(two.parents(node)) == 3 for node in two.attributes)
    assert two == bnlr.learn_structure(data, "score-kdb")
    one = bnlr.learn_structure(data, "score-kdb", k=1)
    assert {frozenset("ab"), frozenset("ad")} <= undirected(one)
    assert all(len(one.parents(node)) <= 2 for node in one.attributes)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_no_attribute_has_more_than_k_attributes_above_it(missing, k):
    @given(problems(n_rows=(2, 60), missing=missing))
    def check(problem):
        _, data = problem
        learnt = bnlr.learn_structure(data, "score-kdb", k=k)
        assert all(len(learnt.parents(node)) <= k + 1 for node in learnt.attributes)
        assert all(learnt.parents(node)[0] == data.class_name for node in learnt.attributes)
        assert nx.is_directed_acyclic_graph(learnt.to_networkx())
        assert bnlr.analyze(learnt).is_perfect

    check()


@given(st.integers(0, 2**32))
def test_the_first_parent_is_the_best_of_those_placed_before(seed):
    """Before an attribute stand those whose pairs gain more together."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (150, 6))
    codes[:, 0] = (codes[:, 1:4].sum(axis=1) == 2) ^ (rng.random(150) < 0.1)
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys("cabdef", (0, 1)), "c")
    rows = Rows.of(data)
    names, gains = rows.names, pair_gains(rows.residuals())
    least = least_gain(len(names) * (len(names) - 1) // 2)
    worth = {
        (one, other): max(gains[names.index(one), names.index(other)] - least, 0.0)
        for one, other in itertools.permutations(names, 2)
    }
    together = {x: round(sum(w for pair, w in worth.items() if pair[0] == x), 6) for x in names}
    order = sorted(names, key=lambda x: (-together[x], x))
    arcs = set()
    for rank, node in enumerate(order):
        best = min(order[:rank], key=lambda x: (-worth[node, x], x), default=None)
        if best is not None and worth[node, best] > 0:
            arcs.add((best, node))
    learnt = bnlr.learn_structure(data, "score-kdb", k=1)
    assert {arc for arc in learnt.edges if "c" not in arc} == arcs


def test_a_family_does_not_outgrow_the_rows():
    """All of twelve attributes together tell the class of 100 rows."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (100, 13))
    codes[:, 0] = codes[:, 1:].sum(axis=1) % 2
    states = {f"x{k}": (0, 1) for k in range(13)}
    learnt = bnlr.learn_structure(bnlr.Dataset.from_codes(codes, states, "x0"), "score-kdb", k=12)
    assert max(len(learnt.parents(node)) for node in learnt.attributes) <= 6


def test_errors():
    with pytest.raises(bnlr.ParameterError, match="k is -1"):
        bnlr.learn_structure(switched(0), "score-kdb", k=-1)
    with pytest.raises(bnlr.ParameterError, match="no option 'root'; it has k"):
        bnlr.learn_structure(switched(0), "score-kdb", root="a")
