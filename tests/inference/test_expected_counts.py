"""Rows taken apart into fragments: the counts of enumeration, whatever is missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.inference import expected_counts as module
from bnlr.inference.engine import Engine
from bnlr.inference.expected_counts import fragments
from bnlr.inference.trees import tree_plan
from tests.inference.networks import flat_of, random_codes, random_network, random_theta
from tests.inference.test_trees import random_forest
from tests.kernels import EVERY, all_kernels
from tests.oracles.enumeration import Joint
from tests.strategies import seeds, sizes

CODE = all_kernels("fragments")
compiled = pytest.mark.skipif(module._kernels() is None, reason="only the compiled way has them")


@pytest.fixture(params=EVERY[:-1])
def code(request, monkeypatch):
    if request.param not in CODE:
        pytest.skip("not for this CPU")
    monkeypatch.setattr(module, "_kernels", lambda: CODE[request.param])


def literal(flat, theta, codes, weights):
    """Expected counts and log-likelihood by enumeration."""
    joint = Joint(flat.cards.tolist(), flat.parents, list(flat.unflatten(theta).values()))
    counts = sum(weight * joint.families(row) for row, weight in zip(codes, weights, strict=True))
    logs = np.array([joint.log_evidence(row) for row in codes])
    return counts, float(weights @ logs)


def check(flat, target, theta, codes, weights, n_threads=1):
    counts, ll = Engine(flat, target, n_threads).counter(codes, weights)(theta)
    expected, literal_ll = literal(flat, theta, codes, weights)
    np.testing.assert_allclose(counts, expected, atol=1e-10 * max(1.0, weights.sum()))
    assert ll == pytest.approx(literal_ll, rel=1e-10, abs=1e-10)


@given(seeds, sizes(1, 6), sizes(1, 40), st.sampled_from([0.0, 0.3, 0.7]), st.booleans())
def test_counter_is_enumeration_in_forests(seed, n_nodes, n_rows, missing, labelled):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, n_nodes, max_card=3)
    codes = random_codes(rng, flat, n_rows, missing)
    if labelled:
        codes[:, target] = rng.integers(0, flat.cards[target], n_rows)
    check(flat, target, random_theta(rng, flat), codes, rng.random(n_rows) + 0.1)


@given(seeds, sizes(2, 5), sizes(1, 10))
def test_counter_is_enumeration_in_any_graph(seed, n_nodes, n_rows):
    rng = np.random.default_rng(seed)
    flat = random_network(rng, n_nodes, 3, [1, 2, 3])
    codes = random_codes(rng, flat, n_rows, 0.4)
    check(flat, 0, random_theta(rng, flat), codes, rng.random(n_rows))


@given(seeds, st.sampled_from([0.2, 0.5]))
def test_zeros_count_as_in_rows_gone_through_one_by_one(seed, zeros):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, 6, max_card=3)
    codes, weights = random_codes(rng, flat, 30, 0.4), rng.random(30)
    theta = random_theta(rng, flat, zeros)
    engine = Engine(flat, target, 1)
    possible = engine.log_evidence(theta, codes) > -np.inf
    codes, weights = codes[possible], weights[possible]
    counts, ll = engine.counter(codes, weights)(theta)
    expected, logs = engine.expected_counts(theta, codes, weights)
    np.testing.assert_allclose(counts, expected, atol=1e-10)
    assert ll == pytest.approx(float(weights @ logs), rel=1e-10, abs=1e-10)


def test_an_impossible_row_has_a_likelihood_of_0():
    flat = flat_of([(), (0,), (1, 0)], [2, 2, 2])
    theta = np.array([0.5, 0.5, 1.0, 0.0, 0.5, 0.5, *[0.5] * 8])
    for row in ([0, 1, 0], [0, 1, -1]):
        assert Engine(flat, 0, 1).counter(np.array([row]))(theta)[1] == -np.inf
    counter = Engine(flat, 0, 1).counter(np.array([[0, -1, 1], [0, -1, -1]]))
    assert counter(theta)[1] == pytest.approx(2 * np.log(0.5) + np.log(0.5))


def chain(n_nodes):
    """A class of two states and a chain of nodes of four below it."""
    parents = [(), *((0, v - 1) if v > 1 else (0,) for v in range(1, n_nodes))]
    return flat_of(parents, [2, *[4] * (n_nodes - 1)])


@pytest.mark.usefixtures("code")
def test_the_same_fragments_of_many_rows_are_kept_once():
    rng, flat = np.random.default_rng(0), chain(20)
    codes = random_codes(rng, flat, 20_000, 0.25)
    codes[:, 0] = rng.integers(0, 2, len(codes))
    parts = fragments(tree_plan(flat, 0, 1), codes, np.ones(len(codes)))
    ends, outers, weights, starts, nodes, owns = parts.found
    keys = {
        (
            int(np.searchsorted(ends, i, side="right")),
            outers[i],
            *nodes[starts[i] : starts[i + 1]],
            *owns[starts[i] : starts[i + 1]],
        )
        for i in range(len(outers))
    }
    assert len(keys) == len(outers) == ends[-1]
    assert 1000 < len(keys) < len(codes)  # more than the first table holds
    assert len(nodes) == len(owns) == starts[-1]
    assert weights.sum() == weights.round().sum() > len(codes)
    theta = random_theta(rng, flat)
    expected, logs = tree_plan(flat, 0, 1).expected_counts(theta, codes, np.ones(len(codes)))
    counts, ll = parts.expected_counts(theta)
    np.testing.assert_allclose(counts, expected, rtol=1e-9, atol=1e-9)
    assert ll == pytest.approx(logs.sum(), rel=1e-12)


@compiled
def test_instruction_sets_give_the_same_bits(monkeypatch):
    rng, flat = np.random.default_rng(4), chain(12)
    codes = random_codes(rng, flat, 500, 0.3)
    theta, weights, found = random_theta(rng, flat), rng.random(500), []
    for one in CODE.values():
        monkeypatch.setattr(module, "_kernels", lambda one=one: one)
        parts = fragments(tree_plan(flat, 0, 1), codes, weights)
        counts, ll = parts.expected_counts(theta)
        found.append([*(array.tobytes() for array in (*parts.found, counts)), ll])
    assert all(other == found[0] for other in found)


@compiled
def test_rows_that_share_nothing_are_left_whole():
    rng = np.random.default_rng(1)
    flat = chain(40)
    codes = random_codes(rng, flat, 50, 0.9)
    codes[:, 0] = 0
    assert fragments(tree_plan(flat, 0, 1), codes, np.ones(50)) is None


@compiled
def test_numbers_that_might_underflow_are_left_to_logarithms():
    flat = flat_of([(), (0,), (1, 0)], [2, 2, 2])
    theta = np.array([0.5, 0.5, 1e-150, 1.0, 0.5, 0.5, *[1e-200, 1.0] * 4])
    codes = np.array([[0, -1, 0], [0, -1, 0], [1, -1, 1]])
    assert fragments(tree_plan(flat, 0, 1), codes, np.ones(3)).expected_counts(theta) is None
    check(flat, 0, theta, codes, np.ones(3))


def test_threads_change_no_byte():
    rng = np.random.default_rng(2)
    flat, target = random_forest(rng, 25, class_first=True)
    codes = random_codes(rng, flat, 5000, 0.3)
    theta = random_theta(rng, flat)
    one, *others = (Engine(flat, target, n).counter(codes)(theta) for n in (1, 2, 3))
    for counts, ll in others:
        assert counts.tobytes() == one[0].tobytes()
        assert ll == one[1]
