"""Files of other programs: what pandas writes comes back, what is damaged is refused in words."""

import datetime
import sys
import zipfile
from contextlib import nullcontext
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.io.tables.read import read_table
from tests.io import hostile

FRAME = pd.DataFrame(
    {
        "label": ["x", "y z", "x", 'q"q'],
        "whole": [1, 2, 3, 4],
        "number": [1.5, -2.25, np.nan, 1e-7],
        "kind": pd.Categorical(["b", "a", "b", "b"], categories=["b", "a", "c"]),
        "play": ["yes", "no", "yes", "no"],
    }
)
WRITERS = {
    ".dta": lambda frame, path: frame.to_stata(path, write_index=False),
    ".feather": lambda frame, path: frame.to_feather(path),
}


@pytest.fixture(params=list(WRITERS))
def written(request, tmp_path):
    path = tmp_path / f"rows{request.param}"
    days = np.array(["1970-01-02", "2001-04-03T12", "NaT", "1980-02-29"], dtype="datetime64[us]")
    frame = FRAME.assign(day=days) if request.param == ".dta" else FRAME  # else refused
    WRITERS[request.param](frame, path)
    return path, frame


def test_what_pandas_writes_comes_back(written):
    path, frame = written
    found = bnlr.read_frame(path, "play")
    for name in ("label", "whole", "play"):
        assert found[name].tolist() == frame[name].tolist()
    np.testing.assert_array_equal(found["number"], frame["number"])
    assert found["kind"].tolist() == frame["kind"].tolist()
    assert list(found["kind"].cat.categories)[:2] == ["b", "a"]
    if path.suffix == ".dta":
        seconds = (frame["day"] - pd.Timestamp(0)).dt.total_seconds()
        np.testing.assert_array_equal(found["day"], seconds)
    table = read_table(path)
    assert (table.layout, table.missing()) == (
        {".dta": "Stata", ".feather": "Feather"}[path.suffix],
        {"null": int(frame.isna().sum().sum())},
    )


def test_files_cut_or_changed_are_refused_or_read(written):
    path, _ = written
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        changed = bytearray(raw[: rng.integers(len(raw))] if rng.random() < 0.3 else raw)
        if changed:
            changed[rng.integers(len(changed))] = rng.integers(256)
        path.write_bytes(bytes(changed))
        said = hostile.failure(bnlr.BnlrError, bnlr.read_frame, path)
        assert said == "" or str(path) in said


@pytest.mark.parametrize(
    ("name", "extra"),
    [("x.xlsx", "pandas[excel]"), ("x.sav", "pandas[spss]"), ("x.feather", "bnlr[parquet]")],
)
def test_the_package_that_is_not_installed_is_named(name, extra, tmp_path):
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    absent = dict.fromkeys(("openpyxl", "pyreadstat", "python_calamine", "pyarrow"))
    with mock.patch.dict(sys.modules, absent), pytest.raises(bnlr.TableExtraError) as caught:
        bnlr.read_frame(tmp_path / name)
    assert f"pip install '{extra}'" in str(caught.value)
    assert isinstance(caught.value, ImportError)


SHEET = [
    ["a ", "n", "when", "class", None],
    ["x", 1.0, datetime.datetime(2001, 4, 3), "yes", None],
    ["NA", 2.5, None, "no", None],
    [None, None, None, None, None],
    ["y", "?", datetime.time(12), True, None],
]


def hand_over(monkeypatch, read, sheets=("Data",)):
    """Let pandas' reader of Excel hand over the first of some sheets."""
    book = SimpleNamespace(sheet_names=[*sheets])
    monkeypatch.setattr(pd, "ExcelFile", lambda _: nullcontext(book))
    monkeypatch.setattr(pd, "read_excel", lambda _, **__: read())


def test_further_sheets_and_empty_margins_are_told_of_and_left_out(tmp_path, monkeypatch):
    rows = [[None] * 3, [None, "a", "b"], [None, 1, "p"], [None, 2, "q"]]
    hand_over(monkeypatch, lambda: pd.DataFrame(rows, dtype=object), ["Notes", "Data", "Old"])
    (tmp_path / "x.xlsx").write_bytes(b"")
    with pytest.warns(
        bnlr.BnlrWarning, match="first sheet, 'Notes', is read; 'Data', 'Old' are not"
    ):
        table = read_table(tmp_path / "x.xlsx")
    assert table.columns == {"a": ["1", "2"], "b": ["p", "q"]}


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    """A sheet's cells as pandas' reader of Excel hands them over."""
    cells = pd.DataFrame(SHEET, dtype=object)
    hand_over(monkeypatch, lambda: cells)
    (tmp_path / "x.xlsx").write_bytes(b"")
    return tmp_path / "x.xlsx"


