"""The default without four remedies, and with one of them alone: what each is worth."""

from dataclasses import dataclass
from typing import Any, Self
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr
from bnlr.classifier.auto import resolve
from bnlr.classifier.auto.candidates import CANDIDATES, Candidate
from bnlr.classifier.auto.selection import Choices

STRENGTHS = tuple(Choices.strengths)
"""The strengths of the penalty that the default tries."""

FEW_STRENGTHS = tuple(one for one in STRENGTHS if 0.03 <= one <= 100.0)
"""Those that bnlr 0.1.0 tried."""


@dataclass
class Plain:
    """`BNClassifier` that chooses among some of its candidates and strengths only.

    No parameter of the classifier says so, as nobody but this study would be without the others.

    Attributes
    ----------
    structure : {"auto", "pool"}
    smooth : bool
        Whether candidates take part whose numbers are smoothed.
    for_the_class : bool
        Whether those do whose arcs are chosen for the class.
    strengths : tuple of float
        Of the penalty.
    """

    structure: str = "auto"
    smooth: bool = False
    for_the_class: bool = False
    strengths: tuple[float, ...] = FEW_STRENGTHS

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Those that take part, in their order."""
        return tuple(one for one in CANDIDATES if self._takes(one))

    def _takes(self, candidate: Candidate) -> bool:
        if candidate.penalty_center == "smooth" and not self.smooth:
            return False
        return self.for_the_class or not candidate.method.name.startswith("score-")

    def fit(self, rows: pd.DataFrame, classes: Any) -> Self:
        """Fit the classifier to ``rows``, (n_rows, n_attributes), and their ``classes``."""
        candidates = mock.patch.object(resolve, "CANDIDATES", self.candidates)
        strengths = mock.patch.object(resolve, "STRENGTHS", self.strengths)
        with candidates, strengths:
            self.classifier_ = bnlr.BNClassifier(self.structure).fit(rows, classes)
        return self

    def predict_log_proba(self, rows: pd.DataFrame) -> NDArray[np.float64]:
        """Return the natural logarithms of its probabilities, (n_rows, n_classes)."""
        return self.classifier_.predict_log_proba(rows)
