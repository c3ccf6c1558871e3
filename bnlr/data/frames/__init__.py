"""A pandas frame, or another library's, becomes codes, one column at a time.

Here pandas may be imported at once: these files are loaded when the first frame is read.
"""
