"""Pictures of structures and fits."""
