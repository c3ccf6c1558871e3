"""Folds dealt by what the rows hold, not by where they stand, for estimates without a seed.

Neither the order of rows, columns or states changes the folds, nor whether a row is written twice
or has weight 2. Rows are put in the order of a hash of their cells' names, class by class, and
dealt out one unit of weight after another.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from math import frexp

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray, States
from bnlr.design.families import Family, TableLayout
from bnlr.design.tables import Design, gather
from bnlr.machine import in_row_chunks
from bnlr.objectives.evidence import EvidenceRows
from bnlr.structure.dag import Structure

N_FOLDS = 5

_MOST_PIECES, _MOST_FOLDS = 2**30, 2**62
_EXACT_BITS = 53
"""Whole numbers of so many bits are floats, and their sums exact in any order."""


def deal_packed(design: Design, states: States, n_folds: int = N_FOLDS) -> Iterator[Design]:
    """Yield the rows of each fold; ``states`` are the labels of what the tables look at."""
    hashes = gather(
        design.packing,
        design.codes,
        _hash_tables(design.layout, states),
        lambda chunk: in_row_chunks(chunk, design.n_rows, design.n_threads),
    )
    own = design.layout.structure.class_name
    order = _order(hashes[:, 0], design.classes, own, states)
    for rows, weights in deal(order, design.weights, n_folds):
        codes = np.ascontiguousarray(design.codes[:, rows])
        yield replace(design, codes=codes, classes=design.classes[rows], row_weights=weights)


def deal_holed(rows: EvidenceRows, structure: Structure, states: States) -> Iterator[EvidenceRows]:
    """Yield the rows of each fold of rows with a class and any holes."""
    bits = _bits_of_sum(len(structure.nodes))
    hashes = np.zeros(len(rows.codes))
    for place, node in enumerate(structure.nodes):
        if place != rows.target:
            # The last one is that of −1, no label at all.
            hashes += state_hashes(node, (*states[node], None), bits)[rows.codes[:, place]]
    order = _order(hashes, rows.classes, structure.class_name, states)
    for chosen, weights in deal(order, rows.weights, N_FOLDS):
        yield EvidenceRows(rows.codes[chosen], weights, rows.target)


def deal(
    order: IntArray, weights: FloatArray, n_folds: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield each fold's rows, in their own order, and the weights they have in it.

    A row's weights in all folds add up to its weight. The unit is 1, or the average weight where
    that is less. A row of 2 units is dealt as two rows; one of less than one and a half is not
    divided, or it would be both learnt from and left out.
    """
    n_folds, pieces = min(n_folds, _MOST_FOLDS), pieces_of(weights)
    stops = np.cumsum(pieces[order])
    starts = stops - pieces[order]
    for fold in range(min(n_folds, int(stops[-1]))):
        held = np.empty(len(order))
        held[order] = _held(stops, fold, n_folds) - _held(starts, fold, n_folds)
        rows = np.flatnonzero(held > 0)
        if len(rows):
            yield rows, held[rows] * (weights[rows] / pieces[rows])


def pieces_of(weights: FloatArray) -> IntArray:
    """How many rows each row counts for, one at least, (n_rows,)."""
    unit = min(1.0, float(weights.mean()))
    pieces: IntArray = np.clip(np.rint(weights / unit), 1, _MOST_PIECES).astype(np.int64)
    return pieces


def _held(until: IntArray, fold: int, n_folds: int) -> IntArray:
    """How many of the first ``until`` pieces the fold has been dealt."""
    held: IntArray = (until + (n_folds - 1 - fold)) // n_folds
    return held


def _order(hashes: FloatArray, classes: CodeArray, own: str, states: States) -> IntArray:
    places = state_hashes(own, states[own], _EXACT_BITS)[classes]
    return np.lexsort((hashes, places))


def state_hashes(node: str, labels: Sequence[object], bits: int) -> FloatArray:
    """Return a whole number below 2**bits for each state of a node, from their names."""
    digests = (
        blake2b(f"{node}\0{label!r}".encode(errors="surrogatepass"), digest_size=8).digest()
        for label in labels
    )
    numbers = [int.from_bytes(digest, "big") >> (64 - bits) for digest in digests]
    return np.array(numbers, dtype=np.float64)


def _bits_of_sum(n_terms: int) -> int:
    """How many bits numbers may have so that a sum of so many is exact."""
    return _EXACT_BITS - frexp(n_terms)[1]


def _hash_tables(layout: TableLayout, states: States) -> FloatArray:
    """Tables whose sum over a row's cells is a hash of the row, (n_cells, 1)."""
    bits = _bits_of_sum(sum(len(family.scope) for family in layout.families))
    known = {node: state_hashes(node, states[node], bits) for node in layout.attributes}
    return np.concatenate([_hash_table(family, known) for family in layout.families])[:, None]


def _hash_table(family: Family, known: Mapping[str, FloatArray]) -> FloatArray:
    table = np.zeros(family.shape)
    for axis, node in enumerate(family.scope):
        others = tuple(k for k in range(len(family.shape)) if k != axis)
        table += np.expand_dims(known[node], others)
    return table.ravel()
