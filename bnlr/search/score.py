"""Scores of families that add up to the generative score of a structure.

A family is a node with its parents. With n(p, s) the weight of the rows in which the parents are in
configuration p and the node in state s, n(p) its sum over the states and N the weight of all rows,
in "bic" 1 if it is less,

    log-likelihood   Σ n(p, s) ln(n(p, s) / n(p))
    aic              log-likelihood − free parameters, (states − 1) · configurations
    bic              log-likelihood − ½ ln N · free parameters (Schwarz 1978)
    k2               Σ_p [ln Γ(r) − ln Γ(n(p) + r) + Σ_s ln Γ(n(p, s) + 1)], r states
                     (Cooper & Herskovits 1992)
    bdeu             the same with a Dirichlet prior of ess / (configurations · r) a cell
                     (Buntine 1991; Heckerman, Geiger & Chickering 1995)

All take weights for numbers of rows. Weights that sum to 1, such as AdaBoost's, tell of one row: a
parameter costs nothing under "bic" then, and every arc pays; multiply them by the number of rows
first.

K2 and BDeu are logarithms of marginal likelihoods without a prior over structures. All logarithms
are natural; the larger a score, the better. A further score is one more function of
`FamilyTables`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from scipy.special import gammaln, xlogy

from bnlr._typing import FloatArray, IntArray
from bnlr.arguments import number, one_of
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.design.counting import Families, count
from bnlr.design.families import refuse_too_large
from bnlr.errors import DataError, ParameterError, StructureError
from bnlr.search.batches import in_batches
from bnlr.structure.dag import Structure

Family = tuple[str, frozenset[str]]


@dataclass(frozen=True)
class FamilyTables:
    """Contingency tables of many families, laid flat one after another, the node's states last.

    Attributes
    ----------
    counts : float array of shape (cells of all families,)
        n(p, s): weight of the rows in each cell.
    starts : integer array of shape (n_families,)
        Where each family's cells begin in ``counts``.
    n_states, n_configurations : integer arrays of shape (n_families,)
        States of the family's node, and joint states of its parents.
    n : float
        N, the weight of all rows.
    """

    counts: FloatArray
    starts: IntArray
    n_states: IntArray
    n_configurations: IntArray
    n: float

    @cached_property
    def totals(self) -> FloatArray:
        """n(p): weight of each parent configuration, flat in the families' order."""
        states = np.repeat(self.n_states, self.n_configurations)
        sums: FloatArray = np.add.reduceat(self.counts, np.cumsum(states) - states)
        return sums

    @cached_property
    def total_starts(self) -> IntArray:
        """Where each family's configurations begin in ``totals``, shape (n_families,)."""
        starts: IntArray = np.cumsum(self.n_configurations) - self.n_configurations
        return starts

    @property
    def n_free(self) -> IntArray:
        """Free parameters of each family, shape (n_families,)."""
        return (self.n_states - 1) * self.n_configurations

    def sum_cells(self, terms: FloatArray) -> FloatArray:
        """Add up one term a cell within each family."""
        sums: FloatArray = np.add.reduceat(terms, self.starts)
        return sums

    def sum_configurations(self, terms: FloatArray) -> FloatArray:
        """Add up one term a parent configuration within each family."""
        sums: FloatArray = np.add.reduceat(terms, self.total_starts)
        return sums


Score = Callable[[FamilyTables], FloatArray]


def log_likelihood(tables: FamilyTables) -> FloatArray:
    """Largest log-likelihood of each family, shape (n_families,)."""
    return tables.sum_cells(_n_ln_n(tables.counts)) - tables.sum_configurations(
        _n_ln_n(tables.totals)
    )


def _n_ln_n(n: FloatArray) -> FloatArray:
    return np.asarray(xlogy(n, n), dtype=np.float64)


def aic(tables: FamilyTables) -> FloatArray:
    """Log-likelihood minus the number of free parameters."""
    return log_likelihood(tables) - tables.n_free


