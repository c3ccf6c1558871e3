"""DFE without one of its two ingredients (section 4).

They are equation 2, which makes probabilities of the entries, and equation 3, the loss by which an
instance counts.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

import bnlr
from studies.su.learners import EPOCHS, SMOOTHING, Predict, discriminative, frequencies

Array = NDArray[np.float64]


def without_probabilities(
    structure: bnlr.Structure, data: bnlr.Dataset, *, is_sum: bool
) -> Predict:
    """DFE on naive Bayes without equation 2: entries stand where probabilities should.

    Parameters
    ----------
    structure
        Naive Bayes; what there is beside it is not looked at.
    data
        Complete rows, gone through `EPOCHS` times in their order.
    is_sum
        Whether classes score e to the power of the sum of their entries, as in a perceptron, in
        place of the entries' product.
    """
    names = [data.class_name, *structure.attributes]
    n_classes = data.cards[data.class_name]
    offsets = np.cumsum([0, *(data.cards[name] for name in structure.attributes)])
    entries: Array = np.zeros((1 + int(offsets[-1]), n_classes))
    cells = np.column_stack([np.zeros(data.n_rows, int), *map(data.column, names[1:])])
    cells[:, 1:] += 1 + offsets[:-1]
    for _ in range(EPOCHS):
        for row, label in zip(cells, data.class_codes.tolist(), strict=True):
            entries[row, label] += 1.0 - _posterior(entries[row], is_sum=is_sum)[label]

    def predict(rows: bnlr.Dataset) -> NDArray[np.int64]:
        table = np.column_stack([np.zeros(rows.n_rows, int), *map(rows.column, names[1:])])
        table[:, 1:] += 1 + offsets[:-1]
        own = entries if is_sum else entries + SMOOTHING
        scores = own[table].sum(axis=1) if is_sum else np.log(own[table]).sum(axis=1)
        return np.asarray(scores.argmax(axis=1), dtype=np.int64)

    return predict


def _posterior(own: Array, *, is_sum: bool) -> Array:
    """Class probabilities from a row's entries, (entries, classes); all zero: uniform."""
    with np.errstate(divide="ignore"):
        scores = (own if is_sum else np.log(own)).sum(axis=0)
    if scores.max() == -np.inf:
        return np.full(own.shape[1], 1 / own.shape[1])
    shares: Array = np.exp(scores - scores.max())
    return np.asarray(shares / shares.sum())


def without_losses(structure: bnlr.Structure, data: bnlr.Dataset) -> Predict:
    """DFE without equation 3: every row counts as one, in each of the epochs."""
    weights = np.full(data.n_rows, float(EPOCHS))
    return frequencies(
        structure, bnlr.Dataset.from_codes(data.codes, data.states, data.class_name, weights)
    )


WITHOUT: Mapping[str, Callable[[bnlr.Structure, bnlr.Dataset], Predict]] = {
    "FE": frequencies,
    "DFE": discriminative,
    "no equation 2, product": partial(without_probabilities, is_sum=False),
    "no equation 2, sum": partial(without_probabilities, is_sum=True),
    "no equation 3": without_losses,
}
