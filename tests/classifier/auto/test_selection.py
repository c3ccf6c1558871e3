"""Folds, candidates and their held-out log-loss, against refits from outside."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import OneHotEncoder

import bnlr
from bnlr.classifier.auto.candidates import CANDIDATES, Candidate, Method, narrowed
from bnlr.classifier.auto.folds import inner_folds, row_hashes
from bnlr.classifier.auto.selection import Choices, select
from bnlr.classifier.auto.trials import Trials
from bnlr.classifier.input.discretizers import discretizer_of
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.data.folds import fold_rows
from bnlr.learn.shrinkage.strength import STRENGTHS
from tests.width import in_full

NB, FAN, TAN = Method("naive-bayes"), Method("fan"), Method("tan")


def coded(frame, classes, numeric=(), weights=None):
    return UncutRows.of(frame, list(numeric), pd.Categorical(classes), "class!", weights)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def table(iris):
    X, y = iris
    return coded(X, y, X.columns)


# Folds


def contents(frame, classes, fold):
    """The rows of a fold as a sorted list of what they hold."""
    rows = frame.assign(y=classes).iloc[fold.held]
    return sorted(map(tuple, rows[sorted(rows.columns)].to_numpy().tolist()))


def test_large_weights_are_no_more_work(iris, monkeypatch):
    """Of a hundred million shares the three asked for are dealt."""
    dealt = []

    def counted(*args):
        for part in fold_rows(*args):
            dealt.append(part)
            assert len(dealt) <= 3
            yield part

    monkeypatch.setattr("bnlr.classifier.auto.folds.fold_rows", counted)
    X, y = iris
    table = coded(X, y, X.columns, weights=np.full(len(y), 1e10))
    assert len(inner_folds(table, 3, n_shares=10**8)) == 3


def test_each_row_is_left_out_once_and_classes_are_shared_out(iris, table):
    _, y = iris
    folds = inner_folds(table, 3)
    assert sorted(np.concatenate([fold.held for fold in folds])) == list(range(150))
    for fold in folds:
        assert sorted([*fold.held, *fold.rest]) == list(range(150))
        counts = np.bincount(y[fold.held])
        assert counts.max() - counts.min() <= 1


def test_neither_order_shows_in_the_folds(iris, table):
    X, y = iris
    rows = np.random.default_rng(0).permutation(150)
    turned = X.iloc[rows, ::-1]
    other = inner_folds(coded(turned, y[rows], turned.columns), 3)
    for one, two in zip(inner_folds(table, 3), other, strict=True):
        assert contents(X, y, one) == contents(turned, y[rows], two)


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
def test_equal_rows_of_other_weights_are_dealt_alike_in_any_order(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(["p", "q"], 40), "b": rng.integers(0, 2, 40)})
    y, weights = rng.integers(0, 2, 40), rng.choice([0.5, 1.0, 1.7], 40)

    def dealt(order):
        rows = X.iloc[order].reset_index(drop=True)
        folds = inner_folds(coded(rows, y[order], weights=weights[order]), 3)
        keys = rows.astype("str").sum(axis=1).to_numpy() + y[order].astype("str")
        return [sorted(zip(keys[fold.held], fold.held_weights, strict=True)) for fold in folds]

    assert dealt(np.arange(40)) == dealt(rng.permutation(40))


def test_a_row_of_weight_two_is_two_rows(iris):
    X, y = iris
    weights = 1.0 + (np.arange(150) % 3 == 0)
    repeated = np.repeat(np.arange(150), weights.astype(int))
    once = inner_folds(coded(X, y, X.columns, weights), 3)
    twice = inner_folds(coded(X.iloc[repeated], y[repeated], X.columns), 3)
    for one, two in zip(once, twice, strict=True):
        totals = np.bincount(one.held, one.held_weights, minlength=150)
        np.testing.assert_array_equal(totals, np.bincount(repeated[two.held], minlength=150))
        totals = np.bincount(one.rest, one.rest_weights, minlength=150)
        np.testing.assert_array_equal(totals, np.bincount(repeated[two.rest], minlength=150))


def test_a_class_of_one_row_is_never_left_out():
    X = pd.DataFrame({"a": list("pq") * 10})
    folds = inner_folds(coded(X, [0, 1] * 9 + [0, 2]), 3)
    assert all(19 in fold.rest and 19 not in fold.held for fold in folds if 19 in fold.rest)
    assert not any(19 in fold.held for fold in folds)


def test_hashes_tell_cells_apart_and_not_how_numbers_are_stored():
    X = pd.DataFrame({"a": [0.0, -0.0, 1.5, np.nan], "b": list("xxxx")})
    hashes = row_hashes(coded(X, [0, 1, 0, 1], ["a"]))
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3
    single = row_hashes(coded(X.astype({"a": np.float32}), [0, 1, 0, 1], ["a"]))
    np.testing.assert_array_equal(single, hashes)


def test_of_many_rows_a_part_is_asked(table):
    folds = inner_folds(table, 3, n_shares=5)
    asked = np.concatenate([fold.held for fold in folds])
    assert len(asked) == len(set(asked)) == 30
    assert all(set(fold.rest) | set(fold.held) == set(asked) for fold in folds)


# Candidates


@pytest.mark.parametrize("cutting", [*in_full("mdl", "mdl-4"), "quantile-5"])
def test_the_loss_is_that_of_logistic_regression_on_the_cells(iris, table, cutting):
    """Naive Bayes towards zero is scikit-learn's penalty on the indicators of the intervals."""
    X, y = iris
    folds = inner_folds(table, 3)
    trials = Trials(table, folds).path(Candidate(NB, cutting, "zero"), (4.0, 0.5))
    for trial in trials:
        losses = []
        for fold in folds:
            discretizer = discretizer_of(cutting).fit(X.iloc[fold.rest], y[fold.rest])
            one, two = (discretizer.transform(X.iloc[rows]) for rows in (fold.rest, fold.held))
            hot = OneHotEncoder(categories=[one[c].cat.categories for c in X]).fit(one)
            model = LogisticRegression(C=1 / trial.penalty, tol=1e-9, max_iter=10_000)
            model.fit(hot.transform(one), y[fold.rest])
            own = model.predict_proba(hot.transform(two))[np.arange(len(two)), y[fold.held]]
            losses.append(-np.log(own))
        losses = np.concatenate(losses)
        assert trial.log_loss == pytest.approx(losses.mean(), rel=5e-3)
        error = losses.std(ddof=1) / np.sqrt(len(losses))
        assert trial.standard_error == pytest.approx(error, rel=2e-2)


