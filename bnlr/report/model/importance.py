"""How much each attribute matters, by what the log-loss loses: permuted, and unknown.

Nothing is fitted again, and nothing is drawn at random.
"""

from collections.abc import Callable, Sequence

import numpy as np

from bnlr.data.compress import distinct_rows
from bnlr.network.opinion_pool import Opinion, joint_blanket, pooled_posteriors
from bnlr.report.scores import log_loss


def losses_without(opinions: Sequence[Opinion]) -> dict[str, float]:
    """Return by how much the log-loss rises if an attribute is missing in every row.

    The attribute is summed out exactly; nothing is fitted again.

    Parameters
    ----------
    opinions : sequence of Opinion
        Of rows with a class: a network's, or those of the networks in a pool.

    Returns
    -------
    {attribute: mean rise of −log P(class | row), natural log}, the largest first. Attributes
    outside of the class's Markov blankets are left out where all its cells are there, since they
    tell nothing then. Negative values mean that the rows are predicted better without. A rise from
    or to an infinite log-loss is ±inf, or 0 between two.

    Raises
    ------
    TooLargeError
        Exact inference would not fit in memory.
    """
    return _rises(opinions, lambda node: _loss([one.without(node) for one in opinions]))


def losses_permuted(opinions: Sequence[Opinion]) -> dict[str, float]:
    """Return by how much the log-loss rises if an attribute's cells are dealt anew to the rows.

    The mean over all ways to deal them, which scikit-learn's ``permutation_importance`` estimates
    from a few: in such a mean each row has each of the column's cells equally often, so that a
    prediction for each distinct one tells. Parameters, order, infinite values and errors are as in
    `losses_without`.
    """
    return _rises(opinions, lambda node: _loss_permuted(opinions, node))


def _loss_permuted(opinions: Sequence[Opinion], node: str) -> float:
    """The mean over the column's cells of the loss if all rows had that one."""
    columns = [one.data.column(node) for one in opinions]
    cells = distinct_rows(columns, None)
    shares = cells.weights / cells.weights.sum()
    losses = [
        _loss([o.having(node, int(c[row])) for o, c in zip(opinions, columns, strict=True)])
        for row in cells.first
    ]
    return float(shares @ losses)


def _loss(opinions: Sequence[Opinion]) -> float:
    codes = opinions[0].data.class_codes.astype(np.intp)
    return log_loss(codes, pooled_posteriors(opinions, in_logs=False))


def _rises(opinions: Sequence[Opinion], loss: Callable[[str], float]) -> dict[str, float]:
    before = _loss(opinions)
    rises = {}
    for node in _telling(opinions):
        after = loss(node)
        rises[node] = 0.0 if after == before else after - before
    return dict(sorted(rises.items(), key=lambda item: (-item[1], item[0])))


def _telling(opinions: Sequence[Opinion]) -> tuple[str, ...]:
    """Attributes that the class depends on; all of them where cells of these are missing."""
    blanket, first = joint_blanket(opinions), opinions[0]
    has_holes = any(node in first.data.missing_counts for node in blanket)
    return first.network.structure.attributes if has_holes else blanket
