"""What the commands write: results to standard output, everything else to standard error."""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast

from bnlr.printable import printable

_WIDE = 10_000
_LEAST_FOLDED = 24


class OutputError(Exception):
    """Standard output cannot be written: it is closed, or its disk is full."""


class _Output:
    """Standard output whose failures are told apart from those of files."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if self._stream is None:
            raise OutputError("it is closed")
        try:
            return self._stream.write(text)
        except OSError as error:
            raise _told_apart(error) from error

    def flush(self) -> None:
        try:
            if self._stream is not None:
                self._stream.flush()
        except OSError as error:
            raise _told_apart(error) from error

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _told_apart(error: OSError) -> Exception:
    """Return a failure of standard output; that its reader has gone is none."""
    is_broken = isinstance(error, BrokenPipeError)
    return error if is_broken else OutputError(error.strerror or str(error))


@contextmanager
def written_output() -> Iterator[None]:
    """Raise `OutputError` where standard output cannot be written, be it not even open."""
    stream = sys.stdout
    with redirect_stdout(cast("TextIO", _Output(stream))):
        yield


def say(text: str = "") -> None:
    """Write a line of the result."""
    sys.stdout.write(f"{printable(text)}\n")


def note(text: str) -> None:
    """Write a line about the work, apart from the result, if anybody listens."""
    if sys.stderr is not None:
        sys.stderr.write(f"{printable(text)}\n")


def fail(text: str) -> int:
    """Write an error in one line and return the exit code for bad input."""
    with suppress(OSError, OutputError):  # what is told of it comes at the end
        sys.stdout.flush()
    note(f"bnlr: error: {one_line(text)}")
    return 2


def one_line(text: str) -> str:
    """Return ``text`` with line ends and runs of blanks made one blank."""
    return " ".join(text.split())


def say_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    fold: str = "",
) -> None:
    """Write rows of cells in aligned columns.

    ``right`` names the columns of numbers, ``fold`` the one whose cells are folded where a terminal
    is too narrow; files and pipes get a line a row, however long.
    """
    from rich.console import Console  # noqa: PLC0415  loads slowly, and few commands need it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in heads:
        is_number, is_folded = head in right, head == fold
        table.add_column(
            head,
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=not is_folded,
        )
    for row in rows:
        table.add_row(*(Text(printable(cell, keep="")) for cell in row))
    console = Console(file=sys.stdout, highlight=False)
    console.width = max(console.width, _least(heads, rows, fold)) if sys.stdout.isatty() else _WIDE
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        sys.stdout.write(f"{line.rstrip()}\n")


def _least(heads: Sequence[str], rows: Sequence[Sequence[str]], fold: str) -> int:
    """Return the least width: a terminal that has less wraps the lines itself."""
    widths = [max(map(len, column)) + 2 for column in zip(heads, *rows, strict=True)]
    fixed = [width for head, width in zip(heads, widths, strict=True) if head != fold]
    return sum(fixed) + min(_LEAST_FOLDED, sum(widths) - sum(fixed))


@contextmanager
def one_line_warnings(is_quiet: bool, in_options: Callable[[str], str] = str) -> Iterator[None]:
    """Show warnings as one-line messages to the user; if quiet neither these nor progress.

    ``in_options`` puts the words of Python into those of the shell.
    """

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,  # noqa: ARG001  the standard library's signature
        lineno: int,  # noqa: ARG001
        file: TextIO | None = None,  # noqa: ARG001
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        if issubclass(category, UserWarning) and not is_quiet:
            note(f"bnlr: warning: {one_line(in_options(str(message)))}")

    with warnings.catch_warnings():
        warnings.simplefilter("default")  # whatever -W or PYTHONWARNINGS say: an error ends no fit
        warnings.showwarning = show
        if not is_quiet or sys.stderr is None:
            yield
            return
        with redirect_stderr(cast("TextIO", _NoTerminal(sys.stderr))):
            yield


class _NoTerminal:
    """A stream that admits to no terminal, so that nobody draws progress on it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def tolerate_narrow_encodings() -> None:
    """Let terminals that lack a character show its code instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
        if reconfigure is not None and encoding != "utf8":
            reconfigure(errors="backslashreplace")
