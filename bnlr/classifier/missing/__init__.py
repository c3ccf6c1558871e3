"""Missing cells, where they are not just summed out: states of their own, and masks in training.

Columns or coded rows enter and leave.
"""
