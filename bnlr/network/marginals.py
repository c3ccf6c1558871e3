"""Missing cells of one row summed out, for every class: a group of them is a network of its own.

In that small network the class has no parents, the missing cells have the CPTs that the observed
cells leave them, and every observed family that looks at one of them is a node of two states, of
which the first, as probable as the observed cell, is the one observed.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from bnlr._typing import FloatArray
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.engine import Engine
from bnlr.network.factorization import Factorization

Family = tuple[str, ...]
Group = frozenset[str]
Codes = Mapping[str, int]
_Node = tuple[tuple[int, ...], FloatArray]


def log_prior(network: Factorization, codes: Codes) -> FloatArray:
    """Log P(c | its parents), up to a constant, missing parents summed out; (n_classes,)."""
    structure = network.structure
    class_name = structure.class_name
    above = structure.parents(class_name)
    if all(codes[parent] >= 0 for parent in above):
        return log_table(network, codes, class_name)[1]
    exact = network._exact
    rows = np.full((len(network.class_states), len(structure.nodes)), -1)
    rows[:, structure.index(class_name)] = np.arange(len(rows))
    for parent in above:
        rows[:, structure.index(parent)] = codes[parent]
    return exact.engine().log_evidence(exact.theta, rows)


def log_table(network: Factorization, codes: Codes, node: str) -> tuple[Family, FloatArray]:
    """Logarithms of a CPT at the observed cells: the axes left (class, missing), and the array."""
    axes, table = _table(network, codes, node)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(table)
    return axes, logs


def _table(network: Factorization, codes: Codes, node: str) -> tuple[Family, FloatArray]:
    family = (*network.structure.parents(node), node)
    is_open = [member not in codes or codes[member] < 0 for member in family]
    places = tuple(
        slice(None) if free else codes[member] for member, free in zip(family, is_open, strict=True)
    )
    axes = tuple(member for member, free in zip(family, is_open, strict=True) if free)
    return axes, network.cpts[node][places]


def log_sums(
    network: Factorization, codes: Codes, group: Group, touched: Sequence[str]
) -> FloatArray:
    """Log Σ_group Π P(· | ·) of the families of `touched`, up to a constant; (n_classes,).

    Raises
    ------
    TooLargeError
        Exact inference would not fit in memory.
    """
    class_name = network.structure.class_name
    n_classes = len(network.class_states)
    hidden = [node for node in touched if node in group]
    places = {node: k for k, node in enumerate([class_name, *hidden])}
    seen = [node for node in touched if node not in group]
    nodes: list[_Node] = [((), np.full(n_classes, 1.0 / n_classes))]
    for node in hidden:
        axes, table = _table(network, codes, node)
        nodes.append((tuple(places[axis] for axis in axes[:-1]), table))
    for node in seen:
        axes, table = _table(network, codes, node)
        nodes.append((tuple(places[axis] for axis in axes), np.stack([table, 1.0 - table], -1)))
    flat = _flat([class_name, *hidden, *seen], nodes)
    rows = np.zeros((n_classes, len(nodes)), dtype=np.intp)
    rows[:, 0] = np.arange(n_classes)
    rows[:, 1 : len(hidden) + 1] = -1
    theta = np.concatenate([table.ravel() for _, table in nodes])
    return Engine(flat, 0, n_threads=1).log_evidence(theta, rows)


def _flat(names: Sequence[str], nodes: Sequence[_Node]) -> FlatCPTs:
    cards = np.array([table.shape[-1] for _, table in nodes], dtype=np.int64)
    offsets = np.array([0, *accumulate(table.size for _, table in nodes)], dtype=np.int64)
    return FlatCPTs(tuple(names), cards, tuple(parents for parents, _ in nodes), offsets)
