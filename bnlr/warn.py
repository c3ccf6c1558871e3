"""Warnings that point at the user's line."""

import inspect
import os
import warnings
from pathlib import Path
from types import FrameType

from bnlr.printable import printable

_HOME = str(Path(__file__).parent) + os.sep
# They call bnlr on the user's behalf: pipelines, searches, cross-validation.
_BETWEEN = ("sklearn", "joblib")


def warn(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the line that called bnlr, however deep inside it the cause was found.

    Where scikit-learn called it, at the line that called scikit-learn.
    """
    level, frame = 1, inspect.currentframe()
    while frame is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    shown = printable(message) if isinstance(message, str) else message
    warnings.warn(shown, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _BETWEEN or frame.f_code.co_filename.startswith(_HOME)
