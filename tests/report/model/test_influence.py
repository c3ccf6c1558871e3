"""How much attributes matter: against sums over the whole joint, and scikit-learn."""

import math

import numpy as np
import pytest

import bnlr
from bnlr.network.opinion_pool import Opinion
from bnlr.report.model.importance import losses_permuted, losses_without
from tests.oracles.enumeration import Joint
from tests.width import in_full


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
    assert set(losses_permuted([Opinion(net, data)])) == {"a", "b"}


@pytest.mark.parametrize("seed", [0, *in_full(1)])
def test_permuted_rises_are_means_over_all_cells(seed):
    """Every cell of the column in every row, one at a time, by enumeration."""
    net, data = example(seed)
    before = literal_loss(net, data, None)
    for node, rise in losses_permuted([Opinion(net, data)]).items():
        losses = []
        for cell in data.codes[:, net.structure.index(node)]:
            codes = np.array(data.codes)
            codes[:, net.structure.index(node)] = cell
            states = {n: net.states[n] for n in net.structure.nodes}
            losses.append(literal_loss(net, bnlr.Dataset.from_codes(codes, states, "c"), None))
        assert rise == pytest.approx(math.fsum(losses) / len(losses) - before, abs=1e-12)


@pytest.mark.slow
def test_permuted_rises_are_what_scikit_learn_estimates():
    from sklearn.inspection import permutation_importance

    frame = bnlr.load_dataset("monks-3").iloc[::3]
    X, y = frame.drop(columns="class"), frame["class"]
    classifier = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    found = permutation_importance(
        classifier, X, y, scoring="neg_log_loss", n_repeats=25, random_state=0
    )
    data = bnlr.Dataset.from_frame(frame, "class", classifier.network_.states)
    exact = losses_permuted([Opinion(classifier.network_, data)])
    errors = found.importances_std / 25**0.5
    for name, mean, error in zip(X.columns, found.importances_mean, errors, strict=True):
        assert abs(exact[name] - mean) <= 4 * error + 1e-12
