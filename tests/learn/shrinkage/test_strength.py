"""The strength of the penalty by folds left out, against refitting on every fold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bnlr
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.learn.shrinkage import strength
from bnlr.learn.shrinkage.strength import N_FOLDS, STRENGTHS, best_penalty, holds_too_little
from bnlr.learn.supergraph import Shrinkage, fit_carried
from tests.learn.shrinkage.test_centre import as_rows, whole
from tests.oracles import centre as literal
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems
from tests.width import examples, in_full

NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}


@pytest.mark.slow
@examples(12)
@given(
    problems(perfect_structures(max_nodes=4, min_attributes=1), n_rows=(20, 40), missing=True),
    st.sampled_from(["zero", "frequencies", "scaled", "auto"]),
    st.sampled_from([10_000, 25]),
)
def test_it_is_the_first_peak_of_refits(problem, centre, enough):
    """On rows with holes, which are states of their own in it."""
    structure, given_rows = problem[0], whole(problem[1])
    data = labelled_and_filled(given_rows, structure)
    assume(data is not None)
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = literal.copies(model, as_rows(data), data.weights)
    terms = [family.scope for family in TableLayout.of(structure, data.cards).families]
    n_folds = N_FOLDS * -(-len(rows) // enough)
    folds = literal.dealt(rows, terms, model, data.states, n_folds)[:N_FOLDS]

    def encoded(part):
        codes = np.array([[row[node] for node in data.nodes] for row in part])
        return Dataset.from_codes(codes, data.states, data.class_name)

    def held_out(penalty, centre):
        total = 0.0
        for k, fold in enumerate(folds):
            rest = encoded([row for j, part in enumerate(folds) if j != k for row in part])
            fitted = bnlr.fit(structure, rest, penalty=penalty, penalty_center=centre)
            total += fitted.network.conditional_log_likelihood(encoded(fold))
        return total

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strength, "_ENOUGH", enough)
        found = best_penalty(structure, given_rows, centre)
    asked = ("scaled", "zero") if centre == "auto" else (centre,)
    clls = {(c, s): held_out(s, c) for c in asked for s in STRENGTHS}
    # The folds' fits stop at a relative 1e-4.
    slack = 1e-3 * max(1.0, *map(abs, clls.values()))
    assert found[:2] in choices(clls, asked, slack)


def labelled_and_filled(data, structure):
    """The rows with a class, a hole as one state more; None of fewer than two."""
    kept = np.flatnonzero(data.class_codes >= 0)
    if len(kept) < 2:
        return None
    codes, states = np.array(data.codes[kept], dtype=int), dict(data.states)
    for place, node in enumerate(data.nodes):
        holes = codes[:, place] < 0
        if node in structure.attributes and (data.column(node) < 0).any():
            codes[holes, place] = len(states[node])
            label = "missing"
            while label in states[node]:
                label += "_"
            states[node] = (*states[node], label)
    return Dataset.from_codes(codes, states, data.class_name, data.weights[kept])


def choices(clls, asked, slack):
    """Every (strength, centre) that CLLs known to within ``slack`` allow."""
    first = asked[0]
    found = {(peak, first) for peak in peaks(clls, first, slack)}
    if len(asked) == 2 and any(peak >= 10 for peak, _ in found):
        weak = {(peak, centre) for peak, centre in found if peak < 10}
        both = found | {(peak, "zero") for peak in peaks(clls, "zero", slack)}
        best = max(clls[centre, peak] for peak, centre in both)
        found = weak | {(p, c) for p, c in both if clls[c, p] >= best - 2 * slack}
    if "zero" not in asked:
        return found
    shares = clls["zero", STRENGTHS[0]]
    told = {(p, c) for p, c in found if clls[c, p] - shares >= 2.0 - slack}
    is_chance = any(clls[c, p] - shares < 2.0 + slack for p, c in found)
    return told | ({(STRENGTHS[0], "zero")} if is_chance else set())


def peaks(clls, centre, slack, place=1, best=STRENGTHS[0]):
    """Where a path may end."""
    if place == len(STRENGTHS):
        return {best}
    here = STRENGTHS[place]
    gain, found = clls[centre, here] - clls[centre, best], set()
    may_end = here < 30 and gain < needed(here) + slack
    if may_end:
        found.add(best)
    if here >= 30 or gain >= needed(here) - slack:
        if gain >= -slack:
            found |= peaks(clls, centre, slack, place + 1, here)
        if here >= 30 and gain <= slack:
            found |= peaks(clls, centre, slack, place + 1, best)
    return found


def needed(penalty):
    """What a strength must gain on the stronger ones before it."""
    return 1.0 if penalty < 0.3 else 0.0


def strength_of(*args, **options):
    return best_penalty(*args, **options).strength


def test_noise_asks_for_a_strong_penalty_and_a_rule_for_a_weak_one():
    names = [f"x{k}" for k in range(20)]
    states = dict.fromkeys(["c", *names], (0, 1))
    rows = np.random.default_rng(0).integers(0, 2, (60, 21))
    noise = bnlr.Dataset.from_codes(rows, states, "c")
    assert strength_of(bnlr.Structure.naive_bayes(names, "c"), noise, "zero") == STRENGTHS[0]
    # The classes of a vote: nothing but the strength keeps the predictions from being sure.
    votes = np.random.default_rng(1).integers(0, 2, (600, 9))
    codes = np.column_stack([votes.sum(axis=1) > 4, votes])
    rule = bnlr.Dataset.from_codes(codes, dict.fromkeys(["c", *names[:9]], (0, 1)), "c")
    assert strength_of(bnlr.Structure.naive_bayes(names[:9], "c"), rule, "zero") <= 0.03


def test_a_weak_penalty_is_not_taken_for_a_small_gain(monkeypatch):
    classes = np.arange(60) % 2
    rule = bnlr.Dataset.from_codes(np.column_stack([classes] * 3), STATES, "c")
    assert strength_of(NB, rule, "zero") == 0.3
    # Weaker ones predict better, but there is less than 1 left to gain.
    assert bnlr.fit(NB, rule, penalty=0.3).cll > -1.0
    monkeypatch.setattr(strength, "LEAST_GAIN", 0.0)
    assert strength_of(NB, rule, "zero") <= 0.03


def test_fit_takes_it_and_says_so():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data)
    result = bnlr.fit(tree, data, penalty="cv", penalty_center="scaled")
    assert result.penalty == strength_of(tree, data, "scaled")
    note = f"Penalty {result.penalty:g} towards scaled, of 3000 to 0.001, by cross-validation."
    assert note in result.message
    same = bnlr.fit(tree, data, penalty=result.penalty, penalty_center="scaled")
    assert same.cll == result.cll


def test_one_row_is_not_divided():
    one = bnlr.Dataset.from_codes(np.array([[0, 1, 0]]), STATES, "c")
    assert strength_of(NB, one, "scaled") == 3.0


def test_tables_too_large_take_the_middle_one_and_fit_says_so(monkeypatch):
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data)
    assert strength_of(tree, data, "scaled") != 3.0
    layout = TableLayout.of(tree, data.cards)
    monkeypatch.setattr(strength, "_MOST_PARAMETERS", layout.n_cells - 1)
    assert strength_of(tree, data, "scaled") == 3.0
    result = bnlr.fit(tree, data, penalty="cv", penalty_center="scaled")
    assert "Penalty 3, the tables being too large for cross-validation." in result.message
    assert result.cll == bnlr.fit(tree, data, penalty=3, penalty_center="scaled").cll


def test_two_light_rows_are_divided_if_they_differ():
    light = bnlr.Dataset.from_codes(np.array([[0, 1, 0], [1, 0, 0]]), STATES, "c", [0.1, 0.1])
    assert strength_of(NB, light, "zero") in STRENGTHS
    alike = bnlr.Dataset.from_codes(np.array([[0, 1, 0]] * 2), STATES, "c", [0.1, 0.1])
    assert strength_of(NB, alike, "zero") == 3.0


def test_what_cannot_be_is_refused():
    rows = np.random.default_rng(0).integers(0, 2, (30, 3))
    whole_rows = bnlr.Dataset.from_codes(rows, STATES, "c")
    with pytest.raises(bnlr.ParameterError, match=r"penalty is 'loo'; .* or 'cv'"):
        bnlr.fit(NB, whole_rows, penalty="loo")
    with pytest.raises(bnlr.ParameterError, match="takes no penalty"):
        bnlr.fit(NB, whole_rows, learner="em", penalty="cv")
    with pytest.raises(bnlr.ParameterError, match="pseudocount is -1"):
        strength_of(NB, whole_rows, "scaled", pseudocount=-1)
    with pytest.raises(bnlr.ParameterError, match="penalty_center is 'mean'; choose one of auto"):
        bnlr.fit(NB, whole_rows, penalty="cv", penalty_center="mean")


def test_a_number_needs_no_folds_and_auto_is_then_scaled():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    tree = bnlr.learn_structure(data)
    one, other = (bnlr.fit(tree, data, penalty=2.0, penalty_center=c) for c in ("auto", "scaled"))
    assert (one.cll, one.penalty, one.center_scale) == (other.cll, 2.0, other.center_scale)


@pytest.mark.parametrize("share", [0.0, *in_full(0.3)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_noise_is_predicted_as_its_classes_are_shared_out(share, n_classes):
    """Fresh rows of noise against the entropy of their classes, from NumPy."""
    names, excess = [f"x{k}" for k in range(8)], []
    states = dict.fromkeys(names, (0, 1, 2)) | {"c": tuple(range(n_classes))}
    naive = bnlr.Structure.naive_bayes(names, "c")
    shares = np.arange(1.0, n_classes + 1) / np.arange(1.0, n_classes + 1).sum()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        codes = np.column_stack(
            [rng.integers(0, 3, (1200, 8)), rng.choice(n_classes, 1200, p=shares)]
        )
        codes[:, :8][rng.random((1200, 8)) < share] = -1
        rest, fresh = (
            bnlr.Dataset.from_codes(rows, states, "c") for rows in (codes[:200], codes[200:])
        )
        fitted = bnlr.fit(naive, rest, penalty="cv", penalty_center="auto")
        loss = -fitted.network.conditional_log_likelihood(fresh) / 1000
        excess.append(
            loss + np.log(shares) @ np.bincount(codes[200:, 8], minlength=n_classes) / 1000
        )
        again = bnlr.fit(
            naive, rest.take(rng.permutation(200)), penalty="cv", penalty_center="auto"
        )
        assert again.penalty == fitted.penalty
    assert np.mean(excess) < 0.03


@pytest.mark.parametrize("seed", range(20))
def test_what_weights_leave_to_learn(seed):
    """Less than a row's worth is what the shares of the classes lack of a CLL of 0."""
    rng = np.random.default_rng(seed)
    classes = np.r_[0, 1, rng.integers(0, 3, rng.integers(0, 30))]
    assert not holds_too_little(classes, np.ones(len(classes)), 1.0)
    weights = 10.0 ** rng.uniform(-6, 2, len(classes))
    shares = np.array([weights[classes == c].sum() for c in classes]) / weights.sum()
    lacking = -(weights * np.log(shares)).sum()
    for unit in (0.5 * lacking, 0.99 * lacking, 1.01 * lacking, 3 * lacking):
        assert holds_too_little(classes, weights, unit) == (unit > lacking)
    assert not holds_too_little(np.zeros(3, dtype=int), np.full(3, 1e-9), 1.0)  # one class only


@pytest.mark.parametrize("k", [1.0, 1e-6])
def test_a_scale_is_not_sought_where_weights_leave_nothing_to_learn(k):
    frame = pd.DataFrame({"a": [0, 0, 1, 0] * 9, "b": [0, 1] * 18, "c": [0, 0, 1, 1] * 9})
    s = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c")
    extreme = np.where(frame["c"] == 0, 1e3, 1e-5) * k
    for weights, scaled in ((extreme, False), (np.full(36, k), True)):
        data = bnlr.Dataset.from_frame(frame, "c", weights=weights)
        result = bnlr.fit(s, data, penalty=3.0 * k, penalty_center="scaled", pseudocount=k)
        assert (result.center_scale is not None) == scaled
        assert ("less than a row's worth" in result.message) != scaled
        free = Shrinkage(3.0 * k, "scaled", k)
        assert (fit_carried(s, data, free).center_scale is not None) == scaled
    share = 1e-5 * 18 / (1e3 * 18)
    zero = bnlr.fit(s, bnlr.Dataset.from_frame(frame, "c", weights=extreme), penalty=3.0 * k)
    assert zero.network.cpts["c"][1] == pytest.approx(share, rel=0.1)
