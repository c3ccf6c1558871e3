"""A row's staircase: from the prior to the log-odds that the probabilities give."""

import itertools
import math

import numpy as np
import pytest

import bnlr
from bnlr.report.plots.contributions import plot_contributions
from tests.report.plots.texts import overlaps, words
from tests.width import in_full


def network(n=6, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"a{k}" for k in range(n)]
    structure = bnlr.Structure.naive_bayes(names, "c").with_arcs([(names[0], names[1])])
    states = dict.fromkeys(names, ("no", "yes")) | {"c": tuple(range(n_classes))}
    cpts = {
        node: rng.dirichlet(np.ones(len(states[node])), [len(states[p]) for p in parents])
        for node, parents in ((x, structure.parents(x)) for x in structure.nodes)
    }
    return bnlr.BayesianNetwork(structure, states, cpts)


def bars(ax):
    """(start, width) of the bars from top to bottom."""
    return [(patch.get_x(), patch.get_width()) for patch in ax.patches]


@pytest.mark.parametrize("cell", [*in_full("yes"), None])
def test_steps_lead_to_the_log_odds_of_the_probabilities(cell):
    net = network()
    row = {f"a{k}": "no" if k else cell for k in range(6)}
    explanation = net.explain(row)
    ax = plot_contributions(explanation)
    *steps, (start, total) = bars(ax)
    high, low = sorted(explanation.probabilities)[:-3:-1]
    assert start == 0
    assert total == pytest.approx(math.log(high / low))
    assert steps[0][0] == 0
    for (here, width), (after, _) in itertools.pairwise(steps):
        assert after == pytest.approx(here + width)
    assert sum(width for _, width in steps) == pytest.approx(total)
    assert f"{total:+.2f}".replace("-", "−") in words(ax.figure)
    assert overlaps(ax.figure) == []


@pytest.mark.slow
def test_classes_can_be_named():
    explanation = network().explain({f"a{k}": "no" for k in range(6)})
    p = explanation.probabilities
    for label, against in ((0, 1), (2, 0)):
        total = bars(plot_contributions(explanation, label=label, against=against))[-1][1]
        assert total == pytest.approx(math.log(p[label] / p[against]))
    best = int(p.argmax())
    total = bars(plot_contributions(explanation, against=best))[-1][1]
    assert total == pytest.approx(math.log(np.sort(p)[-2] / p[best]))
    with pytest.raises(bnlr.ParameterError, match="'x' is no class"):
        plot_contributions(explanation, label="x")


@pytest.mark.slow
def test_what_does_not_fit_is_one_bar():
    explanation = network(n=30).explain({f"a{k}": "no" for k in range(30)})
    few = plot_contributions(explanation, n_terms=3)
    labels = [text.get_text() for text in few.get_yticklabels()]
    assert labels[0] == "prior"
    assert labels[-2:] == ["27 more", "sum: log-odds"]
    assert len(bars(few)) == 6
    assert bars(few)[-1] == pytest.approx(bars(plot_contributions(explanation, n_terms=99))[-1])


def test_impossible_classes_are_drawn_and_written_as_infinite():
    net = network(n=3, n_classes=2)
    cpts = dict(net.cpts) | {"a2": np.array([[0.0, 1.0], [0.5, 0.5]])}
    net = bnlr.BayesianNetwork(net.structure, net.states, cpts)
    ax = plot_contributions(net.explain({"a0": "no", "a1": "no", "a2": "no"}))
    assert all(np.isfinite(bars(ax)).ravel())
    assert bars(ax)[-1][1] > 0
    assert words(ax.figure).count("+∞") == 2
    assert "P(1) = 1" in words(ax.figure)


@pytest.mark.parametrize(
    ("p", "said"), [(0.25, "= 0.75"), (1e-5, "> 0.999"), (0.4, "= 0.6"), (0.0, "= 1")]
)
def test_only_what_is_certain_is_written_so(p, said):
    s = bnlr.Structure([("c", "a")], "c")
    cpts = {"c": np.array([p, 1 - p]), "a": np.full((2, 2), 0.5)}
    net = bnlr.BayesianNetwork(s, {"c": ("x", "y"), "a": (0, 1)}, cpts)
    assert f"P(y) {said}" in words(plot_contributions(net.explain({"a": 0})).figure)


@pytest.mark.slow
def test_names_of_any_kind_are_shown_as_text():
    s = bnlr.Structure([("$c$", "$x^2 and a name that is longer than one line may be")], "$c$")
    attribute = s.attributes[0]
    cpts = {"$c$": np.array([0.2, 0.8]), attribute: np.array([[0.3, 0.7], [0.6, 0.4]])}
    net = bnlr.BayesianNetwork(s, {"$c$": ("<", ">"), attribute: ("_{", "}")}, cpts)
    ax = plot_contributions(net.explain({attribute: "}"}))
    assert "x^2 and a name" in words(ax.figure)
    assert overlaps(ax.figure) == []


@pytest.mark.parametrize("n_terms", [0, -1, 2.5, "3", None])
def test_a_number_of_terms_that_is_none_is_refused(n_terms):
    explanation = network().explain({f"a{k}": "no" for k in range(6)})
    with pytest.raises(bnlr.ParameterError, match="n_terms is"):
        plot_contributions(explanation, n_terms=n_terms)
