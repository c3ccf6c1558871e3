"""How far one network's joint distribution is from another's."""

import numpy as np
from scipy.special import rel_entr, xlogy

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError, StateError
from bnlr.network import BayesianNetwork


def kl_divergence(p: BayesianNetwork, q: BayesianNetwork) -> float:
    """KL(p ‖ q) = Σ_x p(x) ln(p(x) / q(x)) over all joint states, in nats, exactly.

    The sum falls apart into one over each network's families, weighted by p's probabilities of
    them, which exact inference gives (with q's families as queries to p).

    Parameters
    ----------
    p, q : BayesianNetwork
        Over the same nodes and states, in any order of the nodes; the graphs may differ.

    Returns
    -------
    float
        Never negative; 0 where the distributions are equal, inf where p allows what q excludes.

    Raises
    ------
    ParameterError
        Not two networks, or a node of one is not a node of the other.
    StateError
        A node's states differ, or are in another order.
    TooLargeError
        A family's joint distribution would not fit in memory.

    Examples
    --------
    >>> import bnlr
    >>> s = bnlr.Structure([("c", "a")], class_name="c")
    >>> fair = {"c": [0.5, 0.5], "a": [[0.5, 0.5], [0.5, 0.5]]}
    >>> states = {"c": (0, 1), "a": (0, 1)}
    >>> copied = bnlr.BayesianNetwork(s, states, {**fair, "a": [[1.0, 0.0], [0.0, 1.0]]})
    >>> round(bnlr.theory.kl_divergence(copied, bnlr.BayesianNetwork(s, states, fair)), 4)
    0.6931
    """
    _check_alike(p, q)
    return max(sum(_of_family(p, q, node) for node in q.structure.nodes), 0.0)


def _of_family(p: BayesianNetwork, q: BayesianNetwork, node: str) -> float:
    """Return the node's share of the sum."""
    parents = q.structure.parents(node)
    if parents != p.structure.parents(node):
        return _mean_log(p, p, node) - _mean_log(p, q, node)
    # Column by column nothing cancels, so that equal networks differ by exactly 0.
    weights = _joint(p, parents)
    columns = rel_entr(p.cpts[node], q.cpts[node]).sum(axis=-1)
    return float((weights * np.where(weights > 0, columns, 0.0)).sum())


def _mean_log(p: BayesianNetwork, other: BayesianNetwork, node: str) -> float:
    """Σ p(family) ln other(node | its parents), over the other's family."""
    joint = _joint(p, (*other.structure.parents(node), node))
    return float(xlogy(joint, other.cpts[node]).sum())


def _joint(network: BayesianNetwork, nodes: tuple[str, ...]) -> FloatArray:
    return network.query(list(nodes)) if nodes else np.ones(())


def _check_alike(p: BayesianNetwork, q: BayesianNetwork) -> None:
    for network, name in ((p, "p"), (q, "q")):
        if not isinstance(network, BayesianNetwork):
            raise ParameterError(f"{name} is {network!r:.60}, not a bnlr.BayesianNetwork")
    for one, other, name in ((p, q, "q"), (q, p, "p")):
        for node in one.structure.nodes:
            if node not in other.states:
                raise ParameterError(f"{name} has no node {node!r}; compare networks over the same")
    for node, labels in p.states.items():
        if labels != q.states[node]:
            raise StateError(
                f"node {node!r} has states {labels!r} in p and {q.states[node]!r} in q; build "
                "both with the same states in the same order"
            )
