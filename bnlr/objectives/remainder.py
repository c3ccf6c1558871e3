"""What a Newton step still lacks where a penalty makes −CLL strongly convex.

A system H·p = −g that is left with a residual r lacks E = ½·r'H⁻¹r of its decrement. Conjugate
gradients do not see it; a penalty bounds it. Let H = A + P, A that of the rows, P ⪰ μ·I on all
tables u but the class prior t, which is free; M families add up to a row's scores t + z·u.

For a residual r_u of tables alone r_u'H⁻¹r_u ≤ ‖r_u‖²/μ. For one of the prior, ρ_c of every class c
and what makes their sum 0 of the most likely class h, any flow a(i), of which each row i takes a
share from h to the others and which sums to ρ, gives by duality

    r_t'H⁻¹r_t ≤ ‖Z'a‖²/μ + Σ_i a(i)'A(i)⁺a(i) ≤ (M/μ)·((Σ|ρ_c|)² + Σ ρ_c²) + Σ ρ_c²/k_c .

Here rows share ρ_c as they do k_c = Σ w·p_c·p_h, so that the cells of a family hold no more than
all of it, and a row's curvature A(i) is at least its part between h and each c. Norms add up.
"""

from math import inf, sqrt

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.pack import absolute
from bnlr.design.packed_rows import ClassLinks
from bnlr.objectives.penalty import Penalty


def largest_remainder(residual: FloatArray, penalty: Penalty, links: ClassLinks) -> float:
    """At most E of a ``residual``, (n_cells, n_classes − 1), in differences from the first class.

    ``links`` are those of the point; infinite where the rows do not hold the class prior.
    """
    own, n_families = penalty.layout.families[0].rows, len(penalty.layout.families)
    whole = absolute(residual)
    of_prior = whole[own].sum(axis=0)
    squares = _squares(whole.ravel()) - _squares(of_prior) / (own.stop - own.start)
    moved = (np.arange(len(of_prior)) != links.hub) & (of_prior != 0)
    shifts, weights = of_prior[moved], links.weights[moved]
    if (weights <= 0).any():
        return inf
    flow = float(np.abs(shifts).sum()) ** 2 + _squares(shifts)
    prior = n_families * flow / penalty.modulus + float((np.square(shifts) / weights).sum())
    return 0.5 * (sqrt(max(squares, 0.0) / penalty.modulus) + sqrt(prior)) ** 2


def _squares(values: FloatArray) -> float:
    return float(np.einsum("i,i->", values, values))
