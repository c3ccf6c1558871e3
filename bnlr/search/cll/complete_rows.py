"""The rows that a search looks at: attributes by name, identical rows merged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnlr._typing import CodeArray, FloatArray
from bnlr.data.compress import merge_rows
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.design.counting import Families
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design, refuse_missing
from bnlr.search.cll.chordal import Chordal, structure_of
from bnlr.search.naive import attributes_of
from bnlr.structure.bits import members


@dataclass(frozen=True)
class CompleteRows:
    """Complete rows with a class; ``data`` has the attributes by name, then the class.

    ``codes`` is (n_attributes, n_rows), ``weights`` (n_rows,). ``attributes`` are in the order of
    the user's columns.
    """

    data: Dataset
    names: list[str]
    attributes: list[str]
    codes: CodeArray
    weights: FloatArray
    n_threads: int | None

    @classmethod
    def of(cls, data: Dataset, n_threads: int | None) -> "CompleteRows":
        """Take the rows of ``data`` that have a class and a weight.

        Raises
        ------
        ParameterError
            ``data`` is no Dataset.
        MissingCellsError, DataError
            An attribute cell is missing; no rows of two classes.
        """
        check_dataset(data)
        data.check_learnable()
        usable = (data.class_codes >= 0) & (data.weights > 0)
        data = data if usable.all() else data.take(np.flatnonzero(usable))
        attributes = attributes_of(data)
        names = sorted(attributes)
        refuse_missing(data, names)
        order = [*names, data.class_name]
        columns = [data.column(node) for node in order]
        merged = merge_rows(columns, data.row_weights)
        weights = data.row_weights
        if merged is not None:
            columns, weights = [column[merged.first] for column in columns], merged.weights
        states = {node: data.states[node] for node in order}
        sorted_data = Dataset(
            np.asfortranarray(np.column_stack(columns)), states, order[-1], weights, data.order
        )
        codes = np.ascontiguousarray(sorted_data.codes.T[:-1])
        return cls(sorted_data, names, attributes, codes, sorted_data.weights, n_threads)

    @property
    def n_classes(self) -> int:
        """States of the class."""
        return self.data.cards[self.data.class_name]

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Numbers of states of the attributes, by name."""
        return tuple(self.data.cards[name] for name in self.names)

    @cached_property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return float(self.weights.sum())

    @cached_property
    def classes(self) -> CodeArray:
        """The rows' classes."""
        return self.data.class_codes

    def layout(self, graph: Chordal) -> TableLayout:
        """Tables of the perfect network of ``graph``, nodes by name."""
        structure = structure_of(graph, self.names, self.data.class_name, self.names)
        return TableLayout.of(structure, self.data.cards)

    def design(self, layout: TableLayout) -> Design:
        """Packed rows; they have been merged already."""
        return Design.of(layout, self.data, self.n_threads, merge=False)

    def families(self, cliques: Sequence[int]) -> Families:
        """Lay out the cells of cliques, axes ascending."""
        listed = [members(clique) for clique in cliques]
        axes = np.array([i for family in listed for i in family], dtype=np.intp)
        cards = np.array(self.cards, dtype=np.intp)
        return Families.at(cards, axes, [len(family) for family in listed])
