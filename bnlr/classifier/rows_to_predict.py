"""Rows to predict become codes of the fitted network, and the user hears what is odd about them.

The posteriors of the codes, missing ones summed out, are those of `network.posteriors`.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, FloatArray
from bnlr.arguments import is_whole
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.input.discretizers import read_numbers
from bnlr.classifier.member import Member, expects_holes
from bnlr.data.dataset import Dataset
from bnlr.data.discretize.discretizer import bins
from bnlr.data.frames.frame import read_frame
from bnlr.data.intervals import interval_labels
from bnlr.data.narrow import smallest_dtype
from bnlr.data.unseen import meant_unseen
from bnlr.errors import DataError, StateError, UnseenStateWarning
from bnlr.network.contributions import one_row
from bnlr.network.opinion_pool import Opinion
from bnlr.warn import told_of_folds, warn
from bnlr.words import listed


def encode(
    fitted: Fitted, frame: pd.DataFrame, unseen: str, told: set[str]
) -> tuple[tuple[Opinion, ...], bool]:
    """Return rows with the columns of the fit in the states of each network, the class missing.

    Beside them stands whether cells are missing that the class depends on though those of the fit
    were complete. Labels never seen are missing too, but have been told of, a column once: those
    told of are added to ``told``. What two networks cut alike is encoded once.

    Raises
    ------
    StateError
        ``unseen`` is "error" and the fit has not seen a label.
    """
    rows = _read(fitted.best, frame)
    if rows.unseen:
        _report_unseen(rows.unseen, unseen, told)
    opinions: list[Opinion] = []
    for member, weight in fitted.weighed:
        known = (one.data for one in opinions if one.network.states == member.network.states)
        data = next(known, None)
        opinions.append(Opinion(member.network, rows.cut(member) if data is None else data, weight))
    is_odd = any(
        not rows.holed.isdisjoint(member.network.structure.markov_blanket(member.network.latent))
        and not expects_holes(member)
        for member, _ in (fitted.weighed if rows.holed else ())
    )
    return tuple(opinions), is_odd


@dataclass(frozen=True)
class _Rows:
    """Rows to predict: codes of labels, and numbers, which networks may cut differently.

    ``labels`` have the class, missing, among them; ``holed`` are columns with cells missing that
    are no state of their own.
    """

    labels: Mapping[str, CodeArray]
    numbers: Mapping[str, FloatArray]
    unseen: Mapping[str, str]
    holed: frozenset[str]

    def cut(self, member: Member) -> Dataset:
        """The rows in a network's states."""
        states = member.network.states
        cuts, holes = member.cut_points, member.missing_states
        width = smallest_dtype([len(labels) for labels in states.values()])
        n_rows = len(self.labels[member.network.structure.class_name])
        codes = np.empty((n_rows, len(states)), width, order="F")
        for place, node in enumerate(states):
            if node in member.network.latent:
                codes[:, place] = -1
                continue
            if node in self.labels:
                codes[:, place] = self.labels[node]
                continue
            column = bins(self.numbers[node], cuts[node])
            if node in holes:
                column = np.where(column < 0, states[node].index(holes[node]), column)
            codes[:, place] = column
        return Dataset(codes, states, member.network.structure.class_name)


def _read(member: Member, frame: pd.DataFrame) -> _Rows:
    """Read the columns that a network has; all networks of a pool have the same labels."""
    structure, states = member.network.structure, member.network.states
    numbers = read_numbers(frame, member.discretizer)
    elsewhere = {*numbers, *member.network.latent}
    names = [node for node in structure.attributes if node not in elsewhere]
    labels = frame[names]
    known = {node: states[node] for node in states if node not in elsewhere}
    read = read_frame(labels, structure.class_name, known)
    codes = dict(zip(known, read.codes.T, strict=True))
    holed = {name for name, values in numbers.items() if np.isnan(values).any()}
    for name in names:  # labels that fit has not seen have no code either, but are no holes
        if (codes[name] < 0).any() and (where := labels[name].isna().to_numpy()).any():
            holed.add(name)
            if name in member.missing_states:
                codes[name][where] = states[name].index(member.missing_states[name])
    return _Rows(codes, numbers, read.unseen, frozenset(holed - member.missing_states.keys()))


