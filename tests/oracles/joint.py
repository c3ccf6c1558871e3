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


def log_sum(logs: list[float]) -> float:
    """log Σ exp, the largest term factored out so that nothing underflows."""
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(term - top) for term in logs))


def log_probability(model: Model, cpts: Tables, row: Row) -> float:
    """log P(observed cells of the row)."""
    return log_sum([log_joint(model, cpts, x) for x in model.completions(row)])


def log_posterior(model: Model, cpts: Tables, row: Row) -> Array:
    """log P(class | the row's other observed cells), the row's own class being ignored."""
    logs: list[list[float]] = [[] for _ in range(model.n_classes)]
    for x in model.completions(model.without_class(row)):
        logs[x[model.class_name]].append(log_joint(model, cpts, x))
    joint = np.array([log_sum(terms) for terms in logs])
    return joint - log_sum(list(joint))


def posterior(model: Model, cpts: Tables, row: Row) -> Array:
    """P(class | the row's other observed cells)."""
    return np.exp(log_posterior(model, cpts, row))


def posteriors(model: Model, cpts: Tables, rows: Rows) -> Array:
    """One row of class probabilities a row of data, shape (N, classes)."""
    return np.array([posterior(model, cpts, row) for row in rows]).reshape(-1, model.n_classes)


def cll(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> float:
    """Σ weight · log P(c | e) over the rows that have a class."""
    terms = []
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        seen = model.observed(row)
        if model.class_name in seen and weight > 0:
            terms.append(weight * log_posterior(model, cpts, row)[seen[model.class_name]])
    return math.fsum(terms)


def ll(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> float:
    """Σ weight · log P(observed cells, the class included)."""
    pairs = zip(rows, weights_of(rows, weights), strict=True)
    return math.fsum(w * log_probability(model, cpts, row) for row, w in pairs if w > 0)
