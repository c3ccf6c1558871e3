"""What cells hold."""

import enum
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

from bnlr.errors import CellTypeError, DataError, UnexpectedMissingWarning, UnseenStateWarning

from .rows import (
    A_FEW,
    ENCODE,
    GOOD,
    TO_TEXT,
    Row,
    Y,
    cells,
    column,
    holes,
    labels,
    no,
    objects,
    ok,
    same,
)


class HostileText(str):
    """Text that is equal to everything, or to nothing, as it likes."""

    __slots__ = ()

    def __eq__(self, other):
        raise RuntimeError("not to be compared")

    def __hash__(self):
        raise RuntimeError("not to be hashed")


class Mute:
    def __repr__(self):
        raise RuntimeError("nothing to show")


class Colour(enum.Enum):
    RED = 1


CELLS = [
    cells("complex numbers", [1j, 2] * 6, TO_TEXT, "1j in row 0", "map(str"),
    cells(
        "dates and times",
        pd.to_datetime(["2020-01-01", "2021-01-01"] * 6),
        A_FEW,
        "2020",
        "dt.year",
    ),
    cells("time differences", pd.to_timedelta([1, 2] * 6, unit="D"), A_FEW, "1 days"),
    cells("Python dates", objects([date(2020, 1, 1)] * 12), A_FEW, "2020", "dt.year"),
    cells("periods", pd.period_range("2020", periods=12, freq="M"), A_FEW, "2020-01"),
    cells(
        "intervals",
        pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)] * 6),
        "name the intervals as text",
        "Interval(0, 1",
        "rename_categories(str)",
    ),
    cells("lists in cells", [["x"], ["y"]] * 6, TO_TEXT, "['x'] in row 0"),
    cells("dicts in cells", [{"x": 1}] * 12, TO_TEXT, "{'x': 1} in row 0"),
    cells("arrays in cells", objects([np.zeros(2)] * 12), TO_TEXT, "array([0., 0.])"),
    cells("bytes", objects([b"p", b"q"] * 6), ENCODE, "b'p' in row 0", "decode"),
    cells("numpy.void", objects([np.void(b"p")] * 12), TO_TEXT, "np.void"),
    cells("decimal.Decimal", objects([Decimal("1.5"), Decimal(2)] * 6), TO_TEXT, "Decimal('1.5')"),
    same(
        "decimal's signalling NaN",
        lambda: column(objects([Decimal("sNaN"), "p"] * 6)),
        no(DataError, "replace it by a missing cell", "'a'", "missing cell"),
        no(CellTypeError, TO_TEXT, "'a'", "sNaN"),
    ),
    cells("fractions.Fraction", objects([Fraction(1, 2)] * 12), TO_TEXT, "Fraction(1, 2)"),
    cells("members of an Enum", objects([Colour.RED] * 12), TO_TEXT, "Colour.RED"),
    cells("an object that cannot be shown", objects([Mute()] * 12), TO_TEXT, "<Mute>"),
    cells(
        "a boolean beside a number",
        objects([True, 1] * 6),
        "make all numbers, booleans or text",
        "True == 1",
        error=DataError,
    ),
    cells(
        "a whole number of over 1,000 digits",
        objects([10**5000, 1] * 6),
        TO_TEXT,
        "1,000 digits",
        error=DataError,
    ),
    labels("1 and '1'", objects([1, "1"] * 6), (1, "1"), "two labels"),
    labels(
        "True and '1', which do not sort",
        objects([True, "1"] * 6),
        (True, "1"),
        "two labels, sorted by type",
    ),
    Row(
        "decimals beside text",
        lambda: column(objects([1.5, "p"] * 6)),
        ok("labels", (1.5, "p")),
        ok("the number is unseen, so missing, with a warning", warns=UnseenStateWarning),
        ok("labels", (1.5, "p")),
    ),
    Row(
        "1 and 1.0",
        lambda: column(objects([1, 1.0, 2] * 4)),
        ok("one number, cut into intervals", ("(-inf, inf)",)),
        ok("one label", warns=None),
        ok("one label", (1, 2)),
        plain=lambda: column([1.0, 1.0, 2.0] * 4),
        model="number",
    ),
    Row(
        "-0.0 and 0.0",
        lambda: column([-0.0, 0.0, 0.5] * 4),
        ok("one number, cut into intervals", ("(-inf, inf)",)),
        ok("unseen, so missing, with a warning", warns=UnseenStateWarning),
        ok("one label, 0.0", (0.0, 0.5)),
        plain=lambda: column([0.0, 0.0, 0.5] * 4),
        model="number",
    ),
    holes("NaN", objects([np.nan if k else "p" for k in Y])),
    holes("None", objects(["p", None] * 6)),
    holes("pandas.NA", objects(["p", pd.NA] * 6)),
    holes("NaT, pandas' or NumPy's", objects(["p", pd.NaT, "p", np.datetime64("NaT")] * 3)),
    Row(
        "a column without any value",
        lambda: column(objects([None] * 12)),
        ok("left out, with a warning", ("u", "v")),
        ok("missing cells, summed out", warns=UnexpectedMissingWarning),
        no(DataError, "drop it, or give its states", "'a'", "every cell is missing", "states="),
    ),
    cells(
        "inf",
        [np.inf, 1.0] * 6,
        "put a finite value or a missing cell",
        "inf in row 0",
        error=DataError,
    ),
    cells(
        "-inf",
        [1.0, -np.inf] * 6,
        "put a finite value or a missing cell",
        "-inf in row 1",
        error=DataError,
    ),
    cells(
        "inf beside text",
        objects(["p", np.inf] * 6),
        "put a finite value or a missing cell",
        "inf in row 1",
        error=DataError,
    ),
    labels("the empty text", objects(["", "r"] * 6), ("", "r"), "a label as any other"),
    labels(
        "a text of 1 MB",
        objects(["x" * 10**6, "r"] * 6),
        ("r", "x" * 10**6),
        "a label; cut in messages",
    ),
    labels(
        "texts that differ after a NUL",
        objects(["r\0a", "r\0b"] * 6),
        ("r\0a", "r\0b"),
        "two labels",
    ),
    labels("a newline in a text", objects(["r\n", "r"] * 6), ("r", "r\n"), "two labels"),
    labels("emoji", objects(["😀", "r"] * 6), ("r", "😀")),
    labels("right-to-left text", objects(["שלום", "r"] * 6), ("r", "שלום")),
    labels("half a surrogate pair", objects(["\ud800", "r"] * 6), ("r", "\ud800")),
    Row(
        "text that cannot be compared or hashed",
        lambda: column(objects(map(HostileText, ["p", "q"] * 6))),
        ok("the text in it", ("p", "q")),
        ok("the text in it"),
        ok("the text in it", ("p", "q")),
        plain=lambda: GOOD,
    ),
    labels(
        "2^63 and 2^70",
        objects([2**63, 2**70] * 6),
        (2**63, 2**70),
        "numbers, exact",
        model="number",
    ),
    labels("2^31 and -1", [2**31, -1] * 6, (-1, 2**31), "numbers as any other", model="number"),
    Row(
        "1,200 different texts",
        lambda: pd.DataFrame({"a": [f"{k:04}" for k in range(1200)], "b": ["u", "v"] * 600}),
        ok("labels", tuple(f"{k:04}" for k in range(1200))),
        ok("unseen, so missing, with a warning", warns=UnseenStateWarning),
        ok("labels", tuple(f"{k:04}" for k in range(1200))),
    ),
]
