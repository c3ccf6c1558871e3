"""Curves of ordered attributes and bars of others show the main effects."""

import numpy as np
import pytest
from matplotlib import pyplot

import bnlr
from bnlr.data.intervals import interval_labels
from bnlr.network.main_effects import main_effect
from bnlr.report.plots.effect import plot_effect
from tests.report.plots.texts import overlaps, words
from tests.width import in_full

CUTS = np.array([-2.5, 0.125, 3.0, 1000.0])


def network(labels, n_classes=2):
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    rng = np.random.default_rng(1)
    states = {"c": tuple(f"c{k}" for k in range(n_classes)), "a": tuple(labels)}
    cpts = {
        "c": rng.dirichlet(np.ones(n_classes)),
        "a": rng.dirichlet(np.ones(len(labels)), n_classes),
    }
    return bnlr.BayesianNetwork(structure, states, cpts)  # fmt: skip


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def steps(ax):
    """The values of each staircase, and its edges."""
    return [patch.get_data()[:2] for patch in ax.patches]


def test_intervals_are_steps_of_the_second_classs_log_odds():
    net = network(interval_labels(CUTS))
    ax = plot_effect(net, "a")
    effect = main_effect(net, "a")
    ((values, edges),) = steps(ax)
    np.testing.assert_allclose(values, effect[:, 1] - effect[:, 0])
    np.testing.assert_array_equal(edges, range(6))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["−2.5", "0.125", "3", "1,000"]
    np.testing.assert_array_equal(ax.get_xticks(), [1, 2, 3, 4])
    assert "log-odds of c1" in words(ax.figure)
    assert overlaps(ax.figure) == []


def test_a_state_for_missing_cells_stands_beside_the_steps():
    net = network([*interval_labels(CUTS), "missing"])
    ax = plot_effect(net, "a")
    effect = main_effect(net, "a")
    ((values, _),) = steps(ax)
    assert len(values) == 5
    (x,), (y,) = ax.lines[-1].get_data()
    assert x > 5
    assert y == pytest.approx(effect[5, 1] - effect[5, 0])
    assert "missing" in words(ax.figure)


def test_of_many_classes_those_that_change_most_have_a_colour():
    net = network((1, 2, 5, 7), n_classes=9)
    ax = plot_effect(net, "a")
    effect = main_effect(net, "a")
    assert len(steps(ax)) == 9
    legend = {text.get_text() for text in ax.get_legend().get_texts()}
    telling = np.argsort(-np.ptp(effect, axis=0))[:5]
    assert legend == {f"c{k}" for k in telling}
    found = {tuple(values) for values, _ in steps(ax)}
    assert found == {tuple(column) for column in effect.T}
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "5", "7"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_states_without_an_order_are_bars(n_classes):
    labels = [f"state {k}" for k in range(15)]
    net = network(labels, n_classes)
    ax = plot_effect(net, "a")
    effect = main_effect(net, "a")
    shown = [tick.get_text() for tick in ax.get_xticklabels()]
    assert len(shown) == 12
    places = [labels.index(label) for label in shown]
    assert places == sorted(places)
    expected = effect[:, [1]] - effect[:, [0]] if n_classes == 2 else effect
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, expected[places].T.ravel())
    left_out = sorted(set(range(15)) - set(places))
    spread = np.ptp(np.column_stack([expected, np.zeros(15)]), axis=1)
    assert spread[left_out].max() <= spread[places].min()


def test_the_order_can_be_told():
    told = plot_effect(network(("lo", "mid", "hi")), "a", is_ordered=True)
    assert len(steps(told)) == 1
    bars = plot_effect(network((1, 2, 3)), "a", is_ordered=False)
    assert len(bars.patches) == 3


@pytest.mark.parametrize("name", [*in_full("$x_1$ {", "<b>"), "a" * 80])
def test_names_are_no_mathematics(name):
    structure = bnlr.Structure.naive_bayes([name], class_name="c")
    states = {"c": ("$", "{}"), name: ("$", "\\", "_^")}
    cpts = {"c": np.array([0.5, 0.5]), name: np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]])}
    ax = plot_effect(bnlr.BayesianNetwork(structure, states, cpts), name)
    ax.figure.canvas.draw()
    assert overlaps(ax.figure) == []


def test_another_axes_may_be_given():
    figure = pyplot.figure()
    ax = figure.add_subplot()
    assert plot_effect(network((1, 2, 3)), "a", ax) is ax


def test_a_classifier_is_no_network():
    with pytest.raises(bnlr.ParameterError, match=r"network is .*BNClassifier.*network_"):
        plot_effect(bnlr.BNClassifier(), "a")


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
@pytest.mark.parametrize("scale", [*in_full(1.0), 1e3, *in_full(-1e5, 1e-7)])
@pytest.mark.parametrize("n", [2, 6, 14])
def test_large_numbers_are_written_out_and_ticks_keep_apart(classes, scale, n):
    cuts = np.sort(scale * (1.2345 + 0.1 * np.arange(n)))
    labels = interval_labels(cuts)
    states = {"k": tuple(classes), "v": (*labels, "missing")}
    rows = np.full((len(classes), len(labels) + 1), 1.0 / (len(labels) + 1))
    s = bnlr.Structure([("k", "v")], "k")
    network = bnlr.BayesianNetwork(s, states, {"k": [1 / len(classes)] * len(classes), "v": rows})
    ax = bnlr.plot_effect(network, "v")
    assert overlaps(ax.figure) == []
    shown = [tick.get_text() for tick in ax.get_xticklabels()]
    assert len(shown) > 1
    if scale == 1e3:
        assert all("," in text for text in shown[:-1])
        read = [float(text.replace(",", "")) for text in shown[:-1]]
        assert all(np.isclose(cuts, value, rtol=5e-3).any() for value in read)
