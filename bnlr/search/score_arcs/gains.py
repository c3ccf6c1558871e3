"""What each pair's table would gain for the classes on top of naive Bayes, by rows left out.

With g_c, h_c and E_c the sums of 1[class = c] − p_c, of p_c(1 − p_c) and of p_c over the rows of a
cell of the pair's table, p naive Bayes' probabilities and n the weight of the rows, the score
statistic (Rao 1948) under a penalty λ,

    Σ_cells Σ_c (1 − E_c/n) g_c² / (h_c + λ),

is about twice what the penalised conditional log-likelihood would gain by the table. It is never
negative, so that a table of many cells gains by chance. Here each fold is judged by the step
θ_c = g_c / (h_c + λ) of the other folds instead, which gains about

    Σ_cells Σ_c (1 − E_c/n) (θ_c g_c − ½ θ_c² h_c)

on it: a table of noise loses, the more so the more cells it has, and near-duplicates gain nothing.
"""

from math import log
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.design.cells import cell_sums
from bnlr.design.counting import Families
from bnlr.search.batches import BATCH_CELLS, in_batches
from bnlr.search.score_arcs.residuals import N_FOLDS, PENALTY, Residuals

# Symmetric data have ties, which neither rounding errors nor the solver's last digits must decide.
DECIMALS = 6


def pair_gains(residuals: Residuals, n_threads: int | None = None) -> FloatArray:
    """Gains of all pairs of attributes, as `table_gains`.

    Returns
    -------
    (n_attributes, n_attributes) symmetric array, 0 on the diagonal, attributes by name.
    """
    n = len(residuals.n_states)
    gains = np.zeros((n, n))
    one, other = np.triu_indices(n, k=1)
    found = table_gains(residuals, np.column_stack([one, other]), n_threads)
    gains[one, other] = gains[other, one] = found
    return gains


def table_gains(residuals: Residuals, tables: IntArray, n_threads: int | None = None) -> FloatArray:
    """What each table gains of the conditional log-likelihood of rows left out, in nats.

    A row that lacks a cell of the table gains nothing. A few million numbers are held at a time.

    Parameters
    ----------
    residuals : Residuals
    tables : integer array of shape (n_tables, n_axes)
        Places of attributes by name. Tables of the same first axes should be neighbours.
    n_threads
        All CPUs if not given; changes no bit of the result.

    Returns
    -------
    (n_tables,) array, rounded to six decimals
    """
    gains = np.zeros(len(tables))
    width = N_FOLDS * residuals.values.shape[1]
    sizes = width * residuals.cards[tables].prod(axis=1, dtype=np.float64)
    for batch in in_batches(sizes):
        own = tables[batch]
        is_large = sizes[batch.start] > BATCH_CELLS
        cells = _of_large(residuals, own[0]) if is_large else _of(residuals, own, n_threads)
        gains[batch] = np.round(_gains(cells, len(own)), DECIMALS)
    return gains


def least_gain(n_tables: int) -> float:
    """What the best of so many tables must gain: half the logarithm of their number.

    Where no attribute tells anything the best of many still gains by chance.
    """
    return 0.5 * log(max(n_tables, 1))


def beyond_chance(gains: FloatArray) -> FloatArray:
    """What pairs gain beyond `least_gain`, 0 for those that do not; as `pair_gains`."""
    n = len(gains)
    return np.maximum(gains - least_gain(n * (n - 1) // 2), 0.0)


class _Cells(NamedTuple):
    """Cells without a missing value: their ``table`` of the batch, and sums.

    ``sums`` are (n_cells, n_folds, 3, n_classes).
    """

    table: IntArray
    sums: FloatArray


def _of(residuals: Residuals, tables: IntArray, n_threads: int | None) -> _Cells:
    axes = np.column_stack([tables, np.full(len(tables), len(residuals.n_states))])
    laid = Families.at(residuals.cards, axes.ravel(), np.full(len(axes), axes.shape[1]))
    own = np.repeat(np.arange(len(tables)), laid.n_cells // N_FOLDS)
    places = np.arange(len(own)) - (laid.starts // N_FOLDS)[own]
    sums = cell_sums(residuals.codes, laid, residuals.values, n_threads)
    return _shown(residuals, tables, own, places, sums)


def _of_large(residuals: Residuals, table: IntArray) -> _Cells:
    """The cells that occur of a table that is mostly empty."""
    joint = np.zeros(residuals.codes.shape[1], dtype=np.int64)
    for axis in table:
        joint = joint * residuals.cards[axis] + residuals.codes[axis]
    cells, places = np.unique(joint, return_inverse=True)
    laid = Families.at(np.array([len(cells), N_FOLDS]), np.arange(2), [2])
    sums = cell_sums(np.ascontiguousarray([places, residuals.codes[-1]]), laid, residuals.values, 1)
    return _shown(residuals, table[None], np.zeros_like(cells), cells, sums)


def _shown(
    residuals: Residuals, tables: IntArray, own: IntArray, places: IntArray, sums: FloatArray
) -> _Cells:
    """Leave out the cells of a state that stands for missing cells."""
    is_shown = np.ones(len(own), dtype=np.bool_)
    for axis in tables.T[::-1]:
        places, states = divmod(places, residuals.cards[axis][own])
        is_shown &= states < residuals.n_states[axis][own]
    by_fold = sums.reshape(-1, N_FOLDS, 3, residuals.n_classes)
    return _Cells(own, by_fold) if is_shown.all() else _Cells(own[is_shown], by_fold[is_shown])


def _gains(cells: _Cells, n_tables: int) -> FloatArray:
    # Long axes last: sums over five folds or two classes are slow in the innermost loop.
    sums = np.ascontiguousarray(np.moveaxis(cells.sums, 0, -1))
    residual, expected, curvature = sums[:, 0], sums[:, 1].sum(axis=0), sums[:, 2]
    # Weights that are not whole may leave a rest below 0.
    rest = np.maximum(curvature.sum(axis=0) - curvature, 0.0)
    step = (residual.sum(axis=0) - residual) / (rest + PENALTY)
    gained = (step * (residual - 0.5 * step * curvature)).sum(axis=0)
    weight = expected.sum(axis=0)
    others = 1.0 - np.divide(expected, weight, out=np.ones_like(expected), where=weight > 0)
    terms = (gained * others).sum(axis=0)
    return np.bincount(cells.table, terms, minlength=n_tables).astype(np.float64, copy=False)
