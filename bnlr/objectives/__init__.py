"""Functions of a parameter vector that a solver minimises.

−CLL on complete rows, or with cells summed out, penalties, preconditioners, and Newton's method for
small problems in one call (`small_newton`). Packed rows and a space enter; learners never do.
"""
