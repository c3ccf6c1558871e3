"""Words that commands do not know: one line that names the remedy, whatever else is amiss."""

import re
import subprocess
import sys

import pytest

import bnlr
from bnlr import cli
from bnlr.cli.fit_options import in_options, method_and_options
from tests.cli.commands import refused, run

COMMANDS = list(cli._parser()._commands())


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["chek"], "there is no command 'chek'; .*; did you mean check?"),
        (["--versoin"], "there is no option --versoin; did you mean --version?"),
        (["fit", "d.csv", "--clas", "x"], "there is no option --clas; did you mean --class?"),
        (["fit", "d.csv", "--clas=x"], "there is no option --clas; did you mean --class?"),
        (["fit", "--max-iters", "3"], "no option --max-iters; did you mean --max-iter?"),
        (["fit", "d.csv"], "required: --class"),
        (["predict", "m.json", "d.csv", "--unseen", "mising"], "did you mean missing?"),
        (["fit", "d.csv", "--class", "c", "--tol", "small"], "argument --tol: .*'small'"),
        (["check", "a.txt", "b.txt", "-x"], "-x"),
        (["convert", "a.bif"], "required: B"),
    ],
)
def test_are_refused_with_what_was_meant(argv, said, capsys):
    err = refused(run(capsys, *argv), said.replace("?", r"\?"))
    assert re.search(r"\(see 'bnlr( [a-z]+)? --help'\)\n$", err)


def test_after_two_dashes_are_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--clas").write_text("c a\n", encoding="utf-8")
    code, out, _ = run(capsys, "check", "--class", "c", "--", "--clas")
    assert (code, out.partition(":")[0]) == (0, "--clas")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_s_help_has_examples(command, capsys):
    code, out, err = run(capsys, command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: bnlr {command} ")
    assert f"examples:\n  bnlr {command}" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
def test_help_tells_the_exit_codes(command, capsys):
    assert re.search("^exit codes: 0 .*2 ", run(capsys, command, "--help")[1], re.M)


def test_every_parameter_of_the_estimator_has_an_option(capsys):
    from bnlr import BNClassifier

    _, out, _ = run(capsys, "fit", "--help")
    with_structure = {"structure_options"}
    for name in set(BNClassifier._get_param_names()) - with_structure:
        assert f"--{name.replace('_', '-')} " in out


def test_the_default_structure_is_said(capsys):
    from bnlr import BNClassifier

    default = BNClassifier().get_params()["structure"]
    assert f"(default: {default})" in " ".join(run(capsys, "fit", "--help")[1].split())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("kdb", ("kdb", {})),
        ("kdb:k=1,threshold=0.5", ("kdb", {"k": 1, "threshold": 0.5})),
        ("hgc:score=bdeu, start=empty", ("hgc", {"score": "bdeu", "start": "empty"})),
        ("tan:root=None", ("tan", {"root": None})),
    ],
)
def test_methods_with_options(text, meant):
    assert method_and_options(text) == meant


def test_a_defect_is_one_line_too_and_its_place_on_demand(monkeypatch, capsys, tmp_path):
    def fail(*_):
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr("bnlr.cli.check.read_structure", fail)
    monkeypatch.delenv("BNLR_TRACEBACK", raising=False)
    code, out, err = run(capsys, "check", "x")
    assert (code, out) == (3, "")
    assert re.fullmatch(r"bnlr: error: .* ZeroDivisionError: by zero; BNLR_TRACEBACK=1 .*\n", err)
    monkeypatch.setenv("BNLR_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli.main(["check", "x"])


@pytest.mark.slow
def test_the_command_runs_as_a_module_too():
    done = subprocess.run(
        [sys.executable, "-m", "bnlr", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"bnlr {bnlr.__version__}\n"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("or fit with learner='elr'", "or fit with --learner elr"),
        ("a state of its own with missing='state'.", "a state of its own with --missing state."),
        (
            "others may end elsewhere, try n_starts=10.",
            "others may end elsewhere, try --n-starts 10.",
        ),
        ("(random_state=3); others", "(--seed 3); others"),
        ("with Dataset.from_frame(…, unseen='missing')", "with --unseen missing"),
        ("penalty=0", "--penalty 0"),
        ("structure_options=x", "--set structure_options=x"),
        ("cards=3, a=b", "cards=3, a=b"),
        ("'x=1' gives no", "'x=1' gives no"),
        ("no column 'penalty=1', d/solver=x.csv", "no column 'penalty=1', d/solver=x.csv"),
    ],
)
def test_messages_name_options_that_the_shell_has(text, meant):
    assert in_options(text) == meant
