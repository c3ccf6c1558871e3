"""The command from its options to its files, and single tasks against values found otherwise."""

import csv
import json

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Task, main
from studies.common.sources import RawSet
from studies.greiner import command, run, tables, tasks
from studies.greiner.datasets import HOLE_RATE, fold, load
from tests.width import width

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["greiner", *map(str, words)])


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The quick study on one set, without workers; where narrow, of few folds and samples."""
    n_folds = tasks.n_folds
    with pytest.MonkeyPatch.context() as patch:
        for module in (tasks, tables):
            patch.setattr(module, "n_folds", lambda name: width(n_folds(name), 1))
        patch.setattr(tasks, "AGREEMENTS", width(tasks.AGREEMENTS, tasks.AGREEMENTS[-1:]))
        patch.setattr(tasks, "CURVES", width(tasks.CURVES, {"complete": ("ofe", "elr")}))
        patch.setattr(tasks, "LINKED", width(tasks.LINKED, tasks.LINKED[:1]))
        patch.setattr(command, "QUICK", ("corral",))
        patch.setattr(tasks, "QUICK_SIZES", (10,))
        out = tmp_path_factory.mktemp("few") / "out"
        words = ("--quick", "--seeds", width(2, 1), "--jobs", 0, "--quiet", "--out", out)
        assert studies(*words) == 0
    return out


@pytest.mark.wide  # two hundred tasks, many of them tuned by cross-validation, are slow
def test_files_and_page(few):
    text = (few / "index.html").read_text("utf-8")
    assert "Table II, NB." in text
    assert "Figure 11 (a)" in text
    assert text.count("<img") >= 8
    assert json.loads((few / "checks.json").read_text())["statements"]
    lines = list(csv.DictReader((few / "accuracies.csv").read_text("utf-8").splitlines()))
    assert {line["data"] for line in lines} == {"corral"}
    assert {"NB+OFE", "TAN+ELR", "NB+EM", "NB+ELR_θ"} <= {line["system"] for line in lines}


def corral_task(learner, structure="naive-bayes", rows="complete"):
    return Task(
        part="tables", data="corral", rows=rows, structure=structure, learner=learner, fold=1
    )


@pytest.fixture(scope="module")
def corral():
    return load(["corral"], download=False).sets["corral"].frame


def test_ofe_is_counted_with_one_added(corral):
    """Naive Bayes by literal counts."""
    rows = fold("corral", corral, 1)
    found = run.run_task(corral_task("OFE"), lambda _: RawSet(corral, "")).result
    wrong = 0
    for k in range(rows.test.n_rows):
        scores = []
        for c in range(2):
            own = rows.train.class_codes == c
            score = np.log((own.sum() + 1) / (rows.train.n_rows + 2))
            for node in rows.train.nodes[:-1]:
                same = rows.train.column(node)[own] == rows.test.column(node)[k]
                score += np.log((same.sum() + 1) / (own.sum() + 2))
            scores.append(score)
        wrong += int(np.argmax(scores)) != rows.test.class_codes[k]
    assert (found["errors"], found["n"], found["iterations"]) == (wrong, rows.test.n_rows, 0)


def test_learners_of_a_fold_see_the_same_holes(corral, monkeypatch):
    seen = []
    learn = run.learn
    monkeypatch.setattr(
        run, "learn", lambda name, graph, train: seen.append(train) or learn(name, graph, train)
    )
    for learner in ("EM", "APN", "ELR"):
        run.run_task(corral_task(learner, rows="incomplete"), lambda _: RawSet(corral, ""))
    assert all(np.array_equal(seen[0].codes, train.codes) for train in seen)
    assert np.array_equal(seen[0].codes, fold("corral", corral, 1, HOLE_RATE).train.codes)
    assert (seen[0].codes < 0).any()


def test_errors_with_and_without_holes_in_the_test_rows(corral):
    found = run.run_task(
        corral_task("EM", "tan", "incomplete"), lambda _: RawSet(corral, "")
    ).result
    rows = fold("corral", corral, 1, HOLE_RATE)
    graph = bnlr.learn_structure(rows.train, "tan")
    network = bnlr.fit(graph, rows.train, learner="em", tol=1e-6, max_iter=200).network
    for name, test in (("errors", rows.test), ("errors_whole", rows.test_whole)):
        labels = network.predict_proba(test).argmax(axis=1)
        assert found[name] == (labels != test.class_codes).sum()


def test_iterations_begin_at_ofe(corral):
    task = Task(part="iterations", data="corral", rows="complete", structure="naive-bayes", fold=1)
    found = run.run_task(task, lambda _: RawSet(corral, ""))
    assert len(found["train"]) == len(found["test"]) == run.LAST_ITERATION + 1
    assert (
        found["test"][0]
        == run.run_task(corral_task("OFE"), lambda _: RawSet(corral, "")).result["errors"]
    )
    assert found["train"][-1] <= found["train"][0]


def test_more_rows_of_a_curve_are_the_same_and_more(corral, monkeypatch):
    seen = []
    learn = run.learn
    monkeypatch.setattr(
        run, "learn", lambda name, graph, train: seen.append(train) or learn(name, graph, train)
    )
    for size in (10, 40):
        task = Task(
            part="curve", data="corral", rows="complete", structure="naive-bayes", size=size, seed=0
        )
        assert set(run.run_task(task, lambda _: RawSet(corral, ""))["errors"]) == {"OFE", "ELR"}
    few, many = seen[0], seen[-1]
    assert (few.n_rows, many.n_rows) == (10, 40)
    assert np.array_equal(few.codes, many.codes[:10])


def test_error_of_a_noisy_copy_is_enumerated():
    task = Task(
        part="irrelevant attributes", rows="complete", k=3, agreement=0.9, size=5000, seed=1
    )
    found = run.run_task(task, lambda _: None)
    assert found["errors"]["OFE"] == pytest.approx(0.1)


def test_a_set_that_is_nowhere_is_told(tmp_path, capsys):
    words = ("--sets", "letter", "--no-download", "--data-dir", tmp_path)
    assert studies(*words, "--out", tmp_path / "out") == 2
    assert "letter" in capsys.readouterr().err
