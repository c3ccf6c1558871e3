"""Frequency estimates: the generative parameters, and every discriminative learner's start."""

from math import prod

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import refuse_too_large
from bnlr.errors import ParameterError, StateError
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure


def frequency_network(
    structure: Structure, data: Dataset, pseudocount: float = 1.0
) -> BayesianNetwork:
    """CPTs (count + pseudocount) / (total + pseudocount · states), weighted counts.

    A family counts the rows in which the node and all its parents are observed (Greiner et al.
    2005, footnote 8); a column without any is uniform.

    Raises
    ------
    StateError
        A node of the structure is not a column of the data.
    ParameterError
        A negative pseudocount.
    TooLargeError
        A CPT would not fit in memory.
    """
    if not pseudocount >= 0:
        raise ParameterError(f"pseudocount is {pseudocount!r}; it must be 0 or larger")
    require_columns(structure, data)
    states = {node: data.states[node] for node in structure.nodes}
    cpts = {n: _normalised(_counts(structure, data, n) + pseudocount) for n in structure.nodes}
    return BayesianNetwork(structure, states, cpts)


def require_columns(structure: Structure, data: Dataset) -> None:
    """Raise StateError for a node that the data lack."""
    absent = [node for node in structure.nodes if node not in data.states]
    if absent:
        raise StateError(
            f"node {absent[0]!r} of the structure is not a column of the data "
            f"({', '.join(map(repr, data.nodes[:8]))}{', …' if len(data.nodes) > 8 else ''}); "
            "rename the column, or leave the node out of the structure"
        )


def _counts(structure: Structure, data: Dataset, node: str) -> FloatArray:
    """Weighted counts with the axes of the node's CPT."""
    axes = (*structure.parents(node), node)
    shape = tuple(data.cards[axis] for axis in axes)
    n_cells = prod(shape)
    refuse_too_large(node, axes, n_cells)
    code = np.zeros(data.n_rows, dtype=np.int64)
    observed = np.ones(data.n_rows, dtype=bool)
    for axis, card in zip(axes, shape, strict=True):
        column = data.column(axis)
        observed &= column >= 0
        code = code * card + column
    counts = np.bincount(code[observed], data.weights[observed], minlength=n_cells)
    return counts.astype(np.float64).reshape(shape)


def _normalised(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=-1, keepdims=True)
    uniform = np.full_like(counts, 1.0 / counts.shape[-1])
    cpt: FloatArray = np.divide(counts, total, out=uniform, where=total > 0)
    return cpt
