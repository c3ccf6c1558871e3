"""Pictures: structures, fits, searches, reliability, contributions, effects, a file each.

`canvas`, `labels` and `layout` say how all of them look, `drawing` makes bytes of them. What they
show enters as it is, with axes to draw into or none; only matplotlib is imported, where it is used.
"""
