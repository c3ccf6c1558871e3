"""Distributions that are simpler than the model (section 5.3): G > T.

Either the class is one attribute, up to noise, and the others tell nothing, while the model is
naive Bayes; or the truth is the naive Bayes distribution of section 5.1.4, while the model also
links E1 → E2 → … → Em. All errors are exact: every instance is enumerated.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr
from studies.wrong_structure.truth import CLASS, NO, YES, Truth

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CopyTruth(Truth):
    """The class agrees with E1 with probability ``agreement``; all else is a fair coin.

    With an agreement of 1 the class is E1.
    """

    m: int = 0
    k: int = 6
    agreement: float = 1.0

    @cached_property
    def joint(self) -> Array:
        """P(class, instance), (2ᵏ, 2), classes yes and no."""
        first = self.instances["E1"].to_numpy() == YES
        agrees = np.stack([first, ~first], axis=1)
        joint: Array = np.where(agrees, self.agreement, 1 - self.agreement) / 2**self.k
        return joint

    def sample(self, n: int, hole_rate: float, rng: np.random.Generator) -> bnlr.Dataset:
        """Draw rows; each attribute's value is removed with probability ``hole_rate``."""
        is_yes = rng.random((n, self.k)) < 0.5
        agrees = rng.random(n) < self.agreement
        is_class = is_yes[:, 0] == agrees
        cells = np.where(is_yes, YES, NO).astype(object)
        cells[rng.random((n, self.k)) < hole_rate] = None
        frame = pd.DataFrame(cells, columns=list(self.attributes))
        frame[CLASS] = np.where(is_class, YES, NO)
        return bnlr.Dataset.from_frame(frame, CLASS, states=self.states)


def linked(truth: Truth, m: int) -> bnlr.Structure:
    """Naive Bayes with the arcs E1 → E2 → … → Em."""
    nodes = truth.attributes
    edges = [*((CLASS, node) for node in nodes), *pairwise(nodes[:m])]
    return bnlr.Structure(edges, CLASS, (CLASS, *nodes))
