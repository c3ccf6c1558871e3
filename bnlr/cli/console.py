"""What the commands write: results to standard output, everything else to standard error."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO


def say(text: str = "") -> None:
    """Write a line of the result."""
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """Write a line about the work, apart from the result."""
    sys.stderr.write(f"{text}\n")


def fail(text: str) -> int:
    """Write an error in one line and return the exit code for bad input."""
    sys.stdout.flush()
    note(f"bnlr: error: {one_line(text)}")
    return 2


def one_line(text: str) -> str:
    """Return ``text`` with line ends and runs of blanks made one blank."""
    return " ".join(text.split())


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Show warnings as messages to the user, without the place in the source."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,  # noqa: ARG001  the standard library's signature
        lineno: int,  # noqa: ARG001
        file: TextIO | None = None,  # noqa: ARG001
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        if issubclass(category, UserWarning):
            note(f"bnlr: warning: {one_line(str(message))}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def tolerate_narrow_encodings() -> None:
    """Let terminals that lack a character show its code instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
        if reconfigure is not None and encoding != "utf8":
            reconfigure(errors="backslashreplace")
