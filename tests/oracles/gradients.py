"""Gradients in β, θ = softmax(β), summed cell by cell from conditional distributions."""

from __future__ import annotations

import math

from tests.oracles.joint import log_joint
from tests.oracles.model import Model, Row, Rows, Tables, Weights, weights_of


def family_posteriors(model: Model, cpts: Tables, row: Row) -> Tables:
    """P(d, f | observed cells of the row) for every cell (d, f) of every family."""
    mass = model.zeros()
    total = 0.0
    for x in model.completions(row):
        p = math.exp(log_joint(model, cpts, x))
        total += p
        for node in model.nodes:
            mass[node][model.cell(node, x)] += p
    return {node: table / total for node, table in mass.items()}


def expected_counts(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> Tables:
    """Σ weight · P(d, f | row), the counts of EM's first half."""
    counts = model.zeros()
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        for node, table in family_posteriors(model, cpts, row).items():
            counts[node] += weight * table
    return counts


def ll_gradient(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> Tables:
    """∂LL/∂β = Σ weight · [P(d, f | row) − θ_{d|f} P(f | row)]."""
    counts = expected_counts(model, cpts, rows, weights)
    return {
        node: table - cpts[node] * table.sum(axis=-1, keepdims=True)
        for node, table in counts.items()
    }


def cll_gradient(model: Model, cpts: Tables, rows: Rows, weights: Weights = None) -> Tables:
    """∂CLL/∂β by Greiner et al. 2005, Proposition 3, over the rows that have a class.

    Σ weight · {[P(d, f | e, c) − P(d, f | e)] − θ_{d|f} [P(f | e, c) − P(f | e)]}
    """
    gradient = model.zeros()
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        if model.class_name not in model.observed(row):
            continue
        with_class = family_posteriors(model, cpts, row)
        without_class = family_posteriors(model, cpts, model.without_class(row))
        for node in model.nodes:
            cells = with_class[node] - without_class[node]
            gradient[node] += weight * (cells - cpts[node] * cells.sum(axis=-1, keepdims=True))
    return gradient
