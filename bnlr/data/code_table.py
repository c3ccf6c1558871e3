"""Rows as integer codes, whatever they were made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.checks import check_rows
from bnlr.data.labels import are_steps
from bnlr.data.scan import code_weights, count_missing, take_rows
from bnlr.errors import DataError
from bnlr.words import listed, quoted

_SHOWN_COLUMNS, _SHOWN_STATES = 20, 5  # in notebooks


@dataclass(frozen=True, eq=False, repr=False)
class CodeTable:
    """Codes with the states they stand for, the class, and row weights; immutable and unchecked.

    Parameters and attributes are those of `bnlr.data.dataset.Dataset`.
    """

    codes: CodeArray
    states: States
    class_name: str
    row_weights: FloatArray | None = field(default=None)
    order: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", MappingProxyType(dict(self.states)))
        order = {node: n for node, n in self.order.items() if node in self.states}
        object.__setattr__(self, "order", MappingProxyType(order))
        self.codes.flags.writeable = False
        if self.row_weights is not None:
            self.row_weights.flags.writeable = False

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """All nodes in column order, the class among them."""
        return tuple(self.states)

    @cached_property
    def cards(self) -> dict[str, int]:
        """Number of states of each node."""
        return {node: len(labels) for node, labels in self.states.items()}

    @cached_property
    def ordered(self) -> Mapping[str, int]:
        """{node: how many of its states, the first ones, are in order} of those where any are.

        Ordered categories and the intervals of a discretizer are, and numbers that rise or fall.
        """
        numbers = {node: len(labels) for node, labels in self.states.items() if are_steps(labels)}
        return MappingProxyType({**numbers, **self.order})

    @property
    def has_weights(self) -> bool:
        """Whether row weights were given."""
        return self.row_weights is not None

    @cached_property
    def weights(self) -> FloatArray:
        """Row weights, float array of shape (n_rows,); ones if none were given."""
        if self.row_weights is not None:
            return self.row_weights
        ones = np.ones(self.n_rows)
        ones.flags.writeable = False
        return ones

    @property
    def _at_hand(self) -> bool:
        """Whether the rows are in this process, to be looked at one by one."""
        return True

    def _total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """``function(rows, *arguments)``, a sum over rows, of all rows.

        Data whose rows are elsewhere add up what their parts come to: so a sum is asked of them.
        """
        return function(self, *arguments)

    def _mapped(self, function: Callable[..., Any], *arguments: Any) -> Self:
        """``function(rows, *arguments)``, the data with other rows, weights or columns."""
        changed: Self = function(self, *arguments)
        return changed

    @cached_property
    def _total_weight(self) -> float:
        """Sum of the row weights."""
        return float(self.weights.sum())

    @cached_property
    def _weight_range(self) -> tuple[float, float]:
        """The least row weight above 0, and the largest."""
        counted = self.weights[self.weights > 0]
        return float(counted.min()), float(counted.max())

    @cached_property
    def missing_counts(self) -> dict[str, int]:
        """Number of missing cells of each node that has any, the class included."""
        if not self.n_rows:
            return {}
        least = zip(self.nodes, self.codes.min(axis=0).tolist(), strict=True)
        return {node: count_missing(self.column(node)) for node, code in least if code < 0}

    @property
    def n_missing(self) -> int:
        """Number of missing cells, those of the class included."""
        return sum(self.missing_counts.values())

    @property
    def is_complete(self) -> bool:
        """Whether no cell is missing, the class's included."""
        return not self.missing_counts

    @cached_property
    def most_frequent(self) -> dict[str, State]:
        """Each node's state of the largest weight; the first of several."""
        return {node: labels[self._heaviest(node)] for node, labels in self.states.items()}

    def _heaviest(self, node: str) -> int:
        return int(self._state_weights(node).argmax())

    def _state_weights(self, node: str) -> FloatArray:
        return code_weights(self.column(node), self.cards[node], self.row_weights)

    @cached_property
    def _class_weights(self) -> FloatArray:
        return self._state_weights(self.class_name)

    def column(self, node: str) -> CodeArray:
        """Return a node's codes, a contiguous read-only view of shape (n_rows,).

        Raises
        ------
        DataError
            The data have no such node.
        """
        if not isinstance(node, str) or node not in self.states:
            raise DataError(
                f"the data have no variable {quoted(node)}, only {listed(self.nodes)}; "
                "add the column or leave the node out"
            )
        view: CodeArray = self.codes[:, self._places[node]]
        return view

    @cached_property
    def _places(self) -> dict[str, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @property
    def class_codes(self) -> CodeArray:
        """The class's codes, shape (n_rows,)."""
        return self.column(self.class_name)

    def take(self, rows: ArrayLike | slice) -> Self:
        """Return the chosen rows with the same states.

        Parameters
        ----------
        rows : integer array, boolean mask of shape (n_rows,), or slice
            Which rows, in which order.

        Raises
        ------
        DataError
            A row that does not exist, or a mask of another length.
        """
        chosen = check_rows(rows, self.n_rows)
        weights = None if self.row_weights is None else self.row_weights[chosen].copy()
        return replace(self, codes=take_rows(self.codes, chosen), row_weights=weights)

    def _repr_html_(self) -> str:
        """Return the columns with their states and holes for notebooks."""
        from bnlr.notebook import card, rows, words  # noqa: PLC0415  for notebooks alone

        shown = [
            (
                f"{node} (class)" if node == self.class_name else node,
                len(states),
                listed(states, _SHOWN_STATES),
                f"{self.missing_counts.get(node, 0):,}",
            )
            for node, states in list(self.states.items())[:_SHOWN_COLUMNS]
        ]
        n_more = len(self.states) - len(shown)
        more = words(f"and {n_more:,} columns more") if n_more > 0 else ""
        table = rows(("column", "states", "such as", "missing"), shown)
        return card(repr(self), table, more)

    def __repr__(self) -> str:
        cards = sorted(n for node, n in self.cards.items() if node != self.class_name)
        span = f" of {_span(cards)} states" if cards else ""
        return (
            f"{type(self).__name__}({self.n_rows} {'row' if self.n_rows == 1 else 'rows'}, "
            f"class {quoted(self.class_name)} of {self.cards[self.class_name]} states, "
            f"{len(cards)} attributes{span}, "
            f"{self.n_missing or 'no'} cells missing{', weighted' if self.has_weights else ''})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        states, order = dict(self.states), dict(self.order)
        return type(self), (self.codes, states, self.class_name, self.row_weights, order)


def _span(cards: Sequence[int]) -> str:
    return str(cards[0]) if cards[0] == cards[-1] else f"{cards[0]}-{cards[-1]}"
