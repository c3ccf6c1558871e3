"""Minimisers of smooth functions; they know nothing of networks."""
