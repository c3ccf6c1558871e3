"""The joint posterior of several nodes given any evidence: variable elimination in logarithms."""

from collections.abc import Mapping, Sequence

import numpy as np

from bnlr._typing import FloatArray
from bnlr.errors import TooLargeError
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.elimination import (
    bits,
    cheapest_elimination,
    clique_cells,
    moral_graph,
    refuse_clique,
)
from bnlr.inference.plan import MOST_CELLS, barren_nodes
from bnlr.machine import MOST_AXES

_Factor = tuple[int, FloatArray]


def joint_posterior(
    flat: FlatCPTs, theta: FloatArray, targets: Sequence[int], evidence: Mapping[int, int]
) -> FloatArray:
    """Return P(targets | evidence), one axis a target; all 0 where the evidence is impossible.

    Barren nodes are left out, and so is what the evidence separates from the targets, unless it
    holds a 0 that could make the evidence impossible.

    Raises
    ------
    TooLargeError
        A table on the way, or the answer, would not fit; it names the nodes.
    """
    cards, barren = flat.cards.tolist(), barren_nodes(flat, {*targets, *evidence})
    if len(targets) > MOST_AXES:
        raise TooLargeError(
            f"{len(targets)} nodes are asked for at once, and a table has at most {MOST_AXES} "
            "axes; ask for fewer"
        )
    # Known without being told, so that no table on the way needs an axis for them.
    evidence = {node: 0 for node, card in enumerate(cards) if card == 1} | dict(evidence)
    asked = sum(1 << node for node in targets if node not in evidence)
    if clique_cells(asked, cards) > MOST_CELLS:
        refuse_clique(asked, cards, flat.names)
    families = [
        _restricted(flat, theta, k, evidence) for k in range(flat.n_nodes) if k not in barren
    ]
    outside = sum(1 << node for node in {*evidence, *barren})
    graph = moral_graph([asked, *(scope for scope, _ in families)], outside, flat.n_nodes)
    nodes = _reachable(graph, asked)
    for scope, table in families:
        nodes |= _reachable(graph, scope) if np.isneginf(table).any() else 0
    factors = [(scope, table) for scope, table in families if scope & nodes or not scope]
    order = cheapest_elimination(graph, cards, nodes & ~asked, MOST_CELLS, flat.names).order
    for node in order:
        touched = [f for f in factors if f[0] >> node & 1]
        factors = [f for f in factors if not f[0] >> node & 1]
        factors.append(_summed_out(_product(touched, cards), node))
    scope, table = _product([(asked, _zeros(asked, cards)), *factors], cards)
    return _answer(scope, table, targets, evidence, cards)


def _restricted(
    flat: FlatCPTs, theta: FloatArray, node: int, evidence: Mapping[int, int]
) -> _Factor:
    """Return a family's free nodes, and its log CPT at the evidence with axes in node order."""
    family = (*flat.parents[node], node)
    table = theta[flat.offsets[node] : flat.offsets[node + 1]].reshape(flat.shape(node))
    table = table[tuple(evidence.get(member, slice(None)) for member in family)]
    free = [member for member in family if member not in evidence]
    with np.errstate(divide="ignore"):
        logs = np.log(np.transpose(table, np.argsort(free)))
    return sum(1 << member for member in free), np.asarray(logs)


def _reachable(graph: Sequence[int], start: int) -> int:
    """Return the nodes that paths join to the set `start`."""
    found = waiting = start
    while waiting:
        around = 0
        for node in bits(waiting):
            around |= graph[node]
        waiting = around & ~found
        found |= around
    return found


def _zeros(scope: int, cards: Sequence[int]) -> FloatArray:
    return np.zeros([cards[node] for node in bits(scope)])


def _product(factors: Sequence[_Factor], cards: Sequence[int]) -> _Factor:
    """Return the sum of log tables over the union of their nodes, axes in node order."""
    union = 0
    for scope, _ in factors:
        union |= scope
    total = _zeros(union, cards)
    for scope, table in factors:
        total += table.reshape([cards[k] if scope >> k & 1 else 1 for k in bits(union)])
    return union, total


def _summed_out(factor: _Factor, node: int) -> _Factor:
    scope, table = factor
    axis = list(bits(scope)).index(node)
    return scope & ~(1 << node), np.asarray(np.logaddexp.reduce(table, axis=axis))


def _answer(
    scope: int,
    table: FloatArray,
    targets: Sequence[int],
    evidence: Mapping[int, int],
    cards: Sequence[int],
) -> FloatArray:
    """Return the probabilities with one axis a target; observed ones have all mass on a state."""
    top = table.max()
    shares = np.exp(table - top) if top > -np.inf else np.zeros_like(table)
    shares /= shares.sum() if top > -np.inf else 1.0
    free = list(bits(scope))
    ordered = shares.transpose([free.index(node) for node in targets if node not in evidence])
    answer = np.zeros([cards[node] for node in targets])
    answer[tuple(evidence.get(node, slice(None)) for node in targets)] = ordered
    return answer
