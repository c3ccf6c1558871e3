"""``python -m benchmarks --smoke``: what a fit costs, on one small data set.

The unit is one NumPy pass that counts every family of the structure: what frequency estimates
cost. Nothing is asserted about time; a failed or unconverged fit ends with an error.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import bnlr

T = TypeVar("T")

_DATA = "tic-tac-toe"
_METHODS = ("naive-bayes", "tan")
_HEAD = ("structure", "penalty", "what", "objective", "milliseconds", "passes")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", required=True, help="the small run")
    parser.add_argument("--repeats", type=int, default=5, help="the best of so many is shown")
    args = parser.parse_args()
    data = bnlr.Dataset.from_frame(bnlr.load_dataset(_DATA), class_name="class")
    print(f"{_DATA}: {data.n_rows} rows, best of {args.repeats}; passes: NumPy counting passes")
    _line(*_HEAD)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # Without penalty the optimum of this set is a limit; the fit is timed all the same.
        warnings.simplefilter("ignore")
        for method in _METHODS:
            _compare(method, data, args.repeats)


def _compare(method: str, data: bnlr.Dataset, repeats: int) -> None:
    structure = bnlr.learn_structure(data, method)
    _, unit = _timed(lambda: count_families(structure, data), repeats)
    _line(method, "", "counting pass", "", f"{unit * 1e3:.2f}", "1")
    for penalty in (1.0, 0.0):
        result, seconds = _timed(lambda p=penalty: fitted(structure, data, p), repeats)
        _line(method, penalty, "bnlr.fit", f"{_cost(result):.6f}", *_both(seconds, unit))
        value, seconds = _timed(lambda p=penalty: logistic(structure, data, p), repeats)
        _line(method, penalty, "LogisticRegression", f"{value:.6f}", *_both(seconds, unit))


def count_families(structure: bnlr.Structure, data: bnlr.Dataset) -> list[np.ndarray]:
    """Frequencies of every family's configurations, by one bincount each."""
    counts = []
    for node in structure.nodes:
        axes = (*structure.parents(node), node)
        shape = tuple(data.cards[axis] for axis in axes)
        cells = np.ravel_multi_index([data.column(axis) for axis in axes], shape)
        counts.append(np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape))
    return counts


def fitted(structure: bnlr.Structure, data: bnlr.Dataset, penalty: float) -> bnlr.FitResult:
    """Fit by bnlr, on one thread like all else here."""
    result = bnlr.fit(structure, data, penalty=penalty, n_threads=1)
    if not result.converged:
        raise SystemExit(f"bnlr did not converge: {result.message}")
    return result


def logistic(structure: bnlr.Structure, data: bnlr.Dataset, penalty: float) -> float:
    """Fit scikit-learn's LogisticRegression to the same problem; building its design counts.

    Two classes: bnlr's penalty on both classes' tables is half of it on their difference. The
    class's own family is one cell, the intercept, which neither penalises.
    """
    design = bnlr.Roos(structure, data.states).design(data)[:, 1:]
    strength = penalty / 2
    inverse = 1 / strength if strength else np.inf
    model = LogisticRegression(C=inverse, tol=1e-6, max_iter=10_000).fit(design, data.class_codes)
    logs = model.predict_log_proba(design)[np.arange(data.n_rows), data.class_codes]
    return float(logs.sum() - strength / 2 * (model.coef_**2).sum())


def _cost(result: bnlr.FitResult) -> float:
    """What was maximised: the CLL, less the penalty."""
    return float(result.trace.iloc[-1]["objective" if result.penalty else "cll"])


def _timed(run: Callable[[], T], repeats: int) -> tuple[T, float]:
    """Return what ``run`` gives, and its best time after a first call that is not counted."""
    result = run()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return result, best


def _both(seconds: float, unit: float) -> tuple[str, str]:
    return f"{seconds * 1e3:.2f}", f"{seconds / unit:.0f}"


def _line(*cells: object) -> None:
    widths = (12, 8, 19, 14, 13, 8)
    print("".join(str(cell).ljust(width) for cell, width in zip(cells, widths, strict=True)))


if __name__ == "__main__":
    main()
