"""bnlr's own JSON: the envelope of every model file, and what a network's holds.

`strict_json` and `fields` trust nothing. What a classifier's file holds stands in its own room, in
these terms.
"""
