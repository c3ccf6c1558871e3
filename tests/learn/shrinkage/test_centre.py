"""The penalty's scaled centre against literal cross-fitting, its invariances, and its fits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.engine import Engine
from bnlr.learn.rescaling import divided, measure
from bnlr.learn.shrinkage.centre import MAX_SCALE, best_scale, holed_centre, scaled_centre, smoothed
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.penalty import Penalty
from tests.oracles import centre as literal
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems, structures
from tests.width import examples, in_full

NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}


def as_rows(data):
    columns = {node: data.column(node) for node in data.nodes}
    return [{node: int(c[i]) for node, c in columns.items()} for i in range(data.n_rows)]


def whole(data):
    """The data with weights made whole numbers."""
    return Dataset(data.codes, data.states, data.class_name, np.ceil(data.weights))


def centre_of(structure, data, **options):
    design = Design.of(TableLayout.of(structure, data.cards), data, 1)
    return scaled_centre(design, data.states, **options)


def holed_centre_of(structure, data):
    flat = FlatCPTs.of(structure, data.cards)
    engine = Engine(flat, structure.index(structure.class_name), 1)
    frequencies = bnlr.fit(structure, data, learner="frequencies").network
    return holed_centre(engine, EvidenceRows.of(structure, data), frequencies)


def same_scale(found, scored):
    """Whether a is the maximiser; where the function is flat any of its maximisers will do."""
    expected, cll = literal.best_scale(scored)
    best = max(cll(expected), cll(0.0), cll(MAX_SCALE))
    return cll(found) >= best - 1e-9 * max(1.0, abs(best))


@pytest.mark.slow
@examples(40)
@given(problems(structures(max_nodes=5), n_rows=(5, 40)), st.sampled_from([1.0, 0.3]))
def test_the_scale_is_that_of_literal_cross_fitting(problem, pseudocount):
    structure, data = problem[0], whole(problem[1])
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = literal.copies(model, as_rows(data), data.weights)
    terms = [f.scope for f in TableLayout.of(structure, data.cards).families]
    folds = literal.dealt(rows, terms, model, data.states)
    scored = []
    for k, fold in enumerate(folds):
        rest = [row for other, part in enumerate(folds) if other != k for row in part]
        scored += [
            (*literal.log_scores(model, rest, row, pseudocount), row[model.class_name])
            for row in fold
        ]
    found = centre_of(structure, data, pseudocount=pseudocount)
    assert 0 <= found.scale <= MAX_SCALE
    assert same_scale(found.scale, scored)


@examples(25)
@given(problems(structures(max_nodes=5), n_rows=(5, 40)))
def test_tables_are_the_scaled_log_odds_of_smoothed_estimates(problem):
    structure, data = problem[0], whole(problem[1])
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = literal.copies(model, as_rows(data), data.weights)
    layout = TableLayout.of(structure, data.cards)
    found = centre_of(structure, data)
    for row in as_rows(data)[:5]:
        prior, evidence = literal.log_scores(model, rows, row, 1.0)
        expected = np.array(prior) + found.scale * np.array(evidence)
        total = np.zeros(model.n_classes - 1)
        for family in layout.families:
            at = (row[a] for a in family.scope)
            cell = np.ravel_multi_index(tuple(at), family.shape) if family.scope else 0
            total += found.tables[family.offset + cell]
        np.testing.assert_allclose(total, expected[1:] - expected[0], rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@examples(20)
@given(problems(structures(max_nodes=4), n_rows=(5, 25), missing=True))
def test_with_holes_the_scale_is_that_of_literal_cross_fitting(problem):
    """P(class | observed cells) by enumeration of what is missing."""
    structure, data = problem[0], whole(problem[1])
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = literal.copies(model, as_rows(data), data.weights)
    attributes = tuple(node for node in structure.nodes if node != model.class_name)
    folds = literal.dealt(rows, [attributes], model, data.states, n_terms=len(structure.nodes))
    other = dict(bnlr.fit(structure, data, learner="frequencies").network.cpts)
    scored = []
    for k, fold in enumerate(folds):
        rest = [row for place, part in enumerate(folds) if place != k for row in part]
        scored += [
            (*literal.holed_scores(model, rest, row, 1.0, other), row[model.class_name])
            for row in fold
        ]
    found = holed_centre_of(structure, data)
    assert 0 <= found.scale <= MAX_SCALE
    assert same_scale(found.scale, scored)


def test_packed_tables_and_inference_agree():
    """But for the folds, which they deal by other hashes."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, 4000)
    cells = (rng.random((4000, 2)) < np.where(classes, 0.7, 0.3)[:, None]).astype(int)
    data = bnlr.Dataset.from_codes(np.column_stack([classes, cells]), STATES, "c")
    one, other = centre_of(NB, data), holed_centre_of(NB, data)
    assert one.scale == pytest.approx(other.scale, rel=0.05)
    assert one.scale == pytest.approx(1.0, abs=0.1)  # two independent attributes: no overcounting
    np.testing.assert_allclose(one.tables / one.scale, other.tables / other.scale, atol=0.02)


