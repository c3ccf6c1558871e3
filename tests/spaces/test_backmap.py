"""From tables whose masses no float holds in the gauge of averages back to CPTs."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax

import bnlr

N_ATTRIBUTES, FAR = 30, 110.0


def nearly_certain(structure_kind):
    """Attributes of three states, two of which all but exclude class 1; a TAN chain or none."""
    names = [f"a{k:02d}" for k in range(N_ATTRIBUTES)]
    arcs = [("y", name) for name in names]
    if structure_kind == "chain":
        arcs += itertools.pairwise(names)
    structure = bnlr.Structure(arcs, class_name="y")
    states = {"y": (0, 1), **dict.fromkeys(names, ("lo", "mid", "hi"))}
    rng = np.random.default_rng(0)
    tables = {"y": np.array([0.0, 0.3])}
    for name in names:
        parents = structure.parents(name)
        shape = [len(states[parent]) for parent in parents] + [3]
        table = np.zeros(shape)
        excluded = np.array([-FAR, -FAR, 5.0]) + rng.normal(size=3)
        table[(1,) if parents[0] == "y" else (..., 1, slice(None))] = excluded
        tables[name] = table
    return structure, states, tables, rng


@pytest.mark.parametrize("kind", ["naive-bayes", "chain"])
@pytest.mark.parametrize("space", [bnlr.Roos, bnlr.LogLinear])
@pytest.mark.parametrize("has_like", [False, True])
def test_many_nearly_certain_attributes_leave_no_probability_of_zero(kind, space, has_like):
    structure, states, tables, rng = nearly_certain(kind)
    codes = {name: rng.integers(0, 3, 50) for name in states if name != "y"}
    codes |= {name: np.append(column, 2) for name, column in codes.items()}
    scores = np.zeros((51, 2)) + tables["y"]
    for name in codes:
        table = np.moveaxis(tables[name], structure.parents(name).index("y"), -1)
        others = [codes[parent] for parent in structure.parents(name) if parent != "y"]
        scores += table[(*others, codes[name])]
    chart = space(structure, states)
    like = None
    if has_like:
        rows = np.column_stack([np.arange(51) % 2, *codes.values()])
        like = bnlr.fit(
            structure, bnlr.Dataset.from_codes(rows, states, "y"), learner="frequencies"
        ).network
    network = chart.to_network(chart.from_tables(tables), like)
    assert all((cpt > 0).all() for cpt in network.cpts.values())
    frame = pd.DataFrame({k: np.array(["lo", "mid", "hi"])[v] for k, v in codes.items()})
    found = network.predict_log_proba(frame)
    np.testing.assert_allclose(found, log_softmax(scores, axis=1), rtol=1e-10, atol=1e-9)


@pytest.mark.slow
def test_a_classifier_learns_from_attributes_that_each_all_but_tell_the_class():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    labels = np.array(["lo", "mid", "hi"])
    columns = {
        f"a{k:02d}": labels[np.where(y == 1, 2, rng.integers(0, 3, 3000))] for k in range(30)
    }
    X = pd.DataFrame(columns)
    classifier = bnlr.BNClassifier("naive-bayes").fit(X, y)
    assert classifier.score(X, y) == 1.0
    odd = pd.DataFrame({name: ["lo" if k % 2 else "hi"] for k, name in enumerate(columns)})
    assert np.isfinite(classifier.predict_proba(odd)).all()
