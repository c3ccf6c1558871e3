"""Families cut down to the parents' configurations that rows show, where those are few.

A family over attributes of many states has far more cells than there are rows. Here its parents,
but the class, become one node whose states are the configurations that occur: what is computed of
the rows costs what the rows cost, in the same tables, packing and kernels.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np

from bnlr._typing import IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import Family, TableLayout
from bnlr.structure.dag import Structure

_WIDE, _WIDE_FAMILY = 2**13, 2**10
_SHARE = 4


@dataclass(frozen=True, eq=False)
class SeenCells:
    """A layout's families cut down.

    ``structure`` and ``data`` are those of the small ones, ``layout`` theirs; row i of its stacked
    tables is row ``cells[i]`` of the ``whole`` layout's. The class's own family is kept as it is.
    """

    whole: TableLayout
    structure: Structure
    data: Dataset
    layout: TableLayout
    cells: IntArray

    def configurations(self, place: int) -> IntArray:
        """Rows of the whole family that the ``place``-th family has kept, from its first on."""
        cells: IntArray = self.cells[self.layout.families[place].rows]
        return cells - self.whole.families[place].offset


def seen_cells(layout: TableLayout, data: Dataset, *, whole_columns: bool) -> SeenCells | None:
    """Cut down the families of ``layout``; None where that would save little.

    With ``whole_columns`` a configuration that occurs keeps all states of the family's node, so
    that CPTs stay CPTs; else the node is merged with its parents, and cells that occur are all that
    is kept. A row counts if it has a class; its attributes are not missing.
    """
    if layout.n_cells < _WIDE or not data._at_hand:
        return None
    labelled = data.class_codes >= 0
    data = data if labelled.all() else data.take(np.flatnonzero(labelled))
    class_name = layout.structure.class_name
    unused = (name for k in count() if (name := f"configuration {k}") not in data.states)
    columns, states, arcs, nodes, kept = [], dict(data.states), [], [], []
    for family in layout.families:
        node, own = family.node, family.shape[-1] if whole_columns and family.offset else 1
        found = _occurring(family, data, own) if family.offset else None
        if found is None:
            arcs += [(parent, node) for parent in layout.structure.parents(node)]
            cells = np.arange(family.n_cells)
        else:
            joint, codes = found
            name = next(unused)
            states[name] = tuple(range(len(joint)))
            columns.append(codes)
            arcs += [(class_name, node), (name, node)] if whole_columns else [(class_name, name)]
            node = node if whole_columns else name
            cells = (joint[:, None] * own + np.arange(own)).ravel()
        nodes.append(node)
        kept.append(cells + family.offset)
    n_kept = sum(map(len, kept))
    if not columns or n_kept * _SHARE > layout.n_cells:
        return None
    codes = np.asfortranarray(np.column_stack([data.codes, *columns]))
    small = Dataset(codes, states, class_name, data.row_weights)
    structure = Structure(arcs, class_name, nodes)
    small_layout = TableLayout.of(structure, small.cards)
    return SeenCells(layout, structure, small, small_layout, np.concatenate(kept))


def _occurring(family: Family, data: Dataset, own: int) -> tuple[IntArray, IntArray] | None:
    """Joint states that occur, C order, and each row's; None where many do.

    Of the scope, or of all of it but the node, which has ``own`` states then.
    """
    if family.n_cells < _WIDE_FAMILY:
        return None
    n_axes = len(family.scope) - (own > 1)
    cells = np.zeros(data.n_rows, dtype=np.int64)
    for attribute, card in zip(family.scope[:n_axes], family.shape[:n_axes], strict=True):
        cells = cells * card + data.column(attribute)
    found, codes = np.unique(cells, return_inverse=True)
    is_few = len(found) * own * 2 <= family.n_cells
    return (found, codes.astype(np.int32)) if is_few else None
