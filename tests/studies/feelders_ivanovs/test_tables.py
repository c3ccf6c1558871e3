"""Table 2 from made-up runs whose crossings are counted by hand."""

import pytest

from studies.common import Record, Task
from studies.feelders_ivanovs import sections, user_data
from studies.feelders_ivanovs.paper import COLUMNS, MEAN_ITERATIONS, ROWS
from studies.feelders_ivanovs.tables import flops_table, iterations_table, races, scaled


def run(clls, flops_each=10, start_flops=7):
    rows = [[k, cll, 2, 1, start_flops + flops_each * k] for k, cll in enumerate(clls)]
    return {"start_cll": clls[0], "cll": max(clls), "rows": rows, "iterations": len(rows) - 1}


def records(data, seed, runs):
    return [
        Record(Task(data=data, seed=seed, space=space, solver=solver), run(*runs(space, solver)))
        for space, solver in COLUMNS
    ]


def slow_and_fast(space, solver):
    """CG crosses −100 + 0.95·90 = −14.5 in the fourth iteration, the others in the second."""
    if solver == "cg":
        return [-100, -60, -40, -15, -14, -11], 10
    return [-100, -15, -14.5, -10], 30


def test_the_threshold_lies_five_per_cent_below_the_best():
    (race,) = races(records("a", 1, slow_and_fast))
    assert race.start == -100
    assert race.best == -10
    assert race.threshold == pytest.approx(-14.5)
    assert race.start_spread == 0
    assert race.shortfall(("roos", "cg")) == pytest.approx(1 / 90)


def test_iterations_and_flops_are_those_of_the_first_crossing_less_the_start():
    (race,) = races(records("a", 1, slow_and_fast))
    assert set(race.iterations().values()) == {4.0, 2.0}
    assert race.flops()["roos", "cg"] == 40
    assert race.flops()["roos", "bfgs"] == 60


def test_rows_are_scaled_by_seed_and_then_averaged():
    def even(space, solver):
        return [-100, -50, -10], 10

    found = races([*records("a", 1, slow_and_fast), *records("a", 2, even)])
    iterations, flops = iterations_table(found), flops_table(found)
    assert iterations["a"]["loglinear", "cg"] == pytest.approx((4 / 2 + 1) / 2)
    assert iterations["a"]["loglinear", "bfgs"] == 1
    assert flops["a"]["softmax", "bfgs"] == pytest.approx((60 / 40 + 1) / 2)


def test_a_run_that_never_comes_near_leaves_its_seed_out():
    def one_lost(space, solver):
        return ([-100, -99, -98], 10) if (space, solver) == COLUMNS[0] else ([-100, -10], 10)

    (race,) = races(records("a", 1, one_lost))
    assert race.iterations()[COLUMNS[0]] is None
    assert iterations_table([race]) == {}


def test_a_start_at_the_optimum_divides_by_one():
    assert scaled(dict.fromkeys(COLUMNS, 0.0)) == dict.fromkeys(COLUMNS, 0.0)


def test_a_data_set_with_missing_runs_has_no_row():
    found = races(records("a", 1, slow_and_fast)[:-1])
    assert iterations_table(found) == {}


def test_further_columns_share_the_scale_and_not_the_best():
    def also(space, solver):
        return slow_and_fast(space, solver)

    more = Record(Task(data="a", seed=1, space="roos", solver="newton"), run([-100, -9], 5))
    (race,) = races([*records("a", 1, also), more])
    assert race.best == -10
    assert iterations_table([race])["a"]["roos", "newton"] == pytest.approx(1 / 2)


def test_a_statement_tells_at_which_seeds_it_fails():
    """Roos's CG is the cheapest of seed 1 and the dearest of seed 2."""

    def cheap(space, solver):
        return [-100, -10], 5 if (space, solver) == ("roos", "cg") else 10

    def dear(space, solver):
        return [-100, -10], 500 if (space, solver) == ("roos", "cg") else 10

    found = races(
        [
            record
            for name in ROWS
            for seed, curve in ((1, cheap), (2, dear))
            for record in records(name, seed, curve)
        ]
    )
    lines = sections.statements(iterations_table(found), flops_table(found), found)
    assert lines[-1]["statement"].startswith("If only one method")
    assert lines[-1]["fails at seeds"] == [2]


def test_the_printed_mean_row_is_shown_as_printed():
    found = races(records("a", 1, slow_and_fast))
    table = iterations_table(found)
    text = "".join(sections.table_parts("Iterations", table, {}, "top", MEAN_ITERATIONS))
    assert MEAN_ITERATIONS["loglinear", "cg-brent"] == 2.4
    assert "paper, printed" in text
    assert "2.4" in text


def test_the_rank_correlation_of_what_was_foretold():
    (race,) = races(records("a", 1, slow_and_fast))
    spent = race.flops()
    assert user_data.rank_correlation(spent, race) == pytest.approx(1.0)
    assert user_data.rank_correlation({c: -f for c, f in spent.items()}, race) == pytest.approx(-1)
    assert user_data.rank_correlation({}, race) is None
