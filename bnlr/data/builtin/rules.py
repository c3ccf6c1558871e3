"""Data sets that are a rule: every row that can occur, once (corral: see there).

The monks' problems: S. Thrun et al., "The MONK's problems: a performance comparison of different
learning algorithms", CMU-CS-91-197 (1991). Corral: G. John, R. Kohavi and K. Pfleger, "Irrelevant
features and the subset selection problem", ICML 1994. mofn-3-7-10 is the MLC++ concept of at least
three out of seven of ten bits. Tic-tac-toe: D. Aha, UCI repository (1991).
"""

from itertools import product

import numpy as np
import pandas as pd

from bnlr._typing import IntArray

SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_MONKS = {"a1": 3, "a2": 3, "a3": 2, "a4": 3, "a5": 4, "a6": 2}


def tic_tac_toe() -> pd.DataFrame:
    """Return the 958 boards at the end of a game that x began; positive where x has won."""
    boards = [board for board in product("xob", repeat=9) if _has_ended(board)]
    frame = pd.DataFrame(boards, columns=list(SQUARES))
    frame["class"] = ["positive" if _wins(board, "x") else "negative" for board in boards]
    return frame


def _wins(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _has_ended(board: tuple[str, ...]) -> bool:
    """Return whether a game can end so: the winner moved last, nobody moved after."""
    lead = board.count("x") - board.count("o")
    x_wins, o_wins = _wins(board, "x"), _wins(board, "o")
    if x_wins or o_wins:
        return not (x_wins and o_wins) and lead == (1 if x_wins else 0)
    return lead == 1 and "b" not in board


def monks_1() -> pd.DataFrame:
    """Return the 432 rows; 1 where a1 = a2 or a5 = 1."""
    frame = _monks_attributes()
    return _with_class(frame, (frame["a1"] == frame["a2"]) | (frame["a5"] == 1))


def monks_2() -> pd.DataFrame:
    """Return the 432 rows; 1 where exactly two attributes are 1."""
    frame = _monks_attributes()
    return _with_class(frame, (frame == 1).sum(axis=1) == 2)


def monks_3() -> pd.DataFrame:
    """Return the 432 rows without noise; 1 where a5 = 3 and a4 = 1, or a5 is not 4 and a2 not 3."""
    frame = _monks_attributes()
    jacket = (frame["a5"] == 3) & (frame["a4"] == 1)
    return _with_class(frame, jacket | ((frame["a5"] != 4) & (frame["a2"] != 3)))


def _monks_attributes() -> pd.DataFrame:
    values = product(*(range(1, card + 1) for card in _MONKS.values()))
    return pd.DataFrame(list(values), columns=list(_MONKS))


def corral() -> pd.DataFrame:
    """Return 128 rows; 1 where A0 and A1, or B0 and B1.

    All settings of these four and of the irrelevant bit occur four times, thrice with the
    correlated bit equal to the class and once with it different.
    """
    names = ["A0", "A1", "B0", "B1", "Irrelevant"]
    bits = np.repeat(_bits(5), 4, axis=0)
    a0, a1, b0, b1, _ = bits.T
    concept = (a0 & a1) | (b0 & b1)
    frame = pd.DataFrame(bits, columns=names)
    frame["Correlated"] = concept ^ np.tile([0, 0, 0, 1], 32)
    return _with_class(frame, concept)


def mofn_3_7_10() -> pd.DataFrame:
    """Return all 1,024 settings of ten bits; 1 where at least three of bits 2 to 8 are set."""
    bits = _bits(10)
    frame = pd.DataFrame(bits, columns=[f"Bit-{k}" for k in range(10)])
    return _with_class(frame, bits[:, 2:9].sum(axis=1) >= 3)


def _bits(n: int) -> IntArray:
    """Return all settings of n bits, shape (2^n, n), counting up."""
    return np.arange(2**n)[:, None] >> np.arange(n)[::-1] & 1


def _with_class(frame: pd.DataFrame, labels: "pd.Series[bool] | IntArray") -> pd.DataFrame:
    return frame.assign(**{"class": np.asarray(labels).astype(np.int64)})
