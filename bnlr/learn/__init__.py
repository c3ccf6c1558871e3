"""Learners: from a structure and data to a fitted network."""
