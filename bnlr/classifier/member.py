"""``Member``: one fitted network with what turns rows into its states."""

from collections.abc import Mapping
from dataclasses import dataclass

from bnlr._typing import FloatArray
from bnlr.classifier.input.discretizers import cut_points
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.learn.choices import GENERATIVE
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork
from bnlr.structure.report import StructureReport


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Member:
    """A classifier is one of these, or a pool of them.

    Attributes
    ----------
    network : BayesianNetwork
    report : StructureReport
        Whether its structure is a logistic regression.
    result : FitResult
        How its parameters were reached.
    discretizer : MDLDiscretizer, QuantileDiscretizer or None
        Fitted on the columns that were cut; None without any.
    missing_states : dict
        The state that stands for a missing cell in each column that has one.
    rows : str
        What the parameters were learnt from: "complete", "holed" or "masked" rows.
    """

    network: BayesianNetwork
    report: StructureReport
    result: FitResult
    discretizer: Discretizer | None
    missing_states: Mapping[str, str]
    rows: str

    @property
    def cut_points(self) -> dict[str, FloatArray]:
        """Cut points of each column that was cut."""
        return cut_points(self.discretizer)


def expects_holes(member: Member) -> bool:
    """Whether missing cells are no surprise: frequencies are as good with them as without."""
    return member.result.learner in GENERATIVE or member.rows != "complete"