def test_evidence_told_twice_counts_half():
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 2, 4000)
    cell = np.where(rng.random(4000) < 0.25, 1 - classes, classes)
    data = bnlr.Dataset.from_codes(np.column_stack([classes, cell, cell]), STATES, "c")
    assert centre_of(NB, data).scale == pytest.approx(0.5, abs=0.01)
    assert holed_centre_of(NB, data).scale == pytest.approx(0.5, abs=0.01)


def test_estimates_that_are_always_right_get_the_largest_scale():
    classes = np.arange(40) % 2
    data = bnlr.Dataset.from_codes(np.column_stack([classes] * 3), STATES, "c")
    assert centre_of(NB, data).scale == MAX_SCALE
    result = bnlr.fit(NB, data, penalty=3.0, penalty_center="scaled")
    assert result.center_scale == MAX_SCALE
    assert np.isfinite(result.cll)
    assert result.converged


def test_estimates_that_mislead_get_no_scale():
    """Every fold's rows say the opposite of all others: nothing is worth more than the prior."""
    scale = best_scale([lambda a: (-a, -1.0), lambda a: (0.5 * a, 0.5)])
    assert scale == 0.0


@examples(25)
@given(problems(perfect_structures(max_nodes=5, min_attributes=1), n_rows=(5, 40)), st.randoms())
def test_order_and_repetition_change_nothing(problem, random):
    """Rows, columns, states in another order; a weight of 2 for a row written twice."""
    structure, data = problem[0], whole(problem[1])
    base = centre_of(structure, data).scale
    places = np.repeat(np.arange(data.n_rows), data.weights.astype(int))
    random.shuffle(order := places.tolist())
    labels = {node: np.array(data.states[node], dtype=object) for node in data.nodes}
    frame = pd.DataFrame({n: labels[n][data.column(n)[order]] for n in data.nodes}, dtype=object)
    states = {node: tuple(reversed(data.states[node])) for node in reversed(data.nodes)}
    again = bnlr.Dataset.from_frame(
        frame[list(reversed(frame.columns))], data.class_name, states=states
    )
    assert centre_of(structure, again).scale == pytest.approx(base, rel=1e-6, abs=1e-8)
    arcs = list(structure.edges)
    random.shuffle(arcs)
    turned = bnlr.Structure(arcs, structure.class_name, nodes=tuple(reversed(structure.nodes)))
    assert centre_of(turned, again).scale == pytest.approx(base, rel=1e-6, abs=1e-8)


