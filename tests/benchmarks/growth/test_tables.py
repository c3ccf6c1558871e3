"""Lines of exact figures: which break an aim, which are behind, which said nothing."""

import json

import pytest

from benchmarks.growth import jobs, tables
from benchmarks.growth.measure import DONE, TIME
from benchmarks.growth.points import MIDDLE
from benchmarks.growth.run import LARGER, task_of
from studies.common import StudyError

FREQUENCIES = jobs.FREQUENCIES


def done(seconds, **more):
    return {"outcome": DONE, "seconds": seconds, "cells": 10, "shown": False, **more}


def along(axis, costs, name=FREQUENCIES, who=jobs.OURS):
    """Results by task: numbers are seconds, the rest outcomes."""
    return {
        task_of(MIDDLE.at(axis, value), name, who): (
            {"outcome": cost} if isinstance(cost, str) else done(cost)
        )
        for value, cost in costs.items()
    }


def lines(results, before=()):
    return tables.lines(results, dict(before), MIDDLE.values)


def test_a_line_is_what_differs_from_the_middle_on_one_axis():
    results = along("rows", {10_000: 1.0, 30_000: 3.0}) | along("classes", {2: 1.0, 5: 2.0})
    rows, classes = lines(results)
    assert (rows.axis, dict(rows.seconds())) == ("rows", {10_000: 1.0, 30_000: 3.0})
    assert (classes.axis, dict(classes.seconds())) == ("classes", {2: 1.0, 5: 2.0})
    assert rows.slope == pytest.approx(1.0)
    assert not tables.slow([rows, classes])


def test_values_in_order_whatever_the_order_of_the_records():
    (line,) = lines(along("rows", {30_000: 3.0, 10_000: 1.0}))
    assert list(line.found) == [10_000, 30_000]


@pytest.mark.parametrize(("power", "is_slow"), [(1.05, False), (1.2, True)])
@pytest.mark.parametrize("axis", ["rows", "attributes", "classes"])
def test_slopes_above_the_aim(axis, power, is_slow):
    values = (10_000, 30_000, 100_000) if axis == "rows" else (10, 20, 40)
    middle = MIDDLE.values[axis]
    costs = {v: (v / middle) ** power for v in (*values, middle)}
    assert bool(tables.slow(lines(along(axis, costs)))) == is_slow


def test_a_single_steep_step_is_enough():
    (line,) = lines(along("rows", {10_000: 1.0, 30_000: 1.0, 100_000: 10.0}))
    assert line.slope < line.steepest.slope
    assert tables.slow([line]) == [line]


def test_learning_a_structure_may_cost_the_square_of_the_attributes():
    results = along("attributes", {10: 1.0, 20: 3.9}, "TAN") | along(
        "rows", {10_000: 1.0, 20_000: 3.9}, "TAN"
    )
    assert [line.axis for line in tables.slow(lines(results))] == ["rows"]


def test_states_and_parents_are_judged_by_cells():
    results = along("states", {2: 1.0, 4: 8.0})
    for task, result in results.items():
        result["cells"] = {2: 10, 4: 80}[task["states"]]
    (line,) = lines(results)
    assert line.slope == pytest.approx(1.0)
    assert line.size == "cells seen"


def test_holes_have_no_slope():
    (line,) = lines(along("holes", {0.0: 1.0, 0.5: 100.0}))
    assert line.slope is line.steepest is line.aim is None
    assert not tables.slow([line])


def test_points_that_were_not_done_count_in_no_slope():
    (line,) = lines(along("rows", {10_000: 1.0, 20_000: 2.0, 40_000: TIME, 80_000: LARGER}))
    assert line.slope == pytest.approx(1.0)
    assert list(line.seconds()) == [10_000, 20_000]


def test_who_is_behind_and_where():
    ours = along("rows", {10_000: 1.0, 20_000: 4.0})
    theirs = along("rows", {10_000: 2.0, 20_000: 1.0, 40_000: 1.0}, who=jobs.PEER)
    ((line, ratios),) = tables.behind(lines(ours | theirs))
    assert (line.contender, ratios) == (jobs.OURS, {20_000: 4.0})


def test_who_took_long_and_said_nothing():
    results = along("rows", {10_000: 1.0, 20_000: 3.0, 40_000: 4.0})
    assert tables.silent(lines(results)) == {FREQUENCIES: 4.0}
    for result in results.values():
        result["shown"] = True
    assert not tables.silent(lines(results))


def test_an_earlier_run_is_read_back(tmp_path):
    results = along("rows", {10_000: 1.0})
    plain = [{"task": dict(task), "result": result} for task, result in results.items()]
    failed = {"task": {"job": "EM"}, "failure": {}}
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"tasks": [*plain, failed]}), "utf-8")
    assert tables.earlier(path) == results


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tasks": [1]}'])
def test_a_file_that_is_something_else(text, tmp_path):
    path = tmp_path / "any.json"
    path.write_text(text, "utf-8")
    with pytest.raises(StudyError, match=r"--against .*any\.json is no results\.json"):
        tables.earlier(path)
    with pytest.raises(StudyError, match="--against"):
        tables.earlier(tmp_path / "none.json")
