"""The strength of the penalty by folds left out, against refitting on every fold."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnlr
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.learn import strength
from bnlr.learn.strength import N_FOLDS, STRENGTHS, best_strength
from tests.learn.test_centre import as_rows, whole
from tests.oracles import centre as literal
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems

NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}


@settings(deadline=None, max_examples=15)
@given(
    problems(perfect_structures(max_nodes=4, min_attributes=1), n_rows=(20, 40)),
    st.sampled_from(["zero", "frequencies", "scaled"]),
    st.sampled_from([10_000, 25]),
)
def test_it_is_the_first_peak_of_refits(problem, centre, enough):
    structure, data = problem[0], whole(problem[1])
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = literal.copies(model, as_rows(data), data.weights)
    terms = [family.scope for family in TableLayout.of(structure, data.cards).families]
    n_folds = N_FOLDS * -(-len(rows) // enough)
    folds = literal.dealt(rows, terms, model, data.states, n_folds)[:N_FOLDS]

    def encoded(part):
        codes = np.array([[row[node] for node in data.nodes] for row in part])
        return Dataset.from_codes(codes, data.states, data.class_name)

    def held_out(penalty):
        total = 0.0
        for k, fold in enumerate(folds):
            rest = encoded([row for j, part in enumerate(folds) if j != k for row in part])
            fitted = bnlr.fit(structure, rest, penalty=penalty, penalty_center=centre)
            total += fitted.network.conditional_log_likelihood(encoded(fold))
        return total

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strength, "_ENOUGH", enough)
        found = best_strength(structure, data, centre)
    clls = {penalty: held_out(penalty) for penalty in STRENGTHS}
    # The folds' fits stop at a relative 1e-4.
    slack = 1e-3 * max(1.0, *map(abs, clls.values()))
    place = STRENGTHS.index(found)
    path = STRENGTHS[: place + 1]
    assert all(clls[b] >= clls[a] + needed(b) - slack for a, b in pairwise(path))
    if place + 1 < len(STRENGTHS):
        following = STRENGTHS[place + 1]
        assert clls[following] <= clls[found] + needed(following) + slack


def needed(penalty):
    """What a strength must gain on the stronger one before it."""
    return 1.0 if penalty < 0.3 else 0.0


def test_noise_asks_for_a_strong_penalty_and_a_rule_for_a_weak_one():
    names = [f"x{k}" for k in range(20)]
    states = dict.fromkeys(["c", *names], (0, 1))
    rows = np.random.default_rng(0).integers(0, 2, (60, 21))
    noise = bnlr.Dataset.from_codes(rows, states, "c")
    assert best_strength(bnlr.Structure.naive_bayes(names, "c"), noise, "zero") == STRENGTHS[0]
    # The classes of a vote: nothing but the strength keeps the predictions from being sure.
    votes = np.random.default_rng(1).integers(0, 2, (600, 9))
    codes = np.column_stack([votes.sum(axis=1) > 4, votes])
    rule = bnlr.Dataset.from_codes(codes, dict.fromkeys(["c", *names[:9]], (0, 1)), "c")
    assert best_strength(bnlr.Structure.naive_bayes(names[:9], "c"), rule, "zero") == STRENGTHS[-1]


def test_a_weak_penalty_is_not_taken_for_a_small_gain(monkeypatch):
    classes = np.arange(60) % 2
    rule = bnlr.Dataset.from_codes(np.column_stack([classes] * 3), STATES, "c")
    assert best_strength(NB, rule, "zero") == 0.3
    # Weaker ones predict better, but there is less than 1 left to gain.
    assert bnlr.fit(NB, rule, penalty=0.3).cll > -1.0
    monkeypatch.setattr(strength, "_LEAST_GAIN", 0.0)
    assert best_strength(NB, rule, "zero") == STRENGTHS[-1]


def test_fit_takes_it_and_says_so():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data)
    result = bnlr.fit(tree, data, penalty="cv", penalty_center="scaled")
    assert result.penalty == best_strength(tree, data, "scaled")
    tried = "30, 10, 3, 1, 0.3, 0.1, 0.03"
    assert f"Penalty {result.penalty:g}, of {tried}, by cross-valid" in result.message
    same = bnlr.fit(tree, data, penalty=result.penalty, penalty_center="scaled")
    assert same.cll == result.cll


def test_one_row_is_not_divided():
    one = bnlr.Dataset.from_codes(np.array([[0, 1, 0]]), STATES, "c")
    assert best_strength(NB, one, "scaled") == 3.0


def test_tables_too_large_take_the_middle_one_and_fit_says_so(monkeypatch):
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data)
    assert best_strength(tree, data, "scaled") != 3.0
    layout = TableLayout.of(tree, data.cards)
    monkeypatch.setattr(strength, "_MOST_PARAMETERS", layout.n_cells - 1)
    assert best_strength(tree, data, "scaled") == 3.0
    result = bnlr.fit(tree, data, penalty="cv", penalty_center="scaled")
    assert "Penalty 3, the tables being too large for cross-validation." in result.message
    assert result.cll == bnlr.fit(tree, data, penalty=3, penalty_center="scaled").cll


def test_two_light_rows_are_divided_if_they_differ():
    light = bnlr.Dataset.from_codes(np.array([[0, 1, 0], [1, 0, 0]]), STATES, "c", [0.1, 0.1])
    assert best_strength(NB, light, "zero") in STRENGTHS
    alike = bnlr.Dataset.from_codes(np.array([[0, 1, 0]] * 2), STATES, "c", [0.1, 0.1])
    assert best_strength(NB, alike, "zero") == 3.0


def test_what_cannot_be_is_refused():
    rows = np.random.default_rng(0).integers(0, 2, (30, 3))
    whole_rows = bnlr.Dataset.from_codes(rows, STATES, "c")
    with pytest.raises(bnlr.ParameterError, match=r"penalty is 'loo'; .* or 'cv'"):
        bnlr.fit(NB, whole_rows, penalty="loo")
    with pytest.raises(bnlr.ParameterError, match="takes no penalty"):
        bnlr.fit(NB, whole_rows, learner="em", penalty="cv")
    with pytest.raises(bnlr.ParameterError, match="pseudocount is -1"):
        best_strength(NB, whole_rows, "scaled", pseudocount=-1)
    rows[0, 1] = -1
    holed = bnlr.Dataset.from_codes(rows, STATES, "c")
    with pytest.raises(bnlr.ParameterError, match="penalty='cv' needs rows complete"):
        bnlr.fit(NB, holed, penalty="cv")
    with pytest.raises(bnlr.MissingCellsError, match="column 'a' has 1 missing"):
        best_strength(NB, holed, "scaled")
