"""The command from its options to its files, and the statements on made-up errors."""

import csv
import json

import pytest

from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.wrong_structure import command
from studies.wrong_structure.run import run_task
from studies.wrong_structure.tables import curves, statements, versus
from studies.wrong_structure.truth import Truth

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["wrong-structure", *map(str, words)])


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """One sample, no cross tuning, without workers."""
    curves_drawn = {"complete": ("ofe", "elr"), "incomplete": ("em", "apn", "elr")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "CURVES", curves_drawn)
        out = tmp_path_factory.mktemp("few") / "out"
        assert studies("--seeds", 1, "--jobs", 0, "--quiet", "--out", out) == 0
    return out


def limits(folder, rows, learner):
    lines = list(csv.DictReader((folder / "errors.csv").read_text("utf-8").splitlines()))
    own = [line for line in lines if (line["rows"], line["learner"]) == (rows, learner)]
    return [float(line["limit"]) for line in own]


def test_elr_on_whole_rows_has_the_bayes_error_in_the_limit(few):
    expected = [Truth(m).bayes_error for m in range(6)]
    assert limits(few, "complete", "elr") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rows", "learner"), [("complete", "ofe"), ("incomplete", "em"), ("incomplete", "apn")]
)
def test_generative_learners_have_the_printed_errors_in_the_limit(few, rows, learner):
    expected = (0.03232, 0.03232, 0.04704, 0.088, 0.2, 0.2)
    assert limits(few, rows, learner) == pytest.approx(expected, abs=1e-12)


def test_the_page_and_the_checks(few):
    text = (few / "index.html").read_text("utf-8")
    assert "Figure 8" in text
    assert text.count("<img") == 1
    said = json.loads((few / "checks.json").read_text())["statements"]
    assert len(said) == 3 + 5


def test_samples_are_shared_by_the_learners_and_depend_on_the_seed():
    def error(seed, learner="ofe", m=3):
        task = Task(rows="complete", m=m, seed=seed, learner=learner)
        return run_task(task)["error"]

    assert error(1) == error(1)
    assert len({error(seed) for seed in range(1, 9)}) > 1
    assert error(4, m=0) == error(4, m=1)


def records(errors, n_seeds=10):
    """errors: {(rows, learner): [error for m = 0 … 5]}, the same for all seeds."""
    return [
        Record(Task(rows=rows, m=m, seed=seed, learner=learner), {"error": error})
        for (rows, learner), own in errors.items()
        for m, error in enumerate(own)
        for seed in range(1, 1 + n_seeds)
    ]


BAYES = [Truth(m).bayes_error for m in range(6)]
BAD = [0.033, 0.033, 0.06, 0.09, 0.2, 0.2]


def verdicts(errors):
    return [line["holds"] for line in statements(curves(records(errors)))]


def test_statements_hold_where_elr_stays_and_ofe_does_not():
    assert verdicts({("complete", "ofe"): BAD, ("complete", "elr"): BAYES}) == [True] * 3


def test_statements_fail_where_it_is_the_other_way_round():
    assert verdicts({("complete", "ofe"): BAYES, ("complete", "elr"): BAD}) == [False] * 3


def test_few_samples_have_no_verdict():
    errors = {("complete", "ofe"): BAD, ("complete", "elr"): BAYES}
    said = statements(curves(records(errors, 9)))
    assert [line["holds"] for line in said] == [None] * 3
    fewer = records(errors)[:-1]
    assert {line["holds"] for line in statements(curves(fewer))} == {None}


def test_rounding_bears_nothing_out():
    noise = [error + 1e-16 for error in BAYES]
    assert verdicts({("complete", "ofe"): noise, ("complete", "elr"): BAYES}) == [False] * 3


def test_the_paper_s_elr_is_judged_beside_the_one_at_its_optimum():
    errors = {("complete", "ofe"): BAD, ("complete", "elr-tuned"): BAD, ("complete", "elr"): BAYES}
    said = {line["statement"]: line["holds"] for line in statements(curves(records(errors)))}
    first = "complete: {} is more accurate than OFE at every m ≥ 2"
    assert said[first.format("ELR")] is False
    assert said[first.format("ELR, not tuned")] is True
    assert len(said) == 5


def test_one_draw_is_not_more_accurate_at_every_m():
    draw = [*BAYES[:2], BAD[2], *BAYES[3:]]
    assert verdicts({("complete", "ofe"): BAD, ("complete", "elr"): draw}) == [True, True, False]


def test_no_statement_without_all_m():
    assert verdicts({("complete", "ofe"): BAD[:4], ("complete", "elr"): BAYES}) == []


def test_samples_are_counted_in_pairs():
    lines = [
        Record(Task(rows="complete", m=2, seed=seed, learner=learner), {"error": error})
        for learner, errors in {"elr": (0.1, 0.2, 0.3), "ofe": (0.2, 0.2, 0.1)}.items()
        for seed, error in enumerate(errors, start=1)
    ]
    points = curves(lines)
    elr, ofe = points["complete", "elr", 2], points["complete", "ofe", 2]
    assert versus(elr, ofe) == {"better": 1, "equal": 1, "worse": 1}
    assert elr.mean == pytest.approx(0.2)
    assert elr.standard_error == pytest.approx(0.1 / 3**0.5)
