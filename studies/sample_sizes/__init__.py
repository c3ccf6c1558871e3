"""Whether the promised numbers of queries and events keep their promise, and how loose they are.

R. Greiner, A. Grove and D. Schuurmans, "Learning Bayesian nets that perform well", UAI 1997:
Theorems 3, 4 and 7 and Corollary 5.
"""