@pytest.mark.slow
@examples(20)
@given(problems(perfect_structures(max_nodes=5, min_attributes=1), n_rows=(20, 60)))
def test_the_optimum_is_scipys(problem):
    """The penalised CLL in the raw tables a·T, maximised by SciPy from 0."""
    from scipy.optimize import minimize

    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    inside, unit = divided(data, measure(structure, data))
    design = Design.of(layout, inside, 1)
    centre = scaled_centre(design, data.states, 1.0 / unit)
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})

    def spread(tables):
        return layout.unstack(np.pad(tables, ((0, 0), (1, 0))))  # noqa: PD010  no frame

    def objective(x):
        tables = x.reshape(layout.n_cells, -1)
        moved = literal.penalty(model, spread(tables), spread(centre.bounded), 3.0 / unit)
        return moved - design.cll(tables)

    def gradient(x):
        tables = x.reshape(layout.n_cells, -1)
        moved = Penalty(layout, 3.0 / unit, centre.bounded).value_and_gradient(tables)[1]
        return (moved - design.linearise(tables).gradient).ravel()

    peer = minimize(
        objective, np.zeros(centre.tables.size), jac=gradient, method="BFGS", options={"gtol": 1e-9}
    )
    result = bnlr.fit(structure, data, penalty=3.0, penalty_center="scaled")
    assert result.center_scale == centre.scale
    proba = result.network.predict_log_proba(data)
    tables = peer.x.reshape(layout.n_cells, -1)
    assert result.cll == pytest.approx(unit * design.cll(tables), rel=1e-5, abs=1e-5)
    own = np.arange(data.n_rows), data.class_codes
    assert float(data.weights @ proba[own]) == pytest.approx(result.cll, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("space", ["roos", *in_full("loglinear", "softmax")])
@pytest.mark.parametrize("centre", ["frequencies", "scaled"])
def test_a_large_penalty_gives_the_centre_back(space, centre):
    frame = bnlr.load_dataset("tic-tac-toe")
    data = bnlr.Dataset.from_frame(frame, "class")
    tree = bnlr.learn_structure(data, "tan")
    result = bnlr.fit(tree, data, penalty=1e7, penalty_center=centre, space=space)
    if centre == "frequencies":
        expected = bnlr.fit(tree, data, learner="frequencies").cll
    else:
        found = centre_of(tree, data)
        assert result.center_scale == found.scale
        expected = Design.of(TableLayout.of(tree, data.cards), data, 1).cll(found.tables)
    # The class prior is free; its gain is all that may differ.
    assert -1e-3 <= result.cll - expected < 0.02 * abs(expected)


def test_elr_shrinks_to_the_same_centre():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data, "naive-bayes")
    options = {"penalty": 3.0, "penalty_center": "scaled"}
    one = bnlr.fit(tree, data, **options)
    other = bnlr.fit(tree, data, learner="elr", **options)
    assert other.center_scale == one.center_scale
    assert other.cll == pytest.approx(one.cll, rel=1e-4)


def test_the_result_says_the_scale():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    result = bnlr.fit(bnlr.learn_structure(data), data, penalty=3.0, penalty_center="scaled")
    assert f"penalty      3 towards {result.center_scale:.3g} times the" in result.summary()
    plain = bnlr.fit(bnlr.learn_structure(data), data, penalty=3.0)
    assert plain.center_scale is None
    assert "times the frequency" not in plain.summary()


def test_without_pseudocount_zeros_stay_finite():
    classes = np.arange(20) % 2
    data = bnlr.Dataset.from_codes(np.column_stack([classes] * 3), STATES, "c")
    layout = TableLayout.of(NB, data.cards)
    tables = smoothed(layout, Design.of(layout, data, 1).counts(), 0.0)
    assert np.isfinite(tables.at(1.0)).all()
    result = bnlr.fit(NB, data, penalty=3.0, penalty_center="scaled", pseudocount=0.0)
    assert np.isfinite(result.cll)


def test_a_graph_that_is_not_perfect_has_a_scaled_centre():
    rng = np.random.default_rng(3)
    collider = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c")
    data = bnlr.Dataset.from_codes(rng.integers(0, 2, (60, 3)), STATES, "c")
    result = bnlr.fit(collider, data, penalty=3.0, penalty_center="scaled")
    assert result.learner == "elr"
    assert result.center_scale == centre_of(collider, data).scale
    holed = data.codes.copy()
    holed[:10, 2] = -1
    data = bnlr.Dataset.from_codes(holed, data.states, "c")
    result = bnlr.fit(collider, data, penalty=3.0, penalty_center="scaled")
    assert result.center_scale == holed_centre_of(collider, data).scale


def test_an_unknown_centre_is_refused():
    data = bnlr.Dataset.from_codes(np.eye(3, dtype=int)[:, [0, 1, 2]], STATES, "c")
    with pytest.raises(bnlr.ParameterError, match="'mean'; choose one of auto, scaled, freq"):
        bnlr.fit(NB, data, penalty=1.0, penalty_center="mean")
