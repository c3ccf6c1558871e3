"""Standard errors, tests and intervals of a fitted logistic regression.

The maximum and its information, Wald and likelihood-ratio tests, and their text.
Enters: what a fit tells of itself and the rows it was made of.
"""
