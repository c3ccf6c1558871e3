"""Delimited text as programs write it: delimiters, headers, comments, marks of numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io.tables.read import read_table

ROWS = {"a": ["1", "2"], "b": ["x", "y"]}


@pytest.fixture
def table(tmp_path):
    def read(text, name="x.csv", **options):
        (tmp_path / name).write_text(text, "utf-8", newline="")
        return read_table(tmp_path / name, **options)

    return read


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", list(",;\t|:^"))
@pytest.mark.parametrize("form", ["sep={}", '"sep={}"', "SEP={}", "sep={},,"])
def test_a_first_line_may_name_the_delimiter(form, delimiter, end, table):
    lines = [form.format(delimiter), f"a{delimiter}b", f"1{delimiter}x", f"2{delimiter}y", ""]
    t = table(end.join(lines))
    assert t.columns == ROWS
    with pytest.raises(bnlr.DataError, match="line 5 has 1 cell"):
        table(end.join([*lines[:-1], "z"]))


@pytest.mark.parametrize("delimiter", [":", "^", " ", "blank", "semicolon", ";"])
def test_a_delimiter_is_named(delimiter, table):
    character = {"blank": "  ", "semicolon": ";"}.get(delimiter, delimiter)
    assert (
        table(f"a{character}b\n1{character}x\n2{character}y\n", delimiter=delimiter).columns == ROWS
    )


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n", "commas", 3])
def test_delimiters_that_are_none(delimiter, table):
    with pytest.raises(bnlr.ParameterError, match=r"^delimiter is "):
        table("a,b\n1,x\n", delimiter=delimiter)


def test_an_empty_comment_and_another_mark_of_decimals(table):
    with pytest.raises(bnlr.ParameterError, match=r"^comment is ''"):
        table("a,b\n1,x\n", comment="")
    with pytest.raises(bnlr.ParameterError, match=r"^decimal is ';'; choose one of"):
        table("a,b\n1,x\n", decimal=";")


def test_no_header(table):
    t = table("5.1,x\n4.9,y\n", header=False)
    assert t.columns == {"column1": ["5.1", "4.9"], "column2": ["x", "y"]}
    with pytest.warns(bnlr.BnlrWarning, match=r"holds '5\.1'; if it is a row: header=False"):
        t = table("5.1,x\n4.9,y\n")
    with pytest.raises(bnlr.DataError, match=r"no column 'class'.*a row: header=False"):
        t.column("class")
    with pytest.raises(bnlr.DataError, match=r"no rows below the header; .*: header=False"):
        table("5.1,x\n")
    assert table("1990,x\n4,y\n").columns == {"1990": ["4"], "x": ["y"]}  # a year is a name


@pytest.mark.parametrize(
    "text",
    [
        "a b\n1 x\n2 y\n",
        "a   b\n 1  x\n  2 y  \n",
        "a \t b\n1\t\tx \t\n2 y\n\n",
        'a "b"\n1 x\n2 "y"\n',
    ],
)
def test_blanks_separate_where_nothing_else_does(text, table):
    t = table(text, "x.txt")
    assert t.columns == ROWS
    assert t.layout == "blank-separated"


def test_words_of_one_column_are_no_columns(table):
    assert table("name\nJohn Smith\nMary Jane\n").columns == {"name": ["John Smith", "Mary Jane"]}
    assert table("a\tb\n1 x\ty\n2 z\tw\n").columns == {"a": ["1 x", "2 z"], "b": ["y", "w"]}


@pytest.mark.parametrize("separator", [" ", ",", "\t"])
@pytest.mark.parametrize("start", [0, 1])
def test_row_numbers_without_a_name_as_r_writes_them(start, separator, table):
    lines = [["a", "b"], [str(start), "1", "x"], [str(start + 1), "2", "y"]]
    text = "\n".join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    with pytest.warns(bnlr.BnlrWarning, match="no name and numbers the rows; it is left out"):
        assert table(text).columns == ROWS
    lines[2][0] = "7"
    text = "\n".join(separator.join(line) for line in lines)
    with pytest.raises(bnlr.DataError, match=r"line 3 has 3 cells, .* give it a name"):
        table(text)


@given(st.data())
def test_a_nameless_first_column_names_rows_or_is_refused(tmp_path_factory, data):
    """Left out where pandas' index comes back by it; refused where a row would lose a cell."""
    cell = st.sampled_from(["p", "q r", "é", "7", "12", "0", "1", "0.5", "1,5", "", " ", "NA"])
    names = data.draw(st.lists(cell, min_size=2, max_size=5))
    path = tmp_path_factory.mktemp("rows") / "x.csv"
    frame = pd.DataFrame({"a": np.arange(len(names)), "b": ["x"] * len(names)}, index=names)
    frame.to_csv(path)
    texts = [name.strip() for name in names]
    are_names = "" not in texts and len(set(texts)) == len(texts)
    are_measured = any(text in ("0.5", "1,5") for text in texts)
    if are_names and not are_measured:
        with pytest.warns(bnlr.BnlrWarning, match="the first column has no name and .* left out"):
            found = bnlr.read_frame(path)
        pd.testing.assert_frame_equal(found, frame.reset_index(drop=True), check_dtype=False)
    else:
        with pytest.raises(bnlr.DataError, match="column 1 has no name in the first line; give"):
            read_table(path)


