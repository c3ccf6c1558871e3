"""How far two variables depend on each other given a set of others, and how far by chance.

With p the shares of the rows that show all variables of a test and N the weight of these rows,

    I(X; Y | Z) = Σ p(x, y, z) ln[p(x, y, z) p(z) / (p(x, z) p(y, z))]     nats
    df          = Σ_z (states of X seen with z − 1)(states of Y seen with z − 1)

I never falls as tables grow: of independent variables it is df / 2N on average (Miller 1955).
BIC's penalty, df · ln N / 2N, is what a dependence has to be worth for BIC to pay for it.

Small tables are counted by `bnlr.design.counting`, those with many cells, which sets of several
nodes soon have, by the cells that occur.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import xlogy

from bnlr._typing import FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.counting import Families, count
from bnlr.structure.bits import members

# A table of more cells than both, or than the largest, is counted by the cells that occur.
_SMALL_TABLE, _CELLS_PER_ROW = 2**12, 4
_LARGEST_TABLE = 2**15
# So many tables are counted at a time.
_BATCH = 256
# Fewer rows for each degree of freedom are too few to tell what a set leaves of a dependence.
ROWS_PER_DF = 5
# Symmetric data have exact ties, which rounding errors of the logarithms must not decide.
_DECIMALS = 12

Test = tuple[int, int, int]


class Dependence:
    """Tests of pairs of nodes given sets of nodes, each made once.

    Nodes are known by their places in ``nodes``, and a set of them by the integer whose bit i
    stands for place i. So the order of the columns changes no bit of a result.

    Parameters
    ----------
    data : Dataset
        A row counts in a test if none of the test's nodes is missing in it. Row weights count.
    threshold : float
        Nats beyond BIC's penalty up to which a dependence is none.
    penalty : bool
        Whether there is that penalty.
    rows_per_df : float
        Rows that a test must have for each degree of freedom; with 0 all are enough.
    n_threads
        All CPUs if not given; changes no bit of a result.

    Attributes
    ----------
    nodes : tuple of str
        All columns, sorted by name.
    """

    def __init__(
        self,
        data: Dataset,
        threshold: float = 0.0,
        n_threads: int | None = None,
        *,
        penalty: bool = True,
        rows_per_df: float = ROWS_PER_DF,
    ) -> None:
        self.data = data
        self.threshold = threshold
        self.penalty = penalty
        self.rows_per_df = rows_per_df
        self.nodes = tuple(sorted(data.nodes))
        self._columns = np.array([data.nodes.index(node) for node in self.nodes], dtype=np.intp)
        self._cards = np.array(list(data.cards.values()), dtype=np.intp)
        self._n_threads = n_threads
        self._n_rows = float(data.weights.sum())
        self._n_seen = self._count_states()
        self._known: dict[Test, float] = {}

    def _count_states(self) -> list[int]:
        """Number of states that occur, of each node in ``nodes``."""
        laid = Families.at(self._cards, self._columns, np.ones(len(self.nodes), dtype=np.intp))
        counts = count(self.data, laid, self._n_threads)
        occurring: IntArray = np.add.reduceat((counts > 0).astype(np.intp), laid.starts[:-1])
        return [int(n) for n in occurring]

    def excess(self, x: int, y: int, given: int = 0) -> float:
        """Return I(x; y | given) less penalty and threshold, nats: above 0 where dependent."""
        return self.excesses([(x, y, given)])[0]

    def excesses(self, tests: Iterable[Test]) -> list[float]:
        """Make many tests (x, y, given), those not met before in few counting passes.

        Values are rounded to 12 decimals, so that ties are ties.
        """
        asked = [(x, y, given) if x < y else (y, x, given) for x, y, given in tests]
        new = [test for test in dict.fromkeys(asked) if test not in self._known]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            information, df, n = self.information(batch)
            penalty = df * np.log(n.clip(min=1.0)) / (2 * np.where(n > 0, n, 1.0)) * self.penalty
            beyond = np.round(information - penalty - self.threshold, _DECIMALS)
            self._known.update(zip(batch, beyond.tolist(), strict=True))
        return [self._known[test] for test in asked]

    def is_supported(self, x: int, y: int, given: int) -> bool:
        """Whether there are rows enough for each degree of freedom that the test may have."""
        df = (self._n_seen[x] - 1) * (self._n_seen[y] - 1)
        for node in members(given):
            df *= max(self._n_seen[node], 1)
        return df * self.rows_per_df <= self._n_rows

    def information(self, tests: Sequence[Test]) -> FloatArray:
        """Compute tests (x, y, given), whether met before or not.

        Returns
        -------
        (3, n_tests) array: I in nats, never negative; degrees of freedom; weight N of the rows. All
        are 0 where no row shows all nodes.
        """
        axes = [self._columns[[*members(given), x, y]] for x, y, given in tests]
        dense = min(max(_SMALL_TABLE, _CELLS_PER_ROW * self.data.n_rows), _LARGEST_TABLE)
        few = [self._cards[own].prod(dtype=np.float64) <= dense for own in axes]
        found = np.empty((3, len(tests)))
        found[:, few] = self._of_all_cells(
            [own for own, is_few in zip(axes, few, strict=True) if is_few]
        )
        for t, own in enumerate(axes):
            if not few[t]:
                found[:, t] = self._of_occurring(own)
        return found

    def _of_all_cells(self, axes: list[IntArray]) -> FloatArray:
        """Test by tables of all cells; the last two axes of each are x and y."""
        if not axes:
            return np.empty((3, 0))
        laid = Families.at(self._cards, np.concatenate(axes), [len(own) for own in axes])
        counts = count(self.data, laid, self._n_threads)
        last = laid.ends[1:] - 1
        n_x, n_y = laid.cards[last - 1], laid.cards[last]
        shapes = np.column_stack([laid.n_cells // (n_x * n_y), n_x, n_y])
        found = np.empty((3, len(axes)))
        # Tables of the same shape at a time, as one array.
        for shape in np.unique(shapes, axis=0):
            chosen = np.flatnonzero((shapes == shape).all(axis=1))
            cells = laid.starts[chosen, None] + np.arange(shape.prod())
            found[:, chosen] = _of_tables(counts[cells].reshape(-1, *shape))
        return found

    def _of_occurring(self, axes: IntArray) -> FloatArray:
        """Test by the cells that occur, in a table that is mostly empty."""
        codes, weights = self.data.codes[:, axes], self.data.row_weights
        seen = (codes >= 0).all(axis=1)
        if weights is not None:
            seen &= weights > 0
            weights = weights[seen]
        codes = codes[seen]
        given = np.zeros(len(codes), dtype=np.int64)
        for axis, own in enumerate(axes[:-2].tolist()):
            # Numbered anew each time: the product of all cards may be more than int64 holds.
            given = _numbered(given * self._cards[own] + codes[:, axis])
        x, y = codes[:, -2:].astype(np.int64).T
        return _of_rows(given, x, y, weights)


def _of_tables(tables: FloatArray) -> FloatArray:
    """I, df and N of tables of weights, (n_tables, configurations of Z, states of X, of Y)."""
    first, second = tables.sum(axis=3), tables.sum(axis=2)
    given = first.sum(axis=2)
    n = given.sum(axis=1)
    df = _free((first > 0).sum(axis=2), (second > 0).sum(axis=2))
    weights = (part.reshape(len(n), -1) for part in (tables, first, second, given))
    total = np.where(n > 0, n, 1.0)[:, None]
    return np.array([_shared(*(part / total for part in weights)), df, n])


def _of_rows(given: IntArray, x: IntArray, y: IntArray, weights: FloatArray | None) -> FloatArray:
    """Do the same from rows: numbers of Z's configurations, codes of X and of Y."""
    if not len(given):
        return np.zeros(3)
    n = float(len(given) if weights is None else weights.sum())
    n_x, n_y = int(x.max()) + 1, int(y.max()) + 1
    first, second = given * n_x + x, given * n_y + y
    seen = [
        np.bincount(np.unique(pairs) // card, minlength=int(given.max()) + 1)
        for pairs, card in ((first, n_x), (second, n_y))
    ]
    cells = (first * n_y + y, first, second, given)
    shares = [np.bincount(_numbered(own), weights) / n for own in cells]
    return np.array([_shared(*shares), _free(*seen), n])


def _numbered(values: IntArray) -> IntArray:
    """Replace values by their ranks among the values that occur."""
    ranks: IntArray = np.unique(values, return_inverse=True)[1]
    return ranks


def _shared(
    joint: FloatArray, first: FloatArray, second: FloatArray, given: FloatArray
) -> FloatArray:
    """I from the shares of the cells (x, y, z), (x, z), (y, z) and z, along the last axis."""
    parts = [xlogy(shares, shares).sum(axis=-1) for shares in (joint, first, second, given)]
    information: FloatArray = np.maximum(parts[0] - parts[1] - parts[2] + parts[3], 0.0)
    return information


def _free(first: IntArray, second: IntArray) -> FloatArray:
    """Degrees of freedom from the numbers of states of X and of Y seen with each z."""
    free: FloatArray = np.maximum(first - 1.0, 0.0) * np.maximum(second - 1.0, 0.0)
    sums: FloatArray = free.sum(axis=-1)
    return sums
