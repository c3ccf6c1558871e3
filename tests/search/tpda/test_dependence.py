"""Tests given sets of nodes against literal loops, pyAgrum, and themselves rearranged."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design import counting
from bnlr.search.tpda import dependence
from bnlr.search.tpda.dependence import Dependence
from bnlr.structure.bits import mask_of
from tests.oracles.dependence import conditional_information
from tests.width import in_full

NAMES = ("d", "b", "class", "a", "e")
CARDS = (3, 2, 3, 4, 2)


def dataset(seed, n_rows=80, *, weighted=False, missing=False, cards=CARDS):
    rng = np.random.default_rng(seed)
    codes = np.empty((n_rows, len(cards)), dtype=np.int64)
    for k, card in enumerate(cards):
        codes[:, k] = rng.integers(0, card, n_rows)
        if k:
            leans = rng.random(n_rows) < 0.5
            codes[leans, k] = codes[leans, k - 1] % card
    if missing:
        codes[rng.random(codes.shape) < 0.2] = -1
    weights = rng.choice([0.0, 0.5, 1.7, 3.0], n_rows) if weighted else None
    states = {name: tuple(range(card)) for name, card in zip(NAMES, cards, strict=True)}
    return bnlr.Dataset.from_codes(codes, states, "class", weights)


def all_tests():
    nodes = range(len(NAMES))
    for x, y in itertools.combinations(nodes, 2):
        others = [node for node in nodes if node not in {x, y}]
        for size in range(len(others) + 1):
            for given_nodes in itertools.combinations(others, size):
                yield x, y, mask_of(given_nodes)


def expected(data, tests, x, y, given_nodes):
    places = [data.nodes.index(node) for node in tests.nodes]
    inside = [places[k] for k in range(len(places)) if given_nodes >> k & 1]
    rows = data.codes.tolist()
    return conditional_information(rows, places[x], places[y], inside, data.weights.tolist())


SPARSE = {"_SMALL_TABLE": 0, "_CELLS_PER_ROW": 0}


@pytest.mark.parametrize(
    "limits", [{}, *in_full(SPARSE, {"_BATCH": 3, "_SMALL_TABLE": 20, "_CELLS_PER_ROW": 0})]
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_equals_literal_loops(monkeypatch, limits, weighted, missing):
    for name, value in limits.items():
        monkeypatch.setattr(dependence, name, value)
    data = dataset(1, weighted=weighted, missing=missing)
    tests = Dependence(data, threshold=0.02)
    asked = list(all_tests())
    literal = np.array([expected(data, tests, *test) for test in asked])
    np.testing.assert_allclose(tests.information(asked).T, literal, rtol=1e-12, atol=1e-13)
    information, df, n = literal.T
    excess = information - df * np.log(n) / (2 * n) - 0.02
    np.testing.assert_allclose(tests.excesses(asked), excess, atol=2e-12)


@pytest.mark.slow
def test_equals_pyagrum():
    gum = pytest.importorskip("pyagrum")
    data = dataset(2, 300)
    learner = gum.BNLearner(data.to_frame().astype(str))
    learner.useNoCorrection()
    tests = Dependence(data)
    for x, y, inside in all_tests():
        nodes = [node for k, node in enumerate(tests.nodes) if inside >> k & 1]
        bits = learner.mutualInformation(tests.nodes[x], tests.nodes[y], nodes)
        found = tests.information([(x, y, inside)])[0, 0]
        assert found == pytest.approx(bits * math.log(2), abs=1e-12)


def test_the_order_of_the_ends_of_the_columns_and_of_the_rows_changes_no_bit():
    data = dataset(3, 200, missing=True)
    asked = list(all_tests())
    found = Dependence(data).excesses(asked)
    assert Dependence(data).excesses([(y, x, inside) for x, y, inside in asked]) == found
    order = [3, 0, 4, 2, 1]
    turned = bnlr.Dataset.from_codes(
        data.codes[::-1, order], {NAMES[k]: data.states[NAMES[k]] for k in order}, "class"
    )
    assert Dependence(turned).excesses(asked) == found


@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits(monkeypatch, weighted):
    monkeypatch.setattr(counting, "_WORTH_THREADS_NS", 0)
    data = dataset(4, 40_000, weighted=weighted)
    found = {tuple(Dependence(data, n_threads=n).excesses(all_tests())) for n in (1, 2, 3)}
    assert len(found) == 1


def test_each_test_is_made_once(monkeypatch):
    tests = Dependence(dataset(5))
    asked = [(0, 1, 0), (1, 0, 0), (0, 1, 4), (0, 1, 0)]
    made = []
    original = Dependence.information
    monkeypatch.setattr(
        Dependence, "information", lambda self, batch: made.extend(batch) or original(self, batch)
    )
    first = tests.excesses(asked)
    assert first[0] == first[1] == first[3] != first[2]
    assert tests.excess(1, 0, 4) == first[2]
    assert made == [(0, 1, 0), (0, 1, 4)]


def test_more_joint_states_than_an_integer_can_number():
    """Thirty conditioning columns of 8 states are copies of one: the same as that one alone."""
    rng = np.random.default_rng(6)
    x, y, z = rng.integers(0, 8, (3, 200))
    codes = np.column_stack([x, np.where(z < 4, x, y), *[z] * 30])
    names = ["a", "b", *(f"z{k:02}" for k in range(30))]
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys(names, tuple(range(8))), "a")
    tests = Dependence(data)
    every, one = tests.information([(0, 1, mask_of(range(2, 32))), (0, 1, 4)]).T
    np.testing.assert_allclose(every, one, rtol=1e-12)
    assert not tests.is_supported(0, 1, mask_of(range(2, 32)))


def test_rows_enough_for_a_test_are_five_for_each_degree_of_freedom():
    # States seen: a 3 of 4, b 2, class 3, d 3; no row has state 3 of a.
    codes = np.array(list(itertools.product(range(3), range(2), range(3), range(3))))
    codes = np.column_stack([codes, np.zeros(len(codes), dtype=int)])
    states = {name: tuple(range(card)) for name, card in zip(NAMES, CARDS, strict=True)}
    tests = Dependence(bnlr.Dataset.from_codes(codes, states, "class"))
    a, b, own, d, e = range(5)
    assert tests.nodes == ("a", "b", "class", "d", "e")
    assert len(codes) == 54
    assert tests.is_supported(a, own, mask_of([b]))  # 2 · 2 · 2 = 8
    assert not tests.is_supported(a, own, mask_of([d]))  # 2 · 2 · 3 = 12
    assert tests.is_supported(a, b, mask_of([d]))  # 2 · 1 · 3 = 6
    assert tests.is_supported(a, e, mask_of([b, own, d]))  # e is constant


@given(st.integers(0, 10_000))
def test_whole_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    data = dataset(seed, 40, missing=True)
    repeats = rng.integers(0, 3, 40)
    weighted = bnlr.Dataset.from_codes(data.codes, data.states, "class", weights=repeats)
    repeated = data.take(np.repeat(np.arange(40), repeats))
    asked = list(all_tests())
    if repeats.any():
        np.testing.assert_allclose(
            Dependence(weighted).excesses(asked), Dependence(repeated).excesses(asked), atol=2e-12
        )


@pytest.mark.parametrize("limits", [{}, SPARSE])
def test_no_row_that_shows_all_nodes(monkeypatch, limits):
    for name, value in limits.items():
        monkeypatch.setattr(dependence, name, value)
    codes = [[0, -1, 0], [-1, 1, 1], [1, -1, 1]]
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys(["a", "b", "class"], (0, 1)), "class")
    tests = Dependence(data, threshold=0.1)
    np.testing.assert_array_equal(tests.information([(0, 1, 0), (0, 1, 4)]), np.zeros((3, 2)))
    assert tests.excess(0, 1) == -0.1
