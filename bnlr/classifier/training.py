"""What `BNClassifier.fit` does between reading rows and keeping the result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from bnlr._typing import FloatArray
from bnlr.classifier.candidates import (
    CENTRES,
    CENTRES_OF_ONE,
    CUTTINGS,
    FORESTS,
    MOST_CELLS_SEARCHED,
    MOST_SEARCHED,
    SEARCHED,
    STRUCTURES,
    Method,
)
from bnlr.classifier.coded import CodedRows
from bnlr.classifier.cutting import discretizer_of
from bnlr.classifier.doubts import Doubts
from bnlr.classifier.features import continuous_columns, cut
from bnlr.classifier.holes import hole_states, with_states
from bnlr.classifier.masking import masked_copies, n_iterations, shares_to_mask, stopped_early
from bnlr.classifier.rows import GENERATIVE, has_blanket
from bnlr.classifier.selection import Choices, select
from bnlr.classifier.shrinkage import penalty_options
from bnlr.classifier.structures import AUTO
from bnlr.classifier.trials import Trial
from bnlr.data.dataset import Dataset
from bnlr.data.discretizer import Discretizer
from bnlr.learn.carried import Shrinkage, fit_carried
from bnlr.learn.fit import fit
from bnlr.learn.result import FitResult
from bnlr.learn.strength import MIDDLE, STRENGTHS, by_folds, untried
from bnlr.learn.temperature import fit_tempered
from bnlr.search.cll_record import CLLSearch
from bnlr.search.learn import learn_with_record
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze

if TYPE_CHECKING:
    from bnlr.classifier.estimator import BNClassifier

_SEARCHED = tuple(method.name for method in SEARCHED)

_FALLBACK = Trial(Method("fan"), "mdl", "scaled", MIDDLE, float("nan"), float("nan"))


@dataclass(frozen=True)
class Rows:
    """Training rows: the columns to use, the class of each, and what it is called."""

    frame: pd.DataFrame
    classes: pd.Categorical
    class_name: str
    weights: FloatArray | None
    doubts: Doubts


@dataclass(frozen=True)
class Trained:
    """``kind`` tells what the parameters were trained on: "complete", "holed" or "masked" rows."""

    result: FitResult
    discretizer: Discretizer | None
    missing_states: dict[str, str]
    kind: str
    trials: list[Trial] | None
    search: CLLSearch | None


@dataclass(frozen=True)
class _Chosen:
    """What the estimator's parameters come to, whatever "auto" in them stands for.

    ``trials`` are None where nothing was tried; those of a search only chose how to cut. ``note``
    says how the penalty of a structure that was named or given was found.
    """

    method: object
    options: Any
    discretize: object
    penalty: float | str
    penalty_center: str
    trials: list[Trial] | None = None
    note: str = ""


def train(given: "BNClassifier", structure: Structure | None, rows: Rows) -> Trained:
    """Choose, discretize, learn the structure unless it is given, and fit."""
    numbers = continuous_columns(rows.frame) if given.discretize is not None else []
    # Holes that have become labels are none of the user's.
    is_coded = _is_chosen(given, numbers) or given.missing == "state"
    table = _coded(rows, numbers) if is_coded else None
    if table is not None:
        rows.doubts.tell(table.labels, rows.frame[numbers])
    chosen = _choose(given, table, numbers)
    discretizer = None
    if numbers:
        discretizer = discretizer_of(chosen.discretize)
        discretizer.fit(rows.frame[numbers], rows.classes.codes, sample_weight=rows.weights)
    columns = cut(rows.frame, discretizer)
    states = hole_states(columns) if given.missing == "state" else {}
    columns = with_states(columns, states).assign(**{rows.class_name: rows.classes})
    data = Dataset._from_frame(columns, rows.class_name, weights=rows.weights)
    if table is None:
        rows.doubts.tell(data, rows.frame[numbers])
    search, is_kept = None, structure is not None
    if structure is None:
        structure, search = learn_with_record(data, str(chosen.method), **(chosen.options or {}))
        is_kept = search is not None
    if given.learner not in GENERATIVE and isinstance(chosen.penalty, str):
        name = chosen.method if isinstance(chosen.method, str) else "given"
        method = Method(name, chosen.options or {}, structure if is_kept else None)
        table = _coded(rows, numbers) if table is None else table
        chosen = _penalised(given, chosen, method, table)
    result, kind = _fitted(given, chosen, structure, data)
    result = _told(given, result, chosen, search)
    return Trained(result, discretizer, states, kind, chosen.trials, search)


def _is_chosen(given: "BNClassifier", numbers: list[str]) -> bool:
    """Whether inner folds are asked for the structure, or for how to cut numbers."""
    if given.learner in GENERATIVE or given.penalty == 0:
        return False
    if given.structure in _SEARCHED:
        return given.discretize == AUTO and bool(numbers)
    return given.structure == AUTO


def _choose(given: "BNClassifier", table: CodedRows | None, numbers: list[str]) -> _Chosen:
    """Ask inner folds where the structure or the intervals are to be chosen."""
    plain = _Chosen(
        given.structure,
        given.structure_options,
        given.discretize,
        given.penalty,
        given.penalty_center,
    )
    if table is None or not _is_chosen(given, numbers):
        fallback = "tan" if given.learner in GENERATIVE else _FALLBACK.structure.name
        return replace(plain, method=fallback) if given.structure == AUTO else plain
    if given.structure in _SEARCHED:
        return _cut_for_search(given, plain, table)
    choices = _choices(given, _methods(given, table))
    trials = _tried(given, table, choices)
    best = trials[0] if trials else _without_trials(choices)
    return _Chosen(
        best.structure.name,
        best.structure.options,
        best.discretize if table.numbers else given.discretize,
        best.penalty,
        best.penalty_center,
        trials,
    )


def _cut_for_search(given: "BNClassifier", plain: _Chosen, table: CodedRows) -> _Chosen:
    """Cut numbers as suits the structures that a search starts from, which cost little to judge."""
    trials = _tried(given, table, _choices(given, FORESTS))
    if not trials:
        return plain
    return replace(plain, discretize=trials[0].discretize, trials=trials)


def _penalised(given: "BNClassifier", chosen: _Chosen, method: Method, table: CodedRows) -> _Chosen:
    """Choose the penalty of one structure, learnt anew from the rest of each fold.

    One that was searched by rows left out is kept, as one that is given.
    """
    choices = Choices(
        structures=(method,),
        cuttings=("mdl" if chosen.discretize in (AUTO, None) else str(chosen.discretize),),
        centres=CENTRES_OF_ONE if given.penalty_center == AUTO else (given.penalty_center,),
        is_of_one=True,
    )
    trials = _tried(given, table, choices)
    if trials:
        best = trials[0]
        found = by_folds(best.penalty, best.penalty_center)
    else:
        found = untried(choices.centres[0], "there being too few rows, or too large tables, to try")
    return replace(chosen, penalty=found.strength, penalty_center=found.center, note=found.note)


def _coded(rows: Rows, numbers: list[str]) -> CodedRows:
    return CodedRows.of(rows.frame, numbers, rows.classes, rows.class_name, rows.weights)


def _tried(given: "BNClassifier", table: CodedRows, choices: Choices) -> list[Trial]:
    return select(table, choices, _pseudocount(given))


def _pseudocount(given: "BNClassifier") -> float:
    return 1.0 if given.pseudocount is None else float(given.pseudocount)


def _methods(given: "BNClassifier", table: CodedRows) -> Sequence[Method]:
    """Structure learners that these rows are for."""
    is_summed = given.missing == "sum" and table.has_holes
    if is_summed or given.expect_missing is not None:
        return FORESTS
    cards = dict(table.labels.cards)
    n_classes = cards.pop(table.labels.class_name)
    is_cheap = (
        not table.numbers
        and len(cards) * n_classes <= MOST_SEARCHED
        and sum(cards.values()) * n_classes <= MOST_CELLS_SEARCHED
    )
    return (*STRUCTURES, *SEARCHED) if is_cheap else STRUCTURES


def _choices(given: "BNClassifier", structures: Sequence[Method]) -> Choices:
    is_named = isinstance(given.penalty, str)
    return Choices(
        structures=structures,
        cuttings=CUTTINGS if given.discretize in (AUTO, None) else (str(given.discretize),),
        centres=CENTRES if given.penalty_center == AUTO else (given.penalty_center,),
        strengths=STRENGTHS if is_named else (float(given.penalty),),
    )


def _without_trials(choices: Choices) -> Trial:
    """What to fit where there are too few rows to choose by: what was asked for stays."""
    is_given = len(choices.strengths) == 1
    return _FALLBACK._replace(
        discretize=choices.cuttings[0],
        penalty_center=choices.centres[0],
        penalty=choices.strengths[0] if is_given else _FALLBACK.penalty,
    )


def _told(
    given: "BNClassifier", result: FitResult, chosen: _Chosen, search: CLLSearch | None
) -> FitResult:
    """The result, saying what it was chosen from and how a search for the structure ended."""
    notes = [result.message, *_choice_note(given, chosen), chosen.note]
    if search is not None:
        n = len(search.steps)
        notes.append(f"Search: {n} {'step' if n == 1 else 'steps'}. {search.message}")
    return replace(result, message=" ".join(note for note in notes if note))


def _choice_note(given: "BNClassifier", chosen: _Chosen) -> tuple[str, ...]:
    if chosen.trials is None:
        return ()
    if given.structure == AUTO and not chosen.trials:
        return (
            "Too few rows to choose by: the structure is 'fan', the penalty "
            f"{float(chosen.penalty):g}.",
        )
    best = chosen.trials[0]
    score = f"log-loss {best.log_loss:.4g} ± {best.standard_error:.2g}."
    if given.structure == AUTO:
        return (f"Chosen of {len(chosen.trials)} candidates by folds left out: {score}",)
    return (
        f"Intervals {best.discretize!r} predict folds left out best, with "
        f"{best.structure.label}: {score}",
    )


def _fitted(
    given: "BNClassifier", chosen: _Chosen, structure: Structure, data: Dataset
) -> tuple[FitResult, str]:
    """Fit the parameters; what they were trained on comes with them."""
    shares = shares_to_mask(given.expect_missing, data)
    is_whole = has_blanket(data, structure)
    kind = "masked" if shares else "complete" if is_whole else "holed"
    pseudocount = _pseudocount(given)
    if given.temperature == AUTO:
        return fit_tempered(structure, data, pseudocount), kind
    is_early = _learns_from_holes(given, kind)
    n_holed = max(1, round(float(data.weights.sum()))) if is_early else 0
    options = _fit_options(given, chosen, n_holed)
    if kind == "complete" and _is_carried(given, chosen, structure):
        shrinkage = Shrinkage(options["penalty"], options["penalty_center"], pseudocount)
        limit = {} if given.max_iter is None else {"max_iter": given.max_iter}
        return fit_carried(structure, data, shrinkage, given.tol, **limit), kind
    rows = masked_copies(data, shares, given.random_state) if shares else data
    result = fit(structure, rows, **options)
    return (stopped_early(result) if is_early else result), kind


def _is_carried(given: "BNClassifier", chosen: _Chosen, structure: Structure) -> bool:
    """Whether a structure that was chosen is not perfect, so that a larger one carries it."""
    is_chosen = given.structure == AUTO and chosen.trials is not None
    is_logistic = given.learner in (AUTO, "lr")
    return is_chosen and is_logistic and not analyze(structure).satisfies_condition_1


def _learns_from_holes(given: "BNClassifier", kind: str) -> bool:
    """Whether to stop early, which predicts best from holes."""
    asked = given.expect_missing is not None or given.learner == AUTO
    return kind == "masked" or (
        kind == "holed" and asked and given.learner not in (*GENERATIVE, "lr")
    )


def _fit_options(given: "BNClassifier", chosen: _Chosen, n_holed: int) -> dict[str, Any]:
    """Options of `bnlr.fit`, early stopping for ``n_holed`` rows with holes, none of it if 0."""
    names = (
        *("learner", "space", "solver", "pseudocount"),
        *("max_iter", "tol", "n_starts", "random_state"),
        *("nonperfect", "m_step_pseudocount"),
    )
    options = {name: getattr(given, name) for name in names}
    options |= penalty_options(chosen.penalty, chosen.penalty_center, given.learner)
    if n_holed:
        few = n_iterations(n_holed)
        options["max_iter"] = few if given.max_iter is None else min(given.max_iter, few)
    return options
