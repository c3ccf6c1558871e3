"""Rows whose numbers are cut later, against frames that are cut and read by pandas."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.classifier.input.undiscretized import UncutRows, continuous_columns
from bnlr.classifier.missing.as_state import missing_as_states
from bnlr.data.missing_states import missing_label

N = 60


def frame(seed, share):
    rng = np.random.default_rng(seed)
    columns = pd.DataFrame(
        {
            "text": rng.choice(["z", "a", "missing"], N).astype(object),
            "few": rng.integers(0, 4, N).astype(float),
            "length": rng.normal(size=N),
            "many": pd.array(rng.integers(0, 40, N), dtype="Int64"),
            "kind": pd.Categorical(rng.choice(["q", "b"], N), categories=["q", "never", "b"]),
            "flag": (rng.random(N) < 0.5).astype(object),
        }
    )
    columns.loc[0, "few"] = np.nan  # whole numbers beside a hole are whole numbers still
    holes = pd.DataFrame(rng.random(columns.shape) < share, columns=columns.columns)
    return columns.mask(holes), pd.Categorical(rng.choice(["p", "n"], N), categories=["p", "n"])


@pytest.mark.parametrize("weights", [None, np.arange(1.0, N + 1)])
@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_rows_cut_are_those_of_the_frame_cut(seed, share, weights):
    columns, classes = frame(seed, share)
    numbers = continuous_columns(columns)
    assert numbers == ["length", "many"]
    discretizer = bnlr.QuantileDiscretizer(3)
    table = UncutRows.of(columns, numbers, classes, "class", weights)
    data = table.cut(table.cut_points(discretizer, weights=weights))
    cut = columns.assign(**dict(discretizer.transform(columns[numbers]).items()))
    read = bnlr.Dataset.from_frame(cut.assign(**{"class": classes}), "class", weights=weights)
    assert dict(data.states) == dict(read.states)
    np.testing.assert_array_equal(data.codes, read.codes)
    np.testing.assert_array_equal(data.weights, read.weights)


@pytest.mark.parametrize("seed", range(4))
def test_missing_cells_become_the_states_that_a_filled_frame_has(seed):
    columns, classes = frame(seed, 0.2)
    numbers = continuous_columns(columns)
    discretizer = bnlr.QuantileDiscretizer(3)
    table = UncutRows.of(columns, numbers, classes, "class", None)
    data = table.cut(table.cut_points(discretizer))
    data, labels = missing_as_states(data, table.categorical | table.numbers.keys())
    assert labels == {n: missing_label(tuple(columns[n].dropna().unique())) for n in columns}
    cut = columns.assign(**dict(discretizer.transform(columns[numbers]).items()))
    for name, label in labels.items():
        column = cut[name].astype(object) if cut[name].dtype != "category" else cut[name]
        if column.dtype == "category" and label not in column.cat.categories:
            column = column.cat.add_categories(label)
        cut[name] = column.fillna(label)
    filled = cut.assign(**{"class": classes})
    read = bnlr.Dataset.from_frame(filled, "class")
    assert dict(data.states) == dict(read.states)
    np.testing.assert_array_equal(data.codes, read.codes)
    assert data.is_complete


def test_without_numbers_nothing_is_cut():
    columns, classes = frame(0, 0.0)
    table = UncutRows.of(columns[["text"]], [], classes, "class", None)
    assert table.cut_points(bnlr.MDLDiscretizer()) == {}
    assert table.cut({}) is table.labels


def test_some_rows_are_all_of_these():
    columns, classes = frame(0, 0.2)
    table = UncutRows.of(columns, ["length", "many"], classes, "class", np.arange(N) + 1.0)
    rows = np.array([5, 3, 3])
    part = table.take(rows)
    assert (part.columns, part.categorical) == (table.columns, frozenset({"kind"}))
    np.testing.assert_array_equal(part.weights, rows + 1.0)
    np.testing.assert_array_equal(part.labels.codes, table.labels.codes[rows])
    np.testing.assert_array_equal(part.numbers["length"], table.numbers["length"][rows])
    assert table.has_holes
