"""``bnlr study``: where the studies are, which are no part of the installed package."""

import argparse
import shlex
from pathlib import Path

from bnlr._version import __version__
from bnlr.cli.console import fail
from bnlr.cli.options import Commands, add_command

_ABOUT = """\
Say how the studies are run that redo the papers which bnlr implements. They need its sources: they
import other learners and data that the package does not carry, and are a package of their own,
whose plain name would stand beside all others that are installed."""

_EXAMPLES = """\
examples:
  bnlr study feelders-ivanovs --quick               says what runs it
  python -m studies feelders-ivanovs --quick        runs it, in a folder of the sources
  python -m studies --help                          which there are

exit codes: 0 is that of --help alone, 2 as nothing is run"""

_HERE = Path("studies", "__main__.py")


def register(commands: Commands) -> None:
    """Add the command, which takes whatever a study takes."""
    parser = add_command(
        *(commands, "study", "where the studies of papers are", _ABOUT, _EXAMPLES), "NAME"
    )
    parser.takes_any_words = True
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="NAME", help="a study, and its own options"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Say in one line what runs the study that is asked for."""
    command = f"python -m studies {shlex.join(args.words) or '--help'}"
    if _HERE.is_file():
        return fail(f"studies are run by Python, in this folder: {command}")
    return fail(
        "studies are no part of the installed package; in a folder of the sources of bnlr "
        f"{__version__}: {command}"
    )
