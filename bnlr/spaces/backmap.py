"""From free family tables back to CPTs (Wettig et al. 2003, Theorem 3, equations 10-14).

Adding a function of the attributes alone to a table changes no P(class | attributes). That
freedom, the gauge, is used twice: to give the tables the class average of a network that models
the attributes well, and to make each CPT column sum to one.
"""

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.design.families import TableLayout
from bnlr.errors import NotPerfectError
from bnlr.network import BayesianNetwork, uniform_cpts
from bnlr.structure.report import StructureReport

# A probability of 0 in the network that lends the gauge would make its class average −inf.
_SMALLEST_GAUGE_PROBABILITY = 1e-12


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
    log_cpts = normalise(layout, in_gauge(layout, tables, like), report)
    outside = like.cpts if like is not None else uniform_cpts(layout.structure, states)
    cpts = {node: _columns(np.exp(log_cpt)) for node, log_cpt in log_cpts.items()}
    return BayesianNetwork(layout.structure, states, {**outside, **cpts})


def _columns(cpt: FloatArray) -> FloatArray:
    """``cpt`` with columns that sum to one, which rounding keeps very large tables from."""
    scaled: FloatArray = cpt / cpt.sum(axis=-1, keepdims=True)
    return scaled


def in_gauge(layout: TableLayout, tables: FloatArray, like: BayesianNetwork | None) -> FloatArray:
    """Tables with the class average of ``like``'s log-CPTs, or centred over the classes."""
    centred: FloatArray = tables - tables.mean(axis=1, keepdims=True)
    if like is None:
        return centred
    logs = np.log(np.maximum(layout.stack(like.cpts), _SMALLEST_GAUGE_PROBABILITY))
    average: FloatArray = logs.mean(axis=1, keepdims=True)
    return centred + average


def normalise(
    layout: TableLayout, tables: FloatArray, report: StructureReport
) -> dict[str, FloatArray]:
    """Log-CPTs: children last to first, each column's normaliser moved to its witness's family.

    P(class | attributes) stays, since what is subtracted from child j for f = pa_j is added to
    every cell of its witness's family that is consistent with f.
    """
    structure = layout.structure
    log_cpts = {node: table.copy() for node, table in layout.unstack(tables).items()}
    for node in reversed(structure.topological_order):
        if node not in report.witnesses:
            continue
        log_mass = np.logaddexp.reduce(log_cpts[node], axis=-1)
        log_cpts[node] -= log_mass[..., None]
        witness = report.witnesses[node]
        assert witness is not None  # noqa: S101  the caller has checked Condition 1
        axes = (*structure.parents(witness), witness)
        log_cpts[witness] += _aligned(log_mass, structure.parents(node), axes)
    own = structure.class_name
    log_cpts[own] -= np.logaddexp.reduce(log_cpts[own], axis=-1, keepdims=True)
    return log_cpts


def _aligned(values: FloatArray, names: tuple[str, ...], axes: tuple[str, ...]) -> FloatArray:
    """``values`` over axes ``names``, transposed and broadcast to ``axes``."""
    order = sorted(range(len(names)), key=lambda k: axes.index(names[k]))
    shape = [values.shape[names.index(a)] if a in names else 1 for a in axes]
    return values.transpose(order).reshape(shape)
