"""The version, where packaging and every room can read it."""

__version__ = "0.2.0"
