"""Speed of bnlr against other packages: ``python -m benchmarks``."""
