"""The completion scripts, run by the shells that are here."""

import shutil
import subprocess

import pytest

from bnlr import BNClassifier
from tests.cli.commands import refused, run


def completed(script, *words):
    """What bash proposes for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _bnlr; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-uc", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash(capsys):
    code, script, err = run(capsys, "completion", "bash")
    assert (code, err) == (0, "")
    assert completed(script, "bnlr", "c") == ["check", "convert", "completion"]
    assert completed(script, "bnlr", "check", "--j") == ["--json"]
    assert completed(script, "bnlr", "fit", "d.csv", "--unseen", "") == ["missing", "error"]
    assert completed(script, "bnlr", "completion", "f") == ["fish"]
    assert completed(script, "bnlr", "fit", "") == []  # names of files, by bash itself
    offered = completed(script, "bnlr", "fit", "--")
    for name in set(BNClassifier._get_param_names()) - {"structure_options"}:
        assert f"--{name.replace('_', '-')}" in offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_given_every_option(shell, capsys):
    _, script, _ = run(capsys, "completion", shell)
    for word in ("check", "json", "expect-missing", "proba"):
        assert word in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_refused(capsys):
    refused(run(capsys, "completion", "csh"), "choose from bash, zsh, fish")
