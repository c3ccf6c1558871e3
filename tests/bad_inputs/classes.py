"""Classes, weights, codes, and what comes before fit."""

from decimal import Decimal

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

from bnlr.errors import CellTypeError, DataError, MissingCellsError, ParameterError, StateError

from .rows import A_FEW, ENCODE, GOOD, TO_TEXT, Row, Y, no, objects, ok


def target(what, make, fit, frame=None, **more):
    return Row(what, make, fit, None, frame, part="y", **more)


CLASS_TEXT = "turn the classes into text"

TARGETS = [
    target("y is None", lambda: None, no(DataError, "give y", "y is None")),
    target(
        "y too short or too long",
        lambda: Y[:5],
        no(DataError, "give one class a row", "12 rows, y "),
        also=(lambda: [*Y, 0], list),
    ),
    target(
        "y of one column",
        lambda: np.array(Y)[:, None],
        ok("with scikit-learn's warning", (0, 1)),
        plain=lambda: Y,
    ),
    target(
        "y of two columns",
        lambda: np.array([Y, Y]).T,
        no(DataError, "give one class a row", "(12, 2)"),
    ),
    target(
        "y a scalar, set, dict or generator",
        lambda: {0, 1},
        no(DataError, "give a list or array", "1d array"),
        also=(lambda: 5, dict, lambda: (k for k in Y)),
    ),
    target(
        "y a tuple or Index",
        lambda: tuple(Y),
        ok("labels", (0, 1)),
        ok("labels", (0, 1)),
        plain=lambda: Y,
        also=(lambda: pd.Index(Y),),
    ),
    target(
        "y continuous",
        lambda: np.linspace(0, 1, 12),
        no(DataError, "cut it into classes", "continuous"),
        ok("up to 20 decimals are labels"),
    ),
    target(
        "y with NaN",
        lambda: [np.nan, 1.0] * 6,
        no(MissingCellsError, "drop rows without a class", "row 0", "drop"),
        ok("missing class", (1,)),
    ),
    target(
        "y with None or NA",
        lambda: pd.array([1, None] * 6, dtype="Int64"),
        no(MissingCellsError, "drop rows without a class", "row 1", "drop"),
        ok("missing class", (1,)),
        also=(lambda: objects([1, None] * 6), lambda: objects([1, pd.NA] * 6)),
    ),
    target(
        "y masked",
        lambda: np.ma.masked_array(Y, [1] + [0] * 11),
        no(MissingCellsError, "drop rows without a class", "row 0", "drop"),
        ok("missing class", (0, 1)),
    ),
    target(
        "y with inf",
        lambda: [0.0, np.inf] * 6,
        no(DataError, "mend or drop the row", "(inf) in row 1"),
        no(DataError, "put a finite value or a missing cell", "inf in row 1"),
    ),
    target(
        "y of one class",
        lambda: [1] * 12,
        no(DataError, "give rows of at least two classes", "one class only, 1", "at least two"),
        ok("one state; learners refuse it", (1,)),
    ),
    target(
        "y named like a column",
        lambda: pd.Series(Y, name="a"),
        ok("the class is called class", (0, 1)),
        plain=lambda: Y,
    ),
    target(
        "y with X's index in another order",
        lambda: pd.Series(Y, index=range(11, -1, -1)),
        no(DataError, "align it with `y.loc[X.index]`", "another order", "y.loc[X.index]"),
    ),
    target(
        "y with another index",
        lambda: pd.Series(Y, index=range(100, 112)),
        ok("rows go by position", (0, 1)),
        plain=lambda: Y,
    ),
    target(
        "y of numbers and text",
        lambda: objects([1, "1"] * 6),
        no(DataError, "make all of it text or numbers", "1, '1'", "all of them numbers"),
        ok("two labels", (1, "1")),
    ),
    target(
        "y of booleans and numbers",
        lambda: objects([True, 1] * 6),
        no(DataError, "make all of it text or numbers", "True, 1"),
        no(DataError, "make all numbers, booleans or text", "True == 1"),
    ),
    target(
        "y of whole numbers as objects",
        lambda: objects([1, 2] * 6),
        ok("labels", (1, 2)),
        ok("labels", (1, 2)),
        plain=lambda: [1, 2] * 6,
    ),
    target(
        "y of `Int64` or Arrow integers",
        lambda: pd.Series([1, 2] * 6, dtype="Int64"),
        ok("integers come back", (1, 2)),
        ok("labels", (1, 2)),
        plain=lambda: [1, 2] * 6,
        also=(lambda: pd.Series([1, 2] * 6, dtype="int64[pyarrow]"),),
    ),
    target(
        "y of `boolean`",
        lambda: pd.Series([True, False] * 6, dtype="boolean"),
        ok("booleans come back", (False, True)),
        ok("labels", (False, True)),
        plain=lambda: [True, False] * 6,
    ),
    target(
        "y a category with unused ones",
        lambda: pd.Series(pd.Categorical(["p", "q"] * 6, ["z", "q", "p"])),
        ok("the classes that occur, sorted", ("p", "q")),
        ok("all categories are states", ("z", "q", "p")),
        plain=lambda: objects(["p", "q"] * 6),
    ),
    target(
        "y of bytes",
        lambda: [b"p", b"q"] * 6,
        no(CellTypeError, CLASS_TEXT, "bytes"),
        no(CellTypeError, ENCODE, "b'p'"),
    ),
    target(
        "y of dates or time differences",
        lambda: np.array([1, 2] * 6, "m8[ns]"),
        no(CellTypeError, CLASS_TEXT, "in row 0", "astype(str)"),
        no(CellTypeError, A_FEW, "in row 0"),
        also=(lambda: pd.to_datetime(["2020", "2021"] * 6),),
    ),
    target(
        "y of tuples, decimals, intervals",
        lambda: objects([Decimal(1), Decimal(2)] * 6),
        no(CellTypeError, CLASS_TEXT, "in row 0", "text"),
        no(CellTypeError, "turn it into text, or name the intervals", "in row 0"),
        also=(
            lambda: objects([(1, 2), (2, 3)] * 6),
            lambda: pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)] * 6),
        ),
    ),
    target(
        "y complex",
        lambda: [1j, 2] * 6,
        no(DataError, CLASS_TEXT, "Complex data not supported"),
        no(CellTypeError, TO_TEXT, "1j"),
    ),
    target(
        "y of -0.0 and 0.0",
        lambda: [-0.0, 0.0, 1.0] * 4,
        ok("one class, 0.0", (0, 1)),
        ok("one label", (0, 1)),
        plain=lambda: [0.0, 0.0, 1.0] * 4,
    ),
    target(
        "y of half surrogate pairs, NUL, 1 MB",
        lambda: objects(["\ud800", "x" * 10**6, "p\0"] * 4),
        ok("labels", ("p\0", "x" * 10**6, "\ud800")),
        ok("labels", ("p\0", "x" * 10**6, "\ud800")),
    ),
]