def bic(tables: FamilyTables) -> FloatArray:
    """Log-likelihood minus ½ ln max(N, 1) for each free parameter."""
    # Weights may sum to less than 1, where a parameter would have a negative price.
    return log_likelihood(tables) - 0.5 * log(max(tables.n, 1.0)) * tables.n_free


def k2(tables: FamilyTables) -> FloatArray:
    """Log marginal likelihood under a uniform prior of every CPT row."""
    return _dirichlet(tables, np.ones(len(tables.starts)))


def bdeu(tables: FamilyTables, ess: float = 1.0) -> FloatArray:
    """Log marginal likelihood under a prior worth ``ess`` rows, spread evenly over the cells.

    Raises
    ------
    ParameterError
        ``ess`` is not a positive number.
    """
    ess = number("ess", ess, " of rows above 0")
    if not 0 < ess < np.inf:
        raise ParameterError(f"ess is {ess!r}; it must be a finite number of rows above 0")
    return _dirichlet(tables, ess / (tables.n_configurations * tables.n_states))


def _dirichlet(tables: FamilyTables, alpha: FloatArray) -> FloatArray:
    """ln of the marginal likelihood with ``alpha`` rows a cell beforehand, one value a family."""
    cells = _rising(tables.counts, alpha, tables.n_configurations * tables.n_states)
    return cells - _rising(tables.totals, alpha * tables.n_states, tables.n_configurations)


def _rising(n: FloatArray, alpha: FloatArray, sizes: IntArray) -> FloatArray:
    """Σ [ln Γ(n + α) − ln Γ(α)] within each family: ``sizes`` entries, all of the same α."""
    # Large tables are mostly empty, and ln Γ is what takes the time.
    seen = np.flatnonzero(n != 0)
    own = np.repeat(np.arange(len(sizes)), sizes)[seen]
    terms = gammaln(n[seen] + alpha[own]) - gammaln(alpha)[own]
    sums: FloatArray = np.bincount(own, terms, minlength=len(sizes)).astype(np.float64, copy=False)
    return sums


SCORES: Mapping[str, Score] = {
    "aic": aic,
    "bdeu": bdeu,
    "bic": bic,
    "k2": k2,
    "log-likelihood": log_likelihood,
}


