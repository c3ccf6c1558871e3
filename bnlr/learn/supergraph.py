"""Free family tables of any graph, carried by the CPTs of a larger graph that is perfect.

Where a graph is not perfect its CPTs cannot have every P(class | attributes) that its family tables
can; those of the graph with the arcs of ``report.embedding`` can (Wettig et al. 2003, Theorem 3),
as each of its families holds one of the smaller graph. The penalised optimum over the tables is
unique and costs as much as that of a perfect graph of the same size; the larger graph only writes
it down.
"""

from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import Family, TableLayout
from bnlr.design.parted_rows import design_of
from bnlr.learn.choices import SMOOTH
from bnlr.learn.embed import embedded
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.rescaling import amount_in, divided, in_rows, measure, strength_in
from bnlr.learn.result import FitResult
from bnlr.learn.runs.solver import find_minimum
from bnlr.learn.shrinkage.strength import centre_of, learnable_center
from bnlr.machine import one_blas_thread
from bnlr.network import BayesianNetwork
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.optimize.optimality import confirmed
from bnlr.spaces.backmap import network_from_tables
from bnlr.spaces.l_model import Free
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze


class Shrinkage(NamedTuple):
    """Strength and centre of a penalty, and the pseudocount of the estimates in the centre."""

    strength: float
    center: str = "scaled"
    pseudocount: float = 1.0


def fit_carried(
    structure: Structure,
    data: Dataset,
    shrinkage: Shrinkage,
    tol: float = 1e-9,
    max_iter: int = 1000,
    n_threads: int | None = None,
) -> FitResult:
    """Fit the family tables of ``structure``, and return CPTs of the perfect graph around it.

    Parameters
    ----------
    structure, data, tol, max_iter, n_threads
        As in `bnlr.fit`; the strength of the penalty is above 0.

    Returns
    -------
    FitResult
        ``network`` has the larger structure, ``report`` is the verdict on the one given.

    Raises
    ------
    MissingCellsError
        A row lacks a cell of the class's families.
    TooLargeError
        The larger structure's tables would not fit in memory.
    """
    layout = TableLayout.of(structure, data.cards)
    inside, unit = divided(data, measure(structure, data))
    design = design_of(layout, inside, n_threads)
    strength = strength_in(unit, shrinkage.strength, inside)
    pseudocount = amount_in(unit, shrinkage.pseudocount)
    states = {node: data.states[node] for node in structure.nodes}
    space = Free(structure, states)
    with one_blas_thread():
        center, why = learnable_center(data, shrinkage.center)
        centre = centre_of(design, states, center, pseudocount, data.ordered)
        objective = ConditionalObjective(design, space, centre.penalty(layout, strength))
        first = centre.tables.ravel()
        result = find_minimum(objective, first, solver="newton", tol=tol, max_iter=max_iter)
        result = confirmed(objective, result, tol)
        tables = space.differences(result.x)
    network, note = carried(structure, tables, data, shrinkage.pseudocount, n_threads)
    told = FitResult(
        network=network,
        cll=design.cll(tables),
        start_cll=design.cll(centre.tables),
        converged=result.converged,
        n_iter=result.n_iter,
        message=" ".join(part for part in (result.status.value, result.detail, note, why) if part),
        learner="lr",
        space="free",
        solver="newton",
        why="the family tables are free, and a larger, perfect structure carries them",
        report=analyze(structure, data.cards),
        penalty=strength,
        penalty_center=center,
        ordered=dict(data.ordered) if center == SMOOTH else None,
        coordinates=space,
        x=result.x,
        center_scale=centre.scale,
    )
    return in_rows(told, unit, shrinkage.strength)


def carried(
    structure: Structure,
    tables: FloatArray,
    data: Dataset,
    pseudocount: float = 1.0,
    n_threads: int | None = None,
) -> tuple[BayesianNetwork, str]:
    """Network with the P(class | attributes) of any tables, and a sentence on its arcs.

    Parameters
    ----------
    structure
        Whose families the tables have; arcs are added where it is not perfect.
    tables : array of shape (n_cells, n_classes − 1)
        Differences from the first class.
    data, pseudocount
        The rows whose frequency estimates give the attributes' distribution.
    """
    layout = TableLayout.of(structure, data.cards)
    larger = embedded(analyze(structure, data.cards))
    wide = TableLayout.of(larger.structure, data.cards)
    whole = np.pad(_widened(layout, wide, tables), ((0, 0), (1, 0)))
    like = frequency_network(larger.structure, data, pseudocount, n_threads)
    network = network_from_tables(wide, like.states, whole, larger.report, like)
    n_added = len(larger.structure.edges) - len(structure.edges)
    return network, _note(n_added, larger.report)


def _note(n_added: int, report: StructureReport) -> str:
    if not n_added:
        return ""
    arcs = "1 arc" if n_added == 1 else f"{n_added} arcs"
    counts = report.parameter_counts
    cells = "" if counts is None else f", in all {counts['beta']:,} CPT cells"
    return f"The structure is not perfect: {arcs} added, which carry the tables as CPTs{cells}."


def _widened(narrow: TableLayout, wide: TableLayout, tables: FloatArray) -> FloatArray:
    """Tables of the families of ``wide``, each of which holds the one of the same node."""
    result = np.zeros((wide.n_cells, tables.shape[1]))
    homes = {family.node: family for family in wide.families}
    for family in narrow.families:
        home = homes[family.node]
        result[home.rows] += _spread(family, home, tables[family.rows])
    return result


def _spread(family: Family, home: Family, table: FloatArray) -> FloatArray:
    """The rows of a family repeated over the attributes that only ``home`` has."""
    order = [family.scope.index(node) for node in home.scope if node in family.scope]
    cells = table.reshape(*family.shape, -1).transpose(*order, len(order))
    shape = [
        card if node in family.scope else 1
        for node, card in zip(home.scope, home.shape, strict=True)
    ]
    wide = np.broadcast_to(cells.reshape(*shape, -1), (*home.shape, table.shape[1]))
    return np.ascontiguousarray(wide).reshape(home.n_cells, -1)
