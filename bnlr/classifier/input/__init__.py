"""X, y and weights as `fit` and `predict` are given them become columns, codes and numbers.

Whatever holds a table may enter; `TrainingRows` and `Features` leave, and errors that name the
column. Knows neither structures nor parameters, and pandas no further than `UncutRows`.
"""