def test_a_delimiter_that_ends_every_line_is_none(table):
    assert table("a,b,\n1,x,\n2,y,\n").columns == ROWS
    assert table("a,b\n1,x,\n2,y, \n").columns == ROWS
    for text in ("a,b\n1,x,\n2,y\n", "a,b\n1,x,\n2,y,z\n", "a,b\n1,x,\n2,y,,\n"):
        with pytest.raises(bnlr.DataError, match=r"line 3 has . cells.*end all lines alike"):
            table(text)
    with pytest.raises(bnlr.DataError, match="column 3 has no name"):
        table("a,b,\n1,x,\n2,y,z\n")


def test_comments(table):
    text = "# made, by\n#\n# on\na,b,c\n1,x,p\n# half way\n2,y,q\n"
    with pytest.warns(
        bnlr.BnlrWarning, match=r"line 6 between the rows is taken for comments \(#\)"
    ):
        t = table(text)
    assert t.columns == {**ROWS, "c": ["p", "q"]}
    assert table("#a,b\n#1,x\n").columns == {"#a": ["#1"], "b": ["x"]}  # cut as the rows are
    assert table('a,b\n"#1,\n#2",x\n').columns == {"a": ["#1,\n#2"], "b": ["x"]}
    text = "% made, by\na,b\n1,x\n%no, row\n2,y\n"
    assert table(text, comment="%").columns == ROWS
    assert table("#a,b\na,b\n1,x\n#1,z\n2,y\n", comment="#").columns == ROWS
    with pytest.raises(bnlr.DataError, match="all lines are blank or comments"):
        table("#a\n#b\n", comment="#")


