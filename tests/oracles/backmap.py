"""From L-model tables to CPTs: Wettig et al. 2003, proof of Theorem 3, equations (10)-(14)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from tests.oracles.model import Model, Tables


def witnesses(model: Model) -> dict[str, str | None]:
    """Condition 1: for each child j the parent i with Pa_j ⊆ Pa_i ∪ {X_i}, or None."""
    found: dict[str, str | None] = {}
    for j in model.children:
        above = set(model.parents[j])
        fitting = [i for i in above if above <= set(model.parents[i]) | {i}]
        found[j] = fitting[0] if fitting else None
    return found


def back_map(model: Model, tables: Tables) -> Tables:
    """CPTs of the class and its children with the L-model's P(class | attributes).

    The constants c_{i|pa_i} are determined one node at a time, each once those of all j with
    m_j = i are known, so that every column of exp θ^(c) sums to one.
    """
    m = witnesses(model)
    constants: dict[str, dict[tuple[int, ...], float]] = {}
    cpts: Tables = {}
    while len(cpts) < len(model.class_families):
        i = _ready(model, m, cpts)
        shifted = _equation_11(model, m, constants, i, tables)
        constants[i] = {}
        cpts[i] = np.empty(model.shape(i))
        for pa in np.ndindex(model.shape(i)[:-1]):
            top = shifted[pa].max()
            constants[i][pa] = -(top + math.log(math.fsum(np.exp(shifted[pa] - top))))
            cpts[i][pa] = np.exp(shifted[pa] + constants[i][pa])
    return cpts


def _ready(model: Model, m: dict[str, str | None], determined: Tables) -> str:
    return next(
        i
        for i in model.class_families
        if i not in determined and all(j in determined for j in m if m[j] == i)
    )


def _equation_11(
    model: Model,
    m: dict[str, str | None],
    constants: dict[str, dict[tuple[int, ...], float]],
    i: str,
    tables: Tables,
) -> np.ndarray:
    """θ^L − Σ_{j: m_j = i} c_{j|Q_j(x_i, pa_i)}, the node's own constant still to come."""
    shifted = tables[i].copy()
    family = model.family(i)
    for codes in product(*(range(model.cards[node]) for node in family)):
        values = dict(zip(family, codes, strict=True))
        for j, witness in m.items():
            if witness == i:
                shifted[codes] -= constants[j][tuple(values[p] for p in model.parents[j])]
    return shifted
