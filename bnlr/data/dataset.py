"""Rows as integer codes: what every learner and every prediction starts from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data import checks
from bnlr.data.checks import Unseen
from bnlr.data.codes import check_rows, check_table
from bnlr.data.labels import check_states
from bnlr.data.narrow import smallest_dtype
from bnlr.data.scan import code_weights, count_missing, take_rows
from bnlr.data.weights import check_weights
from bnlr.errors import DataError, ParameterError
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd


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

        Warns
        -----
        BnlrWarning
            Without `states`: columns of numbers that one text, or all of them, makes labels of; of
            so many labels that the rows tell nothing of each; or one to one with the class.
        """
        data = cls._from_frame(frame, class_name, states, weights, unseen)
        return data if states is not None else data._told()

    def _told(self) -> "Dataset":
        """Return the data after a word on columns that hardly mean what they were taken for."""
        from bnlr.data.suspects import suspects  # noqa: PLC0415  imports this module
        from bnlr.data.telling import tell  # noqa: PLC0415

        tell(suspects(self))
        return self

    @classmethod
    def _from_frame(
        cls,
        frame: "pd.DataFrame",
        class_name: str,
        states: Mapping[str, Sequence[State]] | None = None,
        weights: ArrayLike | None = None,
        unseen: Unseen = "error",
    ) -> "Dataset":
        """Encode a frame of which the user has been told, or will be."""
        from bnlr.data import reading  # noqa: PLC0415  loads pandas, not needed before

        checks.check_unseen(unseen)
        checked = reading.check_frame(frame)
        known = None if states is None else check_states(states, class_name)
        columns = reading.read_frame(checked, class_name, known)
        row_weights = reading.read_weights(checked, weights)
        checks.report_unseen(columns.unseen, unseen)
        return cls(columns.codes, columns.states, class_name, row_weights)

    @classmethod
    def from_chunks(
        cls,
        chunks: "Iterable[pd.DataFrame]",
        class_name: str,
        states: Mapping[str, Sequence[State]] | None = None,
        weights: str | None = None,
        unseen: Unseen = "error",
        store: "str | PathLike[str] | None" = None,
    ) -> "Dataset":
        """Encode data frames one after the other, as `from_frame` would all of them at once.

        Memory holds the codes and one chunk. Without `states` the columns are those of the first
        chunk, and the states those of ``from_frame(pandas.concat(chunks))``: categories that are
        the same in all chunks are kept, used or not; where they differ, the values that occur are
        sorted. Ordered categories that differ are refused.

        Parameters
        ----------
        chunks : iterable of pandas.DataFrame
            Read once; may be a generator, or the reader of ``pandas.read_csv(chunksize=…)``.
        class_name, states, unseen
            As in `from_frame`.
        weights : str, optional
            The column of the row weights, which so cannot fall out of step with the rows.
        store : path, optional
            A file to make, in which the codes stay and from which they are read as needed. It
            must outlive the data set. Weights stay in memory.

        Raises
        ------
        DataError, StateError, ParameterError
            As `from_frame`, with the chunk, counted from 0 (rows are counted within it); columns
            that differ between chunks; text in one chunk and numbers in another.
        TooLargeError
            No room for the codes.
        """
        from bnlr.data import chunks as reading  # noqa: PLC0415  loads pandas, not needed before

        known = None if states is None else check_states(states, class_name)
        plan = reading.Plan(class_name, known, weights, unseen)
        read = reading.read_chunks(reading.frame_chunks(chunks), plan, store)
        checks.report_unseen(read.unseen, unseen)
        data = cls(read.codes, read.states, class_name, read.weights)
        return data if states is not None else data._told()

    @classmethod
    def from_parquet(
        cls,
        path: "str | PathLike[str] | Sequence[str | PathLike[str]]",
        class_name: str,
        columns: Sequence[str] | None = None,
        states: Mapping[str, Sequence[State]] | None = None,
        weights: str | None = None,
        unseen: Unseen = "error",
        store: "str | PathLike[str] | None" = None,
        batch_rows: int = 2**17,
    ) -> "Dataset":
        """Encode Parquet files by batches, as `from_frame` would ``pandas.read_parquet(path)``.

        Needs pyarrow: ``pip install 'bnlr[parquet]'``. The rules are those of `from_chunks`.

        Parameters
        ----------
        path : path or sequence of paths
            One file, or several in this order; a directory stands for its ``*.parquet`` by name.
        class_name, weights, unseen, states, store
            As in `from_chunks`.
        columns : sequence of str, optional
            The columns to read, class included; all, or those of `states`, unless given.
        batch_rows : int
            How many rows are held uncoded at a time.

        Raises
        ------
        DataError, StateError, ParameterError, TooLargeError
            As `from_chunks`, with file and batch; a file that is no readable Parquet file.
        ParquetExtraError
            pyarrow is not installed.
        """
        from bnlr.data import parquet  # noqa: PLC0415  loads pandas, not needed before
        from bnlr.data.chunks import Plan  # noqa: PLC0415

        known = None if states is None else check_states(states, class_name)
        plan = Plan(class_name, known, weights, unseen)
        read = parquet.read_parquet(path, plan, columns, store, batch_rows)
        checks.report_unseen(read.unseen, unseen)
        data = cls(read.codes, read.states, class_name, read.weights)
        return data if states is not None else data._told()

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
        counts = {node: count_missing(self.column(node)) for node in self.nodes}
        return {node: n for node, n in counts.items() if n}

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
        weights = None if self.row_weights is None else self.row_weights[chosen].copy()
        return Dataset(take_rows(self.codes, chosen), self.states, self.class_name, weights)

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
        checks.check_complete(self)

    def check_learnable(self) -> None:
        """Refuse data from which no classifier can be learnt.

        Raises
        ------
        DataError
            No rows, no row with a class, or one class only (rows of weight zero do not count).
        """
        checks.check_learnable(self, self._class_weights)

    def __repr__(self) -> str:
        cards = sorted(n for node, n in self.cards.items() if node != self.class_name)
        span = f" of {_span(cards)} states" if cards else ""
        return (
            f"Dataset({self.n_rows} {'row' if self.n_rows == 1 else 'rows'}, "
            f"class {quoted(self.class_name)} of {self.cards[self.class_name]} states, "
            f"{len(cards)} attributes{span}, "
            f"{self.n_missing or 'no'} cells missing{', weighted' if self.has_weights else ''})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self.codes, dict(self.states), self.class_name, self.row_weights)


def check_dataset(data: object, what: str = "data", class_name: str | None = None) -> None:
    """Refuse what is no `Dataset`, such as a frame.

    Raises
    ------
    ParameterError
        With the type, and how to encode a frame.
    """
    if not isinstance(data, Dataset):
        name = "..." if class_name is None else repr(class_name)
        raise ParameterError(
            f"{what} is a {type(data).__name__}; encode a frame first: "
            f"bnlr.Dataset.from_frame(frame, class_name={name})"
        )


def _span(cards: Sequence[int]) -> str:
    return str(cards[0]) if cards[0] == cards[-1] else f"{cards[0]}-{cards[-1]}"
