"""What is proven of a fit: an upper bound on the CLL, and whether the optimum is finite.

Bounds by weak duality, verdicts on separation, what runs away and what is left.
Enters: packed rows and tables near the optimum. Nothing of learners or networks does.
"""
