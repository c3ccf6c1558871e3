"""How many examples suffice, and how far a network is from another: the papers' formulas.

`sample_size` is Greiner et al. (1997, 2005), `divergence` the Kullback-Leibler one.
Numbers and networks enter; nothing is fitted.
"""

from bnlr.theory.divergence import kl_divergence
from bnlr.theory.sample_size import (
    sample_size_conditional_likelihood,
    sample_size_events,
    sample_size_events_per_condition,
    sample_size_labelled_queries,
    sample_size_likelihood,
    sample_size_queries,
    sample_size_query_learning,
    size_of,
)

__all__ = [
    "kl_divergence",
    "sample_size_conditional_likelihood",
    "sample_size_events",
    "sample_size_events_per_condition",
    "sample_size_labelled_queries",
    "sample_size_likelihood",
    "sample_size_queries",
    "sample_size_query_learning",
    "size_of",
]
