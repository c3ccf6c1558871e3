"""How far parameters have gone: the largest log-odds that a single table cell speaks for."""

from bnlr._typing import FloatArray

_LARGE = 60.0


def has_run_away(tables: FloatArray) -> bool:
    """Whether the log-odds that a single table cell speaks for are beyond reason."""
    return largest_log_odds(tables) > _LARGE


def largest_log_odds(tables: FloatArray) -> float:
    """Largest difference between two classes that a single table cell speaks for."""
    highest, lowest = tables.max(axis=1, initial=0.0), tables.min(axis=1, initial=0.0)
    return float((highest - lowest).max())
