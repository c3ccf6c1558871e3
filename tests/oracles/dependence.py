"""Conditional mutual information of two columns given others, by loops over rows and cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import log

Row = Sequence[int]


def conditional_information(
    rows: Sequence[Row], x: int, y: int, given: Sequence[int], weights: Sequence[float]
) -> tuple[float, float, float]:
    """I(x; y | given) in nats, degrees of freedom, weight of the rows that show all columns.

    A negative code is a missing cell.
    """
    joint: dict[tuple[Row, int, int], float] = defaultdict(float)
    for row, weight in zip(rows, weights, strict=True):
        cells = [row[column] for column in (*given, x, y)]
        if min(cells) >= 0 and weight > 0:
            joint[tuple(cells[:-2]), cells[-2], cells[-1]] += weight
    total = sum(joint.values())
    information = 0.0
    for (z, i, j), n in joint.items():
        n_z = sum(w for (c, _, _), w in joint.items() if c == z)
        n_iz = sum(w for (c, a, _), w in joint.items() if (c, a) == (z, i))
        n_jz = sum(w for (c, _, b), w in joint.items() if (c, b) == (z, j))
        information += n / total * log(n * n_z / (n_iz * n_jz))
    df = 0
    for z in {cell[0] for cell in joint}:
        n_x = len({i for c, i, _ in joint if c == z})
        n_y = len({j for c, _, j in joint if c == z})
        df += (n_x - 1) * (n_y - 1)
    return information, float(df), total
