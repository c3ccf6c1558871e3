"""Several networks' posteriors as one: the logarithmic opinion pool (Genest & Zidek 1986).

    log P(c | row) = Σ_m w_m · log P_m(c | row) + constant,    w_m > 0

The pool of distributions that are sums of terms is such a sum itself, so that what speaks for and
against a class stays exact: each term of a network counts with the network's weight. The weights
need not sum to 1; a sum above 1 makes surer, as where the networks have seen different things.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.network.contributions import (
    Term,
    check_one_row,
    explanation_of,
    terms_of,
    texts_of,
)
from bnlr.network.explanation import Explanation
from bnlr.network.model import BayesianNetwork
from bnlr.network.posteriors import class_posteriors, normalized


@dataclass(frozen=True, eq=False)
class Opinion:
    """A network, the rows in its states, and the network's weight in the pool.

    The classes and the attributes are those of the other networks, the same rows in other states
    perhaps. ``label`` tells it from others.
    """

    network: BayesianNetwork
    data: Dataset
    weight: float = 1.0
    label: str = ""

    def take(self, rows: IntArray) -> "Opinion":
        """The opinion of some of the rows."""
        return replace(self, data=self.data.take(rows))

    def without(self, node: str) -> "Opinion":
        """The opinion of rows in which the attribute is missing."""
        return self.having(node, -1)

    def having(self, node: str, code: int) -> "Opinion":
        """The opinion of rows in all of which the attribute has this state."""
        codes = np.array(self.data.codes, order="F")
        codes[:, self.data.nodes.index(node)] = code
        return replace(self, data=replace(self.data, codes=codes, row_weights=None))


def joint_blanket(opinions: Sequence[Opinion]) -> tuple[str, ...]:
    """Return the attributes that the class depends on in any of the networks."""
    blankets = [set(one.network.structure.markov_blanket()) for one in opinions]
    found = set().union(*blankets)
    return tuple(node for node in opinions[0].network.structure.attributes if node in found)


def pooled_posteriors(opinions: Sequence[Opinion], in_logs: bool) -> FloatArray:
    """P(class | the row's other cells) or its logarithm, (n_rows, n_classes).

    A row of which the opinions exclude each other gets the first one's.
    """
    first = opinions[0]
    if len(opinions) == 1 and first.weight == 1.0:
        return class_posteriors(first.network, first.data, in_logs)
    logs = [class_posteriors(one.network, one.data, in_logs=True) for one in opinions]
    scores = np.zeros_like(logs[0])
    for one, its in zip(opinions, logs, strict=True):
        scores += one.weight * its
    lost = np.isneginf(scores).all(axis=1)
    scores[lost] = logs[0][lost]
    return normalized(scores, in_logs)


def explain_pool(
    opinions: Sequence[Opinion], shown: Mapping[str, str] | None = None
) -> Explanation:
    """Explain one row: each column's weighted sum of what its families in the networks add.

    A term is of one column, or of several that cells summed out join; it names the parents and the
    missing cells that any of the networks gives them.

    Parameters
    ----------
    opinions
        Of the one row.
    shown
        {node: how its cell is to be called}, where not by the label of its state.

    Raises
    ------
    DataError
        Not exactly one row.
    TooLargeError
        With missing cells: exact inference would not fit in memory.
    """
    first = opinions[0]
    check_one_row(first.data)
    joint: dict[tuple[bool, tuple[str, ...]], Term] = {}
    for one in opinions:
        for place, term in enumerate(terms_of(one.network, one.data)):
            key = place == 0, tuple(sorted(term.below, key=first.network.structure.index))
            joint[key] = _sum(joint.get(key), term, one.weight)
    texts = texts_of(first.network, first.data, shown or {})
    probabilities = pooled_posteriors(opinions, in_logs=False)[0]
    return explanation_of(first.network, list(joint.values()), texts, probabilities)


def _sum(sum_so_far: Term | None, term: Term, weight: float) -> Term:
    """The sum with a term of the same columns added."""
    if sum_so_far is None:
        return Term(term.below, term.above, term.missing, weight * term.logs)
    above, missing = (
        tuple(dict.fromkeys((*known, *more)))
        for known, more in (
            (sum_so_far.above, term.above),
            (sum_so_far.missing, term.missing),
        )
    )
    return Term(sum_so_far.below, above, missing, sum_so_far.logs + weight * term.logs)
