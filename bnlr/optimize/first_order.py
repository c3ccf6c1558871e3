"""The solvers of Feelders & Ivanovs (2006): CG and BFGS after Nash (1990), CG with Brent's search.

"Discriminative scoring of Bayesian network classifiers: a comparative study", section 4, takes
CG and BFGS from R's ``optim`` of its day, a translation of Nash's programs, and calls CG with
Brent's line search CGB. All three are ``descend`` with different directions and step rules.
They keep Nash's stopping rules; ``minimise``'s ``tol`` is not used.
"""

from numbers import Real
from typing import Any

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.optimize import nash
from bnlr.optimize.base import Objective, OnIteration, Result
from bnlr.optimize.brent import line_minimum
from bnlr.optimize.conjugate import FORMULAS, Conjugate
from bnlr.optimize.descent import StepRule, descend, relative_decrease
from bnlr.optimize.variable_metric import VariableMetric

_DENSE_LIMIT = 16384
_ROOT_EPS = 2.0**-26
_PARABOLAS = {"nash": nash.three_point, "half": nash.half}


def cg(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,  # noqa: ARG001  part of every solver's signature
    max_iter: int,
    on_iteration: OnIteration,
    formula: str = "polak-ribiere",
    parabola: str = "nash",
    reltol: float = _ROOT_EPS,
) -> Result:
    """Nash's conjugate gradients: an acceptable point, improved by one parabola.

    Parameters
    ----------
    objective, x0, max_iter, on_iteration : as in ``minimise``
    tol : not used
    formula : "polak-ribiere" (the paper's), "fletcher-reeves" or "beale-sorenson"
    parabola : "nash" fits F(x), the slope there and F at the acceptable point. "half" tries half
        of the acceptable step instead: since version 2.3.1, the CG of R's ``optim`` overwrites
        F(x) before the formula uses it, which leaves just that. It needs two to three times the
        iterations, and does not give the paper's figures; it serves for comparisons with R.
    reltol : stop where G₁ ≤ reltol·√reltol·n, G₁ being gᵀ(g − g_old), or gᵀg at a restart and
        for "fletcher-reeves"

    Notes
    -----
    Restarted from the gradient after n directions, where G₁ is small, and where no step along
    the direction is acceptable; the last two end the run if the direction was the gradient
    itself. The gradient is taken again at such a restart, as in Nash's program.

    Raises
    ------
    ParameterError
        An unknown ``formula`` or ``parabola``, ``reltol`` out of range.
    """
    improved = nash.improved(_PARABOLAS[_chosen("parabola", parabola, _PARABOLAS)])
    return _conjugate(objective, x0, improved, formula, reltol, max_iter, on_iteration)


def cg_brent(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,  # noqa: ARG001  part of every solver's signature
    max_iter: int,
    on_iteration: OnIteration,
    formula: str = "polak-ribiere",
    precision: float = 2e-4,
    reltol: float = _ROOT_EPS,
) -> Result:
    """Conjugate gradients with Brent's line search, the paper's CGB.

    Parameters
    ----------
    objective, x0, max_iter, on_iteration, formula, reltol : as in ``cg``
    tol : not used
    precision : relative precision of the step, above 0 and below 1; the paper's is 2e-4

    Notes
    -----
    As ``cg``, but for the step: a minimum along the line, in a bracket grown from 0 and the
    step before (1 at first). The paper does not say how it brackets; this takes about nine
    evaluations an iteration, which is what its flops come to.

    Raises
    ------
    ParameterError
        An unknown ``formula``, ``precision`` or ``reltol`` out of range.
    """
    if not _is_number(precision) or not 0 < precision < 1:
        raise ParameterError(f"precision is {precision!r}; it must lie between 0 and 1, as 2e-4.")
    rule = line_minimum(float(precision))
    return _conjugate(objective, x0, rule, formula, reltol, max_iter, on_iteration)


def bfgs(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,  # noqa: ARG001  part of every solver's signature
    max_iter: int,
    on_iteration: OnIteration,
    reltol: float = _ROOT_EPS,
) -> Result:
    """Nash's variable metric method: BFGS with an acceptable point, tried from s = 1.

    Parameters
    ----------
    objective, x0, max_iter, on_iteration : as in ``minimise``
    tol : not used
    reltol : stop where an iteration lowers F by at most reltol · (abs(F) + reltol)

    Notes
    -----
    B, the n × n approximation of the inverse Hessian, starts at I. It is set back to I where a
    step shows no positive curvature, after 2n gradients, where its direction does not descend
    or allows no acceptable step, and where F settles; the last three end the run if B was I.

    Raises
    ------
    ParameterError
        ``reltol`` out of range.
    TooLargeError
        More than 16,384 parameters: the matrix would take over 2 GiB.
    """
    if x0.size > _DENSE_LIMIT:
        raise TooLargeError(
            f"bfgs keeps a matrix of {x0.size} × {x0.size} numbers ({8 * x0.size**2:,} bytes); "
            "use solver 'newton', 'l-bfgs' or 'cg'."
        )
    return descend(
        objective,
        x0,
        VariableMetric(x0.size),
        nash.full_step,
        max_iter=max_iter,
        on_iteration=on_iteration,
        settled=relative_decrease(_checked_reltol(reltol)),
    )


def _conjugate(
    objective: Objective,
    x0: FloatArray,
    rule: StepRule,
    formula: str,
    reltol: float,
    max_iter: int,
    on_iteration: OnIteration,
) -> Result:
    small = _checked_reltol(reltol) ** 1.5
    directions = Conjugate(FORMULAS[_chosen("formula", formula, FORMULAS)], small)
    return descend(objective, x0, directions, rule, max_iter=max_iter, on_iteration=on_iteration)


def _chosen(option: str, name: Any, known: dict[str, Any]) -> str:
    if not isinstance(name, str) or name not in known:
        names = ", ".join(repr(key) for key in known)
        raise ParameterError(f"{option} is {name!r}; choose one of {names}.")
    return name


def _checked_reltol(reltol: Any) -> float:
    if not _is_number(reltol) or not 0 <= reltol < 1:
        raise ParameterError(f"reltol is {reltol!r}; it must be a number from 0 to below 1.")
    return float(reltol)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
