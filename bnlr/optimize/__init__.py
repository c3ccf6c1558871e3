"""Minimisers of smooth functions; they know nothing of networks.

`base` is the door: `minimise`, the protocol of objectives, and the table of solvers.
Values, gradients and products with the Hessian enter; a `Result` that says why it ended leaves.
"""
