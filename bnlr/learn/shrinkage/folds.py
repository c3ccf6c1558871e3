"""Folds of packed rows and of rows with holes, as `bnlr.data.folds` deals them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.data.folds import bits_of_sum, fold_rows, hash_order, state_hashes
from bnlr.design.families import Family, TableLayout
from bnlr.design.packed_rows import Design
from bnlr.objectives.evidence import EvidenceRows
from bnlr.structure.dag import Structure

N_FOLDS = 5


def packed_folds(design: Design, states: States, n_folds: int = N_FOLDS) -> Iterator[Design]:
    """Yield the rows of each fold; ``states`` are the labels of what the tables look at."""
    hashes = design.scores(_hash_tables(design.layout, states))
    class_name = design.layout.structure.class_name
    order = hash_order(hashes[:, 0], design.classes, class_name, states)
    for rows, weights in fold_rows(order, design.weights, n_folds):
        codes = np.ascontiguousarray(design.codes[:, rows])
        yield replace(design, codes=codes, classes=design.classes[rows], row_weights=weights)


def evidence_folds(
    rows: EvidenceRows, structure: Structure, states: States
) -> Iterator[EvidenceRows]:
    """Yield the rows of each fold of rows with a class and any holes."""
    bits = bits_of_sum(len(structure.nodes))
    hashes = np.zeros(len(rows.codes))
    for place, node in enumerate(structure.nodes):
        if place != rows.target:
            # The last one is that of −1, no label at all.
            hashes += state_hashes(node, (*states[node], None), bits)[rows.codes[:, place]]
    order = hash_order(hashes, rows.classes, structure.class_name, states)
    for chosen, weights in fold_rows(order, rows.weights, N_FOLDS):
        yield EvidenceRows(rows.codes[chosen], weights, rows.target)


def _hash_tables(layout: TableLayout, states: States) -> FloatArray:
    """Tables whose sum over a row's cells is a hash of the row, (n_cells, 1)."""
    bits = bits_of_sum(sum(len(family.scope) for family in layout.families))
    known = {node: state_hashes(node, states[node], bits) for node in layout.attributes}
    return np.concatenate([_hash_table(family, known) for family in layout.families])[:, None]


def _hash_table(family: Family, known: Mapping[str, FloatArray]) -> FloatArray:
    table = np.zeros(family.shape)
    for axis, node in enumerate(family.scope):
        others = tuple(k for k in range(len(family.shape)) if k != axis)
        table += np.expand_dims(known[node], others)
    return table.ravel()
