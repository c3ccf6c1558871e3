"""What was asked of ``fit``, checked, and the start and penalty that follow from it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bnlr._typing import FloatArray
from bnlr.arguments import amount, whole
from bnlr.data.dataset import Dataset
from bnlr.data.weight_unit import Measured
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.errors import MissingCellsError, ParameterError
from bnlr.learn.auto_learner import Choice
from bnlr.learn.choices import COUNTERS, LIKELIHOOD, SMOOTH
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.runs.run import Settings
from bnlr.learn.shrinkage.centre import ScaledCentre
from bnlr.learn.shrinkage.strength import Centre, smooth_centre
from bnlr.network import BayesianNetwork
from bnlr.objectives.penalty import Penalty
from bnlr.spaces.backmap import network_from_tables
from bnlr.spaces.l_model import require_perfect
from bnlr.spellings import canonical
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport
from bnlr.words import quoted

# Far below what any row can tell from 0, and far above where products of it would underflow.
_LEAST = 1e-30
_LEAST_SHARE, _SMALLEST = 1e-6, 1e-290  # of the smallest entry that is none; of all

_OPTIONS = {
    "frequencies": ("pseudocount",),
    "dfe": ("pseudocount", "max_iter", "shuffle"),
    "em": ("acceleration", "m_step_pseudocount"),
}
"""What belongs to those learners that have no solver."""


@dataclass(frozen=True)
class Request:
    """The arguments of ``fit``, with "auto" and ``nonperfect`` resolved.

    ``has_holes``: a row with a class lacks a cell that the class's families look at. ``rows`` are
    the rows' weights in their unit, None for learners that only count. ``latent`` are the nodes
    that the data had no column of.
    """

    structure: Structure
    data: Dataset
    rows: Measured | None
    report: StructureReport
    choice: Choice
    settings: Settings
    has_holes: bool
    start: "str | BayesianNetwork"
    pseudocount: float
    start_pseudocount: float
    m_step_pseudocount: float
    shuffle: bool
    penalty: float | str
    penalty_center: str
    cross_tuning: bool | str
    n_threads: int | None
    latent: tuple[str, ...] = ()

    @property
    def needs_inference(self) -> bool:
        """Whether missing cells, or the CPTs of all nodes, are the learner's business."""
        learner, space = self.choice.learner, self.choice.space
        if learner == "elr":
            return self.has_holes or space == "theta"
        return learner in LIKELIHOOD or self.has_holes

    def frequencies(self, data: Dataset | None = None) -> BayesianNetwork:
        """Frequency estimates from all rows, or from those of ``data``."""
        rows = self.data if data is None else data
        return frequency_network(self.structure, rows, self.pseudocount, self.n_threads)

    def counted_start(self, frequencies: BayesianNetwork, data: Dataset) -> BayesianNetwork:
        """The start where none is given: ``frequencies``, of ``data``, but smoothed as a start."""
        if self.start_pseudocount == self.pseudocount:
            return frequencies
        return frequency_network(self.structure, data, self.start_pseudocount, self.n_threads)

    def start_and_penalty(
        self,
        layout: TableLayout,
        counted: BayesianNetwork,
        frequencies: BayesianNetwork,
        scaled: Callable[[], ScaledCentre],
    ) -> tuple[BayesianNetwork, Penalty | None]:
        """The network to start from, and the penalty on the tables of ``layout``, None for none.

        ``counted`` is `counted_start`, of the rows of ``frequencies``. ``scaled`` is asked for the
        scaled centre if that is wanted; where there are CPTs for it they are the start in the place
        of "frequencies".

        Raises
        ------
        ParameterError
            A start of another structure or states, or of an unknown name.
        """
        start = self._start_network(counted)
        if self.penalty == 0:
            return start, None
        strength = float(self.penalty)
        if self.penalty_center != "scaled":
            return start, self._fixed_centre(layout, frequencies).penalty(layout, strength)
        found = scaled()
        if not self.report.satisfies_condition_1:
            return start, Penalty(layout, strength, found.bounded, found.scale)
        tables = np.pad(found.bounded, ((0, 0), (1, 0)))
        like, states = frequencies, frequencies.states
        network = network_from_tables(layout, states, tables, self.report, like)
        centre = _log_odds(layout, network)
        if not np.isfinite(centre).all():
            return start, Penalty(layout, strength, found.bounded, found.scale)
        penalty = Penalty(layout, strength, centre, found.scale)
        return start if isinstance(self.start, BayesianNetwork) else network, penalty

    def _fixed_centre(self, layout: TableLayout, frequencies: BayesianNetwork) -> Centre:
        if self.penalty_center == "frequencies":
            return Centre(None, _log_odds(layout, frequencies))
        if self.penalty_center == SMOOTH:
            return smooth_centre(layout, self.data.ordered)
        return Centre(None, np.zeros((layout.n_cells, layout.n_classes - 1)))

    def _start_network(self, counted: BayesianNetwork) -> BayesianNetwork:
        """The network asked for; its zeros raised where parameters are logarithms."""
        start = self.start
        if not isinstance(start, BayesianNetwork):
            if not (isinstance(start, str) and start == "frequencies"):
                raise ParameterError(f"start is {start!r}; give 'frequencies' or a BayesianNetwork")
            return counted
        same_graph = start.structure == counted.structure
        if not same_graph or dict(start.states) != dict(counted.states):
            raise ParameterError("the start network must have the structure and states of the fit")
        return start if self.choice.learner == "em" else _without_zeros(start)


def checked_penalty(penalty: object) -> float | str:
    """Return a strength or "cv"; raise ParameterError for any other."""
    is_cv = isinstance(penalty, str) and canonical(penalty, ("cv",)) == "cv"
    return "cv" if is_cv else amount("penalty", penalty, ", or 'cv'")


