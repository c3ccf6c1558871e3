"""Warnings that point at the user's line."""

import inspect
import os
import warnings
from pathlib import Path

_HOME = str(Path(__file__).parent) + os.sep


def warn(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the line that called bnlr, however deep inside it the cause was found."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_HOME):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
