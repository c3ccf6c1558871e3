"""Rows become integer codes here, and nowhere else; the public nouns and what they share.

How frames, chunks and files are read, numbers cut, and suspect columns found, is told in rooms of
their own. Nothing here knows a structure or a model.
"""
