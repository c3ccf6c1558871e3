"""What a candidate will cost, before anything of it is learnt, and how much may be spent.

The unit is one lookup of a table cell for one class, a nanosecond or a few. Estimates follow from
rows, columns, states and classes alone, so that what is tried is the same on every machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from bnlr._typing import Cards
from bnlr.classifier.auto.candidates import Candidate
from bnlr.classifier.input.discretizers import discretizer_of
from bnlr.learn.choices import SMOOTH

_PASSES = 250
"""Over rows and tables, on a path of penalties: some ten strengths of two dozen products."""

_PER_CELL, _PER_SMOOTH_CELL = 4, 40
"""What a cell costs a pass beside a row; of smooth tables of two axes a factor is taken."""

# Lookups for a row and a pair of attributes, and paths in the place of one that searches.
_PER_PAIR: Mapping[str, int] = {
    "tan": 2,
    "fan": 2,
    "kdb": 2,
    "hgc": 3,
    "score-tan": 5,
    "score-fan": 5,
    "score-kdb": 5,
}
_PATHS_SEARCHED: Mapping[str, int] = {"cll": 20}
_PARENTS: Mapping[str, int] = {"naive-bayes": 0, "kdb": 2, "score-kdb": 2}

_BY_MDL = 3  # intervals of an average column
_MOST_COLUMNS = 100


@dataclass(frozen=True)
class Budget:
    """Lookups that may be spent: ``first`` and ``per_cell`` for each cell of the rows and class.

    A cell of the class's reference state is none. Columns beyond 100 add nothing, since in wide
    tables most of them tell nothing: what is then tried are the cheapest candidates.
    """

    first: float
    per_cell: float

    def of(self, n_rows: int, n_columns: int, n_classes: int) -> float:
        """The budget for rows that are judged."""
        return self.first + self.per_cell * n_rows * min(n_columns, _MOST_COLUMNS) * (n_classes - 1)


BUDGET = Budget(1e8, 1e4)
"""Of "auto": about five fits of histogram gradient boosting with early stopping."""

POOL_BUDGET = Budget(3e8, 3e4)
"""Of "pool", whose predictions gain by every candidate."""


UNLIMITED = Budget(inf, 0.0)


def n_intervals(discretize: str) -> int:
    """About how many intervals a way to cut makes of a column of numbers.

    Raises
    ------
    ParameterError
        No way to cut numbers.
    """
    return discretizer_of(discretize).n_bins or _BY_MDL


def work(candidate: Candidate, n_rows: int, n_folds: int, cards: Cards, class_name: str) -> float:
    """Return the estimated lookups for judging a candidate on all folds.

    Few attributes of a k-dependence structure have more than two parents beside the class, whatever
    k is: so many are counted.

    Parameters
    ----------
    candidate
    n_rows
        Rows that are learnt from in each of ``n_folds`` folds.
    cards
        Numbers of states under the candidate's way to cut, those of ``class_name`` among them.
    """
    others = [card for name, card in cards.items() if name != class_name]
    n_columns, width = len(others), cards[class_name] - 1
    average = sum(others) / max(n_columns, 1)
    name = candidate.method.name
    n_parents = 0 if candidate.method.structure is not None else _PARENTS.get(name, 1)
    n_cells = sum(others) * average**n_parents
    is_smooth = candidate.penalty_center == SMOOTH and n_parents > 0
    per_cell = _PER_SMOOTH_CELL if is_smooth else _PER_CELL
    path = _PASSES * width * (n_rows * n_columns + per_cell * n_cells)
    pairs = n_columns * (n_columns - 1) / 2 * _PER_PAIR.get(name, 0)
    learn = pairs * (n_rows + average**2 * (width + 1)) + path * _PATHS_SEARCHED.get(name, 0)
    return n_folds * (path + learn)
