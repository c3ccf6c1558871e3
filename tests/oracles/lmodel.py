"""The L-model of Wettig et al. 2003, equation (6): free tables for the class and its children."""

from __future__ import annotations

import math

import numpy as np

from tests.oracles.model import Array, Model, Row, Rows, Tables, Weights, weights_of


def scores(model: Model, tables: Tables, row: Row) -> Array:
    """η_c = Σ_k T_k[cell of the row with the class set to c], k over the class and its children."""
    values = model.observed(model.without_class(row))
    eta = np.zeros(model.n_classes)
    for c in range(model.n_classes):
        at_c = {**values, model.class_name: c}
        for node in model.class_families:
            eta[c] += tables[node][model.cell(node, at_c)]
    return eta


def posteriors_of_tables(model: Model, tables: Tables, rows: Rows) -> Array:
    """P(c | x) ∝ exp η_c, shape (N, classes)."""
    eta = np.array([scores(model, tables, row) for row in rows]).reshape(-1, model.n_classes)
    odds = np.exp(eta - eta.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def cll_of_tables(model: Model, tables: Tables, rows: Rows, weights: Weights = None) -> float:
    """Σ weight · (η_c − log Σ_c' exp η_c') over the rows that have a class."""
    terms = []
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        seen = model.observed(row)
        if model.class_name in seen:
            eta = scores(model, tables, row)
            top = eta.max()
            log_sum = top + math.log(math.fsum(np.exp(eta - top)))
            terms.append(weight * (eta[seen[model.class_name]] - log_sum))
    return math.fsum(terms)
