"""What the log-loss would be without an attribute, against sums over the whole joint."""

import itertools
import math

import numpy as np
import pytest

import bnlr
from bnlr.network.opinion_pool import Opinion
from bnlr.report.model.influence import losses_without, plot_influence
from tests.oracles.enumeration import Joint


def example(seed):
    """A network in which a and d are parents of b, d is a parent of the class, e hangs from b."""
    rng = np.random.default_rng(seed)
    s = bnlr.Structure(
        [("c", "a"), ("c", "b"), ("a", "b"), ("d", "b"), ("d", "c"), ("b", "e")], "c"
    )
    states = {node: tuple(range(3 if node == "c" else 2)) for node in s.nodes}
    shapes = {n: [len(states[p]) for p in s.parents(n)] for n in s.nodes}
    cpts = {n: rng.dirichlet(np.ones(len(states[n])), shapes[n]) for n in s.nodes}
    net = bnlr.BayesianNetwork(s, states, cpts)
    codes = np.column_stack([rng.integers(0, len(states[n]), 40) for n in s.nodes])
    codes[:7, s.index("a")] = -1
    codes[5:15, s.index("b")] = -1
    return net, bnlr.Dataset.from_codes(codes, {n: states[n] for n in s.nodes}, "c")


def literal_loss(net, data, hidden):
    s = net.structure
    joint = Joint(
        [net.cards[n] for n in s.nodes],
        [[s.index(p) for p in s.parents(n)] for n in s.nodes],
        [net.cpts[n] for n in s.nodes],
    )
    own, losses = s.index("c"), []
    for row in data.codes:
        seen = list(row)
        seen[own] = -1
        if hidden is not None:
            seen[s.index(hidden)] = -1
        losses.append(-math.log(joint.posterior([own], seen)[row[own]]))
    return math.fsum(losses) / len(losses)


@pytest.mark.parametrize("seed", [0, 1])
def test_rises_are_those_of_enumeration(seed):
    net, data = example(seed)
    before = literal_loss(net, data, None)
    expected = {n: literal_loss(net, data, n) - before for n in net.structure.attributes}
    found = losses_without([Opinion(net, data)])
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_what_the_blanket_hides_is_left_out():
    net, data = example(2)
    whole = data.take(data.codes.min(axis=1) >= 0)
    assert set(losses_without([Opinion(net, whole)])) == {"a", "b", "d"}
    assert losses_without([Opinion(net, data)])["e"] != 0.0


def test_infinite_rises_are_no_nan():
    s = bnlr.Structure([("c", "a"), ("c", "b")], "c")
    cpts = {
        "c": np.array([0.5, 0.5]),
        "a": np.array([[0.0, 1.0], [0.5, 0.5]]),
        "b": np.array([[0.3, 0.7], [0.6, 0.4]]),
    }
    net = bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1)), cpts)
    rows = {n: [0] for n in s.nodes}  # class 0 has probability 0 where a is 0
    codes = np.column_stack([rows[n] for n in s.nodes])
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys(s.nodes, (0, 1)), "c")
    found = losses_without([Opinion(net, data)])
    assert found == {"a": -math.inf, "b": 0.0}
    assert plot_influence(found).patches[0].get_width() < math.inf


def test_bars_are_the_rises_largest_first():
    rises = {f"a{k}": 0.5 - 0.05 * k for k in range(25)}
    ax = plot_influence(rises)
    widths = [patch.get_width() for patch in ax.patches]
    assert widths == pytest.approx(list(rises.values())[:20])
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == list(itertools.islice(rises, 20))
