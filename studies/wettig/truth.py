"""The paper's samples for X0 → X2 ← X1, their four suprema, and the L-model's maximum.

A sample has n1 … n4 copies of (X1, X0, X2) = (1,1,1), (1,1,2), (2,2,1), (2,2,2) and e copies of
each other row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

import bnlr

COLLIDER = bnlr.Structure([("X0", "X2"), ("X1", "X2")], class_name="X0")
STATES = dict.fromkeys(COLLIDER.nodes, ("1", "2"))

_EXTRA = (("1", "2", "1"), ("1", "2", "2"), ("2", "1", "1"), ("2", "1", "2"))


@dataclass(frozen=True)
class Sample:
    """n1 … n4, and e copies of the other rows; ``name`` is the paper's."""

    name: str
    n: tuple[int, int, int, int]
    e: int

    def dataset(self) -> bnlr.Dataset:
        """The rows, as weights of the eight that there are."""
        own = [(x, x, y) for x in "12" for y in "12"]
        rows, weights = [*own, *_EXTRA], [*self.n, *[self.e] * len(_EXTRA)]
        frame = pd.DataFrame(rows, columns=["X1", "X0", "X2"])
        return bnlr.Dataset.from_frame(frame, "X0", states=STATES, weights=weights)

    @property
    def suprema(self) -> Mapping[str, float]:
        """The CLL at each of the four, {"i,j": CLL}, best first (MATH.md, Theorem 4).

        i and j name the cells that follow the class's own probability.
        """
        found = {f"{i},{j}": self._supremum(i, j) for i in (1, 2) for j in (3, 4)}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _supremum(self, i: int, j: int) -> float:
        n, e = self.n, self.e
        others = [n[k - 1] for k in (1, 2, 3, 4) if k not in {i, j}]
        return _h(n[i - 1] + e, n[j - 1] + e) + sum(_h(k, e) for k in others)

    @property
    def has_ties(self) -> bool:
        """Whether n1 = n2 or n3 = n4: suprema are then equal in pairs."""
        return self.n[0] == self.n[1] or self.n[2] == self.n[3]

    @property
    def l_model(self) -> float:
        """The largest CLL of free tables for the same families: Σ h(n_k, e)."""
        return sum(_h(k, self.e) for k in self.n)


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample("D", (1, 1, 1, 1), 0),
        Sample("D′", (3, 5, 2, 7), 0),
        Sample("D″", (8, 12, 6, 15), 1),
    )
}


MOST_COPIES = 20


def drawn_sample(number: int) -> Sample:
    """A sample of the proof's kind: n1 … n4 from 1 to `MOST_COPIES`, e 0 or 1, all even chances."""
    rng = np.random.default_rng(number)
    n1, n2, n3, n4 = rng.integers(1, MOST_COPIES + 1, 4).tolist()
    return Sample(f"drawn {number}", (n1, n2, n3, n4), int(rng.integers(2)))


def sample_of(name: str) -> Sample:
    """One of `SAMPLES`, or the drawn one of a name such as "drawn 7"."""
    return SAMPLES[name] if name in SAMPLES else drawn_sample(int(name.removeprefix("drawn ")))


def _h(a: float, b: float) -> float:
    """a ln(a/(a+b)) + b ln(b/(a+b))."""
    return sum(k * log(k / (a + b)) for k in (a, b) if k)


def g(x: float, y: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
    """The paper's equation 17, f(x, y, z) + f(x, 1 − y, 1 − z)."""
    y, z = np.asarray(y, float), np.asarray(z, float)
    return np.asarray(_f(x, y, z) + _f(x, 1.0 - y, 1.0 - z))


def _f(x: float, y: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equation 18: ln(xy / (xy + (1 − x)z))."""
    return np.asarray(np.log(x * y) - np.log(x * y + (1.0 - x) * z))
