"""Contributions to the log-odds of many rows, column by column: `contributions` as arrays.

Where a row shows all that a column's family looks at, its term is an entry of the CPT, so that a
column of terms is one look-up. The rest, in which missing cells are summed out, is taken apart row
by row.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.network.contributions import terms_of
from bnlr.network.explanation import differences
from bnlr.network.factorization import Factorization
from bnlr.network.opinion_pool import Opinion

_MOST_SUMMED = 300  # rows of which cells are summed out for a mean
_LEAST_LOG = float(np.log(1e-12))  # of a 0, beside which nothing else would have a size


def column_contributions(opinions: Sequence[Opinion], columns: Sequence[str]) -> FloatArray:
    """Log-odds against the first class that each column adds, (n_rows, n_columns + 1, n_classes).

    The last column is what no cell adds: the class's own family, where it has no parents; else they
    share it. A term of several columns, which missing cells join, is divided equally among them.
    Entries are as in `Explanation`: ±inf where a class is impossible.

    Parameters
    ----------
    opinions
        Of the same rows.
    columns
        Attributes, or others, which add nothing.

    Raises
    ------
    TooLargeError
        With missing cells: exact inference would not fit in memory.
    """
    first = opinions[0]
    shape = first.data.n_rows, len(columns) + 1, len(first.network.class_states)
    logs = np.zeros(shape)
    places = {name: place for place, name in enumerate(columns)}
    for one in opinions:
        logs += one.weight * _logs(one.network, one.data, places, shape)
    return differences(logs.reshape(-1, shape[2]), 0).reshape(shape)


def mean_sizes(opinions: Sequence[Opinion], columns: Sequence[str]) -> FloatArray:
    """The mean size of each column's contributions, (n_columns,): how much they move predictions.

    The size is that of the log-odds against the classes' average, less the column's mean over the
    rows, averaged over classes and, by weight, over the rows that show what the column's families
    look at; of latent nodes over at most 300 rows, evenly spaced. Probabilities below 1e-12 are
    taken for that: a column that rules classes out says much, but no infinite amount.
    """
    if not any(_has_latent(one.network) for one in opinions):
        return np.array([_mean_size(opinions, column) for column in columns])
    n_rows = opinions[0].data.n_rows
    some = np.linspace(0, n_rows - 1, min(_MOST_SUMMED, n_rows)).round().astype(np.intp)
    opinions = [one.take(some) for one in opinions]
    logs, weights = column_contributions(opinions, columns), opinions[0].data.weights
    logs = np.clip(logs, _LEAST_LOG, -_LEAST_LOG)
    return np.array([_size(logs[:, place], weights) for place in range(len(columns))])


def _has_latent(network: Factorization) -> bool:
    """Whether the class depends on a node that is summed out of every row."""
    return not set(network.latent).isdisjoint(network.structure.markov_blanket())


def _mean_size(opinions: Sequence[Opinion], column: str) -> float:
    parts = [
        one.weight / share * np.maximum(_shown(one.network, one.data, node), _LEAST_LOG)
        for one in opinions
        for node, share in _holders(one.network, column)
    ]
    if not parts:
        return 0.0
    return _size(np.add.reduce(parts), opinions[0].data.weights)


def _size(logs: FloatArray, weights: FloatArray) -> float:
    is_shown = ~np.isnan(logs).any(axis=1) & (weights > 0)
    if not is_shown.any():
        return 0.0
    told, shares = logs[is_shown], weights[is_shown] / weights[is_shown].sum()
    told = told - told.mean(axis=1, keepdims=True)
    told = told - shares @ told
    return float(shares @ np.abs(told).mean(axis=1))


def _holders(network: Factorization, column: str) -> "Iterator[tuple[str, int]]":
    """Yield the nodes whose families' terms are the column's, with how many columns share each."""
    target = network.structure.class_name
    above = network.structure.parents(target)
    if column in network.structure.children(target):
        yield column, 1
    elif column in above:
        yield target, len(above)


def _logs(
    network: Factorization, data: Dataset, places: dict[str, int], shape: tuple[int, int, int]
) -> FloatArray:
    """Terms of one network up to a constant each, (n_rows, n_columns + 1, n_classes)."""
    logs = np.zeros(shape)
    target = network.structure.class_name
    is_holed = np.zeros(shape[0], dtype=np.bool_)
    family = (target, *network.structure.children(target))
    is_holed |= _has_latent(network)
    for node in () if _has_latent(network) else family:
        terms = _shown(network, data, node)
        is_holed |= np.isnan(terms).any(axis=1)
        _share(logs, places, (node,) if node != target else network.structure.parents(node), terms)
    for rows in _alike(data, np.flatnonzero(is_holed)):
        logs[rows] = _row_logs(network, data.take(rows[:1]), places, shape[1:])
    return logs


def _shown(network: Factorization, data: Dataset, node: str) -> FloatArray:
    """Log P(node | parents, class) for each class, (n_rows, n_classes); NaN where cells miss."""
    target = network.structure.class_name
    family = (*network.structure.parents(node), node)
    seen = [member for member in family if member != target]
    with np.errstate(divide="ignore"):
        table = np.moveaxis(np.log(network.cpts[node]), family.index(target), -1)
    codes = [data.column(member) for member in seen]
    terms: FloatArray = np.array(
        np.broadcast_to(table[tuple(codes)], (data.n_rows, table.shape[-1]))
    )
    for column in codes:
        terms[column < 0] = np.nan
    return terms


def _alike(data: Dataset, rows: "np.ndarray") -> "Iterator[np.ndarray]":
    """Yield the places of equal rows among some."""
    if not len(rows):
        return
    _, groups = np.unique(data.codes[rows], axis=0, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    yield from np.split(rows[order], np.flatnonzero(np.diff(groups.ravel()[order])) + 1)


def _row_logs(
    network: Factorization, row: Dataset, places: dict[str, int], shape: tuple[int, ...]
) -> FloatArray:
    logs = np.zeros(shape)
    own, *rest = terms_of(network, row)
    _share(logs, places, own.above, own.logs)
    for term in rest:
        _share(logs, places, term.below, term.logs)
    return logs


def _share(
    logs: FloatArray, places: dict[str, int], columns: Sequence[str], terms: FloatArray
) -> None:
    """Add terms to those of some columns, an equal share each; of none, to what no cell adds."""
    to = [places[column] for column in columns] or [-1]
    for place in to:
        logs[..., place, :] += terms / len(to)
