"""Points: the data have the sizes they say, and are the same on every run."""

from itertools import product

import numpy as np
import pytest

from benchmarks.growth.points import AXES, MIDDLE, QUICK, QUICK_AXES, Point, Problem
from benchmarks.growth.run import point_of, task_of

POINT = Point(rows=500, attributes=5, states=300, classes=7, parents=3, holes=0.2)


@pytest.mark.parametrize(("middle", "axes"), [(MIDDLE, AXES), (QUICK, QUICK_AXES)])
def test_axes_cross_at_the_middle(middle, axes):
    assert set(axes) <= set(middle.values)
    for axis, values in axes.items():
        assert list(values) == sorted(set(values))
        assert middle.values[axis] in values


def test_data_have_the_size_of_their_point():
    problem = Problem(POINT)
    data = problem.data
    assert (data.n_rows, len(data.nodes) - 1, data.class_name) == (500, 5, "class")
    assert [data.cards[node] for node in data.nodes] == [7, *[300] * 5]
    share = (data.codes[:, 1:] < 0).mean()
    assert 0.15 < share < 0.25
    assert (data.codes[:, 0] >= 0).all()
    seen = data.codes >= 0
    np.testing.assert_array_equal(data.codes[seen], problem.complete.codes[seen])
    assert [len(problem.given.parents(n)) for n in data.nodes] == [0, 1, 2, 3, 4, 4]


def test_data_are_seeded():
    one, two = Problem(POINT), Problem(POINT)
    np.testing.assert_array_equal(one.data.codes, two.data.codes)
    assert one.given == two.given


@pytest.mark.slow
@pytest.mark.parametrize("states", [2, 300])
def test_cells_seen_are_those_of_the_families(states):
    problem = Problem(Point(rows=200, attributes=4, states=states, classes=3, parents=2), 0.0)
    codes = dict(zip(problem.complete.nodes, problem.complete.codes.T.tolist(), strict=True))
    for name, graph in (("naive", problem.naive), ("given", problem.given)):
        families = [(*graph.parents(n), n) for n in problem.complete.nodes[1:]]
        count = sum(len(set(zip(*(codes[n] for n in f), strict=True))) for f in families)
        assert problem.units.cells[name] == count


def test_the_class_shows_and_so_do_parents():
    problem = Problem(Point(rows=20_000, attributes=3, states=4))
    codes = problem.complete.codes
    assert abs(np.corrcoef(codes[:, 0], codes[:, 1])[0, 1]) > 0.02
    (parent,) = set(problem.given.parents("x0002")) - {"class"}
    same = codes[:, 2] == codes[:, problem.complete.nodes.index(parent)]
    assert same.mean() > 0.35


def test_within_is_in_every_value():
    for axis, other in product(MIDDLE.values, repeat=2):
        more = MIDDLE.at(axis, MIDDLE.values[axis] + 1)
        assert MIDDLE.is_within(more)
        assert more.is_within(MIDDLE.at(other, MIDDLE.values[other] + 1)) == (axis == other)


def test_a_task_gives_its_point_back():
    assert point_of(task_of(POINT, "EM", "bnlr")) == POINT
