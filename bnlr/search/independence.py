"""How much two attributes tell about each other once the class is known.

I(X_i; X_j | C) = Σ_c (n_c / n) [H(i|c) + H(j|c) − H(ij|c)]. With Z the 0/1 matrix that has a column
for each state of each attribute, the pair counts of all attributes within a class are the blocks of
Zᵀ diag(w) Z, one matrix product; the sums of n·log n over these blocks are all that is needed.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.special import xlogy

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset

# A block of attributes has at most this many states in all, unless one attribute alone has more.
_BLOCK_STATES = 1024
_CHUNK_CELLS = 2**20
_LARGEST_DENSE = 2**24


def conditional_mutual_information(data: Dataset) -> FloatArray:
    """I(X_i; X_j | class) of all pairs of attributes, natural log, from weighted counts.

    Parameters
    ----------
    data : Dataset
        Complete in the attributes; rows without a class are left out.

    Returns
    -------
    (n_attributes, n_attributes) symmetric array, never negative, attributes in column order; the
    diagonal holds the conditional entropies H(X_i | class). The bits depend neither on the order
    of the rows nor on the number of threads.

    Raises
    ------
    MissingCellsError
        An attribute cell is missing.
    DataError
        No rows, or fewer than two classes among them.
    """
    data.check_complete()
    data.check_learnable()
    places = [k for k, node in enumerate(data.nodes) if node != data.class_name]
    cards = np.array([data.cards[data.nodes[k]] for k in places], dtype=np.intp)
    weights = _on_a_grid(data.weights)
    blocks = list(_blocks(cards))
    joint = np.zeros((len(places), len(places)))
    single = np.zeros((data.cards[data.class_name], len(places)))
    totals = np.zeros(len(single))
    for c in range(len(single)):
        rows = np.flatnonzero((data.class_codes == c) & (weights > 0))
        codes, row_weights = data.codes[np.ix_(rows, places)], weights[rows]
        totals[c] = row_weights.sum()
        for b, left in enumerate(blocks):
            for right in blocks[b:]:
                sums = _pair_sums(codes, row_weights, cards, left, right)
                joint[left, right] += sums
                if left == right:
                    single[c, left] = sums.diagonal()
    return _information(joint, single, totals)


def _information(joint: FloatArray, single: FloatArray, totals: FloatArray) -> FloatArray:
    """Put together Σ n·log n over pairs (all classes), attributes (a class a row) and classes."""
    joint = np.triu(joint)
    joint = joint + np.triu(joint, 1).T
    alone = single.sum(axis=0)
    n = totals.sum()
    classes = xlogy(totals, totals).sum()
    information = (joint - alone[:, None] - alone[None, :] + classes) / n
    return np.maximum(information, 0.0)


def _on_a_grid(weights: FloatArray) -> FloatArray:
    """Round weights to multiples of one power of two, so that no sum of theirs is ever rounded.

    Sums then are the same in any order. Whole weights that sum to less than 2^52 stay as they are.
    """
    total = float(weights.sum())
    if total == 0.0:
        return weights
    _, exponent = np.frexp(total)
    shift = 52 - int(exponent)
    rounded: FloatArray = np.round(np.ldexp(weights, shift))
    return rounded
