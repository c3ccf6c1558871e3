"""How good probabilities are: figures of rows whose class is known."""

from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray, IntArray


class Scores(NamedTuple):
    """Log-loss (natural log, mean), Brier score (mean) and share of rows that are right."""

    log_loss: float
    brier: float
    accuracy: float


def scores(codes: IntArray, probabilities: FloatArray) -> Scores:
    """Return the figures of P(class | row), (n_rows, n_classes), for the classes that came."""
    right = probabilities.argmax(axis=1) == codes
    return Scores(
        log_loss(codes, probabilities), brier_score(codes, probabilities), float(right.mean())
    )


def base_rate_scores(codes: IntArray, n_classes: int) -> Scores:
    """Return the figures of who gives every row the shares of the classes in these very rows."""
    shares = np.bincount(codes, minlength=n_classes) / len(codes)
    return scores(codes, np.tile(shares, (len(codes), 1)))


def brier_score(codes: IntArray, probabilities: FloatArray) -> float:
    """Return the mean squared distance of the probabilities from what came, as scikit-learn does.

    Summed over the classes, and halved for two of them, where both distances are the same.
    """
    hits = np.eye(probabilities.shape[1])[codes]
    squares = ((probabilities - hits) ** 2).sum(axis=1)
    return float(squares.mean()) / (2.0 if probabilities.shape[1] == 2 else 1.0)


def log_loss(codes: IntArray, probabilities: FloatArray) -> float:
    """Return the mean of −log P(the class that came), natural log; inf if one had probability 0."""
    chosen = probabilities[np.arange(len(codes)), codes]
    with np.errstate(divide="ignore"):
        return float(-np.log(chosen).mean()) + 0.0


def wilson_interval(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's (1927) interval of a share, which holds for few rows and for extremes too."""
    from scipy.stats import binomtest  # noqa: PLC0415  heavy

    found = binomtest(hits, n).proportion_ci(level, method="wilson")
    return float(found.low), float(found.high)


def confusion(codes: IntArray, predicted: IntArray, n_classes: int) -> IntArray:
    """Return how many rows of each class (first axis) were taken for each (second axis)."""
    cells = np.ravel_multi_index((codes, predicted), (n_classes, n_classes))
    return np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes)


def ranking(codes: IntArray, probabilities: FloatArray, label: int) -> float | None:
    """Return the area under the ROC curve of one class against the rest, None without either."""
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415  heavy

    own = codes == label
    return (
        None if own.all() or not own.any() else float(roc_auc_score(own, probabilities[:, label]))
    )
