"""Starts from which no learner gets away: nodes never observed whose states are all alike.

A node that no row observes starts uniform, and so do its children's columns. Every row then says
the same about each of its states, expected counts and gradients are equal over them, and neither EM
nor ascent ever separates them. A seeded perturbation does.
"""

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.inference.cpts import FlatCPTs

_ALIKE = 1e-12


def symmetric_latents(flat: FlatCPTs, theta: FloatArray, never: BoolArray) -> tuple[int, ...]:
    """Places of the nodes that are ``never`` observed, whose states ``theta`` does not tell apart.

    They have children, no child's CPT depends on them, and their own depends on no parent.
    """
    hidden = np.flatnonzero(never & (flat.cards > 1)).tolist()
    tables = _tables(flat, theta)
    return tuple(
        node
        for node in hidden
        if _children(flat, node)
        and all(_is_constant(tables[c], flat.parents[c].index(node)) for c in _children(flat, node))
        and all(_is_constant(tables[node], axis) for axis in range(len(flat.parents[node])))
    )


def separated(
    flat: FlatCPTs,
    theta: FloatArray,
    nodes: tuple[int, ...],
    rng: np.random.Generator,
    strength: float = 1.0,
) -> FloatArray:
    """CPTs with the columns of ``nodes`` and of their children moved at random."""
    moved = theta.copy()
    for place in sorted({*nodes, *(child for node in nodes for child in _children(flat, node))}):
        cells = slice(flat.offsets[place], flat.offsets[place + 1])
        moved[cells] *= np.exp(strength * rng.standard_normal(cells.stop - cells.start))
    return normalised(flat, moved)


def normalised(flat: FlatCPTs, values: FloatArray) -> FloatArray:
    """Every column divided by its sum; uniform where that is 0."""
    sums = flat.column_sums(values)
    empty = sums <= 0
    if not empty.any():
        return values / sums
    lengths = np.repeat(flat.column_lengths, flat.column_lengths)
    return np.where(empty, 1.0 / lengths, values / np.where(empty, 1.0, sums))


def _children(flat: FlatCPTs, node: int) -> list[int]:
    return [child for child, parents in enumerate(flat.parents) if node in parents]


def _tables(flat: FlatCPTs, theta: FloatArray) -> list[FloatArray]:
    return list(flat.unflatten(theta).values())


def _is_constant(table: FloatArray, axis: int) -> bool:
    return bool(np.ptp(table, axis=axis).max(initial=0.0) <= _ALIKE)
