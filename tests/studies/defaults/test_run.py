"""One task: measures against scikit-learn's, zeros, refusals; every learner runs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss
from sklearn.naive_bayes import CategoricalNB

from studies.common import Task
from studies.defaults import learners, run
from studies.defaults.datasets import load
from studies.defaults.folds import Labels, folds
from studies.defaults.learners import LEARNERS, Learner, available
from studies.defaults.peers import categorical_nb
from studies.defaults.run import FLOOR, log_probabilities, run_task, scores, warm_up


@pytest.fixture(autouse=True)
def cold(monkeypatch):
    monkeypatch.setattr(run, "warm_up", lambda _: None)


@pytest.fixture(scope="module")
def iris():
    return load(["iris"], only_builtin=True).sets["iris"]


def test_measures_are_scikit_learns():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(3), size=50)
    classes = rng.integers(3, size=50)
    found = scores(np.log(probabilities), classes)
    assert found["log_loss"] == pytest.approx(log_loss(classes, probabilities, labels=[0, 1, 2]))
    assert found["error"] == pytest.approx(1 - accuracy_score(classes, probabilities.argmax(1)))
    by_row = [
        sum((p - (k == c)) ** 2 for k, p in enumerate(row))
        for row, c in zip(probabilities.tolist(), classes.tolist(), strict=True)
    ]
    assert found["brier"] == pytest.approx(np.mean(by_row))
    assert found["zeros"] == 0


def test_only_an_exact_zero_is_touched_and_counted():
    with np.errstate(divide="ignore"):
        logs = np.log([[1.0, 0.0], [1.0, 1e-30], [0.5, 0.5]])
    found = scores(logs, np.array([1, 1, 0]))
    by_hand = -(np.log(FLOOR) + np.log(1e-30) + np.log(0.5)) / 3
    assert found["log_loss"] == pytest.approx(by_hand)
    assert found["zeros"] == 1


def test_warming_up_is_once_a_learner_and_says_nothing_of_errors():
    made = []

    def make():
        made.append(1)
        raise RuntimeError("no luck")

    for _ in range(2):
        warm_up(make)
    assert made == [1]


class Guess:
    """Says the share of each class in training, without logarithms."""

    def fit(self, _, y):
        self.shares = np.bincount(y) / len(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.shares, (len(X), 1))


class Broken(Guess):
    def predict_proba(self, _):
        raise RuntimeError("no luck")


def given(monkeypatch, make, **fields):
    monkeypatch.setitem(run.LEARNERS, "x", Learner("X", "", make, **fields))
    return Task(data="iris", seed=0, learner="x")


def test_a_guess_has_the_loss_of_the_shares(monkeypatch, iris):
    found = run_task(given(monkeypatch, Guess), lambda _: iris)
    assert found.result["log_loss"] == pytest.approx([np.log(3)] * 5)
    assert found.result["brier"] == pytest.approx([2 / 3] * 5)
    assert set(found.seconds) == {"fit", "predict"}


def test_a_peer_may_refuse_and_ours_may_not(monkeypatch, iris):
    task = given(monkeypatch, Broken, is_ours=False)
    assert run_task(task, lambda _: iris).result == {"failed": "RuntimeError: no luck"}
    with pytest.raises(RuntimeError, match="no luck"):
        run_task(given(monkeypatch, Broken), lambda _: iris)


def test_counts_are_scikit_learns_naive_bayes(iris):
    part = folds(iris, 0)[0]
    ours = LEARNERS["nb-counts"].make().fit(part.train, part.train_classes)
    labels = Labels().fit(part.train, part.train_classes)
    codes, test_codes = [], []
    for column in part.train:
        known, places = np.unique(labels.transform(part.train)[column], return_inverse=True)
        codes.append(places)
        test_codes.append(np.searchsorted(known, labels.transform(part.test)[column]))
    theirs = CategoricalNB().fit(np.array(codes).T, part.train_classes)
    np.testing.assert_allclose(
        log_probabilities(ours, part), theirs.predict_log_proba(np.array(test_codes).T), atol=0.05
    )  # bnlr smooths the classes' shares too
    near = log_probabilities(categorical_nb().fit(part.train, part.train_classes), part)
    np.testing.assert_allclose(near.argmax(1), log_probabilities(ours, part).argmax(1))


@pytest.fixture(scope="module")
def holed():
    """Numbers and labels with holes, and test labels that training lacks."""
    rng = np.random.default_rng(1)
    n = 60
    classes = pd.Series(rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]))
    numbers = classes.map({"a": 0.0, "b": 2.0, "c": 4.0}) + rng.normal(size=n)
    labels = pd.Series(rng.choice(["u", "v"], n)).astype("str")
    frame = pd.DataFrame({"x": numbers, "l": labels, "k": rng.integers(0, 3, n)})
    frame.loc[3, "l"] = "once"
    frame.loc[::5, "l"] = np.nan
    frame.loc[::6, "x"] = np.nan
    rows = load(["iris"], only_builtin=True).sets["iris"]
    return type(rows)(frame, classes, n, {}, "")


def test_a_library_that_is_absent_leaves_its_learner_out(monkeypatch):
    monkeypatch.setattr(learners, "find_spec", lambda name: None if name == "pyagrum" else name)
    assert set(learners.LEARNERS) - set(available()) == {"pyagrum", *learners.ABLATIONS}


def test_the_quick_version_goes_without_what_is_slow(monkeypatch):
    monkeypatch.setattr(learners, "find_spec", lambda name: name)
    assert set(available()) - set(available(only_fast=True)) == {"ebm"}


@pytest.mark.parametrize("name", list(available()))
def test_every_learner_takes_holes_numbers_and_new_labels(name, holed):
    result = run_task(Task(data="h", seed=0, learner=name), lambda _: holed).result
    assert "failed" not in result
    assert len(result["log_loss"]) == 5
    assert np.mean(result["log_loss"]) < 1.6
    assert 0 <= np.mean(result["error"]) < 0.6
