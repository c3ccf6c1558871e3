"""``Fitted``: what a fit has learnt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray

from bnlr._typing import FloatArray
from bnlr.classifier.input.discretizers import cut_points
from bnlr.classifier.parameters import Parameters
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.learn.choices import GENERATIVE
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    from bnlr.search.cll import CLLSearch


@dataclass(frozen=True, eq=False)
class Fitted:
    """What predictions, summaries, files and pages are made from.

    Attributes
    ----------
    parameters : Parameters
        Those of the fit, whatever the estimator's have become since.
    classes, network, report, result, discretizer, missing_states, selection, search
        As the estimator's attributes that end in an underscore.
    columns : tuple of str
        X's columns; ``x0``, ``x1``, … where they had no names.
    are_named : bool
        Whether they had.
    rows : str
        What the parameters were learnt from: "complete", "holed" or "masked" rows.
    """

    parameters: Parameters
    classes: NDArray[Any]
    columns: tuple[str, ...]
    are_named: bool
    network: BayesianNetwork
    report: StructureReport
    result: FitResult
    discretizer: Discretizer | None
    missing_states: Mapping[str, str]
    rows: str
    selection: pd.DataFrame | None = None
    search: "CLLSearch | None" = None

    @property
    def cut_points(self) -> dict[str, FloatArray]:
        """Cut points of each column that was cut."""
        return cut_points(self.discretizer)

    @property
    def expects_holes(self) -> bool:
        """Whether missing cells are no surprise: frequencies are as good with them as without."""
        return self.result.learner in GENERATIVE or self.rows != "complete"
