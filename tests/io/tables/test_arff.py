"""ARFF as WEKA documents and writes it, and what is refused."""

import gzip
import io
import re
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff

import bnlr
from bnlr.io.tables.arff import read_arff
from bnlr.io.tables.cells import frame_like, numeric_column, read_frame, typed_frame
from bnlr.io.tables.read import read_table
from bnlr.io.tables.table import MissingCell
from tests.io import hostile
from tests.width import in_full, width

WEATHER = r"""% The weather, with all that the grammar allows.
@RELATION 'the weather'

@Attribute outlook {sunny, 'over cast', rainy, "never, ever"}   % four
@ATTRIBUTE 'the \'temp\' %' NUMERIC
@attribute humidity real
@attribute windy {TRUE,FALSE}
@attribute code {1,2,3,NA,''}

@attribute play {yes,no}
@DATA
% rows
sunny,85,8.5e1,FALSE,1,no   % hot
"sunny" ,	80 ,+90, TRUE , NA , no
'over cast',83,.5,FALSE,'',yes

rainy,?,96.,FALSE,?,yes
rainy	68	-80	FALSE	1	yes
{0 'over cast', 1 64, 3 TRUE, 4 2}
{ }
"""
TEMP = "the 'temp' %"


def read(text):
    return read_arff(text.splitlines(keepends=True), "f")


def test_all_of_the_grammar():
    t = read(WEATHER)
    assert list(t.columns) == ["outlook", TEMP, "humidity", "windy", "code", "play"]
    over = "over cast"
    assert t.columns["outlook"] == ["sunny", "sunny", over, "rainy", "rainy", over, "sunny"]
    assert t.columns[TEMP] == ["85", "80", "83", "?", "68", "64", "0"]
    assert t.columns["code"] == ["1", "NA", "", "?", "1", "2", "1"]
    assert t.columns["play"] == ["no", "no", "yes", "yes", "yes", "yes", "yes"]
    assert t.missing() == {"?": 2}
    assert [t.is_missing(cell) for cell in t.columns["code"]] == [False] * 3 + [True] + [False] * 3


def test_as_a_frame():
    frame, numeric = typed_frame(read(WEATHER), keep_text="play")
    assert numeric == (TEMP, "humidity")
    assert list(frame["outlook"].cat.categories) == ["sunny", "over cast", "rainy", "never, ever"]
    assert list(frame["code"].cat.categories) == ["1", "2", "3", "NA", ""]
    assert frame["code"].isna().tolist() == [False] * 3 + [True] + [False] * 3
    np.testing.assert_array_equal(frame[TEMP], [85, 80, 83, np.nan, 68, 64, 0])
    assert frame["humidity"].tolist() == [85.0, 90.0, 0.5, 96.0, -80.0, 0.0, 0.0]
    assert frame["play"].tolist() == ["no", "no", "yes", "yes", "yes", "yes", "yes"]


def test_a_quoted_question_mark_is_a_value():
    t = read("@relation r\n@attribute a {'?',b}\n@attribute c {x,y}\n@data\n'?',x\n?,y\n")
    assert [isinstance(cell, MissingCell) for cell in t.columns["a"]] == [False, True]
    frame = frame_like(t, {"a": ("?", "b"), "c": ("x", "y")})
    assert frame["a"].tolist()[0] == "?"
    assert pd.isna(frame["a"].tolist()[1])


def test_whole_numbers_are_such_and_a_numeric_class_keeps_its_labels():
    text = "@relation r\n@attribute a integer\n@attribute c numeric\n@data\n007,1\n1e2,0\n"
    frame, numeric = typed_frame(read(text), keep_text="c")
    assert frame["a"].tolist() == [7, 100]
    assert frame["c"].tolist() == [1, 0]
    assert numeric == ("a",)
    assert numeric_column(read(text), "a") == [7.0, 100.0]


