"""Structures learnt from data.

Data enter, a `Structure` leaves, or the record of a search with one; `learn` is the one door to all
learners, whose names stand in `methods`. Candidates are judged by the fits of `learn`.
"""
