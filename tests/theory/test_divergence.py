"""KL between networks against the sum over all joint states."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.theory import kl_divergence
from tests.oracles.joint import log_joint
from tests.oracles.model import Model
from tests.strategies import cpts_of, states_of, structures
from tests.width import examples


@st.composite
def pairs(draw):
    """Two networks over the same states with graphs of their own."""
    first = draw(structures(max_nodes=5))
    own = first.class_name
    order = draw(st.permutations(first.nodes))
    arcs = [(a, b) for k, b in enumerate(order) for a in order[:k] if draw(st.booleans())]
    second = bnlr.Structure(arcs, class_name=own, nodes=first.nodes)
    states = draw(states_of(first, strings_only=True))
    return [
        bnlr.BayesianNetwork(graph, states, draw(cpts_of(graph, states)))
        for graph in (first, second)
    ]


def literal(p, q):
    models = [Model.of(net.structure, net.states) for net in (p, q)]
    total = 0.0
    for values in models[0].completions([None] * len(models[0].nodes)):
        one, other = (log_joint(m, net.cpts, values) for m, net in zip(models, (p, q), strict=True))
        total += math.exp(one) * (one - other)
    return total


@given(pairs())
@examples(60)
def test_equals_the_sum_over_joint_states(pair):
    p, q = pair
    assert kl_divergence(p, q) == pytest.approx(literal(p, q), abs=1e-10)
    assert kl_divergence(p, p) == 0.0


def chain(a, class_name="c"):
    structure = bnlr.Structure([("c", "a")], class_name=class_name)
    states = {"c": ("no", "yes"), "a": (0, 1)}
    return bnlr.BayesianNetwork(structure, states, {"c": [0.25, 0.75], "a": a})


def test_what_the_other_excludes_is_infinitely_far():
    open_, closed = chain([[0.5, 0.5], [0.5, 0.5]]), chain([[1.0, 0.0], [0.5, 0.5]])
    assert kl_divergence(open_, closed) == math.inf
    assert kl_divergence(closed, open_) == pytest.approx(0.25 * math.log(2))


def test_other_graph_excludes():
    turned = bnlr.BayesianNetwork(
        bnlr.Structure([("a", "c")], class_name="c"),
        {"c": ("no", "yes"), "a": (0, 1)},
        {"a": [0.5, 0.5], "c": [[0.0, 1.0], [0.5, 0.5]]},
    )
    assert kl_divergence(chain([[0.5, 0.5], [0.5, 0.5]]), turned) == math.inf


def test_networks_that_cannot_be_compared():
    p = chain([[0.5, 0.5], [0.5, 0.5]])
    alone = bnlr.BayesianNetwork(
        bnlr.Structure([], class_name="c", nodes=["c"]), {"c": ("no", "yes")}, {"c": [0.5, 0.5]}
    )
    with pytest.raises(bnlr.ParameterError, match="no node 'a'"):
        kl_divergence(p, alone)
    with pytest.raises(bnlr.ParameterError, match="no node 'a'"):
        kl_divergence(alone, p)
    other = bnlr.BayesianNetwork(p.structure, {"c": ("yes", "no"), "a": (0, 1)}, dict(p.cpts))
    with pytest.raises(bnlr.StateError, match="'c'"):
        kl_divergence(p, other)


def test_no_networks():
    with pytest.raises(bnlr.ParameterError, match=r"^q is 2, not a bnlr\.BayesianNetwork"):
        kl_divergence(chain([[0.5, 0.5], [0.5, 0.5]]), 2)


def test_nodes_in_another_order():
    p = chain(np.array([[0.9, 0.1], [0.2, 0.8]]))
    q = bnlr.BayesianNetwork(
        bnlr.Structure([("c", "a")], class_name="a", nodes=["a", "c"]), p.states, dict(p.cpts)
    )
    assert kl_divergence(p, q) == 0.0
