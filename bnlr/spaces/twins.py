"""NumPy twins of ``kernels.cpp``: the same functions and, but for rounding, the same numbers.

Conventions: ``tables`` stacked, (n_cells, n_classes), changed in place; ``scopes`` with the class's
own family first.
"""

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.design.families import Scopes
from bnlr.design.twins import digits


def in_gauge(tables: FloatArray, like: FloatArray, least: float) -> None:
    """Give every row of ``tables`` the average of the logarithms of that of ``like``; 0 if none.

    ``like`` has the shape of ``tables``, or no rows; less than ``least`` counts as that.
    """
    tables -= tables.mean(axis=1, keepdims=True)
    if len(like):
        tables += np.log(np.maximum(like, least)).mean(axis=1, keepdims=True)


def normalise(tables: FloatArray, scopes: Scopes, children: IntArray, witnesses: IntArray) -> None:
    """Turn tables into log-CPTs, child by child.

    What makes a column of ``children[k]`` sum to one is added to each cell of its witness, family
    ``witnesses[k]``, that is consistent with the column.
    """
    n_classes = tables.shape[1]
    for child, witness in zip(children, witnesses, strict=True):
        axes, cards, rows = _family(scopes, child)
        own = tables[rows].reshape(-1, cards[-1], n_classes)
        mass = np.logaddexp.reduce(own, axis=1)
        own -= mass[:, None]
        moved = dict(zip(axes[:-1].tolist(), _strides(cards[:-1]), strict=True))
        axes, cards, rows = _family(scopes, witness)
        steps = np.array([moved.get(axis, 0) for axis in axes.tolist()], dtype=np.intp)
        tables[rows] += mass[steps @ digits(cards)]
    own = tables[: scopes.offsets[1]]
    own -= np.logaddexp.reduce(own, axis=1, keepdims=True)


def exponentiate(logs: FloatArray, scopes: Scopes) -> None:
    """Turn log-CPTs into CPTs whose columns sum to one, which rounding alone keeps them from."""
    np.exp(logs, out=logs)
    for family in range(len(scopes.offsets) - 1):
        _, cards, rows = _family(scopes, family)
        own = logs[rows]
        cells = own[:, None] if family == 0 else own.reshape(-1, cards[-1], own.shape[1])
        cells /= cells.sum(axis=2 if family == 0 else 1, keepdims=True)


def _family(scopes: Scopes, k: int) -> tuple[IntArray, IntArray, slice]:
    """Axes, their cards, and the rows of family ``k``."""
    own = slice(scopes.ends[k], scopes.ends[k + 1])
    return scopes.axes[own], scopes.cards[own], slice(*scopes.offsets[k : k + 2].tolist())


def _strides(cards: IntArray) -> list[int]:
    return [int(np.prod(cards[k + 1 :])) for k in range(len(cards))]
