"""Functions to minimise, written out literally, with derivatives that share no code with bnlr."""

import numpy as np
from scipy.special import logsumexp, softmax

from bnlr.optimize.base import Lasting


class Smooth:
    """A function given by value, gradient and Hessian matrix."""

    def __init__(self, value, gradient, hessian):
        self._value, self._gradient, self._hessian = value, gradient, hessian

    floor = -np.inf

    def value(self, x):
        return float(self._value(x))

    def value_and_gradient(self, x):
        return float(self._value(x)), np.asarray(self._gradient(x), dtype=float)

    def along(self, x, d):
        def line(s):
            with np.errstate(all="ignore"):
                value, gradient = self.value_and_gradient(x + s * d)
                return value, float(gradient @ d)

        return line

    def hessian(self, x):
        matrix = np.asarray(self._hessian(x), dtype=float)
        return lambda v: matrix @ v

    def preconditioner(self, _, *, is_hard=False):  # noqa: ARG002
        return Lasting(lambda r: r)

    def remainder(self, *_):
        return np.inf


def quadratic(n, condition, seed=0):
    """½xᵀAx − bᵀx with eigenvalues from 1 to ``condition``; returns it and its minimiser."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(n, n)))
    a = (basis * np.geomspace(1, condition, n)) @ basis.T
    b = rng.normal(size=n)
    smooth = Smooth(lambda x: x @ a @ x / 2 - b @ x, lambda x: a @ x - b, lambda _: a)
    return smooth, np.linalg.solve(a, b)


ROSENBROCK = Smooth(
    lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
    lambda x: [
        -400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]),
        200 * (x[1] - x[0] ** 2),
    ],
    lambda x: [[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200]],
)


def _numeric_hessian(gradient):
    def matrix(x):
        h = 1e-6
        rows = [(np.array(gradient(x + h * e)) - gradient(x - h * e)) / (2 * h) for e in np.eye(2)]
        return (np.array(rows) + np.array(rows).T) / 2

    return matrix


def _beale(x):
    a, b = x
    return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2


def _beale_gradient(x):
    a, b = x
    r = np.array([1.5 - a + a * b, 2.25 - a + a * b**2, 2.625 - a + a * b**3])
    by_a = np.array([b - 1, b**2 - 1, b**3 - 1])
    by_b = np.array([a, 2 * a * b, 3 * a * b**2])
    return np.array([2 * r @ by_a, 2 * r @ by_b])


BEALE = Smooth(_beale, _beale_gradient, _numeric_hessian(_beale_gradient))


def _himmelblau_gradient(v):
    x, y = v
    first, second = x**2 + y - 11, x + y**2 - 7
    return np.array([4 * x * first + 2 * second, 2 * first + 4 * y * second])


HIMMELBLAU = Smooth(
    lambda v: (v[0] ** 2 + v[1] - 11) ** 2 + (v[0] + v[1] ** 2 - 7) ** 2,
    _himmelblau_gradient,
    lambda v: [
        [12 * v[0] ** 2 + 4 * v[1] - 42, 4 * v[0] + 4 * v[1]],
        [4 * v[0] + 4 * v[1], 4 * v[0] + 12 * v[1] ** 2 - 26],
    ],
)


class Logistic:
    """−CLL of a multinomial logistic regression with all classes' weights free (a gauge).

    ``z`` (N, k) design, ``y`` (N,) classes; x is flat (k, n_classes).
    """

    def __init__(self, z, y, n_classes, precondition=True):
        self.z, self.y, self.n_classes = np.asarray(z, dtype=float), y, n_classes
        self.hits = np.eye(n_classes)[y]
        counts = self.z.T @ self.hits
        total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
        self.inverse = 1 / (counts * (1 - counts / total) + 0.5).ravel()
        self.precondition = precondition
        self.size = self.z.shape[1] * n_classes

    def scores(self, x):
        return self.z @ x.reshape(-1, self.n_classes)

    def loss(self, scores):
        own = scores[np.arange(len(self.y)), self.y]
        return float((logsumexp(scores, axis=1) - own).sum())

    floor = -np.inf

    def value(self, x):
        return self.loss(self.scores(x))

    def value_and_gradient(self, x):
        scores = self.scores(x)
        return self.loss(scores), (self.z.T @ (softmax(scores, axis=1) - self.hits)).ravel()

    def along(self, x, d):
        at, by = self.scores(x), self.scores(d)

        def line(s):
            with np.errstate(all="ignore"):
                scores = at + s * by
                slope = ((softmax(scores, axis=1) - self.hits) * by).sum()
                return self.loss(scores), float(slope)

        return line

    def hessian(self, x):
        p = softmax(self.scores(x), axis=1)

        def product(v):
            u = self.scores(v)
            return (self.z.T @ (p * (u - (p * u).sum(axis=1, keepdims=True)))).ravel()

        return product

    def preconditioner(self, _, *, is_hard=False):  # noqa: ARG002
        return Lasting((lambda r: self.inverse * r) if self.precondition else (lambda r: r))

    def remainder(self, *_):
        return np.inf


def one_hot(codes, cards):
    """Intercept and an indicator for every state of every attribute: rank deficient."""
    columns = [np.ones((len(codes), 1))]
    columns += [np.eye(card)[codes[:, j]] for j, card in enumerate(cards)]
    return np.hstack(columns)


def categorical(n_rows, cards, n_classes, seed, sharpness=1.0):
    """A seeded data set: class probabilities are log-linear in the attributes."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(card, size=n_rows) for card in cards])
    z = one_hot(codes, cards)
    p = softmax(sharpness * z @ rng.normal(size=(z.shape[1], n_classes)), axis=1)
    y = (p.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1)
    return z, y


def naive_bayes_start(problem, copies=1):
    """Log of the add-one frequencies; ``copies`` repeats of the evidence make it over-confident."""
    counts = problem.z.T @ problem.hits + 1
    weights = np.log(counts / counts[0])
    weights[0] = np.log(counts[0] / counts[0].sum())
    return (copies * weights).ravel()
