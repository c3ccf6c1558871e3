"""From a fit and its rows to the CLL's maximum, or the reason why there is none to speak of."""

from collections.abc import Mapping
from typing import Protocol

from bnlr._typing import FloatArray, State
from bnlr.arguments import one_of
from bnlr.data.dataset import Dataset
from bnlr.design.packed_rows import Design
from bnlr.design.parted_rows import design_of
from bnlr.errors import DataError, ParameterError
from bnlr.learn.choices import LOGISTIC_SPACES
from bnlr.learn.proof.separation import Separation
from bnlr.learn.statistics.fisher_information import Maximum, check_size, maximum
from bnlr.learn.statistics.laplace import mode, penalty_of
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import LinearSpace
from bnlr.spaces.loglinear import LogLinear
from bnlr.spaces.roos import Roos

_SHOWN = 3
_SAME, _ROUNDING = 1e-7, 1e-12
_WHY_NOT = {
    "frequencies": "counts, and does not maximise the CLL",
    "dfe": "counts errors, and maximises nothing",
    "elr": "climbs in β, which the rows do not determine, and may end in a local maximum",
    "em": "maximises the likelihood of all cells, not the CLL",
    "apn": "maximises the likelihood of all cells, not the CLL",
}
_REMEDY = "fit with learner='lr'"
_REMEDIES = {
    "elr": "of complete rows a structure that is not perfect has them with nonperfect='embed', any "
    "other with learner='lr'; else fit anew on rows drawn with replacement, a hundred times, and "
    "see how far what you ask for spreads (bootstrap)",
}


class Fit(Protocol):
    """What tells whether a fit is a maximum of the CLL, and where; see `bnlr.FitResult`."""

    @property
    def learner(self) -> str: ...  # noqa: D102
    @property
    def solver(self) -> str: ...  # noqa: D102
    @property
    def penalty(self) -> float: ...  # noqa: D102
    @property
    def ordered(self) -> Mapping[str, int] | None: ...  # noqa: D102
    @property
    def converged(self) -> bool: ...  # noqa: D102
    @property
    def n_iter(self) -> int: ...  # noqa: D102
    @property
    def cll(self) -> float: ...  # noqa: D102
    @property
    def separation(self) -> Separation | None: ...  # noqa: D102
    @property
    def coordinates(self) -> object: ...  # noqa: D102
    @property
    def x(self) -> FloatArray | None: ...  # noqa: D102


def maximum_of(
    result: Fit,
    data: Dataset,
    space: str = "loglinear",
    reference: Mapping[str, State] | None = None,
) -> Maximum:
    """The maximum of the CLL that ``result`` stands at, in the coordinates of ``space``.

    Raises
    ------
    ParameterError
        A fit that is no maximum of the CLL, one with a penalty, or an unknown space.
    DataError
        Separation; rows other than those that were fitted.
    TooLargeError
        Thousands of parameters.
    """
    chart, x = _fitted(result)
    chosen, design = _in_space(result, chart, x, data, space, reference)
    tables = chart.layout.unstack(chart.to_tables(x))
    try:
        return maximum(design, chosen, chosen.from_tables(tables))
    except DataError as error:
        raise DataError(f"{error}{_suspicion(result.separation)}") from error


def mode_of(
    result: Fit,
    data: Dataset,
    space: str = "loglinear",
    reference: Mapping[str, State] | None = None,
) -> Maximum:
    """The optimum of the penalised CLL that ``result`` stands at, in the coordinates of ``space``.

    Raises as `maximum_of`, but for penalties and separation.
    """
    fitted, x = _optimum(result)
    chosen, design = _in_space(result, fitted, x, data, space, reference)
    chart = fitted if isinstance(fitted, LinearSpace) else Roos(fitted.structure, fitted.states)
    own = x if chart is fitted else chart.from_tables(fitted.layout.unstack(fitted.to_tables(x)))
    penalty = penalty_of(chart, result.penalty, result.ordered)
    return mode(design, chart, own, penalty, chosen)


def _in_space(
    result: Fit,
    fitted: Space,
    x: FloatArray,
    data: Dataset,
    space: str,
    reference: Mapping[str, State] | None,
) -> tuple[LinearSpace, Design]:
    """The space asked for, and the rows, which are those of the fit."""
    if not isinstance(data, Dataset):
        raise ParameterError(
            f"data is a {type(data).__name__}; give the Dataset that was passed to fit"
        )
    chosen = _space(fitted, data, space, reference)
    check_size(chosen)
    fitted.check_states(data)
    design = design_of(fitted.layout, data)
    _check_rows(design, fitted.differences(x), result.cll)
    return chosen, design


def _fitted(result: Fit) -> tuple[Space, FloatArray]:
    """The fit's own space and parameters, if it is a maximum of the CLL."""
    found = _optimum(result)
    if result.penalty:
        raise ParameterError(
            f"the fit has a penalty of {result.penalty:g}, which draws the estimates to its "
            "centre, so that it is no maximum of the CLL; fit with penalty=0"
        )
    if result.separation is not None and result.separation.is_separated:
        raise DataError(_separated(result.separation))
    return found


def _optimum(result: Fit) -> tuple[Space, FloatArray]:
    """The fit's own space and parameters, if it is an optimum of the CLL, less a penalty."""
    fitted, x = result.coordinates, result.x
    if result.learner != "lr" or not isinstance(fitted, Space) or x is None:
        why = _WHY_NOT.get(result.learner, "does not maximise the CLL")
        raise ParameterError(
            "standard errors belong to the maximum of the CLL in a logistic regression, and "
            f"learner {result.learner!r} {why}; {_REMEDIES.get(result.learner, _REMEDY)}"
        )
    if not result.converged:
        raise ParameterError(
            f"the fit stopped after {result.n_iter} iterations, before the maximum; raise "
            "max_iter, or choose solver 'newton'"
        )
    return fitted, x


def _separated(verdict: Separation) -> str:
    """Why there are no errors; a penalty would mend the parameters, but not give errors."""
    shown = "; ".join(verdict.cells[:_SHOWN]) or "a class never occurs"
    more = f"; and {len(verdict.cells) - _SHOWN} more" if len(verdict.cells) > _SHOWN else ""
    return (
        f"no standard errors, for there is no finite optimum ({verdict.verdict} separation): "
        f"{shown}{more}. Merge rare states, or take a structure with fewer arcs"
    )


def _suspicion(verdict: Separation | None) -> str:
    """What the fit could not decide, as the end of a sentence."""
    if verdict is None or verdict.verdict != "unknown" or not verdict.reason:
        return ""
    return f" ({verdict.reason})"


def _space(
    fitted: Space, data: Dataset, space: str, reference: Mapping[str, State] | None
) -> LinearSpace:
    space = one_of("space", space, LOGISTIC_SPACES)
    if space == "roos":
        if reference is not None:
            raise ParameterError("space 'roos' has no reference states; leave reference out")
        return Roos(fitted.structure, fitted.states)
    if reference is None:
        frequent = data.most_frequent
        reference = {a: frequent[a] for a in fitted.layout.attributes if a in frequent}
    return LogLinear(fitted.structure, fitted.states, reference)


def _check_rows(design: Design, tables: FloatArray, fitted: float) -> None:
    """Refuse other rows or weights than the fit's: its CLL gives them away."""
    cll = design.cll(tables)
    if abs(cll - fitted) > _SAME * abs(fitted) + _ROUNDING * design.total_weight:
        raise DataError(
            f"these are not the rows that were fitted: their CLL is {cll:.9g}, the fit's "
            f"{fitted:.9g}; give the Dataset, weights included, that was passed to fit"
        )
