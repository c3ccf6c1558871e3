"""Slow literal twins, written from the papers and from nothing else.

Loops over cells and sums over joint configurations, with no regard for time. They import nothing
of bnlr; `Model.of` alone reads a Structure's public attributes. A row is a sequence of integer
codes over `Model.nodes`; None, or a negative code, is a missing cell.

`test_oracles.py` checks them against the reference cases, so that they are validated outside
the library before the library is compared with them.
"""

from tests.oracles.backmap import back_map, witnesses
from tests.oracles.counts import family_counts, normalised
from tests.oracles.designs import loglinear_design, roos_design
from tests.oracles.gradients import cll_gradient, expected_counts, ll_gradient
from tests.oracles.graphs import (
    blocks,
    canonical_graph,
    is_perfect,
    markov_blanket,
    violations,
    whole_graph_is_perfect,
)
from tests.oracles.joint import cll, ll, log_joint, posterior, posteriors
from tests.oracles.lmodel import cll_of_tables, posteriors_of_tables, scores
from tests.oracles.model import Model

__all__ = [
    "Model",
    "back_map",
    "blocks",
    "canonical_graph",
    "cll",
    "cll_gradient",
    "cll_of_tables",
    "expected_counts",
    "family_counts",
    "is_perfect",
    "ll",
    "ll_gradient",
    "log_joint",
    "loglinear_design",
    "markov_blanket",
    "normalised",
    "posterior",
    "posteriors",
    "posteriors_of_tables",
    "roos_design",
    "scores",
    "violations",
    "whole_graph_is_perfect",
    "witnesses",
]
