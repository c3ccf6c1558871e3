"""Separation in exact rational arithmetic, and the supremum of the CLL in fifty digits.

The L-model's log-odds of a configuration's classes are linear in its tables, with coefficients 0
and ±1. Pairs (configuration, class) whose class the rows never show lose all probability where
some tables lower them and move no pair that the rows show: a linear program over the rationals.
What is left is maximised by Newton's method, whose last steps are taken in fifty digits.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from mpmath import mp, mpf
from scipy.optimize import linprog

from tests.oracles.model import Array, Model, Rows, Weights, weights_of

DIGITS = 50


@dataclass
class Problem:
    """Distinct configurations: their cells (n, n_cells) of 0 and 1, and weights by class."""

    cells: np.ndarray
    counts: list[list[float]]

    @classmethod
    def of(cls, model: Model, rows: Rows, weights: Weights = None) -> Problem:
        """Rows whose class's families are whole; equal configurations are merged."""
        scopes = [
            [n for n in model.family(f) if n != model.class_name] for f in model.class_families
        ]
        counts: dict[tuple, list[list[float]]] = defaultdict(
            lambda: [[] for _ in range(model.n_classes)]
        )
        for row, weight in zip(rows, weights_of(rows, weights), strict=True):
            seen = model.observed(row)
            if weight > 0 and model.class_name in seen:
                key = tuple(tuple(seen[n] for n in scope) for scope in scopes)
                counts[key][seen[model.class_name]].append(float(weight))
        places: dict[tuple, int] = {}
        for key in counts:
            for cell in enumerate(key):
                places.setdefault(cell, len(places))
        cells = np.zeros((len(counts), len(places)), dtype=int)
        for i, key in enumerate(counts):
            cells[i, [places[cell] for cell in enumerate(key)]] = 1
        return cls(cells, [[exact_sum(w) for w in own] for own in counts.values()])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """(configuration, class) without each configuration's reference, an observed class."""
        return [
            (i, c)
            for i, own in enumerate(self.counts)
            for c in range(len(own))
            if c != self.reference(i)
        ]

    def reference(self, i: int) -> int:
        return max(range(len(self.counts[i])), key=lambda c: self.counts[i][c])

    def line(self, i: int, c: int) -> np.ndarray:
        """Coefficients of log P(c) − log P(reference) in the tables, 0 and ±1."""
        line = np.zeros((self.cells.shape[1], len(self.counts[i])), dtype=int)
        line[:, c] += self.cells[i]
        line[:, self.reference(i)] -= self.cells[i]
        return line[:, 1:].ravel()


def exact_sum(weights: list[float]) -> mpf:
    with mp.workdps(DIGITS):
        return mp.fsum(mpf(w) for w in weights)


def impossible(problem: Problem) -> set[tuple[int, int]]:
    """The pairs that lose all probability, by the simplex method in rational numbers.

    Maximise Σ t over 0 ≤ t ≤ 1 with log-odds ≤ −t for pairs that never occur and = 0 for others.
    """
    free, _, lines = _split(problem)
    width = lines.shape[1]
    rows, limits = [], []
    for k, line in enumerate(lines[: len(free)]):
        unit = [int(j == k) for j in range(len(free))]
        rows.append([*line, *(-line), *unit])
        rows.append([*[0] * (2 * width), *unit])
        limits += [0, 1]
    for line in lines[len(free) :]:
        for sign in (1, -1):
            rows.append([*(sign * line), *(-sign * line), *[0] * len(free)])
            limits.append(0)
    solution = simplex(rows, limits, [0] * (2 * width) + [1] * len(free))
    return {pair for pair, t in zip(free, solution[2 * width :], strict=True) if t > 0}


