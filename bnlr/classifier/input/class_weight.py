"""``class_weight``: rows weigh as much more as their class does."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import FloatArray
from bnlr.arguments import is_number
from bnlr.classifier.input.target import number_classes
from bnlr.classifier.parameters import ClassWeight
from bnlr.data.weights import check_weights
from bnlr.errors import ParameterError
from bnlr.words import guess, listed, quoted

_LARGEST = float(np.finfo(np.float64).max)
BALANCED = "balanced"
"""As ``class_weight``: all classes weigh the same together."""


def check_class_weight(asked: object) -> None:
    """Refuse what are no weights of classes.

    Raises
    ------
    ParameterError
        Another text, something else than a dictionary, or a weight that is no finite number from 0.
    """
    if asked is None or (isinstance(asked, str) and asked == BALANCED):
        return
    if not isinstance(asked, Mapping):
        raise ParameterError(
            f"class_weight is {quoted(asked)}; choose {BALANCED!r} or None, or give a dictionary "
            "of classes and weights"
        )
    for label, weight in asked.items():
        if not (is_number(weight) and 0 <= weight <= _LARGEST):
            raise ParameterError(
                f"class_weight of class {quoted(label)} is {quoted(weight)}; give a finite number, "
                "0 or larger"
            )


def with_class_weight(
    asked: ClassWeight, labels: NDArray[Any], weights: FloatArray | None
) -> FloatArray | None:
    """Return the rows' weights times their classes'; ``labels`` are the rows' classes, (n_rows,).

    "balanced": the weight of all rows by that of the class's and the number of classes, so that a
    row of weight 2 is two rows.

    Raises
    ------
    DataError, ParameterError
        One class only; a class without a weight beside a weight of what is no class; all weigh
        nothing.
    """
    if asked is None:
        return weights
    rows = np.ones(len(labels)) if weights is None else weights
    counted = np.flatnonzero(rows > 0)
    classes, codes = number_classes(labels[counted])
    own = rows[counted]
    if isinstance(asked, str):
        by_class = own.sum() / (len(classes) * np.bincount(codes, own))
    else:
        by_class = _named(asked, classes.tolist())
    product = np.zeros(len(labels))
    product[counted] = own * by_class[codes]
    return check_weights(product, len(labels))


def _named(asked: Mapping[Any, float], classes: list[Any]) -> FloatArray:
    """The weights of classes, 1 of those that are not named."""
    strange = [label for label in asked if label not in classes]
    nameless = [label for label in classes if label not in asked]
    if strange and nameless:
        raise ParameterError(
            f"class_weight has {quoted(strange[0])}, which is no class of y, and none for "
            f"{quoted(nameless[0])}; the classes are {listed(classes)}{guess(strange[0], classes)}"
        )
    return np.array([float(asked.get(label, 1.0)) for label in classes])


def refuse_class_weight_of_dask(asked: ClassWeight) -> None:
    """Refuse weights of classes beside a Dask frame, whose rows are not here to be weighed."""
    if asked is None:
        return
    known = dict(asked) if isinstance(asked, Mapping) else "(1 / len(n) / n).to_dict()"
    counted = "" if isinstance(asked, Mapping) else "n = y.value_counts(normalize=True).compute(); "
    raise ParameterError(
        f"class_weight is not taken with a Dask frame; weigh its rows in its place: {counted}"
        f"sample_weight=y.astype(object).map({known}, meta=('w', 'f8')), of the same frame"
    )
