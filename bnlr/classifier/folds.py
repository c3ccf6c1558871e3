"""Folds of rows that are not discretized yet, dealt as `bnlr.learn.dealing` deals packed ones."""

from hashlib import blake2b
from itertools import islice
from math import frexp
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.coded import CodedRows
from bnlr.learn.dealing import deal, state_hashes

_EXACT_BITS = 53
_LEAST = 1e-9  # of a weight: what rounding leaves of one that was dealt out
_MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class Fold(NamedTuple):
    """Rows to learn from and rows left out, by their places, with their weights."""

    rest: IntArray
    rest_weights: FloatArray
    held: IntArray
    held_weights: FloatArray


def inner_folds(table: CodedRows, n_folds: int, n_shares: int = 1) -> list[Fold]:
    """Return ``n_folds`` folds, of 1 / ``n_shares`` of the rows; fewer if there are too few rows.

    Neither the order of rows nor of columns changes them. Rows of a class that the rest of the rows
    lacks are not left out: nothing could predict it.
    """
    order = np.lexsort((row_hashes(table), _class_places(table)))
    parts = list(islice(deal(order, table.weights, n_folds * n_shares), n_folds))
    dealt = np.zeros((len(parts), len(order)))
    for place, (rows, weights) in enumerate(parts):
        dealt[place, rows] = weights
    return [_fold(table, dealt, place) for place in range(len(parts))]


def _fold(table: CodedRows, dealt: FloatArray, place: int) -> Fold:
    held = dealt[place]
    rest = dealt.sum(axis=0) - held
    rest[rest <= _LEAST * table.weights] = 0.0
    known = np.zeros(table.labels.cards[table.labels.class_name], dtype=np.bool_)
    known[table.class_codes[rest > 0]] = True
    held = np.where(known[table.class_codes], held, 0.0)
    kept, left = np.flatnonzero(rest > 0), np.flatnonzero(held > 0)
    return Fold(kept, rest[kept], left, held[left])


def _class_places(table: CodedRows) -> FloatArray:
    own = table.labels.class_name
    return state_hashes(own, table.labels.states[own], _EXACT_BITS)[table.class_codes]


def row_hashes(table: CodedRows) -> FloatArray:
    """Return a whole number for each row from its cells and their columns' names."""
    bits = _EXACT_BITS - frexp(len(table.columns))[1]
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
    mixed = plain.view(np.uint64) ^ np.uint64(seed)
    for shift, multiplier in zip((30, 27), _MULTIPLIERS, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(multiplier)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(64 - bits)).astype(np.float64)
