"""Rows as integer codes: what every learner and every prediction starts from."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import State
from bnlr.data.checks import check_table
from bnlr.data.code_table import CodeTable
from bnlr.data.labels import check_states, latent_remedy
from bnlr.data.narrow import smallest_dtype
from bnlr.data.scan import first_missing
from bnlr.data.suspects.find import find_suspects
from bnlr.data.suspects.messages import warn_of_suspects
from bnlr.data.unseen import Unseen, meant_unseen, report_unseen
from bnlr.data.weights import check_weights
from bnlr.errors import DataError, InteropExtraError, MissingCellsError, ParameterError, StateError
from bnlr.words import guess, listed, quoted

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from bnlr.data.chunks.read import ReadPlan
    from bnlr.data.frames.frame import CodedColumns


class Dataset(CodeTable):
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
    order : mapping
        ``{node: how many of its states, the first ones, are in order}``, where labels that are
        numbers do not say so themselves; see `ordered`.
    """

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
        return data if states is not None else data._warned()

    def _warned(self) -> Self:
        """Return the data after a warning of columns that hardly mean what they are taken for."""
        warn_of_suspects(find_suspects(self))
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
        """Encode a frame without a warning of suspect columns."""
        from bnlr.data.frames import frame as frames  # noqa: PLC0415  loads pandas, not needed before

        unseen = meant_unseen(unseen)
        checked = frames.check_frame(frame)
        columns = frames.read_frame(checked, class_name, _known(states, class_name))
        row_weights = frames.read_weights(checked, weights)
        report_unseen(columns.unseen, unseen)
        return cls(columns.codes, columns.states, class_name, row_weights, columns.order)

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
        from bnlr.data.chunks import read as reader  # noqa: PLC0415  loads pandas, not needed before

        plan = reader.ReadPlan(class_name, _known(states, class_name), weights, unseen)
        return cls._read(reader.read_chunks(reader.frame_chunks(chunks), plan, store), plan)

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
        from bnlr.data.chunks.parquet import read_parquet  # noqa: PLC0415  loads pandas
        from bnlr.data.chunks.read import ReadPlan  # noqa: PLC0415

        plan = ReadPlan(class_name, _known(states, class_name), weights, unseen)
        return cls._read(read_parquet(path, plan, columns, store, batch_rows), plan)

    @classmethod
    def from_dask(
        cls,
        frame: Any,
        class_name: str,
        states: Mapping[str, Sequence[State]] | None = None,
        weights: str | None = None,
        seconds: float = 600.0,
    ) -> "Dataset":
        """Encode a Dask frame; the rows stay on the workers.

        Needs dask and distributed: ``pip install 'bnlr[dask]'``, and a `distributed.Client`. Each
        question is a trip to the workers that brings back sums over rows. `learn_structure` ("tan",
        "fan", "kdb", "hgc"), `fit` ("frequencies", "lr"), `BayesianNetwork.log_likelihood` and
        `conditional_log_likelihood`, and ``result.significance`` take such data; what needs rows at
        hand raises DataError, and ``data.sample(n)`` brings some. Results are the same, to the bit,
        however the same rows in the same order are partitioned, and when workers die on the way.

        Parameters
        ----------
        frame : dask.dataframe.DataFrame
            Its graph must give the same rows each time: lost parts are worked out anew.
        class_name, states
            As in `from_chunks`, a partition being a chunk.
        weights : str, optional
            The column of the row weights.
        seconds : float
            How long a trip may take before it is given up, above 0.

        Raises
        ------
        DataError, StateError, ParameterError
            As `from_chunks`, with the partition, counted from 0; no client, no worker, no answer in
            time, or a partition that cannot be read.
        InteropExtraError
            Dask is not installed.
        """
        room = with_dask("bnlr.cluster.read")
        data: Dataset = room.from_dask(frame, class_name, states, weights, seconds)
        return data

    @classmethod
    def _read(cls, read: "CodedColumns", plan: "ReadPlan") -> "Dataset":
        report_unseen(read.unseen, plan.unseen)
        data = cls(read.codes, read.states, plan.class_name, read.weights, read.order)
        return data if plan.known is not None else data._warned()

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        states: Mapping[str, Sequence[State]],
        class_name: str,
        weights: ArrayLike | None = None,
        ordered: Iterable[str] = (),
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
        ordered : iterable of str
            The nodes whose states are in order; those of numbers that rise or fall are anyway.

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
        return cls(packed, known, class_name, row_weights, _order(ordered, known))

    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a frame of categoricals, categories in the order of the states.

        They are ordered categoricals where the order of the labels is told by nothing else.
        """
        from bnlr.data.frames.frame import decode  # noqa: PLC0415  loads pandas, not needed before

        return decode(self.codes, self.states, self.order)

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
            raise MissingCellsError(
                f"{holes[node]} cells of {quoted(node)} are missing, the first in row "
                f"{first_missing(self.column(node))}, where complete rows are needed; drop these "
                "rows or make missing a state of its own"
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
        target = quoted(self.class_name)
        present = np.flatnonzero(self._class_weights > 0)
        if present.size == 0:
            raise DataError(f"no row has a class in {target}; nothing to learn from")
        if present.size == 1:
            label = self.states[self.class_name][present[0]]
            raise DataError(
                f"the class {target} has the one value {quoted(label)} in every row; a classifier "
                "needs rows of at least two classes"
            )


def is_dask(table: Any) -> bool:
    """Whether a table is one of Dask's frames or columns, without importing Dask."""
    return hasattr(table, "to_delayed") and hasattr(table, "map_partitions")


