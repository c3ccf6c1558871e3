"""Step lengths along a line."""

from math import cos, exp, inf, log, nan, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.optimize.line_search import line_search


def search(value, slope, **options):
    calls = []

    def line(s):
        calls.append(s)
        return value(s), slope(s)

    return line_search(line, value(0.0), slope(0.0), **options), calls


@given(st.floats(1e-12, 1e12))
def test_parabola_with_its_minimum_anywhere(minimum):
    """Twelve orders of magnitude either way in a few evaluations."""
    step, calls = search(
        lambda s: (s / minimum - 1) ** 2, lambda s: 2 * (s / minimum - 1) / minimum, flatten=0.1
    )
    assert abs(step.s / minimum - 1) <= 0.1
    assert len(calls) <= (8 if minimum < 1 else 14)
    assert step.value == (step.s / minimum - 1) ** 2


def test_the_newton_step_is_tried_first_and_kept():
    step, calls = search(lambda s: (s - 1) ** 2, lambda s: 2 * (s - 1))
    assert (step.s, calls) == (1.0, [1.0])


def test_an_exponential_tail_is_followed():
    step, calls = search(lambda s: exp(-s), lambda s: -exp(-s), flatten=0.1)
    assert step.s >= log(10)
    assert len(calls) <= 4


@given(st.floats(1, 20))
def test_no_step_goes_beyond_the_farthest(farthest):
    step, calls = search(lambda s: exp(-s), lambda s: -exp(-s), flatten=1e-9, farthest=farthest)
    assert step.s == max(calls) == farthest


@given(st.floats(1e-3, 1e3), st.floats(0.1, 5))
def test_sufficient_decrease_and_flat_slope(steep, width):
    """A softplus pair: kinked for large ``steep``, as saturated logistic losses are."""

    def value(s):
        left, right = -steep * (s - width), 2 * steep * (s - width)
        return max(left, 0) + log(1 + exp(-abs(left))) + max(right, 0) + log(1 + exp(-abs(right)))

    def slope(s):
        def sigmoid(t):
            return 1 / (1 + exp(-t)) if t > 0 else exp(t) / (1 + exp(t))

        left, right = -steep * (s - width), 2 * steep * (s - width)
        return -steep * sigmoid(left) + 2 * steep * sigmoid(right)

    if slope(0.0) >= 0:
        return
    step, _ = search(value, slope, flatten=0.2)
    assert step.value <= value(0.0) + 1e-4 * step.s * slope(0.0) + 1e-12 * value(0.0)
    assert abs(step.slope) <= 0.2 * abs(slope(0.0))


@pytest.mark.parametrize("bad", [inf, nan])
def test_backs_away_from_what_is_not_finite(bad):
    step, _ = search(
        lambda s: bad if s > 0.01 else -s + 40 * s * s,
        lambda s: bad if s > 0.01 else -1 + 80 * s,
    )
    assert 0 < step.s <= 0.01
    assert step.value < 0


def test_several_minima():
    step, _ = search(lambda s: cos(3 * s) - 0.1 * s, lambda s: -3 * sin(3 * s) - 0.1, flatten=0.1)
    assert step.value < 1


def test_an_ascent_is_refused():
    """The slope claims a descent that the values deny at every scale."""
    step, calls = search(lambda s: s, lambda _: -1.0)
    assert step is None
    assert len(calls) == 25


def test_nothing_left_but_rounding():
    step, _ = search(lambda _: 1e6, lambda _: -1e-12)
    assert step is None
