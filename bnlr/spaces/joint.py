"""Coordinates for the CPTs of all nodes: what learning needs where cells may be missing.

`JointSoftmax` is β of every node, θ_{d|f} = exp β_{d|f} / Σ_d' exp β_{d'|f} (Greiner et al. 2005,
equation 11). `JointTheta` is θ itself, as in ELR_θ and APN_θ, the comparisons of the paper: the
columns of positive numbers are renormalised, so that a gradient has no part that changes a column's
sum (Binder, Koller, Russell and Kanazawa 1997). Both turn a gradient in log θ, which is a table of
expected counts, into their own. Vectors are flat, CPT by CPT in node order, each in C order.
"""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.design.families import TableLayout
from bnlr.errors import ParameterError
from bnlr.inference.cpts import FlatCPTs
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    import pandas as pd

LEAST_LOG = -690.0
"""The least log of an entry that a network is given: below, floats lose digits, then all."""


class JointSpace(ABC):
    """Coordinates of the CPTs of all nodes of ``structure``, whose nodes have ``states``.

    Attributes
    ----------
    structure, states
        As given.
    flat : FlatCPTs
        Where each CPT stands.
    layout : TableLayout
        The families that P(class | all attributes) looks at.
    lower : float or None
        What no coordinate may fall below, None for no bound.
    """

    name: str
    lower: float | None = None

    def __init__(self, structure: Structure, states: States) -> None:
        self.structure = structure
        self.states = {node: tuple(states[node]) for node in structure.nodes}
        cards = {node: len(labels) for node, labels in self.states.items()}
        self.flat = FlatCPTs.of(structure, cards)
        self.layout = TableLayout.of(structure, cards)

    @property
    def size(self) -> int:
        """Number of coordinates: the CPT cells of all nodes."""
        return self.flat.n_cells

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A readable name for each coordinate, such as "a=yes | c=no, b=1"."""
        names: list[str] = []
        for place, node in enumerate(self.flat.names):
            axes = (*self.structure.parents(node), node)
            for cell in np.ndindex(*self.flat.shape(place)):
                *above, own = (f"{a}={self.states[a][k]}" for a, k in zip(axes, cell, strict=True))
                names.append(f"{own} | {', '.join(above)}" if above else own)
        return tuple(names)

    @abstractmethod
    def log_theta(self, x: FloatArray) -> FloatArray:
        """Natural log of all CPT entries, (size,); NaN where x stands for no CPTs."""

    @abstractmethod
    def pullback(self, x: FloatArray, theta: FloatArray, gradient: FloatArray) -> FloatArray:
        """Gradient in x, where the CPTs are ``theta``, from that in log θ; all (size,)."""

    def theta(self, x: FloatArray) -> FloatArray:
        """All CPT entries, (size,); none is 0, which would make rows impossible."""
        return self.entries(self.log_theta(x))

    @staticmethod
    def entries(log_theta: FloatArray) -> FloatArray:
        """Entries as a network holds them, none below exp(`LEAST_LOG`); NaN where the log is."""
        entries: FloatArray = np.exp(np.maximum(log_theta, LEAST_LOG))
        return entries

    def to_tables(self, x: FloatArray) -> FloatArray:
        """Family tables of the class and its children, log θ, (n_cells, n_classes)."""
        tables: FloatArray = self.log_theta(x)[self.class_cells]
        return tables

    @cached_property
    def class_cells(self) -> np.ndarray:
        """Place in x of every cell of the stacked family tables, (n_cells, n_classes)."""
        places = self.flat.unflatten(np.arange(self.size, dtype=np.float64))
        return self.layout.stack(places).astype(np.intp)

    def from_network(self, network: BayesianNetwork) -> FloatArray:
        """Coordinates of a network's CPTs.

        Raises
        ------
        ParameterError
            A CPT holds a 0, whose logarithm no finite β has.
        """
        for node in self.flat.names:
            if not (network.cpts[node] > 0).all():
                raise ParameterError(
                    f"the CPT of {node!r} holds a probability of 0, which needs infinite "
                    "parameters; smooth it, e.g. fit(..., learner='frequencies', pseudocount=1)"
                )
        return self._of_theta(self.flat.flatten(network.cpts))

    def to_network(self, x: FloatArray) -> BayesianNetwork:
        """Network with the CPTs of ``x``."""
        return self.network_of(self.theta(x))

    def network_of(self, theta: FloatArray) -> BayesianNetwork:
        """Network with these CPT entries, (size,)."""
        return BayesianNetwork(self.structure, self.states, self.flat.unflatten(theta))

    def frame(self, x: FloatArray) -> "pd.DataFrame":
        """Coordinates with their names, one row each."""
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        return pd.DataFrame({"parameter": self.names, "value": x})

    @abstractmethod
    def _of_theta(self, theta: FloatArray) -> FloatArray:
        """Coordinates of positive CPT entries."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind}: {self.size} parameters, class {self.structure.class_name!r}>"


class JointSoftmax(JointSpace):
    """β of all nodes: any real numbers."""

    name = "softmax"

    def log_theta(self, x: FloatArray) -> FloatArray:
        """Log-softmax of each column."""
        starts, lengths = self.flat.column_starts, self.flat.column_lengths
        shifted = x - np.repeat(np.maximum.reduceat(x, starts), lengths)
        mass = np.add.reduceat(np.exp(shifted), starts)
        result: FloatArray = shifted - np.repeat(np.log(mass), lengths)
        return result

    def pullback(self, x: FloatArray, theta: FloatArray, gradient: FloatArray) -> FloatArray:  # noqa: ARG002
        """g_{d|f} − θ_{d|f} Σ_d' g_{d'|f}: Proposition 3 of Greiner et al. 2005."""
        result: FloatArray = gradient - theta * self.flat.column_sums(gradient)
        return result

    def _of_theta(self, theta: FloatArray) -> FloatArray:
        beta: FloatArray = np.log(theta)
        return beta


class JointTheta(JointSpace):
    """θ of all nodes, up to a factor for each column: positive numbers x, θ = x / Σ x."""

    name = "theta"
    lower = 1e-6

    def log_theta(self, x: FloatArray) -> FloatArray:
        """Log of x over its column's sum; NaN in columns with an entry that is not positive."""
        with np.errstate(invalid="ignore", divide="ignore"):
            positive = np.where(x > 0, x, np.nan)
            result: FloatArray = np.log(positive / self.flat.column_sums(positive))
        return result

    def pullback(self, x: FloatArray, theta: FloatArray, gradient: FloatArray) -> FloatArray:
        """(g_{d|f} − θ_{d|f} Σ_d' g_{d'|f}) / x_{d|f}: the part of g/θ that keeps column sums."""
        result: FloatArray = (gradient - theta * self.flat.column_sums(gradient)) / x
        return result

    def _of_theta(self, theta: FloatArray) -> FloatArray:
        return theta.copy()
