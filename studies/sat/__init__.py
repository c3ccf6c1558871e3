"""Theorem 2 made executable: a 3-CNF formula is satisfiable just when a network reaches a CLL of 0.

R. Greiner, X. Su, B. Shen and W. Zhou, "Structural extension to logistic regression", Machine
Learning 59, 2005: appendix A.
"""
