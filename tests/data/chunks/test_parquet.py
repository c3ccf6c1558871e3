"""`Dataset.from_parquet` against `Dataset.from_frame` of what pandas reads."""

import json
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as pq

import bnlr
from tests.data.chunks.test_read import GOOD, STATES, cut, frames, here, same
from tests.width import in_full


def write(frame, path, rows=None):
    """Write a frame, in row groups of some rows."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, path, row_group_size=rows)
    return path


def is_one_type(column):
    kinds = {type(cell) for cell in column if not pd.isna(cell)}
    return len(kinds) <= 1 and column.dtype != "category"


@pytest.mark.slow
@here
@given(frames(), st.integers(1, 5), st.integers(1, 5))
def test_every_type_that_parquet_holds(tmp_path, frame, rows, batch_rows):
    frame = frame[[c for c in frame if is_one_type(frame[c])]]
    if "y" not in frame:
        frame = frame.assign(y="n")
    path = write(frame, tmp_path / "rows.parquet", rows)
    expected = bnlr.Dataset.from_frame(pd.read_parquet(path), "y")
    same(bnlr.Dataset.from_parquet(path, "y", batch_rows=batch_rows), expected)
    (tmp_path / "codes").unlink(missing_ok=True)
    data = bnlr.Dataset.from_parquet(path, "y", store=tmp_path / "codes", batch_rows=batch_rows)
    same(data, expected)
    same(bnlr.Dataset.from_parquet(path, "y", states=expected.states), expected)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([3, None, 1, 2**40]),
        pa.array([3, 0, 1, 200], pa.uint8()),
        pa.array([2**63, 0, 1, 2], pa.uint64()),
        pa.array([0.5, None, float("nan"), 3.0], pa.float32()),
        pa.array([True, None, False, None]),
        pa.array([True] * 4),
        pa.array(["b", None, "", "b"], pa.string()),
        pa.array(["b", None, "", "b"], pa.large_string()),
        pa.array(["b", None, "c", "b"], pa.string_view()),
        pa.array(["b", None, "c", "b"]).dictionary_encode(),
        pa.array([7, None, 5, 7]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2]), pa.array(["u", "unused", "v"])),
        pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 0]), pa.array(["u", "t"]), ordered=True),
    ],
    ids=lambda column: str(column.type).replace("/", ""),
)
def test_arrow_types(column, tmp_path):
    pq.write_table(pa.table({"a": column, "y": [1, 0, 0, 1]}), tmp_path / "rows")
    expected = bnlr.Dataset.from_frame(pd.read_parquet(tmp_path / "rows"), "y")
    for batch_rows in (4, 10**9):
        same(bnlr.Dataset.from_parquet(tmp_path / "rows", "y", batch_rows=batch_rows), expected)


def test_categories_of_pandas_keep_their_order(tmp_path):
    levels = pd.Categorical(["b", None, "a", "b"], ["c", "b", "a"])
    path = write(GOOD.assign(a=levels), tmp_path / "rows", rows=2)
    same(
        bnlr.Dataset.from_parquet(path, "y", batch_rows=3),
        bnlr.Dataset.from_frame(GOOD.assign(a=levels), "y"),
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:column 'a' holds numbers as text:bnlr.errors.BnlrWarning")
def test_text_of_many_values_whose_dictionary_overflows(tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.integers(0, 3000, 9000).astype(str), "y": 1})
    pq.write_table(
        pa.Table.from_pandas(frame, preserve_index=False),
        tmp_path / "rows",
        dictionary_pagesize_limit=1000,
        data_page_size=500,
    )
    same(
        bnlr.Dataset.from_parquet(tmp_path / "rows", "y", batch_rows=1234),
        bnlr.Dataset.from_frame(frame, "y"),
    )


def test_several_files_and_a_directory(tmp_path):
    frame = pd.concat([GOOD] * 3, ignore_index=True)
    paths = [write(part, tmp_path / f"{k}.parquet") for k, part in enumerate(cut(frame, [5, 1, 6]))]
    expected = bnlr.Dataset.from_frame(frame, "y")
    for path in (paths, map(str, paths), tmp_path):
        same(bnlr.Dataset.from_parquet(path, "y"), expected)
    same(
        bnlr.Dataset.from_parquet(paths[::-1], "y"),
        bnlr.Dataset.from_frame(frame.iloc[[*range(6, 12), 5, *range(5)]], "y"),
    )


def test_columns_weights_and_the_index_of_pandas(tmp_path):
    weighted = GOOD.assign(w=[1, 2.5, 0, 1]).set_index(pd.Index(list("stuv"), name="key"))
    weighted.to_parquet(tmp_path / "rows")
    same(
        bnlr.Dataset.from_parquet(tmp_path / "rows", "y", weights="w"),
        bnlr.Dataset.from_frame(GOOD, "y", weights=weighted["w"].to_numpy()),
    )
    same(
        bnlr.Dataset.from_parquet(tmp_path / "rows", "y", columns=["y", "a"], weights="w"),
        bnlr.Dataset.from_frame(GOOD[["a", "y"]], "y", weights=weighted["w"].to_numpy()),
    )
    same(
        bnlr.Dataset.from_parquet(tmp_path / "rows", "y", states=STATES),
        bnlr.Dataset.from_frame(GOOD, "y", states=STATES),
    )


def test_known_states_take_no_rows_and_no_class(tmp_path):
    path = write(GOOD[["a"]], tmp_path / "rows")
    assert (bnlr.Dataset.from_parquet(path, "y", states=STATES).class_codes == -1).all()
    path = write(GOOD.iloc[:0], tmp_path / "none")
    assert bnlr.Dataset.from_parquet(path, "y", states=STATES).n_rows == 0


def refuse(error, *words, path, class_name="y", **options):
    with pytest.raises(bnlr.BnlrError) as caught:
        bnlr.Dataset.from_parquet(path, class_name, **options)
    assert type(caught.value) in (error, bnlr.CellTypeError)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (GOOD.iloc[:0], ["no rows"]),
        (GOOD.rename(columns={"y": "Y"}), ["rows'", "no column 'y'"]),
        (GOOD.assign(a=None), ["'a' has no values"]),
        (
            GOOD.assign(a=pd.Timestamp("2020")),
            ["rows', the batch of rows from 0", "'a'", "dt.year"],
        ),
        (GOOD.assign(a=[b"x"] * 4), ["'a'", "decode"]),
        (GOOD.assign(a=[["x"]] * 4), ["'a'"]),
        (GOOD.assign(a=[1.5, np.inf, 1, 2]), ["inf in row 1"]),
        (pd.DataFrame({"a": np.linspace(0, 1, 50), "y": 0}), ["continuous"]),
    ],
)
def test_files_of_unusable_columns(frame, words, tmp_path):
    refuse(bnlr.DataError, *words, path=write(frame, tmp_path / "rows"))


def test_files_that_are_none(tmp_path):
    good = write(GOOD, tmp_path / "good").read_bytes()
    bad = tmp_path / "bad"
    for content in (b"", b"text", good[:-20], good[:40] + good[-40:]):
        bad.write_bytes(content)
        refuse(bnlr.DataError, "/bad ", "Parquet", path=bad)
    refuse(bnlr.DataError, "none'", "No such file", path=tmp_path / "none")
    refuse(bnlr.DataError, "*.parquet", path=tmp_path)
    for path, word in ((None, "None"), ([], "no file"), ([3], "3"), (3, "3")):
        refuse(bnlr.ParameterError, word, path=path)


def test_a_damaged_page_leaves_no_store(tmp_path):
    frame = pd.concat([GOOD] * 500, ignore_index=True)
    content = bytearray(write(frame, tmp_path / "rows", rows=500).read_bytes())
    middle = len(content) // 2
    content[middle - 300 : middle] = bytes(300)
    (tmp_path / "rows").write_bytes(content)
    refuse(bnlr.DataError, "/rows ", path=tmp_path / "rows", store=tmp_path / "codes")
    assert [p.name for p in tmp_path.iterdir()] == ["rows"]


def test_columns_named_twice(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", "y"])
    pq.write_table(table, tmp_path / "rows")
    refuse(bnlr.DataError, "two columns named 'a'", path=tmp_path / "rows")


def test_options(tmp_path):
    path = write(GOOD, tmp_path / "rows")
    refuse(bnlr.DataError, "no column 'z'", path=path, columns=["a", "y", "z"])
    refuse(bnlr.DataError, "no column 'y'", path=path, columns=["a"])
    refuse(bnlr.DataError, "no column 'w'", path=path, weights="w")
    refuse(bnlr.DataError, "no column 'b2'", path=path, states=STATES | {"b2": (1,)})
    refuse(bnlr.ParameterError, "list of names", path=path, columns="ay")
    refuse(bnlr.ParameterError, "list of names", path=path, columns=3)
    for batch_rows in (0, -1, 2.5, True, None):
        refuse(bnlr.ParameterError, "batch_rows", path=path, batch_rows=batch_rows)


def test_files_that_differ_name_the_file(tmp_path):
    paths = [write(GOOD, tmp_path / "one"), write(GOOD.assign(b=list("stuv")), tmp_path / "two")]
    refuse(bnlr.DataError, "two'", "'b'", "number 1 in '", "text 's' in '", path=paths)
    paths[1] = write(GOOD.assign(z=1), tmp_path / "two")
    refuse(bnlr.DataError, "two'", "'z'", "one'", path=paths)


def test_without_pyarrow(tmp_path, monkeypatch):
    path = write(GOOD, tmp_path / "rows")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'bnlr\[parquet\]'") as caught:
        bnlr.Dataset.from_parquet(path, "y")
    assert isinstance(caught.value, bnlr.BnlrError)


# Notes that pandas leaves in the file


INDEXED = pd.DataFrame(
    {"a": list("pqp") * 4, "n": [1, 2, None] * 4, "y": [0, 1, 1] * 4}, index=list("abcdefghijkl")
)


def noted(path, notes):
    """Write a frame with this for pandas' notes; bytes that are put in raw."""
    table = pa.Table.from_pandas(INDEXED)
    pq.write_table(table.replace_schema_metadata({b"pandas": notes}), path)
    return path


