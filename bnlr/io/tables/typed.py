"""Options that read data, as one types them in a shell."""

import csv
import shlex

from bnlr.data.numerals import number


def texts_of(given: str) -> list[str]:
    """Return the texts of a list between commas; a number with a decimal comma is one text."""
    if number(given.strip(), decimal_commas=True) is not None or not given.strip(", "):
        return [given]
    return next(csv.reader([given], skipinitialspace=True), [""])


def as_text_of_list(text: str) -> str:
    """Return a text as `texts_of` takes it for one."""
    return text if texts_of(text) == [text] else '"' + text.replace('"', '""') + '"'


def missing_option(text: str) -> str:
    """Return the option by which a text means a missing cell.

    argparse drops two dashes, and blanks around a text do not count.
    """
    return option("--na", " --" if text == "--" else as_text_of_list(text))


def option(name: str, value: str) -> str:
    """Return an option with its value; one with a dash in front would pass for another option."""
    return f"{name}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"
