"""Every row that a file holds is read, or the file is refused: layouts of all kinds, by search."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.io.structures import load_structure
from bnlr.io.tables.arff import read_arff
from bnlr.io.tables.read import read_table
from bnlr.io.tables.table import MissingCell

HEAD = "@relation r\n@attribute a {x,y}\n@attribute n numeric\n@attribute c {yes,no}\n"
LABELS = ["x", "y z", "it's", 'say "so"', "a,b", "{c}", "50%", "?", "", "é", "tab\there", "back\\"]


def read(text):
    return read_arff(text.splitlines(keepends=True), "f")


def rows_of(table):
    cells = zip(*table.columns.values(), strict=True)
    return [tuple(None if isinstance(cell, MissingCell) else cell for cell in row) for row in cells]


# ARFF, written in any of the layouts that the format allows


def quoted(rng, text):
    if text and text.isalnum() and rng.random() < 0.7:
        return text
    mark = "'\""[rng.integers(2)]
    inside = text.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\t", "\\t")
    return f"{mark}{inside}{mark}"


def cased(rng, word):
    return [word, word.upper(), word.capitalize()][rng.integers(3)]


def blank(rng, least=0):
    return "".join(rng.choice([" ", "\t", "  "]) for _ in range(rng.integers(least, 3)))


def attributes(rng):
    """Name and values of some attributes, None for numbers."""
    n = int(rng.integers(1, 6))
    names = [f"a{k}" if rng.random() < 0.7 else f"a {k}'s" for k in range(n)]
    picked = [
        [LABELS[k] for k in rng.permutation(len(LABELS))[: rng.integers(1, 5)]] for _ in names
    ]
    return [
        (name, None if rng.random() < 0.3 else values)
        for name, values in zip(names, picked, strict=True)
    ]


def declared(rng, name, values):
    if values is None:
        kind = cased(rng, str(rng.choice(["numeric", "real", "integer"])))
        kind += " [0, 9]" if rng.random() < 0.1 else ""
    else:
        inner = f"{blank(rng)},{blank(rng)}".join(quoted(rng, value) for value in values)
        kind = f"{{{blank(rng)}{inner}{blank(rng)}}}"
    line = f"{cased(rng, '@attribute')}{blank(rng, 1)}{quoted(rng, name)}{blank(rng, 1)}{kind}"
    return line.replace("@Attribute", "@Attribute") + (" % told" if rng.random() < 0.2 else "")


def drawn(rng, columns):
    row = []
    for _, values in columns:
        if rng.random() < 0.15:
            row.append(None)
        elif values is None:
            row.append(str(rng.choice(["0", "1", "-2.5", "3e2", ".5", "7."])))
        else:
            row.append(values[rng.integers(len(values))])
    return tuple(row)


def dense(rng, columns, row):
    cells = []
    for (_, values), cell in zip(columns, row, strict=True):
        is_plain = cell is None or values is None
        cells.append(("?" if cell is None else cell) if is_plain else quoted(rng, cell))
    line = (f"{blank(rng)},{blank(rng)}" if rng.random() < 0.8 else "\t").join(cells)
    return line + (f"{blank(rng)},{blank(rng)}" if rng.random() < 0.2 else "")


def sparse(rng, columns, row):
    pairs = []
    for k, ((_, values), cell) in enumerate(zip(columns, row, strict=True)):
        left_out = "0" if values is None else values[0]
        if cell != left_out or rng.random() < 0.3:
            written = "?" if cell is None else cell if values is None else quoted(rng, cell)
            pairs.append(f"{k} {written}")
    return f"{{{blank(rng)}{', '.join(pairs)}{blank(rng)}}}"


def written(rng):
    """A file in one of many layouts, and its rows."""
    columns = attributes(rng)
    rows = [drawn(rng, columns) for _ in range(rng.integers(1, 9))]
    name = str(rng.choice(["r", "'the name'", "several plain words", "r % told"]))
    lines = ["% a comment", f"{cased(rng, '@relation')} {name}"]
    lines += [declared(rng, *column) for column in columns]
    body = [(sparse if rng.random() < 0.3 else dense)(rng, columns, row) for row in rows]
    body = [line + (" % told" if rng.random() < 0.1 else "") for line in body]
    data = cased(rng, "@data")
    if rng.random() < 0.4:
        data += (blank(rng) if body[0].startswith("{") else blank(rng, 1) or " ") + body.pop(0)
    lines += [f"{data} % told" if rng.random() < 0.1 else data, *body]
    for _ in range(rng.integers(3)):
        lines.insert(int(rng.integers(len(lines) + 1)), str(rng.choice(["", "  ", "% more"])))
    end = str(rng.choice(["\n", "\r\n", "\r"]))
    return end.join(lines) + (end if rng.random() < 0.5 else ""), rows


@pytest.mark.parametrize("seed", range(8))
def test_arff_in_any_layout(seed, tmp_path):
    rng = np.random.default_rng(seed)
    path = tmp_path / "rows.arff"
    for _ in range(60):
        text, rows = written(rng)
        mark = b"\xef\xbb\xbf" if rng.random() < 0.2 else b""
        path.write_bytes(mark + text.encode("utf-8"))
        assert rows_of(read_table(path)) == rows


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("first", ["@data x,1,yes", "@DATA\tx 1 yes", "@data {1 1}", "@data{1 1}"])
def test_a_row_on_the_data_line(first, end):
    table = read(HEAD + first + end + "y,2,no" + end)
    assert rows_of(table) == [("x", "1", "yes"), ("y", "2", "no")]
    assert rows_of(read(HEAD + first)) == [("x", "1", "yes")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("@relation r\n", "@relation r ", "f:1: @attribute behind @relation"),
        ("numeric\n", "numeric ", "f:3: unexpected '@attribute' behind the type of attribute 'n'"),
        ("numeric\n", "numeric [1,3] ", "f:3: unexpected"),
        ("numeric", "numeric [1,3] @attribute m numeric [1,3]", "f:3: unexpected"),
        ("numeric", "numeric x,1,yes", "f:3: unexpected 'x'"),
        ("no}\n", "no} ", "f:4: the values of attribute 'c' must end"),
        ("@data\n", "@data x,1 ", "f:5: 5 values"),
        ("@data\n", "@data @data\n", "f:5: 1 values"),
        ("y,2,no", "y,2,", "f:7: an empty cell after the last comma"),
        ("y,2,no", "y,2,no,,", "f:7: an empty cell after the last comma"),
        ("y,2,no", "y,,2,no", "f:7: an empty cell between commas"),
    ],
)
def test_what_stands_behind_a_declaration_is_not_lost(old, new, said):
    text = f"{HEAD}@data\nx,1,yes\ny,2,no\n"
    assert text.count(old) == 1
    with pytest.raises(bnlr.DataError) as caught:
        read(text.replace(old, new))
    assert str(caught.value).startswith(said)


# Delimited text


@pytest.mark.parametrize("seed", range(8))
def test_delimited_text_in_any_layout(seed, tmp_path):
    rng = np.random.default_rng(seed)
    path = tmp_path / "rows.csv"
    cells = ["p", "q r", "#1", "# no comment", "%", 'say "so"', "a,b", "line\nbreak", "x\r\ny", "é"]
    for _ in range(40):
        n_columns, delimiter = int(rng.integers(2, 5)), str(rng.choice([",", ";", "\t", "|"]))
        rows = [[cells[k] for k in rng.integers(0, len(cells), n_columns)] for _ in range(6)]
        out = io.StringIO(newline="")
        end = str(rng.choice(["\n", "\r\n", "\r"]))
        # Python's writer leaves a line feed unquoted where lines end otherwise.
        quoting = csv.QUOTE_ALL if end == "\r" or rng.random() < 0.5 else csv.QUOTE_MINIMAL
        writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
        writer.writerow([f"c{k}" for k in range(n_columns)])
        for row in rows:
            writer.writerow(row)
            out.write(end * int(rng.random() < 0.1))  # a blank line is no row of several columns
        text = out.getvalue()
        text = text.removesuffix(end) if rng.random() < 0.3 else text
        mark = b"\xef\xbb\xbf" if rng.random() < 0.2 else b""
        path.write_bytes(mark + text.encode("utf-8"))
        assert rows_of(read_table(path)) == list(map(tuple, rows))


@pytest.mark.parametrize("seed", range(4))
def test_a_quote_too_many_loses_no_row(seed, tmp_path):
    """A quote put anywhere: as many rows as lines, or one error, unless quotes pair up."""
    rng = np.random.default_rng(seed)
    path = tmp_path / "rows.csv"
    n_refused = 0
    for _ in range(150):
        rows = [",".join(rng.choice(["p", "qr", "1"], 3)) for _ in range(6)]
        text = "a,b,c\n" + "\n".join(rows) + "\n"
        place = int(rng.integers(6, len(text)))
        path.write_text(f'{text[:place]}"{text[place:]}', "utf-8")
        try:
            table = read_table(path)
        except bnlr.DataError as error:
            n_refused += 1
            assert "line" in str(error)  # noqa: PT017  either will do
        else:
            assert table.n_rows == 6
    assert 0 < n_refused < 150


@pytest.mark.parametrize(
    "text",
    ['x,y\n1,"p\n2,q\n3,r\n', 'x,y\n1,"p\n2,q\n3,"r\n4,s\n', 'x\n"p\nq\nr\n', '"x,y\n1,p\n2,q\n'],
)
def test_an_open_quote_is_told_of_where_it_is(text, tmp_path):
    (tmp_path / "rows.csv").write_text(text, "utf-8")
    with pytest.raises(bnlr.DataError, match=r"line \d: a quote that is opened here"):
        bnlr.read_frame(tmp_path / "rows.csv")


def test_blank_lines_of_a_single_column(tmp_path):
    path = tmp_path / "rows.csv"
    for text in ("x\np\n\nq\n", "x\n\np\nq\n", "x\np\n\n\nq"):
        path.write_text(text, "utf-8")
        with pytest.raises(bnlr.DataError, match=r"line [234] is blank.*write NA or \"\" for"):
            bnlr.read_frame(path)
    for text in ("\n\nx\np\nq\n\n\n", "x\r\np\r\nq\r\n\r\n", "x\np\nq"):
        path.write_text(text, "utf-8", newline="")
        assert bnlr.read_frame(path)["x"].tolist() == ["p", "q"]
    path.write_text('x\np\n""\nNA\nq\n', "utf-8")
    frame = bnlr.read_frame(path)
    assert len(frame) == 4
    assert frame["x"].isna().tolist() == [False, True, True, False]


@pytest.mark.slow
def test_parquet_row_groups_of_any_size(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet as pq

    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes = rng.integers(0, 4, 5).tolist()
        frame = pd.DataFrame({"a": [f"s{k}" for k in range(sum(sizes))]}).assign(y="n")
        with pq.ParquetWriter(tmp_path / "rows.parquet", pa.Schema.from_pandas(frame)) as writer:
            start = 0
            for size in sizes:
                part = frame.iloc[start : start + size]
                writer.write_table(pa.Table.from_pandas(part, preserve_index=False))
                start += size
        if not len(frame):
            continue
        read_back = bnlr.read_frame(tmp_path / "rows.parquet")["a"].tolist()
        data = bnlr.Dataset.from_parquet(tmp_path / "rows.parquet", "y", batch_rows=2)
        labels = data.states["a"]
        assert [labels[c] for c in data.column("a")] == read_back == frame["a"].tolist()


# Lists of arcs


@pytest.mark.parametrize("seed", range(4))
def test_arcs_in_any_layout(seed, tmp_path):
    rng = np.random.default_rng(seed)
    path = tmp_path / "arcs.txt"
    nodes = ["c", "a", "b b", "d#1", "e%", "f,g", 'h"i"', "-x", "from"]
    for _ in range(60):
        arcs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :] if rng.random() < 0.3]
        arcs.append(("c", "a"))
        arcs = [arcs[k] for k in rng.permutation(len(arcs))]
        arcs = list(dict.fromkeys(arcs))
        lines = []
        for a, b in arcs:
            one, two = (
                n if n.isalnum() or n in {"d#1", "e%", "-x"} else '"' + n.replace('"', '""') + '"'
                for n in (a, b)
            )
            lines.append(one + str(rng.choice([" -> ", "->", " ", ",", ", ", "\t", " → "])) + two)
            lines[-1] += str(rng.choice(["", " ", " # told", " {}"]))
        if rng.random() < 0.5:
            lines.insert(int(rng.integers(len(lines) + 1)), str(rng.choice(["", "# told"])))
        end = str(rng.choice(["\n", "\r\n", "\r"]))
        text = end.join(lines) + (end if rng.random() < 0.5 else "")
        mark = b"\xef\xbb\xbf" if rng.random() < 0.2 else b""
        path.write_bytes(mark + text.encode("utf-8"))
        assert set(load_structure(path, "c").edges) == set(arcs)
