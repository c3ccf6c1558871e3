"""Rates and verdicts from made-up races, and the command."""

import csv
import io
import json

import numpy as np
import pytest
from scipy import stats

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Outcome, Record, Study, Task, main
from studies.feelders_ivanovs.paper import COLUMNS
from studies.recommender import command, run
from studies.recommender.report import report
from studies.recommender.tables import fitted_rates, judged, off_by, statements

pytest.importorskip("matplotlib")


def race(use, k, expected, spent, steps=2.0, iterations=4.0, evaluations=10.0):
    columns = [
        {
            "space": space,
            "solver": solver,
            "steps": steps,
            "expected": expected[place],
            "iterations": iterations,
            "evaluations": evaluations,
            "flops": spent[place],
        }
        for place, (space, solver) in enumerate(COLUMNS)
    ]
    return Record(Task(use=use, problem=k), {"name": "p", "classes": 2, "columns": columns})


UP = [float(10 * (k + 1)) for k in range(9)]


def told(expected, n=30):
    return statements(judged([race(run.JUDGE, k, expected, UP) for k in range(n)]))


def test_statements_hold_where_all_is_foretold_and_fail_where_nothing_is():
    # The paper's advice has the places 2, 0 and 3: the first is the cheapest here.
    assert [line["holds"] for line in told(UP)] == [True, True, False]
    assert [line["holds"] for line in told(UP[::-1])] == [False] * 3
    assert told(UP)[0]["figures"]["mean"] == pytest.approx(1.0)


def test_the_paper_s_advice_is_beaten_where_it_is_dear():
    spent = [90.0, 20.0, 80.0, 70.0, 10.0, 30.0, 40.0, 50.0, 60.0]
    lines = statements(judged([race(run.JUDGE, k, spent, spent) for k in range(30)]))
    assert [line["holds"] for line in lines] == [True] * 3
    assert lines[2]["figures"]["roos cg"] == pytest.approx(7.0)


def test_fewer_problems_have_no_verdict():
    assert [line["holds"] for line in told(UP, 29)] == [None] * 3


def test_correlation_and_regret_leave_out_what_never_came_near():
    expected = [3.0, 1.0, 2.0, *UP[3:]]
    spent = [*UP[:8], None]
    (one,) = judged([race(run.JUDGE, 1, expected, spent)])
    assert one.correlation == pytest.approx(stats.spearmanr(expected[:8], UP[:8]).statistic)
    assert one.recommended == COLUMNS[1]
    assert one.regret(one.recommended) == pytest.approx(2.0)
    assert one.regret(COLUMNS[8]) is None


def test_what_never_reaches_the_threshold_or_costs_the_same_breaks_no_page(tmp_path):
    never = [race(run.JUDGE, 1, [9.0, 1.0, *UP[2:]], [10.0, None, *UP[2:]])]
    alike = [race(run.JUDGE, 2, UP, [5.0] * 9)]
    for records in (never, alike, never + alike):
        tasks = [record.task for record in records]
        study = Study("recommender", 1, {}, tasks, run.run_task)
        files = report(Outcome(study, tuple(records), tmp_path))
        (regret,) = (
            line["figures"]["mean"]
            for line in json.loads(files["checks.json"])["statements"]
            if line["statement"].startswith("what is recommended")
        )
        assert regret == ("infinite" if never[0] in records else 1.0)
    rows = list(csv.DictReader(io.StringIO(files["problems.csv"])))
    assert [row["regret"] for row in rows] == ["", "1.0"]
    assert [row["correlation"] == "" for row in rows] == [False, True]


def test_one_that_is_recommended_and_never_reaches_the_threshold_fails_the_statements():
    records = [race(run.JUDGE, k, UP, UP) for k in range(29)]
    records.append(race(run.JUDGE, 30, UP, [None, *UP[1:]]))
    lines = statements(judged(records))
    assert [line["holds"] for line in lines[1:]] == [False, False]
    assert lines[1]["figures"]["largest"] == "infinite"


def test_options_that_it_cannot_heed_are_refused(capsys, tmp_path):
    for words in (["--seeds", "3"], ["--data-dir", str(tmp_path)], ["--problems", "0"]):
        assert main(COMMANDS, ["recommender", *words]) == 2
        assert words[0] in capsys.readouterr().err


def test_rates_are_those_that_made_the_iterations():
    records = [
        race(run.FIT, k, UP, UP, steps, np.exp(0.5) * steps**1.5, 3 * np.exp(0.5) * steps**1.5)
        for k, steps in enumerate((1.0, 2.0, 5.0, 20.0))
    ]
    for rate in fitted_rates(records).values():
        assert rate == pytest.approx((0.5, 1.5, 3.0))
    assert fitted_rates([race(run.JUDGE, 1, UP, UP)]) == {}


def test_by_how_much_flops_are_off():
    found = off_by([race(run.JUDGE, k, [2 * x for x in UP], UP) for k in range(3)])
    assert list(found.values()) == pytest.approx([2.0] * 9)


def test_problems_are_seeded_and_those_to_judge_by_are_others():
    one, again, other = (
        run.problem(Task(use=use, problem=3)) for use in (run.FIT, run.FIT, run.JUDGE)
    )
    assert np.array_equal(one.data.codes, again.data.codes)
    assert (one.name, one.data.n_rows) == (again.name, again.data.n_rows)
    assert one.name != other.name or not np.array_equal(one.data.codes, other.data.codes)


def test_a_task_has_what_recommend_says():
    task = Task(use=run.JUDGE, problem=2)
    study = run.problem(task)
    found = run.run_task(task)["columns"]
    table = bnlr.recommend(study.structure, study.data).table
    assert [c["expected"] for c in found] == table["flops"].tolist()


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_QUICK_PROBLEMS", 3)
    out = tmp_path / "out"
    words = ["recommender", "--quick", "--jobs", "0", "--quiet", "--out", str(out)]
    assert main(COMMANDS, words) == 0
    said = json.loads((out / "checks.json").read_text("utf-8"))["statements"]
    assert [line["holds"] for line in said] == [None] * 3
    assert set(json.loads((out / "rates.json").read_text("utf-8"))) == {
        " ".join(column) for column in COLUMNS
    }
