"""The six learners against what is computed elsewhere."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

import bnlr
from studies.common.sources import CLASS
from studies.su import example, ingredients, learners
from studies.su.learners import (
    PENALTIES,
    FrequencyClassifier,
    discriminative,
    train,
    tuned_penalty,
)
from studies.su.paper import COLUMNS, LEARNERS


def make(n=60, seed=0, n_attributes=4, copies=1):
    """Noisy labels of a class; the first attribute several times."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 2, size=n)
    noisy = rng.integers(0, 3, size=(n, n_attributes))
    noisy[:, 0] = np.where(rng.random(n) < 0.8, classes, noisy[:, 0])
    table = np.column_stack([*[noisy[:, 0]] * copies, noisy[:, 1:], classes])
    names = [f"a{k}" for k in range(table.shape[1] - 1)]
    states = {**dict.fromkeys(names, ("x", "y", "z")), CLASS: ("p", "q")}
    return bnlr.Dataset.from_codes(table, states, CLASS)


@pytest.mark.parametrize("names", [LEARNERS, COLUMNS])
def test_all_learn_and_are_timed(names):
    data = make()
    trained = train(data, names)
    assert list(trained) == list(names)
    for learner in trained.values():
        assert set(learner.seconds) == {"structure", "parameters"}
        assert (learner.predict(data) == data.class_codes).mean() > 0.6


def test_fe_is_scikit_learns_naive_bayes():
    data, rows = make(seed=1), make(n=200, seed=2)
    theirs = CategoricalNB(alpha=1.0, min_categories=3)
    # Its prior is unsmoothed, ours adds one to each class.
    counts = np.bincount(data.class_codes) + 1.0
    theirs.set_params(class_prior=counts / counts.sum())
    theirs.fit(data.codes[:, :-1], data.class_codes)
    assert train(data)["NB+FE"].predict(rows).tolist() == (
        theirs.predict(rows.codes[:, :-1]).tolist()
    )


def dfe_by_hand(data, epochs):
    """Algorithm 1 with loops: counts of each class and of each cell with it."""
    n_attributes = data.codes.shape[1] - 1
    prior, cells = np.zeros(2), np.zeros((n_attributes, 2, 3))
    for _ in range(epochs):
        for *row, label in data.codes.tolist():
            joint = share(prior)
            for k, code in enumerate(row):
                joint = joint * np.array([share(cells[k, c])[code] for c in range(2)])
            posterior = joint / joint.sum() if joint.sum() > 0 else np.full(2, 0.5)
            loss = 1.0 - posterior[label]
            prior[label] += loss
            for k, code in enumerate(row):
                cells[k, label, code] += loss
    return prior, cells


def share(counts):
    return counts / counts.sum() if counts.sum() > 0 else np.full(len(counts), 1 / len(counts))


@pytest.mark.parametrize("epochs", [1, 4])
def test_dfe_is_algorithm_1(epochs):
    data, rows = make(n=40, seed=3, copies=3), make(n=200, seed=4, copies=3)
    prior, cells = dfe_by_hand(data, epochs)
    logs = np.log(share(prior + 1.0)) + sum(
        np.log(np.array([share(cells[k, c] + 1.0) for c in range(2)]))[:, rows.codes[:, k]].T
        for k in range(rows.codes.shape[1] - 1)
    )
    structure = bnlr.learn_structure(data, "naive-bayes")
    found = discriminative(structure, data, epochs)(rows)
    assert found.tolist() == logs.argmax(axis=1).tolist()


def test_elr_mends_what_copies_do_to_fe():
    data, rows = make(n=400, seed=5, copies=6), make(n=2000, seed=6, copies=6)
    found = train(data)
    right = {name: (found[name].predict(rows) == rows.class_codes).mean() for name in found}
    assert right["NB+ELR"] >= right["NB+FE"] - 0.005
    assert right["NB+DFE"] >= right["NB+FE"] - 0.005


def test_elr_is_the_cross_tuned_ascent_and_lr_the_optimum():
    data, rows = make(n=100, seed=9, copies=4), make(n=300, seed=10, copies=4)
    structure = bnlr.learn_structure(data, "naive-bayes")
    tuned = bnlr.fit(
        structure, data, learner="elr", cross_tuning="error", max_iter=50, random_state=0
    )
    expected = tuned.network.predict_log_proba(rows).argmax(axis=1)
    assert learners.elr(structure, data)(rows).tolist() == expected.tolist()
    best = bnlr.fit(
        structure,
        data,
        learner="lr",
        penalty=tuned_penalty(structure, data),
        penalty_center="frequencies",
    )
    expected = best.network.predict_log_proba(rows).argmax(axis=1)
    assert learners.logistic(structure, data)(rows).tolist() == expected.tolist()


def test_elr_with_a_single_row_of_a_class_stays_at_its_start():
    data = make(n=30, seed=11)
    few = np.flatnonzero(data.class_codes == 1)[:1]
    lone = data.take(np.concatenate([np.flatnonzero(data.class_codes == 0), few]))
    structure = bnlr.learn_structure(lone, "naive-bayes")
    same = learners.frequencies(structure, lone)(data)
    assert learners.elr(structure, lone)(data).tolist() == same.tolist()


def test_epochs_of_one_run_are_those_of_runs_of_their_own():
    data, rows = make(n=40, seed=3, copies=3), make(n=200, seed=4, copies=3)
    structure = bnlr.learn_structure(data, "hgc", max_parents=2)
    every = learners.after_epochs(structure, data, (1, 3, 8))
    for epochs, predict in zip((1, 3, 8), every, strict=True):
        own = discriminative(structure, data, epochs)
        assert predict(rows).tolist() == own(rows).tolist()


