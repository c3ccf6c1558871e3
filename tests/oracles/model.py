"""What every oracle reads: the nodes, their numbers of states, their parents, the class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Tables = dict[str, Array]
Row = Sequence[int | None]
Rows = Sequence[Row] | NDArray[np.integer]
Weights = Sequence[float] | Array | None


@dataclass(frozen=True)
class Model:
    """A network without numbers. Tables have one axis a parent, in order, then the node's own."""

    nodes: tuple[str, ...]
    cards: dict[str, int]
    parents: dict[str, tuple[str, ...]]
    class_name: str

    @classmethod
    def of(cls, structure: Any, states: Mapping[str, Sequence[object]]) -> Model:
        """The model of a bnlr Structure; the nodes stand in the order of `states`."""
        return cls(
            nodes=tuple(states),
            cards={node: len(labels) for node, labels in states.items()},
            parents={node: tuple(structure.parents(node)) for node in states},
            class_name=structure.class_name,
        )

    @property
    def n_classes(self) -> int:
        return self.cards[self.class_name]

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(node for node in self.nodes if node != self.class_name)

    @property
    def children(self) -> tuple[str, ...]:
        """Children of the class, in node order."""
        return tuple(node for node in self.nodes if self.class_name in self.parents[node])

    @property
    def class_families(self) -> tuple[str, ...]:
        """The nodes whose tables the class's posterior depends on: itself and its children."""
        return (self.class_name, *self.children)

    def family(self, node: str) -> tuple[str, ...]:
        return (*self.parents[node], node)

    def shape(self, node: str) -> tuple[int, ...]:
        return tuple(self.cards[member] for member in self.family(node))

    def zeros(self) -> Tables:
        return {node: np.zeros(self.shape(node)) for node in self.nodes}

    def cell(self, node: str, values: Mapping[str, int]) -> tuple[int, ...]:
        """Where a table of the node is read for these values."""
        return tuple(values[member] for member in self.family(node))

    def observed(self, row: Row) -> dict[str, int]:
        """The cells of a row that are not missing."""
        pairs = zip(self.nodes, row, strict=True)
        return {node: int(code) for node, code in pairs if code is not None and code >= 0}

    def without_class(self, row: Row) -> list[int | None]:
        pairs = zip(self.nodes, row, strict=True)
        return [None if node == self.class_name else code for node, code in pairs]

    def completions(self, row: Row) -> Iterator[dict[str, int]]:
        """Every complete assignment that agrees with the row's observed cells."""
        seen = self.observed(row)
        free = [node for node in self.nodes if node not in seen]
        for codes in product(*(range(self.cards[node]) for node in free)):
            yield {**seen, **dict(zip(free, codes, strict=True))}

    def topological_order(self) -> tuple[str, ...]:
        order: list[str] = []
        while len(order) < len(self.nodes):
            ready = [
                node
                for node in self.nodes
                if node not in order and all(p in order for p in self.parents[node])
            ]
            order.append(ready[0])
        return tuple(order)


def weights_of(rows: Rows, weights: Weights) -> Array:
    """One weight a row, 1 where none are given."""
    return np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
