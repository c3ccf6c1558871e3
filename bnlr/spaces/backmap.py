"""From free family tables back to CPTs (Wettig et al. 2003, Theorem 3, equations 10-14).

Adding a function of the attributes alone to a table changes no P(class | attributes). That
freedom, the gauge, is used twice: to give the tables the class average of a network that models
the attributes well, and to make each CPT column sum to one.
"""

from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, IntArray, States
from bnlr.design.families import TableLayout
from bnlr.errors import NotPerfectError, ParameterError
from bnlr.machine import backend
from bnlr.network import BayesianNetwork, uniform_cpts
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    from bnlr.machine import signatures

# A probability of 0 in the network that lends the gauge would make its class average −inf.
_SMALLEST_GAUGE_PROBABILITY = 1e-12
# Below it exp loses digits, then all of them.
_SMALLEST_LOG = -700.0
# No entry of finite tables is written as 0, which would make rows impossible.
_LEAST = 1e-300
_MAX_MOVES = 100
_NONE = np.empty((0, 0))


def network_from_tables(
    layout: TableLayout,
    states: States,
    tables: FloatArray,
    report: StructureReport,
    like: BayesianNetwork | None,
) -> BayesianNetwork:
    """Network with the P(class | attributes) of stacked ``tables``, in the gauge of ``like``."""
    if not report.satisfies_condition_1:
        orphans = [child for child, witness in report.witnesses.items() if witness is None]
        raise NotPerfectError(
            f"no CPTs need have the posterior of these tables: children {orphans} have no parent "
            "that, with its own parents, covers their parents (Condition 1)",
            report.violations,
            report.embedding,
        )
    if like is not None and (like.structure != layout.structure or like.states != dict(states)):
        raise ParameterError("the network `like` must have the structure and states of the tables")
    moves = _moves_of(layout, report)
    average = _NONE if like is None else like._stacked(layout)
    kernels = _kernels()
    logs = tables.copy()
    kernels.in_gauge(logs, average, _SMALLEST_GAUGE_PROBABILITY)
    kernels.normalise(logs, layout.scopes, *moves)
    if not logs.min() > _SMALLEST_LOG:
        logs = _balanced(tables, layout, moves, average)
    kernels.exponentiate(logs, layout.scopes)
    if np.isfinite(tables).all():
        np.maximum(logs, _LEAST, out=logs)
    if like is None:
        like = BayesianNetwork(layout.structure, states, uniform_cpts(layout.structure, states))
    return like._with_tables(layout, logs)


def _balanced(
    tables: FloatArray, layout: TableLayout, moves: tuple[IntArray, IntArray], like: FloatArray
) -> FloatArray:
    """Log-CPTs whose class prior a float can hold, if there are any.

    Many attributes that each almost tell the class leave, in the gauge of averages, a prior that is
    the product of all their masses. Here the classes' entries in a cell, each times a factor of the
    class, sum to those of ``like``; the factors are moved until the prior is moderate.
    """
    own, *children = layout.families
    factors = np.zeros(tables.shape[1])
    total = np.zeros((len(tables), 1))
    if len(like):
        total = np.log(np.maximum(like, _SMALLEST_GAUGE_PROBABILITY).sum(axis=1, keepdims=True))
    logs = tables
    for _ in range(_MAX_MOVES):
        logs = tables - np.logaddexp.reduce(tables + factors, axis=1, keepdims=True) + total
        _kernels().normalise(logs, layout.scopes, *moves)
        if logs.min() > _SMALLEST_LOG:
            break
        prior = logs[own.rows].mean(axis=0)
        factors += (prior - prior.mean()) / max(len(children), 1)
    return logs


def _moves_of(layout: TableLayout, report: StructureReport) -> tuple[IntArray, IntArray]:
    """`_moves`, worked out once for a layout."""
    found: tuple[IntArray, IntArray] | None = layout.remembered.get(_moves)
    if found is None:
        found = _moves(layout, report)
        layout.remember(_moves, found, len(layout.families))
    return found


def _moves(layout: TableLayout, report: StructureReport) -> tuple[IntArray, IntArray]:
    """The children, last to first, and their witnesses, as places in ``layout.families``.

    In that order a witness takes up all that its children leave before it is normalised itself.
    P(class | attributes) stays, since what is subtracted from child j for f = pa_j is added to
    every cell of its witness's family that is consistent with f.
    """
    place = {family.node: k for k, family in enumerate(layout.families)}
    witnesses, order = report.witnesses, reversed(layout.structure.topological_order)
    children = [node for node in order if node in witnesses]
    return (
        np.array([place[child] for child in children], dtype=np.intp),
        # the caller has checked that there are witnesses
        np.array([place[str(witnesses[child])] for child in children], dtype=np.intp),
    )


def _kernels() -> "signatures.Spaces":
    found: signatures.Spaces = backend("spaces", "spaces.twins")
    return found
