"""What `interactions.cpp` does, with NumPy: the same bits."""

import numpy as np

from bnlr._typing import FloatArray, IntArray


def turn(
    values: FloatArray, cards: IntArray, ends: IntArray, offsets: IntArray, forth: bool
) -> None:
    """Change stacked tables (n_cells, width) to coefficients of interactions in place, or back."""
    for family in range(len(offsets) - 1):
        own = values[offsets[family] : offsets[family + 1]]
        before = 1
        for card in cards[ends[family] : ends[family + 1]].tolist():
            fibres = own.reshape(before, card, -1)
            if forth:
                _to_coefficients(fibres, _norms(card))
            else:
                _from_coefficients(fibres, _norms(card))
            before *= card


def _norms(card: int) -> list[float]:
    """What makes the vectors of Helmert's basis have length 1."""
    k = np.arange(card, dtype=np.float64)
    return list((1.0 / np.sqrt(np.where(k > 0, k * (k + 1.0), card))).tolist())


def _to_coefficients(fibres: FloatArray, norms: list[float]) -> None:
    total = fibres[:, 0]
    for k in range(1, len(norms)):
        value = fibres[:, k].copy()
        fibres[:, k] = (total - k * value) * norms[k]
        total += value
    total *= norms[0]


def _from_coefficients(fibres: FloatArray, norms: list[float]) -> None:
    total = fibres[:, 0]
    total *= norms[0]
    for k in range(len(norms) - 1, 0, -1):
        part = fibres[:, k] * norms[k]
        fibres[:, k] = total - k * part
        total += part


def share(
    parts: FloatArray,
    values: FloatArray,
    cells: IntArray,
    ends: IntArray,
    weights: FloatArray,
    damping: FloatArray,
    inverse: float,
) -> None:
    """Share out the interactions whose coefficients, ``cells``, several families have.

    Those of group g are ``cells[ends[g]:ends[g + 1]]``: each becomes its weight times the group's
    damping times the weighted sum of ``values``; ``inverse`` times what the weighted sum leaves of
    ``parts`` is added, each class's and that of all.
    """
    groups = np.repeat(np.arange(len(damping)), np.diff(ends))
    own, weight = parts[cells], weights[:, None]
    left = own - weight * _sums(weight * own, groups, len(damping))[groups]
    total = damping[:, None] * _sums(weight * values[cells], groups, len(damping))
    values[cells] = weight * total[groups] + inverse * (left + left.sum(axis=1, keepdims=True))


def _sums(values: FloatArray, groups: IntArray, n: int) -> FloatArray:
    total = np.zeros((n, values.shape[1]))
    np.add.at(total, groups, values)
    return total


def scale(values: FloatArray, inverses: FloatArray) -> None:
    """Multiply the rows of ``values`` by ``inverses`` of all classes, as `absolute` means them."""
    total = values.sum(axis=1, keepdims=True) * inverses[:, :1]
    values *= inverses[:, 1:]
    values += total