def test_strings_are_labels_with_a_warning():
    text = "@relation r\n@attribute a string\n@attribute c {x}\n@data\n'a b',x\n?,x\nz,x\n"
    with pytest.warns(bnlr.BnlrWarning, match=r"'a' is of type string; its 2 different texts"):
        t = read(text)
    assert typed_frame(t, keep_text="c")[0]["a"].tolist()[::2] == ["a b", "z"]


GOOD = """@relation r
@attribute a {x,'y z'}
@attribute b numeric
@data
x,1
'y z',2
"""
REFUSED = {
    "no header": ("@relation r", "a,b", "f:1: expected @relation, @attribute or @data, found 'a'"),
    "no data": ("@data\nx,1\n'y z',2\n", "", "f: no @data line"),
    "no rows": ("x,1\n'y z',2\n", "", "f: no rows below @data"),
    "no attributes": (GOOD[12 : GOOD.index("@data")], "", "f:2: no @attribute before @data"),
    "no type": ("@attribute b numeric", "@attribute b", "f:3: expected @attribute NAME TYPE"),
    "no name": ("@attribute b numeric", "@attribute '' numeric", "f:3: expected @attribute NAME"),
    "a date's format": ("b numeric", "b date 'yyyy G'", "f:3: the date format 'yyyy G' of .* 'b'"),
    "no date": ("b numeric", "b date 'yyyy'", "f:5: '1' in 'b' is no date of its format"),
    "a relation": ("b numeric", "b relational", "f:3: attribute 'b' is relational, a table"),
    "another type": ("b numeric", "b complex", "f:3: attribute 'b' is of type 'complex'; only"),
    "a name twice": ("@attribute b", "@attribute a", "f:3: two attributes are named 'a'"),
    "a value twice": ("{x,'y z'}", "{x,x}", "f:2: attribute 'a' lists the value 'x' twice"),
    "no values": ("{x,'y z'}", "{}", "f:2: attribute 'a' has no values"),
    "an open list": ("{x,'y z'}", "{x,'y z'", "f:2: the values of attribute 'a' must end"),
    "another value": ("x,1", "X,1", "f:5: 'X' is no value of 'a', which has 'x', 'y z'"),
    "no number": ("x,1", "x,one", "f:5: 'one' in 'b' is no finite number"),
    "infinite": ("x,1", "x,1e999", "f:5: '1e999' in 'b' is no finite number"),
    "not a number": ("x,1", "x,nan", "f:5: 'nan' in 'b'"),
    "too few": ("x,1", "x", "f:5: 1 values, the header names 2 attributes"),
    "too many": ("'y z',2", "y z,2", "f:6: 3 values.* stands in quotes"),
    "an empty cell": ("x,1", "x,,1", "f:5: an empty cell between commas; write \\?"),
    "an empty last cell": ("x,1", "x,", "f:5: an empty cell after the last comma"),
    "an open quote": ("'y z',2", "'y z,2", "f:6: a quoted text is not closed"),
    "a quote inside": ("x,1", "x'y',1", "f:5: a quote inside a text; put all of it in quotes"),
    "no weight": ("x,1", "x,1,{much}", r"f:5: \{much\} is no weight"),
    "a negative weight": ("x,1", "x,1,{-1}", r"f:5: \{-1\} is no weight"),
    "two weights": ("x,1", "x,1,{1},{1}", "f:5: unexpected '{'"),
    "an attribute's odd weight": ("numeric", "numeric {x}", r"f:3: \{x\} is no weight"),
    "two commas after the list": ("{x,'y z'}", "{x,'y z',,}", "f:2: an empty cell after"),
    "an open sparse row": ("x,1", "{0 x", "f:5: a sparse row must end"),
    "a sparse row's odd weight": ("x,1", "{0 x}, {5} 1", "f:5: a sparse row must end"),
    "a sparse index too large": ("x,1", "{2 x}", "f:5: the index '2' of a sparse row"),
    "a sparse index twice": ("x,1", "{0 x, 0 x}", "f:5: the index '0' of a sparse row"),
    "a negative index": ("x,1", "{-1 x}", "f:5: the index '-1'"),
    "an index alone": ("x,1", "{0}", "f:5: a sparse row holds pairs"),
    "sparse with a string": ("b numeric\n@data\nx,1", "b string\n@data\n{0 x}", "f:5: a sparse"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(bnlr.DataError, match=said):
        read(text)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bnlr.errors.BnlrWarning")
def test_files_cut_or_changed_are_refused_or_read():
    rng = np.random.default_rng(0)
    for k in range(len(WEATHER) + 500):
        text = list(WEATHER[:k] if k < len(WEATHER) else WEATHER)
        for _ in range(rng.integers(1, 4) if k >= len(WEATHER) else 0):
            text[rng.integers(len(text))] = WEATHER[rng.integers(len(WEATHER))]
        assert hostile.failure(bnlr.DataError, read, "".join(text))[:2] in ("", "f:")


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return "'" + escaped.replace("\r", "\\r") + "'"


CELLS = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(CELLS, min_size=1, max_size=5, unique=True), CELLS.filter(str.strip))
def test_any_quoted_value_and_name(labels, name):
    listed = ",".join(map(quoted, labels))
    rows = "\n".join(map(quoted, labels))
    t = read_arff(f"@attribute {quoted(name)} {{{listed}}}\n@data\n{rows}".split("\n"), "f")
    assert t.columns == {name.strip(): labels}
    frame, _ = typed_frame(t, keep_text="")
    assert frame.iloc[:, 0].tolist() == labels


@pytest.mark.parametrize("name", ["x.arff", "x.ARFF", "x.arff.gz"])
def test_files(name, tmp_path):
    raw = ("\ufeff" + WEATHER.replace("\n", "\r\n")).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    assert read_table(path).columns == read(WEATHER).columns
    assert read_frame(path, "play").shape == (7, 6)
    with pytest.raises(bnlr.DataError, match=r"no column 'plai'.*did you mean 'play'"):
        read_frame(path, "plai")
    path.write_bytes(raw + b"\xff")
    with pytest.raises(bnlr.DataError, match="x\\."):
        read_table(path)


def test_unused_labels_stay_states_of_the_classifier(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text(WEATHER)
    frame = read_frame(path, "play")
    clf = bnlr.BNClassifier("naive-bayes", learner="frequencies", discretize=None)
    clf.fit(frame[["outlook", "windy", "code"]], frame["play"])
    assert clf.network_.states["outlook"] == ("sunny", "over cast", "rainy", "never, ever")


# What WEKA and KEEL write beyond the grammar above


@pytest.mark.parametrize(
    ("rows", "weights"),
    [
        ("x,1,{2}\n'y z',2\n", (2.0, 1.0)),
        ("x,1, {.5} % told\n{0 'y z'},{3}\n", (0.5, 3.0)),
        ("x 1 {1e2}\n{}{0}\n", (100.0, 0.0)),
        ("x,1,{1}\nx,1\n", (1.0, 1.0)),
        ("x,1\nx,1\n", ()),
    ],
)
def test_weights_of_rows(rows, weights):
    t = read(GOOD[: GOOD.index("x,1")] + rows)
    assert t.weights == weights
    assert t.n_rows == 2
    assert t.keep([1]).weights == weights[1:]


def test_weights_of_rows_come_with_the_frame(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text(GOOD.replace("x,1", "x,1,{2}"), "utf-8")
    with pytest.warns(bnlr.BnlrWarning, match=r"frame\.attrs\['weights'\] to fit as sample_weight"):
        frame = read_frame(path)
    assert list(frame) == ["a", "b"]
    assert frame.attrs["weights"] == [2.0, 1.0]


@pytest.mark.parametrize("kind", ["{x,'y z'} {0.5}", "{x,'y z',} {0.5}", "{ 'x' 'y z' }{.5}"])
def test_weights_of_attributes_are_told_of(kind):
    text = GOOD.replace("{x,'y z'}", kind).replace("numeric", "numeric {1.0}")
    with pytest.warns(bnlr.BnlrWarning, match="^f: 'a' has a weight among the attributes"):
        t = read(text)
    assert t.kinds["a"].labels == ("x", "y z")
    assert t.columns == read(GOOD).columns


def test_one_comma_too_many():
    t = read(GOOD.replace("'y z'}", "'y z',}").replace("x,1", "x,1,").replace("'y z',2", "{0 x,}"))
    assert t.columns == {"a": ["x", "x"], "b": ["1", "0"]}
    assert t.kinds["a"].labels == ("x", "y z")


DATES = {
    "yyyy-MM-dd": "%Y-%m-%d",
    "yyyy-MM-dd'T'HH:mm:ss": "%Y-%m-%dT%H:%M:%S",
    "dd/MM/yy": "%d/%m/%y",
    "yyyyMMdd HHmmss": "%Y%m%d %H%M%S",
    "EEE, d MMM yyyy hh:mm a": "%a, %d %b %Y %I:%M %p",
    "'100%' D''yyyy": "100%% %j'%Y",
    "yyyy-MM-dd HH:mm:ss.SSS Z": "%Y-%m-%d %H:%M:%S.%f %z",
}


@given(
    st.sampled_from(list(DATES)),
    st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31), timezones=st.just(UTC)),
)
def test_dates_are_seconds(java, date):
    text = date.strftime(DATES[java])
    expected = datetime.strptime(text, DATES[java]).replace(tzinfo=UTC).timestamp()
    form = java.replace("'", "\\'")
    t = read(f"@attribute d date '{form}'\n@data\n{quoted(text)}\n?\n")
    frame, numeric = typed_frame(t, "")
    assert numeric == ("d",)
    assert frame["d"].tolist()[0] == expected
    assert np.isnan(frame["d"].tolist()[1])


def test_dates_are_those_of_scipy(tmp_path):
    text = "@relation r\n@attribute d date 'yyyy-MM-dd HH:mm'\n@attribute e date yyyy\n@data\n"
    path = tmp_path / "x.arff"
    path.write_text(f"{text}'1583-01-02 03:04',1999\n'2001-12-31 23:59',2024\n", "utf-8")
    found, _ = arff.loadarff(path)
    for name in ("d", "e"):
        seconds = found[name].astype("datetime64[s]").astype(np.int64)
        assert read_frame(path)[name].tolist() == seconds.tolist()
    path.write_text("@attribute d date\n@data\n2001-04-03T12:00:00\n", "utf-8")
    assert read_frame(path)["d"].tolist() == [datetime(2001, 4, 3, 12, tzinfo=UTC).timestamp()]


KEEL = """@relation r
@attribute a{x, y}
@attribute n real[0.5, 10.0]
@attribute m integer [1,3]
@attribute c {yes,no}
@inputs a, n, m
@output c
@data
x, 1.5, <null>, yes
<null>, ?, 2, no
"""


@pytest.mark.parametrize("name", ["x.dat", "x.txt", "x.arff", "x"])
def test_keel(name, tmp_path):
    (tmp_path / name).write_text(KEEL, "utf-8")
    frame = read_frame(tmp_path / name, "c")
    assert frame["a"].isna().tolist() == [False, True]
    np.testing.assert_array_equal(frame["n"], [1.5, np.nan])
    np.testing.assert_array_equal(frame["m"], [np.nan, 2.0])
    assert frame["c"].tolist() == ["yes", "no"]
    assert read_table(tmp_path / name).layout == ("KEEL" if name == "x.dat" else "ARFF")
    (tmp_path / name).write_text(KEEL.replace("@output c", "@output d"), "utf-8")
    with pytest.raises(bnlr.DataError, match="7: 'd' is no attribute declared above"):
        read_table(tmp_path / name)
    t = read("@attribute a {<null>,b}\n@data\n<null>\n")
    assert not t.is_missing(t.columns["a"][0])


@st.composite
def frames(draw):
    """Columns of labels and of numbers, without what no cell can hold."""
    n = draw(st.integers(1, 6))
    labels = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=4)
    columns = {}
    for k in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            known = draw(st.lists(labels, min_size=1, max_size=4, unique=True))
            cells = draw(st.lists(st.sampled_from(known), min_size=n, max_size=n))
            columns[f"a{k}"] = pd.Categorical(cells, categories=known)
        else:
            numbers = st.floats(-1e9, 1e9).map(lambda x: round(x, 4))
            columns[f"a{k}"] = draw(st.lists(numbers, min_size=n, max_size=n))
    return pd.DataFrame(columns)


