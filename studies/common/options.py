"""The command line that all studies share.

A registry (``studies/__main__.py``) maps names to `Command`; the module of a command is imported
when it is asked for and has

    UNHEEDED                 optional: those of the common options that it has not, by their names
    add_options(parser)      optional: arguments of its own, added after the common ones
    build(args) -> Study     what the options ask for
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path

import bnlr
from studies.common.progress import note
from studies.common.runner import Options, run_study
from studies.common.study import Study

_EXIT = """\
exit code: 0 every task is done; 1 some failed (--resume tries them again); 2 bad input or a full \
disk; 130 interrupted (--resume goes on)"""


SEEDS, DATA_DIR = "seeds", "data_dir"
"""Common options that not every study can heed."""


@dataclass(frozen=True)
class Command:
    """A study's one-line summary and the module that builds it."""

    summary: str
    module: str


def main(commands: Mapping[str, Command], argv: Sequence[str] | None = None) -> int:
    """Run ``python -m studies NAME …`` and return the exit code.

    Parameters
    ----------
    commands
        {name: command}, in the order of the help.
    argv
        The words after ``python -m studies``; None takes those of the process.
    """
    try:
        return _run(commands, list(sys.argv[1:] if argv is None else argv))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        note("studies: interrupted; to go on, repeat the command with --resume")
        return 130
    except bnlr.BnlrError as error:
        note(f"studies: error: {' '.join(str(error).split())}")
        return 2


def _run(commands: Mapping[str, Command], argv: list[str]) -> int:
    names = "\n".join(f"  {name:20} {command.summary}" for name, command in commands.items())
    parser = argparse.ArgumentParser(
        prog="python -m studies",
        description="Studies that reproduce papers. 'python -m studies NAME --help' tells more.",
        epilog=f"studies:\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", choices=list(commands), help="one of those below")
    name = parser.parse_args(argv[:1]).name
    module = import_module(commands[name].module)
    own = common_parser(name, commands[name].summary, without=getattr(module, "UNHEEDED", ()))
    if hasattr(module, "add_options"):
        module.add_options(own)
    args = own.parse_args(argv[1:])
    anew = partial(_built, module.__name__, args)
    study = replace(anew(), anew=anew)
    options = Options(args.out, args.resume, args.jobs, args.time_limit, args.quiet, args.scheduler)
    return run_study(study, options).exit_code


def _built(module: str, args: argparse.Namespace) -> Study:
    study: Study = import_module(module).build(args)
    return study


def common_parser(
    name: str, summary: str, seeds: int = 3, without: Sequence[str] = ()
) -> argparse.ArgumentParser:
    """Return a parser with the options of every study.

    They are ``out``, ``resume``, ``jobs``, ``scheduler``, ``time_limit``, ``quick``, ``seeds`` (how
    many), ``data_dir`` (a Path or None) and ``quiet``. A study changes a default with
    ``parser.set_defaults``; of ``seeds`` and ``data_dir`` it may be ``without``.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m studies {name}", description=summary, epilog=_EXIT, allow_abbrev=False
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="a small version on built-in data, within a minute")
    add("--out", metavar="DIR", help=f"output folder (default: {name})")
    add("--resume", action="store_true", help="go on with the run in the output folder")
    add(
        "--jobs",
        type=_jobs,
        default=_n_cpus(),
        metavar="K",
        help="worker processes (default: %(default)s, the processors), 0 for this one alone; "
        "results do not depend on it",
    )
    add(
        "--scheduler",
        metavar="URL",
        help="a Dask cluster's, such as tcp://host:8786: its workers do the tasks, whatever --jobs",
    )
    if SEEDS not in without:
        add(
            "--seeds",
            type=positive,
            default=seeds,
            metavar="S",
            help="repetitions of what is random (default: %(default)s)",
        )
    if DATA_DIR not in without:
        add("--data-dir", type=_folder, metavar="DIR", help="where data files stand")
    add("--time-limit", type=_seconds, metavar="SECONDS", help="give a task up after this long")
    add("--quiet", action="store_true", help="no progress and no notes")
    return parser  # fmt: skip


def _n_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, {least} or larger")
    return number


def positive(text: str) -> int:
    """Read a whole number from 1, as a type of arguments."""
    return _whole(text, 1)


def _jobs(text: str) -> int:
    return _whole(text, 0)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a positive number of seconds")
    return number


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path
