"""Whether data have what a learner needs, and whether values outside the states are allowed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bnlr.arguments import check_one_of
from bnlr.data.scan import first_missing
from bnlr.errors import (
    DataError,
    MissingCellsError,
    StateError,
    UnseenStateWarning,
)
from bnlr.warn import warn
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr._typing import FloatArray
    from bnlr.data.dataset import Dataset

Unseen = Literal["missing", "error"]
UNSEEN: tuple[str, ...] = get_args(Unseen)
"""What becomes of values that are no known states."""


def check_complete(data: "Dataset") -> None:
    """Refuse missing attribute cells; see `Dataset.check_complete`."""
    holes = {node: n for node, n in data.missing_counts.items() if node != data.class_name}
    if holes:
        node = max(holes, key=holes.__getitem__)
        raise MissingCellsError(
            f"{holes[node]} cells of {quoted(node)} are missing, the first in row "
            f"{first_missing(data.column(node))}, where complete rows are needed; drop these rows "
            "or make missing a state of its own"
        )


def check_learnable(data: "Dataset", class_weights: "FloatArray") -> None:
    """Refuse data from which no classifier can be learnt; see `Dataset.check_learnable`."""
    if data.n_rows == 0:
        raise DataError("there are no rows to learn from")
    present = np.flatnonzero(class_weights > 0)
    if present.size == 0:
        raise DataError(f"no row has a class in {quoted(data.class_name)}; nothing to learn from")
    if present.size == 1:
        label = data.states[data.class_name][present[0]]
        raise DataError(
            f"the class {quoted(data.class_name)} has the one value {quoted(label)} in every "
            "row; a classifier needs rows of at least two classes"
        )


def check_unseen(unseen: object) -> None:
    """Refuse an unknown way to treat unseen values."""
    check_one_of("unseen", unseen, UNSEEN)


def report_unseen(clauses: Sequence[str], unseen: Unseen) -> None:
    """Refuse unseen values, or warn of them once.

    Raises
    ------
    StateError
        There are some and `unseen` is "error".
    """
    if not clauses:
        return
    text = "; ".join(clauses)
    if unseen == "error":
        raise StateError(
            f"{text}: not among the known states; mend the cells, name the values in states=, or "
            "take them as missing with Dataset.from_frame(…, unseen='missing')"
        )
    warn(f"{text}: not seen before, taken as missing", UnseenStateWarning)
