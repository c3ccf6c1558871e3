"""Timings as ratios to work done in the same run, so that machines can be compared."""
