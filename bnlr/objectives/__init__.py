"""Functions of a parameter vector that a solver minimises."""