def declared(column):
    kinds = isinstance(column.dtype, pd.CategoricalDtype)
    return f"{{{','.join(column.cat.categories)}}}" if kinds else "numeric"


@given(frames(), st.sampled_from(["dense", "sparse", "blanks", "MOA"]))
def test_frames_come_back_as_scipy_reads_them(frame, layout):
    head = [f"@attribute {name} {declared(frame[name])}" for name in frame]
    rows = [[str(cell) for cell in row] for row in frame.itertuples(index=False)]
    join = {"dense": ",".join, "blanks": "  ".join, "MOA": lambda row: ",".join([*row, ""])}
    if layout == "sparse":
        lines = ["{" + ", ".join(f"{k} {cell}" for k, cell in enumerate(row)) + "}" for row in rows]
    else:
        lines = [join[layout](row) for row in rows]
    text = "\n".join(["@relation r", *head, "@data", *lines])
    found, _ = typed_frame(read(text), "")
    pd.testing.assert_frame_equal(found, frame, check_dtype=False, check_categorical=True)
    if layout == "dense":
        theirs = pd.DataFrame(arff.loadarff(io.StringIO(text))[0])
        for name in frame:
            column = theirs[name]
            is_label = isinstance(frame[name].dtype, pd.CategoricalDtype)
            expected = column.str.decode("utf-8") if is_label else column
            assert found[name].tolist() == expected.tolist()


