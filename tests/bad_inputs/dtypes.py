"""How pandas and Arrow hold columns."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa

from bnlr.errors import DataError, UnexpectedMissingWarning, UnseenStateWarning

from .rows import A_FEW, GOOD, TO_TEXT, Row, cells, column, holes, labels, no, objects, ok


def arrow(values, kind):
    return pd.array(values, dtype=pd.ArrowDtype(kind))


def known(what, values, words="labels"):
    """Cells of another type that hold p and q."""
    return labels(what, values, ("p", "q"), words, plain=lambda: GOOD, unseen=False)


TYPES = [
    known(
        "`str` and `string`, Python's or Arrow's",
        pd.array(["p", "q"] * 6, dtype="string[pyarrow]"),
        "text",
    ),
    holes("`string` with holes", pd.array(["p", None] * 6, dtype="string")),
    Row(
        "`Int64` with holes",
        lambda: column(pd.array([1, None] * 6, dtype="Int64")),
        ok("whole numbers, missing cells", (1,)),
        ok("missing cells, summed out", warns=UnexpectedMissingWarning),
        ok("whole numbers, missing cells", (1,)),
        plain=lambda: column([1, np.nan] * 6),
        model="number",
    ),
    Row(
        "whole floats with holes",
        lambda: column([1.0, np.nan] * 6),
        ok("whole numbers, missing cells", (1,)),
        ok("missing cells, summed out", warns=UnexpectedMissingWarning),
        ok("whole numbers, missing cells", (1,)),
        model="number",
    ),
    Row(
        "`Float64`",
        lambda: column(pd.array([0.5, 1.5] * 6, dtype="Float64")),
        ok("numbers, cut into intervals", ("(-inf, 1]", "(1, inf)")),
        ok("unseen, so missing, with a warning", warns=UnseenStateWarning),
        ok("up to 20 decimals are labels", (0.5, 1.5)),
        plain=lambda: column([0.5, 1.5] * 6),
    ),
    labels(
        "`boolean` with holes",
        pd.array([True, None, False] * 4, dtype="boolean"),
        (False, True),
        "booleans, missing cells",
    ),
    labels("numpy.bool_ objects", objects([np.True_, np.False_] * 6), (False, True), "booleans"),
    known("numpy.str_ objects", objects(map(np.str_, ["p", "q"] * 6)), "text"),
    known("Arrow text", arrow(["p", "q"] * 6, pa.string()), "text"),
    labels(
        "Arrow booleans with holes",
        arrow([True, None, False] * 4, pa.bool_()),
        (False, True),
        "booleans, missing cells",
    ),
    known(
        "Arrow dictionary",
        pd.arrays.ArrowExtensionArray(
            pa.chunked_array([pa.array(["p", "q"] * 6).dictionary_encode()])
        ),
    ),
    cells("Arrow lists", arrow([[1], [2]] * 6, pa.list_(pa.int64())), TO_TEXT, "in row 0"),
    cells(
        "Arrow structs",
        arrow([{"x": 1}] * 12, pa.struct([("x", pa.int64())])),
        TO_TEXT,
        "{'x': 1} in row 0",
    ),
    cells(
        "Arrow decimals",
        arrow([Decimal("1.5")] * 12, pa.decimal128(5, 2)),
        TO_TEXT,
        "Decimal('1.50')",
    ),
    cells(
        "Arrow timestamps", arrow(pd.to_datetime(["2020"] * 12), pa.timestamp("us")), A_FEW, "2020"
    ),
    labels(
        "category of numbers",
        pd.Categorical([1, 2] * 6, [2, 1]),
        (2, 1),
        "labels in the categories' order",
        model="text",
    ),
    labels(
        "category with unused ones",
        pd.Categorical(["p", "q"] * 6, ["q", "p", "z"]),
        ("q", "p", "z"),
        "all categories are states",
        unseen=False,
    ),
    holes("category with NaN", pd.Categorical(["p", np.nan] * 6)),
    Row(
        "category without any",
        lambda: column(pd.Categorical([None] * 12)),
        no(DataError, "drop it, or name its categories", "'a'", "every cell is missing"),
        ok("missing cells, summed out", warns=UnexpectedMissingWarning),
        no(DataError, "drop it, or give its states", "'a'", "every cell is missing", "states="),
    ),
    cells("category of dates", pd.Categorical(pd.to_datetime(["2020", "2021"] * 6)), A_FEW, "2020"),
    known("sparse column", pd.arrays.SparseArray(["p", "q"] * 6)),
]
