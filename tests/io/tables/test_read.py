"""Data files: delimiters, missing cells, numbers and labels."""

import gzip
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io.tables.cells import frame_like, numeric_column, typed_frame
from bnlr.io.tables.read import read_table
from tests.io import packed
from tests.width import in_full


def table(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    raw = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return read_table(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ", "])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.txt"])
def test_delimiters(delimiter, name, tmp_path):
    lines = [delimiter.join(line) for line in (["a", "b", "c"], ["1", "u", "y"], ["2", "v", "n"])]
    t = table(tmp_path, "\n".join(lines) + "\n", name)
    assert t.columns == {"a": ["1", "2"], "b": ["u", "v"], "c": ["y", "n"]}
    assert t.n_rows == 2


def test_other_delimiters_in_cells(tmp_path):
    t = table(tmp_path, '"a;b;c",d\n"1;2;3","x, y"\n')
    assert t.columns == {"a;b;c": ["1;2;3"], "d": ["x, y"]}
    assert table(tmp_path, "a;b\n1,5;x,y\n2,5;z\n").columns == {
        "a": ["1,5", "2,5"],
        "b": ["x,y", "z"],
    }


def test_a_header_longer_than_the_sample(tmp_path):
    names = [f"a_long_column_name_{k}" for k in range(10_000)]
    t = table(tmp_path, ";".join(names) + "\n" + ";".join("1" * 10_000) + "\n")
    assert list(t.columns) == names


def test_byte_order_mark_and_line_ends(tmp_path):
    t = table(tmp_path, b"\xef\xbb\xbfa,b\r\n1,x\r\n\r\n2,y")
    assert t.columns == {"a": ["1", "2"], "b": ["x", "y"]}