def test_a_sheet_is_text_under_a_header(sheet):
    table = read_table(sheet)
    assert table.columns["a"] == ["x", "NA", "y"]
    assert table.columns["n"] == ["1", "2.5", "?"]
    assert table.columns["when"] == ["986256000", "", "43200"]
    assert table.columns["class"] == ["yes", "no", "True"]
    assert table.missing() == {"NA": 1, "?": 1, "": 1}
    frame = bnlr.read_frame(sheet, keep_na=True)
    assert frame["a"].tolist() == ["x", "NA", "y"]
    np.testing.assert_array_equal(frame["n"], [1.0, 2.5, np.nan])
    assert list(read_table(sheet, header=False).columns) == [f"column{k}" for k in range(1, 5)]


@pytest.mark.parametrize("names", [[0, 1], [7, 3], ["x", "y z"]])
def test_the_index_that_pandas_writes_into_a_sheet_is_no_column(names, tmp_path, monkeypatch):
    rows = [[None, "a", "b"], [names[0], 1, "p"], [names[1], 2, "q"]]
    hand_over(monkeypatch, lambda: pd.DataFrame(rows, dtype=object))
    (tmp_path / "x.xlsx").write_bytes(b"")
    with pytest.warns(bnlr.BnlrWarning, match="the first column has no name"):
        assert read_table(tmp_path / "x.xlsx").columns == {"a": ["1", "2"], "b": ["p", "q"]}


def test_a_reader_that_fails_without_a_word_is_no_bare_error(tmp_path, monkeypatch):
    def read():
        raise AssertionError

    hand_over(monkeypatch, read)
    (tmp_path / "x.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    with pytest.raises(bnlr.DataError, match="damaged, as its reader's AssertionError"):
        bnlr.read_frame(tmp_path / "x.xls")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[None]], "the first sheet is empty"),
        ([["a"]], "no rows below the header of the first sheet"),
        ([["a", "a"], [1, 2]], "two columns are named 'a'"),
        ([["a", None], [1, 2]], "column 2 has no name"),
        ([[]], "found no columns"),
        ([[None, "a"], [0.5, 1], [1.5, 2]], "column 1 has no name"),
    ],
)
def test_sheets_that_are_refused(rows, said, tmp_path, monkeypatch):
    hand_over(monkeypatch, lambda: pd.DataFrame(rows, dtype=object))
    (tmp_path / "x.xlsx").write_bytes(b"")
    with pytest.raises(bnlr.DataError, match=said):
        bnlr.read_frame(tmp_path / "x.xlsx")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([b"x", b"y"], "column 'a' holds a bytes"),
        ([1.0, float("inf")], "column 'a' holds inf"),
        ([[1], [2]], "column 'a' holds a list"),
    ],
)
def test_columns_that_are_refused(column, said, tmp_path, monkeypatch):
    monkeypatch.setattr(pd, "read_spss", lambda _, **__: pd.DataFrame({"a": column}))
    (tmp_path / "x.sav").write_bytes(b"")
    with pytest.raises(bnlr.DataError, match=said):
        bnlr.read_frame(tmp_path / "x.sav")


def test_columns_that_pandas_keeps_as_objects(tmp_path, monkeypatch):
    frame = pd.DataFrame(
        {
            "n": pd.Series([1, None, 2.5], dtype=object),
            "d": pd.Series([datetime.date(1970, 1, 2), None, datetime.time(0, 1)], dtype=object),
            "t": np.array(["1583-01-01", "NaT", "1970-01-01T00:01"], dtype="datetime64[us]"),
            "b": pd.Series([True, False, None], dtype="boolean"),
            "i": pd.Series([1, None, 2**53 + 1], dtype="Int64"),
        }
    )
    monkeypatch.setattr(pd, "read_spss", lambda _, **__: frame)
    (tmp_path / "x.sav").write_bytes(b"")
    found = bnlr.read_frame(tmp_path / "x.sav")
    np.testing.assert_array_equal(found["n"], [1.0, np.nan, 2.5])
    np.testing.assert_array_equal(found["d"], [86_400.0, np.nan, 60.0])
    np.testing.assert_array_equal(found["t"], [-12212553600.0, np.nan, 60.0])
    assert found["b"].tolist()[:2] == ["True", "False"]
    assert found["i"].tolist()[2] == 2**53 + 1


def test_more_cells_than_bytes_are_refused_before_they_are_read(tmp_path, monkeypatch):
    pd.DataFrame({"a": [0] * 3000, "b": [1] * 3000}).to_parquet(tmp_path / "x.parquet")
    monkeypatch.setenv("BNLR_MAX_CELLS", "5000")
    with pytest.raises(bnlr.DataError, match=r"3,000 rows of 2 columns.*BNLR_MAX_CELLS"):
        bnlr.read_frame(tmp_path / "x.parquet")
    monkeypatch.setenv("BNLR_MAX_CELLS", "6000")
    assert bnlr.read_frame(tmp_path / "x.parquet").shape == (3000, 2)
