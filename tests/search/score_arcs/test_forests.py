"""Forests and trees by gains: what they join, against a literal forest, in any order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.score_arcs.gains import least_gain, pair_gains
from bnlr.search.score_arcs.residuals import Rows
from tests.search.test_fan import undirected
from tests.strategies import problems
from tests.width import examples

METHODS = ("score-fan", "score-tan", "score-kdb")


def exclusive_or(seed, n_rows=800, n_noise=2, n_states=2, share_missing=0.0):
    """The class is a ≠ b but for noise; r and s are near-copies; n0, n1, … tell nothing."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, n_states, (2, n_rows))
    r = rng.integers(0, 4, n_rows)
    s = np.where(rng.random(n_rows) < 0.9, r, rng.integers(0, 4, n_rows))
    odds = (a != b).astype(float) + 0.3 * (r > 1)
    columns = {"a": a, "b": b, "r": r, "s": s}
    columns |= {f"n{k}": rng.integers(0, 3, n_rows) for k in range(n_noise)}
    frame = pd.DataFrame(columns).astype(object)
    frame = frame.mask(rng.random(frame.shape) < share_missing)
    return bnlr.Dataset.from_frame(frame.assign(c=(rng.random(n_rows) < odds / 1.5) * 1), "c")


def literal_forest(names, weights):
    """The heaviest pair that joins two trees, again and again."""
    tree = {name: name for name in names}
    pairs = [
        (-weights[i, j], i, j) for i in range(len(names)) for j in range(i) if weights[i, j] > 0
    ]
    found = set()
    for _, i, j in sorted(pairs):
        one, other = tree[names[i]], tree[names[j]]
        if one != other:
            found.add(frozenset((names[i], names[j])))
            tree = {name: one if own == other else own for name, own in tree.items()}
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share_missing", [0.0, 0.2])
def test_the_pair_that_tells_the_class_is_joined_not_the_redundant_one(seed, share_missing):
    data = exclusive_or(seed, share_missing=share_missing)
    by_information = undirected(bnlr.learn_structure(data, "fan"))
    assert frozenset("rs") in by_information
    for method in ("score-fan", "score-kdb"):
        found = undirected(bnlr.learn_structure(data, method))
        assert frozenset("ab") in found
        assert frozenset("rs") not in found
    assert frozenset("ab") in undirected(bnlr.learn_structure(data, "score-tan"))


def test_the_true_pair_is_found_where_information_misses_it():
    """Each of a and b tells more of m, which is "a or b", than of the other."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 1000))
    y = (a != b) ^ (rng.random(1000) < 0.3)
    data = bnlr.Dataset.from_frame(pd.DataFrame({"a": a, "b": b, "m": a | b, "c": y * 1}), "c")
    assert frozenset("ab") not in undirected(bnlr.learn_structure(data, "fan"))
    assert frozenset("ab") in undirected(bnlr.learn_structure(data, "score-fan"))


@pytest.mark.parametrize("missing", [False, True])
def test_the_forest_is_the_heaviest_and_the_tree_completes_it(missing):
    @given(problems(n_rows=(2, 60), missing=missing))
    def check(problem):
        _, data = problem
        rows = Rows.of(data)
        names, gains = rows.names, pair_gains(rows.residuals())
        least = least_gain(len(names) * (len(names) - 1) // 2)
        forest = bnlr.learn_structure(data, "score-fan")
        assert undirected(forest) == literal_forest(names, gains - least)
        tree = bnlr.learn_structure(data, "score-tan")
        assert undirected(forest) <= undirected(tree)
        assert len(undirected(tree)) == max(len(names) - 1, 0)
        for learnt in (forest, tree):
            assert all(learnt.parents(node)[0] == data.class_name for node in learnt.attributes)
            assert bnlr.analyze(learnt).is_perfect

    check()


def test_without_a_pair_that_gains_the_tree_is_tan_s():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (200, 6))
    codes[:, 5] = codes[:, 4] ^ (rng.random(200) < 0.1)
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys("cabdef", (0, 1)), "c")
    assert not undirected(bnlr.learn_structure(data, "score-fan"))
    tan = bnlr.learn_structure(data, "tan")
    assert undirected(bnlr.learn_structure(data, "score-tan")) == undirected(tan)


@pytest.mark.parametrize("method", METHODS)
@examples(15)
@given(st.integers(0, 2**32), st.booleans())
def test_neither_order_nor_repetition_of_rows_nor_order_of_columns_matters(method, seed, is_holed):
    data = exclusive_or(seed % 1000, n_rows=120, share_missing=0.1 * is_holed)
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, data.n_rows)
    weighted = bnlr.Dataset(data.codes, data.states, "c", counts.astype(float))
    rows = rng.permutation(np.repeat(np.arange(data.n_rows), counts))
    places = rng.permutation(len(data.nodes))
    nodes = [data.nodes[place] for place in places]
    states = {node: data.states[node] for node in nodes}
    codes = np.asfortranarray(data.codes[rows][:, places])
    turned = bnlr.learn_structure(bnlr.Dataset(codes, states, "c", None), method)
    learnt = bnlr.learn_structure(weighted, method)
    assert set(turned.edges) == set(learnt.edges)
    assert turned.attributes == tuple(node for node in nodes if node != "c")


def test_arcs_point_away_from_the_root():
    data = exclusive_or(1)
    assert ("a", "b") in bnlr.learn_structure(data, "score-fan").edges
    assert ("b", "a") in bnlr.learn_structure(data, "score-fan", root="b").edges
    assert not bnlr.learn_structure(data, "score-tan", root="n0").parents("n0")[1:]


def test_noise_is_not_joined():
    """4,950 pairs, of which the best gain something by chance."""
    rng = np.random.default_rng(0)
    columns = {f"n{k}": rng.integers(0, 3, 500) for k in range(100)}
    codes = np.column_stack([*columns.values(), rng.integers(0, 2, 500)])
    states = dict.fromkeys(columns, (0, 1, 2)) | {"c": (0, 1)}
    data = bnlr.Dataset.from_codes(codes, states, "c")
    assert len(undirected(bnlr.learn_structure(data, "score-fan"))) <= 5


def test_errors():
    data = exclusive_or(1)
    for method in ("score-fan", "score-tan"):
        with pytest.raises(bnlr.ParameterError, match="root 'z' is no attribute"):
            bnlr.learn_structure(data, method, root="z")
        with pytest.raises(bnlr.ParameterError, match="no option 'k'; it has root"):
            bnlr.learn_structure(data, method, k=1)
    one_class = bnlr.Dataset.from_codes([[0, 0], [0, 1]], {"c": (0, 1), "a": (0, 1)}, "c")
    for method in METHODS:
        with pytest.raises(bnlr.DataError, match="class"):
            bnlr.learn_structure(one_class, method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("nodes", [("c",), ("a", "c"), ("a", "b", "c")])
def test_few_attributes(method, nodes):
    data = bnlr.Dataset.from_frame(exclusive_or(2).to_frame()[list(nodes)], "c")
    learnt = bnlr.learn_structure(data, method)
    assert set(learnt.nodes) == set(nodes)
    assert len(learnt.edges) == {1: 0, 2: 1, 3: 3}[len(nodes)]