@given(frame=st.data())
def test_reads_what_pandas_writes(frame, tmp_path_factory):
    cells = st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), min_size=1
    )
    cells = cells.filter(lambda cell: cell == cell.strip())
    rows = frame.draw(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
    path = tmp_path_factory.mktemp("t") / "x.csv"
    pd.DataFrame(rows, columns=["first", "second"]).to_csv(path, index=False)
    t = read_table(path)
    assert list(zip(*t.columns.values(), strict=True)) == rows


REFUSED = {
    "empty": ("", "found no columns"),
    "blank": ("\n \n", "found no columns"),
    "header only": ("a,b\n", "no rows"),
    "short line": ("a,b,c\n1,2,3\n1,2\n", "line 3 has 2 cells, the header 3"),
    "long line": ("a,b\n1,2\n1,2,3\n", "line 3 has 3 cells"),
    "nameless column": ('"",a\n1,2\n', "column 1 has no name"),
    "names twice": ("a,b,a\n1,2,3\n", "two columns are named 'a'"),
    "not text": (b"a,b\n1,\xff\n", "not UTF-8"),
    "a huge cell": ("a,b\n1," + "x" * 200_000 + "\n", "not a delimited text file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, tmp_path):
    text, said = REFUSED[name]
    with pytest.raises(bnlr.DataError, match=said) as caught:
        table(tmp_path, text)
    assert "x.csv" in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(bnlr.DataError, match="No such file"):
        read_table(tmp_path / "none.csv")
    for raw in (b"\x1f\x8bnot gzip", gzip.compress(b"a,b\n1,2\n" * 1000)[:-20]):
        (tmp_path / "x.csv.gz").write_bytes(raw)
        with pytest.raises(bnlr.DataError, match="cannot read"):
            read_table(tmp_path / "x.csv.gz")


def test_unknown_column_names_a_near_one(tmp_path):
    with pytest.raises(bnlr.DataError, match=r"no column 'clas'.*did you mean 'class'"):
        table(tmp_path, "a,class\n1,2\n").column("clas")


def test_missing_cells_are_counted_by_how_they_are_written(tmp_path):
    t = table(tmp_path, "a,b,c\n?,,NA\n?, ? ,x\nNaN,y,nan\n")
    assert t.missing() == {"?": 3, "": 1, "NA": 1, "NaN": 1, "nan": 1}
    assert t.keep([1]).columns == {"a": ["?"], "b": ["? "], "c": ["x"]}


# What cells mean


def column(*cells, keep_text=""):
    from bnlr.io.tables.table import Table

    frame, numeric = typed_frame(Table("t", {"a": list(cells)}), keep_text)
    return frame["a"].tolist(), numeric == ("a",)


@pytest.mark.parametrize(
    ("cells", "values", "is_numeric"),
    [
        (("1", "2", "-3"), [1, 2, -3], True),
        (("1", "2.5"), [1.0, 2.5], True),
        (("1e3", ".5", "+4.", "-0"), [1000.0, 0.5, 4.0, 0.0], True),
        (("a", "b"), ["a", "b"], False),
        (("1", "a"), ["1", "a"], False),
        (("007", "008"), ["007", "008"], False),
        (("1_000", "2"), ["1_000", "2"], False),
        (("1e999", "2"), ["1e999", "2"], False),
        (("inf", "2"), ["inf", "2"], False),
        (("٣", "2"), ["٣", "2"], False),
        (("True", "False"), ["True", "False"], False),
        ((" 1 ", "2"), [1, 2], True),
        (("a", "?", ""), ["a", None, None], False),
        (("?", "NA"), [None, None], False),
    ],
)
def test_types(cells, values, is_numeric):
    read, numeric = column(*cells)
    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]
    assert numeric == is_numeric


def test_numbers_with_holes():
    read, numeric = column("1", "", "2.5")
    assert numeric
    assert read[0] == 1.0
    assert math.isnan(read[1])


@pytest.mark.parametrize(
    ("cells", "labels"),
    [(("0", "1"), [0, 1]), (("0.5", "1"), ["0.5", "1"]), (("01", "1"), ["01", "1"])],
)
def test_the_class_keeps_its_text(cells, labels):
    read, numeric = column(*cells, keep_text="a")
    assert read == labels
    assert not numeric


@pytest.mark.parametrize(
    ("labels", "cells", "read"),
    [
        (("a", "b"), ("a", " b ", "z", "?"), ["a", "b", "z", None]),
        ((0, 1), ("0", "1", "1.0", "2", ""), [0, 1, 1, "2", None]),
        ((0.5, 1.5), ("0.5", "1.50", "x"), [0.5, 1.5, "x"]),
        ((False, True), ("True", "false", "1"), [True, False, "1"]),
        (("1", 2), ("1", "2"), ["1", 2]),
        (("?", "NA", ""), ("?", "NA", ""), ["?", "NA", ""]),
        ((" a", "a"), (" a", "a", "a "), [" a", "a", "a"]),
        (("1", "01"), ("1", "01", "1.0"), ["1", "01", "1.0"]),
    ],
)
def test_labels_of_known_states(labels, cells, read):
    from bnlr.io.tables.table import Table

    frame = frame_like(Table("t", {"a": list(cells), "z": list(cells)}), {"a": labels, "b": (1, 2)})
    assert list(frame.columns) == ["a"]
    assert frame["a"].tolist() == read
    assert [type(value) for value in frame["a"]] == [type(value) for value in read]


def test_numeric_columns_on_request(tmp_path):
    t = table(tmp_path, "a,b\n1,x\n?,y\n2.5,z\n")
    np.testing.assert_array_equal(numeric_column(t, "a"), [1.0, np.nan, 2.5])
    with pytest.raises(bnlr.DataError, match="'b' holds 'x' in data row 1"):
        numeric_column(t, "b")


def test_a_single_column_is_a_table(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a\n1\n2\n", encoding="utf-8")
    assert list(read_table(path).columns) == ["a"]


def test_further_texts_are_missing_beside_a_format_s_own(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n-9,x\n?, none \n1,y\n", encoding="utf-8")
    t = read_table(path, missing=["-9", "none "])
    assert t.missing() == {"-9": 1, "?": 1, "none": 1}
    assert [t.n_missing(name) for name in t.columns] == [2, 1]
    frame, _ = typed_frame(t, "")
    assert frame["a"].tolist()[2] == 1.0
    assert frame["b"].tolist() == ["x", None, "y"]
    labels = frame_like(t, {"a": (-9, 1), "b": ("none", "x", "y")})
    assert labels["a"].tolist() == [None, None, 1]
    assert labels["b"].tolist() == ["x", None, "y"]
    np.testing.assert_array_equal(numeric_column(t, "a"), [np.nan, np.nan, 1.0])
    arff = tmp_path / "x.arff"
    arff.write_text("@relation r\n@attribute a numeric\n@data\n-9\n?\n1\n", encoding="utf-8")
    assert read_table(arff, missing=["-9"]).missing() == {"-9": 1, "?": 1}
    assert read_table(arff).missing() == {"?": 1}


def test_columns_are_left_out(tmp_path):
    t = table(tmp_path, "a,b\n1,x\n")
    assert t.without(["a"]).columns == {"b": ["x"]}
    assert t.without([]) == t
    with pytest.raises(bnlr.DataError, match="no column 'c'"):
        t.without(["c"])
    with pytest.raises(bnlr.DataError, match="no column is left"):
        t.without(["a", "b"])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (("1,5", "-2"), [1.5, -2.0]),
        (("1,5e3", "0,25"), [1500.0, 0.25]),
        (("1,234,567", "2"), [1234567, 2]),
        (("1.234,5", "2"), [1234.5, 2.0]),
        (("1,x", "2"), ["1,x", "2"]),
    ],
)
def test_decimal_commas(cells, values, tmp_path):
    for delimiter in ";\t|":
        lines = [f"a{delimiter}b", *(f"{cell}{delimiter}z" for cell in cells)]
        t = table(tmp_path, "\n".join(lines))
        assert t.columns["a"] == list(cells)
        frame, _ = typed_frame(t, "")
        assert frame["a"].tolist() == values


def test_decimal_commas_beside_points(tmp_path):
    """They are numbers where semicolons separate, and two ways of writing elsewhere."""
    t = table(tmp_path, "a;b\n1,5;z\n2.5;z\n")
    assert typed_frame(t, "")[0]["a"].tolist() == [1.5, 2.5]
    t = table(tmp_path, "a\tb\n1,5\tz\n2.5\tz\n")
    assert typed_frame(t, "")[0]["a"].tolist() == ["1,5", "2.5"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_encodings(encoding, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("é,b\nü,1\n".encode(encoding))
    is_marked = encoding in ("utf-8-sig", "utf-16", "utf-32")
    t = read_table(path, encoding=None if is_marked else encoding)
    assert t.columns == {"é": ["ü"], "b": ["1"]}
    if is_marked:
        assert read_table(path, encoding="utf-8" if encoding == "utf-8-sig" else encoding) == t


@pytest.mark.parametrize("encoding", ["utf-9", "rot13", "", "a\0b"])
def test_encodings_that_are_none(encoding, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(bnlr.DataError, match="there is no encoding"):
        read_table(path, encoding=encoding)


def test_a_pipe_is_read(tmp_path):
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(gzip.compress(b"a,b\n1,2\n"))
    try:
        assert read_table(f"/dev/fd/{reader}").columns == {"a": ["1"], "b": ["2"]}
    finally:
        os.close(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("name", ["x.csv", "x.arff.gz", "x.zip", "x.bif", "x.parquet", "x.ods"])
def test_a_named_pipe_is_read_if_a_program_writes_into_it(tmp_path, monkeypatch, name):
    monkeypatch.setattr("bnlr.io.files._PATIENCE", 0.02)
    path = tmp_path / name
    os.mkfifo(path)
    load, error = (
        (bnlr.load, bnlr.ModelFileError) if name == "x.bif" else (read_table, bnlr.DataError)
    )
    with pytest.raises(error, match=r"a named pipe.* give a file"):
        load(path)
    if name == "x.csv":
        monkeypatch.setattr("bnlr.io.files._PATIENCE", 60.0)
        with ThreadPoolExecutor(1) as thread:
            thread.submit(path.write_bytes, b"a,b\n1,2\n")
            assert load(path).columns == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize("first", [0, 1])
def test_a_nameless_index_is_left_out_with_a_warning(first, tmp_path):
    with pytest.warns(bnlr.BnlrWarning, match="numbers the rows"):
        t = table(tmp_path, f'"",a\n{first},x\n{first + 1},y\n')
    assert t.columns == {"a": ["x", "y"]}
    with pytest.raises(bnlr.DataError, match="column 1 has no name"):
        table(tmp_path, f'"",a\n{first},x\n{first},y\n')


def test_equal_cells_of_a_column_are_one_text(tmp_path):
    rows = "".join(f"{k % 3},{k % 2}\n" for k in range(10_000))
    read = table(tmp_path, f"a,b\n{rows}")
    assert read.columns["a"] == [str(k % 3) for k in range(10_000)]
    assert [len(set(map(id, cells))) for cells in read.columns.values()] == [3, 2]


@pytest.mark.parametrize("suffix", [*in_full(".csv.gz"), ".arff.gz", ".xlsx"])
def test_a_packed_table_of_many_times_its_size_is_refused_at_once(tmp_path, monkeypatch, suffix):
    """Its rows are valid, and reading them would take seconds."""
    path = tmp_path / f"bomb{suffix}"
    head = (
        "@relation r\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
        if "arff" in suffix
        else "a,b\n"
    )
    text = (head + "0,1\n" * 2**20).encode()
    path.write_bytes(packed.zipped(text, "x.xml") if suffix == ".xlsx" else gzip.compress(text))
    start = time.process_time()
    with pytest.raises(bnlr.DataError, match="unpacks to more than 2 MiB; set BNLR_MAX_UNPACKED_M"):
        read_table(path)
    assert time.process_time() - start < 1
    if suffix == ".csv.gz":
        monkeypatch.setenv("BNLR_MAX_UNPACKED_MIB", "5")
        assert read_table(path).n_rows == 2**20


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.csv", '{"a": 1}\n{"a": 2}\n', "JSON, by its beginning"),
        ("x.csv", '\n[{"a": 1}]\n', "JSON, by its beginning"),
        ("x.txt", "<!DOCTYPE html>\n<html></html>\n", "HTML, by its beginning"),
        ("x.csv", '<?xml version="1.0"?>\n<a/>\n', "XML, by its beginning"),
        ("x.xls", "<table><tr><td>a</td></tr></table>", "no Excel file by its content"),
        ("x.xlsx", "a,b\n1,2\n", r"no Excel file by its content.*\.csv"),
        ("x.ods", "a,b\n1,2\n", "no OpenDocument file by its content"),
        ("x.csv", 'a,b\n1,2\n"he said \\"x\\"",1\n', r"line 3: a quote inside a cell.*double it"),
        ("x.csv", "a,b\n1,2,3\n4,5\n", "line 3 has 2 cells, the rows above 3 cells, the header 2"),
    ],
)
def test_what_people_call_tables_is_refused_in_words(tmp_path, name, text, words):
    with pytest.raises(bnlr.DataError, match=words):
        table(tmp_path, text, name)


def test_backslashes_that_are_letters(tmp_path):
    """A path may end with one, and cells without quotes hold what they hold."""
    found = table(tmp_path, 'a,b\n"C:\\dir\\",5\\" pipe\n"D:\\",x\n')
    assert found.columns == {"a": ["C:\\dir\\", "D:\\"], "b": ['5\\" pipe', "x"]}
