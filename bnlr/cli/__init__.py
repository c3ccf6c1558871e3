"""The command ``bnlr``: a file a command, each with ``register`` and ``run``.

`options` and `console` make them alike, `models` and `output` are about their files. Words enter,
an exit code leaves; whatever a command needs of the other rooms it imports when it runs.
"""

import contextlib
import os
import sys
from collections.abc import Sequence

from bnlr._version import __version__
from bnlr.cli.check import register as add_check
from bnlr.cli.console import (
    OutputError,
    fail,
    note,
    one_line_warnings,
    tolerate_narrow_encodings,
    written_output,
)
from bnlr.cli.convert import register as add_convert
from bnlr.cli.demo import register as add_demo
from bnlr.cli.fit import register as add_fit
from bnlr.cli.fit_options import in_options
from bnlr.cli.options import Parser
from bnlr.cli.predict import register as add_predict
from bnlr.cli.report import register as add_report
from bnlr.cli.study import register as add_study
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
  bnlr report model.json --data new.csv             one page about the model, for a browser
  bnlr convert network.bif network.json --class disease
  bnlr study feelders-ivanovs                       what runs a study that redoes a paper

'bnlr COMMAND --help' tells more.

exit codes: 0 done; 1 'check' found a network that is not convex; 2 bad input, with one line that
says what; 3 a defect of bnlr (BNLR_TRACEBACK=1 shows where); 4 standard output is closed or full;
130 interrupted"""

_COMMANDS = (add_check, add_fit, add_predict, add_report, add_convert, add_demo, add_study)
_BROKEN_PIPE = 141
_INTERRUPTED = 130
_DEFECT = 3
_NO_OUTPUT = 4


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv
        Its words; None takes those of the process.

    Returns
    -------
    int
        0, or 1 from ``check`` if a network is not perfect; 2 bad input; 3 a defect of bnlr; 4
        standard output cannot be written; 130 interrupted; 141 the reader of the output has gone.
    """
    tolerate_narrow_encodings()
    with written_output():
        try:
            code = _run(argv)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            return _BROKEN_PIPE
        except OutputError as error:
            fail(f"cannot write standard output: {error}")
            _drop_output()
            return _NO_OUTPUT
        except KeyboardInterrupt:
            note("bnlr: interrupted")
            return _INTERRUPTED
        except Exception as error:
            return _report(error)
    return code


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _parser().parse_words(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    with one_line_warnings(getattr(args, "quiet", False), in_options):
        return int(args.run(args))


def _parser() -> Parser:
    parser = Parser(
        prog="bnlr", description=_ABOUT, epilog=_EXAMPLES, usage="bnlr COMMAND [options]"
    )
    parser.add_argument("--version", action="version", version=f"bnlr {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, prog="bnlr"
    )
    for add in _COMMANDS:
        add(commands)
    return parser


def _report(error: Exception) -> int:
    """Say in one line why the command has failed, and return its exit code."""
    if isinstance(error, BnlrError):
        return fail(in_options(str(error)))
    if isinstance(error, MemoryError):
        return fail("out of memory; use fewer rows, states or arcs")
    if isinstance(error, OSError):
        return fail(f"{error.filename or 'output'}: {reason(error)}")
    if os.environ.get("BNLR_TRACEBACK"):
        raise error
    fail(f"this is a defect of bnlr, {type(error).__name__}: {error}; BNLR_TRACEBACK=1 shows where")
    return _DEFECT


def _drop_output() -> None:
    """Send what is still buffered nowhere, or the interpreter complains when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
