"""Slopes of exact figures are exact."""

import pytest

from benchmarks.growth.slopes import Steepest, least_squares, steepest

SIZES = (10, 20, 50, 1000)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_a_power_has_its_slope_everywhere(power):
    costs = [3.0 * size**power for size in SIZES]
    assert least_squares(SIZES, costs) == pytest.approx(power)
    assert steepest(SIZES, costs).slope == pytest.approx(power)


def test_least_squares_weigh_all_points():
    assert least_squares((1, 10, 100), (1, 1, 100)) == pytest.approx(1.0)


def test_the_steepest_is_between_neighbours_and_says_where():
    assert steepest((100, 1, 10), (2000.0, 1.0, 20.0)) == (pytest.approx(2.0), 100)
    assert steepest((1, 10, 100), (1.0, 1000.0, 1001.0)) == Steepest(pytest.approx(3.0), 10)


def test_sizes_that_hardly_differ_tell_no_local_slope():
    assert steepest((100, 110, 200), (1.0, 9.0, 2.0)).slope == pytest.approx(1.0)
    assert steepest((100, 110), (1.0, 9.0)) is None


def test_one_size_has_no_slope():
    assert least_squares((5,), (1.0,)) is None
    assert least_squares((5, 5), (1.0, 2.0)) is None
    assert steepest((5,), (1.0,)) is None
    assert least_squares((), ()) is steepest((), ()) is None
