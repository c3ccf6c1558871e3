"""Rows as integer codes: what every learner and every prediction starts from."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.codes import check_rows, check_table
from bnlr.data.labels import check_states, listed, shown, smallest_dtype
from bnlr.data.weights import check_weights
from bnlr.errors import (
    DataError,
    MissingCellsError,
    ParameterError,
    StateError,
    UnseenStateWarning,
)

if TYPE_CHECKING:
    import pandas as pd

Unseen = Literal["error", "missing"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Discrete data, one row an instance, one column a node; immutable.

    Make one with `Dataset.from_frame` or `Dataset.from_codes`; the constructor trusts its input.

    Parameters
    ----------
    codes : signed integer array of shape (n_rows, n_nodes), column-major
        The position of each cell's label in its node's states, -1 where the cell is missing.
    states : mapping
        ``{node: tuple of labels}`` in column order. A label is text, a boolean or a number.
    class_name : str
        The class node.
    row_weights : float array of shape (n_rows,) or None
        How many rows each row stands for; None means one each.
    """

    codes: CodeArray
    states: States
    class_name: str
    row_weights: FloatArray | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", MappingProxyType(dict(self.states)))
        self.codes.flags.writeable = False
        if self.row_weights is not None:
            self.row_weights.flags.writeable = False

    @classmethod
    def from_frame(
        cls,
        frame: "pd.DataFrame",
        class_name: str,
        states: Mapping[str, Sequence[State]] | None = None,
        weights: ArrayLike | None = None,
        unseen: Unseen = "error",
    ) -> "Dataset":
        """Encode a data frame.

        Columns hold text, booleans, integers or categoricals; None, NaN, NA and NaT are missing.
        Categoricals keep their categories, used or not, in their order; other columns take the
        values that occur, sorted. Whole numbers in a float column are integers (a hole made them
        floats); a float column with decimals may have up to 20 different values. Labels of
        different kinds are different: ``'1'`` is not ``1``.

        Parameters
        ----------
        frame : pandas.DataFrame
            Its column names are the nodes.
        class_name : str
            The column of the class.
        states : mapping, optional
            ``{node: labels}``. If given, its keys are the nodes, columns beyond them are ignored,
            and the class column may be absent (every class is then missing).
        weights : array-like of shape (n_rows,), optional
            Row weights, finite and not negative; a Series must have the frame's index.
        unseen : {"error", "missing"}
            Whether a value outside `states` is refused, or missing with one `UnseenStateWarning`.

        Raises
        ------
        DataError
            No rows, no or duplicate columns, names that are not text, a column that is absent,
            empty or continuous, a cell that cannot be a label.
        StateError
            A value outside `states`, with its column and the number of cells.
        ParameterError
            Unusable weights, or an unknown `unseen`.
        """
        from bnlr.data import reading  # noqa: PLC0415  loads pandas, not needed before

        if unseen not in ("error", "missing"):
            raise ParameterError(f"unseen must be 'error' or 'missing', not {shown(unseen)}")
        checked = reading.check_frame(frame)
        known = None if states is None else check_states(states, class_name)
        columns = reading.read_frame(checked, class_name, known)
        row_weights = reading.read_weights(checked, weights)
        _report_unseen(columns.unseen, unseen)
        return cls(columns.codes, columns.states, class_name, row_weights)

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        states: Mapping[str, Sequence[State]],
        class_name: str,
        weights: ArrayLike | None = None,
    ) -> "Dataset":
        """Take rows that are codes already.

        Parameters
        ----------
        codes : integer array-like of shape (n_rows, n_nodes)
            One column a node, in the order of `states`; -1 is missing. Copied.
        states : mapping
            ``{node: labels}``.
        class_name : str
            The class node.
        weights : array-like of shape (n_rows,), optional
            Row weights, finite and not negative.

        Raises
        ------
        DataError
            Codes that are not a two-dimensional array of integers with one column a node, or
            unusable states.
        StateError
            A code outside its node's states, with node and row.
        ParameterError
            Unusable weights.
        """
        known = check_states(states, class_name)
        table = check_table(codes, known)
        packed = np.array(table, dtype=smallest_dtype(map(len, known.values())), order="F")
        row_weights = None if weights is None else check_weights(weights, len(table))
        return cls(packed, known, class_name, row_weights)

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

    @cached_property
    def missing_counts(self) -> dict[str, int]:
        """Number of missing cells of each node that has any, the class included."""
        counts = np.count_nonzero(self.codes < 0, axis=0)
        return {node: int(n) for node, n in zip(self.nodes, counts, strict=True) if n}

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
        codes = self.column(node)
        seen = codes >= 0
        weights = None if self.row_weights is None else self.row_weights[seen]
        return np.bincount(codes[seen], weights, minlength=self.cards[node]).astype(np.float64)

    def column(self, node: str) -> CodeArray:
        """Return a node's codes, a contiguous read-only view of shape (n_rows,).

        Raises
        ------
        DataError
            The data have no such node.
        """
        if node not in self.states:
            raise DataError(
                f"the data have no variable {shown(node)}, only {listed(self.nodes)}; "
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

    def take(self, rows: ArrayLike | slice) -> "Dataset":
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
        codes = np.asfortranarray(self.codes[chosen])
        codes = codes.copy(order="F") if np.shares_memory(codes, self.codes) else codes
        weights = None if self.row_weights is None else self.row_weights[chosen].copy()
        return Dataset(codes, self.states, self.class_name, weights)

    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a frame of categoricals, categories in the order of the states."""
        from bnlr.data import reading  # noqa: PLC0415  loads pandas, not needed before

        return reading.decode(self.codes, self.states)

    def check_complete(self) -> None:
        """Refuse missing attribute cells; a missing class is no matter here.

        Raises
        ------
        MissingCellsError
            With the node that has most missing cells, their number and the first row.
        """
        holes = {node: n for node, n in self.missing_counts.items() if node != self.class_name}
        if holes:
            node = max(holes, key=holes.__getitem__)
            row = int(np.argmax(self.column(node) < 0))
            raise MissingCellsError(
                f"{holes[node]} cells of {shown(node)} are missing, the first in row {row}, where "
                "complete rows are needed; drop these rows or make missing a state of its own"
            )

    def check_learnable(self) -> None:
        """Refuse data from which no classifier can be learnt.

        Raises
        ------
        DataError
            No rows, no row with a class, or one class only (rows of weight zero do not count).
        """
        if self.n_rows == 0:
            raise DataError("there are no rows to learn from")
        present = np.flatnonzero(self._state_weights(self.class_name) > 0)
        if present.size == 0:
            raise DataError(
                f"no row has a class in {shown(self.class_name)}; nothing to learn from"
            )
        if present.size == 1:
            label = self.states[self.class_name][present[0]]
            raise DataError(
                f"the class {shown(self.class_name)} has the one value {shown(label)} in every "
                "row; a classifier needs rows of at least two classes"
            )

    def __repr__(self) -> str:
        cards = sorted(n for node, n in self.cards.items() if node != self.class_name)
        span = f" of {_span(cards)} states" if cards else ""
        return (
            f"Dataset({self.n_rows} rows, class {shown(self.class_name)} of "
            f"{self.cards[self.class_name]} states, {len(cards)} attributes{span}, "
            f"{self.n_missing or 'no'} cells missing{', weighted' if self.has_weights else ''})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self.codes, dict(self.states), self.class_name, self.row_weights)


def _span(cards: Sequence[int]) -> str:
    return str(cards[0]) if cards[0] == cards[-1] else f"{cards[0]}-{cards[-1]}"


def _report_unseen(clauses: Sequence[str], unseen: Unseen) -> None:
    if not clauses:
        return
    text = "; ".join(clauses)
    if unseen == "error":
        raise StateError(
            f"{text}: not among the known states; mend the cells, name the values in states=, or "
            "pass unseen='missing'"
        )
    warnings.warn(f"{text}: not seen before, taken as missing", UnseenStateWarning, stacklevel=3)