def with_dask(name: str) -> ModuleType:
    """Import a module of `bnlr.cluster`, which stands above all that could import it.

    Raises
    ------
    InteropExtraError
        Dask is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("bnlr"):
            raise
        raise InteropExtraError(
            f"{error.name} is not installed; it comes with pip install 'bnlr[dask]'"
        ) from error


def _known(
    states: Mapping[str, Sequence[State]] | None, class_name: str
) -> dict[str, tuple[State, ...]] | None:
    return None if states is None else check_states(states, class_name)


def _order(ordered: Iterable[str], states: Mapping[str, Sequence[State]]) -> dict[str, int]:
    if isinstance(ordered, str) or not isinstance(ordered, Iterable):
        raise ParameterError(f"ordered is {quoted(ordered)}; give a list of nodes")
    nodes = list(ordered)
    for node in nodes:
        if node not in states:
            raise ParameterError(
                f"ordered names {quoted(node)}, which is no node, only {listed(states)}"
                f"{guess(node, states)}"
            )
    return {node: len(states[node]) for node in nodes}


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


def check_nodes(data: Dataset, nodes: Sequence[str]) -> None:
    """Raise StateError for one of ``nodes``, a structure's, that ``data`` lack."""
    absent = next((node for node in nodes if node not in data.states), None)
    if absent is not None:
        columns = f"{', '.join(map(repr, data.nodes[:8]))}{', …' if len(data.nodes) > 8 else ''}"
        spare = [column for column in data.nodes if column not in nodes]
        raise StateError(
            f"node {absent!r} of the structure is not a column of the data ({columns}); rename the "
            "column, leave the node out of the structure, "
            f"{latent_remedy(absent)}{guess(absent, spare)}"
        )


def check_rows(data: Dataset, nodes: Sequence[str], class_name: str) -> None:
    """Refuse data from which a structure of ``nodes`` and this class cannot be learnt.

    Raises
    ------
    ParameterError
        No `Dataset`, or one of another class.
    StateError, DataError
        A node that is no column; no rows, or one class only.
    """
    check_dataset(data, class_name=class_name)
    check_nodes(data, nodes)
    if data.class_name != class_name:
        raise ParameterError(
            f"the structure's class is {class_name!r}, the data's {data.class_name!r}"
        )
    data.check_learnable()
