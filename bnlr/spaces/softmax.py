"""β-space: CPT columns as softmax of free numbers, θ_{d|f} = exp β_{d|f} / Σ_d' exp β_{d'|f}.

Sources: Greiner et al. 2005, section 3; Feelders & Ivanovs 2006, section 5.2.
"""

from functools import cached_property

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.network import BayesianNetwork, uniform_cpts
from bnlr.spaces.base import Space
from bnlr.structure.dag import Structure

# No entry of finite parameters is written as 0, which would make rows impossible.
_LEAST_LOG = -690.0
_UNLIKELY = -300.0
_FAR = 300.0  # whose exponentials, and sums of them, are still numbers
_NOWHERE = np.empty(0), np.empty(0)


class Softmax(Space):
    """β of the class and its children, CPT by CPT in C order: ``size`` is their number of cells.

    Any graph; the CLL need not be concave in β. A penalty on tables would drive CPT entries to 0
    here, since their class averages are not free; `fit` penalises the least tables that have the
    same P(class | attributes) instead.
    """

    name = "softmax"
    is_linear = False

    def __init__(self, structure: Structure, states: States) -> None:
        super().__init__(structure, states)
        order = np.arange(self.size, dtype=np.float64)
        cells = self.layout.unstack(order.reshape(self.layout.n_cells, self.layout.n_classes))
        flat = [cells[family.node] for family in self.layout.families]
        # _to_stacked[i] is the place, in the stacked tables, of the i-th CPT entry.
        self._to_stacked = np.concatenate([cpt.ravel() for cpt in flat]).astype(np.intp)
        lengths = np.concatenate(
            [np.full(cpt.size // cpt.shape[-1], cpt.shape[-1]) for cpt in flat]
        )
        self._starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._column = np.repeat(np.arange(len(lengths)), lengths)
        self._last = _NOWHERE

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_last": _NOWHERE}

    @property
    def size(self) -> int:
        return self.layout.n_cells * self.layout.n_classes

    @cached_property
    def names(self) -> tuple[str, ...]:
        names: list[str] = []
        for family in self.layout.families:
            parents = self.structure.parents(family.node)
            axes = (*parents, family.node)
            for cell in np.ndindex(*(len(self.states[axis]) for axis in axes)):
                labels = [self._label(a, code) for a, code in zip(axes, cell, strict=True)]
                given = f" | {', '.join(labels[:-1])}" if parents else ""
                names.append(f"{labels[-1]}{given}")
        return tuple(names)

    def to_tables(self, x: FloatArray) -> FloatArray:
        return self._stacked(self._log_theta(x))

    def push(self, x: FloatArray, direction: FloatArray) -> FloatArray:
        return self._stacked(direction - self._mean(x, direction))

    def pullback(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        """Σ_cells g − θ Σ_d g over each CPT column: Proposition 3 of Greiner et al. 2005."""
        flat = gradient.ravel()[self._to_stacked]
        return np.subtract(flat, self._theta(x) * self._sum(flat)[self._column])

    def bend(self, x: FloatArray, direction: FloatArray, gradient: FloatArray) -> FloatArray:
        flat = gradient.ravel()[self._to_stacked]
        change = self._theta(x) * (direction - self._mean(x, direction))
        return -change * self._sum(flat)[self._column]

    def diagonal(self, x: FloatArray, curvature: FloatArray) -> FloatArray:
        flat = curvature.ravel()[self._to_stacked]
        result: FloatArray = flat * np.square(1.0 - self._theta(x))
        return result

    def _column_sums(self, tables: FloatArray) -> FloatArray:
        """Sums of stacked ``tables`` over the CPT columns, (n_columns,)."""
        return self._sum(self._from_stacked(tables))

    def _in_entries(self, matrix: FloatArray) -> FloatArray:
        """Hessian in the log of the CPT entries, from that in the ``differences``."""
        width = self.layout.n_classes - 1
        for _ in range(2):
            whole = np.empty((self.layout.n_cells, width + 1, len(matrix)))
            whole[:, 1:] = matrix.T.reshape(self.layout.n_cells, width, -1)
            whole[:, 0] = -whole[:, 1:].sum(axis=1)
            matrix = whole.reshape(self.size, -1)[self._to_stacked]
        return matrix

    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        return tables.ravel()[self._to_stacked]

    def to_network(self, x: FloatArray, like: BayesianNetwork | None = None) -> BayesianNetwork:
        """Network whose CPTs of the class and its children are the softmax of ``x``.

        CPTs of other nodes come from ``like``, or are uniform.
        """
        self._check_like(like)
        logs = self.to_tables(self._vector(x))
        # What is unlikely in every class may be less so in all: their odds are what counts.
        logs += np.maximum(_UNLIKELY - logs.max(axis=1, keepdims=True), 0.0)
        stacked = np.exp(np.maximum(logs, _LEAST_LOG))
        cpts = dict(like.cpts) if like is not None else uniform_cpts(self.structure, self.states)
        return BayesianNetwork(
            self.structure, self.states, {**cpts, **self.layout.unstack(stacked)}
        )

    def _log_theta(self, x: FloatArray) -> FloatArray:
        """log θ of ``x``, kept: a value, its gradient and Hessian products ask for one point's."""
        at, logs = self._last
        if not np.array_equal(at, x):
            self._last = _NOWHERE  # freed first
            shifted = x
            if np.abs(x).max(initial=0.0) > _FAR:
                shifted = x - np.maximum.reduceat(x, self._starts)[self._column]
            mass = self._sum(np.exp(shifted))
            logs = shifted - np.log(mass)[self._column]
            self._last = x.copy(), logs
        return logs

    def _theta(self, x: FloatArray) -> FloatArray:
        theta: FloatArray = np.exp(self._log_theta(x))
        return theta

    def _sum(self, values: FloatArray) -> FloatArray:
        # a quarter of the time of reduceat
        return np.bincount(self._column, values, len(self._starts)).astype(np.float64, copy=False)

    def _mean(self, x: FloatArray, values: FloatArray) -> FloatArray:
        """θ-weighted mean of ``values`` over each entry's CPT column."""
        return self._sum(self._theta(x) * values)[self._column]

    def _stacked(self, flat: FloatArray) -> FloatArray:
        stacked = np.empty(self.size)
        stacked[self._to_stacked] = flat
        return stacked.reshape(self.layout.n_cells, self.layout.n_classes)
