"""The joint distribution in full, one axis a node, in logarithms: what inference must agree with.

A network is given by `cards`, `parents` (places, one tuple a node) and `tables` (one CPT a node,
axes the parents in order, then the node). A row holds codes, negative ones for missing cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tests.oracles.model import Array


class Joint:
    """log P(x) for every configuration x."""

    def __init__(
        self, cards: Sequence[int], parents: Sequence[Sequence[int]], tables: Sequence[Array]
    ) -> None:
        self.parents = [tuple(above) for above in parents]
        self.logs = np.zeros(tuple(cards))
        for x in np.ndindex(*cards):
            for node, above in enumerate(self.parents):
                theta = tables[node][(*(x[p] for p in above), x[node])]
                self.logs[x] += math.log(theta) if theta > 0 else -math.inf

    def agreeing(self, row: Sequence[int]) -> Array:
        """The logs of the configurations that agree with a row, −inf elsewhere."""
        at = tuple(slice(None) if code < 0 else slice(code, code + 1) for code in row)
        kept = np.full(self.logs.shape, -np.inf)
        kept[at] = self.logs[at]
        return kept

    def log_evidence(self, row: Sequence[int]) -> float:
        """log P(observed cells)."""
        logs = self.agreeing(row)
        top = logs.max()
        return float(top + math.log(np.exp(logs - top).sum())) if top > -math.inf else -math.inf

    def posterior(self, nodes: Sequence[int], row: Sequence[int]) -> Array:
        """P(nodes | observed cells), one axis a node in the order given; 0 if impossible."""
        log_evidence = self.log_evidence(row)
        shares = (
            self.agreeing(row) - log_evidence if log_evidence > -math.inf else self.agreeing(row)
        )
        rest = tuple(k for k in range(shares.ndim) if k not in nodes)
        summed = np.exp(shares).sum(axis=rest)
        return summed.transpose([sorted(nodes).index(node) for node in nodes])

    def families(self, row: Sequence[int]) -> Array:
        """P(d, f | observed cells) of all families, one after the other, flat like the CPTs."""
        scopes = [(*above, node) for node, above in enumerate(self.parents)]
        return np.concatenate([self.posterior(scope, row).ravel() for scope in scopes])


def without(row: Sequence[int], node: int) -> list[int]:
    """The row with this cell missing."""
    return [-1 if k == node else int(code) for k, code in enumerate(row)]


def query(joint: Joint, nodes: Sequence[int], evidence: Mapping[int, int]) -> Array:
    """P(nodes | evidence), one axis a node."""
    return joint.posterior(nodes, [evidence.get(k, -1) for k in range(joint.logs.ndim)])
