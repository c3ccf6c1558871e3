"""Frames become integer codes here, and nowhere else."""
