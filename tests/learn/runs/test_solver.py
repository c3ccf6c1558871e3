"""Newton's method an iteration at a time: the points of one that is not stopped."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bnlr.learn.runs.solver import NewtonSteps, find_minimum
from bnlr.objectives import small_newton
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.spaces.l_model import Free
from tests.search.cll.test_screening import dataset


@pytest.mark.parametrize("small", [0, 2**16])
def test_steps_end_where_the_whole_walk_does(small, monkeypatch):
    monkeypatch.setattr(small_newton, "SMALL", small)
    rows = CompleteRows.of(dataset(n_classes=3), 1)
    layout = rows.layout(Chordal.of(4, range(4), [(0, 1), (1, 2)]))
    start = np.zeros((layout.n_cells, 2))
    space = Free(layout.structure, rows.data.states)
    penalty = Penalty(layout, 0.1, start)
    objective = ConditionalObjective(rows.design(layout), space, penalty)
    steps, n_steps = NewtonSteps(objective, start.ravel(), 1e-9, 100), 0
    while not steps.is_done:
        steps.advance()
        n_steps += 1
    result = find_minimum(objective, start.ravel(), tol=1e-9, max_iter=100)
    assert_array_equal(steps.x, result.x)
    assert result.n_iter == n_steps > 2
    few = NewtonSteps(objective, start.ravel(), 1e-9, 2)
    few.advance()
    assert not few.is_done
    few.advance()
    assert few.is_done
