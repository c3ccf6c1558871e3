"""Probabilities by enumerating the joint distribution. Logarithms are natural, sums over rows."""

from __future__ import annotations

import math

import numpy as np

from tests.oracles.model import Array, Model, Row, Rows, Tables, Weights, weights_of


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def log_joint(model: Model, cpts: Tables, values: dict[str, int]) -> float:
    """log P(x) of a complete assignment: the chain rule, one factor a node."""
    return sum(log(cpts[node][model.cell(node, values)]) for node in model.nodes)


def probability(model: Model, cpts: Tables, row: Row) -> float:
    """P(observed cells of the row)."""
    terms = [math.exp(log_joint(model, cpts, x)) for x in model.completions(row)]
    return math.fsum(terms)


def posterior(model: Model, cpts: Tables, row: Row) -> Array:
    """P(class | the row's other observed cells), the row's own class being ignored."""
    mass: list[list[float]] = [[] for _ in range(model.n_classes)]
    for x in model.completions(model.without_class(row)):
        mass[x[model.class_name]].append(math.exp(log_joint(model, cpts, x)))
    joint = np.array([math.fsum(terms) for terms in mass])
    return joint / joint.sum()


def posteriors(model: Model, cpts: Tables, rows: Rows) -> Array:
    """One row of class probabilities a row of data, shape (N, classes)."""
    return np.array([posterior(model, cpts, row) for row in rows]).reshape(-1, model.n_classes)


def cll(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> float:
    """Σ weight · log P(c | e) over the rows that have a class."""
    terms = []
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        seen = model.observed(row)
        if model.class_name in seen:
            p = posterior(model, cpts, row)[seen[model.class_name]]
            terms.append(weight * log(p))
    return math.fsum(terms)


def ll(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> float:
    """Σ weight · log P(observed cells, the class included)."""
    pairs = zip(rows, weights_of(rows, weights), strict=True)
    return math.fsum(w * log(probability(model, cpts, row)) for row, w in pairs)
