"""Running commands in this process."""

import re

from bnlr import cli


def run(capsys, *argv):
    """(exit code, standard output, standard error) of a command."""
    code = cli.main([str(word) for word in argv])
    out = capsys.readouterr()
    return code, out.out, out.err


def refused(result, said):
    """Assert exit code 2 and nothing but one line on standard error that says what; return it."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: [^\n]+\n", err)
    assert re.search(said, err)
    return err
