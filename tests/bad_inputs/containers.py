"""What X is handed over in."""

import numpy as np
import pandas as pd
from scipy import sparse

from bnlr.errors import CellTypeError, DataError, UnseenStateWarning

from .rows import (
    A_FEW,
    ENCODE,
    GOOD,
    NO_FRAME,
    NO_TABLE,
    PAIRS,
    Row,
    Y,
    no,
    ok,
    same,
)


class Foreign:
    """A table of another library, as polars and xarray have them."""

    def __init__(self, frame=GOOD, error=None):
        self._frame, self._error = frame, error

    def to_pandas(self):
        if self._error:
            raise self._error
        return self._frame


class ArrayLike:
    def __array__(self, dtype=None, copy=None):
        return np.array(PAIRS)


def arrays(what, make, words="its values", states=(1, 2)):
    """A proper array in odd memory."""
    return Row(
        what,
        make,
        ok(words, states),
        ok(words),
        NO_FRAME,
        plain=lambda: np.array(PAIRS),
        model="array",
    )


def masked():
    return np.ma.masked_array(PAIRS, mask=[[0, 0], [0, 1]] * 6)


def memmap():
    import tempfile

    with tempfile.TemporaryFile() as file:
        rows = np.memmap(file, dtype=np.int64, mode="w+", shape=(12, 2))
    rows[:] = PAIRS
    return rows


def read_only():
    rows = np.array(PAIRS)
    rows.flags.writeable = False
    return rows


CONTAINERS = [
    same("no rows", lambda: GOOD.iloc[:0], no(DataError, "give at least one row", "row")),
    Row(
        "no columns",
        lambda: pd.DataFrame(index=range(12)),
        no(DataError, "give at least one column", "column"),
        no(DataError, "give at least one column", "column"),
        no(DataError, "give at least the class column", "no columns"),
    ),
    same(
        "one-dimensional array",
        lambda: np.arange(12),
        no(DataError, "reshape it", "1D array", "Reshape"),
        NO_FRAME,
    ),
    same(
        "three-dimensional array",
        lambda: np.zeros((12, 2, 2)),
        no(DataError, "give two axes, rows and columns", "dim 3"),
        NO_FRAME,
    ),
    same(
        "ragged lists",
        lambda: [["a", "b"], ["c"]] * 6,
        no(DataError, "give rows of one length", "others 2", "None"),
        NO_FRAME,
    ),
    same(
        "SciPy sparse matrix",
        lambda: sparse.csr_array(np.eye(12)),
        no(CellTypeError, "make it dense with `toarray()`", "toarray()"),
        no(CellTypeError, "make it dense with `toarray()`", "toarray()"),
    ),
    same(
        "dict of lists",
        lambda: {"a": Y},
        no(CellTypeError, "`pandas.DataFrame(X)`", "pandas.DataFrame(X)"),
        NO_FRAME,
    ),
    same(
        "list of dicts",
        lambda: [{"a": 1}] * 12,
        no(CellTypeError, "`pandas.DataFrame(X)`", "dictionaries", "pandas.DataFrame(X)"),
        NO_FRAME,
    ),
    same("set", lambda: {1, 2}, no(CellTypeError, NO_TABLE, "set", "no table"), NO_FRAME),
    same(
        "generator",
        lambda: (row for row in PAIRS),
        no(CellTypeError, "give `list(X)`", "list(X)"),
        NO_FRAME,
    ),
    same("a number", lambda: 5, no(CellTypeError, NO_TABLE, "int", "no table"), NO_FRAME),
    same("None", lambda: None, no(CellTypeError, NO_TABLE, "NoneType"), NO_FRAME),
    same(
        "text or bytes",
        lambda: "rows",
        no(CellTypeError, NO_TABLE, "no table"),
        NO_FRAME,
        also=(lambda: b"rows",),
    ),
    same(
        "pandas Series or Index",
        lambda: GOOD["a"],
        no(DataError, "give a frame of one column, `X.to_frame()`", "Reshape"),
        no(CellTypeError, "give a frame of one column, `X.to_frame()`", "to_frame()"),
        also=(lambda: pd.Index(Y),),
    ),
    same(
        "structured array",
        lambda: np.array([("p", "u")] * 12, "U1,U1"),
        no(CellTypeError, "`pandas.DataFrame(X)`", "pandas.DataFrame(X)"),
        NO_FRAME,
    ),
    same(
        "numpy.matrix",
        lambda: np.ones((12, 2)).view(np.matrix),
        no(CellTypeError, "give `numpy.asarray(X)`", "asarray"),
        NO_FRAME,
    ),
    arrays("list of lists", lambda: [list(row) for row in PAIRS], "each column keeps its type"),
    Row(
        "another library's frame with `to_pandas`, such as polars'",
        Foreign,
        ok("by its columns' names", ("p", "q")),
        ok("by its columns' names"),
        no(CellTypeError, "give `frame.to_pandas()`", "to_pandas()"),
        plain=lambda: GOOD,
    ),
    same(
        "one whose `to_pandas` fails",
        lambda: Foreign(error=ImportError("no pyarrow")),
        no(CellTypeError, "give a pandas DataFrame", "to_pandas() fails", "no pyarrow"),
        no(CellTypeError, "give `frame.to_pandas()`", "to_pandas()"),
    ),
    arrays("an object with `__array__`", ArrayLike),
]

ARRAYS = [
    arrays("read-only array", read_only),
    arrays("negative strides", lambda: np.array(PAIRS)[::-1, ::-1][:, :], states=(1, 2)),
    arrays("memory map", memmap),
    Row(
        "masked array",
        masked,
        ok("masked cells are missing", (1, 2)),
        ok("masked cells are missing"),
        NO_FRAME,
        plain=lambda: [[1, 2], [2, None]] * 6,
        model="array",
    ),
    arrays("big-endian array", lambda: np.array(PAIRS, dtype=">i4")),
    Row(
        "`float16` and `longdouble`",
        lambda: np.array(PAIRS, dtype=np.longdouble),
        ok("numbers, cut into intervals", ("(-inf, 1.5]", "(1.5, inf)")),
        ok("its values"),
        NO_FRAME,
        plain=lambda: np.array(PAIRS, dtype=float),
        model="array",
        also=(lambda: np.array(PAIRS, dtype=np.float16),),
    ),
    Row(
        "array of booleans",
        lambda: np.array(PAIRS) == 1,
        ok("labels", (False, True)),
        ok("unseen, so missing, with a warning", warns=UnseenStateWarning),
        NO_FRAME,
        model="array",
    ),
    Row(
        "fixed-width text and StringDType",
        lambda: GOOD.to_numpy().astype(np.dtypes.StringDType()),
        ok("text", ("p", "q")),
        ok("text; columns by position"),
        NO_FRAME,
        plain=GOOD.to_numpy,
        also=(lambda: GOOD.to_numpy().astype("U1"),),
    ),
    same(
        "array of dates",
        lambda: np.array([["2020", "2021"]] * 12, dtype="M8[D]"),
        no(CellTypeError, A_FEW, "2020-01-01", "dt.year"),
        NO_FRAME,
    ),
    same(
        "complex array",
        lambda: np.full((12, 2), 1j),
        no(DataError, "give real numbers or labels", "Complex data not supported"),
        NO_FRAME,
    ),
    same(
        "array of bytes",
        lambda: np.array([[b"p", b"u"]] * 12),
        no(CellTypeError, ENCODE, "b'p'", "decode"),
        NO_FRAME,
    ),
]
