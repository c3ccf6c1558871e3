"""What `Dataset.from_frame` refuses, each with one typed error that names the trouble."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnlr
from bnlr.data.frames.foreign import as_pandas

GOOD = pd.DataFrame({"a": ["p", "q", "p"], "y": [0, 1, 1]})


def refuse(error, *words, frame=GOOD, class_name="y", **options):
    with pytest.raises(bnlr.BnlrError) as caught:
        bnlr.Dataset.from_frame(frame, class_name, **options)
    assert type(caught.value) in (error, bnlr.CellTypeError)
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 700


def column(values):
    return pd.DataFrame({"a": pd.Series(values), "y": 0})


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"a": [1], "y": [0]}, ["dict", "pandas.DataFrame"]),
        (np.zeros((2, 2)), ["ndarray"]),
        (None, ["NoneType"]),
        (3, ["int"]),
        (GOOD["a"], ["Series"]),
        ([[1, 2]], ["list"]),
        (pd.DataFrame(), ["no columns"]),
        (pd.DataFrame(index=[0, 1]), ["no columns"]),
        (GOOD.iloc[:0], ["no rows"]),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "a", "y"]), ["two columns", "'a'"]),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "y", "y"]), ["two columns", "'y'"]),
        (pd.DataFrame([[1, 2]], columns=[0, "y"]), ["name 0", "columns.map(str)"]),
        (pd.DataFrame([[1, 2]], columns=["", "y"]), ["non-empty"]),
        (pd.DataFrame([[1, 2]], columns=[None, "y"]), ["rename"]),
        (
            pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("y", "z")])),
            ["levels"],
        ),
    ],
)
def test_no_proper_frame(frame, words):
    refuse(bnlr.DataError, *words, frame=frame)


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (pd.to_datetime(["2020-01-01", "1999-05-01"]), [2020, 1999]),
        (pd.Series([date(2020, 1, 1), date(1999, 5, 1)], dtype=object), [2020, 1999]),
        (pd.Series([datetime(2020, 1, 1), datetime(1999, 5, 1)], dtype=object), [2020, 1999]),
        (pd.to_datetime(["2020-01-01", "1999-05-01"], utc=True), [2020, 1999]),
        (pd.period_range("2020-12", periods=2, freq="M"), [2020, 2021]),
        (pd.to_timedelta([3, 40], unit="D"), [3, 40]),
        (pd.Series([timedelta(3), timedelta(40)], dtype=object), [3, 40]),
    ],
)
def test_what_is_said_of_times_makes_numbers_of_them(values, numbers):
    frame = pd.DataFrame({"a": values, "c": ["p", "q"]})
    with pytest.raises(bnlr.CellTypeError, match="column 'a'") as caught:
        bnlr.Dataset.from_frame(frame, "c")
    remedy = str(caught.value).partition("for instance with ")[2]
    made = eval(remedy, {"pandas": pd, "frame": frame})  # noqa: S307  as users are told
    assert made.tolist() == numbers
    assert bnlr.Dataset.from_frame(frame.assign(a=made), "c").states["a"] == tuple(sorted(numbers))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.5, np.inf, 2.0], ["inf in row 1", "missing cell or a finite value"]),
        ([-np.inf, 1.0], ["-inf in row 0"]),
        (pd.Series(["x", np.inf], dtype=object), ["inf in row 1"]),
        ([1j, 2], ["row 0", "map(str"]),
        (pd.to_datetime(["2020-01-01", None]), ["row 0", "dt.year"]),
        (pd.Series([None, datetime(2020, 1, 1)], dtype=object), ["row 1", "dt.year"]),
        (pd.to_timedelta([1, 2]), ["row 0"]),
        (pd.period_range("2020", periods=2, freq="Y"), ["row 0"]),
        ([["x"], ["y"]], ["['x'] in row 0"]),
        (["x", {"k": 1}], ["row 1"]),
        (["x", {"k"}], ["row 1"]),
        (["x", ("k", 1)], ["row 1"]),
        ([None, np.zeros(2)], ["row 1"]),
        ([b"x", b"y"], ["b'x' in row 0", "decode"]),
        ([Decimal("1.5"), None], ["Decimal", "row 0"]),
        (pd.Series([True, 1], dtype=object), ["True == 1"]),
        (pd.Series(["x", False, 0.5], dtype=object), ["boolean False", "number 0.5"]),
        (np.linspace(0, 1, 21), ["continuous", "21 different", "MDLDiscretizer"]),
        (pd.Series(np.linspace(0, 1, 30), dtype=object), ["continuous"]),
        ([None, None], ["no values", "states="]),
        (pd.Series([np.nan, np.nan]), ["no values"]),
        (pd.cut(pd.Series([1.0, 2.0, 3.0]), 2), ["Interval", "rename_categories(str)"]),
        (pd.Categorical([None], [pd.Timestamp("2020")]), ["the categories"]),
        (["y" * 10**6, b"x" * 10**6], ["row 1"]),
        (pd.Series([2, 10**1000], dtype=object), ["in row 1", "more than 1,000 digits"]),
        (pd.array([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int8()))), ["row 0", "map(str"]),
    ],
)
def test_cells_that_cannot_be_states_are_named(values, words):
    refuse(bnlr.DataError, "'a'", *words, frame=column(values))


@pytest.mark.parametrize("array", [pd.Categorical(["p", "q"]), pd.array([1, None], dtype="Int64")])
def test_a_column_of_more_than_one_axis_is_named(array):
    frame = pd.DataFrame({"y": [0, 1]})
    frame["a"] = array.reshape(2, 1)
    refuse(bnlr.DataError, "'a' is an array of 2 axes", "one value a row", frame=frame)


def test_tables_that_become_frames_are_told_how():
    frame = pa.table({"a": [1, 2], "y": [0, 1]})
    refuse(bnlr.DataError, "not Table; convert it with frame.to_pandas()", frame=frame)
    assert as_pandas(frame).equals(pd.DataFrame({"a": [1, 2], "y": [0, 1]}))


def test_a_frame_of_another_library_is_told_from_pandas():
    class DataFrame:
        __module__ = "polars.dataframe.frame"
        to_pandas = None

    class Lazy(DataFrame):
        __module__ = "dask.dataframe"
        to_delayed = None

    refuse(bnlr.DataError, "not polars.DataFrame; convert it with frame.to", frame=DataFrame())
    remedies = "not Lazy; Dask's rows stay .* Dataset.from_dask.* frame.compute"
    with pytest.raises(bnlr.DataError, match=remedies):
        bnlr.Dataset.from_frame(Lazy(), "y")


def test_a_table_that_does_not_become_a_frame_says_why():
    class Lazy:
        def to_pandas(self):
            raise RuntimeError("collect() first")

    with pytest.raises(bnlr.CellTypeError, match=r"X is a Lazy whose .* fails \(collect\(\) first"):
        bnlr.BNClassifier().fit(Lazy(), [0, 1])


def test_twenty_values_with_decimals_are_states():
    values = np.linspace(0, 1, 20)
    data = bnlr.Dataset.from_frame(column(np.tile(values, 3)), "y")
    assert data.states["a"] == tuple(values)


@pytest.mark.parametrize("class_name", ["Y", None, 3, ["y"], "", ("y",)])
def test_unknown_class(class_name):
    refuse(bnlr.DataError, "no column", class_name=class_name)
    with pytest.raises(bnlr.DataError):
        bnlr.Dataset.from_frame(GOOD, class_name, states={"y": (0, 1), "a": ("p", "q")})


def test_mistyped_name_gets_a_guess():
    frame = GOOD.rename(columns={"y": "class"})
    refuse(bnlr.DataError, "did you mean 'class'?", frame=frame, class_name="clas")


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ({"a": ("p", "q")}, ["class 'y' has no entry"]),
        ({"y": (0, 1), "a": ("p", "q"), "b": (1,)}, ["no column 'b'"]),
        ({"y": (0, 1), "a": ()}, ["'a' has no states"]),
        ({"y": (0, 1), "a": "pq"}, ["sequence"]),
        ({"y": (0, 1), "a": 5}, ["sequence"]),
        ({"y": (0, 1), "a": ("p", None)}, ["None cannot be a state of 'a'"]),
        ({"y": (0, 1), "a": ("p", np.nan)}, ["nan cannot be a state"]),
        ({"y": (0, 1), "a": ("p", "q", "p")}, ["'p' twice"]),
        ({"y": (0, 1, 1.0), "a": ("p", "q")}, ["1.0 twice"]),
        ({"y": (0, True), "a": ("p", "q")}, ["True == 1"]),
        ({"y": (0, 1), 5: ("p", "q")}, ["name 5"]),
        ([("y", (0, 1))], ["list"]),
        ({}, ["class 'y'"]),
    ],
)
def test_unusable_states(states, words):
    refuse(bnlr.DataError, *words, states=states)


def test_known_states_refuse_the_same_cells():
    states = {"y": (0,), "a": ("p", "q")}
    refuse(bnlr.DataError, "'a'", "row 1", frame=column(["p", ["q"]]), states=states)
    refuse(
        bnlr.DataError,
        "two columns",
        frame=pd.DataFrame([["p", "p"]], columns=["a", "a"]),
        states=states,
    )
    refuse(
        bnlr.StateError,
        "'a'",
        "0.0",
        "30 cells",
        frame=column(np.linspace(0, 1, 30)),
        states=states,
    )


@pytest.mark.parametrize(
    ("weights", "word"),
    [
        ([1, -1, 1], "row 1"),
        ([1, 1, np.nan], "row 2"),
        ([1, np.inf, 1], "row 1"),
        ([0, 0, 0], "all weights are zero"),
        ([1, 1], "(2,)"),
        (1.0, "()"),
        ([[1, 1, 1]], "(1, 3)"),
        (["1", "1", "1"], "numbers"),
        ([1, "x", None], "numbers"),
        ([1, None, 1], "row 1"),
        ([1j, 1, 1], "numbers"),
        ([1e308, 1e308, 1e308], "overflows"),
        (pd.Series([1, 2, 3], index=[2, 1, 0]), "index"),
        (pd.Series([1, 2, None], dtype="Int64"), ""),
    ],
)
def test_unusable_weights(weights, word):
    refuse(bnlr.ParameterError, word, weights=weights)


@pytest.mark.parametrize("weights", [[1e-300, 1e300, 0], pd.Series([1, 2, 3]), [True, True, False]])
def test_usable_weights(weights):
    data = bnlr.Dataset.from_frame(GOOD, "y", weights=weights)
    assert data.has_weights
    assert data.weights.tolist() == [float(w) for w in weights]


def test_unknown_treatment_of_unseen_values():
    refuse(bnlr.ParameterError, "choose one of missing, error", unseen="drop")


def test_odd_memory_is_no_matter(tmp_path):
    rows = np.arange(12).reshape(6, 2) % 3
    mapped = np.memmap(tmp_path / "rows", dtype=np.int64, mode="w+", shape=rows.shape)
    mapped[:] = rows
    frozen = rows.copy()
    frozen.flags.writeable = False
    expected = bnlr.Dataset.from_frame(pd.DataFrame(rows, columns=["a", "y"]), "y").codes
    for table in (
        mapped,
        frozen,
        rows[::-1][::-1],
        np.ma.masked_array(rows),
        np.asfortranarray(rows),
    ):
        data = bnlr.Dataset.from_frame(pd.DataFrame(table, columns=["a", "y"]), "y")
        assert data.codes.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "name", [pd.NA, np.array(["y"]), np.array(["a", "y"]), np.array("y"), pd.DataFrame({"y": [1]})]
)
def test_a_class_name_that_is_no_text(name):
    frame = pd.DataFrame({"a": ["p", "q"], "y": ["s", "t"]})
    with pytest.raises(bnlr.DataError, match=r"no column|variable"):
        bnlr.Dataset.from_frame(frame, name)
    with pytest.raises(bnlr.DataError, match=r"no column|variable"):
        bnlr.Dataset.from_chunks([frame], name)
