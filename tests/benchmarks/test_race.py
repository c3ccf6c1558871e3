"""The search for the loosest tolerance, on contenders whose gap is known."""

import pytest

from benchmarks import race


def judge(optimum=-10.0):
    return race.Judge(objective=lambda x: x, gap=lambda value: (optimum - value) / abs(optimum))


def toy(factor, optimum=-10.0):
    """A contender whose relative gap is its tolerance times ``factor``."""
    return lambda tol: optimum - factor * tol * abs(optimum)


@pytest.mark.parametrize(
    ("factor", "wanted_tolerance"),
    [
        (1e-6, 10**-0.5),
        (1e-5, 0.1),
        (1e-3, 1e-3),
        (0.2e-3, 10**-2.5),
        (1.0, 1e-6),
        (30.0, 10**-7.5),
    ],
)
def test_the_loosest_tolerance_of_the_half_decades_is_found(factor, wanted_tolerance):
    # A little slack: 1e-3 · 1e-3 may be a rounding error above 1e-6.
    finish = race.loosest(toy(factor), judge(), wanted=1.001e-6)
    grid = [10 ** (-k / 2) for k in range(1, 27)]
    literal = next(t for t in grid if factor * t <= 1.001e-6)
    assert finish.reached
    assert finish.tolerance == pytest.approx(literal)
    assert finish.tolerance == pytest.approx(wanted_tolerance)
    assert finish.gap == pytest.approx(factor * literal)


def test_nothing_tighter_than_needed_is_run():
    asked = []

    def run(tol):
        asked.append(tol)
        return toy(1.0)(tol)

    race.loosest(run, judge(), wanted=1.001e-6)
    assert min(asked) == pytest.approx(1e-6)
    assert len(asked) == 7


def test_a_contender_that_never_gets_there_says_so():
    finish = race.loosest(toy(1e9), judge())
    assert not finish.reached
    assert finish.tolerance == race.DECADES[-1]
    assert len(finish.trail) == len(race.DECADES)


def test_a_search_ends_at_its_limit():
    finish = race.loosest(toy(1e9), judge(), limit=-1.0)
    assert not finish.reached
    assert len(finish.trail) == 1


def test_a_negative_gap_counts_as_reached():
    finish = race.loosest(lambda _: -9.0, judge())
    assert finish.reached
    assert finish.gap < 0


def test_best_time_repeats_and_stops():
    calls = []
    assert race.best_time(lambda: calls.append(1), 7, least=0.0) >= 0
    assert len(calls) == 7
    race.best_time(lambda: calls.append(1), 7, least=0.0, enough=-1.0)
    assert len(calls) == 8
