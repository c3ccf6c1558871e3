"""The fitted structures: naive Bayes, then arcs between attributes that the data pay for.

The paper adds "successive arcs" to naive Bayes by "a hill climber on the (penalized) generative
likelihood" and found all its structures perfect. The reading here: each step adds the arc of the
largest gain in BIC among those that close no cycle and keep the graph perfect, until no gain is
positive. With naive Bayes below, the graph is its own canonical form, and an arc i → j keeps it
perfect if i is adjacent to all parents of j.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import bnlr
from bnlr.search.score import FamilyScores

# Turned arcs and symmetric data give equal gains, which rounding errors must not decide.
_TIE = 1e-12

Matrix = NDArray[np.bool_]


@dataclass(frozen=True)
class _Graph:
    """Arcs between the attributes, as (n, n) matrices: [i, j] is about the pair i, j."""

    is_arc: Matrix
    reaches: Matrix  # a directed path from i to j, or i = j

    @classmethod
    def empty(cls, n: int) -> "_Graph":
        return cls(np.zeros((n, n), dtype=np.bool_), np.eye(n, dtype=np.bool_))

    def can_take(self) -> Matrix:
        """Return which arcs close no cycle and marry all parents of the child."""
        adjacent = self.is_arc | self.is_arc.T | np.eye(len(self.is_arc), dtype=np.bool_)
        strangers = (~adjacent).astype(np.intp) @ self.is_arc.astype(np.intp)
        allowed: Matrix = ~adjacent & ~self.reaches.T & (strangers == 0)
        return allowed

    def with_arc(self, i: int, j: int) -> "_Graph":
        is_arc = self.is_arc.copy()
        is_arc[i, j] = True
        return _Graph(is_arc, self.reaches | np.outer(self.reaches[:, i], self.reaches[j]))


def augmented_naive_bayes(data: bnlr.Dataset, kind: str = "bic") -> bnlr.Structure:
    """Add arcs to naive Bayes, the one of the largest gain first, while a gain is positive.

    Parameters
    ----------
    data : Dataset
        Complete in the attributes.
    kind : str
        Which of `bnlr.search.score.SCORES` to gain in.

    Returns
    -------
    Structure
        Its canonical form is perfect. Nodes as in ``bnlr.learn_structure(data, "naive-bayes")``;
        the added arcs last, in the order in which they were found. Of equal gains the arc of the
        first parent, then the first child in node order is taken.

    Raises
    ------
    ParameterError, MissingCellsError, DataError, TooLargeError
        As `bnlr.search.score.FamilyScores`.
    """
    scores = FamilyScores(data, kind)
    structure = bnlr.learn_structure(data, "naive-bayes")
    nodes, graph = structure.attributes, _Graph.empty(len(structure.attributes))
    gains = np.zeros((len(nodes), len(nodes)))
    for j, node in enumerate(nodes):
        gains[:, j] = _gains(scores, structure, node)
    slack = _TIE * max(1.0, scores.n_rows * abs(np.log(scores.n_rows)))
    while (arc := _best(gains, graph.can_take(), slack)) is not None:
        structure = structure.with_arcs([(nodes[arc[0]], nodes[arc[1]])])
        graph = graph.with_arc(*arc)
        gains[:, arc[1]] = _gains(scores, structure, nodes[arc[1]])
    return structure


def _gains(scores: FamilyScores, structure: bnlr.Structure, child: str) -> NDArray[np.float64]:
    """Return what an arc to ``child`` gains from each attribute that is no parent yet; else 0."""
    parents = set(structure.parents(child))
    new = [node not in parents and node != child for node in structure.attributes]
    families = [(child, {*parents, node}) for node in structure.attributes]
    gains = np.zeros(len(families))
    added = [family for family, is_new in zip(families, new, strict=True) if is_new]
    gains[new] = scores.scores(added) - scores.score(child, parents)
    return gains


def _best(gains: NDArray[np.float64], allowed: Matrix, slack: float) -> tuple[int, int] | None:
    open_gains = np.where(allowed, gains, -np.inf)
    best = open_gains.max(initial=-np.inf)
    if not best > slack:
        return None
    i, j = np.argwhere(open_gains >= best - slack)[0].tolist()
    return i, j
