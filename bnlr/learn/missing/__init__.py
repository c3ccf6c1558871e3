"""Learners that sum out missing cells: ELR, APN and EM by exact inference.

Their rows and starts, and nodes that no row observes.
Enters: rows with holes, or queries; any structure.
"""
