"""How much two attributes tell about each other once the class is known.

I(X_i; X_j | C) = Σ_c (n_c / n) [H(i|c) + H(j|c) − H(ij|c)]. With Z the 0/1 matrix that has a column
for each state of each attribute, the pair counts of all attributes within a class are the blocks of
Zᵀ diag(w) Z, one matrix product; the sums of n·log n over these blocks are all that is needed.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.special import xlogy

from bnlr._typing import CodeArray, FloatArray, IntArray
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
    places = np.flatnonzero([node != data.class_name for node in data.nodes])
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
    information: FloatArray = (joint - alone[:, None] - alone[None, :] + classes) / n
    return information.clip(min=0.0)


def _on_a_grid(weights: FloatArray) -> FloatArray:
    """Scale weights to a sum in [1/2, 1), rounded to multiples of 2^-52.

    No sum of such weights is ever rounded, so all sums are the same in any order. Whole weights
    that sum to less than 2^52 are not changed by the rounding.
    """
    _, exponent = np.frexp(weights.sum())
    rounded: FloatArray = np.ldexp(np.round(np.ldexp(weights, 52 - exponent)), -52)
    return rounded


def _blocks(cards: IntArray) -> Iterator[slice]:
    """Cut the attributes into runs of at most ``_BLOCK_STATES`` states."""
    start, n_states = 0, 0
    for place, card in enumerate(cards):
        if place > start and n_states + card > _BLOCK_STATES:
            yield slice(start, place)
            start, n_states = place, 0
        n_states += int(card)
    if len(cards):
        yield slice(start, len(cards))


def _pair_sums(
    codes: CodeArray, weights: FloatArray, cards: IntArray, left: slice, right: slice
) -> FloatArray:
    """Σ n·log n over the states of every pair of attributes in two blocks."""
    shape = int(cards[left].sum()), int(cards[right].sum())
    if shape[0] * shape[1] > _LARGEST_DENSE:
        return _sparse_pair_sums(codes, weights, cards, left, right)
    counts = np.zeros(shape)
    step = max(1, _CHUNK_CELLS // max(shape))
    for start in range(0, len(codes), step):
        rows = slice(start, start + step)
        z = _indicators(codes[rows, left], cards[left])
        other = z if left == right else _indicators(codes[rows, right], cards[right])
        counts += (z * weights[rows, None]).T @ other
    return _block_sums(np.asarray(xlogy(counts, counts), np.float64), cards[left], cards[right])


def _indicators(codes: CodeArray, cards: IntArray) -> FloatArray:
    """Z: a row for each row, a column for each state of each attribute."""
    z = np.zeros((len(codes), int(cards.sum())))
    z[np.arange(len(codes))[:, None], codes + _offsets(cards)] = 1.0
    return z


def _offsets(cards: IntArray) -> IntArray:
    offsets: IntArray = np.cumsum(cards) - cards
    return offsets


def _block_sums(values: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    by_row = np.add.reduceat(values, _offsets(left), axis=0)
    sums: FloatArray = np.add.reduceat(by_row, _offsets(right), axis=1)
    return sums


def _sparse_pair_sums(
    codes: CodeArray, weights: FloatArray, cards: IntArray, left: slice, right: slice
) -> FloatArray:
    """Return the same by sparse products, where the table of all states would be too large."""
    z = _sparse_indicators(codes[:, left], cards[left])
    other = _sparse_indicators(codes[:, right], cards[right])
    counts = (z * weights[:, None]).T @ other
    counts.data = xlogy(counts.data, counts.data)
    ends = _owners(cards[left]), _owners(cards[right])
    sums: FloatArray = (ends[0].T @ counts @ ends[1]).toarray()
    return sums


def _sparse_indicators(codes: CodeArray, cards: IntArray) -> csr_array:
    columns = (codes + _offsets(cards)).ravel()
    starts = np.arange(0, columns.size + 1, len(cards))
    shape = len(codes), int(cards.sum())
    return csr_array((np.ones(columns.size), columns, starts), shape=shape)


def _owners(cards: IntArray) -> csr_array:
    """0/1 matrix (states, attributes): which attribute a state belongs to."""
    owner = np.repeat(np.arange(len(cards)), cards)
    starts = np.arange(owner.size + 1)
    return csr_array((np.ones(owner.size), owner, starts), shape=(owner.size, len(cards)))
