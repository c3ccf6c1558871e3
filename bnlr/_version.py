"""The version, where packaging and every room can read it."""

__version__ = "0.1.0"
