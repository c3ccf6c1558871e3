"""What the supremum of the CLL settles, and the rest, whose optimum is finite.

Under separation the CLL has no maximiser. Along a direction of recession no row's own class loses
against another, and some classes that a configuration of attributes never shows lose all their
probability there. The supremum is that of the limiting conditional model, in which these classes
are impossible (Geyer 2009, "Likelihood inference in exponential families and directions of
recession", sections 3.3 to 3.6): a configuration left with one class adds 0 to it, the others a
problem with a finite optimum. Which classes that are depends on what occurs, never on how often.

They are found in three ways, cheapest first. A cell whose open configurations never show a class,
or show that class alone, is a direction by itself (`LimitingModel.by_cells`). A strictly positive
solution of the moment equations proves that nothing is left (`restricted_optimum`). Else a linear
program finds all of the rest at once (`LimitingModel.by_program`), in the manner of Konis (2007).
"""

from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, qr_multiply, solve_triangular
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.design.pack import Packing
from bnlr.design.packed_rows import Design

# Configurations · cells that are written out.
LARGEST_MATRIX = 10_000_000
# A dense factorisation of pairs · parameters² is preferred to Hessian products up to here.
_LARGEST_FACTOR = 2e8
_CERTAIN = 0.5  # a pair that runs away has slack 1 in the program, any other 0
_VIOLATION = 1e-6
_RANK = 1e-9
_FEW_ITERATIONS, _MOST_ITERATIONS, _MOST_HALVINGS = 6, 60, 40
_SHRUNK, _LEVEL = 0.5, 1e4
_FAR, _LONGEST, _SETTLED = 3.0, 8.0, 1e-9  # log-odds
_TINY = 1e-300
_EPS = 2.0**-52
_ROUNDING = 4 * _EPS
_NEAR = 0.1  # log-odds within which the curvature changes little
_DROPPED = 10.0  # times the residual: probabilities below it cannot be told from 0
_MOST_DROPS = 3


@dataclass(frozen=True)
class Configurations:
    """The distinct configurations of the attributes in packed rows.

    Attributes
    ----------
    cells : FloatArray of shape (n, n_cells)
        1 at each configuration's family cells, 0 elsewhere; cells that none shows are left out.
    shown : IntArray of shape (n_cells,)
        The places of these cells in the stacked tables.
    counts : FloatArray of shape (n, n_classes)
        Summed weights of its rows of each class.
    of_rows : IntArray of shape (n_rows,)
        The configuration of each packed row.
    """

    cells: FloatArray
    shown: IntArray
    counts: FloatArray
    of_rows: IntArray

    @classmethod
    def of(cls, design: Design) -> "Configurations":
        """Merge the rows of ``design`` that differ in the class alone."""
        codes, inverse = np.unique(design.codes, axis=1, return_inverse=True)
        counts = np.zeros((codes.shape[1], design.layout.n_classes))
        np.add.at(counts, (inverse.ravel(), design.classes), design.weights)
        packing = design.packing
        shown, places = np.unique(_family_cells(packing, codes), return_inverse=True)
        cells = np.zeros((codes.shape[1], len(shown)))
        cells[np.arange(len(cells))[:, None], places.reshape(len(cells), -1)] = 1.0
        return cls(cells, shown, counts, inverse.ravel())


def _family_cells(packing: Packing, codes: CodeArray) -> IntArray:
    """Each family's cell of every configuration, (n, n_families)."""
    at = codes.astype(np.intp) + packing.offsets[:-1, None].astype(np.intp)
    first = packing.ends[at].astype(np.intp)
    sizes = (packing.ends[at[:, 0] + 1] - packing.ends[at[:, 0]]).astype(np.intp)
    columns = [own + k for own, size in zip(first, sizes, strict=True) for k in range(size)]
    cells: IntArray = packing.cells[np.stack(columns, axis=1)].astype(np.intp)
    return cells