def test_rows_that_leave_cells_out_are_refused_where_they_are_too_many(monkeypatch):
    head = "".join(f"@attribute a{k} numeric\n" for k in range(50))
    monkeypatch.setenv("BNLR_MAX_CELLS", "1000")
    assert read(f"{head}@data\n" + "{}\n" * 20).n_rows == 20
    with pytest.raises(bnlr.DataError, match=r"21 rows of 50 columns.*BNLR_MAX_CELLS"):
        read(f"{head}@data\n" + "{}\n" * 200)
    assert read(f"{head}@data\n" + f"{','.join('0' * 50)}\n" * 21).n_rows == 21  # as many bytes
    monkeypatch.setenv("BNLR_MAX_COLUMNS", "30")
    with pytest.raises(bnlr.DataError, match=r"f:31: 31 attributes, more than 30"):
        read(f"{head}@data\n{{}}\n")
    with pytest.raises(bnlr.DataError, match=r"f:1: 31 labels, more than 30"):
        read(f"@attribute a {{{','.join(map(str, range(32)))}}}\n@data\n1\n")
    with pytest.raises(bnlr.DataError, match="f:3: many more values than the 1 attributes"):
        read("@attribute a numeric\n@data\n" + "1 " * 100)


@pytest.mark.parametrize("seed", range(width(30, 4)))
def test_rows_like_others_before_are_read_as_the_first(tmp_path, monkeypatch, seed):
    """Dense and sparse rows, holes, weights, comments and blanks, in any order and number."""
    rng = np.random.default_rng(seed)
    kinds = [
        "1, x",
        "{0 1}",
        "{}",
        "{1 y}",
        "?, y",
        "1, x, {2}",
        "{0 1}, {0.5}",
        "% note",
        "",
        "2,z ",
    ]
    lines = [kinds[k] for k in rng.integers(0, len(kinds), 60)]
    path = tmp_path / "d.arff"
    path.write_text(
        "@relation r\n@attribute a numeric\n@attribute b {x, y, z}\n@data\n1, x\n"
        + "\n".join(lines)
    )
    found = read_table(path)
    monkeypatch.setattr("bnlr.io.tables.arff._MOST_KNOWN", 0)
    expected = read_table(path)
    assert found.columns == expected.columns
    assert found.weights == expected.weights
    assert [type(c) for c in found.columns["a"]] == [type(c) for c in expected.columns["a"]]


