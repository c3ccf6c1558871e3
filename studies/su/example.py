"""The paper's five instances whose three attributes are one (section 5, figures 1 and 2)."""

import warnings
from math import sqrt

import numpy as np

import bnlr
from studies.common.sources import CLASS

_ATTRIBUTES = ("A1", "A2", "A3")
_ROWS = ((1, "-"), (1, "-"), (0, "+"), (0, "-"), (0, "-"))
_STATES: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(_ATTRIBUTES, (0, 1)),
    CLASS: ("+", "-"),
}

FIRST, LAST = 3, 50
"""From the third instance on both classes have been seen."""

TRUTH = 1 / 3
LIMITS = {"FE": 2 / 3, "DFE": sqrt(2) - 1}
"""What P(+ | 0, 0, 0) tends to; the paper says 0.66 and approximately 0.4."""


def curve(method: str) -> list[float]:
    """Naive Bayes' P(+ | 0, 0, 0) after 3, 4, … 50 instances, the five over and over.

    Parameters
    ----------
    method
        "FE" or "DFE", both without smoothing.
    """
    return [_after(method, n) for n in range(FIRST, LAST + 1)]


def _after(method: str, n: int) -> float:
    data = _instances(n)
    structure = bnlr.learn_structure(data, "naive-bayes")
    learner = {"FE": "frequencies", "DFE": "dfe"}[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        # One pass, which is all that FE ever makes.
        network = bnlr.fit(structure, data, learner, max_iter=1, pseudocount=0.0).network
    asked = bnlr.Dataset.from_codes([[0, 0, 0, 0]], _STATES, CLASS)
    return float(np.exp(network.predict_log_proba(asked)[0, 0]))


def _instances(n: int) -> bnlr.Dataset:
    rows = [_ROWS[k % len(_ROWS)] for k in range(n)]
    codes = [[value, value, value, _STATES[CLASS].index(label)] for value, label in rows]
    return bnlr.Dataset.from_codes(codes, _STATES, CLASS)
