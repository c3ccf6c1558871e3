"""Exact inference on plain factors: posteriors and expected counts for any evidence."""
