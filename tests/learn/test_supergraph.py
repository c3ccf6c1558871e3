"""Free family tables in the CPTs of a larger graph, against scikit-learn and literal loops."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import bnlr
from bnlr.design.families import TableLayout
from bnlr.learn.supergraph import Shrinkage, carried, fit_carried
from bnlr.learn.temperature import fit_tempered

# Two parents of d, a and b, are not joined.
IMPERFECT = bnlr.Structure(
    [("c", "a"), ("c", "b"), ("c", "d"), ("a", "d"), ("b", "d")], class_name="c"
)
CARDS = {"c": 3, "a": 2, "b": 3, "d": 2}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    c = rng.integers(0, 3, 200)
    a = (rng.random(200) < 0.2 + 0.25 * c).astype(int)
    b = np.where(rng.random(200) < 0.5, c, rng.integers(0, 3, 200))
    d = (rng.random(200) < 0.2 + 0.5 * ((a + b + c) % 2)).astype(int)
    return pd.DataFrame({"c": c, "a": a, "b": b, "d": d})


@pytest.fixture(scope="module")
def data(frame):
    return bnlr.Dataset.from_frame(frame, "c")


def literal_posterior(layout, tables, row):
    """softmax of the sum of each family's entry at the row."""
    scores = np.zeros(layout.n_classes)
    for family in layout.families:
        cell = 0
        for node, card in zip(family.scope, family.shape, strict=True):
            cell = cell * card + row[node]
        scores[1:] += tables[family.offset + cell]
    return np.exp(scores) / np.exp(scores).sum()


def test_any_tables_are_carried_exactly(data):
    layout = TableLayout.of(IMPERFECT, data.cards)
    tables = np.random.default_rng(0).normal(size=(layout.n_cells, 2))
    network, note = carried(IMPERFECT, tables, data)
    assert bnlr.analyze(network.structure).is_perfect
    assert "1 arc added" in note
    rows = [dict(zip("abd", cells, strict=True)) for cells in product(range(2), range(3), range(2))]
    found = network.predict_proba(pd.DataFrame(rows))
    expected = [literal_posterior(layout, tables, row) for row in rows]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("strength", [0.5, 4.0])
def test_the_optimum_is_logistic_regression_on_the_cells(frame, data, strength):
    result = fit_carried(IMPERFECT, data, Shrinkage(strength, "zero"))
    cells = pd.DataFrame(
        {"a": frame["a"], "b": frame["b"], "abd": frame["a"] * 6 + frame["b"] * 2 + frame["d"]}
    )
    hot = pd.get_dummies(cells.astype("category")).astype(float)
    logistic = LogisticRegression(C=1 / strength, tol=1e-10, max_iter=10_000).fit(hot, frame["c"])
    np.testing.assert_allclose(
        result.network.predict_proba(frame[["a", "b", "d"]]),
        logistic.predict_proba(hot),
        atol=1e-5,
    )
    assert result.converged
    assert not result.report.is_perfect
    assert result.cll == pytest.approx(result.network.conditional_log_likelihood(data))


def smoothed(frame, row, scale):
    """P(class | row) of the smoothed estimates of `bnlr.fit`, the evidence scaled."""
    n = len(frame)
    scores = []
    for c in range(3):
        of_class = frame[frame["c"] == c]
        log = 0.0
        for node, parents in (("a", []), ("b", []), ("d", ["a", "b"])):
            marginal = ((of_class[node] == row[node]).sum() + 1) / (len(of_class) + CARDS[node])
            if parents:
                same = of_class[(of_class[parents] == [row[p] for p in parents]).all(axis=1)]
                hits = (same[node] == row[node]).sum()
                marginal = (hits + 5 * marginal) / (len(same) + 5)
            log += np.log(marginal)
        scores.append(np.log((len(of_class) + 1) / (n + 3)) + scale * log)
    return np.exp(scores) / np.exp(scores).sum()


@pytest.mark.slow
def test_at_a_temperature_the_evidence_is_scaled(frame, data):
    result = fit_tempered(IMPERFECT, data)
    rows = frame[["a", "b", "d"]].drop_duplicates()
    expected = [smoothed(frame, row, result.center_scale) for row in rows.to_dict("records")]
    np.testing.assert_allclose(result.network.predict_proba(rows), expected, atol=1e-9)


def test_columns_that_say_the_same_are_counted_once(frame):
    """Naive Bayes on four copies of each column needs a quarter of the scale."""
    scales = []
    for copies in (1, 4):
        columns = {f"{name}{k}": frame[name] for name in "ab" for k in range(copies)}
        data = bnlr.Dataset.from_frame(pd.DataFrame(columns).assign(c=frame["c"]), "c")
        naive = bnlr.learn_structure(data, "naive-bayes")
        scales.append(copies * fit_tempered(naive, data).center_scale)
    assert scales[1] == pytest.approx(scales[0], rel=0.1)


def test_holes_are_refused_with_a_remedy(frame):
    holed = frame.assign(d=frame["d"].where(frame.index > 0))
    with pytest.raises(bnlr.MissingCellsError, match=r"'d' has 1 missing.*missing='state'"):
        fit_tempered(IMPERFECT, bnlr.Dataset.from_frame(holed, "c"))


def test_every_family_of_the_larger_graph_holds_one_of_the_smaller(data):
    """All graphs over four nodes in which the class is the parent of all."""
    pairs = list(combinations("abd", 2))
    rng = np.random.default_rng(1)
    for chosen in product([False, True], repeat=3):
        arcs = [("c", node) for node in "abd"]
        arcs += [pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in]
        structure = bnlr.Structure(arcs, class_name="c")
        layout = TableLayout.of(structure, data.cards)
        tables = rng.normal(size=(layout.n_cells, 2))
        network, _ = carried(structure, tables, data)
        row = {"a": 1, "b": 2, "d": 0}
        np.testing.assert_allclose(
            network.predict_proba(pd.DataFrame([row]))[0],
            literal_posterior(layout, tables, row),
            atol=1e-12,
        )
