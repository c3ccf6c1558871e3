"""A Bayesian network over discrete variables, and what it can be asked.

Structure, states and CPTs make a `Factorization`; posteriors, queries and explanations are
functions of it, which `BayesianNetwork` offers. Above it are all rooms that fit, read or draw one;
it takes packed tables from `design` and exact inference from `inference`.
"""

from bnlr.network.factorization import uniform_cpts as uniform_cpts
from bnlr.network.model import BayesianNetwork as BayesianNetwork