@dataclass(frozen=True)
class LimitingModel:
    """Which classes keep a probability as the CLL tends to its supremum.

    Attributes
    ----------
    observed : BoolArray of shape (n, n_classes)
        Classes that a configuration shows.
    possible : BoolArray of shape (n, n_classes)
        Classes not known to lose all probability, the observed ones among them.
    """

    given: Configurations
    observed: BoolArray
    possible: BoolArray

    @classmethod
    def of(cls, given: Configurations) -> "LimitingModel":
        """The model in which every class is possible."""
        observed = given.counts > 0
        return cls(given, observed, np.ones_like(observed))

    @property
    def open(self) -> BoolArray:
        """Configurations with more than one possible class, (n,)."""
        several: BoolArray = self.possible.sum(axis=1) > 1
        return several

    def without(self, impossible: BoolArray) -> "LimitingModel":
        """The same without further classes, (n, n_classes); the observed ones stay."""
        return replace(self, possible=self.possible & (self.observed | ~impossible))

    def by_cells(self) -> "LimitingModel":
        """Settle what single cells settle, until none settles any more.

        Lowering a class in a cell that shows it in no open configuration harms none; nor does
        raising it in a cell whose open configurations show it alone wherever it is possible.
        """
        model, cells = self, self.given.cells
        by_cell = cells.T
        sole = model.observed & (model.observed.sum(axis=1, keepdims=True) == 1)
        while True:
            is_open = model.open[:, None]
            shown = by_cell @ (model.observed & is_open).astype(np.float64) > 0
            contested = by_cell @ (model.possible & ~sole & is_open).astype(np.float64) > 0
            lowered = cells @ (~shown).astype(np.float64) > 0
            raised = (cells @ (~contested).astype(np.float64) > 0) & sole & is_open
            after = model.without(lowered & is_open | raised.any(axis=1, keepdims=True))
            if (after.possible == model.possible).all():
                return model
            model = after

    @property
    def size(self) -> int:
        """Open configurations times their possible classes but one."""
        return int(self.possible[self.open].sum() - self.open.sum())

    def by_program(self, kept: BoolArray | None = None) -> "Settled | None":
        """Settle all that is not, by one linear program; None if it cannot be solved.

        ``kept`` are classes, (n, n_classes), that are known to keep a probability.
        """
        pairs = self.pairs()
        odds = csr_array(pairs.matrix(self.given.cells, self.observed.shape[1]))
        held = self.observed if kept is None else self.observed | kept
        is_free = ~held[pairs.rows, pairs.classes]
        n, n_free = odds.shape[1], int(is_free.sum())
        slack = csr_array(eye_array(n_free))
        result = linprog(
            np.concatenate([np.zeros(n), -np.ones(n_free)]),
            A_ub=hstack([odds[is_free], slack], format="csr"),
            b_ub=np.zeros(n_free),
            A_eq=hstack([odds[~is_free], csr_array((len(is_free) - n_free, n_free))], format="csr"),
            b_eq=np.zeros(len(is_free) - n_free),
            bounds=[(None, None)] * n + [(0.0, 1.0)] * n_free,
            method="highs",
        )
        if result.x is None:
            return None
        direction: FloatArray = result.x[:n]
        moved: FloatArray = np.asarray(odds @ direction)
        goes = np.zeros(len(is_free), dtype=np.bool_)
        goes[is_free] = result.x[n:] > _CERTAIN
        if (moved[goes] > -_CERTAIN).any() or (np.abs(moved[~goes]) > _VIOLATION).any():
            return None
        impossible = np.zeros_like(self.possible)
        impossible[pairs.rows[goes], pairs.classes[goes]] = True
        along = direction if goes.any() else np.zeros(n)
        return Settled(self.without(impossible), along.reshape(self.given.cells.shape[1], -1))

    def pairs(self) -> "Pairs":
        """The open configurations' possible classes but one, the heaviest observed class."""
        reference = self.given.counts.argmax(axis=1)
        paired = self.possible & self.open[:, None]
        paired[np.arange(len(paired)), reference] = False
        rows, classes = np.nonzero(paired)
        return Pairs(rows, classes, reference[rows])


