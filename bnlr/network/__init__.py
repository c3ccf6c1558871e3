"""A Bayesian network over discrete variables, and what it can be asked."""

from bnlr.network.model import BayesianNetwork as BayesianNetwork
from bnlr.network.model import uniform_cpts as uniform_cpts
