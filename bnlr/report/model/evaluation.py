"""What a report page is about: a network, how it was fitted, and rows to try it on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, IntArray, State
from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.network import BayesianNetwork
from bnlr.network.explanation import Explanation
from bnlr.network.opinion_pool import Opinion, explain_pool, pooled_posteriors
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
    pool : sequence of Opinion
        All networks of a pool, that of ``network`` and ``data`` first: predictions are theirs
        together. Empty where the network predicts alone.
    shown : function, optional
        ``shown(row)``: {node: how its cell is to be called} of one row, by its place.
    """

    network: BayesianNetwork
    data: Dataset
    result: "FitResult | None" = None
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    origin: Mapping[str, str] = field(default_factory=dict)
    pool: Sequence[Opinion] = ()
    shown: Callable[[int], Mapping[str, str]] | None = None

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

    @property
    def opinions(self) -> Sequence[Opinion]:
        """What predicts: the networks of the pool, or the only one."""
        return self.pool or (Opinion(self.network, self.data),)

    @cached_property
    def probabilities(self) -> FloatArray:
        """P(class | row), (n_rows, n_classes)."""
        return pooled_posteriors(self.opinions, in_logs=False)

    def explain(self, row: int) -> Explanation:
        """What speaks for and against each class in one row, by its place."""
        if not self.pool:
            return self.network.explain(self.data.take([row]))
        shown = None if self.shown is None else self.shown(row)
        return explain_pool([one.take(np.array([row])) for one in self.pool], shown)

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
        # The CLL is that of the network, whatever predicts beside it.
        alone = self.network.predict_proba(self.data) if self.pool else self.probabilities
        with np.errstate(divide="ignore"):
            chosen = alone[self.known, self.codes]
            return bool(np.isclose(np.log(chosen).sum(), cll, rtol=1e-7, atol=1e-7))
