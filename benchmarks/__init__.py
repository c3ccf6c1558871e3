"""Speed of bnlr against other packages: ``python -m benchmarks``.

`workloads` has the problems, `peers` and `inference_peers` the others, `race` runs them to one gap.
bnlr enters by its front door; what is timed of inner rooms stands in `rooms`.
"""
