"""The command: what it asks for, goes on with, and shows."""

import os
from functools import partial

import pytest

from benchmarks.growth import __main__ as command
from benchmarks.growth import jobs, run
from benchmarks.growth.measure import DONE, MEMORY, REFUSED, TIME, Limits
from benchmarks.growth.points import AXES, QUICK, Point
from benchmarks.growth.report import report
from studies.common import Options, Study, run_study

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
FEW = ("--quick", "--quiet", "--axes", "rows", "--tasks", jobs.FREQUENCIES)


def asked(*words):
    return command.tasks(command._parser().parse_args(words))


def test_all_is_asked_for_and_nothing_twice():
    tasks = asked()
    assert len(tasks) == len(set(tasks))
    for axis, values in AXES.items():
        for (name, who), job in jobs.JOBS.items():
            found = {t[axis] for t in tasks if (t["job"], t["contender"]) == (name, who)}
            assert found == ({Point().values[axis]} if axis in job.skips else set(values))


@pytest.mark.slow
def test_options_choose():
    assert {t["job"] for t in asked("--tasks", "EM", "TAN")} == {"EM", "TAN"}
    assert {t["classes"] for t in asked("--axes", "rows", "holes")} == {2}
    assert max(t["rows"] for t in asked("--most-rows", "100000")) == 100_000
    assert max(t["rows"] for t in asked("--quick")) < 1000


@pytest.mark.slow
def test_a_run_goes_on_and_is_compared(tmp_path, capsys):
    first, second = tmp_path / "first", tmp_path / "second"
    assert command.main([*FEW, "--out", str(first)]) == 0
    kept = (first / "results.json").read_bytes()
    assert command.main([*FEW, "--out", str(first), "--resume"]) == 0
    assert (first / "results.json").read_bytes() == kept
    against = ("--against", str(first / "results.json"))
    assert command.main([*FEW, "--out", str(second), *against]) == 0
    assert "earlier run" in (second / "index.html").read_text("utf-8")
    other = [*FEW, "--out", str(first), "--resume", "--time-limit", "5"]
    assert command.main(other) == 2
    assert "limits is" in capsys.readouterr().err


def test_bad_input_is_one_line(tmp_path, capsys):
    assert command.main([*FEW, "--against", str(tmp_path / "none"), "--out", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--against" in line
    with pytest.raises(SystemExit):
        command.main(["--time-limit", "0"])


@pytest.mark.slow
def test_a_limit_ends_a_line_and_not_the_run(monkeypatch):
    def spin(_problem):
        def forever():
            while True:
                pass

        return forever

    key = (jobs.FREQUENCIES, jobs.OURS)
    calls = []

    def prepare(problem):
        calls.append(problem.point)
        return spin(problem) if len(calls) > 1 else dict

    monkeypatch.setitem(jobs.JOBS, key, jobs.Job(prepare))
    run._ends.cache_clear(), run._warm.cache_clear()
    limits = Limits(0.2, 2**30, 0.0)
    points = [QUICK, QUICK.at("rows", 400), QUICK.at("rows", 100)]
    found = [run.run_task(limits, run.task_of(point, *key))["outcome"] for point in points]
    assert found == [TIME, run.LARGER, TIME]
    run._ends.cache_clear(), run._warm.cache_clear()


def results_at(rows):
    if rows == 1_000_000:
        return {"outcome": TIME}
    if rows == 3_000_000:
        return {"outcome": run.LARGER}
    return {"outcome": DONE, "seconds": (rows / 10_000) ** 2, "memory": 9, "bytes": 3, "b": 2.0,
            "c": 0.1, "cells": 10, "shown": False, "converged": rows < 30_000, "iterations": 11,
            "passes": 23}  # fmt: skip


def fake(task):
    result = results_at(task["rows"])
    if task["contender"] == jobs.PEER and result["outcome"] == DONE:
        return {**result, "seconds": 0.5}
    return result


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    args = command._parser().parse_args(["--axes", "rows", "holes"])
    settings = command.build(args).settings
    study = Study("growth", 1, settings, command.tasks(args), fake, partial(report, before={}))
    folder = tmp_path_factory.mktemp("growth")
    assert run_study(study, Options(folder / "out", jobs=0, quiet=True)).exit_code == 0
    return (folder / "out" / "index.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "What breaks the aims",
        "<strong>2.00 up to ",
        "30,000: 18.0; 100,000: 200.0",
        "EM, rows: &gt; limit at 1,000,000",
        "EM, rows: not tried at 3,000,000",
        "EM: 1000000.0 s",
        "In B.",
        "In C.",
        "over the Dataset&#x27;s bytes",
        "<strong>11 / 23 not converged</strong>",
        "data:image/svg+xml",
        "10,000 rows, 20 attributes, 4 states, 2 classes, 1 parents, 0.0 holes",
        ">Holes</h2>",
    ],
)
def test_the_page_has_its_parts(text, page):
    assert text in page


@pytest.mark.slow  # draws a page
def test_the_page_asks_nobody(page):
    assert "http" not in page.replace("http-equiv", "")


def test_refusals_and_memory_are_told():
    from benchmarks.growth.report import _LIMITS

    assert set(_LIMITS) == {TIME, MEMORY, REFUSED, run.LARGER}
