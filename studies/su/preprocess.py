"""Holes filled and numbers cut into ten bins, by what the training rows alone say."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import KBinsDiscretizer

import bnlr
from studies.common.sources import CLASS
from studies.su.datasets import Raw

N_BINS = 10

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """Training and test rows, encoded alike."""

    train: bnlr.Dataset
    test: bnlr.Dataset


def split(raw: Raw, train: Rows, test: Rows) -> Split:
    """Fill and cut by the training rows; encode both parts.

    A missing number becomes the mean of the training rows, a missing label their most frequent
    one. The ten bins of a column are equally wide and span its training range; test values outside
    fall into the outer bins. A column that is constant in training has one bin.

    Parameters
    ----------
    raw
    train, test : integer arrays
        Which rows.
    """
    numbers, n_bins = _cut(raw.numbers, train)
    codes = _filled(raw.codes, train)
    table = np.column_stack([numbers, codes, raw.classes])
    states: dict[str, tuple[Any, ...]] = {
        name: tuple(range(n)) for name, n in zip(raw.numeric, n_bins, strict=True)
    }
    states |= {**raw.nominal, CLASS: raw.class_labels}
    first, second = (bnlr.Dataset.from_codes(table[rows], states, CLASS) for rows in (train, test))
    return Split(first, second)


def _cut(numbers: NDArray[np.float64], train: Rows) -> tuple[Rows, list[int]]:
    """Bins of all rows, and how many each column has."""
    if not numbers.shape[1]:
        return np.empty(numbers.shape, dtype=np.int64), []
    # A column that training has no number of is filled with 0, and so constant.
    means = SimpleImputer(strategy="mean", keep_empty_features=True).fit(numbers[train])
    whole = means.transform(numbers)
    bins = KBinsDiscretizer(N_BINS, encode="ordinal", strategy="uniform", subsample=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constant columns, which may be
        bins.fit(whole[train])
    return bins.transform(whole).astype(np.int64), [int(n) for n in bins.n_bins_]


def _filled(codes: Rows, train: Rows) -> Rows:
    """Put the most frequent training code into the holes; the first of several."""
    if not codes.shape[1]:
        return codes
    modes = SimpleImputer(
        missing_values=-1, strategy="most_frequent", keep_empty_features=True
    ).fit(codes[train])
    filled: Rows = modes.transform(codes).astype(np.int64)
    return filled
