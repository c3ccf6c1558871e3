"""Studies that reproduce papers with bnlr: one folder a paper, and `common`, what they share."""
