"""The command from its options to its files; verdicts on made-up losses."""

import csv
import itertools
import json

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.common.sources import CLASS, RawSet
from studies.missing_cells import command, run
from studies.missing_cells.datasets import N_FOLDS, CategoricalFold, fold, load, with_holes
from studies.missing_cells.learners import LEARNERS, learn
from studies.missing_cells.tables import FIXED, MATCHED, cells, flat, verdicts

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["missing-cells", *map(str, words)])


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The quick study with naive Bayes alone, without workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "STRUCTURES", ("naive-bayes",))
        out = tmp_path_factory.mktemp("few") / "out"
        assert studies("--quick", "--jobs", 0, "--quiet", "--out", out) == 0
    return out


def loss(folder, learner, rate):
    lines = csv.DictReader((folder / "log_losses.csv").read_text("utf-8").splitlines())
    (found,) = (
        float(line["log_loss"])
        for line in lines
        if line["learner"] == learner and float(line["missing"]) == rate
    )
    return found


def test_files_and_page(few):
    text = (few / "index.html").read_text("utf-8")
    assert "tic‑tac‑toe" in text
    assert text.count("<img") == 1
    assert len(json.loads((few / "checks.json").read_text())["verdicts"]) == 3


def test_without_holes_elr_is_the_logistic_optimum(few):
    assert loss(few, MATCHED, 0.0) == pytest.approx(loss(few, "lr", 0.0), rel=1e-3)
    assert loss(few, "lr", 0.0) < loss(few, "frequencies", 0.0) - 0.1


def test_training_for_the_holes_mends_the_logistic_optimum(few):
    for rate in (0.25, 0.5):
        assert loss(few, "lr", rate) > loss(few, "frequencies", rate) + 0.2
        for learner in (MATCHED, FIXED):
            assert loss(few, learner, rate) < loss(few, "frequencies", rate) + 0.02


def test_em_on_whole_rows_is_the_frequency_estimates(few):
    for rate in (0.0, 0.25, 0.5):
        assert loss(few, "em", rate) == pytest.approx(loss(few, "frequencies", rate), rel=1e-9)


def test_losses_are_those_of_the_posterior_by_enumeration():
    frame = load(["tic-tac-toe"], download=False).sets["tic-tac-toe"].frame
    small = frame.iloc[::5, [0, 2, 4, 9]].reset_index(drop=True)
    task = Task(data="t", structure="tan", fold=1, learner="frequencies")
    found = run.run_task(task, lambda _: RawSet(small, "")).result["losses"][2]
    rows = fold(small, 1)
    network = learn("frequencies", "tan", rows).network
    test = with_holes(rows.test, 0.5, task.part("data", "fold"))
    for loss_of_row, (_, row) in zip(found[:20], test.iterrows(), strict=False):
        known = {n: row[n] for n in small.columns.drop(CLASS) if isinstance(row[n], str)}
        p = posterior_by_enumeration(network, known)[row[CLASS]]
        assert loss_of_row == pytest.approx(-np.log(p), abs=1e-6)


def posterior_by_enumeration(network, known):
    """P(class | known) by adding up the joint distribution."""
    nodes = network.structure.nodes
    totals = dict.fromkeys(network.states[CLASS], 0.0)
    for labels in itertools.product(*(network.states[node] for node in nodes)):
        cell = dict(zip(nodes, labels, strict=True))
        if any(cell[node] != label for node, label in known.items()):
            continue
        p = 1.0
        for node in nodes:
            family = (*network.structure.parents(node), node)
            p *= network.cpts[node][tuple(network.states[n].index(cell[n]) for n in family)]
        totals[cell[CLASS]] += p
    return {label: p / sum(totals.values()) for label, p in totals.items()}


def records(means):
    """means: {learner: [mean for each rate]}; losses of two rows a fold, 0.1 either side."""
    return [
        Record(
            Task(data="d", structure="tan", fold=k, learner=learner),
            {"losses": [[m - 0.1, m + 0.1] for m in own], "errors": [1, 0, 2]},
        )
        for learner, own in means.items()
        for k in range(N_FOLDS)
    ]


MEANS = {
    **{learner: [0.5, 0.6, 0.7] for learner in LEARNERS},
    "lr": [0.30, 0.90, 1.20],
    "elr-0": [0.31, 1.0, 1.0],
    "elr-0.25": [0.35, 0.55, 0.65],
    "elr-0.5": [0.45, 0.58, 0.75],
}


def test_elr_counts_with_the_rate_it_was_trained_for():
    whole, quarter, half = cells(records(MEANS))
    assert whole.mean(MATCHED) == pytest.approx(0.31)
    assert quarter.mean(MATCHED) == quarter.mean(FIXED) == pytest.approx(0.55)
    assert half.mean(MATCHED) == pytest.approx(0.75)
    assert half.mean(FIXED) == pytest.approx(0.65)
    assert [cell.best for cell in (whole, quarter, half)] == ["lr", MATCHED, FIXED]
    assert half.errors["em"] == 2 * N_FOLDS


def test_as_good_is_a_hundredth_or_a_standard_error():
    whole, _, half = cells(records(MEANS))
    error = 0.1 / 9**0.5  # ten rows 0.1 either side of the mean
    assert whole.standard_error("lr") == pytest.approx(error)
    assert half.behind(MATCHED) == pytest.approx(0.1)
    assert not half.is_as_good(MATCHED)
    assert whole.behind(FIXED) == pytest.approx(0.05)
    assert not whole.is_as_good(FIXED)
    close = cells(records({**MEANS, "elr-0.5": [0.5, 0.6, 0.68]}))[2]
    assert close.is_as_good(MATCHED)  # 0.03 behind, the standard error is 0.033
    assert not close.is_as_good_paired(MATCHED)  # every row is behind by the same
    closer = cells(records({**MEANS, "elr-0.5": [0.5, 0.6, 0.659]}))[2]
    assert closer.is_as_good_paired(MATCHED)
    assert [line["elr_test_rate"]["as_good"] for line in verdicts([half, close])] == [False, True]


def test_a_data_set_without_all_folds_is_left_out():
    assert cells(records(MEANS)[:-1]) == []


def test_error_rates_are_shares_of_the_rows():
    lines = [line for line in flat(cells(records(MEANS))) if line["learner"] == "em"]
    assert [line["error"] for line in lines] == pytest.approx([0.5, 0.0, 1.0])


def test_learners_take_training_rows_with_holes():
    frame = load(["tic-tac-toe"], download=False).sets["tic-tac-toe"].frame.iloc[::4, [0, 4, 9]]
    holed = with_holes(frame, 0.3, Task(data="t"))
    rows = CategoricalFold(holed, frame)
    for learner in LEARNERS:
        network = learn(learner, "naive-bayes", rows).network
        data = bnlr.Dataset.from_frame(frame, CLASS, states=network.states)
        assert np.isfinite(network.predict_log_proba(data)).all()
