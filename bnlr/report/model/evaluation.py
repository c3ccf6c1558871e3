"""What a report page is about: a network, how it was fitted, and rows to try it on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, IntArray, State
from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.network import BayesianNetwork
from bnlr.structure.report import StructureReport, analyze

if TYPE_CHECKING:
    from bnlr.learn.result import FitResult


@dataclass(frozen=True)
class Evaluation:
    """A model and rows that are encoded in its states.

    Attributes
    ----------
    network : BayesianNetwork
    data : Dataset
        Rows without weights; the class may be missing in some or all.
    result : FitResult, optional
        How the network was fitted.
    facts : mapping
        What else is known of the model: ``{"intervals": "'age' into 3"}``.
    notes : sequence of str
        What was odd about the rows, such as labels that the model does not know.
    origin : mapping
        What the page was made from: ``{"model": "m.json, SHA-256 …"}``.
    """

    network: BayesianNetwork
    data: Dataset
    result: "FitResult | None" = None
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    origin: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.data.has_weights:
            raise ParameterError(
                "the rows have weights, but a report counts rows; leave the weights out"
            )

    @property
    def class_name(self) -> str:
        """The class node."""
        return self.network.structure.class_name

    @property
    def classes(self) -> tuple[State, ...]:
        """The class's labels."""
        return self.network.class_states

    @cached_property
    def verdict(self) -> StructureReport:
        """What is known of the structure."""
        if self.result is not None and self.result.report.structure == self.network.structure:
            return self.result.report
        return analyze(self.network.structure, self.network.cards)

    @cached_property
    def probabilities(self) -> FloatArray:
        """P(class | row), (n_rows, n_classes)."""
        return self.network.predict_proba(self.data)

    @cached_property
    def known(self) -> IntArray:
        """The rows whose class is known."""
        return np.flatnonzero(self.data.class_codes >= 0)

    @cached_property
    def codes(self) -> IntArray:
        """The classes of those rows, by number."""
        return self.data.class_codes[self.known].astype(np.intp)

    @cached_property
    def known_probabilities(self) -> FloatArray:
        """P(class | row) of those rows."""
        return self.probabilities[self.known]

    @cached_property
    def is_training(self) -> bool:
        """Whether these rows are, by their CLL, those that the network was fitted to."""
        cll = getattr(self.result, "cll", None)
        if cll is None or not self.known.size or not np.isfinite(cll):
            return False
        with np.errstate(divide="ignore"):
            chosen = self.known_probabilities[np.arange(len(self.codes)), self.codes]
            return bool(np.isclose(np.log(chosen).sum(), cll, rtol=1e-7, atol=1e-7))
