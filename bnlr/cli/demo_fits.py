"""What ``bnlr demo`` computes: structures of tic-tac-toe, their optima, and held-out scores."""

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnlr.errors import SeparationWarning
from bnlr.learn.choices import LR_SPACES

if TYPE_CHECKING:
    from bnlr.data.dataset import Dataset
    from bnlr.learn.result import FitResult
    from bnlr.structure.dag import Structure
    from bnlr.structure.report import StructureReport

FOLDS = 10


@dataclass(frozen=True)
class StructureFits:
    """One structure's fits: what was found in each space, and the seconds it took."""

    name: str
    report: "StructureReport"
    results: "dict[str, FitResult]"
    seconds: dict[str, float]


def structures_of(data: "Dataset") -> "dict[str, Structure]":
    """Naive Bayes, TAN, and naive Bayes with two parents of the middle that are not joined."""
    from bnlr.search.learn import learn_structure  # noqa: PLC0415

    naive = learn_structure(data, "naive-bayes")
    middle = "middle-middle-square"
    corners = [("top-left-square", middle), ("bottom-right-square", middle)]
    return {
        "naive Bayes": naive,
        "TAN": learn_structure(data, "tan"),
        "diagonal": naive.with_arcs(corners),
    }


def fitted(name: str, data: "Dataset", report: "StructureReport") -> StructureFits:
    """Fit one structure in every space that its learner has."""
    from bnlr.learn.fit import fit  # noqa: PLC0415

    results, seconds = {}, {}
    for space in LR_SPACES if report.is_perfect else ("softmax",):
        start = time.perf_counter()
        results[space] = fit(report.structure, data, space=space, solver=_solver(report, space))
        seconds[space] = time.perf_counter() - start
    return StructureFits(name, report, results, seconds)


def _solver(report: "StructureReport", space: str) -> str:
    return "newton" if report.is_perfect and space != "softmax" else "l-bfgs"


METHODS = {"naive Bayes": "naive-bayes", "TAN": "tan"}
PARAMETERS: dict[str, dict[str, object]] = {
    "generative": {"learner": "frequencies"},
    "discriminative, penalty 1": {"penalty": 1.0},
    "discriminative, no penalty": {"penalty": 0.0},
}


def scores(name: str, options: dict[str, object]) -> tuple[float, float]:
    """Accuracy and log-loss; TAN's tree is learnt anew in each fold."""
    from sklearn.model_selection import StratifiedKFold, cross_validate  # noqa: PLC0415

    from bnlr.classifier.estimator import BNClassifier  # noqa: PLC0415
    from bnlr.data.builtin.load import load_dataset  # noqa: PLC0415

    frame = load_dataset("tic-tac-toe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        found = cross_validate(
            BNClassifier(METHODS[name], **options),  # type: ignore[arg-type]
            frame.drop(columns="class"),
            frame["class"],
            cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0),
            scoring=("accuracy", "neg_log_loss"),
        )
    return float(found["test_accuracy"].mean()), -float(found["test_neg_log_loss"].mean())
