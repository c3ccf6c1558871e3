"""Frequency counts and the estimates they give."""

from __future__ import annotations

import numpy as np

from tests.oracles.model import Model, Rows, Tables, Weights, weights_of


def family_counts(model: Model, rows: Rows, weights: Weights = None) -> Tables:
    """Weighted counts per family cell.

    A family counts the rows in which the node and all its parents are observed (Greiner et al.
    2005, footnote 8).
    """
    counts = model.zeros()
    for row, weight in zip(rows, weights_of(rows, weights), strict=True):
        seen = model.observed(row)
        for node in model.nodes:
            if all(member in seen for member in model.family(node)):
                counts[node][model.cell(node, seen)] += weight
    return counts


def normalised(counts: Tables, pseudocount: float = 1.0) -> Tables:
    """(count + pseudocount) / total per parent configuration; uniform where the total is 0."""
    cpts = {}
    for node, table in counts.items():
        cpt = np.empty_like(table)
        for f in np.ndindex(table.shape[:-1]):
            column = table[f] + pseudocount
            total = column.sum()
            cpt[f] = column / total if total > 0 else 1 / len(column)
        cpts[node] = cpt
    return cpts