def test_sparse_rows_like_others_before_count_as_cells(tmp_path, monkeypatch):
    path = tmp_path / "d.arff"
    head = "".join(f"@attribute a{k} numeric\n" for k in range(50))
    path.write_text(f"@relation r\n{head}@data\n" + "{1 1}\n" * 100)
    monkeypatch.setenv("BNLR_MAX_CELLS", "4999")
    with pytest.raises(bnlr.DataError, match=r"100 rows of 50 columns .*BNLR_MAX_CELLS"):
        read_table(path)
    monkeypatch.setenv("BNLR_MAX_CELLS", "5000")
    assert read_table(path).n_rows == 100


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 300, *in_full(32_769)])
def test_declared_labels_are_pandas_categories_of_any_number(n, tmp_path):
    """As pandas makes them of the cells themselves; one column of one cell, and one of holes."""
    rng = np.random.default_rng(n)
    labels = [f"v{k}" for k in range(n)]
    cells = {
        "any": [None if k < 0 else labels[k] for k in rng.integers(-1, n, 50)],
        "last": [labels[-1]] * 50,
        "holes": [None] * 50,
        "some": [labels[-1] if k else None for k in rng.integers(0, 2, 50)],
    }
    head = "".join(f"@attribute {name} {{{','.join(labels)}}}\n" for name in cells)
    rows = zip(*([cell or "?" for cell in column] for column in cells.values()), strict=True)
    path = tmp_path / "x.arff"
    path.write_text(f"@relation r\n{head}@data\n" + "\n".join(map(",".join, rows)), "utf-8")
    found = bnlr.read_frame(path)
    expected = pd.DataFrame(
        {name: pd.Categorical(column, categories=labels) for name, column in cells.items()}
    )
    pd.testing.assert_frame_equal(found, expected)


