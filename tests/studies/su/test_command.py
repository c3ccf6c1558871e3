"""The command from its options to its files."""

import csv
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Task, main
from studies.common.sets import find
from studies.su import command, run
from studies.su.datasets import load
from studies.su.learners import train
from studies.su.paper import COLUMNS
from studies.su.preprocess import split

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["su", *map(str, words)])


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The quick study with fewer runs and epochs, without workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "QUICK_RUNS", 1)
        patch.setattr(run, "MOST_EPOCHS", 2)
        out = tmp_path_factory.mktemp("quick") / "out"
        assert studies("--quick", "--jobs", 0, "--quiet", "--out", out) == 0
    return out


def test_files_and_page(quick):
    text = (quick / "index.html").read_text("utf-8")
    assert text.count("<img") == 4
    assert "quick version" in text
    assert json.loads((quick / "checks.json").read_text())["verdicts"] == []
    assert "Table 3" in (quick / "times.html").read_text("utf-8")
    lines = list(csv.DictReader((quick / "accuracies.csv").read_text("utf-8").splitlines()))
    assert len(lines) == 2 * len(COLUMNS)
    assert {line["data"] for line in lines} == {"iris", "waveform"}


def test_seconds_stand_only_where_they_may_differ(quick):
    for name in ("index.html", "accuracies.csv", "checks.json", "results.json", "results.csv"):
        assert "seconds" not in (quick / name).read_text("utf-8").replace(
            "as seconds differ from run to run", ""
        )


def test_a_task_counts_right_test_rows():
    raw = load(["iris"], only_builtin=True).sets["iris"]
    task = Task(kind=run.ACCURACY, data="iris", repetition=3)
    found = run.run_task(task, lambda _: raw)
    assert found.result["tested"] == [10] * 10
    rows, held_out = run.folds(raw, task.part("data", "repetition"))[4]
    parts = split(raw, rows, held_out)
    for name, learner in train(parts.train, COLUMNS).items():
        right = sum(
            int(mine == true)
            for mine, true in zip(learner.predict(parts.test), raw.classes[held_out], strict=True)
        )
        assert found.result["correct"][name][4] == right
    assert set(found.seconds) == {f"{n} {w}" for n in COLUMNS for w in ("structure", "parameters")}


def test_folds_are_stratified_and_another_repetition_has_others():
    raw = load(["iris"], only_builtin=True).sets["iris"]
    first, second = (run.folds(raw, Task(data="iris", repetition=k)) for k in range(2))
    assert sorted(np.concatenate([test for _, test in first])) == list(range(raw.n_rows))
    for train_rows, test_rows in first:
        assert not set(train_rows) & set(test_rows)
        assert np.bincount(raw.classes[test_rows]).tolist() == [5, 5]
    assert [t.tolist() for _, t in first] != [t.tolist() for _, t in second]


def test_a_curve_of_one_class_predicts_it(monkeypatch):
    raw = load(["iris"], only_builtin=True).sets["iris"]
    monkeypatch.setattr(run, "SIZES", (1, 20))
    shares = run.run_task(Task(kind=run.CURVE, data="iris", run=0), lambda _: raw).result
    for method in run.CURVE_METHODS:
        assert shares[method][0] == pytest.approx(49 / 99)
        assert shares[method][1] > 0.9


def test_long_tasks_come_first_and_figures_only_for_the_largest():
    loaded = load(["iris", "waveform"], only_builtin=True).sets
    tasks = command.tasks(loaded, 2, 3)
    assert [task["data"] for task in tasks[:4]] == ["waveform", "waveform", "iris", "iris"]
    kinds = [run.LONG, run.INGREDIENTS, run.EPOCHS]
    assert [task["kind"] for task in tasks[4:]] == [k for k in kinds for _ in range(2)] + [
        run.CURVE
    ] * 3
    assert {task["data"] for task in tasks if task["kind"] in {run.LONG, run.CURVE}} == {"waveform"}
    assert run.LONG not in {task["kind"] for task in command.tasks(loaded, 2, 3, is_long=False)}


def test_a_long_run_is_shorter_runs_one_after_another(monkeypatch):
    raw = load(["iris"], only_builtin=True).sets["iris"]
    monkeypatch.setattr(run, "SNAPSHOTS", (1, 2, 5))
    monkeypatch.setattr(run, "MOST_EPOCHS", 5)
    found = run.run_task(Task(kind=run.LONG, data="iris", structure="NB"), lambda _: raw).result
    short = run.run_task(Task(kind=run.EPOCHS, data="iris"), lambda _: raw).result
    assert found["epochs"] == [1, 2, 5]
    for part in ("train", "test"):
        assert found[part] == [short[part][k] for k in (0, 1, 4)]


def test_ingredients_are_judged_on_the_folds_of_the_epochs():
    raw = load(["iris"], only_builtin=True).sets["iris"]
    found = run.run_task(Task(kind=run.INGREDIENTS, data="iris"), lambda _: raw).result
    assert found["tested"] == [10] * 10
    assert all(0 <= right <= 10 for own in found["correct"].values() for right in own)
    assert set(found["correct"]) >= {"FE", "DFE", "no equation 3"}


def test_fingerprints_see_every_cell():
    raw = load(["iris"], only_builtin=True).sets["iris"]
    numbers = raw.numbers.copy()
    assert command.fingerprint(replace(raw, numbers=numbers)) == command.fingerprint(raw)
    numbers[3, 2] += 1e-9
    assert command.fingerprint(replace(raw, numbers=numbers)) != command.fingerprint(raw)


def test_a_set_that_is_gone():
    with pytest.raises(bnlr.BnlrError, match="labor"):
        find("labor", partial(load, only_builtin=True))
