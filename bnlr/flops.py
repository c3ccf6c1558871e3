"""Floating point operations as Feelders & Ivanovs count them, and our extension to Newton.

"Discriminative scoring of Bayesian network classifiers: a comparative study", section 4, counts
every addition, multiplication, exponential and logarithm as one. The paper leaves open what r
is; here it is the number of free parameters in the space at hand: (d_0 − 1)·predictors for
logistic regression, |β| for the network's own space.

=================  ====================================================================
name               the paper's symbol
=================  ====================================================================
``n_ones``         |Z|, ones in the design matrix, intercept column included
``n_beta``         |β|, CPT cells of the class and its children
``n_attributes``   n, canonical attributes; their states are ``attribute_cards`` d_1..d_n
``n_classes``      d_0
``n_parameters``   r
=================  ====================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass


def lr_cost_cll(n_ones: int, n_rows: int, n_classes: int) -> int:
    """CLL in a logistic regression space: |Z|(d_0 − 1) + N(d_0 + 2)."""
    return n_ones * (n_classes - 1) + n_rows * (n_classes + 2)


def lr_cost_gradient(n_ones: int, n_rows: int, n_classes: int) -> int:
    """Gradient in a logistic regression space: |Z|d_0 + 2N·d_0."""
    return n_ones * n_classes + 2 * n_rows * n_classes


def lr_cost_hvp(n_ones: int, n_rows: int, n_classes: int) -> int:
    """Hessian-vector product in a logistic regression space: 2|Z|(d_0 − 1) + N(3d_0 − 4).

    Ours, counted as the paper counts, the class probabilities p being known from the gradient.
    Row scores u of the vector take (|Z| − N)(d_0 − 1) additions; their mean Σ p·u takes
    2(d_0 − 1) − 1 per row, p·(u − mean) another 2(d_0 − 1), and adding that to the parameters
    |Z|(d_0 − 1).
    """
    return 2 * n_ones * (n_classes - 1) + n_rows * (3 * n_classes - 4)


def bn_cost_cll(n_beta: int, n_rows: int, n_attributes: int, n_classes: int) -> int:
    """CLL in the network's own space: 3|β| + N(n·d_0 + 2d_0 + 2)."""
    return 3 * n_beta + n_rows * (n_attributes * n_classes + 2 * n_classes + 2)


def bn_cost_gradient(
    n_beta: int, n_rows: int, attribute_cards: Sequence[int], n_classes: int
) -> int:
    """Gradient in the network's own space: 3|β| + N(2n·d_0 + n + (2d_0 + 1)(3 + Σ d_i))."""
    n = len(attribute_cards)
    per_row = 2 * n * n_classes + n + (2 * n_classes + 1) * (3 + sum(attribute_cards))
    return 3 * n_beta + n_rows * per_row


def bn_cost_hvp(n_beta: int, n_rows: int, n_attributes: int, n_classes: int) -> int:
    """Hessian-vector product in the network's own space: 9|β| + N(2n·d_0 + 5d_0 − 1).

    Ours. The derivative of log θ along the vector, v − Σ θ·v for each parent configuration,
    takes 3|β|. A row then takes n·d_0 additions for its scores, 2d_0 − 1 for their mean, 2d_0
    for p·(u − mean) and (n + 1)d_0 to add that to its cells. Pulling the cells back takes 3|β|,
    and so does the curvature of log θ itself.
    """
    return 9 * n_beta + n_rows * (2 * n_attributes * n_classes + 5 * n_classes - 1)


def bfgs_iteration(n_parameters: int, n_cll: int, cost_cll: int, cost_gradient: int) -> int:
    """One iteration of BFGS: 12r² + 8r + (4r + cost_CLL)·count_CLL + cost_grad."""
    r = n_parameters
    return 12 * r * r + 8 * r + (4 * r + cost_cll) * n_cll + cost_gradient


def cg_iteration(n_parameters: int, n_cll: int, cost_cll: int, cost_gradient: int) -> int:
    """One iteration of CG or CGB: 10r + (4r + cost_CLL)·count_CLL + cost_grad."""
    r = n_parameters
    return 10 * r + (4 * r + cost_cll) * n_cll + cost_gradient


@dataclass(frozen=True, slots=True)
class Costs:
    """What one evaluation costs in one parameter space, for one solver.

    Attributes
    ----------
    n_parameters : r
    cll, gradient, hvp : flops of one evaluation
    solver : its name as in ``minimise``; it decides the vector operations of an iteration
    memory : pairs kept by "l-bfgs" and "newton"
    """

    n_parameters: int
    cll: int
    gradient: int
    hvp: int = 0
    solver: str = "newton"
    memory: int = 10

    def iteration(self, n_cll: int, n_gradient: int, n_hvp: int) -> int:
        """Flops of an iteration with these counts; without a gradient or product, no update.

        The paper's formulas for BFGS and the CG family. Ours: L-BFGS 8·memory·r + 7r (two
        loops over the pairs, one new pair); Newton 4r, and for every product 11r (three inner
        products, three updates of vectors, one diagonal preconditioning) + 8·memory·r (the
        remembered steps, as if all were there).
        """
        r = self.n_parameters
        inner = (11 + 8 * self.memory) * r * n_hvp
        vectors = self._update() + inner if n_gradient or n_hvp else 0
        evaluations = (4 * r + self.cll) * n_cll + self.gradient * n_gradient
        return vectors + evaluations + self.hvp * n_hvp

    def start(self, n_cll: int, n_gradient: int) -> int:
        """Flops before the first iteration: evaluations only."""
        return self.cll * n_cll + self.gradient * n_gradient

    def _update(self) -> int:
        r = self.n_parameters
        if self.solver.endswith("l-bfgs"):
            return 8 * self.memory * r + 7 * r
        if self.solver.endswith("bfgs"):
            return bfgs_iteration(r, 0, 0, 0)
        return 4 * r if self.solver == "newton" else cg_iteration(r, 0, 0, 0)
