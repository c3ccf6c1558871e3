"""Folds of rows that are not discretized yet, dealt as the packed ones are."""

from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.data.folds import EXACT_BITS, bits_of_sum, fold_rows, row_counts, state_hashes

_MOST_PIECES = 2_000_000
_LEAST = 1e-9  # of a weight: what rounding leaves of one that was dealt out
_MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class Fold(NamedTuple):
    """Rows to learn from and rows left out, by their places, with their weights."""

    rest: IntArray
    rest_weights: FloatArray
    held: IntArray
    held_weights: FloatArray


def inner_folds(table: UncutRows, n_folds: int, n_shares: int = 1) -> list[Fold]:
    """Return ``n_folds`` folds, of 1 / ``n_shares`` of the rows; fewer if there are too few rows.

    Neither the order of rows nor of columns changes them. Rows of a class that the rest of the rows
    lacks are not left out: nothing could predict it.
    """
    hashes, classes, weights = row_hashes(table), _class_places(table), table.weights
    # A row of weight 2 is two rows; one of 1.7 is one that matters more, and stays whole.
    pieces = np.where(weights == np.rint(weights), row_counts(weights), 1)
    dealt = np.zeros((n_folds, len(weights)))
    if pieces.sum() <= _MOST_PIECES:
        # Equal rows side by side would be dealt to all folds alike, and predict each other.
        rows = np.repeat(np.arange(len(weights)), pieces)
        whole, shares = np.ones(len(rows)), (weights / pieces)[rows]
        order = np.lexsort((_distinct(hashes[rows], classes[rows], shares), classes[rows]))
        parts = [held for held, _ in islice(fold_rows(order, whole, n_folds * n_shares), n_folds)]
        for place, held in enumerate(parts):
            np.add.at(dealt[place], rows[held], shares[held])
    else:
        order = np.lexsort((weights, hashes, classes))
        for place, (held, shares) in enumerate(
            islice(fold_rows(order, weights, n_folds * n_shares), n_folds)
        ):
            dealt[place, held] = shares
    dealt = dealt[dealt.any(axis=1)]
    return [_fold(table, dealt, place) for place in range(len(dealt))]


def _fold(table: UncutRows, dealt: FloatArray, place: int) -> Fold:
    held = dealt[place]
    rest = dealt.sum(axis=0) - held
    rest[rest <= _LEAST * table.weights] = 0.0
    known = np.zeros(table.labels.cards[table.labels.class_name], dtype=np.bool_)
    known[table.class_codes[rest > 0]] = True
    held = np.where(known[table.class_codes], held, 0.0)
    kept, left = np.flatnonzero(rest > 0), np.flatnonzero(held > 0)
    return Fold(kept, rest[kept], left, held[left])


def _distinct(hashes: FloatArray, classes: FloatArray, shares: FloatArray) -> FloatArray:
    """Hashes of rows in which the second, third … of equal ones, by their shares, have others."""
    order = np.lexsort((shares, hashes, classes))
    same = (np.diff(hashes[order]) == 0) & (np.diff(classes[order]) == 0)
    starts = np.maximum.accumulate(np.where(np.r_[True, ~same], np.arange(len(order)), 0))
    place = np.empty(len(order), dtype=np.uint64)
    place[order] = np.arange(len(order)) - starts
    mixed = _mixed(hashes.astype(np.uint64) + place * np.uint64(_MULTIPLIERS[0]))
    return np.where(place > 0, (mixed >> np.uint64(64 - EXACT_BITS)).astype(np.float64), hashes)


def _class_places(table: UncutRows) -> FloatArray:
    name = table.labels.class_name
    return state_hashes(name, table.labels.states[name], EXACT_BITS)[table.class_codes]


def row_hashes(table: UncutRows) -> FloatArray:
    """Return a whole number for each row from its cells and their columns' names."""
    bits = bits_of_sum(len(table.columns))
    hashes = np.zeros(len(table.class_codes))
    for name in table.columns:
        if name in table.numbers:
            hashes += _number_hashes(name, table.numbers[name], bits)
        else:
            states = (*table.labels.states[name], None)
            hashes += state_hashes(name, states, bits)[table.labels.column(name)]
    return hashes


def _number_hashes(name: str, values: FloatArray, bits: int) -> FloatArray:
    """Hash the bits of floats: the finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    seed = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, one zero
    mixed = _mixed(plain.view(np.uint64) ^ np.uint64(seed))
    return (mixed >> np.uint64(64 - bits)).astype(np.float64)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64."""
    mixed = numbers
    for shift, multiplier in zip((30, 27), _MULTIPLIERS, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(multiplier)
    return mixed ^ (mixed >> np.uint64(31))
