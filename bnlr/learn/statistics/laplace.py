"""How sure a penalised fit is of its parameters: Laplace's approximation.

Under a penalty ½·strength·‖T − centre‖² the fit is the mode of a posterior whose prior is normal,
T ~ N(centre, 1/strength), flat where the penalty is. Near the mode its covariance is the inverse of
the penalised information, minus the Hessian of the CLL plus that of the penalty (Tierney & Kadane
1986; of ridge logistic regression le Cessie & van Houwelingen 1992). Where rows say nothing the
prior speaks alone, so that every parameter has an error. The intervals are the posterior's: they
say nothing of how far the centre is from the truth.
"""

from collections.abc import Mapping

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.packed_rows import Design
from bnlr.learn.statistics.fisher_information import (
    Identification,
    Maximum,
    check_size,
    information_of,
    inverse_of,
    moments_of,
)
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.spaces.l_model import LinearSpace


def penalty_of(
    space: LinearSpace, strength: float, ordered: Mapping[str, int] | None = None
) -> Penalty:
    """A penalty with the Hessian of the fit's; its centre does not matter.

    ``ordered`` are the attributes whose order a "smooth" one looked at, in the fit: other data may
    tell of none. None for other penalties.
    """
    nothing = np.zeros((space.layout.n_cells, space.layout.n_classes - 1))
    if ordered is None:
        return Penalty(space.layout, strength, nothing)
    roughness = Roughness(space.layout, ordered)
    return SmoothPenalty(space.layout, strength, nothing, roughness=roughness)


def mode(
    design: Design, chart: LinearSpace, x: FloatArray, penalty: Penalty, space: LinearSpace
) -> Maximum:
    """The penalised optimum ``x`` of ``chart`` in the coordinates of ``space``.

    ``rank`` are the effective parameters, tr(information · covariance).

    Raises
    ------
    TooLargeError
        More parameters than a dense matrix should have.
    DataError
        The penalised information is singular to working precision.
    """
    check_size(chart)
    check_size(space)
    tables = chart.differences(x)
    information = information_of(design.linearise(tables), chart)
    n, width = information.shape[:2]
    cost = moments_of(penalty.of_each_class(), chart)
    together = information + np.einsum("pq,ce->pcqe", cost, _of_classes(width))
    covariance = inverse_of(together.reshape(n * width, n * width))
    effective = float(np.einsum("ij,ji->", information.reshape(covariance.shape), covariance))
    loadings = _loadings(chart, space)
    spread = np.einsum(
        "ip,pcqe,jq->icje", loadings, covariance.reshape(together.shape), loadings, optimize=True
    )
    totals = design.class_weights()
    totals = totals[totals > 0]
    n_predictors = len(loadings)
    return Maximum(
        space=space,
        x=(loadings @ x.reshape(-1, width)).ravel(),
        covariance=spread.reshape(space.size, space.size),
        identification=Identification(
            np.ones(n_predictors), np.eye(n_predictors), np.zeros((n_predictors, 0))
        ),
        cll=design.cll(tables),
        null_cll=float(totals @ np.log(totals / totals.sum())),
        rank=effective,
        null_rank=len(totals) - 1,
        total_weight=design.total_weight,
        strength=penalty.strength,
    )


def _of_classes(width: int) -> FloatArray:
    """What the penalty's Hessian is between the classes' differences from the first."""
    if width == 1:
        return np.array([[0.5]])
    return np.eye(width) - 1.0 / (width + 1)


def _loadings(chart: LinearSpace, space: LinearSpace) -> FloatArray:
    """The predictors of ``space`` in those of ``chart``, (n_predictors, n_predictors of chart)."""
    width = chart.layout.n_classes - 1
    columns = []
    for place in range(chart.size // width):
        unit = np.zeros((chart.size // width, width))
        unit[place, 0] = 1.0
        tables = chart.layout.unstack(chart.to_tables(unit.ravel()))
        columns.append(space.from_tables(tables).reshape(-1, width)[:, 0])
    return np.column_stack(columns)
