"""Parameter spaces: charts over the same family tables."""
