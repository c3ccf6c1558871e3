"""The words in which a user hears of suspect columns, the same in Python and in the shell."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bnlr.data.suspects.find import Suspects, Texts
from bnlr.errors import BnlrWarning
from bnlr.warn import warn
from bnlr.words import joined, listed, quoted


@dataclass(frozen=True)
class Phrasing:
    """What differs between the places where bnlr speaks.

    ``source`` is what stands before one column or several; ``row`` puts a row's place, from 0, into
    words; ``hole`` says how to make a text a missing cell, ``numbers`` how to make numbers of text,
    ``drop`` how to leave columns out. ``decimal_commas``: whether 1,5 is a number there; ``meant``
    are columns that list their labels.
    """

    source: Callable[[int], str]
    row: Callable[[int], str]
    hole: Callable[[str], str]
    numbers: str
    drop: Callable[[Sequence[str]], str]
    decimal_commas: bool = False
    meant: Collection[str] = ()


IN_PYTHON = Phrasing(
    source=lambda n: "column " if n == 1 else "columns ",
    row=lambda row: f"row {row}",
    hole=lambda _: "pandas.to_numeric(column, errors='coerce')",
    numbers="make numbers of them, for instance with pandas.to_numeric",
    drop=lambda names: f"drop(columns=[{listed(names)}])",
)


def warn_of_suspects(found: Suspects, phrasing: Phrasing = IN_PYTHON) -> None:
    """Warn of suspect columns, once for all of a kind.

    Warns
    -----
    BnlrWarning
        With columns, labels, rows and the remedy.
    """
    if found.beside:
        warn(_beside(found.beside, phrasing), BnlrWarning)
    if found.as_text:
        warn(_as_text(found.as_text, phrasing), BnlrWarning)
    if found.identifiers:
        cells = [
            f"{quoted(name)} ({n_labels:,} labels in {n_rows:,} rows)"
            for name, n_labels, n_rows, _ in found.identifiers
        ]
        # Years or weights, as well as numbers of rows.
        measured = any(labels.are_numbers for labels in found.identifiers)
        remedy = f"; if its numbers measure something, {phrasing.numbers}" if measured else ""
        names = [labels.node for labels in found.identifiers]
        verb = "has" if len(names) == 1 else "have"
        warn(
            f"{phrasing.source(len(names))}{joined(cells)} {verb} more labels than can be learnt "
            f"from, as names and numbers of rows do; {_left_out(names, phrasing)}{remedy}",
            BnlrWarning,
        )
    if found.copies:
        where = "" if all(found.copies.values()) else " where it is not missing"
        why = f"tells the class in every row{where}, as a copy of it does"
        warn_of_copies(list(found.copies), why, phrasing)


def warn_of_copies(names: Sequence[str], why: str, phrasing: Phrasing = IN_PYTHON) -> None:
    """Warn of columns that may be the class, left among the attributes.

    ``why`` is what one of them does to seem so, in the third person.
    """
    each = "" if len(names) == 1 else ", each of which"
    warn(
        f"{phrasing.source(len(names))}{listed(names)}{each} {why}; if it is not known before the "
        f"class, {_left_out(names, phrasing)}",
        BnlrWarning,
    )


def _beside(columns: Sequence[Texts], phrasing: Phrasing) -> str:
    return (
        f"{_what(columns, phrasing)} numbers but for {_cells(columns, phrasing)}, so that all "
        f"{_its(columns)} cells are taken for labels; mend these, or make them missing: "
        f"{phrasing.hole(next(iter(columns[0].first)))}"
    )


def _as_text(columns: Sequence[Texts], phrasing: Phrasing) -> str:
    first = [texts._replace(first=dict([*texts.first.items()][:1]), n_more=0) for texts in columns]
    return (
        f"{_what(columns, phrasing)} numbers as text, such as {_cells(first, phrasing)}, so that "
        f"all {_its(columns)} cells are taken for labels; {phrasing.numbers}"
    )


def _what(columns: Sequence[Texts], phrasing: Phrasing) -> str:
    names = listed(texts.node for texts in columns)
    return f"{phrasing.source(len(columns))}{names} {'holds' if len(columns) == 1 else 'hold'}"


def _its(columns: Sequence[Texts]) -> str:
    return "its" if len(columns) == 1 else "their"


def _cells(columns: Sequence[Texts], phrasing: Phrasing) -> str:
    """Return texts with their rows, and with their columns where these are several."""
    is_one = len(columns) == 1
    cells = [
        f"{quoted(text)} ({phrasing.row(row)}{'' if is_one else f' of {quoted(texts.node)}'})"
        for texts in columns
        for text, row in texts.first.items()
    ]
    n_more = sum(texts.n_more for texts in columns)
    return joined(cells, n_more=n_more)


def _left_out(names: Sequence[str], phrasing: Phrasing) -> str:
    return f"{phrasing.drop(names)} {'leaves it' if len(names) == 1 else 'leave them'} out"
