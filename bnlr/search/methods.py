"""The structure learners by name; light, as it loads none of them before it is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

# A further structure learner is one file and one line here.
METHODS = {
    "naive-bayes": "bnlr.search.naive:naive_bayes",
    "tan": "bnlr.search.tan:tan",
    "fan": "bnlr.search.fan:fan",
    "kdb": "bnlr.search.kdb:kdb",
    "hgc": "bnlr.search.hgc:hgc",
    "tpda": "bnlr.search.tpda:tpda",
    "score-tan": "bnlr.search.score_arcs.forests:score_tan",
    "score-fan": "bnlr.search.score_arcs.forests:score_fan",
    "score-kdb": "bnlr.search.score_arcs.kdb:score_kdb",
    "cll": "bnlr.search.cll:cll_search",
}


def learner_of(method: str) -> Callable[..., Any]:
    """Return the function behind a name: data and options in, a structure or a record out."""
    module, _, function = METHODS[method].partition(":")
    learner: Callable[..., Any] = getattr(import_module(module), function)
    return learner
