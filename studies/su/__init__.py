"""Discriminative frequency estimates against frequencies, ELR and boosting, on 33 sets.

J. Su, H. Zhang, C. X. Ling and S. Matwin, "Discriminative parameter learning for Bayesian
networks", ICML 2008.
"""
