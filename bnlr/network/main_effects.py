"""What one attribute's states speak for by themselves, the other attributes averaged out.

The log-odds of the classes are a sum of family tables. An attribute's main effect is the part of
that sum that depends on it alone: each table that looks at it is averaged over its other axes, with
the product of their nodes' probabilities as weights, and the sum is centred at the mean over the
attribute's states. Of naive Bayes that is all; elsewhere interactions come on top.
"""

from collections.abc import Iterable

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.families import Family, TableLayout
from bnlr.errors import ParameterError
from bnlr.network.model import BayesianNetwork
from bnlr.words import guess, listed, quoted

_LEAST = 1e-12  # an entry of 0 would leave nothing else to see


def telling_attributes(network: BayesianNetwork) -> tuple[str, ...]:
    """Return the attributes that the class's families look at."""
    return TableLayout.of(network.structure, network.cards).attributes


def main_effect(network: BayesianNetwork, attribute: str) -> FloatArray:
    """Return log-odds of each class against the classes' average, (n_states, n_classes).

    Raises
    ------
    ParameterError
        No attribute of the class's families.
    TooLargeError
        Exact inference, of the nodes' probabilities, would not fit in memory.
    """
    layout = TableLayout.of(network.structure, network.cards)
    if attribute not in layout.attributes:
        raise ParameterError(
            f"attribute is {quoted(attribute)}, which the class's families do not look at, only at "
            f"{listed(layout.attributes)}{guess(attribute, layout.attributes)}"
        )
    tables = np.log(np.maximum(layout.stack(network.cpts), _LEAST))
    tables -= tables.mean(axis=1, keepdims=True)
    holders = [family for family in layout.families if attribute in family.scope]
    shares = _shares(network, {node for family in holders for node in family.scope})
    effect = np.zeros((network.cards[attribute], layout.n_classes))
    for family in holders:
        effect += _averaged(family, tables[family.rows], attribute, shares)
    centred: FloatArray = effect - shares[attribute] @ effect
    return centred


def _shares(network: BayesianNetwork, nodes: Iterable[str]) -> dict[str, FloatArray]:
    return {node: network.query([node]) for node in sorted(nodes)}


def _averaged(
    family: Family, table: FloatArray, attribute: str, shares: dict[str, FloatArray]
) -> FloatArray:
    """The mean of a table over all its axes but one attribute's and the classes'."""
    cells = table.reshape(*family.shape, -1)
    for axis, node in reversed(list(enumerate(family.scope))):
        if node != attribute:
            cells = np.tensordot(shares[node], cells, axes=(0, axis))
    return cells
