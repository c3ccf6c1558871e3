"""Names as people write them: TAN, naive_bayes and lbfgs are "tan", "naive-bayes", "l-bfgs".

Capitals, blanks, hyphens and underscores make no difference; what else a thing is called in papers
and other libraries stands in one table. A message guesses from all of these what was meant.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from bnlr.words import nearest, quoted

T = TypeVar("T")

USUAL: Mapping[str, tuple[str, ...]] = {
    "naive-bayes": ("nb", "naive", "naive bayesian", "naïve bayes", "simple bayes"),
    "tan": ("tree-augmented naive Bayes", "tree-augmented network"),
    "fan": ("forest-augmented naive Bayes", "forest-augmented network"),
    "kdb": ("k-dependence Bayes", "k-DBC"),
    "hgc": ("hill climbing", "hc", "hill-climb search"),
    "tpda": ("three-phase dependency analysis",),
    "cll": ("conditional log-likelihood",),
    "frequencies": ("frequency", "fe", "ofe", "frequency estimates"),
    "dfe": ("discriminative frequency estimates",),
    "lr": ("logistic", "logistic regression"),
    "elr": ("extended logistic regression",),
    "em": ("expectation maximisation", "expectation maximization"),
    "apn": ("adaptive probabilistic networks",),
    "newton": ("newton-raphson", "irls"),
    "l-bfgs": ("l-bfgs-b", "limited-memory BFGS"),
    "cg": ("conjugate gradient", "conjugate gradients"),
    "cg-brent": ("cgb",),
    "softmax": ("beta",),
    "smooth": ("smoothness", "p-spline"),
}
"""{name: what else it is called}; the name itself in other capitals and signs is not listed."""


def canonical(value: T, choices: Collection[str]) -> T | str:
    """Return the one of ``choices`` that a spelling stands for; anything else as it is."""
    if not isinstance(value, str) or value in choices or not value[-1:].isalnum():
        return value
    return _spellings(choices).get(_bare(value), value)


def guess_choice(
    value: object, choices: Collection[str], show: Callable[[object], str] = quoted
) -> str:
    """Return how a message on an unknown name ends: with the choice that was meant, if any."""
    known = _spellings(choices)
    near = nearest(value, choices)
    if near is None and isinstance(value, str):
        bare = nearest(_bare(value), known)
        near = None if bare is None else known[bare]
    return "" if near is None else f"; did you mean {show(near)}?"


def _spellings(choices: Collection[str]) -> dict[str, str]:
    """{bare spelling: the choice}; a choice's own name goes before what another is called."""
    usual = {_bare(text): name for name in choices for text in USUAL.get(name, ())}
    return usual | {_bare(name): name for name in choices}


def _bare(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign not in " -_")
