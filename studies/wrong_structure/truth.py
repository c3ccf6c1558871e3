"""The distributions P_0 … P_k of the paper, and exact errors under them.

P_m has k binary attributes: E1 given the class as equation (14) has it, E2 to Em copies of E1, the
others as E1 and independent given the class. Naive Bayes is wrong for m of 2 or more.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr
from studies.common import StudyError

Array = NDArray[np.float64]

CLASS, YES, NO = "C", "+", "-"
P_CLASS = 0.9
P_GIVEN = {YES: 0.2, NO: 0.8}
"""P(+c), and P(+e | c) by class."""

_TIE = 1e-12


@dataclass(frozen=True)
class Truth:
    """P_m over the class and ``k`` attributes.

    Raises
    ------
    StudyError
        m outside 0 … k, or k below 1.
    """

    m: int
    k: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.m <= self.k or self.k < 1:
            raise StudyError(f"P_m needs 0 ≤ m ≤ k and k ≥ 1, got m = {self.m}, k = {self.k}")

    @property
    def attributes(self) -> tuple[str, ...]:
        """E1 … Ek."""
        return tuple(f"E{i}" for i in range(1, self.k + 1))

    @property
    def naive_bayes(self) -> bnlr.Structure:
        """The structure that is fitted, whatever m is."""
        edges = [(CLASS, name) for name in self.attributes]
        return bnlr.Structure(edges, CLASS, (CLASS, *self.attributes))

    @property
    def states(self) -> dict[str, tuple[str, str]]:
        """Of every node: yes, then no."""
        return dict.fromkeys((CLASS, *self.attributes), (YES, NO))

    @cached_property
    def instances(self) -> pd.DataFrame:
        """All 2ᵏ instances, a row each."""
        rows = list(product((YES, NO), repeat=self.k))
        return pd.DataFrame(rows, columns=list(self.attributes))

    @cached_property
    def joint(self) -> Array:
        """P(class, instance), (2ᵏ, 2), classes yes and no."""
        is_yes = self.instances.to_numpy() == YES
        copies = is_yes[:, : max(self.m, 1)]
        possible = (copies == copies[:, :1]).all(axis=1)
        drawn = is_yes[:, self._drawn]
        columns = []
        for label, prior in ((YES, P_CLASS), (NO, 1 - P_CLASS)):
            p = P_GIVEN[label]
            columns.append(prior * np.where(drawn, p, 1 - p).prod(axis=1) * possible)
        return np.stack(columns, axis=1)

    @property
    def bayes_error(self) -> float:
        """The least error that any classifier has."""
        return float(self.joint.min(axis=1).sum())

    def error(self, network: bnlr.BayesianNetwork) -> float:
        """Probability under P_m that the network's most probable class is wrong; ties count half.

        All 2ᵏ instances are enumerated: nothing is sampled.
        """
        return self.error_of(network.predict_proba(self.instances))

    def error_of(self, posteriors: Array) -> float:
        """The same for posteriors of the instances, (2ᵏ, 2)."""
        margin = posteriors[:, 0] - posteriors[:, 1]
        wrong = np.where(margin > 0, self.joint[:, 1], self.joint[:, 0])
        is_tie = np.abs(margin) <= _TIE
        return float(np.where(is_tie, self.joint.mean(axis=1), wrong).sum())

    def limit(self) -> bnlr.BayesianNetwork:
        """Naive Bayes with the frequencies of infinitely many rows: its families' true CPTs.

        Copies do not change what an attribute is given the class, so it is the same for every m.
        """
        row = {label: [p, 1 - p] for label, p in P_GIVEN.items()}
        cpts = {name: np.array([row[YES], row[NO]]) for name in self.attributes}
        cpts[CLASS] = np.array([P_CLASS, 1 - P_CLASS])
        return bnlr.BayesianNetwork(self.naive_bayes, self.states, cpts)

    def sample(self, n: int, hole_rate: float, rng: np.random.Generator) -> bnlr.Dataset:
        """Draw rows; each attribute's value is removed with probability ``hole_rate``.

        The same ``rng`` gives the same class, E1 and holes for every m: rows that differ in the
        copies only make differences between the P_m plain.
        """
        is_class = rng.random(n) < P_CLASS
        chance = np.where(is_class, P_GIVEN[YES], P_GIVEN[NO])
        is_yes = rng.random((n, self.k)) < chance[:, None]
        is_yes[:, 1 : self.m] = is_yes[:, :1]
        holes = rng.random((n, self.k)) < hole_rate
        cells = np.where(is_yes, YES, NO).astype(object)
        cells[holes] = None
        frame = pd.DataFrame(cells, columns=list(self.attributes))
        frame[CLASS] = np.where(is_class, YES, NO)
        return bnlr.Dataset.from_frame(frame, CLASS, states=self.states)

    def population(self, hole_rate: float) -> bnlr.Dataset:
        """All possible rows, holes included, weighted by their probabilities: an infinite sample.

        Weights sum to 1. Without holes 2ᵏ · 2 rows at most, with them 2²ᵏ · 2.
        """
        masks = np.array(list(product((False, True), repeat=self.k)))
        chances = np.where(masks, hole_rate, 1 - hole_rate).prod(axis=1)
        masks, chances = masks[chances > 0], chances[chances > 0]
        frames, weights = [], []
        for place, label in enumerate((YES, NO)):
            for mask, chance in zip(masks, chances, strict=True):
                frames.append(self.instances.mask(np.broadcast_to(mask, self.instances.shape)))
                frames[-1][CLASS] = label
                weights.append(self.joint[:, place] * chance)
        frame, weight = pd.concat(frames, ignore_index=True), np.concatenate(weights)
        possible = weight > 0
        return bnlr.Dataset.from_frame(
            frame[possible], CLASS, states=self.states, weights=weight[possible]
        )

    @property
    def _drawn(self) -> list[int]:
        """Places of the attributes that are no copies."""
        return [0, *range(max(self.m, 1), self.k)]
