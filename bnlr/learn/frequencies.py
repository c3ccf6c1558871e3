"""Frequency estimates: the generative parameters, and every discriminative learner's start."""

import numpy as np

from bnlr._typing import FloatArray
from bnlr.arguments import amount
from bnlr.data.dataset import Dataset, check_nodes
from bnlr.design.counting import Families, count
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure


def frequency_network(
    structure: Structure, data: Dataset, pseudocount: float = 1.0, n_threads: int | None = None
) -> BayesianNetwork:
    """CPTs (count + pseudocount) / (total + pseudocount · states), weighted counts.

    A family counts the rows in which the node and all its parents are observed (Greiner et al.
    2005, footnote 8); a column without any is uniform.

    Raises
    ------
    StateError
        A node of the structure is not a column of the data.
    ParameterError
        ``pseudocount`` is no finite number from 0 on.
    TooLargeError
        A CPT would not fit in memory.
    """
    pseudocount = amount("pseudocount", pseudocount)
    check_nodes(data, structure.nodes)
    families = Families.of_structure(structure, data)
    counts = count(data, families, n_threads)
    states = {node: tuple(data.states[node]) for node in structure.nodes}
    cpts = _normalised(counts, families, pseudocount)
    return BayesianNetwork._of_flat(structure, states, cpts, families.shapes)


def _normalised(counts: FloatArray, families: Families, pseudocount: float) -> FloatArray:
    """Every table's last axis made to sum to 1; all tables at once, as there may be many."""
    flat = counts + pseudocount
    lengths, first_cells = families.distributions
    total = np.add.reduceat(flat, first_cells)
    empty = total <= 0
    if not empty.any():
        flat /= np.repeat(total, lengths)
        return flat
    total[empty] = 1.0
    flat /= np.repeat(total, lengths)
    every = np.repeat(empty, lengths)
    flat[every] = 1.0 / np.repeat(lengths, lengths)[every]
    return flat
