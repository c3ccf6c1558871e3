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
    words; ``hole`` says how to make texts of columns missing cells, ``numbers`` how to make numbers
    of the texts of columns, ``dates`` of their dates, ``drop`` how to leave columns out.
    ``decimal_commas``: whether 1,5 is a number there; ``meant`` are columns that list their labels.
    """

    source: Callable[[int], str]
    row: Callable[[int], str]
    hole: Callable[[Sequence[str], Sequence[str]], str]
    numbers: Callable[[Sequence[str]], str]
    dates: Callable[[Sequence[str]], str]
    drop: Callable[[Sequence[str]], str]
    decimal_commas: bool = False
    meant: Collection[str] = ()


_MOST_NAMED = 100


def _all_quoted(names: Sequence[str]) -> str:
    """Return the names of columns as a list's: a remedy names all, but where nobody reads them."""
    return listed(names, _MOST_NAMED)


def _to_numeric(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"pandas.to_numeric(frame[{quoted(names[0])}], errors='coerce')"
    return f"frame[[{_all_quoted(names)}]].apply(pandas.to_numeric, errors='coerce')"


IN_PYTHON = Phrasing(
    source=lambda n: "column " if n == 1 else "columns ",
    row=lambda row: f"row {row}",
    hole=lambda _, names: _to_numeric(names),
    numbers=lambda names: f"make numbers of them, for instance {_to_numeric(names)}",
    dates=lambda names: (
        "of which the year may tell something: "
        f"pandas.to_datetime(frame[{quoted(names[0])}]).dt.year"
    ),
    drop=lambda names: f"drop(columns=[{_all_quoted(names)}])",
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
            for name, n_labels, n_rows, *_ in found.identifiers
        ]
        # Years or weights, as well as numbers of rows.
        measured = [labels.node for labels in found.identifiers if labels.are_numbers]
        whose = "its numbers" if len(cells) == 1 else f"numbers of {_all_quoted(measured)}"
        remedy = f"; if {whose} measure something, {phrasing.numbers(measured)}" if measured else ""
        if dates := [labels.node for labels in found.identifiers if labels.are_dates]:
            verb = "holds" if len(dates) == 1 else "hold"
            remedy += f"; {_all_quoted(dates)} {verb} dates, {phrasing.dates(dates)}"
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
        f"{phrasing.hole(_distinct_texts(columns), [texts.node for texts in columns])}"
    )


def _as_text(columns: Sequence[Texts], phrasing: Phrasing) -> str:
    first = [texts._replace(first=dict([*texts.first.items()][:1]), n_more=0) for texts in columns]
    return (
        f"{_what(columns, phrasing)} numbers as text, such as {_cells(first, phrasing)}, so that "
        f"all {_its(columns)} cells are taken for labels; "
        f"{phrasing.numbers([texts.node for texts in columns])}"
    )


def _distinct_texts(columns: Sequence[Texts]) -> list[str]:
    return list(dict.fromkeys(text for texts in columns for text in texts.first))


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
