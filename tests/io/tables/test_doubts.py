"""Rows that are none, and headers that are rows: told in words, and nothing is left out."""

import re
import warnings

import numpy as np
import pytest

import bnlr
from tests.width import width

ROWS = [["x", "1.5", "yes"], ["y", "2", "no"], ["z", "3", "yes"], ["y", "4", "no"]]
HEAD = ["a", "n", "c"]
CASES = {
    "no header, labels": (
        [["x", "1", "yes"], ["y", "2", "no"], ["x", "3", "yes"]],
        "holds .x., as its column does below; if it is a row: header=False",
    ),
    "no header, decimals": ([["1.5", "u"], ["2.5", "v"]], "holds '1.5'; if it is a row"),
    "joined files": ([HEAD, *ROWS, HEAD, *ROWS[:2]], "data row 5 is the header again"),
    "joined twice": ([HEAD, *ROWS, HEAD, HEAD, *ROWS], "data rows 5, 6 are the header again"),
    "units": (
        [["a", "n", "m"], ["", "(mm)", "kg"], *[[r[0], r[1], r[1]] for r in ROWS]],
        r"first row below the header, '\(mm\)', 'kg', is text above numbers in 'n', 'm'",
    ),
    "totals": ([HEAD, *ROWS, ["Total", "10.5", ""]], "last row begins with 'Total'; if it sums"),
    "in German": ([HEAD, *ROWS, ["Summe:", "10.5", ""]], "last row begins with 'Summe:'"),
    "without a label": ([["n", "c"], *[r[1:] for r in ROWS], ["", "Total"]], "with 'Total'"),
    "a note": ([HEAD, *ROWS, ["Source: WHO", "", ""]], "last row holds 'Source: WHO' alone"),
    "single quotes": ([["'a'", "'n'"], ["'x'", "'1'"]], "stand in single quotes, which are kept"),
    "another delimiter": ([["a:n:c"], ["x:1:yes"], ["y:2:no"]], r"delimiter=':'"),
}


def told(tmp_path, rows, delimiter=","):
    path = tmp_path / "d.csv"
    path.write_text("".join(f"{delimiter.join(row)}\n" for row in rows), "utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = bnlr.read_frame(path)
    assert len(frame) == len(rows) - 1
    return [str(each.message).partition(": ")[2] for each in caught]


@pytest.mark.parametrize("case", CASES)
def test_what_is_told(tmp_path, case):
    rows, words = CASES[case]
    found = told(tmp_path, rows)
    assert len(found) == 1
    assert re.search(words, found[0])


def test_names_in_the_comment_above_as_numpy_writes_them(tmp_path):
    path = tmp_path / "d.txt"
    np.savetxt(path, np.arange(6.0).reshape(3, 2), header="a b", fmt="%.0f")
    with pytest.warns(
        bnlr.BnlrWarning, match="names seem to stand in the comment above, 'a' first"
    ):
        bnlr.read_frame(path)


@pytest.mark.parametrize(
    "drawn",
    [
        "+---+---+\n| a | b |\n+---+---+\n| x | y |\n",
        "| a | b |\n|---|:--|\n| x | y |\n",
        " a | b\n---+---\n x | y\n",
    ],
)
def test_tables_drawn_with_lines_are_refused(tmp_path, drawn):
    path = tmp_path / "d.txt"
    path.write_text(drawn)
    with pytest.raises(bnlr.DataError, match="a table drawn with lines between its rows"):
        bnlr.read_frame(path)


def test_no_header_is_not_judged_where_there_is_none(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,1.5,yes\ny,2,no\nx,3,yes\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(bnlr.read_frame(path, header=False)) == 3


@pytest.mark.parametrize("seed", range(width(100, 10)))
def test_of_tables_with_names_and_rows_nothing_is_told_and_of_others_what_was_done(tmp_path, seed):
    """Numbers and labels; then without a header, with one within, and with a sum below."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(4, 30))
    kinds = rng.choice(["number", "label"], int(rng.integers(2, 6)))
    makers = {
        "number": lambda: f"{rng.normal():.2f}" if rng.random() < 0.9 else "",
        "label": lambda: str(rng.choice(["red", "green", "blue", "?"])),
    }
    rows = [[makers[kind]() for kind in kinds] for _ in range(n_rows)]
    rows[0] = [
        cell if cell.strip("?") else "1.25" if kind == "number" else "red"
        for cell, kind in zip(rows[0], kinds, strict=True)
    ]
    names = [f"v{k}" for k in range(len(kinds))]
    assert told(tmp_path, [names, *rows]) == []
    joined = int(rng.integers(1, n_rows))
    found = told(tmp_path, [names, *rows[:joined], names, *rows[joined:]])
    assert any(f"data row {joined + 1} is the header again" in each for each in found)
    found = told(tmp_path, [names, *rows, ["Total", *rows[0][1:]]])
    assert [each for each in found if "last row begins with 'Total'" in each]
    found = (
        told(tmp_path, [*rows, rows[0]]) if len(set(rows[0])) == len(kinds) else ["if it is a row"]
    )
    assert any("if it is a row" in each for each in found)