def weights(what, make, words, *said, fit=None, also=()):
    refused = no(ParameterError, words, *said)
    return Row(what, make, fit or refused, None, refused, part="weights", also=also)


WEIGHTS = [
    weights(
        "a negative weight",
        lambda: [1] * 11 + [-1],
        "drop the row or mend its weight",
        "-1.0 of row 11",
        "mend",
    ),
    weights(
        "a weight of NaN or None",
        lambda: [1, None] * 6,
        "drop the row or mend its weight",
        "nan of row 1",
        also=(lambda: [1, np.nan] * 6, lambda: pd.Series([1, None] * 6, dtype="Int64")),
    ),
    weights(
        "an infinite weight",
        lambda: [1, np.inf] * 6,
        "drop the row or mend its weight",
        "inf of row 1",
    ),
    weights(
        "all weights zero",
        lambda: [0] * 12,
        "give at least one row a weight",
        "all weights are zero",
    ),
    weights(
        "too few or too many weights",
        lambda: [1] * 5,
        "give one a row",
        "12 rows",
        also=(lambda: [1] * 13, lambda: 1.0),
    ),
    weights("weights of two axes", lambda: np.ones((12, 1)), "give one a row", "(12, 1)"),
    weights("weights that are text", lambda: ["1"] * 12, "give numbers", "must be numbers"),
    weights(
        "weights beyond floats",
        lambda: [10**400] * 12,
        "give numbers",
        "must be numbers",
        "too large",
    ),
    weights(
        "weights whose sum overflows",
        lambda: [1e308] * 12,
        "divide them by the largest",
        "overflows",
        "divide",
    ),
    weights(
        "masked weights",
        lambda: np.ma.masked_array(np.ones(12), [1] + [0] * 11),
        "give each row a weight",
        "masked",
    ),
    weights(
        "weights with X's index in another order",
        lambda: pd.Series(1.0, index=range(11, -1, -1)),
        "align them by their index",
        "index",
    ),
    weights(
        "weights with another index",
        lambda: pd.Series(1.0, index=range(100, 112)),
        "pass `weights.to_numpy()`",
        "to_numpy()",
        fit=ok("rows go by position"),
    ),
    Row(
        "weights of 1e-300, 0 or booleans",
        lambda: [1e-300, 1e-300, 0] * 4,
        ok("as they are"),
        None,
        ok("as they are"),
        part="weights",
        also=(lambda: [True, True, False] * 4,),
    ),
]


def codes(what, values, outcome, also=()):
    return Row(what, lambda: values, None, None, outcome, part="codes", also=also)


CODES = [
    codes(
        "`from_codes`: code 2^31",
        [[2**31, 0]],
        no(StateError, "give codes from 0, or -1", "2147483648 in row 0", "-1 for missing"),
    ),
    codes("`from_codes`: code -1", [[-1, 0]], ok("a missing cell")),
    codes(
        "`from_codes`: code -2",
        [[-2, 0]],
        no(StateError, "give codes from 0, or -1", "-2 in row 0", "-1 for missing"),
    ),
    codes(
        "`from_codes`: floats, text, ragged rows",
        [[0.0, 0.0]],
        no(DataError, "give integers", "codes must be"),
        also=(lambda: [["p", 0]], lambda: [[0], [0, 1]]),
    ),
]

UNFITTED = [
    Row(
        "before fit",
        lambda: GOOD,
        None,
        no(NotFittedError, "call `fit` first"),
        None,
        part="unfitted",
    )
]
