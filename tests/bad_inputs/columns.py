"""Columns' names, and tables unlike those of fit."""

import numpy as np
import pandas as pd

from bnlr.errors import CellTypeError, DataError, UnseenStateWarning

from .rows import GOOD, NO_FRAME, Row, column, no, objects, ok, same


def renamed(*names):
    return GOOD.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)


COLUMNS = [
    same(
        "two columns of one name",
        lambda: pd.concat([GOOD["a"]] * 2, axis=1),
        no(DataError, "rename or drop one", "two columns named 'a'"),
    ),
    Row(
        "names that are numbers",
        lambda: renamed(0, 1),
        ok("the names are x0, x1"),
        ok("by position, with a warning"),
        no(DataError, "make the names text", "name 0", "columns.map(str)"),
        plain=GOOD.to_numpy,
    ),
    same(
        "text and numbers as names",
        lambda: renamed("a", 1),
        no(CellTypeError, "make the names text", "'a', 1", "columns.map(str)"),
        no(DataError, "make the names text", "name 1", "columns.map(str)"),
    ),
    Row(
        "names of several levels",
        lambda: GOOD.set_axis(pd.MultiIndex.from_tuples([("a", "x"), ("b", "y")]), axis=1),
        ok("the names are x0, x1"),
        ok("by position, with a warning"),
        no(DataError, "join the levels into one text", "several levels", "join"),
        plain=GOOD.to_numpy,
    ),
    same(
        "None as a name",
        lambda: renamed(None, "b"),
        no(CellTypeError, "make the names text", "'b'"),
        no(DataError, "rename the column", "rename"),
    ),
    Row(
        "the empty text as a name",
        lambda: renamed("", "b"),
        no(DataError, "rename the column", "''", "rename"),
        no(DataError, "give the columns of fit", "unseen at fit time", "feature_names_in_"),
        no(DataError, "rename the column", "''", "rename"),
    ),
    same(
        "half a surrogate pair in a name",
        lambda: renamed("\ud800", "b"),
        no(DataError, "rename the column", "surrogate"),
        ok("a name", ("p", "q")),
    ),
    Row(
        "more columns than at fit",
        lambda: GOOD.assign(c="w"),
        ok("as given", ("p", "q")),
        no(DataError, "give the columns of fit", "unseen at fit time", "- c", "feature_names_in_"),
        ok("as given", ("p", "q")),
    ),
    Row(
        "fewer columns than at fit",
        lambda: GOOD[["a"]],
        ok("as given", ("p", "q")),
        no(DataError, "give the columns of fit", "now missing", "- b", "feature_names_in_"),
        ok("as given", ("p", "q")),
    ),
    Row(
        "reordered columns",
        lambda: GOOD[["b", "a"]],
        ok("as given", ("u", "v")),
        no(DataError, "give them in the order of fit", "same order", "feature_names_in_"),
        ok("as given", ("u", "v")),
    ),
    Row(
        "renamed columns",
        lambda: GOOD.rename(columns={"a": "z"}),
        ok("as given"),
        no(DataError, "give the columns of fit", "- z", "- a", "feature_names_in_"),
        ok("as given"),
    ),
    Row(
        "an array with other columns than at fit",
        lambda: np.ones((12, 3), int),
        ok("as given"),
        no(DataError, "give the columns of fit", "3 features", "expecting 2"),
        NO_FRAME,
        model="array",
    ),
    Row(
        "a label that fit has not seen",
        lambda: column(["p", "new"] * 6),
        ok("as given", ("new", "p")),
        ok("missing, with one warning; `unseen='error'` refuses it", warns=UnseenStateWarning),
        ok("as given", ("new", "p")),
        plain=None,
    ),
    Row(
        "categories in another order",
        lambda: column(pd.Categorical(GOOD["a"], ["q", "p"])),
        ok("the order of the states", ("q", "p")),
        ok("by label"),
        ok("the order of the states", ("q", "p")),
        plain=lambda: GOOD,
    ),
    Row(
        "text where fit had measurements",
        lambda: column(objects(["p", "q"] * 6)),
        ok("labels", ("p", "q")),
        no(
            DataError, "convert it with `pandas.to_numeric`", "'a' was numeric in fit", "to_numeric"
        ),
        ok("labels", ("p", "q")),
        model="measured",
    ),
    Row(
        "one row label twice or more",
        lambda: GOOD.set_axis([0] * 12),
        ok("rows go by position", ("p", "q")),
        ok("rows go by position"),
        ok("rows go by position", ("p", "q")),
        plain=lambda: GOOD,
    ),
]
