"""Rows become integer codes here, and nowhere else; the public nouns and what they share.

Frames, chunks and files are read, numbers cut, and suspect columns found, in a room each. Nothing
here knows a structure or a model.
"""
