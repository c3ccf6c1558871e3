"""Exact inference on plain factors: posteriors and expected counts for any evidence.

`engine` is the door: forests go to `trees`, all other graphs by `propagate` to the cliques of
`junction`; alike parts of rows are counted once (`expected_counts`). Networks never enter.
"""
