"""What a Dask frame's rows are told: Dask collections, worked out block by block when asked."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Answer = Callable[[pd.DataFrame], NDArray[Any]]


def lazy_labels(answer: Answer, table: Any, classes: NDArray[Any], class_name: str) -> Any:
    """A Dask series of what ``answer`` says of each partition; its index is the table's."""
    empty = pd.Series(classes[:0], table._meta.index, name=class_name)
    return table.map_partitions(_answered, answer, empty, meta=empty)


def lazy_columns(answer: Answer, table: Any, classes: NDArray[Any]) -> Any:
    """The same with a column for each class, a Dask frame."""
    empty = pd.DataFrame(np.empty((0, len(classes))), table._meta.index, classes)
    return table.map_partitions(_answered, answer, empty, meta=empty)


def _answered(
    frame: pd.DataFrame, answer: Answer, empty: "pd.Series[Any] | pd.DataFrame"
) -> "pd.Series[Any] | pd.DataFrame":
    if not len(frame):
        return empty.set_axis(frame.index, axis=0)
    if isinstance(empty, pd.Series):
        return pd.Series(answer(frame), frame.index, name=empty.name)
    return pd.DataFrame(answer(frame), frame.index, empty.columns)
