"""The moves of one screening, and what is expected of each."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bnlr._typing import FloatArray
from bnlr.search.cll.criterion import Criterion
from bnlr.search.cll.moves import Move
from bnlr.search.cll.screening import Screening

# Predictions that agree to so many digits are equal: rounding must not choose.
_DIGITS = 9


@dataclass(frozen=True)
class Candidates:
    """Moves of one screening; ``change`` is the score's predicted change, ``true`` NaN unfitted.

    ``gain`` is that of the CLL, negative for deletions, ``df`` the parameters that come in.
    """

    moves: list[Move]
    statistic: FloatArray
    gain: FloatArray
    df: FloatArray
    change: FloatArray
    true: FloatArray

    @classmethod
    def of(cls, parts: list[Screening], criterion: Criterion) -> "Candidates":
        """Put screenings together, in the order of the moves."""
        parts = [_with_terms(part) for part in parts]
        moves = [move for part in parts for move in part.moves]
        statistic, gain, df = (
            np.concatenate([np.asarray(getattr(part, name), dtype=np.float64) for part in parts])
            for name in ("statistic", "gain", "df")
        )
        prices = np.array([np.sign(d) * criterion.price(int(abs(d))) for d in df])
        return cls(moves, statistic, gain, df, gain - prices, np.full(len(moves), np.nan))

    @classmethod
    def together(cls, parts: "list[Candidates]") -> "Candidates":
        """Put several lots of moves into one."""
        arrays = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("statistic", "gain", "df", "change", "true")
        )
        return cls([move for part in parts for move in part.moves], *arrays)

    def in_order(self) -> Iterator[int]:
        """Places of the moves, the most promising first; equals in the order of the moves."""
        scale = float(np.abs(self.change).max(initial=1e-300))
        rounded = np.round(self.change / scale, _DIGITS)
        yield from np.argsort(-rounded, kind="stable").tolist()


def _with_terms(part: Screening) -> Screening:
    """Leave out moves that change no function on the cells that occur."""
    kept = np.flatnonzero(part.df != 0)
    moves = [part.moves[k] for k in kept]
    return Screening(moves, part.statistic[kept], part.gain[kept], part.df[kept])
