"""Arcs chosen for the class: what a pair's table adds to naive Bayes, by Rao's score statistic.

Residuals of a penalised naive Bayes, what each pair's table would gain on them, and forests, trees
and k-dependence structures by these weights.
"""
