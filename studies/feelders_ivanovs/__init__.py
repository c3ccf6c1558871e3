"""Nine optimizers of the CLL on real and artificial data, in iterations and flops.

A. Feelders and J. Ivanovs, "Discriminative scoring of Bayesian network classifiers: a comparative
study", Proceedings of the third European workshop on probabilistic graphical models, 2006.
"""
