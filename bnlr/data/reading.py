"""Whole frames to code tables and back; the columns are read in `encode`.

pandas is needed throughout, so this module is loaded when the first frame is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.encode import RawColumn, choose_states, describe_unseen, encode, read_column
from bnlr.data.labels import check_name, closest, kind_of, listed, shown, smallest_dtype
from bnlr.data.weights import check_weights
from bnlr.errors import DataError, ParameterError

Known = Mapping[str, tuple[State, ...]]


@dataclass(frozen=True, slots=True)
class CodedColumns:
    """A frame's codes, its states, and one clause for each column with unseen values."""

    codes: CodeArray
    states: Known
    unseen: Sequence[str]


def check_frame(frame: object) -> pd.DataFrame:
    """Return the frame if it is one with plain columns.

    Raises
    ------
    DataError
        Not a pandas DataFrame, no columns, or a column index of several levels.
    """
    if not isinstance(frame, pd.DataFrame):
        how = "frame.to_pandas()" if hasattr(frame, "to_pandas") else "pandas.DataFrame(...)"
        raise DataError(
            f"expected a pandas DataFrame, not {type(frame).__name__}; convert it with {how}"
        )
    if isinstance(frame.columns, pd.MultiIndex):
        raise DataError(
            "the frame's columns have several levels; join them into one text each, for instance "
            "with frame.columns = ['_'.join(map(str, c)) for c in frame.columns]"
        )
    if frame.shape[1] == 0:
        raise DataError("the frame has no columns; give at least the class column")
    return frame


def read_frame(frame: pd.DataFrame, class_name: str, known: Known | None) -> CodedColumns:
    """Encode all columns of a frame, or those of the known states.

    Raises
    ------
    DataError
        No rows to learn states from, a column absent, named twice or unusable.
    """
    nodes = _nodes_of(frame, class_name) if known is None else list(known)
    places = _find_columns(frame, nodes)
    absent = [node for node in nodes if node not in places and node != class_name]
    if absent:
        raise _no_column(absent[0], list(frame.columns))
    states: dict[str, tuple[State, ...]] = {}
    columns: list[CodeArray] = []
    unseen: list[str] = []
    for node in nodes:
        raw = _raw(node, frame, places)
        states[node] = choose_states(node, raw) if known is None else known[node]
        codes, counts = encode(raw, states[node])
        columns.append(codes)
        if counts:
            unseen.append(describe_unseen(node, counts, states[node]))
    return CodedColumns(_stack(columns, len(frame), states), states, unseen)


def _raw(node: str, frame: pd.DataFrame, places: Mapping[str, int]) -> RawColumn:
    """Read a column; an absent one, which only the class may be, is all missing."""
    if node in places:
        return read_column(node, frame.iloc[:, places[node]])
    return RawColumn(np.full(len(frame), -1), (), is_ordered=False)


def _nodes_of(frame: pd.DataFrame, class_name: str) -> list[str]:
    nodes = [check_name(name) for name in frame.columns]
    if class_name not in nodes:
        raise _no_column(class_name, nodes)
    if len(frame) == 0:
        raise DataError("the frame has no rows; give at least one, or the states with states=")
    return nodes


def _find_columns(frame: pd.DataFrame, nodes: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    wanted = set(nodes)
    for place, name in enumerate(frame.columns):
        if not isinstance(name, str) or name not in wanted:
            continue
        if name in places:
            raise DataError(f"the frame has two columns named {shown(name)}; rename or drop one")
        places[str.__str__(name)] = place
    return places


def _no_column(name: object, present: Sequence[object]) -> DataError:
    guess = closest(name, present)
    return DataError(f"the frame has no column {shown(name)}, only {listed(present)}{guess}")


def _stack(columns: Sequence[CodeArray], n_rows: int, states: States) -> CodeArray:
    dtype = smallest_dtype(map(len, states.values()))
    table = np.empty((n_rows, len(columns)), dtype, order="F")
    for place, codes in enumerate(columns):
        table[:, place] = codes
    return table


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


def decode(codes: CodeArray, states: States) -> pd.DataFrame:
    """Return codes as a frame of categoricals."""
    columns = {
        node: pd.Categorical.from_codes(codes[:, place], _categories(labels))
        for place, (node, labels) in enumerate(states.items())
    }
    return pd.DataFrame(columns, index=range(len(codes)))


def _categories(labels: Sequence[State]) -> pd.Index:
    one_kind = len({kind_of(label) for label in labels}) == 1
    return pd.Index(labels) if one_kind else pd.Index(labels, dtype=object)
