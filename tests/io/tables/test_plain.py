"""Plain delimited text is cut by pandas' parser: to the same cells as the csv module cuts it."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr import BnlrError
from bnlr.io.tables import delimited, plain
from bnlr.io.tables.read import read_table

CELLS = st.text(st.sampled_from("ab1. \"\t,;|#\\'\r\0é\u2028\ufeff\x0b\x1c"), max_size=4)
PLAIN = st.text(st.sampled_from("ab1.#\\'-é\u2028\x0b "), max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines of cells, mostly plain and alike, with a header."""
    delimiter = draw(st.sampled_from(",;\t| "))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    n_columns = draw(st.integers(1, 4))
    n_cells = st.just(n_columns) if draw(st.booleans()) else st.integers(0, n_columns + 1)
    cells = draw(st.sampled_from([PLAIN, CELLS]))
    lines = [delimiter.join(f"x{k}" for k in range(n_columns))]
    for _ in range(draw(st.integers(0, 6))):
        n = draw(n_cells)
        lines.append(delimiter.join(draw(st.lists(cells, min_size=n, max_size=n))))
    return end.join(lines) + draw(st.sampled_from(["", end, end + end]))


def outcome(path: Path) -> object:
    """The columns and what is warned of, or the error's message."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = read_table(path)
        except BnlrError as error:
            return str(error)
    return table.columns, table.layout, [str(one.message) for one in caught]


@given(text=texts(), size=st.sampled_from([1, 7, 2**16]))
def test_plain_text_is_cut_as_the_csv_module_cuts_it(
    tmp_path_factory: pytest.TempPathFactory, text: str, size: int
) -> None:
    path = tmp_path_factory.mktemp("plain") / "data.csv"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "plain_columns", lambda *_: None)
        expected = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "_FIRST_BLOCK", size)
        patch.setattr(plain, "_BLOCK", 3 * size)
        assert outcome(path) == expected


def test_cells_of_any_number_of_letters(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    letters = np.array([*"ab1.-+e"])
    rows = [
        ["".join(generator.choice(letters, generator.integers(0, 9))) for _ in range(5)]
        for _ in range(500)
    ]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(",".join(row) for row in [["p", "q", "r", "s", "t"], *rows]))
    with path.open(newline="") as file:
        file.readline()
        columns = plain.plain_columns(file, ",", 5)
    assert columns == [list(column) for column in zip(*rows, strict=True)]


def test_few_columns_are_one_text_a_state(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "yes,no\nno,yes\n" * 500)
    columns = read_table(path).columns
    assert len({id(cell) for cell in columns["a"]}) == 2


def test_a_long_cell_is_left_to_the_csv_module(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1," + "x" * 200_000 + "\n")
    with path.open(newline="") as file:
        file.readline()
        assert plain.plain_columns(file, ",", 2) is None
    assert "field larger than" in str(outcome(path))
