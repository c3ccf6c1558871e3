"""``Fitted``: what a fit has learnt."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray

from bnlr._typing import FloatArray
from bnlr.classifier.member import Member
from bnlr.classifier.parameters import Parameters
from bnlr.classifier.pool.pool import Pool
from bnlr.io.tables.options import Reading
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlr.search.cll import CLLSearch


@dataclass(frozen=True, eq=False)
class Fitted:
    """What predictions, summaries, files and pages are made from.

    Attributes
    ----------
    parameters : Parameters
        Those of the fit, whatever the estimator's have become since.
    classes, selection, search, pool
        As the estimator's attributes that end in an underscore.
    columns : tuple of str
        X's columns; ``x0``, ``x1``, … where they had no names.
    are_named : bool
        Whether they had.
    best : Member
        The network that is shown: the only one, or the pool's first.
    importances : array of shape (n_columns,) or None
        How much each column moves predictions; None where a file does not say.
    reading : dict or None
        What the shell was told of how to read the rows, which `predict` need not be told again.
    """

    parameters: Parameters
    classes: NDArray[Any]
    columns: tuple[str, ...]
    are_named: bool
    best: Member
    selection: pd.DataFrame | None = None
    search: "CLLSearch | None" = None
    pool: Pool | None = None
    importances: FloatArray | None = None
    reading: Reading | None = None

    @property
    def names(self) -> tuple[str, ...] | None:
        """X's columns, None where they had no names."""
        return self.columns if self.are_named else None

    @property
    def weighed(self) -> list[tuple[Member, float]]:
        """The networks that predict, with their weights."""
        if self.pool is None:
            return [(self.best, 1.0)]
        return [(member, member.weight) for member in self.pool.members]

    @property
    def network(self) -> BayesianNetwork:
        """That of the best member."""
        return self.best.network

    @property
    def result(self) -> FitResult:
        """How its parameters were reached."""
        return self.best.result

    @property
    def cut_points(self) -> dict[str, FloatArray]:
        """Cut points of each column that was cut."""
        return self.best.cut_points
