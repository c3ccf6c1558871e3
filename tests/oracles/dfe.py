"""Discriminative frequency estimates, algorithm 1 of Su et al. 2008, in sixty decimal digits.

Counts of rows that a network errs on ever less get tiny: in floats 1 − P would be 0 too early.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext

import numpy as np

from tests.oracles.model import Model, Row, Rows, Tables, Weights, weights_of

Exact = dict[str, dict[tuple[int, ...], Decimal]]

DIGITS = 60
NEGLIGIBLE = Decimal("1e-40")  # the library takes a loss below for none


def learn(
    model: Model,
    rows: Rows,
    weights: Weights = None,
    passes: int = 4,
    pseudocount: float = 0.0,
    constant: float | None = None,
) -> tuple[Tables, list[list[float]]]:
    """The counts after the passes, and each pass's loss of each row; a `constant` overrules it."""
    counts: Exact = {
        node: dict.fromkeys(np.ndindex(*model.shape(node)), Decimal(0)) for node in model.nodes
    }
    with localcontext() as context:
        context.prec = DIGITS
        losses = [
            list(_passes(model, rows, weights_of(rows, weights), counts, pseudocount, constant))
            for _ in range(passes)
        ]
    tables = model.zeros()
    for node, table in tables.items():
        for cell, count in counts[node].items():
            table[cell] = float(count)
    return tables, losses


def _passes(
    model: Model,
    rows: Rows,
    weights: Weights,
    counts: Exact,
    pseudocount: float,
    constant: float | None,
) -> Iterator[float]:
    for row, weight in zip(rows, weights, strict=True):
        seen = model.observed(row)
        if model.class_name not in seen or weight == 0:
            yield 0.0
            continue
        loss = 1 - _posterior(model, row, counts, Decimal(pseudocount))[seen[model.class_name]]
        if constant is not None:
            loss = Decimal(constant)
        elif loss < NEGLIGIBLE:
            loss = Decimal(0)
        for node in model.nodes:
            if all(member in seen for member in model.family(node)):
                counts[node][model.cell(node, seen)] += loss * Decimal(float(weight))
        yield float(loss)


def _posterior(model: Model, row: Row, counts: Exact, added: Decimal) -> list[Decimal]:
    """P(class | the other cells); uniform where P(c, the other cells) is 0 for every class."""
    products = []
    for c in range(model.n_classes):
        values = {**model.observed(row), model.class_name: c}
        product = Decimal(1)
        for node in model.nodes:
            product *= _probability(model, node, values, counts, added)
        products.append(product)
    total = sum(products)
    return [p / total if total else Decimal(1) / model.n_classes for p in products]


def _probability(
    model: Model, node: str, values: dict[str, int], counts: Exact, added: Decimal
) -> Decimal:
    column = [
        counts[node][model.cell(node, {**values, node: d})] + added
        for d in range(model.cards[node])
    ]
    total = sum(column)
    return column[values[node]] / total if total else Decimal(1) / len(column)
