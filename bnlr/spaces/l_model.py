"""The L-model: family tables that vary freely, linear in their coordinates.

A linear space writes the tables less their reference column as ``basis @ W`` with a sparse 0/1
``basis`` (n_cells, n_predictors) and W (n_predictors, n_classes − 1), w^(0) = 0. The logistic
regression's design matrix is then Z = onehot(cells) @ basis, and the CLL is concave in W
(Wettig et al. 2003, Theorem 2).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, eye_array

from bnlr._typing import FloatArray, States
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import family_cells, relative
from bnlr.design.packed_rows import Design, refuse_missing
from bnlr.errors import NotPerfectError
from bnlr.network import BayesianNetwork
from bnlr.spaces.backmap import network_from_tables
from bnlr.spaces.base import Space
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 5


class LinearSpace(Space):
    """Tables linear in the parameters: ``tables[:, 1:] = basis @ W``, ``tables[:, 0] = 0``.

    ``_inverse`` gives W back, of tables in the space.
    """

    is_linear = True
    basis: csr_array
    _inverse: csr_array
    predictor_names: tuple[str, ...]

    @property
    def size(self) -> int:
        return int(self.basis.shape[1]) * self._width

    @property
    def predictors_per_cell(self) -> FloatArray:
        """How many predictors are 1 in each table cell, (n_cells,)."""
        ones: FloatArray = np.asarray(self.basis.sum(axis=1), dtype=np.float64).ravel()
        return ones

    def predictors_in(self, design: Design) -> float:
        """How many predictors are 1 in all rows of ``design`` together, by weight."""
        return float(design.counts().sum(axis=1) @ self.predictors_per_cell)

    @property
    def _width(self) -> int:
        return self.layout.n_classes - 1

    @cached_property
    def _basis_transposed(self) -> csr_array:
        return csr_array(self.basis.T)

    @property
    def names(self) -> tuple[str, ...]:
        class_name = self.structure.class_name
        classes = [self._label(class_name, c) for c in range(1, self.layout.n_classes)]
        return tuple(f"{p} | {c}" for p in self.predictor_names for c in classes)

    def to_tables(self, x: FloatArray) -> FloatArray:
        tables = np.zeros((self.layout.n_cells, self.layout.n_classes))
        tables[:, 1:] = self.differences(x)
        return tables

    def differences(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.basis @ x.reshape(-1, self._width))

    def push_differences(self, x: FloatArray, direction: FloatArray) -> FloatArray:  # noqa: ARG002  linear
        return self.differences(direction)

    def pull_differences(self, x: FloatArray, gradient: FloatArray) -> FloatArray:  # noqa: ARG002  linear
        return np.asarray(self._basis_transposed @ gradient).ravel()

    def push(self, x: FloatArray, direction: FloatArray) -> FloatArray:  # noqa: ARG002  linear
        return self.to_tables(direction)

    def pullback(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        return self.pull_differences(x, gradient[:, 1:])

    def bend(self, x: FloatArray, direction: FloatArray, gradient: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.zeros_like(x)

    def diagonal(self, x: FloatArray, curvature: FloatArray) -> FloatArray:
        # Z is 0/1, so Σ_i h_i Z_ij² = Σ_i h_i Z_ij: exact, not an approximation.
        return self.pullback(x, curvature)

    def design(self, data: Dataset) -> csr_array:
        """Design matrix Z of the logistic regression, 0/1, shape (n_rows, n_predictors).

        Its columns are named by ``predictor_names``; rows without a class are kept.

        Raises
        ------
        MissingCellsError
            A cell that the predictors look at is missing.
        """
        self.check_states(data)
        refuse_missing(data, self.layout.attributes)
        cells = family_cells(self.layout, data)
        return csr_array(_one_hot(cells, self.layout.n_cells) @ self.basis)

    def design_frame(self, data: Dataset) -> "pd.DataFrame":
        """`design` with its columns labelled, as other libraries' regressions take it.

        Parameters
        ----------
        data : Dataset
            With the states of this space; weights and class are not looked at.

        Returns
        -------
        DataFrame of shape (n_rows, n_predictors)
            Sparse columns of 0 and 1, named by ``predictor_names``, in the order of the rows, the
            index 0, 1, …. scikit-learn's estimators take it as it is, statsmodels' made dense:
            ``.sparse.to_dense()``.

        Raises
        ------
        StateError
            Other columns or states than this space has.
        MissingCellsError
            A cell that the predictors look at is missing.
        """
        import pandas as pd  # noqa: PLC0415  heavy

        sparse: Any = pd.DataFrame.sparse  # untyped in pandas' stubs
        frame: pd.DataFrame = sparse.from_spmatrix(self.design(data))
        return frame.set_axis(list(self.predictor_names), axis="columns")

    def from_tables(self, tables: Mapping[str, FloatArray]) -> FloatArray:
        """Parameters with the P(class | attributes) of L-model tables.

        ``tables`` maps the class and each child of it to an array with the axes of its CPT.
        """
        return self._from_stacked(self.layout.stack(tables))

    def to_network(self, x: FloatArray, like: BayesianNetwork | None = None) -> BayesianNetwork:
        """Network with the P(class | attributes) of ``x`` (Wettig et al. 2003, Theorem 3).

        ``like`` supplies the gauge, i.e. the part of each table that is the same for every class
        and leaves P(class | attributes) as it is, and the CPTs outside the class's families;
        without it tables are centred over the classes and CPTs outside are uniform.

        Raises
        ------
        NotPerfectError
            The structure does not meet Condition 1.
        """
        self._check_like(like)
        tables = self.to_tables(self._vector(x))
        return network_from_tables(self.layout, self.states, tables, self.report, like)


class Free(LinearSpace):
    """Every table entry of the non-reference classes is a parameter; any graph."""

    name = "free"

    @cached_property
    def basis(self) -> csr_array:  # type: ignore[override]
        """The identity."""
        return csr_array(eye_array(self.layout.n_cells, format="csr"))

    @property
    def size(self) -> int:
        return self.layout.n_cells * self._width

    @property
    def predictors_per_cell(self) -> FloatArray:
        return np.ones(self.layout.n_cells)

    def predictors_in(self, design: Design) -> float:
        return design.total_weight * len(self.layout.families)  # one cell a family

    def differences(self, x: FloatArray) -> FloatArray:
        return x.reshape(-1, self._width)

    def pull_differences(self, x: FloatArray, gradient: FloatArray) -> FloatArray:  # noqa: ARG002  linear
        return gradient.ravel()

    @cached_property
    def predictor_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return cell_names(self.layout, self.states)

    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        return relative(tables).ravel()


def cell_names(layout: TableLayout, states: States) -> tuple[str, ...]:
    """'a=yes, b=no' for every cell of every family, in stacked order."""
    names: list[str] = []
    for family in layout.families:
        for cell in np.ndindex(*family.shape):
            pairs = zip(family.scope, cell, strict=True)
            names.append(", ".join(f"{node}={states[node][code]}" for node, code in pairs))
    return tuple(name or "intercept" for name in names)


def require_perfect(report: StructureReport, who: str) -> None:
    """Raise NotPerfectError, naming the violations and the arcs that mend them."""
    if report.satisfies_condition_1:
        return
    triples = [f"{c!r} has the unmarried parents {a!r} and {b!r}" for c, a, b in report.violations]
    shown = "; ".join(triples[:_SHOWN]) + (" …" if len(triples) > _SHOWN else "")
    arcs = ", ".join(f"{a} → {b}" for a, b in report.embedding)
    raise NotPerfectError(
        f"{who} needs a perfect canonical form, but {shown}: the network is no free logistic "
        f"regression. Add the arcs {arcs}, or fit with learner='elr'",
        report.violations,
        report.embedding,
    )


def _one_hot(cells: np.ndarray, n_cells: int) -> csr_array:
    n_rows, n_families = cells.shape
    indptr = np.arange(0, n_rows * n_families + 1, n_families)
    return csr_array((np.ones(cells.size), cells.ravel(), indptr), shape=(n_rows, n_cells))
