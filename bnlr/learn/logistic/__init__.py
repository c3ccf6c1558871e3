"""The road of perfect structures: logistic regression, there and back.

The global optimum, the path of vanishing penalties, CPTs that floats can hold.
Enters: a problem on complete rows whose structure satisfies Condition 1.
"""
