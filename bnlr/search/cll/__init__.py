"""Greedy search over perfect structures by their maximal conditional log-likelihood.

Graphs and their moves; what moves promise, by score and Wald tests; fits of the best, judged by a
criterion; the climb and its record. Takes trees to start from and `learn`'s Newton fits.
"""

from bnlr.search.cll.greedy import cll_search
from bnlr.search.cll.record import CLLSearch

__all__ = ["CLLSearch", "cll_search"]
