"""Rows with holes as inference wants them, and what a network says about them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray
from bnlr.data.compress import merge_rows
from bnlr.data.dataset import Dataset
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.data.parts import Combine
    from bnlr.inference.engine import Counter, Engine

# Below this the logarithm of a posterior is taken from log-probabilities instead.
_FAINT = 1e-200


@dataclass(frozen=True, eq=False)
class EvidenceRows:
    """Rows of positive weight over the nodes of a structure, identical ones merged.

    Attributes
    ----------
    codes : CodeArray of shape (N, n_nodes)
        One column a node in the structure's order; −1 is missing.
    weights : FloatArray of shape (N,)
        Summed weights of the merged rows.
    target : int
        The class's column.
    """

    codes: CodeArray
    weights: FloatArray
    target: int

    @classmethod
    def of(cls, structure: Structure, data: Dataset) -> "EvidenceRows":
        """Take the rows of ``data``; columns that are no nodes of the structure are left out."""
        columns = [data.column(node) for node in structure.nodes]
        merged, weights = merge_rows(columns, data.row_weights), data.weights
        if merged is not None:
            columns, weights = [column[merged.first] for column in columns], merged.weights
        codes = np.column_stack(columns)
        rows = cls(codes, weights, structure.index(structure.class_name))
        return rows if (weights > 0).all() else rows._only(weights > 0)

    @property
    def classes(self) -> CodeArray:
        """Codes of the class, (N,)."""
        classes: CodeArray = self.codes[:, self.target]
        return classes

    @property
    def labelled(self) -> "EvidenceRows":
        """The rows that have a class."""
        known = self.classes >= 0
        return self if known.all() else self._only(known)

    @property
    def n_rows(self) -> int:
        """Number of rows, merged ones once."""
        return len(self.codes)

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return float(self.weights.sum())

    def total(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        combine: "Combine | None" = None,  # noqa: ARG002  of rows elsewhere
    ) -> Any:
        """``function(rows, *arguments)``, a sum over rows or what ``combine`` puts together."""
        return function(self, *arguments)

    def counter(self, engine: "Engine") -> "Counter":
        """As `Engine.counter` of these rows."""
        return engine.counter(self.codes, self.weights)

    def _only(self, chosen: np.ndarray) -> "EvidenceRows":
        return EvidenceRows(self.codes[chosen], self.weights[chosen], self.target)


def log_conditionals(engine: "Engine", theta: FloatArray, rows: EvidenceRows) -> FloatArray:
    """Natural log P(c | e) of rows that all have a class, (N,); −inf where P(c, e) is 0."""
    posterior, _ = engine.posterior(theta, rows.codes)
    own = posterior[np.arange(len(own_codes := rows.classes)), own_codes]
    faint = own < _FAINT
    logs: FloatArray = np.log(np.where(faint, 1.0, own))
    if faint.any():
        logs[faint] = engine.contrast(theta, rows.codes[faint])[1]
    return logs


def conditional_log_likelihood(engine: "Engine", theta: FloatArray, rows: EvidenceRows) -> float:
    """Σ weight · log P(c | e) over rows that all have a class."""
    return float(rows.total(_conditional_log_likelihood, engine, theta))


def _conditional_log_likelihood(rows: EvidenceRows, engine: "Engine", theta: FloatArray) -> float:
    return total(rows.weights, log_conditionals(engine, theta, rows))


def log_likelihood(engine: "Engine", theta: FloatArray, rows: EvidenceRows) -> float:
    """Σ weight · log P(observed cells)."""
    return float(rows.total(_log_likelihood, engine, theta))


def _log_likelihood(rows: EvidenceRows, engine: "Engine", theta: FloatArray) -> float:
    return total(rows.weights, engine.log_evidence(theta, rows.codes))


def contrast(rows: EvidenceRows, engine: "Engine", theta: FloatArray) -> tuple[FloatArray, float]:
    """Σ weight · [P(d, f | c, e) − P(d, f | e)], flat, and the CLL."""
    counts, logs = engine.contrast(theta, rows.codes, rows.weights)
    return counts, total(rows.weights, logs)


def never_observed(rows: EvidenceRows) -> BoolArray:
    """Which nodes no row observes, (n_nodes,)."""
    return np.asarray((rows.codes < 0).all(axis=0))


def total(weights: FloatArray, logs: FloatArray) -> float:
    """Weighted sum whose bits do not depend on the number of threads."""
    return float(np.einsum("i,i->", weights, logs))
