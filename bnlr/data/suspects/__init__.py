"""Columns that hardly mean what they are taken for, and the warnings of them.

A kind of suspect column has a file of its own; all are found in codes, and told of in `messages`.
"""
