"""Parameters of a structure: what `bnlr.fit` is asked for, and what it learns from."""

from typing import Any

from bnlr._typing import States
from bnlr.classifier.auto.resolve import Resolved, pseudocount_of
from bnlr.classifier.missing.training_masks import (
    masked_copies,
    n_iterations,
    shares_to_mask,
    stopped_early,
)
from bnlr.classifier.parameters import Parameters
from bnlr.data.dataset import Dataset
from bnlr.learn.choices import AUTO, GENERATIVE, SMOOTH
from bnlr.learn.fit import fit
from bnlr.learn.request import holes
from bnlr.learn.result import FitResult
from bnlr.learn.supergraph import Shrinkage, fit_carried
from bnlr.learn.temperature import fit_tempered
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze

_EARLY_SOLVER = "l-bfgs"
# Those of the estimator's parameters that `bnlr.fit` takes as they are.
_PASSED_ON = (
    *("learner", "space", "solver", "pseudocount"),
    *("max_iter", "tol", "n_starts", "random_state"),
    *("nonperfect", "m_step_pseudocount", "verbose"),
)


def fit_parameters(
    asked: Parameters, resolved: Resolved, structure: Structure, data: Dataset, latent: States
) -> tuple[FitResult, str]:
    """Fit them; beside the result stands what rows they are of: "complete", "holed" or "masked".

    Latent nodes are no holes to come: the fit goes on until it has learnt them.
    """
    shares = shares_to_mask(asked.expect_missing, data)
    kind = "masked" if shares else "complete" if _has_blanket(data, structure, latent) else "holed"
    pseudocount = pseudocount_of(asked)
    if asked.temperature == AUTO:
        return fit_tempered(structure, data, pseudocount), kind
    is_early = not latent and _learns_from_holes(asked, kind)
    options = _options(asked, resolved)
    if is_early:
        few = n_iterations(max(1, round(data._total_weight)))
        options["max_iter"] = few if asked.max_iter is None else min(asked.max_iter, few)
    if kind == "complete" and not latent and _is_carried(asked, resolved, structure):
        shrinkage = Shrinkage(options["penalty"], options["penalty_center"], pseudocount)
        limit = {} if asked.max_iter is None else {"max_iter": asked.max_iter}
        return fit_carried(structure, data, shrinkage, asked.tol, **limit), kind
    rows = masked_copies(data, shares, asked.random_state) if shares else data
    if is_early and asked.solver == AUTO and asked.learner in (AUTO, "elr"):
        # So few iterations shrink by not going far: they are this solver's.
        options["solver"] = AUTO if _is_logistic(asked, structure, rows) else _EARLY_SOLVER
    result = fit(structure, rows, states=latent, **options)
    return (stopped_early(result) if is_early else result), kind


def _is_logistic(asked: Parameters, structure: Structure, rows: Dataset) -> bool:
    """Whether learner "auto" is "lr"."""
    if asked.learner != AUTO or holes(structure, rows):
        return False
    return asked.nonperfect == "embed" or analyze(structure).satisfies_condition_1


def _has_blanket(data: Dataset, structure: Structure, latent: States) -> bool:
    """Whether no row lacks a cell of the class's Markov blanket."""
    return not any(node in data.missing_counts for node in structure.markov_blanket(latent))


def _is_carried(asked: Parameters, resolved: Resolved, structure: Structure) -> bool:
    """Whether a structure that is not perfect has free tables, so that a larger one carries it.

    One that was chosen has been judged by them, and so has the strength of a smooth penalty.
    """
    is_chosen = asked.chooses_structure and resolved.trials is not None
    is_logistic = asked.learner in (AUTO, "lr")
    is_free = is_logistic if is_chosen else _is_smooth(asked, resolved)
    return is_free and not analyze(structure).satisfies_condition_1


def _is_smooth(asked: Parameters, resolved: Resolved) -> bool:
    """Whether the penalty is smooth, and nothing asks for another road than free tables."""
    is_open = asked.learner == AUTO and asked.space == AUTO and asked.nonperfect != "embed"
    return is_open and resolved.penalty != 0 and resolved.penalty_center == SMOOTH


def _learns_from_holes(asked: Parameters, kind: str) -> bool:
    """Whether to stop early, which predicts best from holes."""
    is_asked = asked.expect_missing is not None or asked.learner == AUTO
    return kind == "masked" or (
        kind == "holed" and is_asked and asked.learner not in (*GENERATIVE, "lr")
    )


def _options(asked: Parameters, resolved: Resolved) -> dict[str, Any]:
    """Options of `bnlr.fit`; the generative learners take no penalty."""
    options = {name: getattr(asked, name) for name in _PASSED_ON}
    if asked.learner in GENERATIVE:
        return {**options, "penalty": 0.0, "penalty_center": "zero"}
    return {**options, "penalty": resolved.penalty, "penalty_center": resolved.penalty_center}
