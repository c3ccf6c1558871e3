"""Data sets by name, made on the spot or shipped with scikit-learn; nothing is downloaded.

Rules hold every row that can occur; generators draw rows; `load` lists them all.
"""
