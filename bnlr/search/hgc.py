"""HGC: greedy hill climbing over directed acyclic graphs (Heckerman, Geiger & Chickering 1995).

Every step takes the move of the largest gain among all arcs that may be added, deleted or reversed,
until none gains. A score that adds up over the families changes by that of one family, or two when
an arc is reversed. The class is a node as any other, as in paper 002 (Su et al. 2008), which limits
the parents of a node to 2: arcs from the class may be deleted or reversed, and the class may end
without any, so that its prior predicts.
"""

from functools import partial

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.arguments import number, whole
from bnlr.data.dataset import Dataset
from bnlr.errors import MissingCellsError, ParameterError, StructureError, TooLargeError
from bnlr.search.climb import Graph, Toggles
from bnlr.search.naive import attributes_of, naive_bayes
from bnlr.search.parents import possible_parents
from bnlr.search.score import FamilyScores, Score, bdeu
from bnlr.spellings import canonical
from bnlr.structure.dag import Structure

_ADD, _DELETE, _REVERSE = range(3)
# Gains closer than this, relative to the total score, are equal: rounding must not choose.
_PRECISION = 1e-12
_STARTS = ("naive-bayes", "empty")


def hgc(
    data: Dataset,
    *,
    score: str | Score = "k2",
    ess: float | None = None,
    max_parents: int | None = 2,
    start: str | Structure = "naive-bayes",
) -> Structure:
    """Return the structure at which greedy hill climbing stops: no single move scores better.

    Parameters
    ----------
    data : Dataset
        Complete; rows without a class are left out. Row weights count.
    score
        "k2", "bdeu", "bic", "aic" or any other of `bnlr.search.score`, or a function of its
        `FamilyTables`.
    ess
        For "bdeu" alone: how many rows the prior is worth; 1 if not given.
    max_parents
        The most parents of any node, the class counted among them; None for no limit.
    start
        "naive-bayes", "empty", or a structure over the columns of the data.

    Returns
    -------
    Structure
        The class first, then the attributes in column order. It need not be perfect. Identifiers
        are joined to the class alone (`bnlr.search.parents`), or by arcs of ``start``. Moves of
        equal gain are taken in this order: additions, deletions, reversals; then by the names of
        parent and child, the class before all others. So the arcs depend neither on the order of
        the columns nor, beyond the rounding of weights, on that of the rows.

    Raises
    ------
    ParameterError
        An option outside its domain.
    MissingCellsError
        An attribute cell is missing: scores from different rows cannot be compared.
    StructureError, DataError
        A start over other nodes, or with more than ``max_parents`` at a node; no row with a class.
    TooLargeError
        A family's table would not fit in memory: lower ``max_parents``.
    """
    limit = (
        len(data.nodes)
        if max_parents is None
        else whole("max_parents", max_parents, 1, ", or None for no limit")
    )
    kind = _kind(score, ess)
    _refuse_holes(data)
    scores = FamilyScores(data, kind)
    graph = Graph.of(_start(data, start, scores.nodes, limit))
    try:
        toggles = Toggles(scores, graph, limit, _allowed(data, scores.nodes))
        _climb(graph, toggles, limit, _ranks(data, scores.nodes))
    except TooLargeError as error:
        if limit == 1:
            raise
        raise TooLargeError(f"{error}, or lower max_parents, which is {max_parents}") from error
    return _structure(data, scores.nodes, graph.arcs)


def _climb(graph: Graph, toggles: Toggles, max_parents: int, ranks: IntArray) -> None:
    move = _best_move(graph, toggles.values, max_parents, ranks)
    while move is not None:
        kind, parent, child = move
        if kind != _ADD:
            graph.remove(parent, child)
        if kind == _ADD:
            graph.add(parent, child)
        elif kind == _REVERSE:
            graph.add(child, parent)
        toggles.refresh([child, parent] if kind == _REVERSE else [child])
        move = _best_move(graph, toggles.values, max_parents, ranks)


def _best_move(
    graph: Graph, toggled: FloatArray, max_parents: int, ranks: IntArray
) -> tuple[int, int, int] | None:
    """Return kind, parent and child of the legal move of the largest gain; None if none gains."""
    own = toggled.diagonal()
    gains = _gains(graph, toggled - own, max_parents)
    least = _PRECISION * (1.0 + np.abs(own).sum())
    best = gains.max(initial=-np.inf)
    if not best > least:
        return None
    kinds, parents, children = np.nonzero((gains >= best - least) & (gains > least))
    first = np.lexsort((ranks[children], ranks[parents], kinds))[0]
    return int(kinds[first]), int(parents[first]), int(children[first])


