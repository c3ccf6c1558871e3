"""Where to start a fit: the present tables carried over to a neighbouring graph's."""

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.families import Family, TableLayout


def warm_start(old: TableLayout, tables: FloatArray, new: TableLayout) -> FloatArray:
    """Tables of ``new`` with the scores of ``tables``, or near them where terms are gone.

    Each old table is added to one whose scope holds its own. Where an edge or an attribute is gone
    there is none: the table is then split into the averages over one axis and over another.
    Tables are differences from the first class, (n_cells, n_classes − 1).
    """
    width = tables.shape[1]
    homes = {family.node: family for family in new.families}
    result = np.zeros((new.n_cells, width))
    for family in old.families:
        values = tables[family.rows].reshape(*family.shape, width)
        _add(homes, new, family.scope, values, result)
    return result


def _add(
    homes: dict[str, Family],
    new: TableLayout,
    scope: tuple[str, ...],
    values: FloatArray,
    result: FloatArray,
) -> None:
    home = _home(homes, new, scope)
    if home is not None:
        _put(home, scope, values, result)
        return
    for axis, node in enumerate(scope):
        if node not in homes:
            _add(homes, new, _without(scope, axis), values.mean(axis=axis), result)
            return
    for one in range(len(scope)):
        for other in range(one + 1, len(scope)):
            pair = _without(scope, one), _without(scope, other)
            if all(_home(homes, new, part) is not None for part in pair):
                mean = values.mean(axis=one, keepdims=True)
                rest = values - mean
                _add(homes, new, pair[0], mean.squeeze(axis=one), result)
                _add(homes, new, pair[1], rest.mean(axis=other), result)
                return
    _add(homes, new, _without(scope, 0), values.mean(axis=0), result)


def _home(homes: dict[str, Family], new: TableLayout, scope: tuple[str, ...]) -> Family | None:
    """The family that holds a complete scope: that of its last vertex in elimination order."""
    if not scope:
        return new.families[0]
    wanted = set(scope)
    for node in scope:
        if node in homes and wanted <= set(homes[node].scope):
            return homes[node]
    return None


def _put(home: Family, scope: tuple[str, ...], values: FloatArray, result: FloatArray) -> None:
    kept = [node for node in home.scope if node in scope]
    order = [scope.index(node) for node in kept]
    sizes = dict(zip(home.scope, home.shape, strict=True))
    shape = [sizes[node] if node in scope else 1 for node in home.scope]
    width = values.shape[-1]
    moved = values.transpose(*order, len(scope)).reshape(*shape, width)
    result[home.rows].reshape(*home.shape, width)[...] += moved


def _without(scope: tuple[str, ...], axis: int) -> tuple[str, ...]:
    return scope[:axis] + scope[axis + 1 :]
