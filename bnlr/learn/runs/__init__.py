"""One run of a solver, watched, and the best of several starts.

Problem and settings, which solver runs, what a person sees of it, the lowest point seen.
Enters: an objective of ours and a start. Leaves: where the solver ended, and its iterations.
"""
