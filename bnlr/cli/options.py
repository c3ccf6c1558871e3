"""How the commands' parsers are made alike, and what they say of words they do not know."""

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NoReturn

from bnlr.cli.console import one_line
from bnlr.words import guess, quoted

if TYPE_CHECKING:
    from bnlr.io.tables.options import Reading, ReadOptions

    Commands = argparse._SubParsersAction["Parser"]
else:
    Commands = object


class _WholeNames(argparse.RawDescriptionHelpFormatter):
    """Breaks no line within a name such as naive-bayes."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and what was probably meant."""

    takes_any_words = False
    """Whether words of this command are handed on, and so not looked at."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _WholeNames)
        super().__init__(allow_abbrev=False, **settings)

    def parse_words(self, words: Sequence[str] | None) -> argparse.Namespace:
        """Parse the words of a command, those of the process if None."""
        given = sys.argv[1:] if words is None else list(words)
        self._refuse_misspelt(given)
        return self.parse_args(_with_texts(given))

    def error(self, message: str) -> NoReturn:
        """End with one line on standard error and exit code 2."""
        self.exit(2, f"bnlr: error: {one_line(message)} (see '{self.prog} --help')\n")

    def _refuse_misspelt(self, words: Sequence[str]) -> None:
        """Refuse a command or an option that does not exist before what else may be amiss."""
        commands = self._commands()
        command = next((word for word in words if not word.startswith("-")), None)
        if not words:
            self.print_help()
            self.exit()
        if command is not None and command not in commands:
            self.error(f"there is no command {quoted(command)}{among(command, commands)}")
        parser = self if command is None else commands[command]
        if parser.takes_any_words:
            return
        known = parser._option_string_actions
        for word in words[: words.index("--")] if "--" in words else words:
            name = word.partition("=")[0]
            if name.startswith("--") and name not in (*known, *self._option_string_actions):
                parser.error(f"there is no option {name}{guess(name, known, show=str)}")

    def _commands(self) -> "dict[str, Parser]":
        if self._subparsers is None:
            return {}
        choices: Any = self._subparsers._group_actions[0].choices
        return dict(choices)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = among(value, list(map(str, action.choices)))
            raise argparse.ArgumentError(action, f"{quoted(value)} is no choice{hint}")


def _with_texts(words: Sequence[str]) -> list[str]:
    """Join ``--na`` with a text that argparse would take for an option, as -9,none is."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--na" and re.match("-[^-]", word):
            joined[-1] = f"--na={word}"
        else:
            joined.append(word)
    return joined


def among(word: str, known: Iterable[str]) -> str:
    """Return what there is to choose from, and what is probably meant, as the end of a message."""
    names = list(known)
    return f"; choose from {', '.join(names)}{guess(word, names, show=str)}"


def add_command(
    commands: Commands, name: str, summary: str, about: str, examples: str, usage: str
) -> Parser:
    """Add a sub-command with a description above its options and examples below them.

    ``usage`` is what follows the command's name, options but for the required ones left out.
    """
    return commands.add_parser(
        name,
        help=summary,
        description=about,
        epilog=examples,
        usage=" ".join(["bnlr", name, *([usage] if usage else []), "[options]"]),
    )


def add_class(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the class of a network whose file may not."""
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", help="the class node, if the file has none"
    )


def add_network_encoding(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the encoding of a network's file."""
    parser.add_argument(
        "--encoding",
        metavar="E",
        help="of text files, such as latin-1 (default: what the file says, else UTF-8)",
    )


def add_quiet(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", text: str) -> None:
    """Add ``--quiet``, which all commands have."""
    parser.add_argument("-q", "--quiet", action="store_true", help=text)


def add_reading(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Add the options of commands that read data."""
    parser.add_argument(
        "--na",
        dest="missing_texts",
        metavar="TEXT,..",
        action="append",
        default=[],
        help="further texts that mean a missing cell, such as -9 or n/a,none; a text with a comma "
        "stands in double quotes; may be given several times",
    )
    parser.add_argument(
        "--keep-na", action="store_true", help="NA is a label, as of Namibia, no missing cell"
    )
    parser.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a row; the columns are column1, column2 and so on",
    )
    parser.add_argument(
        "--delimiter",
        metavar="D",
        help="what separates cells: a character, or comma, semicolon, tab, bar, blank (default: "
        "what cuts the first lines into most cells)",
    )
    parser.add_argument(
        "--decimal",
        metavar="MARK",
        choices=[".", ","],
        help="the mark of decimals, a point or a comma (default: what all cells of a column agree "
        "with)",
    )
    parser.add_argument(
        "--comment",
        metavar="C",
        help="the character that begins a comment line (default: #, where the line is no row)",
    )
    parser.add_argument(
        "--encoding", metavar="E", help="of the data's text, such as latin-1 (default: UTF-8)"
    )
    parser.add_argument(
        "--dates",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column of dates that is to be one of numbers, 2021.5 the middle of 2021; the year "
        "comes first, as in 2021-07-02; may be given several times",
    )


def given_reading(args: argparse.Namespace) -> "Reading":
    """Return the options of `add_reading` that were given, by the names of `options.checked`."""
    from bnlr.io.tables.typed import texts_of  # noqa: PLC0415  not every command needs it

    given: Reading = {}
    if args.missing_texts:
        given["missing"] = [text for one in args.missing_texts for text in texts_of(one)]
    if args.dates:
        given["dates"] = list(args.dates)
    if args.keep_na:
        given["keep_na"] = True
    if args.no_header:
        given["header"] = False
    for name in ("delimiter", "decimal", "comment", "encoding"):
        if getattr(args, name) is not None:
            given[name] = getattr(args, name)
    return given


def add_forget(parser: argparse.ArgumentParser) -> None:
    """Add the option of commands that read data as those of a fit were read."""
    parser.add_argument(
        "--forget",
        action="store_true",
        help="read DATA without the options above that MODEL was fitted with; else they hold where "
        "they are not given anew",
    )


def read_options(args: argparse.Namespace, kept: "Reading | None" = None) -> "ReadOptions":
    """Return how to read data: as `add_reading`'s options say, else as a model has ``kept``."""
    from bnlr.io.tables.options import checked  # noqa: PLC0415  not every command needs it

    return checked(**{**(kept or {}), **given_reading(args)}, is_shell=True)


def typed_reading(reading: "Reading") -> str:
    """Return options of `add_reading` as one types them in a shell."""
    from bnlr.io.tables.typed import missing_option, option  # noqa: PLC0415  as above

    words = [missing_option(text) for text in reading.get("missing", [])]
    words += ["--keep-na"] if reading.get("keep_na") else []
    words += ["--no-header"] if not reading.get("header", True) else []
    names = [name for name in ("delimiter", "decimal", "comment", "encoding") if name in reading]
    words += [option(f"--{name}", reading[name]) for name in names]
    return " ".join([*words, *(option("--dates", name) for name in reading.get("dates", []))])
