"""A parameter space is a chart: another set of coordinates for the same family tables.

Conventions: x a flat parameter vector of ``size`` numbers; tables and their gradients stacked,
(n_cells, n_classes), as ``TableLayout`` orders them; CLL in natural log, summed over rows with
their weights. The class's reference is its first state.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.arguments import check_kind
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import absolute, relative
from bnlr.design.packed_rows import Design
from bnlr.errors import ParameterError, StateError
from bnlr.network import BayesianNetwork
from bnlr.network.validate import ReadOnly, checked_states
from bnlr.structure.dag import Structure, check_structure
from bnlr.structure.report import StructureReport, analyze
from bnlr.words import described

if TYPE_CHECKING:
    import pandas as pd


class Space(ABC):
    """Coordinates for the family tables of ``structure`` whose nodes have ``states``.

    Attributes
    ----------
    structure, states
        As given; ``states`` maps each node to the tuple of its labels.
    layout : TableLayout
        Where each family's table stands.
    report : StructureReport
        The verdict on the structure.
    """

    name: str
    is_linear: bool

    def __init__(self, structure: Structure, states: States) -> None:
        check_structure(structure)
        check_kind("states", states, Mapping, "{node: its labels}, such as network.states")
        self.structure = structure
        known = [node for node in structure.nodes if node in states]
        is_checked = isinstance(states, ReadOnly)  # a network's own
        self.states = {
            node: states[node] if is_checked else checked_states(states, node) for node in known
        }
        cards = {node: len(labels) for node, labels in self.states.items()}
        self.layout = TableLayout.of(structure, cards)

    @cached_property
    def report(self) -> StructureReport:
        """The verdict on the structure."""
        cards = {node: len(labels) for node, labels in self.states.items()}
        return analyze(self.structure, cards if len(cards) == len(self.structure.nodes) else None)

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of free parameters, all classes."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """A readable name per parameter."""

    @abstractmethod
    def to_tables(self, x: FloatArray) -> FloatArray:
        """Family tables of ``x``, (n_cells, n_classes)."""

    @abstractmethod
    def push(self, x: FloatArray, direction: FloatArray) -> FloatArray:
        """Derivative of the tables along ``direction``, (n_cells, n_classes)."""

    @abstractmethod
    def pullback(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        """Gradient in the parameters from the gradient in the tables: the transpose of ``push``."""

    @abstractmethod
    def bend(self, x: FloatArray, direction: FloatArray, gradient: FloatArray) -> FloatArray:
        """Derivative of ``pullback(x, gradient)`` along ``direction``; 0 in a linear space."""

    def differences(self, x: FloatArray) -> FloatArray:
        """Tables less the reference's column, (n_cells, n_classes − 1): all that the CLL needs."""
        return relative(self.to_tables(x))

    def push_differences(self, x: FloatArray, direction: FloatArray) -> FloatArray:
        """Derivative of ``differences`` along ``direction``."""
        return relative(self.push(x, direction))

    def pull_differences(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        """Gradient in the parameters from that in the ``differences``."""
        return self.pullback(x, absolute(gradient))

    @abstractmethod
    def diagonal(self, x: FloatArray, curvature: FloatArray) -> FloatArray:
        """Diagonal of a Hessian in the parameters, about, from its diagonal in the tables."""

    @abstractmethod
    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        """Parameters of stacked tables, (n_cells, n_classes); log-CPTs where that matters."""

    @abstractmethod
    def to_network(self, x: FloatArray, like: BayesianNetwork | None = None) -> BayesianNetwork:
        """Network with the P(class | attributes) of ``x``."""

    def from_network(self, network: BayesianNetwork) -> FloatArray:
        """Parameters with the same P(class | attributes) as ``network``.

        Raises
        ------
        ParameterError
            A CPT of the class or one of its children holds a 0, whose logarithm no finite
            parameter has.
        """
        check_kind("network", network, BayesianNetwork, "a BayesianNetwork")
        cpts = network._stacked(self.layout)
        if not cpts.min() > 0:
            zeros = (f.node for f in self.layout.families if not (cpts[f.rows] > 0).all())
            raise ParameterError(
                f"the CPT of {next(zeros)!r} holds a probability of 0, which needs infinite "
                "parameters; smooth it, e.g. fit(..., learner='frequencies', pseudocount=1)"
            )
        return self._from_stacked(np.log(cpts))

    def cll(self, x: FloatArray, data: Dataset) -> float:
        """Conditional log-likelihood: natural log, weighted sum over the rows with a class."""
        return self._design(data).cll(self.differences(self._vector(x)))

    def cll_and_gradient(self, x: FloatArray, data: Dataset) -> tuple[float, FloatArray]:
        """CLL and its gradient in the parameters, shape (size,)."""
        x = self._vector(x)
        local = self._design(data).linearise(self.differences(x))
        return local.cll, self.pull_differences(x, local.gradient)

    def frame(self, x: FloatArray) -> "pd.DataFrame":
        """Parameters with their names, one row each."""
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        return pd.DataFrame({"parameter": self.names, "value": self._vector(x)})

    def check_states(self, data: Dataset) -> None:
        """Raise StateError if ``data`` codes a node's states differently from this space."""
        check_dataset(data)
        for node in (self.structure.class_name, *self.layout.attributes):
            if node not in data.states:
                raise StateError(f"node {node!r} of the structure is not a column of the data")
            if tuple(data.states[node]) != self.states[node]:
                raise StateError(
                    f"column {node!r} has states {data.states[node]!r}, the parameters are for "
                    f"{self.states[node]!r}; encode it with states= of the training data"
                )

    def _design(self, data: Dataset) -> Design:
        self.check_states(data)
        return Design.of(self.layout, data)

    def _vector(self, x: FloatArray) -> FloatArray:
        try:
            vector = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"x is {described(x)}; give an array of {self.size} parameters"
            ) from error
        if vector.shape != (self.size,):
            raise ParameterError(f"x: expected {self.size} parameters, got shape {vector.shape}")
        if not np.isfinite(vector).all():
            raise ParameterError(
                f"parameter {self.names[int(np.argmin(np.isfinite(vector)))]!r} is not finite"
            )
        return vector

    @staticmethod
    def _check_like(like: object) -> None:
        if like is not None:
            check_kind("like", like, BayesianNetwork, "a BayesianNetwork, or None")

    def _label(self, node: str, code: int) -> str:
        return f"{node}={self.states[node][code]}"

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind}: {self.size} parameters, class {self.structure.class_name!r}>"
