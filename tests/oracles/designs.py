"""The two 0/1 matrices of Feelders & Ivanovs 2006, section 3, dense and column by column.

A column is named by the attribute values that it indicates, a frozenset of (node, code) pairs,
so that columns of another program are matched by meaning and not by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from tests.oracles.graphs import blocks, complete_subsets
from tests.oracles.model import Array, Model, Rows

Column = frozenset[tuple[str, int]]


def indicators(model: Model, columns: list[Column], rows: Rows) -> Array:
    """I(X_C = x_C) for each column and each row, shape (N, columns)."""
    design = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        cells = set(model.observed(row).items())
        design[i] = [column <= cells for column in columns]
    return design


def roos_design(model: Model, rows: Rows) -> tuple[list[Column], Array]:
    """Section 3.1: one indicator per configuration of pa(0) and of every φ(i)."""
    columns = [
        frozenset(zip(block, codes, strict=True))
        for block in blocks(model)
        for codes in product(*(range(model.cards[node]) for node in block))
    ]
    return columns, indicators(model, columns, rows)


def loglinear_design(
    model: Model, rows: Rows, reference: Mapping[str, int] | None = None
) -> tuple[list[Column], Array]:
    """Section 3.2: one indicator per complete subset C and x_C without a reference value.

    `reference` gives the code that counts as 0, a node not named there has its first.
    """
    base = dict.fromkeys(model.nodes, 0) | dict(reference or {})
    columns = [
        frozenset(zip(subset, codes, strict=True))
        for subset in complete_subsets(model)
        for codes in product(
            *([v for v in range(model.cards[node]) if v != base[node]] for node in subset)
        )
    ]
    return columns, indicators(model, columns, rows)
