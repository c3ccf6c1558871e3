"""Strength and centre of the penalty, by rows left out.

Folds of packed rows, the scaled centre, the path of strengths.
Enters: packed rows and frequency estimates; what was asked of `fit` does not.
"""
