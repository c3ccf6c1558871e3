"""Warnings that point at the user's line."""

import inspect
import os
import warnings
from pathlib import Path
from types import FrameType
from weakref import WeakKeyDictionary

from bnlr.printable import printable

_HOME = str(Path(__file__).parent) + os.sep
# They call bnlr on the user's behalf: pipelines, searches, cross-validation.
_BETWEEN = ("sklearn", "joblib")
# They do so many times, on parts of the rows, but for the predictions of what was found.
_OF_FOLDS = tuple(
    f"sklearn.{room}"
    for room in ("model_selection", "calibration", "ensemble", "feature_selection", "inspection")
)
_OF_ONE_MODEL = ("predict", "score", "decision_function", "transform")
_told: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()


def warn(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the line that called bnlr, however deep inside it the cause was found.

    Where scikit-learn called it, at the line that called scikit-learn.
    """
    level, frame = 1, inspect.currentframe()
    while frame is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    shown = printable(message) if isinstance(message, str) else message
    warnings.warn(shown, category, stacklevel=level)


def told_of_folds() -> set[str]:
    """Columns of which scikit-learn's caller has been told, for the estimator that folds are of.

    A new, empty set where it was not for folds, nor many times over, that bnlr was called.
    """
    asked: object = None
    frame = inspect.currentframe()
    while frame is not None and _is_ours(frame):
        if str(frame.f_globals.get("__name__", "")).startswith(_OF_FOLDS):
            is_of_one = frame.f_code.co_name.startswith(_OF_ONE_MODEL)
            known = frame.f_locals
            asked = None if is_of_one else known.get("self", known.get("estimator", asked))
        frame = frame.f_back
    try:
        return _told.setdefault(asked, set())
    except TypeError:  # what cannot be held weakly, None among it
        return set()


def _is_ours(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _BETWEEN or frame.f_code.co_filename.startswith(_HOME)
