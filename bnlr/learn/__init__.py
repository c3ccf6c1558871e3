"""Learners: from a structure and data to a fitted network.

`fit` is the one door: what is asked is checked (`request`), a learner chosen (`auto`) and run.
Rooms below it never import `fit` or `request`; every result is a `FitResult`.
"""