def as_row(row: Any, names: Sequence[str] | None) -> Any:
    """Return a dictionary, a Series or a list of cells as a table of one row, else the row itself.

    ``names`` are those that the columns of the fit had: a dictionary or a Series that has all of
    them may have them in any order. Where they had none, its cells go by their numbers, see
    `_numbered`.

    Raises
    ------
    DataError
        Names of cells that tell no place.
    """
    if isinstance(row, (pd.Series, Mapping)):
        table = one_row(row)
        if names is None:
            own = _numbered(list(table.columns))
            return table[own].set_axis(range(len(own)), axis=1)
        return table if set(names) != set(table.columns) else table[list(names)]
    is_flat = isinstance(row, np.ndarray) and row.ndim == 1
    if is_flat or (isinstance(row, (list, tuple)) and not any(map(_holds_cells, row))):
        return one_row(dict(enumerate(row)))
    return row


def _numbered(cells: list[Any]) -> list[Any]:
    """The names of a row's cells in the order of columns that had none: 0, 1, … or x0, x1, ….

    Other whole numbers are those of a frame's columns, if they rise: nothing else is known of them.

    Raises
    ------
    DataError
        Other names.
    """
    for own in (list(range(len(cells))), [f"x{k}" for k in range(len(cells))]):
        if set(cells) == set(own):
            return own
    if all(map(is_whole, cells)) and all(one < other for one, other in pairwise(cells)):
        return cells
    raise DataError(
        f"the row's cells are called {listed(cells)}, but the columns of fit had no names, so that "
        "which cell is whose cannot be told; give a frame of one row, such as X.iloc[[0]]"
    )


def is_one_row(given: Any, names: Sequence[str] | None, n_columns: int) -> bool:
    """Whether what stands for rows is a single one: a dictionary of cells, or a Series by columns.

    A dictionary of lists is a table, a Series by rows a column.
    """
    if isinstance(given, pd.Series):
        return len(given) == n_columns if names is None else bool(set(given.index) & set(names))
    is_table = isinstance(given, Mapping) and any(map(_holds_cells, given.values()))
    return isinstance(given, Mapping) and bool(given) and not is_table


def _holds_cells(value: object) -> bool:
    return isinstance(value, (list, tuple, Mapping, np.ndarray, pd.Series))


def shown_cells(fitted: Fitted, frame: pd.DataFrame) -> dict[str, str]:
    """{column that was cut: the number and its interval}, for one row.

    Where the networks of a pool have other intervals, or none cuts it, the number alone.
    """
    members = [member for member, _ in fitted.weighed]
    numbers = read_numbers(frame, fitted.best.discretizer)
    cuts = [member.cut_points for member in members]
    return {
        name: _shown(float(values[0]), {_interval(values, points[name]) for points in cuts})
        for name, values in numbers.items()
        if not np.isnan(values[0])
    }


def _interval(values: FloatArray, points: FloatArray) -> str:
    return interval_labels(points)[int(bins(values, points)[0])]


def _shown(number: float, intervals: Set[str]) -> str:
    is_cut = len(intervals) == 1 and intervals != set(interval_labels(np.empty(0)))
    return f"{number:.12g} in {min(intervals)}" if is_cut else f"{number:.12g}"


def _report_unseen(clauses: Mapping[str, str], unseen: str, told: set[str]) -> None:
    if meant_unseen(unseen) == "error":
        raise StateError(
            f"{'; '.join(clauses.values())}: not seen in fit; map such cells to a value that fit "
            "has seen, fit on a categorical column whose categories name all values, or take them "
            "as missing with unseen='missing'"
        )
    of_folds = told_of_folds()
    new = {node: one for node, one in clauses.items() if node not in told | of_folds}
    told.update(new)
    of_folds.update(new)
    if new:
        text = "; ".join(new.values())
        warn(f"{text}: not seen in fit, taken as missing", UnseenStateWarning)