@given(data=st.data())
def test_comments_between_rows_lose_none(data, tmp_path_factory):
    n = data.draw(st.integers(2, 4))
    cell = st.text("pq#1", min_size=1, max_size=3)
    rows = data.draw(st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=6))
    lines = [",".join(f"c{k}" for k in range(n)), *(",".join(row) for row in rows)]
    for _ in range(data.draw(st.integers(0, 3))):
        note = "#" + ",".join(["note"] * data.draw(st.sampled_from([1, n + 2])))
        lines.insert(data.draw(st.integers(1, len(lines))), note)
    path = tmp_path_factory.mktemp("t") / "x.csv"
    path.write_text("\n".join(lines), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        t = read_table(path)
    assert list(map(list, zip(*t.columns.values(), strict=True))) == rows


def test_na_is_a_label_on_demand(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("region,n\nNA,1\n?,NaN\n,3\n", "utf-8")
    assert bnlr.read_frame(path)["region"].isna().tolist() == [True, True, True]
    frame = bnlr.read_frame(path, keep_na=True)
    assert frame["region"].fillna("-").tolist() == ["NA", "-", "-"]
    np.testing.assert_array_equal(frame["n"], [1.0, np.nan, 3.0])


def test_numbers_with_marks(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('p,q,r,s\n"$1,004.04",45 %,"1,5","1,004"\n$3,7%,?,"2,500"\n', "utf-8")
    frame = bnlr.read_frame(path)
    assert frame["p"].tolist() == [1004.04, 3.0]
    assert frame["q"].tolist() == [45, 7]
    np.testing.assert_array_equal(frame["r"], [1.5, np.nan])
    assert frame["s"].tolist() == ["1,004", "2,500"]  # either
    assert bnlr.read_frame(path, decimal=".")["s"].tolist() == [1004, 2500]
    assert bnlr.read_frame(path, decimal=",")["s"].tolist() == [1.004, 2.5]


def test_long_lines_and_many_columns_are_refused_within_stated_limits(table, monkeypatch):
    monkeypatch.setenv("BNLR_MAX_LINE", "30")
    with pytest.raises(bnlr.DataError, match=r"line 2 has more than 30 characters.*BNLR_MAX_LINE"):
        table("a,b\n1," + "x" * 40)
    monkeypatch.setenv("BNLR_MAX_LINE", "60")
    assert table("a,b\n1," + "x" * 40).columns["b"] == ["x" * 40]
    monkeypatch.setenv("BNLR_MAX_COLUMNS", "2")
    with pytest.raises(bnlr.DataError, match=r"3 columns, more than 2.*BNLR_MAX_COLUMNS"):
        table("a,b,c\n1,2,3\n")


def test_an_unknown_extension_is_told_as_such(table):
    assert table("a,b\n1,x\n2,y\n", "x.foo").columns == ROWS
    with pytest.raises(bnlr.DataError, match=r"line 3 has 3 cells.*no extension '\.foo' is known"):
        table("a,b\n1,x\n2,y,z\n", "x.foo")
    for name, said in [("x.bif", "a network"), ("x.pkl", "could run code"), ("x.json", "make a")]:
        with pytest.raises(bnlr.DataError, match=rf"\{name[1:]} are not .*{said}.*read: delimited"):
            table("a,b\n1,x\n", name)


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [2_000, 8_000])
def test_a_frame_of_many_columns_takes_no_more_than_its_cells(n_columns, tmp_path):
    """Objects made for a column are few; an index of its own for each would be told by bytes."""
    import tracemalloc

    path = tmp_path / "x.csv"
    head = ",".join(f"c{k}" for k in range(n_columns))
    path.write_text(f"{head}\n" + f"{','.join('01' * (n_columns // 2))}\n" * 3, "utf-8")
    bnlr.read_frame(path)
    tracemalloc.start()
    frame = bnlr.read_frame(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert frame.shape == (3, n_columns)
    assert peak < 2_000 * n_columns


def test_what_pandas_writes_in_other_ways(tmp_path):
    frame = pd.DataFrame({"n": [1.5, -20.25, 3.0], "l": ["x y", "z", "w"]})
    for sep, decimal in [(";", ","), ("\t", ","), ("|", "."), (" ", ",")]:
        frame.to_csv(tmp_path / "x.csv", sep=sep, decimal=decimal, index=False)
        pd.testing.assert_frame_equal(bnlr.read_frame(tmp_path / "x.csv"), frame, check_dtype=False)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_lines_of_blanks_alone_are_no_rows_of_several_columns(delimiter, end, table):
    rng = np.random.default_rng(0)
    lines = [f"a{delimiter}b", f"1{delimiter}x", f"2{delimiter}y"]
    for _ in range(20):
        text = list(lines)
        for _ in range(rng.integers(1, 4)):
            text.insert(int(rng.integers(0, len(text) + 1)), " " * int(rng.integers(0, 4)))
        assert table(end.join(text)).columns == ROWS
    with pytest.raises(bnlr.DataError, match="line 3 has 1 cell"):
        table(f'a{delimiter}b{end}1{delimiter}x{end}""{end}')
    with pytest.raises(bnlr.DataError, match="in a single column may be a missing cell"):
        table("a\n1\n\n2\n")


@pytest.mark.parametrize("above", ["Report", "Report 2020\n", '"Report\nof 2020"\n\n'])
def test_a_title_above_the_names_is_told(above, table):
    for rows in ("a,b\n1,x\n", "a,b,c\n1,x,p\n2,y,q\n"):
        with pytest.raises(bnlr.DataError, match=r"the header 1.*if the first line is a title"):
            table(f"{above}\n{rows}")
    with pytest.raises(bnlr.DataError, match=r"no name in the first line; .*stands above"):
        table("Report,,\na,b,c\n1,x,p\n")


def test_columns_of_a_fixed_width_are_refused_and_not_one_column(table):
    """pandas cuts them; where blanks alone do, they are read."""
    names = pd.Series(["ann marie", "bob", "cy d"])
    text = "name       n   c\n" + "".join(
        f"{name:<11}{n:<4}{c}\n" for name, n, c in zip(names, "123", "xyz", strict=True)
    )
    with pytest.raises(bnlr.DataError, match="columns of a fixed width; separate them"):
        table(text)
    assert table(text.replace("ann marie", "ann-marie").replace("cy d", "cy-d")).columns == {
        "name": ["ann-marie", "bob", "cy-d"],
        "n": ["1", "2", "3"],
        "c": ["x", "y", "z"],
    }
    assert table("a  b\nx y\nz\n").columns == {"a  b": ["x y", "z"]}


def test_a_second_mark_of_the_encoding_is_no_part_of_a_name(tmp_path):
    for mark in (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2):
        (tmp_path / "x.csv").write_bytes(mark + b"a,b\n1,x\n2,y\n")
        assert read_table(tmp_path / "x.csv").columns == ROWS


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_and_read_by_its_name(encoding, tmp_path):
    (tmp_path / "x.csv").write_bytes("a,b\n1,x\n2,y\n".encode(encoding))
    with pytest.raises(bnlr.DataError, match="without a mark: name its encoding, utf-16-le or"):
        read_table(tmp_path / "x.csv")
    assert read_table(tmp_path / "x.csv", encoding=encoding).columns == ROWS
