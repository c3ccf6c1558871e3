"""Folds of packed rows and of rows with holes, as `bnlr.data.folds` deals them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.data.folds import bits_of_sum, fold_rows, hash_order, state_hashes
from bnlr.data.parts import Parts
from bnlr.design.families import Family, TableLayout
from bnlr.design.packed_rows import Design
from bnlr.design.parted_rows import PartedDesign
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.parted_evidence import PartedEvidenceRows
from bnlr.structure.dag import Structure

N_FOLDS = 5

Line = Callable[[float], tuple[float, float]]
"""a ↦ CLL of some rows at the scale a, and its slope."""

Count = Callable[[Any], FloatArray]
"""A fold's rows ↦ their stacked counts; a function of a module, or `partial` of one: it travels."""

Draw = Callable[[Any, Any], Line]
"""A fold's rows and what the others estimate ↦ the fold's line."""


@dataclass(frozen=True, eq=False)
class Folds:
    """The rows of each fold."""

    rows: Sequence[Any]

    def counts(self, count: Count) -> list[FloatArray]:
        """Each fold's counts."""
        return [count(rows) for rows in self.rows]

    def along(self, line: Draw, estimates: Sequence[Any]) -> Sequence[Line]:
        """Each fold's line along the estimates of the others."""
        return [line(rows, own) for rows, own in zip(self.rows, estimates, strict=True)]


@dataclass(frozen=True, eq=False)
class PartedFolds:
    """Folds of rows that are elsewhere: each block's rows are dealt for themselves."""

    parts: Parts

    def counts(self, count: Count) -> list[FloatArray]:
        """Each fold's counts."""
        return list(self.parts.fold(_fold_counts, count))

    def along(self, line: Draw, estimates: Sequence[Any]) -> Callable[[FloatArray], FloatArray]:
        """The folds' slopes along the estimates, summed, at many places in one trip."""
        lines = self.parts.map(_fold_lines, line, estimates)
        return lambda places: np.asarray(lines.fold(_fold_slopes, places))


def folds_of(design: Design, states: States) -> Folds | PartedFolds:
    """Deal the rows of ``design``; ``states`` are the labels of what the tables look at."""
    rows: Any = design
    if isinstance(rows, PartedDesign):
        known = {node: states[node] for node in design.layout.structure.nodes}
        return PartedFolds(rows.parts.map(_dealt, known))
    return Folds(list(packed_folds(design, states)))


def evidence_folds_of(
    rows: EvidenceRows, structure: Structure, states: States
) -> Folds | PartedFolds:
    """Deal rows with a class and any holes."""
    far: Any = rows
    if isinstance(far, PartedEvidenceRows):
        known = {node: tuple(states[node]) for node in structure.nodes}
        return PartedFolds(far.parts.map(_dealt_evidence, structure, known))
    return Folds(list(evidence_folds(rows, structure, states)))


def _dealt(block: Design, states: States) -> list[Design]:
    """The folds of one block, empty ones included."""
    folds = list(packed_folds(block, states)) if block.n_rows else []
    nothing = replace(
        block,
        codes=block.codes[:, :0],
        classes=block.classes[:0],
        row_weights=block.row_weights[:0],
    )
    return folds + [nothing] * (N_FOLDS - len(folds))


def _dealt_evidence(
    block: EvidenceRows, structure: Structure, states: States
) -> list[EvidenceRows]:
    folds = list(evidence_folds(block, structure, states)) if block.n_rows else []
    nothing = replace(block, codes=block.codes[:0], weights=block.weights[:0])
    return folds + [nothing] * (N_FOLDS - len(folds))


def _fold_counts(folds: list[Any], count: Count) -> tuple[FloatArray, ...]:
    return tuple(count(fold) for fold in folds)


def _fold_lines(folds: list[Any], line: Draw, estimates: Sequence[Any]) -> list[Line]:
    return [line(fold, own) for fold, own in zip(folds, estimates, strict=True)]


def _fold_slopes(lines: list[Line], places: FloatArray) -> FloatArray:
    return np.array([sum(line(a)[1] for line in lines) for a in places])


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
