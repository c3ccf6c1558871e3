"""Whether `bnlr.recommend` foretells which space and solver reach the optimum for the fewest flops.

The solvers, spaces, flops and threshold are those of A. Feelders and J. Ivanovs, "Discriminative
scoring of Bayesian network classifiers: a comparative study", 2006; its closing advice is held
against the races too.
"""