def _gains(graph: Graph, gains: FloatArray, max_parents: int) -> FloatArray:
    """Gain of each move (kind, parent, child), −inf where it is not legal.

    ``gains`` are those of each family with an arc more or less. A reversal takes the arc from the
    child's family and adds it to the parent's.
    """
    result = np.full((3, *gains.shape), -np.inf)
    has_room = graph.arcs.sum(axis=0) < max_parents
    np.copyto(result[_ADD], gains, where=graph.addable() & has_room)
    np.copyto(result[_DELETE], gains, where=graph.arcs)
    parents, children = graph.reversible()
    turned = gains[parents, children] + gains[children, parents]
    result[_REVERSE, parents, children] = np.where(has_room[parents], turned, -np.inf)
    return result


def _kind(score: object, ess: float | None) -> str | Score:
    """Return what `FamilyScores` takes; it checks the name."""
    if ess is None:
        return score  # type: ignore[return-value]
    if canonical(score, ("bdeu",)) != "bdeu":
        raise ParameterError(f"ess is {ess!r}, but score {score!r} has none; choose score='bdeu'")
    return partial(bdeu, ess=number("ess", ess, " of rows above 0, or None"))


def _refuse_holes(data: Dataset) -> None:
    try:
        data.check_complete()
    except MissingCellsError as error:
        raise MissingCellsError(
            f"{error}. Scores of families seen in different rows cannot be compared, so 'hgc' "
            "needs complete rows: fill or drop the cells, or learn a 'tan', 'fan', 'kdb' or "
            "'tpda' structure, which judge each dependence by the rows that show it"
        ) from error


def _start(data: Dataset, start: object, nodes: tuple[str, ...], max_parents: int) -> BoolArray:
    """Return the arcs to start from, over ``nodes``."""
    structure = _given(data, start)
    if set(structure.nodes) != set(nodes) or structure.class_name != data.class_name:
        raise StructureError(
            f"start has the nodes {', '.join(map(repr, structure.nodes[:8]))} and the class "
            f"{structure.class_name!r}; it must have those of the data"
        )
    place = {node: k for k, node in enumerate(nodes)}
    arcs = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for parent, child in structure.edges:
        arcs[place[parent], place[child]] = True
    full = int(arcs.sum(axis=0).argmax())
    if arcs[:, full].sum() > max_parents:
        raise StructureError(
            f"start gives node {nodes[full]!r} {arcs[:, full].sum()} parents, more than "
            f"max_parents={max_parents}; raise max_parents, or remove arcs"
        )
    return arcs


def _given(data: Dataset, start: object) -> Structure:
    if isinstance(start, Structure):
        return start
    named = canonical(start, _STARTS) if isinstance(start, str) else None
    if named == "naive-bayes":
        return naive_bayes(data)
    if named == "empty":
        return Structure([], data.class_name, data.nodes)
    raise ParameterError(
        f"start is {start!r}; choose one of {', '.join(_STARTS)}, or give a bnlr.Structure"
    )


def _ranks(data: Dataset, nodes: tuple[str, ...]) -> IntArray:
    """Place of each of ``nodes``, sorted by name, with the class moved to the front."""
    is_attribute = np.array([node != data.class_name for node in nodes], dtype=np.bool_)
    return np.where(is_attribute, np.cumsum(is_attribute), 0)


def _allowed(data: Dataset, nodes: tuple[str, ...]) -> BoolArray:
    """Whether an arc from each node to each other may be added, be it by reversal."""
    joined = set(possible_parents(data))
    is_joined = np.array([node in joined for node in nodes], dtype=np.bool_)
    is_class = np.array([node == data.class_name for node in nodes], dtype=np.bool_)
    allowed: BoolArray = is_class[:, None] | (is_joined[:, None] & (is_joined | is_class))
    return allowed


def _structure(data: Dataset, nodes: tuple[str, ...], arcs: BoolArray) -> Structure:
    found = zip(*np.nonzero(arcs), strict=True)
    # Parents in the order of their names, the class before all others.
    ranked = sorted(found, key=lambda arc: (nodes[arc[0]] != data.class_name, arc[0], arc[1]))
    listed = [(nodes[parent], nodes[child]) for parent, child in ranked]
    return Structure(listed, data.class_name, (data.class_name, *attributes_of(data)))
