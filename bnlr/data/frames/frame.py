"""Whole frames to code tables and back; columns are read in `column`.

pandas is needed throughout, so this module is loaded when the first frame is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.frames.column import (
    RawColumn,
    choose_states,
    describe_unseen,
    encode,
    keeps_order,
    read_column,
    tidied,
)
from bnlr.data.labels import check_name, kind_of
from bnlr.data.narrow import smallest_dtype
from bnlr.data.weights import check_weights
from bnlr.errors import CellTypeError, DataError, ParameterError
from bnlr.progress import shown
from bnlr.words import guess, listed, quoted

Known = Mapping[str, tuple[State, ...]]


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """Rows as read: codes, states, a clause for each column with unseen values, row weights.

    ``order`` maps the nodes with ordered categories to the number of their states.
    """

    codes: CodeArray
    states: Known
    unseen: Mapping[str, str]
    weights: FloatArray | None = None
    order: Mapping[str, int] = field(default_factory=dict)


def check_frame(frame: object) -> pd.DataFrame:
    """Return the frame if it is one with plain columns.

    Raises
    ------
    DataError
        Not a pandas DataFrame, no columns, or a column index of several levels.
    """
    if not isinstance(frame, pd.DataFrame):
        raise CellTypeError(
            f"expected a pandas DataFrame, not {_kind_of(frame)}; {_conversion(frame)}"
        )
    if isinstance(frame.columns, pd.MultiIndex):
        raise DataError(
            "the frame's columns have several levels; join them into one text each, for instance "
            "with frame.columns = ['_'.join(map(str, c)) for c in frame.columns]"
        )
    if frame.shape[1] == 0:
        raise DataError("the frame has no columns; give at least the class column")
    return frame


def _conversion(table: object) -> str:
    """Return how a table that is no frame becomes one."""
    if hasattr(table, "to_delayed"):
        return (
            "Dask's rows stay where they are with Dataset.from_dask(frame, class_name), or come "
            "here with frame.compute()"
        )
    if hasattr(table, "to_pandas"):
        return "convert it with frame.to_pandas()"
    if hasattr(table, "to_frame"):
        return "convert it with to_frame()"
    how = "pandas.DataFrame(...)" if not hasattr(table, "toarray") else "toarray() first"
    return f"convert it with {how}"


def _kind_of(table: object) -> str:
    """Return the type's name, with its library where pandas has one of that name."""
    kind = type(table)
    library = kind.__module__.partition(".")[0]
    return f"{library}.{kind.__name__}" if hasattr(pd, kind.__name__) else kind.__name__


def read_frame(frame: pd.DataFrame, class_name: str, known: Known | None) -> CodedColumns:
    """Encode all columns of a frame, or those of the known states.

    Raises
    ------
    DataError
        No rows to learn states from, a column absent, named twice or unusable.
    """
    names = list(frame.columns)
    nodes = nodes_of(names, class_name) if known is None else list(known)
    if known is None and len(frame) == 0:
        raise no_rows("the frame has")
    places = find_columns(names, nodes, class_name)
    table: CodeArray = np.empty((len(frame), len(nodes)), np.int8, order="F")
    states: dict[str, tuple[State, ...]] = {}
    unseen: dict[str, str] = {}
    order: dict[str, int] = {}
    for n_done, node in enumerate(shown(nodes, "columns")):
        raw = _raw(node, frame, places)
        states[node] = _states_of(node, raw) if known is None else known[node]
        table = _widened(table, smallest_dtype([len(states[node])]), n_done)
        counts = encode(raw, states[node], table[:, n_done])
        if counts:
            unseen[node] = describe_unseen(node, counts, states[node])
        if keeps_order(raw, states[node]):
            order[node] = len(states[node])
    return CodedColumns(table, states, unseen, order=order)


def _raw(node: str, frame: pd.DataFrame, places: Mapping[str, int]) -> RawColumn:
    """Read a column; an absent one, which only the class may be, is all missing."""
    if node in places:
        return tidied(read_column(node, frame.iloc[:, places[node]]))
    return RawColumn(np.full(len(frame), -1, np.int8), ())


def _states_of(node: str, raw: RawColumn) -> tuple[State, ...]:
    numbers = [number for number, label in enumerate(raw.labels) if label is not None]
    return choose_states(
        node,
        raw.known,
        raw.storage.is_categorical,
        len(raw.numbers),
        lambda place: int((raw.numbers == numbers[place]).argmax()),
    )


def _widened(table: CodeArray, dtype: np.dtype[np.signedinteger], n_done: int) -> CodeArray:
    """Return a table for codes of this type that holds the columns done so far."""
    if dtype.itemsize <= table.itemsize:
        return table
    wide = np.empty(table.shape, dtype, order="F")
    wide[:, :n_done] = table[:, :n_done]
    return wide


def nodes_of(names: Sequence[object], class_name: str) -> list[str]:
    """Return column names as those of nodes.

    Raises
    ------
    DataError
        A name that is no text, or no column of the class.
    """
    nodes = [check_name(name) for name in names]
    if not isinstance(class_name, str) or class_name not in nodes:
        raise no_column(class_name, nodes)
    return nodes


def find_columns(names: Sequence[object], nodes: Sequence[str], class_name: str) -> dict[str, int]:
    """Return the place of each node's column; the class may have none.

    Raises
    ------
    DataError
        A node's column is absent or named twice.
    """
    places: dict[str, int] = {}
    wanted = set(nodes)
    for place, name in enumerate(names):
        if not isinstance(name, str) or name not in wanted:
            continue
        if name in places:
            raise DataError(f"the frame has two columns named {quoted(name)}; rename or drop one")
        places[str.__str__(name)] = place
    absent = [node for node in nodes if node not in places and node != class_name]
    if absent:
        raise no_column(absent[0], names, "; add it, with missing cells where nothing is known")
    return places


def no_column(name: object, present: Sequence[object], remedy: str = "") -> DataError:
    """Return the error of a column that is absent, with a guess at what was meant or a remedy."""
    columns = f"{listed(present)}{guess(name, present) or remedy}"
    return DataError(f"the frame has no column {quoted(name)}, only {columns}")


def no_rows(what: str) -> DataError:
    """Return the error of data that have no rows to learn states from."""
    return DataError(f"{what} no rows; give at least one, or the states with states=")


def read_weights(frame: pd.DataFrame, weights: ArrayLike | None) -> FloatArray | None:
    """Return checked row weights.

    Raises
    ------
    ParameterError
        A Series whose index is not the frame's, and all that `check_weights` refuses.
    """
    if weights is None:
        return None
    if isinstance(weights, pd.Series) and not weights.index.equals(frame.index):
        raise ParameterError(
            "the weights' index differs from the frame's; align them with "
            "weights.reindex(frame.index), or pass weights.to_numpy()"
        )
    return check_weights(weights, len(frame))


def decode(codes: CodeArray, states: States, order: Mapping[str, int]) -> pd.DataFrame:
    """Return codes as a frame of categoricals, ordered where ``order`` has all their states."""
    columns = {
        node: pd.Categorical.from_codes(
            codes[:, place], _categories(labels), ordered=order.get(node) == len(labels)
        )
        for place, (node, labels) in enumerate(states.items())
    }
    return pd.DataFrame(columns, index=range(len(codes)))


def _categories(labels: Sequence[State]) -> pd.Index:
    one_kind = len({kind_of(label) for label in labels}) == 1
    return pd.Index(labels) if one_kind else pd.Index(labels, dtype=object)