def impossible_by_highs(problem: Problem) -> set[tuple[int, int]]:
    """The same by SciPy's solver; that they run away is checked in rational numbers.

    That no other does shows when Newton's method finds the maximum of the rest.
    """
    free, held, lines = _split(problem)
    if not free:
        return set()
    n, width = len(free), lines.shape[1]
    result = linprog(
        [0.0] * width + [-1.0] * n,
        A_ub=np.hstack([lines[:n], np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.hstack([lines[n:], np.zeros((len(held), n))]) if held else None,
        b_eq=np.zeros(len(held)) if held else None,
        bounds=[(None, None)] * width + [(0, 1)] * n,
    )
    direction = [Fraction(float(v)).limit_denominator(1000) for v in result.x[:width]]
    moves = [sum(int(c) * v for c, v in zip(line, direction, strict=True) if c) for line in lines]
    if any(moves[n:]) or any(move > 0 for move in moves[:n]):
        return impossible(problem)
    return {pair for pair, move in zip(free, moves[:n], strict=True) if move < 0}


def _split(problem: Problem) -> tuple[list, list, np.ndarray]:
    """Pairs that never occur, those that do, and the lines of both, in this order."""
    free = [(i, c) for i, c in problem.pairs if not problem.counts[i][c]]
    held = [(i, c) for i, c in problem.pairs if problem.counts[i][c]]
    return free, held, np.array([problem.line(*pair) for pair in [*free, *held]])


def simplex(lines: list[list[int]], limits: list[int], gains: list[int]) -> list[Fraction]:
    """Maximise gains · x over lines · x ≤ limits (≥ 0), x ≥ 0; Bland's rule, so it ends."""
    n, m = len(gains), len(lines)
    table = [
        [*(Fraction(int(v)) for v in line), *(Fraction(int(j == i)) for j in range(m)), Fraction(b)]
        for i, (line, b) in enumerate(zip(lines, limits, strict=True))
    ]
    goal = [*(Fraction(-int(g)) for g in gains), *[Fraction(0)] * (m + 1)]
    basis = list(range(n, n + m))
    while True:
        enters = next((j for j in range(n + m) if goal[j] < 0), None)
        if enters is None:
            break
        ratios = [
            (row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > 0
        ]
        _, _, leaves = min(ratios)
        pivot = table[leaves][enters]
        table[leaves] = [v / pivot for v in table[leaves]]
        for i, row in enumerate(table):
            if i != leaves and row[enters]:
                factor = row[enters]
                table[i] = [a - factor * b for a, b in zip(row, table[leaves], strict=True)]
        factor = goal[enters]
        goal = [a - factor * b for a, b in zip(goal, table[leaves], strict=True)]
        basis[leaves] = enters
    values = [Fraction(0)] * (n + m)
    for i, j in enumerate(basis):
        values[j] = table[i][-1]
    return values[:n]


def verdict(problem: Problem, gone: set[tuple[int, int]]) -> str:
    """Finite, quasi or complete separation, from what occurs alone."""
    if not gone:
        return "finite"
    return "complete" if gone == set(problem.pairs) else "quasi"


def supremum(problem: Problem, gone: set[tuple[int, int]]) -> mpf:
    """Supremum of the CLL in `DIGITS` digits; ``gone`` are its `impossible` pairs."""
    kept = [pair for pair in problem.pairs if pair not in gone]
    with mp.workdps(DIGITS):
        if not kept:
            return mpf(0)
        if saturates(problem, kept):
            return closed_form(problem)
        return _maximum(problem, kept)


def saturates(problem: Problem, kept: list[tuple[int, int]]) -> bool:
    """Whether the kept pairs' log-odds vary freely, and all of them occur."""
    lines = np.array([problem.line(*pair) for pair in kept], dtype=float)
    occur = all(problem.counts[i][c] for i, c in kept)
    return occur and np.linalg.matrix_rank(lines) == len(kept)


def closed_form(problem: Problem) -> mpf:
    """Σ n log(n / total) over configurations and the classes that they show."""
    total = mpf(0)
    for own in problem.counts:
        together = mp.fsum(own)
        total += mp.fsum(n * mp.log(n / together) for n in own if n)
    return total


def _maximum(problem: Problem, kept: list[tuple[int, int]]) -> mpf:
    lines = np.array([problem.line(*pair) for pair in kept])
    lines = lines[:, _independent(lines)]
    counts = [problem.counts[i][c] for i, c in kept]
    totals = {i: mp.fsum(problem.counts[i]) for i, _ in kept}
    try:
        b = _in_doubles(lines, kept, totals, np.array(list(map(float, counts))))
        return _refined(lines, kept, totals, counts, b)
    except (ArithmeticError, np.linalg.LinAlgError):
        return _in_digits(lines, kept, totals, counts)


def _in_doubles(lines: np.ndarray, kept: list, totals: dict, counts: Array) -> Array:
    """Damped Newton's method."""
    weights = {i: float(total) for i, total in totals.items()}
    b = np.zeros(lines.shape[1])
    for _ in range(200):
        step = _step(lines, kept, weights, lines @ b, counts)
        size = np.abs(lines @ step).max()
        b = b + step / max(1.0, size)
        if size < 1e-9:
            break
    return b


def _refined(lines: np.ndarray, kept: list, totals: dict, counts: list, b: Array) -> mpf:
    """Last steps with the gradient in all digits, the Hessian in doubles."""
    weights = {i: float(total) for i, total in totals.items()}
    exact = [mpf(v) for v in b]
    for _ in range(60):
        u, gradient = _slope(lines, kept, totals, counts, exact)
        scale = max(map(abs, gradient))
        if scale < mpf(10) ** (15 - DIGITS):
            return _value(kept, totals, counts, u)
        scaled = np.array([float(g / scale) for g in gradient])
        rounded = np.array([float(v) for v in u])
        if not np.isfinite(rounded).all():
            break
        step = _solve(lines, kept, weights, rounded, scaled)
        exact = [x + scale * mpf(s) for x, s in zip(exact, step, strict=True)]
    raise ArithmeticError("no convergence")


def _in_digits(lines: np.ndarray, kept: list, totals: dict, counts: list) -> mpf:
    """Damped Newton's method with every number in all digits: slow, for weights of all orders."""
    exact, n = [mpf(0)] * lines.shape[1], lines.shape[1]
    for _ in range(500):
        u, gradient = _slope(lines, kept, totals, counts, exact)
        shares, _ = _posterior(kept, u)
        hessian = mp.zeros(n)
        for i, total in totals.items():
            own = [k for k, (at, _) in enumerate(kept) if at == i]
            mean = [mp.fsum(shares[k] * int(lines[k, a]) for k in own) for a in range(n)]
            for a in range(n):
                for c in range(a + 1):
                    both = mp.fsum(shares[k] * int(lines[k, a] * lines[k, c]) for k in own)
                    hessian[a, c] += total * (both - mean[a] * mean[c])
                    hessian[c, a] = hessian[a, c]
        step = list(mp.lu_solve(hessian, mp.matrix(gradient)))
        moves = [mp.fsum(int(v) * s for v, s in zip(line, step, strict=True)) for line in lines]
        size = max(map(abs, moves))
        if size < mpf(10) ** (12 - DIGITS):
            return _value(kept, totals, counts, u)
        exact = [x + s / max(1, size) for x, s in zip(exact, step, strict=True)]
    raise ArithmeticError("no convergence")


def _slope(
    lines: np.ndarray, kept: list, totals: dict, counts: list, b: list[mpf]
) -> tuple[list[mpf], list[mpf]]:
    """Log-odds at ``b``, and the gradient of the CLL."""
    u = [mp.fsum(int(v) * x for v, x in zip(line, b, strict=True) if v) for line in lines]
    shares, _ = _posterior(kept, u)
    missed = [n - totals[i] * q for n, q, (i, _) in zip(counts, shares, kept, strict=True)]
    gradient = [
        mp.fsum(int(v) * d for v, d in zip(column, missed, strict=True) if v) for column in lines.T
    ]
    return u, gradient


def _value(kept: list, totals: dict, counts: list, u: list[mpf]) -> mpf:
    _, logs = _posterior(kept, u)
    value = mp.fsum(n * v for n, v in zip(counts, u, strict=True))
    return value - mp.fsum(totals[i] * log for i, log in logs.items())


def _posterior(kept: list[tuple[int, int]], u: list[mpf]) -> tuple[list[mpf], dict[int, mpf]]:
    sums: dict[int, mpf] = defaultdict(lambda: mpf(1))
    odds = [mp.exp(v) for v in u]
    for (i, _), e in zip(kept, odds, strict=True):
        sums[i] += e
    shares = [e / sums[i] for (i, _), e in zip(kept, odds, strict=True)]
    return shares, {i: mp.log(total) for i, total in sums.items()}


def _step(lines: Array, kept: list, weights: dict, u: Array, counts: Array) -> Array:
    q = _shares(kept, u)
    totals = np.array([weights[i] for i, _ in kept])
    return _solve(lines, kept, weights, u, lines.T @ (counts - totals * q))


def _solve(lines: Array, kept: list, weights: dict, u: Array, gradient: Array) -> Array:
    q = _shares(kept, u)
    hessian = np.zeros((lines.shape[1],) * 2)
    for i, weight in weights.items():
        own = [k for k, (at, _) in enumerate(kept) if at == i]
        z, p = lines[own].astype(float), q[own]
        hessian += weight * (z.T @ (p[:, None] * z) - np.outer(p @ z, p @ z))
    lengths = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
    scaled = hessian / np.outer(lengths, lengths)
    return np.linalg.lstsq(scaled, gradient / lengths, rcond=1e-15)[0] / lengths


def _shares(kept: list, u: Array) -> Array:
    tops: dict[int, float] = defaultdict(float)
    for (i, _), v in zip(kept, u, strict=True):
        tops[i] = max(tops[i], v)
    odds = [np.exp(v - tops[i]) for (i, _), v in zip(kept, u, strict=True)]
    sums = {i: np.exp(-top) for i, top in tops.items()}
    for (i, _), e in zip(kept, odds, strict=True):
        sums[i] += e
    return np.array([e / sums[i] for (i, _), e in zip(kept, odds, strict=True)])


def _independent(lines: np.ndarray) -> list[int]:
    """Columns of a basis, by elimination in rational numbers."""
    rows = [[Fraction(int(v)) for v in line] for line in lines]
    chosen: list[int] = []
    for column in range(lines.shape[1]):
        at = next((r for r in range(len(chosen), len(rows)) if rows[r][column]), None)
        if at is None:
            continue
        here = len(chosen)
        rows[here], rows[at] = rows[at], rows[here]
        for r in range(here + 1, len(rows)):
            if rows[r][column]:
                factor = rows[r][column] / rows[here][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[here], strict=True)]
        chosen.append(column)
    return chosen