def by_hand_without_equation_2(data, rows, is_sum):
    """Algorithm 1 with the entries themselves as parameters."""
    n_attributes = data.codes.shape[1] - 1
    prior, cells = np.zeros(2), np.zeros((n_attributes, 2, 3))

    def scores(row, added=0.0):
        own = np.array([[prior[c], *(cells[k, c, v] for k, v in enumerate(row))] for c in (0, 1)])
        return np.exp(own.sum(axis=1)) if is_sum else (own + added).prod(axis=1)

    for _ in range(4):
        for *row, label in data.codes.tolist():
            joint = scores(row)
            posterior = joint / joint.sum() if joint.sum() > 0 else np.full(2, 0.5)
            prior[label] += 1.0 - posterior[label]
            for k, code in enumerate(row):
                cells[k, label, code] += 1.0 - posterior[label]
    return [int(np.argmax(scores(row, 1.0))) for *row, _ in rows.codes.tolist()]


@pytest.mark.parametrize("is_sum", [False, True])
def test_dfe_without_equation_2(is_sum):
    data, rows = make(n=40, seed=3, copies=3), make(n=200, seed=4, copies=3)
    structure = bnlr.learn_structure(data, "naive-bayes")
    found = ingredients.without_probabilities(structure, data, is_sum=is_sum)(rows)
    assert found.tolist() == by_hand_without_equation_2(data, rows, is_sum)


def test_dfe_without_equation_3_is_fe_but_for_smoothing():
    data, rows = make(n=400, seed=3), make(n=2000, seed=4)
    structure = bnlr.learn_structure(data, "naive-bayes")
    found = ingredients.without_losses(structure, data)(rows)
    assert (found == learners.frequencies(structure, data)(rows)).mean() > 0.98


def test_the_penalty_is_among_those_offered_and_the_largest_in_doubt():
    data = make()
    structure = bnlr.learn_structure(data, "naive-bayes")
    assert tuned_penalty(structure, data) in PENALTIES
    table = np.column_stack([np.tile([0, 1], 20), np.tile([0, 1], 20)])
    plain = bnlr.Dataset.from_codes(table, {"a": (0, 1), CLASS: (0, 1)}, CLASS)
    structure = bnlr.learn_structure(plain, "naive-bayes")
    assert tuned_penalty(structure, plain) == max(PENALTIES)  # none errs
    lone = plain.take([0, 1, 2, 4])  # one row of class 1
    assert tuned_penalty(structure, lone) == max(PENALTIES)


def test_boosting_weighs_rows_as_if_they_were_as_many():
    data = make()
    attributes = [name for name in data.nodes if name != CLASS]
    structure = bnlr.learn_structure(data, "naive-bayes")
    base = FrequencyClassifier(structure, dict(data.states))
    table = np.asarray(data.codes[:, :-1], dtype=np.int64)
    whole = base.fit(table, data.class_codes).network_
    tiny = base.fit(table, data.class_codes, np.full(data.n_rows, 1e-3)).network_
    for name in attributes:
        np.testing.assert_allclose(whole.cpts[name], tiny.cpts[name], rtol=1e-12)
    weights = np.where(data.class_codes == 1, 3.0, 1.0)
    counts = np.bincount(data.class_codes, weights=weights * data.n_rows / weights.sum())
    weighted = base.fit(table, data.class_codes, weights).network_
    np.testing.assert_allclose(weighted.cpts[CLASS], (counts + 1) / (counts + 1).sum())


def test_ada_boost_is_m1_by_hand():
    data, rows = make(n=80, seed=7), make(n=100, seed=8)
    structure = bnlr.learn_structure(data, "naive-bayes")
    votes, weights = np.zeros((rows.n_rows, 2)), np.full(data.n_rows, 1.0)
    for _ in range(learners.N_BOOSTED):
        weighted = bnlr.Dataset.from_codes(data.codes, data.states, CLASS, weights)
        network = bnlr.fit(structure, weighted, learner="frequencies").network
        wrong = network.predict_log_proba(data).argmax(axis=1) != data.class_codes
        error = weights[wrong].sum() / weights.sum()
        assert error > 0
        if error >= 0.5:
            break
        vote = np.log((1 - error) / error)
        votes[np.arange(rows.n_rows), network.predict_log_proba(rows).argmax(axis=1)] += vote
        weights = np.where(wrong, weights * np.exp(vote), weights)
        weights *= data.n_rows / weights.sum()
    found = learners.boosted(structure, data)(rows)
    assert found.tolist() == votes.argmax(axis=1).tolist()


def test_the_five_instances():
    fe, dfe = example.curve("FE"), example.curve("DFE")
    steps = range(example.FIRST, example.LAST + 1)
    by_step = dict(zip(steps, zip(fe, dfe, strict=True), strict=True))
    # After all five once and ten times: prior 1/5 and 4/5; P(0 | −) = 1/2.
    assert by_step[5][0] == pytest.approx(2 / 3)
    assert by_step[50][0] == pytest.approx(2 / 3)
    assert by_step[3][1] == pytest.approx(1.0)
    assert by_step[4][1] == pytest.approx(0.529, abs=5e-4)
    assert by_step[5][1] == pytest.approx(0.365, abs=5e-4)
    assert by_step[50][1] == pytest.approx(0.407, abs=5e-4)
    assert example.LIMITS["DFE"] == pytest.approx(2**0.5 - 1)
