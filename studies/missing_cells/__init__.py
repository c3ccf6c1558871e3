"""Prediction with missing cells: which learner's network answers best, and training for the holes.

R. Greiner, A. Grove and D. Schuurmans, "Learning Bayesian nets that perform well", 1997: learn for
the queries that will be asked; R. Greiner, X. Su, B. Shen and W. Zhou, Machine Learning 59, 2005:
ELR for any evidence.
"""
