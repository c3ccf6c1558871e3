"""Batches of rows through one plan: chunks of rows, threads over chunks, sums in row order."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import CodeArray, FloatArray
from bnlr.inference.plan import Plan
from bnlr.machine import backend, in_order

if TYPE_CHECKING:
    from bnlr.machine import signatures

_LEAST_ROWS = 1024
_CELLS_A_ROW = 256
_Value = TypeVar("_Value")


def posterior(
    plan: Plan, theta: FloatArray, codes: CodeArray, workers: int
) -> tuple[FloatArray, FloatArray]:
    """Return P(target | the other cells), (N, d_target), and their log probability, (N,)."""
    own = np.empty((len(codes), int(plan.flat.cards[plan.target])))
    logs = np.empty(len(codes))

    def run(start: int, stop: int) -> None:
        rows = _rows(codes, start, stop)
        _kernels().evidence(
            plan.schedule, theta, rows, plan.target, True, own[start:stop], logs[start:stop]
        )

    _finish(_in_chunks(run, plan, len(codes), workers))
    return own, logs


def log_evidence(plan: Plan, theta: FloatArray, codes: CodeArray, workers: int) -> FloatArray:
    """Return log P(observed cells), (N,), −inf for impossible rows."""
    logs, nothing = np.empty(len(codes)), np.empty((0, 0))

    def run(start: int, stop: int) -> None:
        rows = _rows(codes, start, stop)
        _kernels().evidence(
            plan.schedule, theta, rows, plan.target, False, nothing, logs[start:stop]
        )

    _finish(_in_chunks(run, plan, len(codes), workers))
    return logs


def expected_counts(
    plan: Plan, theta: FloatArray, codes: CodeArray, weights: FloatArray, workers: int
) -> tuple[FloatArray, FloatArray]:
    """Return Σ weight · P(d, f | row), flat like `theta`, and log P(observed cells), (N,)."""
    return _counted("expect", plan, theta, codes, weights, workers)


def contrast(
    plan: Plan, theta: FloatArray, codes: CodeArray, weights: FloatArray, workers: int
) -> tuple[FloatArray, FloatArray]:
    """Return Σ weight · [P(d, f | c, e) − P(d, f | e)], flat, and log P(c | e), (N,)."""
    return _counted("contrast", plan, theta, codes, weights, workers)


def information(
    plan: Plan, theta: FloatArray, codes: CodeArray, weights: FloatArray, matrix: FloatArray
) -> None:
    """Add Σ weight · Cov(counts | c, e) over c ~ P(c | e) to the lower triangle of ``matrix``."""
    rows = _rows(codes, 0, len(codes))
    _kernels().information(plan.schedule, theta, rows, weights, plan.target, matrix)


def _counted(
    kind: str,
    plan: Plan,
    theta: FloatArray,
    codes: CodeArray,
    weights: FloatArray,
    workers: int,
) -> tuple[FloatArray, FloatArray]:
    logs = np.empty(len(codes))
    kernel = getattr(_kernels(), kind)

    def run(start: int, stop: int) -> FloatArray:
        counts, rows = np.zeros(plan.flat.n_cells), _rows(codes, start, stop)
        kernel(
            plan.schedule, theta, rows, weights[start:stop], plan.target, counts, logs[start:stop]
        )
        return counts

    total = np.zeros(plan.flat.n_cells)
    for counts in _in_chunks(run, plan, len(codes), workers):
        total += counts
    return total, logs


def _in_chunks(
    run: Callable[[int, int], _Value], plan: Plan, n_rows: int, workers: int
) -> Iterator[_Value]:
    """Results of ``run(start, stop)``, in order, over chunks that do not depend on threads.

    A chunk copies all CPTs, so that it has more rows where these are large.
    """
    size = max(_LEAST_ROWS, plan.flat.n_cells // _CELLS_A_ROW)
    plan.schedule  # noqa: B018  made once, before the threads ask for it
    return in_order(
        lambda start: run(start, min(start + size, n_rows)), range(0, n_rows, size), workers
    )


def _rows(codes: CodeArray, start: int, stop: int) -> NDArray[np.int32]:
    """Return rows in the one type and order that the kernels are compiled for."""
    rows = codes[start:stop]
    if not np.can_cast(rows.dtype, np.int32):
        rows = np.maximum(rows, -1) if rows.dtype.kind == "i" else rows
    return np.ascontiguousarray(rows, dtype=np.int32)


def _finish(results: Iterator[None]) -> None:
    for _ in results:
        pass


def _kernels() -> "signatures.Cliques":
    found: signatures.Cliques = backend("cliques", "inference.clique_twins")
    return found
