"""What a run has spent."""

import math
from itertools import pairwise

import numpy as np
import pytest

from bnlr.flops import Costs
from bnlr.optimize.base import SOLVERS, minimise
from bnlr.optimize.trace import CountingObjective, Counts, Trace

from .problems import Logistic, categorical


@pytest.fixture
def objective():
    return Logistic(*categorical(200, [3, 4], 3, seed=1), 3)


def test_counts_what_is_asked_for(objective):
    counted, x, d = CountingObjective(objective), np.zeros(objective.size), np.ones(objective.size)
    assert counted.value(x) == objective.value(x)
    assert counted.counts == Counts(1, 0, 0)
    counted.value_and_gradient(x)  # the value is known from just before
    assert counted.counts == Counts(1, 1, 0)
    counted.value_and_gradient(d)
    assert counted.counts == Counts(2, 2, 0)
    line = counted.along(x, d)
    assert counted.counts == Counts(3, 2, 0)
    assert line(0.5) == objective.along(x, d)(0.5)
    line(0.25)
    assert counted.counts == Counts(5, 2, 0)
    product = counted.hessian(x)
    np.testing.assert_array_equal(product(d), objective.hessian(x)(d))
    product(d)
    assert counted.counts == Counts(5, 2, 2)
    np.testing.assert_array_equal(counted.preconditioner(x)(d), objective.preconditioner(x)(d))
    assert counted.counts == Counts(5, 2, 2)


def test_a_value_asked_for_earlier_in_the_line_search_is_known(objective):
    counted, x = CountingObjective(objective), np.zeros(objective.size)
    counted.value(x)
    counted.value(x + 1)  # a trial that was no better
    counted.value_and_gradient(x)
    assert counted.counts == Counts(2, 1, 0)
    counted.value_and_gradient(x)  # a restart takes the gradient again
    assert counted.counts == Counts(2, 2, 0)
    counted.value_and_gradient(x + 1)  # forgotten since
    assert counted.counts == Counts(3, 3, 0)


def test_a_point_changed_in_place_is_another_point(objective):
    counted, x = CountingObjective(objective), np.zeros(objective.size)
    counted.value(x)
    x += 1
    counted.value_and_gradient(x)
    assert counted.counts == Counts(2, 1, 0)


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_rows(objective, solver):
    costs = Costs(objective.size, cll=1000, gradient=3000, hvp=5000, solver=solver)
    counted, states = CountingObjective(objective, costs), []
    trace = Trace(counted, then=states.append)
    result = minimise(counted, np.zeros(objective.size), solver=solver, on_iteration=trace)
    rows = trace.rows
    assert [row.iteration for row in rows] == list(range(result.n_iter + 1))
    assert [row.value for row in rows] == [state.value for state in states]
    assert rows[0][2:6] == (1, 1, 0, 4000)
    assert rows[-1].value == result.value
    assert all(later.seconds >= earlier.seconds for earlier, later in pairwise(rows))
    totals = [sum(row[k] for row in rows) for k in (2, 3, 4)]
    unrecorded = np.array(counted.counts) - totals
    assert unrecorded[:2].tolist() == [0, 0] or solver != "newton"
    assert (unrecorded >= 0).all()
    flops = 4000
    for row in rows[1:]:
        flops += costs.iteration(row.n_cll, row.n_grad, row.n_hvp)
        assert row.flops == flops


def test_then_stops_the_run(objective):
    counted = CountingObjective(objective)
    trace = Trace(counted, then=lambda state: state.iteration == 1)
    minimise(counted, np.zeros(objective.size), on_iteration=trace)
    assert len(trace.rows) == 2
    assert all(math.isnan(row.flops) for row in trace.rows)


def test_frame(objective):
    counted = CountingObjective(objective, Costs(objective.size, 1, 1, 1))
    trace = Trace(counted)
    minimise(counted, np.zeros(objective.size), on_iteration=trace)
    frame = trace.to_frame()
    assert list(frame.columns) == [
        "iteration",
        "value",
        "n_cll",
        "n_grad",
        "n_hvp",
        "flops",
        "seconds",
    ]
    assert [tuple(row) for row in frame.itertuples(index=False)] == [
        tuple(row) for row in trace.rows
    ]
