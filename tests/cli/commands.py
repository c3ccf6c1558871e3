"""Running commands in this process, or some in a fresh one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from bnlr import cli


def run(capsys, *argv):
    """(exit code, standard output, standard error) of a command."""
    code = cli.main([str(word) for word in argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def in_one_process(commands):
    """Their exit codes in a fresh process, and the packages that it has imported in the end."""
    program = (
        "import json, sys; from bnlr.cli import main\n"
        f"codes = [main(argv) for argv in {commands}]\n"
        "print(); print(json.dumps([codes, [name.partition('.')[0] for name in sys.modules]]))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    codes, modules = json.loads(done.stdout.splitlines()[-1])
    return codes, set(modules)


def refused(result, said):
    """Assert exit code 2 and nothing but one line on standard error that says what; return it."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: [^\n]+\n", err)
    assert re.search(said, err)
    return err
