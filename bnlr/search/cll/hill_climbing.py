"""Hill climbing: screen all moves, fit the most promising, take the best, until none is better."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from time import perf_counter

import numpy as np

from bnlr.errors import BnlrWarning
from bnlr.search.cll.candidates import Candidates
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.criterion import Criterion, Model
from bnlr.search.cll.efficient_scores import sharpened
from bnlr.search.cll.moves import (
    ADD_CLIQUE,
    DELETE_ARC,
    DROP_ATTRIBUTE,
    Limits,
    Move,
    additions,
    compounds,
    deletions,
)
from bnlr.search.cll.progress import SearchProgress
from bnlr.search.cll.screening import Screen
from bnlr.search.cll.wald import losses
from bnlr.warn import warn

# A gain below this share of the score is rounding.
_LEAST = 1e-7
# Of more, hardly any would be significant among so many, and to screen them costs the most.
_MOST_COMPOUND = 10_000


@dataclass(frozen=True)
class ClimbOptions:
    """Bounds of the climb: fits a step while one is better, and in vain; steps; seconds."""

    n_best: int
    most_in_vain: int | None
    doubt: float
    max_steps: int | None
    max_seconds: float | None
    is_compound: bool


@dataclass(frozen=True)
class SearchStep:
    """One step: the move, what was expected of it, and what came of it."""

    move: Move
    before: Model = field(repr=False)
    after: Model = field(repr=False)
    predicted: float
    gain: float
    df: int
    penalty: float | None
    n_screened: int
    n_fits: int
    seconds: float


@dataclass
class HillClimbing:
    """Where the search stands, ``begin`` being when it began.

    ``steps`` have been taken, ``last`` is the last screening.
    """

    criterion: Criterion
    screen: Screen
    limits: Limits
    options: ClimbOptions
    progress: SearchProgress
    start: Chordal
    begin: float
    n_screened: int = 0
    steps: list[SearchStep] = field(default_factory=list)
    last: Candidates | None = None
    message: str = ""
    is_complete: bool = False
    model: Model = field(init=False)
    first: Model = field(init=False)
    _visited: set[Chordal] = field(init=False)
    _is_compound: bool = field(init=False)

    def __post_init__(self) -> None:
        df = self.screen.parameters(self.start)
        self.first = self.criterion.first(self.start, df)
        self._stand_at(self.first)

    def run(self) -> None:
        """Climb until no move is better, the budget is spent, or the user interrupts.

        The penalty is then chosen anew, and the climb goes on as long as that raises the score.
        """
        tried = {self.criterion.penalty}
        self._settle()
        try:
            self._climb()
            while self.is_complete:
                tuned = self.criterion.tuned(self.model.graph)
                if tuned.penalty in tried:
                    break
                tried.add(tuned.penalty)
                again = tuned.first(self.model.graph, self.model.df)
                if not again.score > self.model.score:
                    break
                self._stand_at(tuned.settled(again, self.model))
                self.criterion, self.message, self.is_complete = tuned, "", False
                self._climb()
        except KeyboardInterrupt:
            self._interrupted()

    def or_better(self, start: Chordal) -> "HillClimbing":
        """Climb from another start too, if that is better than where this climb has ended."""
        try:
            other = replace(
                self,
                criterion=self.criterion.tuned(start),
                start=start,
                steps=[],
                last=None,
                message="",
                is_complete=False,
            )
            if not self.criterion.surpasses(other.model, self.model):
                return self
            other._settle(self.model)
        except KeyboardInterrupt:
            self._interrupted()
            return self
        other.run()
        return other

    def _settle(self, near: Model | None = None) -> None:
        """Add what is needed of the start beyond its score, which takes longer than that."""
        self.first = self.criterion.settled(self.first, near)
        self.model = self.first

    def _climb(self) -> None:
        while not self._is_spent():
            if not self._step():
                self._ended()
                break

    def _stand_at(self, model: Model) -> None:
        self.model = model
        self._visited = {model.graph}
        self._is_compound = self.options.is_compound

    def _interrupted(self) -> None:
        n = len(self.steps)
        steps = "1 step" if n == 1 else f"{n} steps"
        self.message, self.is_complete = f"Interrupted after {steps}; the best model so far.", False
        warn(self.message, BnlrWarning)

    def _ended(self) -> None:
        """No move was found; perhaps for want of time."""
        if not self._is_spent():
            self.message, self.is_complete = "No move raises the score.", True

    def _is_spent(self) -> bool:
        options = self.options
        if options.max_steps is not None and len(self.steps) >= options.max_steps:
            self.message = f"Stopped after max_steps={options.max_steps}; moves may be left."
        elif self._is_late():
            self.message = f"Stopped after max_seconds={options.max_seconds:g}; moves may be left."
        return bool(self.message)

    def _is_late(self) -> bool:
        most = self.options.max_seconds
        return most is not None and perf_counter() - self.begin > most

    def _step(self) -> bool:
        """Take the best move found; False if there is none.

        Several arcs at once come before attributes are dropped, which a parity would miss.
        """
        begin, fits, screened = perf_counter(), self.criterion.n_fits, self.n_screened
        looked_at: list[Candidates] = []
        found = None
        for moves in self._stages():
            candidates = self._screened(moves)
            looked_at.append(candidates)
            found = self._best(candidates)
            if found is not None or self._is_late():
                break
        self.last = Candidates.together(looked_at)
        if found is None:
            return False
        at, after = found[0], self.criterion.settled(found[1], self.model)
        step = SearchStep(
            candidates.moves[at],
            self.model,
            after,
            float(candidates.gain[at]),
            self.criterion.gain(self.model, after),
            int(candidates.df[at]),
            self.criterion.penalty,
            self.n_screened - screened,
            self.criterion.n_fits - fits,
            perf_counter() - begin,
        )
        self._take(step)
        return True

    def _take(self, step: SearchStep) -> None:
        self.steps.append(step)
        self.model = step.after
        self._visited.add(self.model.graph)
        # Without an attribute there is no more to be found than there was.
        self._is_compound = self.options.is_compound and (
            step.move.kind != DROP_ATTRIBUTE or self._is_compound
        )
        n_promising = 0 if self.last is None else int((self.last.change > 0).sum())
        self.progress.show(len(self.steps), self.model.score, n_promising)

    def _stages(self) -> Iterator[list[Move]]:
        """Moves to look at, one lot after the other as long as none is better."""
        graph = self.model.graph
        gone = list(deletions(graph))
        arcs = [move for move in gone if move.kind == DELETE_ARC]
        yield [*additions(graph, self.limits), *arcs]
        if self._is_compound:
            several = list(islice(compounds(graph, self.limits), _MOST_COMPOUND + 1))
            if len(several) <= _MOST_COMPOUND:
                yield several
            self._is_compound = False
        yield [move for move in gone if move.kind == DROP_ATTRIBUTE]

    def _screened(self, moves: list[Move]) -> Candidates:
        graph, p, rows = self.model.graph, self.model.probabilities, self.criterion.rows
        fresh = [move for move in moves if move.graph not in self._visited]
        made = [move for move in fresh if move.is_addition]
        # Of several arcs at once most are not worth a closer look.
        is_single = not any(move.kind == ADD_CLIQUE for move in made)
        worth = -np.inf if is_single else self.criterion.price(rows.n_classes - 1)
        added = self.screen.additions(made, p, worth)
        if self.criterion.is_at_maximum:
            added = sharpened(rows, graph, p, added)
        gone = [move for move in fresh if not move.is_addition]
        parts = [added, losses(self.screen, rows, self.model, gone)]
        self.n_screened += len(fresh)
        return Candidates.of(parts, self.criterion)

    def _best(self, candidates: Candidates) -> tuple[int, Model] | None:
        """Fit the promising moves; the best of them if it raises the score."""
        best: tuple[int, Model] | None = None
        rounding = _LEAST * max(1.0, abs(self.model.score))
        n, highest = len(candidates.moves), self.model.score + rounding
        for tried, at in enumerate(candidates.in_order()):
            if self._is_late() or self._is_enough(candidates, at, tried, best):
                break
            self._show_fit(tried, n, best is not None)
            df = int(candidates.df[at])
            graph = candidates.moves[at].graph
            hoped = max(self.options.doubt * float(candidates.gain[at]), abs(df))
            least = highest - self.model.score
            fitted = self.criterion.neighbour(graph, self.model.df + df, self.model, hoped, least)
            if fitted is None:
                continue
            candidates.true[at] = fitted.score - self.model.score
            if not fitted.score > highest:
                continue
            believed = self.criterion.believed(self.model, fitted, n)
            if believed is not None:
                best, highest = (at, believed), believed.score + rounding
        return best

    def _show_fit(self, tried: int, n: int, has_best: bool) -> None:
        most = self.options.n_best if has_best else self.options.most_in_vain
        n_most = n if most is None else max(tried + 1, min(n, most))
        self.progress.fitting(len(self.steps) + 1, tried + 1, n_most, self.model.score)

    def _is_enough(
        self, candidates: Candidates, at: int, tried: int, best: tuple[int, Model] | None
    ) -> bool:
        """Whether the next move in order, and so all that follow, need no fit."""
        if best is not None:
            ahead = best[1].score - self.model.score
            return tried >= self.options.n_best or ahead > self._most(candidates, at)
        most = self.options.most_in_vain
        return (most is not None and tried >= most) or self._most(candidates, at) <= 0

    def _most(self, candidates: Candidates, at: int) -> float:
        """The score's change if the prediction errs by the factor of doubt."""
        gain, change = float(candidates.gain[at]), float(candidates.change[at])
        doubt = self.options.doubt
        return change + (doubt - 1.0) * gain if gain > 0 else change + (1.0 - 1.0 / doubt) * -gain
