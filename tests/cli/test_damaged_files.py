"""The shell on files that hold a row where none is looked for, or what no table can hold."""

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from tests.cli.commands import refused, run
from tests.width import in_full

ROWS = pd.DataFrame(
    {"a": ["x", "y"] * 20, "n": [1, 2, 3, 4] * 10, "c": ["yes", "no", "no", "yes"] * 10}
)
HEAD = "@relation r\n@attribute a {x,y}\n@attribute n numeric\n@attribute c {yes,no}\n"
HERE = ("--class", "c", "--out", "m.json")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fitted(capsys, *argv):
    code, out, err = run(capsys, "fit", *argv)
    assert code == 0, err
    return out + err


@pytest.mark.parametrize("between", ["\n", *in_full(" ")])
def test_fit_counts_the_row_on_the_data_line(between, folder, capsys):
    rows = "\n".join(",".join(map(str, row)) for row in ROWS.itertuples(index=False))
    (folder / "rows.arff").write_text(f"{HEAD}@data{between}{rows}\n", "utf-8")
    assert "40 rows" in fitted(capsys, "rows.arff", *HERE)


@pytest.mark.parametrize("notes", [b"no JSON", *in_full(b"3", b'{"index_columns": 3}')])
def test_fit_reads_parquet_with_damaged_notes(notes, folder, capsys):
    table = pa.Table.from_pandas(ROWS, preserve_index=False)
    pq.write_table(table.replace_schema_metadata({b"pandas": notes}), folder / "rows.parquet")
    assert "40 rows" in fitted(capsys, "rows.parquet", *HERE)


def test_an_open_quote_is_one_line_of_complaint(folder, capsys):
    text = ROWS.to_csv(index=False, lineterminator="\n").replace("\ny,2,no\n", '\ny,2,"no\n', 1)
    (folder / "rows.csv").write_text(text, "utf-8")
    refused(run(capsys, "fit", "rows.csv", *HERE), "line 3: a quote that is opened here")
    assert not (folder / "m.json").exists()


@pytest.mark.slow
def test_more_parents_than_axes(folder, capsys):
    """The graph is judged; its tables are refused by the node's name."""
    idle = [f"p{k}" for k in range(70)]
    arcs = ["c -> a", *(f"{p} -> a" for p in idle)]
    (folder / "graph.txt").write_text("\n".join(arcs), "utf-8")
    assert run(capsys, "check", "graph.txt", "--class", "c")[0] in (0, 1)
    ROWS.assign(**dict.fromkeys(idle, "k")).to_csv("rows.csv", index=False)
    code, _, err = run(capsys, "fit", "rows.csv", "--structure", "graph.txt", *HERE)
    assert code == 2
    assert "'a' has 71 parents" in err
