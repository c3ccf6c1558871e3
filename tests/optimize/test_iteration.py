"""The outer loop: a walk that only restarts is ended, and by nothing else is one cut short."""

import numpy as np
import pytest

from bnlr.optimize.base import Result, State, Status
from bnlr.optimize.iteration import MAX_RESTARTS, walk_on


class Restarting:
    """Restarts ``n`` times before each iteration."""

    def __init__(self, n):
        self.n, self.n_iter, self.n_calls = n, 0, 0

    def state(self):
        return State(self.n_iter, 1.0, np.zeros(1), np.ones(1))

    def trouble(self):
        return None

    def advance(self):
        self.n_calls += 1
        self.n_iter += self.n_calls % (self.n + 1) == 0

    def result(self, status):
        return Result(np.zeros(1), 1.0, np.ones(1), status, self.n_iter, None, "")


def test_a_walk_that_only_restarts_is_ended():
    walk = Restarting(10**6)
    assert walk_on(walk, 100, lambda _: False).status is Status.PRECISION
    assert walk.n_calls == MAX_RESTARTS


@pytest.mark.parametrize("n", [0, 1, MAX_RESTARTS - 1])
def test_restarts_between_iterations_are_free(n):
    seen = []
    result = walk_on(Restarting(n), 7, seen.append)
    assert result.status is Status.ITERATION_LIMIT
    assert result.n_iter == 7
    assert [state.iteration for state in seen] == list(range(8))