def notes_of(**changes):
    told = json.loads(pa.Table.from_pandas(INDEXED).schema.metadata[b"pandas"])
    return json.dumps({**told, **changes}).encode()


DAMAGED = {
    "nothing": b"",
    "no JSON": b"pandas 3",
    "cut": notes_of()[:40],
    "null": b"null",
    "a number": b"3",
    "text": b'"index_columns"',
    "a list": b"[1, 2]",
    "an empty object": b"{}",
    "no UTF-8": b"\xff\xfe{}",
    "deep": b"[" * 100_000,
    "a long number": b'{"index_columns": ' + b"9" * 5000 + b"}",
    "index of a number": notes_of(index_columns=3),
    "index of null": notes_of(index_columns=None),
    "index of text": notes_of(index_columns="a"),
    "index of an object": notes_of(index_columns={"a": 1}),
    "index of lists": notes_of(index_columns=[["a"], {"kind": "range"}, None, 1.5, True]),
    "index of no column": notes_of(index_columns=["nosuch"]),
    "columns of a number": notes_of(columns=3),
}


@pytest.mark.parametrize("notes", DAMAGED.values(), ids=DAMAGED)
def test_damaged_notes_are_not_heeded(notes, tmp_path):
    path = noted(tmp_path / "rows.parquet", notes)
    data = bnlr.Dataset.from_parquet(path, "y", columns=["a", "n", "y"])
    same(data, bnlr.Dataset.from_frame(INDEXED, "y"))
    whole = bnlr.Dataset.from_parquet(path, "y")
    assert set(whole.nodes) - {"__index_level_0__"} == set(INDEXED)
    assert bnlr.read_frame(path)["y"].tolist() == INDEXED["y"].tolist()


