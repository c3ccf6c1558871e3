"""The network of parameters that may have run away: CPTs that floats can hold, and its own CLL.

Log-odds of some hundreds are no rarity where nothing keeps parameters back, and CPT entries below
1e-308 are none: rows that rest on several of them would be impossible under every class.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.learn.proof.log_odds import has_run_away
from bnlr.learn.runs.run import Problem
from bnlr.network import BayesianNetwork
from bnlr.optimize.optimality import NEAR
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import LinearSpace

_NEAR_ZERO = 1e-4  # of the rows' weight: a smaller CLL is known to fewer than 10 digits
_RAISED = 1e-290
_LIMITS = (600.0, 300.0, 150.0, 75.0, 40.0)


class Written(NamedTuple):
    """Parameters, their network, and the network's CLL on the rows of the problem."""

    x: FloatArray
    network: BayesianNetwork
    cll: float


def written(problem: Problem, space: Space, x: FloatArray, cll: float | None = None) -> Written:
    """The network of ``x``; of parameters drawn in as far as it takes if it comes nowhere near.

    Rounding lets the CLL of CPTs differ from that of extreme tables, so that it is taken from the
    network there. ``cll`` is that of ``x``, where it is known.
    """
    tables = space.differences(x)
    cll = problem.design.cll(tables) if cll is None else cll
    network = space.to_network(x, like=problem.frequencies)
    near_zero = cll > -_NEAR_ZERO * problem.design.total_weight
    if not (near_zero or has_run_away(tables) or _is_raised(network)):
        return Written(x, network, cll)
    best = Written(x, network, _cll_of(problem, network))
    if not best.cll >= cll - NEAR * max(1.0, abs(cll)):
        best = max(_alternatives(problem, space, best), key=lambda one: one.cll)
    return best


def _is_raised(network: BayesianNetwork) -> bool:
    """Whether entries have been written as more than they are: all classes' alike, if need be."""
    return bool(network._flat.min() < _RAISED)


def _cll_of(problem: Problem, network: BayesianNetwork) -> float:
    cll = network.conditional_log_likelihood(problem.data)
    return -np.inf if np.isnan(cll) else cll


def _alternatives(problem: Problem, space: Space, best: Written) -> Iterator[Written]:
    yield best
    for limit in _LIMITS:
        x = _drawn_in(space, best.x, limit)
        network = space.to_network(x, like=problem.frequencies)
        yield Written(x, network, _cll_of(problem, network))
    x = space.from_network(problem.start)
    network = space.to_network(x, like=problem.frequencies)
    yield Written(x, network, _cll_of(problem, network))


def _drawn_in(space: Space, x: FloatArray, limit: float) -> FloatArray:
    """Parameters whose tables differ by no more than ``limit`` between classes, or CPT entries."""
    tables = space.to_tables(x)
    if not isinstance(space, LinearSpace):
        return space._from_stacked(np.maximum(tables, -limit))
    middle = 0.5 * (tables.max(axis=1, keepdims=True) + tables.min(axis=1, keepdims=True))
    return space._from_stacked(np.clip(tables - middle, -0.5 * limit, 0.5 * limit))
