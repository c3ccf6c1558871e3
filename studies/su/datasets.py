"""Reading a data set: its two largest classes, and numbers and labels apart."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr
from studies.common.sets import Loaded
from studies.common.sources import CLASS, RawSet, built_in, find, readers
from studies.su.sets import ALL, SETS, Labels, PaperSet


@dataclass(frozen=True, eq=False)
class Raw:
    """Rows of the two largest classes, before any cell is filled or cut.

    Parameters
    ----------
    numbers : float array of shape (n_rows, n_numeric)
        NaN where missing.
    codes : integer array of shape (n_rows, n_nominal)
        Places in the labels, -1 where missing.
    classes : integer array of shape (n_rows,)
        0 the larger class, 1 the other.
    numeric : tuple of str
        Names of the columns of ``numbers``.
    nominal : dict of str to tuple of str
        Names and labels of the columns of ``codes``: all that occur in the file, in any class.
    class_labels : tuple of str
    origin : str
        Words on where the rows come from.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int64]
    classes: NDArray[np.int64]
    numeric: Labels
    nominal: Mapping[str, Labels]
    class_labels: Labels
    origin: str

    @property
    def n_rows(self) -> int:
        """Rows of both classes."""
        return len(self.classes)

    @property
    def missing_share(self) -> float:
        """Share of attribute cells that are missing."""
        n_missing = int(np.isnan(self.numbers).sum()) + int((self.codes < 0).sum())
        return n_missing / (self.numbers.size + self.codes.size)


def load(
    names: Iterable[str], data_dir: Path | None = None, *, only_builtin: bool = False
) -> Loaded[Raw]:
    """Read data sets; one that is not there is left out.

    Raises
    ------
    bnlr.ParameterError
        ``data_dir`` is no folder.
    bnlr.DataError
        A file that is there cannot be used.
    """
    places = [built_in] if only_builtin else readers(data_dir, download=False)
    return Loaded.of(names, lambda name: raw(find(SETS[name].source, places), SETS[name]))


def raw(found: RawSet, named: PaperSet) -> Raw:
    """Take the two largest classes, and the columns apart by kind.

    Raises
    ------
    bnlr.DataError
        Fewer than two classes, a class that is missing, or text where numbers should stand.
    """
    frame = found.frame.drop(columns=[c for c in named.dropped if c in found.frame.columns])
    attributes = [str(name) for name in frame.columns if name != CLASS]
    numeric = tuple(name for name in attributes if _is_numeric(frame[name], named))
    if named.has_marks:
        labelled = [name for name in attributes if name not in numeric]
        frame = frame.assign(**frame[labelled].fillna("?"))
    nominal = {n: _labels(frame[n]) for n in attributes if n not in numeric}
    kept = two_largest(frame[CLASS], named.first)
    rows = frame[frame[CLASS].astype(str).isin(kept)]
    coded = [_codes(rows[name], labels) for name, labels in nominal.items()]
    codes = np.array(coded, dtype=np.int64).reshape(len(nominal), len(rows)).T
    return Raw(
        numbers=_numbers(rows, numeric),
        codes=codes,
        classes=_codes(rows[CLASS], kept),
        numeric=numeric,
        nominal=nominal,
        class_labels=kept,
        origin=found.origin,
    )


def two_largest(column: "pd.Series[str]", first: Labels = ()) -> Labels:
    """Return the labels of the two largest classes, the larger first.

    Of equally large classes those in ``first`` go before the others, and these in their order of
    appearance.
    """
    if column.isna().any():
        raise bnlr.DataError(f"column {CLASS!r} has missing cells; leave those rows out")
    labels = column.astype(str)
    sizes = labels.value_counts()
    order = [*first, *(label for label in labels.unique() if label not in first)]
    if len(sizes) < 2:
        raise bnlr.DataError(f"column {CLASS!r} has fewer than two classes")
    largest = sorted((label for label in order if label in sizes), key=lambda k: -int(sizes[k]))
    return tuple(largest[:2])


def _is_numeric(column: "pd.Series[str]", named: PaperSet) -> bool:
    by_name = named.numeric == ALL or column.name in named.numeric
    return by_name or pd.api.types.is_numeric_dtype(column)


def _numbers(rows: pd.DataFrame, numeric: Labels) -> NDArray[np.float64]:
    try:
        numbers = rows[list(numeric)].apply(pd.to_numeric)
    except ValueError as error:
        raise bnlr.DataError(f"a column of numbers holds text: {error}") from error
    array: NDArray[np.float64] = numbers.to_numpy(dtype=np.float64)
    return array


def _labels(column: "pd.Series[str]") -> Labels:
    """All labels that occur; one that stands for none if the column is empty."""
    return tuple(sorted(str(label) for label in column.dropna().unique())) or ("none",)


def _codes(column: "pd.Series[str]", labels: Labels) -> NDArray[np.int64]:
    places = {label: k for k, label in enumerate(labels)}
    codes = [places.get(str(label), -1) if label == label else -1 for label in column]  # noqa: PLR0124
    return np.array(codes, dtype=np.int64)