@dataclass(frozen=True)
class Pairs:
    """Configurations (``rows``, ascending) and their ``classes``, beside the ``reference`` class.

    All of shape (n_pairs,).
    """

    rows: IntArray
    classes: IntArray
    reference: IntArray

    @property
    def starts(self) -> IntArray:
        """The first pair of each configuration that has some."""
        firsts: IntArray = np.flatnonzero(np.r_[True, np.diff(self.rows) > 0][: len(self.rows)])
        return firsts

    def matrix(self, cells: FloatArray, n_classes: int) -> FloatArray:
        """The map from tables (n_cells · (n_classes − 1)) to the pairs' log-odds."""
        signs = np.zeros((len(self.rows), n_classes))
        signs[np.arange(len(signs)), self.classes] = 1.0
        signs[np.arange(len(signs)), self.reference] = -1.0
        # The first class has no parameters.
        odds: FloatArray = cells[self.rows][:, :, None] * signs[:, None, 1:]
        return odds.reshape(len(signs), -1)


@dataclass(frozen=True)
class Settled:
    """What a linear program leaves, and the ``direction`` (n_cells, n_classes − 1) it found.

    The direction is 0 if nothing more runs away.
    """

    model: LimitingModel
    direction: FloatArray


@dataclass(frozen=True)
class Optimum:
    """What the optimum of a limiting model proves.

    ``bound`` is an upper bound on the supremum, ``is_finite`` whether no further class runs away.
    """

    bound: float
    is_finite: bool


def restricted_optimum(
    model: LimitingModel, scores: FloatArray, is_known: bool = False, is_quick: bool = False
) -> Optimum | None:
    """Optimum of the open configurations; None if it cannot be had.

    By weak duality no parameters exceed −Σ w·H(q) if the class distributions q meet the observed
    counts, strictly between 0 and 1 where a class is possible; what rounding leaves of the counts
    counts at the optimum's own parameters. Classes that the data do not keep apart from impossible
    ones at working precision are made so, which only raises the bound.

    Parameters
    ----------
    scores : array of shape (n, n_classes − 1)
        Log-odds of the configurations' classes to the first, to start from.
    is_known
        Whether it is known that no further class runs away.
    is_quick
        Whether to look only for an optimum that is finite, and a few steps away.
    """
    is_finite, scores = True, np.pad(scores, ((0, 0), (1, 0)))
    for _ in range(_MOST_DROPS):
        pairs = model.pairs()
        if not len(pairs.rows):
            return Optimum(0.0, is_finite=is_finite)
        own, reference = (pairs.rows, pairs.classes), (pairs.rows, pairs.reference)
        start = _Restricted.of(model, pairs, scores[own] - scores[reference])
        found = start.solved(_FEW_ITERATIONS if is_quick else _MOST_ITERATIONS)
        if found.bound is not None and (found.is_interior or is_known):
            return Optimum(found.bound, is_finite=is_finite)
        if is_quick:
            return None
        is_known = False
        is_finite = False
        dropped = np.zeros_like(model.possible)
        dropped[pairs.rows, pairs.classes] = found.masses <= _DROPPED * found.residual
        after = model.without(dropped)
        if (after.possible == model.possible).all():
            return None
        model = after
    return None


def is_factored(model: LimitingModel) -> bool:
    """Whether the open configurations are few enough for `restricted_optimum`."""
    n_parameters = model.given.cells.shape[1] * (model.observed.shape[1] - 1)
    return bool(model.size * min(model.size, n_parameters) * n_parameters <= _LARGEST_FACTOR)


@dataclass(frozen=True)
class _Found:
    """``masses`` are weight · probability of the pairs, ``residual`` ‖what the counts miss‖.

    ``bound`` holds if the optimum is finite, as it is where ``is_interior``; None if it is far.
    """

    bound: float | None
    residual: float
    masses: FloatArray
    is_interior: bool


