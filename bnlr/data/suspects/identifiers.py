"""Columns of so many labels that the rows tell nothing of each: names, row numbers, free text.

An arc between an attribute of k labels and one of r has at least (k − 1)(r − 1) parameters and
raises the log-likelihood of N rows by N ln r at most, which is no more than N (r − 1) ln 2. By the
Bayesian information criterion (Schwarz 1978) none can pay, whatever the other attribute is, if

    (k − 1) ln N > 2 N ln 2.

So k is about half of 20 rows, a third of 100, a fifth of 1,000 and an eighth of 100,000.
"""

from math import log

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.code_table import CodeTable
from bnlr.data.scan import code_weights

_FEWEST_ROWS = 20


def is_identifier(n_labels: int, weight: float) -> bool:
    """Whether a column of ``n_labels``, seen in rows of this total weight, is one.

    Of fewer than 20 rows nobody can tell.
    """
    return weight >= _FEWEST_ROWS and (n_labels - 1) * log(weight) > 2.0 * weight * log(2.0)


def find_identifiers(data: CodeTable) -> dict[str, tuple[int, int]]:
    """Return the attributes that are identifiers, each with its numbers of labels and of rows.

    Only rows with a class and a weight count, and of these only the cells that are there. A row
    counts as its weight, but all of them as no less than their number: weights may sum to 1.
    """
    asked = [node for node in data.nodes if node != data.class_name and _may_be(data, node)]
    if not asked:
        return {}
    found: dict[str, tuple[int, int]] = {}
    for node, (weights, n_rows) in zip(asked, data._total(_seen, asked), strict=True):
        n_labels = int(np.count_nonzero(weights))
        # The last digits depend on the order of the rows.
        if is_identifier(n_labels, max(float(f"{weights.sum():.9g}"), n_rows)):
            found[node] = n_labels, n_rows
    return found


def _seen(data: CodeTable, nodes: list[str]) -> tuple[tuple[FloatArray, int], ...]:
    """Weight of each label of each node in the rows that count, and the number of its cells."""
    usable = data.class_codes >= 0
    if data.has_weights:
        usable &= data.weights > 0
    data = data if usable.all() else data.take(np.flatnonzero(usable))
    return tuple(
        (
            code_weights(data.column(node), data.cards[node], data.row_weights),
            data.n_rows - data.missing_counts.get(node, 0),
        )
        for node in nodes
    )


def _may_be(data: CodeTable, node: str) -> bool:
    """Whether a column can be an identifier, as far as the number of its states tells."""
    card = data.cards[node]
    if not is_identifier(card, _FEWEST_ROWS):
        return False  # of more rows still less
    missing = data.missing_counts
    if data.has_weights or data.class_name in missing:
        return True
    return is_identifier(card, data.n_rows - missing.get(node, 0))