DECLARED = ["a", "a.b", "ü", "@x", "x{", "'q'", '"q r"', "a,", "{p}", "a%b", "a\\b", "numeric"]
TYPES = ["numeric", "REAL", "integer", "numeric{2}", "real [0,1]", "string", "date", "numeric x"]
LISTS = [
    "{x}",
    "{ x , y }",
    "{x y}",
    "{x,,y}",
    "{x,}",
    "{x,x}",
    "{'x y', z}",
    "{x",
    "{x} {2}",
    "{}",
]


@pytest.mark.parametrize("seed", range(width(200, 20)))
def test_plain_declarations_are_read_as_their_tokens_are(monkeypatch, seed):
    """The quick way of plain lines and that of all others: the same columns, or the same error."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rng.integers(1, 4)):
        name, kind = rng.choice(DECLARED), rng.choice(TYPES + LISTS + LISTS)
        begin = rng.choice(["@attribute ", "@ATTRIBUTE\t", "  @attribute "])
        gap = rng.choice(["", " ", "\t "])
        lines.append(f"{begin}{name}{gap}{kind}{rng.choice(['', ' ', ' % note'])}\n")
    text = "".join(lines) + "@data\n" + ",".join("?" * len(lines)) + "\n"

    def found():
        try:
            table = read(text)
        except bnlr.DataError as error:
            return str(error)
        return table.kinds, table.columns

    quick = found()
    monkeypatch.setattr("bnlr.io.tables.arff._PLAIN_ATTRIBUTE", re.compile("(?!)"))
    assert quick == found()


@pytest.mark.slow
def test_many_columns_of_few_rows_are_refused():
    def text(n, row):
        return "".join(f"@attribute a{k} {{x,y}}\n" for k in range(n)) + f"@data\n{row}\n"

    assert len(read(text(16_384, "{}")).columns) == 16_384
    with pytest.raises(bnlr.DataError, match=r"16,385 columns in .*128 bytes.*BNLR_MAX_COLUMNS"):
        read(text(16_385, "{}"))
    rows = f"{','.join('x' * 17_000)}\n" * 55
    assert read(text(17_000, rows)).n_rows == 55
