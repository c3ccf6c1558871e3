"""The command ``bnlr``."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

import bnlr
from bnlr.cli.check import register as add_check
from bnlr.cli.console import fail, note, tolerate_narrow_encodings, warnings_in_one_line
from bnlr.cli.convert import register as add_convert
from bnlr.cli.demo import register as add_demo
from bnlr.cli.fit import register as add_fit
from bnlr.cli.predict import register as add_predict
from bnlr.errors import BnlrError
from bnlr.io.files import reason

_ABOUT = """\
Discriminative learning of Bayesian network classifiers: exact where the network is a logistic
regression. Does the structure allow a global optimum, what is it, and which CPTs give it?"""

_EXAMPLES = """\
examples:
  bnlr demo                                         the whole story in a few seconds
  bnlr check network.txt --class disease            is learning this network convex?
  bnlr fit data.csv --class disease --out model.json
  bnlr predict model.json new.csv --proba
  bnlr convert network.bif network.json --class disease

'bnlr COMMAND --help' tells more. Exit code 2 means bad input, with one line that says what."""

_BROKEN_PIPE = 141
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv
        Its words; None takes those of the process.

    Returns
    -------
    int
        0, or 1 from ``check`` if a network is not perfect; 2 bad input; 130 interrupted; 141 the
        reader of the output has gone.
    """
    tolerate_narrow_encodings()
    try:
        with warnings_in_one_line():
            code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        return _drop_output()
    except KeyboardInterrupt:
        note("bnlr: interrupted")
        return _INTERRUPTED
    except BnlrError as error:
        return fail(str(error))
    except MemoryError:
        return fail("out of memory; use fewer rows, states or arcs")
    except OSError as error:
        return fail(f"{error.filename or 'output'}: {reason(error)}")
    return code


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _parser().parse_args(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return int(args.run(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bnlr",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bnlr {bnlr.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (add_check, add_fit, add_predict, add_convert, add_demo):
        add(commands)
    return parser


def _drop_output() -> int:
    """Send what is still buffered nowhere, or the interpreter complains when it ends."""
    with contextlib.suppress(OSError, ValueError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
    return _BROKEN_PIPE