@pytest.mark.parametrize("index", [["y"], ["a", "n", "y"]])
def test_an_index_that_takes_the_class_is_told_of(index, tmp_path):
    path = noted(tmp_path / "rows.parquet", notes_of(index_columns=index))
    with pytest.raises(bnlr.DataError, match="no column 'y'"):
        bnlr.Dataset.from_parquet(path, "y")


@pytest.mark.parametrize("seed", [0, *in_full(1, 2, 3)])
def test_files_with_changed_bytes_are_read_or_refused(seed, tmp_path):
    """Half of the changes in pandas' notes and Arrow's schema, half anywhere."""
    rng = np.random.default_rng(seed)
    pq.write_table(pa.Table.from_pandas(INDEXED), tmp_path / "good.parquet")
    raw = (tmp_path / "good.parquet").read_bytes()
    path = tmp_path / "rows.parquet"
    n_read = 0
    for k in range(150):
        changed = bytearray(raw)
        first = raw.index(b"pandas") if k % 2 else 4
        for place in rng.integers(first, len(raw) - 8, rng.integers(1, 4)):
            changed[place] = rng.integers(256)
        path.write_bytes(changed)
        for read in (lambda: bnlr.Dataset.from_parquet(path, "y"), lambda: bnlr.read_frame(path)):
            try:
                read()
                n_read += 1
            except bnlr.BnlrError as error:
                assert len(str(error)) < 700  # noqa: PT017  either will do
    assert 0 < n_read < 300