@pytest.mark.slow
def test_a_candidate_is_what_fit_makes_of_the_rest(iris, table):
    X, y = iris
    folds = inner_folds(table, 3)
    (trial,) = Trials(table, folds).path(Candidate(TAN, "mdl", "scaled"), (3.0,))
    losses = []
    for fold in folds:
        classifier = bnlr.BNClassifier("tan", discretize="mdl", penalty=3.0)
        classifier.fit(X.iloc[fold.rest], y[fold.rest])
        found = classifier.predict_proba(X.iloc[fold.held])
        losses.append(log_loss(y[fold.held], found, labels=[0, 1, 2]) * len(fold.held))
    assert trial.log_loss == pytest.approx(sum(losses) / 150, rel=0.02)


def test_strengths_are_tried_until_the_loss_rises(table):
    trials = Trials(table, inner_folds(table, 3)).path(Candidate(NB, "mdl", "scaled"), STRENGTHS)
    losses = [trial.log_loss for trial in trials]
    assert [trial.penalty for trial in trials] == list(STRENGTHS[: len(trials)])
    assert len(trials) < len(STRENGTHS)
    assert losses[-1] > losses[-2]
    assert losses[:-1] == sorted(losses[:-1], reverse=True)


def test_the_same_structure_is_tried_once():
    """Columns that are independent given the class: FAN is naive Bayes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (200, 3)), columns=list("abc"))
    choices = Choices([Candidate(one, "mdl", "scaled") for one in (NB, FAN)], strengths=(3.0,))
    trials = select(coded(X, rng.integers(0, 2, 200)), choices).trials
    assert [trial.structure for trial in trials] == [NB]


@pytest.mark.slow
def test_the_best_comes_first_and_every_round_is_there(table):
    trials = select(table, Choices(centres=("zero",), strengths=(3.0, 1.0))).trials
    losses = [trial.log_loss for trial in trials]
    assert losses == sorted(losses)
    cuttings = {"mdl", "mdl-5", "quantile-5", "quantile-10", "quantile-20"}
    assert {trial.discretize for trial in trials} == cuttings
    assert {trial.penalty_center for trial in trials} == {"scaled", "smooth", "zero"}


@pytest.mark.slow
def test_smooth_tables_of_more_cells_are_not_shrunk_by_far_more(table):
    """What is expensive begins near the best penalty of naive Bayes."""
    found = select(table, Choices([one for one in CANDIDATES if one.penalty_center == "smooth"]))
    plain, *others = dict.fromkeys(trial.candidate for trial in found.trials)
    paths = {
        key: [trial for trial in found.trials if trial.candidate == key] for key in (plain, *others)
    }
    (first,) = (key for key in paths if key[0] == "naive-bayes")
    best = min(paths.pop(first), key=lambda trial: trial.log_loss).penalty
    assert all(trial.penalty <= 30 * best for path in paths.values() for trial in path)


@pytest.mark.parametrize(
    ("discretize", "center"), [("mdl-7", None), (None, "zero"), ("mdl", "smooth")]
)
def test_what_is_given_is_not_chosen_and_nothing_is_tried_twice(discretize, center):
    found = narrowed(CANDIDATES, discretize, center)
    keys = [one.key for one in found]
    assert len(keys) == len(set(keys))
    if discretize:
        assert {one.discretize for one in found} == {discretize}
    if center:
        assert {one.penalty_center for one in found} == {center}
    labels = list(dict.fromkeys(one.method.label for one in CANDIDATES))
    assert list(dict.fromkeys(one.method.label for one in found)) == labels


def test_too_few_rows_to_leave_any_out():
    X = pd.DataFrame({"a": ["p", "q"]})
    assert list(select(coded(X, [0, 1]), Choices()).trials) == []


@pytest.mark.slow
def test_predictions_of_the_best_candidates_are_kept(iris, table):
    _, y = iris
    found = select(table, Choices(centres=("zero",), strengths=(3.0, 1.0)), n_kept=4)
    best = {}
    for trial in found.trials:
        best.setdefault(trial.candidate, trial)
    assert [one.trial for one in found.held_out] == list(best.values())[:4]
    assert sorted(found.classes) == sorted(y)
    rows = np.arange(len(found.classes))
    for trial, logs in found.held_out:
        assert logs.dtype == np.float32
        np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-5)
        mean = -found.weights @ logs[rows, found.classes] / found.weights.sum()
        assert mean == pytest.approx(trial.log_loss, rel=1e-6)


@pytest.mark.slow
def test_rows_left_out_keep_their_order_from_candidate_to_candidate(table):
    choices = Choices([Candidate(one, "mdl", "scaled") for one in (NB, TAN)], strengths=(3.0,))
    held = select(table, choices, n_kept=2).held_out
    folds = inner_folds(table, 3)
    for trial, logs in held:
        trials = Trials(table, folds, n_kept=1)
        trials.path(Candidate(trial.structure, trial.discretize, "scaled"), (3.0,))
        np.testing.assert_array_equal(trials.held_out[0].log_probabilities, logs)


def test_nobody_pays_for_predictions_that_are_not_asked_for(table):
    assert (
        list(select(table, Choices([Candidate(NB, "mdl", "scaled")], strengths=(3.0,))).held_out)
        == []
    )


@pytest.mark.parametrize("name", ["mdl-1", "mdl-0", "mdl-", "quantile", "quantile-5.5", 5, "MD"])
def test_other_ways_to_cut_are_refused(iris, name):
    with pytest.raises(bnlr.ParameterError, match=r"discretize is .*; choose 'auto', 'mdl'"):
        bnlr.BNClassifier(discretize=name).fit(*iris)


@pytest.mark.filterwarnings("ignore::bnlr.BnlrWarning")
@pytest.mark.parametrize("structure", ["auto", "pool"])
@pytest.mark.parametrize(
    "columns",
    [
        {"a": None},
        *in_full({"a": "u"}, {"a": np.nan, "b": np.nan}, {"a": None, "b": "u"}, {"a": 1.5}),
    ],
)
def test_columns_that_tell_nothing_leave_the_shares_of_the_classes(structure, columns):
    X = pd.DataFrame({name: [cell] * 100 for name, cell in columns.items()})
    y = np.array(["x", "y", "y", "y"] * 25)
    found = bnlr.BNClassifier(structure).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found, [[0.25, 0.75]] * 100, atol=0.02)


@pytest.mark.slow
def test_verbose_tells_of_each_candidate_and_iteration(capsys):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (80, 3)), rng.integers(0, 2, 80)
    quiet = bnlr.BNClassifier().fit(X, y)
    assert capsys.readouterr().err == ""
    told = bnlr.BNClassifier(verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    losses = [float(line.split()[1].rstrip(",")) for line in lines if line.startswith("  log-loss")]
    assert sum(line.startswith("choosing, ") for line in lines) >= len(losses)
    assert min(losses) == pytest.approx(told.selection_["log_loss"].min(), abs=1e-4)
    assert any(line.startswith("iteration ") for line in lines)
    np.testing.assert_array_equal(told.predict_proba(X), quiet.predict_proba(X))
    with pytest.raises(bnlr.ParameterError, match="verbose is -1"):
        bnlr.BNClassifier(verbose=-1).fit(X, y)
