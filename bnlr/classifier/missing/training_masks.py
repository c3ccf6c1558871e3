"""Training for holes to come: copies of the rows with more of their cells masked.

Discriminative parameters are only as good as the questions they were trained for: those fitted to
complete rows may predict badly where cells are missing. The remedy is to maximise the conditional
likelihood of rows with such holes (Greiner, Grove & Schuurmans 1997: learn for the queries that
will be asked).

The fit starts at the scaled frequency estimates, which expect any holes, and is stopped early, as
ELR is by cross tuning (Greiner et al. 2005): on eight data sets that predicted as well as or better
than the optimum, most of all on few rows, at a hundredth of the cost.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.arguments import seed
from bnlr.classifier.parameters import Expected
from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.learn.result import FitResult
from bnlr.words import guess, listed, quoted

_FEWEST, _MOST, _ENOUGH_ROWS = 4, 16, 40_000
_LEAST_ITERATIONS = 5


def shares_to_mask(expected: Expected, data: Dataset) -> dict[str, float]:
    """Return which share of each attribute's observed cells to mask, {} for none of any.

    What is missing already counts: a share r is reached by masking (r − seen) / (1 − seen) of the
    cells that are there, and nothing where more is missing than r.

    Raises
    ------
    ParameterError
        A column that is no attribute of the data.
    """
    attributes = [node for node in data.nodes if node != data.class_name]
    if expected is None or isinstance(expected, str):
        return {}
    if isinstance(expected, Mapping):
        for column in expected:
            if column not in attributes:
                raise ParameterError(
                    f"expect_missing names {quoted(column)}, which is no column that was used, "
                    f"only {listed(attributes)}{guess(column, attributes)}"
                )
        wanted = {node: float(expected.get(node, 0.0)) for node in attributes}
    else:
        wanted = dict.fromkeys(attributes, float(expected))
    seen = {node: data.missing_counts.get(node, 0) / data.n_rows for node in attributes}
    more = {node: (wanted[node] - seen[node]) / max(1 - seen[node], 1e-12) for node in attributes}
    return {node: share for node, share in more.items() if share > 0}


def n_copies(n_rows: int) -> int:
    """Return how many masked copies of the rows are trained on: more of few rows than of many."""
    return min(_MOST, max(_FEWEST, ceil(_ENOUGH_ROWS / n_rows)))


def n_iterations(n_rows: int) -> int:
    """Return how many iterations the fit to the copies makes at most: few rows bear few."""
    return max(_LEAST_ITERATIONS, ceil(sqrt(n_rows / 10)))


def stopped_early(result: FitResult) -> FitResult:
    """Return the result of such a fit, saying that it was stopped on purpose if it was."""
    if result.converged:
        return result
    message = (
        f"Stopped after {result.n_iter} iterations, early on purpose: more would fit these rows "
        "and their holes, not those to come."
    )
    return replace(result, converged=True, message=message)


def masked_copies(data: Dataset, shares: Mapping[str, float], random_state: int | None) -> Dataset:
    """Return copies of the rows, each with a share of its cells masked, weights divided by copies.

    Each cell is masked in as many of the copies as its share says, to within one, and
    independently of the row's other cells. The class is never masked. Without a seed the masks are
    always the same.

    Raises
    ------
    ParameterError
        `random_state` is no whole number from 0 on.
    """
    # Without a seed the masks are those of seed 0.
    rng, copies = np.random.default_rng(seed(random_state) or 0), n_copies(data.n_rows)
    codes = np.empty((copies * data.n_rows, len(data.nodes)), data.codes.dtype, order="F")
    for place, node in enumerate(data.nodes):
        codes[:, place] = np.tile(data.column(node), copies)
        if node in shares:
            codes[_masks(rng, data.n_rows, copies, shares[node]), place] = -1
    weights: FloatArray = np.tile(data.weights, copies) / copies
    return replace(data, codes=codes, row_weights=weights)


def _masks(rng: np.random.Generator, n_rows: int, copies: int, share: float) -> BoolArray:
    """Whether each copy of a cell is masked, (copies · n_rows,), the copies one after another."""
    turns = rng.random(n_rows) + np.arange(copies)[:, None] / copies
    masks: BoolArray = (turns % 1.0 < share).ravel()
    return masks
