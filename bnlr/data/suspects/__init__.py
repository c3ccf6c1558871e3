"""Columns that hardly mean what they are taken for, and the warnings of them.

Each kind of suspect column has a file; all are found in codes, and `messages` warns of them.
"""
