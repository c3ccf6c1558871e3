"""An attribute's main effect against the posterior of naive Bayes, and literal averages."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.network.main_effects import main_effect, telling_attributes

STATES = {"c": ("x", "y", "z"), "a": (1, 2), "b": ("u", "v", "w"), "free": (0, 1)}


def network(arcs):
    structure = bnlr.Structure(arcs, class_name="c", nodes=list(STATES))
    rng = np.random.default_rng(0)
    cpts = {
        node: rng.dirichlet(np.ones(len(STATES[node])), [len(STATES[p]) for p in parents])
        for node, parents in ((x, structure.parents(x)) for x in structure.nodes)
    }
    return bnlr.BayesianNetwork(structure, STATES, cpts)


def test_of_naive_bayes_it_is_how_the_log_odds_change():
    net = network([("c", "a"), ("c", "b")])
    rows = pd.DataFrame({"a": [1, 1, 1], "b": list("uvw"), "free": [0, 0, 0]})
    logs = net.predict_log_proba(rows)
    effect = main_effect(net, "b")
    np.testing.assert_allclose(np.diff(effect, axis=0), np.diff(logs, axis=0) - np.diff(
        logs, axis=0).mean(axis=1, keepdims=True), atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(net.query(["b"]) @ effect, 0, atol=1e-12)
    np.testing.assert_allclose(effect.sum(axis=1), 0, atol=1e-12)


def test_other_attributes_are_averaged():
    net = network([("c", "a"), ("c", "b"), ("a", "b")])
    p_a, p_b = net.query(["a"]), net.query(["b"])
    both = np.log(np.moveaxis(net.cpts["b"], net.structure.parents("b").index("c"), -1))
    own = np.log(net.cpts["a"].T)
    effect = np.empty((2, 3))
    for k in range(2):  # both holds (a, b, class)
        for c in range(3):
            effect[k, c] = own[k, c] + sum(p_b[j] * both[k, j, c] for j in range(3))
    effect -= effect.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(main_effect(net, "a"), effect - p_a @ effect, atol=1e-12)
    inner = sum(p_a[k] * (both[k] - both[k].mean(axis=1, keepdims=True)) for k in range(2))
    np.testing.assert_allclose(main_effect(net, "b"), inner - p_b @ inner, atol=1e-12)


def test_a_parent_of_the_class_counts():
    net = network([("a", "c"), ("c", "b")])
    logs = np.log(net.cpts["c"])
    logs -= logs.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(main_effect(net, "a"), logs - net.query(["a"]) @ logs, atol=1e-12)


def test_what_the_classes_families_do_not_look_at_is_refused():
    net = network([("c", "a"), ("c", "b")])
    assert telling_attributes(net) == ("a", "b")
    for name in ("free", "c", "B"):
        with pytest.raises(bnlr.ParameterError, match=f"attribute is '{name}', which the class's"):
            main_effect(net, name)


def test_entries_of_zero_leave_finite_effects():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    cpts = {"c": np.array([0.5, 0.5]), "a": np.array([[1.0, 0.0], [0.5, 0.5]])}
    net = bnlr.BayesianNetwork(structure, {"c": (0, 1), "a": (0, 1)}, cpts)
    assert np.isfinite(main_effect(net, "a")).all()
