"""Which candidates form a pool, and with what weights."""

import numpy as np
import pytest

from bnlr.classifier.auto import pooling
from bnlr.classifier.auto.candidates import Method
from bnlr.classifier.auto.pooling import pool_trials
from bnlr.classifier.auto.selection import Selection
from bnlr.classifier.auto.trials import HeldOut, Trial
from bnlr.classifier.pool.weights import pool_weights
from tests.classifier.pool.test_weights import opinions


def selection(logs, classes, weights):
    """Candidates with these predictions, the best first."""
    held = []
    for k, one in enumerate(logs):
        loss = -float(weights @ one[np.arange(len(classes)), classes] / weights.sum())
        trial = Trial(Method(f"m{k}"), "mdl", "scaled", 3.0, loss, 0.1)
        held.append(HeldOut(trial, np.asarray(one, np.float32)))
    held.sort(key=lambda one: one.trial.rank)
    return Selection([one.trial for one in held], held, classes, weights)


def test_each_member_matters_and_the_rest_is_weighed_anew():
    found = selection(*opinions(6, 2, seed=2))
    pooled = pool_trials(found)
    logs = {one.trial.structure.name: one.log_probabilities for one in found.held_out}
    kept = [logs[trial.structure.name] for trial in pooled.trials]
    expected = pool_weights(kept, found.classes, found.weights)
    np.testing.assert_allclose(pooled.weights, expected)
    assert 1 < len(kept) < 6
    assert min(pooled.weights) >= pooling.LEAST_SHARE * sum(pooled.weights)
    losses = [trial.log_loss for trial in pooled.trials]
    assert losses == sorted(losses)
    assert pooled.log_loss < losses[0]


def test_those_of_least_loss_enter(monkeypatch):
    monkeypatch.setattr(pooling, "MOST_MEMBERS", 2)
    found = selection(*opinions(5, 3, seed=4))
    pooled = pool_trials(found)
    assert {trial.structure.name for trial in pooled.trials} <= {
        one.trial.structure.name for one in found.held_out[:2]
    }


def test_candidates_that_came_to_the_same_enter_once():
    logs, classes, weights = opinions(2, 2, seed=1)
    pooled = pool_trials(selection([logs[0], logs[0], logs[1]], classes, weights))
    assert len({trial.structure.name for trial in pooled.trials} & {"m0", "m1"}) <= 1
    once = pool_trials(selection(logs, classes, weights))
    np.testing.assert_array_equal(pooled.weights, once.weights)


def test_where_all_are_worse_than_nothing_the_best_stays():
    p = np.where(np.arange(400) % 2, 0.2, 0.1)  # of the class that came
    logs = np.log(np.column_stack([p, 1 - p]))
    pooled = pool_trials(selection([logs, 2 * logs], np.zeros(400, int), np.ones(400)))
    assert pooled.weights == [1.0]
    assert pooled.trials[0].structure.name == "m0"
    assert pooled.log_loss == pytest.approx(pooled.trials[0].log_loss, rel=1e-6)
