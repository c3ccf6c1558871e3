"""Candidates judged by the rows that they have not seen.

Discretizer, structure, centre and parameters are all learnt anew without each fold. Family tables
are free, whether the graph is perfect or not, so that every fit is convex and starts from the last.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.auto.candidates import Candidate, Method
from bnlr.classifier.auto.folds import Fold
from bnlr.classifier.auto.work import Budget, n_intervals, work
from bnlr.classifier.input.discretizers import discretizer_of
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.data.dataset import Dataset
from bnlr.data.missing_states import add_missing_states
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.errors import TooLargeError
from bnlr.learn.shrinkage.strength import centre_of, ends_path, is_too_large, penalty_path
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze


class Trial(NamedTuple):
    """A candidate and its log-loss on the rows left out, with the standard error of that mean."""

    structure: Method
    discretize: str
    penalty_center: str
    penalty: float
    log_loss: float
    standard_error: float

    @property
    def rank(self) -> float:
        """The log-loss without the digits in which the order of rows may show."""
        return float(f"{self.log_loss:.9g}")

    @property
    def candidate(self) -> tuple[str, str, str]:
        """All but the strength of the penalty."""
        return self.structure.label, self.discretize, self.penalty_center


class HeldOut(NamedTuple):
    """A candidate at its best strength, and log P(class | row) of the rows left out.

    (n_rows, n_classes) in single precision, the rows of one fold after those of another.
    """

    trial: Trial
    log_probabilities: NDArray[np.float32]


class _Pair(NamedTuple):
    rest: Design
    held: Design
    data: Dataset


@dataclass
class Trials:
    """The folds, and what has been learnt in them so far.

    ``is_carried``: a graph that is not perfect needs the tables of the larger one around it.
    ``least_gain`` as in `ends_path`. ``n_kept``: of how many candidates, the best, predictions are
    kept in ``held_out``, the best first.
    """

    table: UncutRows
    folds: Sequence[Fold]
    pseudocount: float = 1.0
    is_carried: bool = True
    least_gain: float = 0.0
    n_threads: int | None = None
    n_kept: int = 0
    held_out: list[HeldOut] = field(default_factory=list)
    _cut: dict[str, list[tuple[Dataset, Dataset]]] = field(default_factory=dict)
    _packed: dict[tuple[str, str], list[_Pair]] = field(default_factory=dict)

    def path(self, candidate: Candidate, strengths: Sequence[float]) -> list[Trial]:
        """Judge strengths, the largest first, until the path ends, see `ends_path`.

        A weak one that gains too little is not among them. Nothing of tables that are too large, or
        of structures that another method has come to.
        """
        method, cutting, center = candidate.method, candidate.discretize, candidate.penalty_center
        pairs = self._pairs(method, cutting)
        if not pairs:
            return []
        weights, classes = self.weights, self.classes
        total = weights.sum()
        paths = [self._predictions(pair, center, strengths) for pair in pairs]
        trials: list[Trial] = []
        least = np.inf
        for strength, parts in zip(strengths, zip(*paths, strict=True), strict=False):
            predictions = np.concatenate(parts)
            mean, error = _mean(-predictions[np.arange(len(classes)), classes], weights)
            trial = Trial(method, cutting, center, strength, mean, error)
            is_last = ends_path(strength, -trial.rank * total, -least * total, self.least_gain)
            if not is_last or trial.rank > least:
                trials.append(trial)
                self._keep(trial, predictions)
            if is_last:
                break
            least = min(least, trial.rank)
        return trials

    def allowed(self, budget: Budget) -> float:
        """The work that a budget allows on these rows."""
        table = self.table
        n_classes = table.labels.cards[table.labels.class_name]
        return budget.of(len(table.class_codes), len(table.columns), n_classes)

    def work(self, candidate: Candidate) -> float:
        """The work that a candidate needs, roughly; nothing is cut for the estimate."""
        labels = self.table.labels
        numbers = dict.fromkeys(self.table.numbers, n_intervals(candidate.discretize))
        n_rows = max(len(fold.rest) for fold in self.folds)
        return work(
            candidate, n_rows, len(self.folds), {**labels.cards, **numbers}, labels.class_name
        )

    @cached_property
    def classes(self) -> IntArray:
        """The class of each row left out, by number."""
        places = np.concatenate([fold.held for fold in self.folds])
        classes: IntArray = self.table.class_codes[places].astype(np.intp)
        return classes

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each row left out."""
        return np.concatenate([fold.held_weights for fold in self.folds])

    def _keep(self, trial: Trial, predictions: FloatArray) -> None:
        """Keep predictions of the best candidates, each at its best strength."""
        if self.n_kept:
            self.keep([HeldOut(trial, predictions.astype(np.float32))])

    def keep(self, held_out: Iterable[HeldOut]) -> None:
        """Keep predictions of the best candidates, these among them."""
        best: dict[tuple[str, str, str], HeldOut] = {}
        for one in sorted([*self.held_out, *held_out], key=lambda one: one.trial.rank):
            best.setdefault(one.trial.candidate, one)
        self.held_out[:] = list(best.values())[: self.n_kept]

    def structures(self, candidate: Candidate) -> list[Structure]:
        """What a candidate has learnt without each fold; none where it was not tried."""
        pairs = self._packed.get((candidate.method.label, candidate.discretize), [])
        return [pair.rest.layout.structure for pair in pairs]

    def apart(self) -> "Trials":
        """The same folds, of which nothing has been learnt yet."""
        return replace(self, held_out=[], _cut={}, _packed={})

    def _predictions(
        self, pair: _Pair, center: str, strengths: Sequence[float]
    ) -> Iterator[FloatArray]:
        states = pair.data.states
        centre = centre_of(pair.rest, states, center, self.pseudocount, pair.data.ordered)
        path = penalty_path(pair.rest, states, centre, strengths)
        return (_log_probabilities(pair.held, tables) for tables in path)

    def _pairs(self, method: Method, cutting: str) -> list[_Pair]:
        key = method.label, cutting
        if key not in self._packed:
            try:
                pairs = [self._pair(method, *cut) for cut in self._data(cutting)]
            except TooLargeError:
                pairs = []
            self._packed[key] = [] if self._is_known(cutting, pairs) else pairs
        return self._packed[key]

    def _is_known(self, cutting: str, pairs: Sequence[_Pair]) -> bool:
        structures = [pair.rest.layout.structure for pair in pairs]
        return any(
            structures == [pair.rest.layout.structure for pair in others]
            for (_, other), others in self._packed.items()
            if other == cutting
        )

    def _pair(self, method: Method, rest: Dataset, held: Dataset) -> _Pair:
        structure = method.learn(rest)
        layout = TableLayout.of(structure, rest.cards)
        if is_too_large(layout) or (self.is_carried and _is_embedded_too_large(structure, rest)):
            raise TooLargeError(f"the tables of {method.label} are too large")
        return _Pair(
            Design.of(layout, rest, self.n_threads),
            Design.of(layout, held, self.n_threads, merge=False),
            rest,
        )

    def _data(self, cutting: str) -> list[tuple[Dataset, Dataset]]:
        if cutting not in self._cut:
            self._cut[cutting] = [self._split(cutting, fold) for fold in self.folds]
        return self._cut[cutting]

    def _split(self, cutting: str, fold: Fold) -> tuple[Dataset, Dataset]:
        points = self.table.cut_points(discretizer_of(cutting), fold.rest, fold.rest_weights)
        # A missing cell is a state here, so that every candidate is judged on complete rows.
        data = add_missing_states(self.table.cut(points), self.table.columns)
        return _weighted(data, fold.rest, fold.rest_weights), _weighted(
            data, fold.held, fold.held_weights
        )


def _is_embedded_too_large(structure: Structure, data: Dataset) -> bool:
    larger = structure.with_arcs(analyze(structure).embedding)
    return is_too_large(TableLayout.of(larger, data.cards))


def _weighted(data: Dataset, rows: "np.ndarray", weights: FloatArray) -> Dataset:
    chosen = np.asfortranarray(data.codes[rows])
    return replace(data, codes=chosen, row_weights=None if (weights == 1).all() else weights)


def _log_probabilities(held: Design, tables: FloatArray) -> FloatArray:
    """Log P(class | attributes) of each row, (n_rows, n_classes)."""
    whole = np.pad(held.scores(tables), ((0, 0), (1, 0)))
    logs: FloatArray = whole - np.logaddexp.reduce(whole, axis=1, keepdims=True)
    return logs


def _mean(losses: FloatArray, weights: FloatArray) -> tuple[float, float]:
    total = weights.sum()
    mean = float(weights @ losses / total)
    variance = float(weights @ (losses - mean) ** 2 / max(total - 1.0, 1.0))
    return mean, float(np.sqrt(variance / total))
