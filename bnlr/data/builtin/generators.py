"""Seeded artificial data of any size.

L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and regression trees" (1984),
sections 2.6.1 (digits) and 2.6.2 (waveforms).
"""

import numpy as np
import pandas as pd

from bnlr._typing import FloatArray, IntArray

Seed = int | np.random.Generator | None

_SEGMENTS = (0x77, 0x12, 0x5D, 0x5B, 0x3A, 0x6B, 0x6F, 0x52, 0x7F, 0x7B)  # a bit a segment
_PEAKS = (7, 15, 11)
_WAVES = ((0, 1), (0, 2), (1, 2))


def led(n: int, random_state: Seed, n_irrelevant: int = 0) -> pd.DataFrame:
    """Return n rows of a faulty digit display.

    Seven segments show one of ten equally likely digits, each segment wrong with probability 0.1;
    `n_irrelevant` fair bits follow.
    """
    rng = np.random.default_rng(random_state)
    digits = rng.integers(10, size=n)
    shapes = np.array(_SEGMENTS)[:, None] >> np.arange(7)[::-1] & 1
    segments = shapes[digits] ^ (rng.random((n, 7)) < 0.1)
    return _frame("L", np.hstack([segments, rng.integers(2, size=(n, n_irrelevant))]), digits, 1)


def waveform(n: int, random_state: Seed, n_irrelevant: int = 0) -> pd.DataFrame:
    """Return n rows of 21 points on a noisy wave.

    The wave is a random convex combination of two of three triangles, the three pairs being the
    equally likely classes; every point has standard normal noise. `n_irrelevant` columns of such
    noise follow. Rounded to two decimals, as the copies in circulation are.
    """
    rng = np.random.default_rng(random_state)
    points = np.arange(1, 22)
    triangles = np.array([np.maximum(6 - abs(points - peak), 0) for peak in _PEAKS])
    classes = rng.integers(3, size=n)
    first, second = np.array(_WAVES)[classes].T
    share = rng.random((n, 1))
    waves = share * triangles[first] + (1 - share) * triangles[second]
    table = np.hstack([waves, np.zeros((n, n_irrelevant))])
    return _frame("X", np.round(table + rng.normal(size=table.shape), 2), classes, 2)


def _frame(
    letter: str, table: FloatArray | IntArray, classes: IntArray, digits: int
) -> pd.DataFrame:
    names = [f"{letter}{k:0{digits}d}" for k in range(table.shape[1])]
    return pd.DataFrame(table, columns=names).assign(**{"class": classes})
