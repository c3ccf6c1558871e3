"""The scikit-learn estimator: X, y and parameters become a `Fitted`, and rows its predictions.

`input` reads X and y, `auto` resolves what is left to choose, `missing` is about cells to come;
`estimator` is on top. All lower rooms may enter; only the command line and `bnlr` itself look in.
"""