@dataclass(frozen=True)
class _Restricted:
    """The open configurations: log-odds u = odds @ b of their pairs, of full column rank.

    ``range`` is an orthonormal basis of what u may be; ``owners`` are the pairs' configurations, of
    which ``starts`` are the first pairs and ``weights`` the weights; ``counts`` are the pairs',
    ``reference_counts`` those of the configurations' reference; ``start`` is a point b.
    """

    odds: FloatArray
    range: FloatArray
    owners: IntArray
    starts: IntArray
    weights: FloatArray
    counts: FloatArray
    reference_counts: FloatArray
    start: FloatArray

    @classmethod
    def of(cls, model: LimitingModel, pairs: Pairs, log_odds: FloatArray) -> "_Restricted":
        odds = pairs.matrix(model.given.cells, model.observed.shape[1])
        odds = odds[:, odds.any(axis=0)]
        columns, triangle, order = qr(odds, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(triangle))
        rank = int((diagonal > _RANK * diagonal.max(initial=0.0)).sum())
        basis = np.asarray(columns[:, :rank], dtype=np.float64)
        counts, starts = model.given.counts, pairs.starts
        seen = counts[model.observed]
        far = _FAR + float(np.log(seen.sum() / seen.min()))
        near = np.clip(log_odds, -far, far)
        firsts = pairs.rows[starts]
        return cls(
            # Weights may differ by many orders: 0, 1 and −1 keep the large ones out of the small.
            odds=np.ascontiguousarray(odds[:, order[:rank]]),
            range=basis,
            owners=np.unique(pairs.rows, return_inverse=True)[1],
            starts=starts,
            weights=counts.sum(axis=1)[firsts],
            counts=counts[pairs.rows, pairs.classes],
            reference_counts=counts[firsts, pairs.reference[starts]],
            start=solve_triangular(triangle[:rank, :rank], basis.T @ near),
        )

    def solved(self, most: int) -> _Found:
        """Newton's method until the steps are too small to matter or lead nowhere."""
        at = self._at(self.start)
        step = self._newton(at)
        for _ in range(most):
            if step is None or self._size(step) <= _SETTLED:
                break
            better = self._improved(at, step)
            if better is None:
                break
            at, step = better
        return self._judged(at, step)

    def _improved(
        self, at: "_Point", step: FloatArray
    ) -> "tuple[_Point, FloatArray | None] | None":
        """A point along the step that is progress, and the step from there; None if none is."""
        promised = float(at.gradient @ step)
        s = min(1.0, _LONGEST / max(self._size(step), _TINY))
        for _ in range(_MOST_HALVINGS):
            after = self._at(at.b - s * step)
            onward = self._newton(after)
            if after.value < at.value - 1e-4 * s * promised - at.rounding:
                return after, onward
            # Within rounding of the value only the way that is left can tell.
            is_level = after.value < at.value + _LEVEL * at.rounding
            if is_level and onward is not None and self._size(onward) < _SHRUNK * self._size(step):
                return after, onward
            s *= 0.5
        return None

    def _size(self, step: FloatArray) -> float:
        """Largest change of log-odds."""
        return float(np.abs(self.odds @ step).max(initial=0.0))

    def _at(self, b: FloatArray) -> "_Point":
        lines, counts, likeliest = self._by_likeliest(self.odds @ b)
        u = lines @ b
        odds = np.exp(u)
        sums = np.add.reduceat(odds, self.starts)
        masses = odds * (self.weights / (1.0 + sums))[self.owners]
        terms = self.weights * np.log1p(sums), counts * u
        value = float(terms[0].sum() - terms[1].sum())
        rounding = _ROUNDING * sum(float(np.abs(term).sum()) for term in terms)
        return _Point(b, value, rounding, lines, masses, masses - counts, sums, likeliest)

    def _by_likeliest(self, u: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """Lines and counts with each configuration's likeliest class as its reference.

        Then 1 less a probability near 1 is never needed. The pairs of these classes, also
        returned, come to stand for the references that they replace.
        """
        lines, counts = self.odds, self.counts
        highest = np.flatnonzero((u > 0) & (u == np.maximum.reduceat(u, self.starts)[self.owners]))
        if not len(highest):
            return lines, counts, highest
        owners, first = np.unique(self.owners[highest], return_index=True)
        likeliest = highest[first]
        replaced = np.full(len(self.starts), -1)
        replaced[owners] = likeliest
        mine = replaced[self.owners]
        lines, counts = np.where(mine[:, None] >= 0, lines - lines[mine], lines), counts.copy()
        lines[likeliest] = -self.odds[likeliest]
        counts[likeliest] = self.reference_counts[owners]
        return lines, counts, likeliest

    def _newton(self, at: "_Point") -> FloatArray | None:
        """Solve H·step = gradient as least squares; None where H is singular as numbers go.

        H = AᵀA, and weights of all orders stand in the rows of A: rotations of its columns, the
        heaviest rows first, keep them apart, which products AᵀA would not (Cox & Higham 1998).
        """
        masses = np.maximum(at.masses, _TINY)
        roots = np.sqrt(masses / self.weights[self.owners])
        reference = np.sqrt(1.0 / (1.0 + at.sums))
        # The square root of diag(q) − qqᵀ is (I − a·vvᵀ)·diag(v), v = √q, a = 1 / (1 + √q₀).
        inner = (1.0 / (1.0 + reference))[self.owners] * roots
        lines = np.sqrt(masses)[:, None] * at.lines
        lines -= inner[:, None] * self._summed(roots[:, None] * lines)
        missed = at.missed / np.sqrt(masses)
        missed += inner / reference[self.owners] * self._summed(roots * missed)
        first = np.argsort(-np.abs(lines).max(axis=1), kind="stable")
        product, triangle, order = qr_multiply(
            lines[first], missed[first], mode="right", pivoting=True
        )
        if not (np.diag(triangle) != 0).all():
            return None
        step = np.empty(len(order))
        step[order] = solve_triangular(triangle, product)
        return step if np.isfinite(step).all() else None

    def _summed(self, values: FloatArray) -> FloatArray:
        """Sum over each configuration's pairs, repeated for these."""
        sums: FloatArray = np.add.reduceat(values, self.starts, axis=0)[self.owners]
        return sums

    def _judged(self, at: "_Point", step: FloatArray | None) -> _Found:
        masses, differences = at.masses.copy(), at.missed.copy()
        own = self.owners[at.likeliest]
        masses[at.likeliest] = (self.weights / (1.0 + at.sums))[own]
        differences[at.likeliest] = -np.add.reduceat(at.missed, self.starts)[own]
        missed = _norm(self.range.T @ differences) + _EPS * float(np.abs(differences).sum())
        if step is None or self._size(step) > _NEAR:
            return _Found(None, missed, masses, is_interior=False)
        free = masses[self.counts == 0]
        # To second order the optimum is half of this higher.
        short = abs(float(at.gradient @ step))
        bound = -at.value + short + at.rounding
        return _Found(bound, missed, masses, is_interior=missed < free.min(initial=inf))


class _Point(NamedTuple):
    """b, −CLL there with what rounding may add, and the rest by the likeliest classes.

    ``lines`` @ b are log-odds, ``sums`` the configurations' sums of their odds, ``masses`` weight ·
    probability of the pairs, ``missed`` these less the counts.
    """

    b: FloatArray
    value: float
    rounding: float
    lines: FloatArray
    masses: FloatArray
    missed: FloatArray
    sums: FloatArray
    likeliest: IntArray

    @property
    def gradient(self) -> FloatArray:
        """Derivative of −CLL in b."""
        slope: FloatArray = self.lines.T @ self.missed
        return slope


def _norm(values: FloatArray) -> float:
    return float(np.sqrt(values @ values))