class FamilyScores:
    """One kind of score of a data set's families, each computed once.

    A score does not depend on the order of the parents or of the columns, nor on the families it
    is computed with, to the bit.

    Parameters
    ----------
    data : Dataset
        Complete; rows without a class are left out. Row weights count.
    kind : str or callable
        One of ``SCORES``, or a function of `FamilyTables` such as ``partial(bdeu, ess=10)``.
    n_threads
        All CPUs if not given; changes no bit of a score.

    Attributes
    ----------
    data : Dataset
        The rows that count.
    nodes : tuple of str
        Its columns in the order of their names, which is that of the parents in a table.
    n_rows : float
        Weight of all rows.

    Raises
    ------
    ParameterError
        An unknown kind.
    MissingCellsError
        An attribute cell is missing.
    DataError
        No row with a class, or all of weight 0.
    """

    def __init__(
        self, data: Dataset, kind: str | Score = "bic", n_threads: int | None = None
    ) -> None:
        self.data = _usable(data)
        self.kind = kind
        self.n_rows = self.data._total_weight
        self.nodes = tuple(sorted(self.data.nodes))
        self._columns = np.array([self.data.nodes.index(node) for node in self.nodes], np.intp)
        self._cards = np.array(list(self.data.cards.values()), dtype=np.intp)
        self._score = _score_of(kind)
        self._n_threads = n_threads
        self._known: dict[Family, float] = {}

    def score(self, node: str, parents: Iterable[str] = ()) -> float:
        """Score one family; errors as `scores`."""
        return float(self.scores([(node, parents)])[0])

    def scores(self, families: Iterable[tuple[str, Iterable[str]]]) -> FloatArray:
        """Score many families, those not met before in one counting pass.

        Parameters
        ----------
        families
            Pairs of a node and its parents, in any order.

        Returns
        -------
        float array of shape (n_families,)

        Raises
        ------
        DataError
            A node that is not a column of the data.
        StructureError
            A node among its own parents.
        TooLargeError
            A table would not fit in memory; nothing has been allocated.
        """
        asked = [(node, frozenset(parents)) for node, parents in families]
        new = {family for family in asked if family not in self._known}
        # Neighbours that differ in the last axis only, the node, are counted fastest.
        self._learn(sorted((tuple(sorted(parents)), node) for node, parents in new))
        return np.array([self._known[family] for family in asked])

    def total(self, structure: Structure) -> float:
        """Score a structure: the sum over its families; errors as `scores`."""
        families = [(node, structure.parents(node)) for node in structure.nodes]
        return float(self.scores(families).sum())

    def scores_at(self, axes: IntArray, lengths: IntArray) -> FloatArray:
        """Score many families without looking them up or keeping them: what a search needs.

        Parameters
        ----------
        axes : integer array
            The families one after another: places in ``nodes``, each family's parents ascending,
            then its node.
        lengths : integer array of shape (n_families,)
            How many places each family has.

        Returns
        -------
        float array of shape (n_families,), the same bits as those of `scores`

        Raises
        ------
        TooLargeError
            A table would not fit in memory; nothing has been allocated.
        """
        ends = np.cumsum(lengths)
        places = self._columns[axes]
        self._refuse_large(places, ends - lengths, lengths)
        laid = Families.at(self._cards, places, lengths)
        return self._scored(laid)

    def _refuse_large(self, places: IntArray, starts: IntArray, lengths: IntArray) -> None:
        sizes = np.multiply.reduceat(self._cards[places].astype(np.float64), starts)
        largest = int(sizes.argmax())
        own = places[starts[largest] : starts[largest] + lengths[largest]]
        names = tuple(self.data.nodes[place] for place in own)
        refuse_too_large(names[-1], names, int(sizes[largest]))

    def _learn(self, families: list[tuple[tuple[str, ...], str]]) -> None:
        if not families:
            return
        for parents, node in families:
            if node in parents:
                raise StructureError(f"node {node!r} is among its own parents; leave it out")
        laid = Families.of(self.data, [(*parents, node) for parents, node in families])
        keys = ((node, frozenset(parents)) for parents, node in families)
        self._known.update(zip(keys, self._scored(laid).tolist(), strict=True))

    def _scored(self, laid: Families) -> FloatArray:
        """Score families, a batch of tables at a time."""
        scores = np.empty(len(laid))
        for batch in in_batches(laid.n_cells):
            which = np.zeros(len(laid), dtype=np.bool_)
            which[batch] = True
            scores[batch] = self._score(self._tables(laid if which.all() else laid.chosen(which)))
        return scores

    def _tables(self, laid: Families) -> FamilyTables:
        counts = count(self.data, laid, self._n_threads)
        n_states = laid.cards[laid.ends[1:] - 1]
        configurations = laid.n_cells // n_states
        return FamilyTables(counts, laid.starts[:-1], n_states, configurations, self.n_rows)


def _usable(data: Dataset) -> Dataset:
    """Return the rows with a class; refuse missing cells and weightless data."""
    check_dataset(data)
    data.check_complete()
    if data.class_name in data.missing_counts:
        data = data._mapped(_labelled)
    if not data._total_weight > 0:
        raise DataError("no row has a class and a weight above 0; scores need counted rows")
    return data


def _labelled(data: Dataset) -> Dataset:
    return data.take(data.class_codes >= 0)


def _score_of(kind: str | Score) -> Score:
    if callable(kind):
        return kind
    return SCORES[one_of("score", kind, SCORES)]
