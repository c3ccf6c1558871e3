"""Parquet files as tables: the file's types, missing cells, what is refused."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.io.tables.cells import frame_like, numeric_column, read_frame, typed_frame
from bnlr.io.tables.read import read_table
from tests.io import hostile

pytest.importorskip("pyarrow")


def frame():
    return pd.DataFrame(
        {
            "text": ["1", "NA", None, "?"],
            "whole": [1, 2, 3, -4],
            "holed": pd.array([1, None, 3, 4], dtype="Int64"),
            "real": [0.1, math.nan, 1e300, 5e-324],
            "flag": [True, False, True, True],
            "cat": pd.Categorical(["b", None, "a", "b"], categories=["b", "a", "z"]),
            "none": pd.Series([None] * 4, dtype=object),
        }
    )


def written(tmp_path, data, name="x.parquet"):
    data.to_parquet(tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize("name", ["x.parquet", "x.pq", "x.PARQUET"])
def test_types_and_holes(name, tmp_path):
    t = read_table(written(tmp_path, frame(), name))
    found, numeric = typed_frame(t, keep_text="text")
    assert numeric == ("whole", "holed", "real")
    assert t.missing() == {"null": 8}
    assert found["text"].tolist()[:2] == ["1", "NA"]
    assert found["text"].isna().tolist() == [False, False, True, False]
    assert found["whole"].tolist() == [1, 2, 3, -4]
    np.testing.assert_array_equal(found["real"], frame()["real"])
    np.testing.assert_array_equal(found["holed"], [1, np.nan, 3, 4])
    assert found["flag"].tolist() == ["True", "False", "True", "True"]
    assert list(found["cat"].cat.categories) == ["b", "a", "z"]
    assert found["none"].isna().all()
    assert math.isnan(numeric_column(t, "holed")[1])


def test_labels_of_a_network(tmp_path):
    t = read_table(written(tmp_path, frame()))
    states = {"text": ("1", "NA", "?"), "whole": (1, 2), "flag": (False, True)}
    found = frame_like(t, states)
    assert found["text"].isna().tolist() == [False, False, True, False]
    assert found["whole"].tolist() == [1, 2, "3", "-4"]
    assert found["flag"].tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([datetime.date(2020, 1, 1)], "column 'a' is of type date32"),
        ([[1, 2]], "column 'a' is of type list"),
        ([b"x"], "column 'a' is of type binary"),
        ([float("inf")], "column 'a' holds inf"),
    ],
)
def test_columns_that_are_refused(column, said, tmp_path):
    with pytest.raises(bnlr.DataError, match=said):
        read_table(written(tmp_path, pd.DataFrame({"a": column})))


INDICES = {
    "range": lambda f: f,
    "mask": lambda f: f[f["whole"] > 1],
    "texts": lambda f: f.set_axis(list("pqrs")),
    "named": lambda f: f.set_index("whole"),
    "two": lambda f: f.set_index(["whole", "text"]),
    "half named": lambda f: f.set_index([pd.Index(list("pqrs")), "text"]),
}


@pytest.mark.parametrize("index", INDICES)
def test_the_index_of_pandas_is_no_column(index, tmp_path):
    """The columns are those of `pandas.read_parquet`, as for `Dataset.from_parquet`."""
    path = written(tmp_path, INDICES[index](frame()[["text", "whole", "flag"]]))
    found = pd.read_parquet(path)
    assert list(read_frame(path)) == list(found)
    assert list(bnlr.Dataset.from_parquet(path, "flag").nodes) == list(found)
    assert read_frame(path)["flag"].tolist() == found["flag"].astype(str).tolist()
    written(tmp_path, frame()[["text"]].set_index("text"))
    with pytest.raises(bnlr.DataError, match=r"no columns beside pandas' index; reset_index\(\)"):
        read_table(path)


def test_files_that_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    with pytest.raises(bnlr.DataError, match="cannot read"):
        read_table(path)
    with pytest.raises(bnlr.DataError, match="no rows"):
        read_table(written(tmp_path, frame().head(0)))
    raw = written(tmp_path, frame()).read_bytes()
    for length in (0, 3, 100, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:length])
        with pytest.raises(bnlr.DataError, match=r"x\.parquet"):
            read_table(path)


@pytest.mark.slow
def test_damaged_files_are_refused_or_read(tmp_path):
    path = written(tmp_path, frame())
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(100):
        changed = bytearray(raw)
        changed[rng.integers(len(raw))] = rng.integers(256)
        path.write_bytes(bytes(changed))
        said = hostile.failure(bnlr.DataError, read_frame, path)
        assert said == "" or str(path) in said