def limits(learner: str, max_iter: object, pseudocount: object) -> tuple[int, float]:
    """``max_iter`` and ``pseudocount``, the learner's own where none are given."""
    if learner == "dfe":
        passes = whole("max_iter", 4 if max_iter is None else max_iter, 1, " (passes of 'dfe')")
        return passes, amount("pseudocount", 0.0 if pseudocount is None else pseudocount)
    most = whole("max_iter", 1000 if max_iter is None else max_iter, 0)
    return most, amount("pseudocount", 1.0 if pseudocount is None else pseudocount)


def check_nonperfect(nonperfect: str, learner: str) -> None:
    """Raise ParameterError for a choice that the learner knows nothing of."""
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
        "lr" on a graph, or on rows, that are no logistic regression; "dfe" on rows with holes.
    ParameterError
        Options that the learner has no use for.
    """
    learner, space = request.choice.learner, request.choice.space
    _refuse_latent(request)
    if learner == "lr":
        require_perfect(request.report, f"learner 'lr' in {space} space")
        _refuse_holes(
            f"learner {learner!r} in {space} space needs rows complete in the class's families. "
            "Use learner='elr', space='auto'",
            holes(request.structure, request.data),
        )
    if learner in COUNTERS:
        _refuse_starts(request)
    if learner == "dfe":
        _refuse_holes(
            "learner 'dfe' needs complete rows. Use learner='elr', 'em' or 'frequencies'",
            _holes_in(request.structure.attributes, request.data),
        )
    if request.shuffle and learner != "dfe":
        raise ParameterError(f"shuffle belongs to learner 'dfe', not to {learner!r}; leave it out")
    if learner in COUNTERS and request.penalty:
        raise ParameterError(f"learner {learner!r} counts and takes no penalty; leave it out")
    if learner in LIKELIHOOD and request.penalty:
        raise ParameterError(
            f"learner {learner!r} maximises a likelihood and takes no penalty; leave it out"
            + (", or use m_step_pseudocount" if learner == "em" else "")
        )
    if learner != "em" and request.m_step_pseudocount:
        raise ParameterError(
            f"m_step_pseudocount belongs to learner 'em', not to {learner!r}; leave it out"
        )
    if learner in _OPTIONS:
        _refuse_options(request)


def _refuse_latent(request: Request) -> None:
    """Raise MissingCellsError where a learner of observed cells is to learn a latent node."""
    learner, nodes = request.choice.learner, request.latent
    if learner == "lr":
        nodes = tuple(node for node in nodes if node in holes(request.structure, request.data))
    if nodes and learner in ("lr", *COUNTERS):
        raise MissingCellsError(
            f"node {quoted(nodes[0])} is latent, and learner {learner!r} learns from what rows "
            "show: use learner='elr', 'em' or 'apn', which sum it out, or leave the node out of "
            "the structure"
        )


def _refuse_starts(request: Request) -> None:
    """Raise ParameterError where a learner that only counts is to start from somewhere."""
    has_start = not (isinstance(request.start, str) and request.start == "frequencies")
    if has_start or request.settings.n_starts > 1:
        what, learner = "start" if has_start else "n_starts", request.choice.learner
        raise ParameterError(f"learner {learner!r} starts with counts of 0; leave {what} out")


def _refuse_options(request: Request) -> None:
    """Raise ParameterError for an option of a learner that has no solver to pass it to."""
    learner = request.choice.learner
    known = _OPTIONS[learner]
    unknown = request.settings.options.keys() - set(known)
    if unknown:
        raise ParameterError(
            f"learner {learner!r} has no option {min(unknown)!r}; it has {', '.join(known)}"
        )


def holes(structure: Structure, data: Dataset) -> dict[str, int]:
    """{attribute: missing cells} in the rows with a class and a weight.

    Only attributes that the families of the class and its children look at are asked.
    """
    if not data.missing_counts:
        return {}
    return _holes_in(TableLayout.of(structure, data.cards).attributes, data)


def _holes_in(attributes: Iterable[str], data: Dataset) -> dict[str, int]:
    suspects = [node for node in attributes if node in data.missing_counts]
    if not suspects:
        return {}
    found = data._total(_n_missing, suspects)
    return {node: n for node, n in zip(suspects, found, strict=True) if n}


def _n_missing(data: Dataset, nodes: Iterable[str]) -> tuple[int, ...]:
    """Missing cells of each node in the rows that count."""
    counts = (data.class_codes >= 0) & (data.weights > 0)
    return tuple(int(((data.column(node) < 0) & counts).sum()) for node in nodes)


def _refuse_holes(remedy: str, found: dict[str, int]) -> None:
    if not found:
        return
    node = max(found, key=found.__getitem__)
    more = f" (and {len(found) - 1} more columns)" if len(found) > 1 else ""
    cells = "1 missing cell" if found[node] == 1 else f"{found[node]} missing cells"
    raise MissingCellsError(
        f"column {node!r} has {cells}{more}: {remedy}, drop those rows, or make the hole (None or "
        "NaN) a state of its own: frame.fillna('missing'), for BNClassifier missing='state'"
    )


def _log_odds(layout: TableLayout, network: BayesianNetwork) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return relative(np.log(layout.stack(network.cpts)))


def _without_zeros(network: BayesianNetwork) -> BayesianNetwork:
    if all(cpt.min(initial=1.0) > 0 for cpt in network.cpts.values()):
        return network
    smallest = min(cpt[cpt > 0].min() for cpt in network.cpts.values())
    least = max(min(_LEAST, _LEAST_SHARE * smallest), _SMALLEST)
    cpts = {node: np.where(cpt > 0, cpt, least) for node, cpt in network.cpts.items()}
    return BayesianNetwork(network.structure, network.states, cpts)
