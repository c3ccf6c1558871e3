"""Learning for the queries that will be asked, against learning the distribution of events.

R. Greiner, A. Grove and D. Schuurmans, "Learning Bayesian nets that perform well", UAI 1997:
examples 4.1, 4.2 and 4.3, table 1.
"""
