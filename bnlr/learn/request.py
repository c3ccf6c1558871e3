"""What was asked of ``fit``, checked, and the start and penalty that follow from it."""

from dataclasses import dataclass

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.errors import MissingCellsError, ParameterError
from bnlr.learn.auto import NONPERFECT, Choice
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.run import Settings
from bnlr.network import BayesianNetwork
from bnlr.objectives.penalty import Penalty
from bnlr.spaces.free import require_perfect
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport

# Far below what any row can tell from 0, and far above where products of it would underflow.
_LEAST = 1e-30


@dataclass(frozen=True)
class Request:
    """The arguments of ``fit``, with "auto" and ``nonperfect`` resolved.

    ``has_holes``: a row with a class lacks a cell that the class's families look at.
    """

    structure: Structure
    data: Dataset
    report: StructureReport
    choice: Choice
    settings: Settings
    has_holes: bool
    start: "str | BayesianNetwork"
    pseudocount: float
    m_step_pseudocount: float
    penalty: float
    penalty_center: str
    cross_tuning: bool | str
    n_threads: int | None

    @property
    def needs_inference(self) -> bool:
        """Whether missing cells, or the CPTs of all nodes, are the learner's business."""
        learner, space = self.choice.learner, self.choice.space
        if learner == "elr":
            return self.has_holes or space == "theta" or bool(self.cross_tuning)
        return learner in {"em", "apn"} or self.has_holes

    def frequencies(self, data: Dataset | None = None) -> BayesianNetwork:
        """Frequency estimates from all rows, or from those of ``data``."""
        rows = self.data if data is None else data
        return frequency_network(self.structure, rows, self.pseudocount, self.n_threads)

    def start_network(self, frequencies: BayesianNetwork) -> BayesianNetwork:
        """The network to start from; its zeros raised where parameters are logarithms.

        Raises
        ------
        ParameterError
            A start of another structure or states, or of an unknown name.
        """
        start = self.start
        if not isinstance(start, BayesianNetwork):
            if not (isinstance(start, str) and start == "frequencies"):
                raise ParameterError(f"start is {start!r}; give 'frequencies' or a BayesianNetwork")
            return frequencies
        same_graph = start.structure == frequencies.structure
        if not same_graph or dict(start.states) != dict(frequencies.states):
            raise ParameterError("the start network must have the structure and states of the fit")
        return start if self.choice.learner == "em" else _without_zeros(start)

    def penalty_on(self, layout: TableLayout, frequencies: BayesianNetwork) -> Penalty | None:
        """The penalty on the tables of ``layout``, None for strength 0."""
        if self.penalty == 0:
            return None
        centre: FloatArray = np.zeros((layout.n_cells, layout.n_classes - 1))
        if self.penalty_center == "frequencies":
            centre = relative(np.log(layout.stack(frequencies.cpts)))
        return Penalty(layout, float(self.penalty), centre)


def check_numbers(penalty: float, center: str, n_starts: int, m_step_pseudocount: float) -> None:
    """Raise ParameterError for a number or name outside its domain."""
    if not (isinstance(penalty, (int, float)) and 0 <= penalty < float("inf")):
        raise ParameterError(f"penalty is {penalty!r}; it must be a finite number, 0 or larger")
    if center not in {"zero", "frequencies"}:
        raise ParameterError(f"penalty_center is {center!r}; choose 'zero' or 'frequencies'")
    if not (isinstance(n_starts, int) and n_starts >= 1):
        raise ParameterError(f"n_starts is {n_starts!r}; it must be a whole number, 1 or larger")
    added = m_step_pseudocount
    if not (isinstance(added, (int, float)) and 0 <= added < float("inf")):
        raise ParameterError(
            f"m_step_pseudocount is {added!r}; it must be a finite number, 0 or larger"
        )


def check_nonperfect(nonperfect: str, learner: str) -> None:
    """Raise ParameterError for an unknown choice, or one that the learner knows nothing of."""
    if nonperfect not in NONPERFECT:
        raise ParameterError(f"nonperfect is {nonperfect!r}; choose 'elr' or 'embed'")
    if nonperfect == "embed" and learner not in {"auto", "lr"}:
        raise ParameterError(
            f"nonperfect='embed' is for learner 'auto' or 'lr', not {learner!r}; fit "
            "structure.with_arcs(report.embedding) instead"
        )


def check_choice(request: Request) -> None:
    """Raise an error where the learner cannot do what is asked.

    Raises
    ------
    NotPerfectError, MissingCellsError
        "lr" on a graph, or on rows, that are no logistic regression.
    ParameterError
        Options that the learner has no use for.
    """
    learner, space = request.choice.learner, request.choice.space
    if learner == "lr":
        require_perfect(request.report, f"learner 'lr' in {space} space")
        _refuse_holes(request)
    if learner in {"em", "apn"} and request.penalty:
        raise ParameterError(
            f"learner {learner!r} maximises a likelihood and takes no penalty; leave it out"
            + (", or use m_step_pseudocount" if learner == "em" else "")
        )
    if learner != "em" and request.m_step_pseudocount:
        raise ParameterError(
            f"m_step_pseudocount belongs to learner 'em', not to {learner!r}; leave it out"
        )
    if learner == "em" and request.settings.options:
        option = next(iter(request.settings.options))
        raise ParameterError(f"learner 'em' has no option {option!r}; leave it out")


def holes(structure: Structure, data: Dataset) -> dict[str, int]:
    """{attribute: missing cells} in the rows with a class and a weight.

    Only attributes that the families of the class and its children look at are asked.
    """
    attributes = TableLayout.of(structure, data.cards).attributes
    suspects = [node for node in attributes if node in data.missing_counts]
    if not suspects:
        return {}
    counts = (data.class_codes >= 0) & (data.weights > 0)
    found = {node: int(((data.column(node) < 0) & counts).sum()) for node in suspects}
    return {node: n for node, n in found.items() if n}


def _refuse_holes(request: Request) -> None:
    if not request.has_holes:
        return
    found = holes(request.structure, request.data)
    node = max(found, key=found.__getitem__)
    more = f" (and {len(found) - 1} more columns)" if len(found) > 1 else ""
    raise MissingCellsError(
        f"column {node!r} has {found[node]} missing cells{more}: learner 'lr' needs rows complete "
        "in the class's families. Use learner='elr', drop those rows, or make the hole a state of "
        "its own: frame.fillna('missing')"
    )


def _without_zeros(network: BayesianNetwork) -> BayesianNetwork:
    if all(cpt.min(initial=1.0) > 0 for cpt in network.cpts.values()):
        return network
    cpts = {node: np.maximum(cpt, _LEAST) for node, cpt in network.cpts.items()}
    return BayesianNetwork(network.structure, network.states, cpts)
