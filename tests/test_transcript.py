"""The transcript of a first hour: each line is typed again, and what comes back compared."""

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import bnlr
from tests.test_packaging import assert_shown

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "transcript.md"
INSTALLATION = ("python -m venv ", "pip install ")
TYPED = re.compile(r"(?:\$|In \[\d+\]:) (.*)")

if not PAGE.exists():
    pytest.skip("no pages beside these tests", allow_module_level=True)


def exchanges():
    """Yield what is typed, and what comes back, of each block but the installation."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        typed, answer = None, []
        for line in [*block.splitlines(), "$ "]:
            if begin := TYPED.fullmatch(line):
                if typed is not None and not typed.startswith(INSTALLATION):
                    yield typed, "\n".join(answer)
                typed, answer = begin[1], []
            else:
                answer.append(line)


def in_shell(line):
    """Return what a command says; its warnings come first, as they are written at once."""
    program, *words = shlex.split(line)
    own = ["-m", "bnlr", *words] if program == "bnlr" else [ROOT / words[0], *words[1:]]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, *own], env=env, text=True, encoding="utf-8", check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def in_python(line, names):
    """Return what IPython would print: what is printed, an expression's value, an error."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        value = None
        try:
            if isinstance(ast.parse(line).body[0], ast.Expr):
                value = eval(line, names)  # noqa: S307  as above
            else:
                exec(line, names)  # noqa: S102  as above
        except bnlr.BnlrError as error:
            printed.write(f"{type(error).__name__}: {error}")
    return printed.getvalue(), value


@pytest.mark.slow  # ten starts of Python
def test_the_transcript_is_what_comes_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    seen = []
    for typed, shown in exchanges():
        seen.append(typed.split("(")[0].split(" ")[0])
        if typed.startswith(("bnlr ", "python ")):
            assert_shown(in_shell(typed), shown)
            continue
        printed, value = in_python(typed, names)
        answer = re.sub(r"^Out\[\d+\]: ", "", shown)
        assert_shown(printed + ("" if value is None else repr(value)), answer)
    assert seen.count("bnlr") == 4
    assert len(seen) == 14
    assert {path.name for path in tmp_path.iterdir()} == {
        *("customers.csv", "new.csv", "m.json", "p.csv", "r.html", "own.html")
    }
