"""How a data file is to be read, and what a message calls an option where it is given."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bnlr.arguments import check_kind, one_of
from bnlr.errors import ParameterError
from bnlr.io.tables.typed import missing_option, option
from bnlr.words import quoted

# What --delimiter and delimiter= may say in words, beside the character itself.
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}
MISSING = ("", "?", "NA", "NaN", "nan")
NOT_AVAILABLE = "NA"


# Arguments of `checked`, by name: what a classifier keeps of how the rows of its fit were read.
Reading = dict[str, Any]


@dataclass(frozen=True)
class ReadOptions:
    """What the user says of a data file; `checked` makes one of arguments.

    ``missing`` are texts that stand for missing cells beside a format's own. None of ``encoding``,
    ``delimiter``, ``decimal`` and ``comment``: found out from the file. ``dates`` are columns of
    dates that are to be numbers. ``is_shell`` says whether the user has the options of a command,
    or those of `read_frame`.
    """

    missing: frozenset[str] = frozenset()
    encoding: str | None = None
    header: bool = True
    keep_na: bool = False
    delimiter: str | None = None
    decimal: str | None = None
    comment: str | None = None
    dates: tuple[str, ...] = ()
    is_shell: bool = False

    @cached_property
    def missing_texts(self) -> tuple[str, ...]:
        """Texts that stand for missing cells in files that declare none."""
        own = [text for text in MISSING if not (self.keep_na and text == NOT_AVAILABLE)]
        return (*own, *sorted(self.missing.difference(own)))

    def named(self, name: str, value: str) -> str:
        """Return the option of this name as the user has it, with a value."""
        if name == "header":
            return "--no-header" if self.is_shell else f"header={value}"
        if name == "missing":
            return missing_option(value) if self.is_shell else f"missing=[{value!r}]"
        if name == "dates":
            return option("--dates", value) if self.is_shell else f"dates=[{value!r}]"
        return option(f"--{name}", value) if self.is_shell else f"{name}={value!r}"


def checked(
    *,
    missing: Iterable[str] = (),
    encoding: str | None = None,
    header: bool = True,
    keep_na: bool = False,
    delimiter: str | None = None,
    decimal: str | None = None,
    comment: str | None = None,
    dates: Iterable[str] = (),
    is_shell: bool = False,
) -> ReadOptions:
    """Return options that were checked.

    Raises
    ------
    ParameterError
        One is of another kind, or no single character where one is wanted.
    """
    check_kind("encoding", encoding, (str, type(None)), "its name, such as 'latin-1', or None")
    check_kind("header", header, bool, "True or False")
    check_kind("keep_na", keep_na, bool, "True or False")
    if decimal is not None:
        one_of("decimal", decimal, (".", ","))
    if delimiter is not None:
        check_kind("delimiter", delimiter, str, "one character, or None")
        delimiter = _character("delimiter", DELIMITERS.get(delimiter, delimiter))
    if comment is not None:
        check_kind("comment", comment, str, "the character that begins a comment, or None")
        comment = _character("comment", comment)
    texts = frozenset(text.strip() for text in _texts("missing", missing, "none"))
    columns = tuple(_texts("dates", dates, "day"))
    return ReadOptions(
        texts, encoding, header, keep_na, delimiter, decimal, comment, columns, is_shell
    )


def _character(name: str, text: str) -> str:
    if len(text) != 1 or text in '"\r\n\0':
        words = f" or one of {', '.join(DELIMITERS)}" if name == "delimiter" else ""
        raise ParameterError(f"{name} is {quoted(text)}; give a single character{words}")
    return text


def _texts(name: str, given: object, example: str) -> list[str]:
    """Return the texts of an option that takes several; one alone is no list of its letters."""
    remedy = f"a list of texts, such as [{example!r}]"
    check_kind(name, given, Iterable, remedy)
    texts: list[Any] = [given] if isinstance(given, str | bytes) else [*given]  # type: ignore[misc]
    for text in texts:
        check_kind(f"{name} holds", text, str, remedy)
    return texts
