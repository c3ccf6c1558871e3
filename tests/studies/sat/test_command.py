"""The command from its options to its files, and ELR against brute force."""

import json

import pytest

from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.sat.formula import Formula
from studies.sat.run import run_task
from studies.sat.tables import UNSATISFIABLE, checks, verdicts

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["sat", *map(str, words)])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("yes", "p cnf 3 4\n1 2 3 0\n-1 2 0\n-2 3 0\n-3 1 0\n"),
        ("no", "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"),
    ],
)
def test_a_file_is_decided(tmp_path, name, text):
    path, out = tmp_path / f"{name}.cnf", tmp_path / "out"
    path.write_text(text)
    words = ("--formula", path, "--seeds", 6, "--jobs", 0, "--quiet", "--out", out)
    assert studies(*words) == 0
    said = json.loads((out / "checks.json").read_text())
    assert said["right"] == 1
    assert said["satisfiable"] == (name == "yes")
    assert said["assignments_read_off_that_satisfy"] == said["satisfiable"]
    page = (out / "index.html").read_text("utf-8")
    assert page.count("<img") == 1
    assert name in page


def test_two_files_of_one_name(tmp_path, capsys):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.cnf").write_text("p cnf 1 1\n1 0\n")
    files = [tmp_path / folder / "f.cnf" for folder in ("a", "b")]
    words = [word for file in files for word in ("--formula", file)]
    assert studies(*words, "--out", tmp_path / "out") == 2
    assert "same name" in capsys.readouterr().err


def test_no_start_passes_the_supremum_of_an_unsatisfiable_formula():
    formula = Formula("f", 2, ((1, 2), (1, -2), (-1, 2), (-1, -2)))
    clls = [run_task(Task(formula="f", start=k), {"f": formula})["cll"] for k in range(4)]
    assert max(clls) == pytest.approx(UNSATISFIABLE, abs=1e-3)


def records(clls):
    return [
        Record(Task(formula=name, start=k), {"cll": cll, "iterations": 1, "n_false": 0})
        for name, own in clls.items()
        for k, cll in enumerate(own)
    ]


def test_verdicts_compare_the_cll_with_the_truth():
    formulas = {"yes": Formula("yes", 1, ((1,),)), "no": Formula("no", 1, ((1,), (-1,)))}
    right = verdicts(records({"yes": (-1.4, -1e-4), "no": (-1.4, -1.5)}), formulas)
    assert [v.is_right for v in right] == [True, True]
    assert [v.n_zero for v in right] == [1, 0]
    assert checks(right)["wrong"] == []
    wrong = verdicts(records({"yes": (-1.4,), "no": (-1e-4,)}), formulas)
    assert checks(wrong)["wrong"] == ["yes", "no"]
    assert checks(wrong)["zero_though_unsatisfiable"] == ["no"]
