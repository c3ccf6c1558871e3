"""Three-phase dependency analysis: structures from tests of conditional independence.

How far nodes depend on each other, sets that separate them, edges and their directions.
Takes counts of a data set.
"""

from bnlr.search.tpda.three_phases import tpda

__all__ = ["tpda"]
