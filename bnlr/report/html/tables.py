"""Tables of a page: numbers stand right, digit under digit, under one or two rows of headings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any

from bnlr.errors import ParameterError
from bnlr.report.html.markup import Html, inline, plain


@dataclass(frozen=True)
class Column:
    """A column's heading, the format of its numbers (as of `format`) and the heading above it.

    ``bar``: whether a bar beside each number shows it as a share of the column's largest.
    """

    name: str
    format: str = ""
    group: str = ""
    bar: bool = False


def table(
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Any]],
    caption: str,
    foot: Sequence[Sequence[Any]] = (),
) -> Html:
    """A table whose numbers stand right, digit under digit.

    None and NaN are shown as a dash, whole numbers with commas, floats by their column's format or
    else with four digits. Columns of one group must stand side by side.

    Parameters
    ----------
    columns
    rows, foot
        Cells in the order of the columns; those of ``foot``, such as means, are set off below.
    caption

    Raises
    ------
    ParameterError
        A row of another length than ``columns``.
    """
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    for row in (*rows, *foot):
        if len(row) != len(heads):
            raise ParameterError(f"a table of {len(heads)} columns has the row {row!r:.200}")
    longest = [
        _longest([row[k] for row in rows]) if heads[k].bar else 0.0 for k in range(len(heads))
    ]
    kind = ' class="bars"' if any(longest) else ""
    numeric = [_is_numeric([row[k] for row in (*rows, *foot)]) for k in range(len(heads))]
    lines = [
        f'<div class="wide" role="region" aria-label="{escape(plain(caption))}" tabindex="0">',
        f"<table{kind}>\n<caption><span>{inline(caption)}</span></caption>",
        f"<thead>\n{_groups(heads)}{_names(heads, numeric)}\n</thead>",
        "<tbody>",
        *(_row(row, heads, numeric, longest) for row in rows),
        "</tbody>",
    ]
    if foot:
        lines += [
            "<tfoot>",
            *(_row(row, heads, numeric, [0.0] * len(heads)) for row in foot),
            "</tfoot>",
        ]
    return Html("\n".join([*lines, "</table>\n</div>"]))


def _groups(heads: Sequence[Column]) -> str:
    if not any(head.group for head in heads):
        return ""
    cells = []
    for group, members in groupby(heads, key=lambda head: head.group):
        label = f"<span>{inline(group)}</span>" if group else ""
        tag = "th" if group else "td"
        scope = ' scope="colgroup"' if group else ""
        cells.append(f'<{tag}{scope} colspan="{len(list(members))}">{label}</{tag}>')
    return f'<tr class="groups">{"".join(cells)}</tr>\n'


def _names(heads: Sequence[Column], numeric: Sequence[bool]) -> str:
    cells = (
        f'<th scope="col"{_class(is_number)}>{inline(head.name)}</th>'
        for head, is_number in zip(heads, numeric, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _row(
    row: Sequence[Any], heads: Sequence[Column], numeric: Sequence[bool], longest: Sequence[float]
) -> str:
    cells = (
        f"<td{_class(is_number)}>{_with_bar(value, _cell(value, head.format), most)}</td>"
        for value, head, is_number, most in zip(row, heads, numeric, longest, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _longest(cells: Iterable[Any]) -> float:
    sizes = [abs(float(cell)) for cell in cells if isinstance(cell, Real)]
    return max((size for size in sizes if isfinite(size)), default=0.0)


def _with_bar(value: Any, text: str, most: float) -> str:
    if not most or not isinstance(value, Real):
        return text
    share = min(1.0, abs(float(value)) / most) if not isnan(value) else 0.0
    sign = ' class="less"' if float(value) < 0 else ""
    bar = f'<span class="track"><i{sign} style="width: {share:.1%}"></i></span>'
    return f'<div class="bar">{bar}<span>{text}</span></div>'


def _class(is_number: bool) -> str:
    return ' class="n"' if is_number else ""


def _cell(value: Any, style: str) -> str:
    if value is None or (isinstance(value, Real) and not isfinite(value)):
        return '<span class="none">–</span>'
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        text = format(int(value), style or ",")
    elif isinstance(value, Real):
        text = format(float(value), style or ".4g")
    else:
        return inline(str(value) if not isinstance(value, str) else value)
    return escape(text.replace("-", "−"))


def _is_numeric(cells: Iterable[Any]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(c, Real) and not isinstance(c, bool) for c in known)
