"""Forest-augmented naive Bayes: the TAN tree without the arcs that do not pay for themselves.

An arc X_i → X_j adds d_0·(d_i − 1)·(d_j − 1) parameters and N · I(X_i; X_j | class) to the
log-likelihood, so by the Bayesian information criterion (Schwarz 1978) it pays if

    2N · I(X_i; X_j | class) > d_0 · (d_i − 1) · (d_j − 1) · ln N.

With d_i, d_j, d_0 the numbers of states of the attributes and the class.
"""

from math import log

from bnlr.data.dataset import Dataset
from bnlr.search.independence import shown_weight
from bnlr.search.naive import augmented
from bnlr.search.tan import DECIMALS, named_information, place_of, spanning_pairs, tree_arcs
from bnlr.structure.dag import Structure


def fan(data: Dataset, *, root: str | None = None) -> Structure:
    """Return the TAN structure less the arcs whose information is not worth its BIC penalty.

    What is left is a forest over the attributes; each tree's arcs point away from ``root``, or from
    its first attribute by name. With missing cells, I and N of a pair are those of the rows that
    show the class and both attributes.

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    DataError
        As `conditional_mutual_information`.
    """
    start = place_of(root, data)
    names, information = named_information(data)
    kept = [
        (i, j)
        for i, j in spanning_pairs(information)
        if _pays(data, names[i], names[j], round(float(information[i, j]), DECIMALS))
    ]
    return augmented(data, tree_arcs(names, kept, start))


def _pays(data: Dataset, one: str, other: str, information: float) -> bool:
    weight = shown_weight(data, (data.class_name, one, other))
    cards = data.cards
    n_parameters = cards[data.class_name] * (cards[one] - 1) * (cards[other] - 1)
    # Weights may sum to less than 1, where a parameter would have a negative price.
    return 2.0 * weight * information > n_parameters * log(max(weight, 1.0))
